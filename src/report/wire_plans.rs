//! The parallel plans that a search looked at, in JSON.

use serde::Serialize;

use crate::advisor::PlanCounts;

/// Counts of plans.
#[derive(Serialize)]
pub(super) struct PlansWire {
    space: u64,
    memory_evaluated: u64,
    timed: u64,
    pruned: u64,
}

impl From<PlanCounts> for PlansWire {
    fn from(counts: PlanCounts) -> Self {
        let PlanCounts { memory_evaluated, timed, pruned } = counts;
        Self { space: counts.plans(), memory_evaluated, timed, pruned }
    }
}
