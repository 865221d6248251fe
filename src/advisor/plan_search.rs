//! The fastest plan that fits on one cluster.

use super::plan_axes::plan_space;
use super::plan_counts::PlanCounts;
use super::plan_fault::broken_rule;
use super::plan_parts::PartCache;
use super::plan_walk::{Ranked, walk};
use super::rejection::{Filling, RejectionReason};
use crate::catalog::Precision;
use crate::plan::{Plan, PlanSpace, Recompute, Sharding};
use crate::profile::Defaults;
use crate::simulator::memory::TIGHT_FROM;
use crate::simulator::{MemoryEstimate, Scenario, StepEstimate, memory, step_time, uncertainty};

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
    /// Optimizer states in host memory; chosen by the program only from the whole space.
    pub optimizer_offload: bool,
    /// What a search usually leaves alone is tried too: precisions beside the usual one, optimizer states in host memory
    /// (which itself is not checked), short sequences split over a context-parallel group.
    pub whole_space: bool,
    /// The precision was asked for: the whole space has no other.
    pub precision_given: bool,
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
    /// Every plan is evaluated, with no bound: slower, and the same answer.
    pub exhaustive: bool,
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

impl Planned {
    /// Standard deviation of ln(time) of a user's own job under this plan.
    pub(super) fn uncertainty(&self, scenario: &Scenario<'_>, defaults: &Defaults) -> f64 {
        uncertainty(scenario, &self.step, &self.memory, defaults, None)
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The fastest plan that fits, or why there is none.
    pub best: Result<Planned, RejectionReason>,
    /// Without one: the plan that misses the memory by least.
    pub nearest: Option<(Plan, MemoryEstimate)>,
    /// What was looked at.
    pub counts: PlanCounts,
}

/// Finds the fastest plan that fits.
///
/// Of everything that is not fixed, all values that divide are tried, as far as the software offers them. Only plans
/// up to 0.92 of the usable memory are chosen; when micro-batch, sharding and recomputation are all fixed by the user,
/// up to all of it.
///
/// # Errors
/// The reason why there is none: no plan divides, or the one that needs least does not fit.
pub fn best_plan(
    scenario: &Scenario<'_>,
    global_batch: f64,
    precision: Precision,
    flash_attention: bool,
    constraints: &PlanConstraints,
) -> Result<Planned, RejectionReason> {
    search_plans(scenario, global_batch, precision, flash_attention, constraints).best
}

/// [`best_plan`] with what was looked at, and the nearest miss where nothing fits.
pub fn search_plans(
    scenario: &Scenario<'_>,
    global_batch: f64,
    precision: Precision,
    flash_attention: bool,
    constraints: &PlanConstraints,
) -> Found {
    let space = plan_space(scenario, global_batch, precision, flash_attention, constraints);
    search_space(&mut PartCache::default(), scenario, &space, constraints)
}

/// Searches a space that was made before; `cache` may come from a search on a cluster that differs in its number of
/// nodes alone.
pub fn search_space(
    cache: &mut PartCache,
    scenario: &Scenario<'_>,
    space: &PlanSpace,
    constraints: &PlanConstraints,
) -> Found {
    let accepted = if fixes_memory(constraints) { 1.0 } else { TIGHT_FROM };
    let walked = walk(scenario, space, accepted, !constraints.exhaustive, cache);
    let counts = walked.counts;
    if let Some(Ranked { plan, .. }) = walked.best {
        let (step, memory) = (step_time(scenario, &plan), memory(scenario, &plan));
        return Found { best: Ok(Planned { plan, step, memory }), nearest: None, counts };
    }
    let nearest = walked.nearest.map(|plan| (plan, memory(scenario, &plan)));
    let reason = match nearest {
        Some((_, nearest)) => {
            let allowed = nearest.usable * accepted;
            let (item, _) = nearest.breaking(allowed).unwrap_or_else(|| nearest.largest());
            RejectionReason::Memory {
                needed: nearest.peak(),
                usable: nearest.usable,
                allowed,
                item,
                filled_by: Filling::of(scenario.workload),
            }
        }
        None => RejectionReason::NoValidPlan { why: broken_rule(scenario, space, constraints) },
    };
    Found { best: Err(reason), nearest, counts }
}

/// The user fixed everything that decides the memory.
const fn fixes_memory(c: &PlanConstraints) -> bool {
    c.micro_batch.is_some() && c.sharding.is_some() && c.recompute.is_some()
}
