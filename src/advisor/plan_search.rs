//! The fastest plan that fits on one cluster.

use super::rejection::RejectionReason;
use crate::plan::{Plan, PlanError, Recompute, Sharding};
use crate::profile::Method;
use crate::simulator::memory::TIGHT_FROM;
use crate::simulator::{MemoryEstimate, Scenario, StepEstimate, Verdict, memory, step_time};

/// What the user fixed; the rest is searched.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanConstraints {
    /// Tensor-parallel degree.
    pub tensor_parallel: Option<u32>,
    /// Pipeline stages.
    pub pipeline_parallel: Option<u32>,
    /// Virtual stages.
    pub virtual_stages: Option<u32>,
    /// Sharding.
    pub sharding: Option<Sharding>,
    /// Sequence parallelism.
    pub sequence_parallel: Option<bool>,
    /// Recomputation.
    pub recompute: Option<Recompute>,
    /// Micro-batch.
    pub micro_batch: Option<u32>,
    /// FlashAttention on or off.
    pub flash_attention: Option<bool>,
}

/// A plan with its step and memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// Step time by terms.
    pub step: StepEstimate,
    /// Memory by items.
    pub memory: MemoryEstimate,
}

/// Degrees and sizes that a search tries, ascending. Never more than this many of each.
const MOST_OPTIONS: usize = 16;

/// A short list without allocation.
#[derive(Debug, Clone, Copy)]
struct Options<T> {
    items: [T; MOST_OPTIONS],
    len: usize,
}

impl<T: Copy + PartialEq> Options<T> {
    fn new(filler: T) -> Self {
        Self { items: [filler; MOST_OPTIONS], len: 0 }
    }

    fn push(&mut self, item: T) {
        if self.len < MOST_OPTIONS && !self.as_slice().contains(&item) {
            self.items[self.len] = item;
            self.len += 1;
        }
    }

    fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}

/// What one search works on.
struct Search<'s, 'a> {
    scenario: &'s Scenario<'a>,
    constraints: &'s PlanConstraints,
    global_batch: u64,
    layers: u32,
    heads: u32,
    gpus: u32,
    best: Option<Planned>,
    /// The plan that missed the memory by least.
    nearest: Option<(Plan, MemoryEstimate)>,
    /// The first rule that a plan broke.
    broken: Option<PlanError>,
}

/// Finds the fastest plan that fits.
///
/// Only plans up to 0.92 of the usable memory are chosen; when micro-batch, sharding and recomputation are all fixed
/// by the user, up to all of it. Of the degrees and sizes that are not fixed, powers of two and divisors are tried.
///
/// # Errors
/// The reason why there is none: no plan divides, or the one that needs least does not fit.
pub fn best_plan(
    scenario: &Scenario<'_>,
    global_batch: f64,
    precision: crate::catalog::Precision,
    flash_attention: bool,
    constraints: &PlanConstraints,
) -> Result<Planned, RejectionReason> {
    search(scenario, global_batch, precision, flash_attention, constraints).finish()
}

/// The plan that misses the memory by least, for a job that [`best_plan`] rejects for its memory.
pub fn nearest_plan(
    scenario: &Scenario<'_>,
    global_batch: f64,
    precision: crate::catalog::Precision,
    flash_attention: bool,
    constraints: &PlanConstraints,
) -> Option<(Plan, MemoryEstimate)> {
    search(scenario, global_batch, precision, flash_attention, constraints).nearest
}

fn search<'s, 'a>(
    scenario: &'s Scenario<'a>,
    global_batch: f64,
    precision: crate::catalog::Precision,
    flash_attention: bool,
    constraints: &'s PlanConstraints,
) -> Search<'s, 'a> {
    let workload = scenario.workload;
    let mut search = Search {
        scenario,
        constraints,
        global_batch: global_batch.round().max(1.0) as u64,
        layers: workload.layers(),
        heads: workload.attention.map_or(0, |a| a.heads),
        gpus: scenario.machine.gpus(),
        best: None,
        nearest: None,
        broken: None,
    };
    let base = Plan {
        tensor_parallel: 1,
        pipeline_parallel: 1,
        virtual_stages: 1,
        data_parallel: 1,
        sharding: Sharding::None,
        sequence_parallel: false,
        recompute: Recompute::None,
        micro_batch: 1,
        gradient_accumulation_steps: 1,
        flash_attention: constraints.flash_attention.unwrap_or(flash_attention),
        precision,
    };
    search.over_degrees(base);
    search
}

