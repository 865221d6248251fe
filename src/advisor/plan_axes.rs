//! The axes of a plan search for a job on a cluster: what the user fixed, what the software offers, what divides.

use super::plan_search::PlanConstraints;
use crate::catalog::Precision;
use crate::plan::{PlanSpace, Recompute, Sharding, divisors};
use crate::profile::Method;
use crate::simulator::Scenario;

/// Sharding levels beyond none, with what the software needs for them.
const LEVELS: [(Sharding, Method); 5] = [
    (Sharding::Zero1, Method::Zero1),
    (Sharding::Zero2, Method::Zero2),
    (Sharding::Zero3, Method::Zero3),
    (Sharding::ShardGradOp, Method::ShardGradOp),
    (Sharding::Hsdp, Method::Hsdp),
];

/// Sequences that a search splits over a context-parallel group unless told otherwise are longer than this.
const LONG_SEQUENCE: u32 = 16_384;

/// What the axes are made from.
struct Axes<'s, 'a> {
    scenario: &'s Scenario<'a>,
    fixed: &'s PlanConstraints,
    heads: u32,
    layers: u32,
    gpus: u32,
}

/// The space of a job on a cluster. A fixed value that breaks a rule has no plan: its axis is empty.
pub fn plan_space(
    scenario: &Scenario<'_>,
    global_batch: f64,
    precision: Precision,
    flash_attention: bool,
    fixed: &PlanConstraints,
) -> PlanSpace {
    let workload = scenario.workload;
    let heads = workload.attention.map_or(0, |a| a.heads);
    let axes = Axes { scenario, fixed, heads, layers: workload.layers(), gpus: scenario.machine.gpus() };
    let batch = global_batch.round().max(1.0) as u64;
    let flash = fixed.flash_attention.unwrap_or(flash_attention);
    let pipeline = axes.pipeline();
    PlanSpace {
        batch,
        gpus: axes.gpus,
        flash_attention: flash,
        precision: axes.precision(precision),
        tensor: axes.tensor(),
        context: axes.context(),
        expert: axes.expert(workload.experts),
        sequence_parallel: match fixed.sequence_parallel {
            Some(fixed) => vec![fixed],
            None if axes.supports(Method::SequenceParallel) => vec![false, true],
            None => vec![false],
        },
        sequence_fixed: fixed.sequence_parallel.is_some(),
        micro_batch: fixed.micro_batch.map_or_else(|| divisors(batch), |size| vec![size]),
        virtual_stages: pipeline.iter().map(|&p| axes.virtual_stages(p)).collect(),
        pipeline,
        recompute: axes.recompute(flash),
        sharding: match fixed.sharding {
            Some(level) => vec![level],
            None => std::iter::once(Sharding::None)
                .chain(LEVELS.into_iter().filter(|&(_, m)| axes.supports(m)).map(|(level, _)| level))
                .collect(),
        },
        sharding_fixed: fixed.sharding.is_some(),
        offload: match fixed.optimizer_offload {
            true => vec![true],
            false if fixed.whole_space && axes.supports(Method::OptimizerOffload) => {
                vec![false, true]
            }
            false => vec![false],
        },
    }
}

/// The degrees that divide `whole` and pass a rule; the fixed one alone, if it passes.
fn degrees(fixed: Option<u32>, whole: u32, passes: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut list = fixed.map_or_else(|| divisors(u64::from(whole.max(1))), |degree| vec![degree]);
    list.retain(|&d| d == 1 || (d > 0 && whole > 0 && whole.is_multiple_of(d) && passes(d)));
    list
}

impl Axes<'_, '_> {
    fn supports(&self, what: Method) -> bool {
        self.scenario.stack.supports(what)
    }

    /// What the user fixed is tried, whether or not the software has it: others have refused it before.
    fn offers(&self, fixed: Option<u32>, what: Method) -> bool {
        self.heads > 0 && (fixed.is_some() || self.supports(what))
    }

    /// The resolved precision, or all that GPU and software have.
    fn precision(&self, resolved: Precision) -> Vec<Precision> {
        let open = self.fixed.whole_space && !self.fixed.precision_given;
        let machine = &self.scenario.machine;
        let can = |p: Precision| {
            machine.gpu.peak(p).is_some()
                && self.scenario.stack.trains_in(p)
                && machine.hardware.matmul(p).is_some()
        };
        let others = Precision::ALL.into_iter().filter(|&p| p != resolved && can(p));
        std::iter::once(resolved).chain(others.filter(|_| open)).collect()
    }

    /// Across nodes a group also has to divide the key-value heads, of which each GPU then holds whole ones.
    fn tensor(&self) -> Vec<u32> {
        let fixed = self.fixed.tensor_parallel;
        let per_node = self.scenario.machine.gpus_per_node;
        let kv_heads = self.scenario.workload.attention.map_or(0, |a| a.kv_heads);
        degrees(fixed, self.gpus, |t| {
            self.heads.is_multiple_of(t)
                && self.offers(fixed, Method::TensorParallel)
                && (fixed.is_some() || t <= per_node || kv_heads.is_multiple_of(t))
        })
    }

    fn pipeline(&self) -> Vec<u32> {
        let fixed = self.fixed.pipeline_parallel;
        let uneven = self.supports(Method::UnevenPipeline);
        degrees(fixed, self.gpus, |p| {
            p <= self.layers
                && (uneven || self.layers.is_multiple_of(p))
                && self.offers(fixed, Method::PipelineParallel)
        })
    }

    fn context(&self) -> Vec<u32> {
        let fixed = self.fixed.context_parallel;
        let rows = self.scenario.workload.rows_per_sample;
        let split = fixed.is_some() || self.fixed.whole_space || rows > LONG_SEQUENCE;
        degrees(fixed, self.gpus, |c| {
            split
                && c.checked_mul(2).is_some_and(|chunks| rows.is_multiple_of(chunks))
                && self.offers(fixed, Method::ContextParallel)
        })
    }

    fn expert(&self, experts: u32) -> Vec<u32> {
        let fixed = self.fixed.expert_parallel;
        degrees(fixed, experts, |_| self.offers(fixed, Method::ExpertParallel))
    }

    /// What divides the whole layers of a stage; where the software has uneven pipelines some chunks then hold one more.
    fn virtual_stages(&self, stages: u32) -> Vec<u32> {
        let fixed = self.fixed.virtual_stages;
        if stages == 1 || (fixed.is_none() && !self.supports(Method::VirtualStages)) {
            return if fixed.is_none_or(|v| v == 1) { vec![1] } else { Vec::new() };
        }
        let uneven = self.supports(Method::UnevenPipeline);
        let mut list = fixed.map_or_else(|| divisors(u64::from(self.layers / stages)), |v| vec![v]);
        list.retain(|&v| {
            let chunks = stages.saturating_mul(v);
            v == 1 || self.layers.is_multiple_of(chunks) || (uneven && chunks <= self.layers)
        });
        list
    }

    /// A fused kernel keeps next to nothing of the attention core: there is nothing selective to drop.
    fn recompute(&self, flash: bool) -> Vec<Recompute> {
        match self.fixed.recompute {
            Some(level) => vec![level],
            None if self.heads == 0 => vec![Recompute::None],
            None if flash => vec![Recompute::None, Recompute::Full],
            None => vec![Recompute::None, Recompute::Selective, Recompute::Full],
        }
    }
}
