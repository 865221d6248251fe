//! The fastest plan that fits on one cluster.

use super::rejection::RejectionReason;
use crate::plan::{Plan, PlanError, Recompute, Sharding};
use crate::profile::Method;
use crate::simulator::memory::TIGHT_FROM;
use crate::simulator::{MemoryEstimate, Scenario, StepEstimate, Verdict, memory, step_time};
use crate::workload::WorkloadKind;

/// What the user fixed; the rest is searched.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanConstraints {
    /// Tensor-parallel degree.
    pub tensor_parallel: Option<u32>,
    /// Pipeline stages.
    pub pipeline_parallel: Option<u32>,
    /// Virtual stages.
    pub virtual_stages: Option<u32>,
    /// Context-parallel degree.
    pub context_parallel: Option<u32>,
    /// Expert-parallel degree.
    pub expert_parallel: Option<u32>,
    /// Optimizer states in host memory; never chosen by the program.
    pub optimizer_offload: bool,
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

/// What one search works on.
pub(super) struct Search<'s, 'a> {
    pub scenario: &'s Scenario<'a>,
    pub constraints: &'s PlanConstraints,
    global_batch: u64,
    pub layers: u32,
    pub heads: u32,
    pub gpus: u32,
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
        optimizer_offload: constraints.optimizer_offload,
        ..Plan::single(precision, constraints.flash_attention.unwrap_or(flash_attention))
    };
    search.over_degrees(base);
    search
}

impl Search<'_, '_> {
    fn over_degrees(&mut self, base: Plan) {
        let tensors = self.tensor_degrees();
        let pipelines = self.pipeline_degrees();
        let contexts = self.context_degrees();
        for &tensor_parallel in tensors.as_slice() {
            for &pipeline_parallel in pipelines.as_slice() {
                for &context_parallel in contexts.as_slice() {
                    self.over_replicas(Plan { tensor_parallel, pipeline_parallel, context_parallel, ..base });
                }
            }
        }
    }

    fn over_replicas(&mut self, plan: Plan) {
        let fixed = self.constraints;
        let degrees = [plan.tensor_parallel, plan.pipeline_parallel, plan.context_parallel];
        let model: u64 = degrees.into_iter().map(u64::from).product();
        if model == 0 || !u64::from(self.gpus).is_multiple_of(model) {
            let given = [fixed.tensor_parallel, fixed.pipeline_parallel, fixed.context_parallel];
            if given.iter().any(Option::is_some) {
                self.breaks(PlanError::Degrees { product: model, gpus: self.gpus });
            }
            return;
        }
        let data_parallel = (u64::from(self.gpus) / model) as u32;
        if !self.global_batch.is_multiple_of(u64::from(data_parallel)) {
            return;
        }
        let sequence_parallel = fixed
            .sequence_parallel
            .unwrap_or(plan.tensor_parallel > 1 && self.supports(Method::SequenceParallel));
        let plan = Plan { data_parallel, sequence_parallel, ..plan };
        for &virtual_stages in self.virtual_degrees(plan.pipeline_parallel).as_slice() {
            for &expert_parallel in self.expert_degrees(plan.replicas()).as_slice() {
                self.over_batches(Plan { virtual_stages, expert_parallel, ..plan });
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
            if self.passes(&plan) {
                self.over_memory(plan);
            }
        }
    }

    /// Whether the plan keeps every rule; the first that it breaks is kept.
    fn passes(&mut self, plan: &Plan) -> bool {
        let workload = self.scenario.workload;
        let uneven = self.supports(Method::UnevenPipeline);
        let divides = plan.check(self.layers, self.heads, self.gpus, uneven);
        let shape = plan.check_shape(workload.rows_per_sample, workload.experts);
        let valid = divides.is_ok() && shape.is_ok();
        for error in divides.err().unwrap_or_default().into_iter().chain(shape.err()) {
            self.breaks(error);
        }
        valid
    }

    /// Recomputation and sharding, cheapest in time first; the first level that fits ends its list, since the next
    /// ones only cost more time.
    fn over_memory(&mut self, plan: Plan) {
        for &sharding in self.shardings(&plan).as_slice() {
            for &recompute in self.recomputations(&plan).as_slice() {
                let plan = Plan { sharding, recompute, ..plan };
                if self.constraints.sharding.is_some() && !self.passes(&plan) {
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
                over_samples: self.scenario.workload.kind == WorkloadKind::Convolutional,
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