impl Search<'_, '_> {
    fn supports(&self, what: Method) -> bool {
        self.scenario.stack.supports(what)
    }

    fn over_degrees(&mut self, base: Plan) {
        let tensors = self.tensor_degrees();
        let pipelines = self.pipeline_degrees();
        for &tensor_parallel in tensors.as_slice() {
            for &pipeline_parallel in pipelines.as_slice() {
                let model = u64::from(tensor_parallel) * u64::from(pipeline_parallel);
                if model == 0 || !u64::from(self.gpus).is_multiple_of(model) {
                    if self.constraints.tensor_parallel.is_some()
                        || self.constraints.pipeline_parallel.is_some()
                    {
                        self.breaks(PlanError::Degrees { product: model, gpus: self.gpus });
                    }
                    continue;
                }
                let data_parallel = (u64::from(self.gpus) / model) as u32;
                if !self.global_batch.is_multiple_of(u64::from(data_parallel)) {
                    continue;
                }
                let sequence_parallel = self
                    .constraints
                    .sequence_parallel
                    .unwrap_or(tensor_parallel > 1 && self.supports(Method::SequenceParallel));
                let plan =
                    Plan { tensor_parallel, pipeline_parallel, data_parallel, sequence_parallel, ..base };
                for &virtual_stages in self.virtual_degrees(pipeline_parallel).as_slice() {
                    self.over_batches(Plan { virtual_stages, ..plan });
                }
            }
        }
    }

    /// Keeps the first rule that was broken.
    fn breaks(&mut self, error: PlanError) {
        self.broken.get_or_insert(error);
    }

    fn over_batches(&mut self, plan: Plan) {
        let per_rank = self.global_batch / u64::from(plan.data_parallel);
        if let Some(fixed) = self.constraints.micro_batch
            && !per_rank.is_multiple_of(u64::from(fixed))
        {
            let (whole, divisor) = (per_rank, u64::from(fixed));
            self.breaks(PlanError::Divisibility {
                what: "batch per rank",
                whole,
                by: "micro batch",
                divisor,
            });
        }
        for &micro_batch in self.micro_batches(per_rank).as_slice() {
            let accumulation = per_rank / u64::from(micro_batch);
            let Ok(gradient_accumulation_steps) = u32::try_from(accumulation) else { continue };
            let plan = Plan { micro_batch, gradient_accumulation_steps, ..plan };
            if let Err(errors) = plan.check(self.layers, self.heads, self.gpus) {
                for error in errors {
                    self.breaks(error);
                }
                continue;
            }
            self.over_memory(plan);
        }
    }

    /// Recomputation and sharding, cheapest in time first; the first level that fits ends its list, since the next
    /// ones only cost more time.
    fn over_memory(&mut self, plan: Plan) {
        for &sharding in self.shardings(&plan).as_slice() {
            for &recompute in self.recomputations(&plan).as_slice() {
                let plan = Plan { sharding, recompute, ..plan };
                if self.constraints.sharding.is_some()
                    && let Err(errors) = plan.check(self.layers, self.heads, self.gpus)
                {
                    for error in errors {
                        self.breaks(error);
                    }
                    continue;
                }
                let memory = memory(self.scenario, &plan);
                if !self.accepts(&memory) {
                    if self.nearest.is_none_or(|(_, n)| memory.share() < n.share()) {
                        self.nearest = Some((plan, memory));
                    }
                    continue;
                }
                let step = step_time(self.scenario, &plan);
                if self.best.is_none_or(|b| step.total() < b.step.total()) {
                    self.best = Some(Planned { plan, step, memory });
                }
                break;
            }
        }
    }

    fn accepts(&self, memory: &MemoryEstimate) -> bool {
        match memory.verdict() {
            Verdict::Fits => true,
            Verdict::Tight => self.fixed_memory(),
            Verdict::No => false,
        }
    }

    /// The user fixed everything that decides the memory.
    const fn fixed_memory(&self) -> bool {
        let c = self.constraints;
        c.micro_batch.is_some() && c.sharding.is_some() && c.recompute.is_some()
    }

    fn tensor_degrees(&self) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.tensor_parallel {
            options.push(fixed);
            return options;
        }
        options.push(1);
        if self.heads == 0 || !self.supports(Method::TensorParallel) {
            return options;
        }
        let mut degree = 2;
        while degree <= self.scenario.machine.gpus_per_node {
            if self.heads.is_multiple_of(degree) {
                options.push(degree);
            }
            degree *= 2;
        }
        options
    }

    fn pipeline_degrees(&self) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.pipeline_parallel {
            options.push(fixed);
            return options;
        }
        options.push(1);
        if self.heads == 0 || !self.supports(Method::PipelineParallel) {
            return options;
        }
        for degree in 2..=self.layers.min(self.gpus) {
            if self.layers.is_multiple_of(degree) && self.gpus.is_multiple_of(degree) {
                options.push(degree);
            }
        }
        options
    }

    fn virtual_degrees(&self, pipeline: u32) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.virtual_stages {
            options.push(fixed);
            return options;
        }
        options.push(1);
        if pipeline > 1 && self.supports(Method::VirtualStages) {
            for degree in [2, 4] {
                if self.layers.is_multiple_of(pipeline * degree) {
                    options.push(degree);
                }
            }
        }
        options
    }

    fn micro_batches(&self, per_rank: u64) -> Options<u32> {
        let mut options = Options::new(1);
        let mut push = |size: u64| {
            if size > 0
                && per_rank.is_multiple_of(size)
                && let Ok(size) = u32::try_from(size)
            {
                options.push(size);
            }
        };
        match self.constraints.micro_batch {
            Some(fixed) => push(u64::from(fixed)),
            None if self.heads == 0 => (0..12).for_each(|halving| push(per_rank >> halving)),
            None => (0..8).for_each(|power| push(1 << power)),
        }
        options
    }

    fn shardings(&self, plan: &Plan) -> Options<Sharding> {
        let mut options = Options::new(Sharding::None);
        if let Some(fixed) = self.constraints.sharding {
            options.push(fixed);
            return options;
        }
        if plan.data_parallel == 1 {
            options.push(Sharding::None);
            return options;
        }
        // ZeRO-1 moves the bytes of an all-reduce and updates a share of the states: never slower than none.
        options.push(if self.supports(Method::Zero1) { Sharding::Zero1 } else { Sharding::None });
        if plan.pipeline_parallel == 1 {
            if self.supports(Method::Zero2) {
                options.push(Sharding::Zero2);
            }
            if self.supports(Method::Zero3) {
                options.push(Sharding::Zero3);
            }
        }
        options
    }

    fn recomputations(&self, plan: &Plan) -> Options<Recompute> {
        let mut options = Options::new(Recompute::None);
        if let Some(fixed) = self.constraints.recompute {
            options.push(fixed);
            return options;
        }
        options.push(Recompute::None);
        if self.heads > 0 {
            if !plan.flash_attention {
                options.push(Recompute::Selective);
            }
            options.push(Recompute::Full);
        }
        options
    }

    fn finish(self) -> Result<Planned, RejectionReason> {
        if let Some(best) = self.best {
            return Ok(best);
        }
        if let Some((_, nearest)) = self.nearest {
            let allowed = nearest.usable * if self.fixed_memory() { 1.0 } else { TIGHT_FROM };
            let (item, _) = nearest.breaking(allowed).unwrap_or_else(|| nearest.largest());
            return Err(RejectionReason::Memory {
                needed: nearest.peak(),
                usable: nearest.usable,
                allowed,
                item,
            });
        }
        let why = match self.broken {
            Some(error) => error.to_string(),
            None => {
                format!("a global batch of {} does not divide over {} GPUs", self.global_batch, self.gpus)
            }
        };
        Err(RejectionReason::NoValidPlan { why })
    }
}
