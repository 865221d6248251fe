//! What a checkpoint of a job holds.

use super::plan_search::Planned;
use crate::plan::Plan;
use crate::simulator::memory::{BytesPerParameter, MASTER_BYTES};
use crate::simulator::{Scenario, StageParameters};
use crate::units::Bytes;

/// Bytes of one checkpoint: weights and optimizer states of what is trained, tables of all GPUs included.
pub(super) fn checkpoint(scenario: &Scenario<'_>, planned: &Planned) -> Bytes {
    let plan = Plan {
        data_parallel: 1,
        context_parallel: 1,
        tensor_parallel: 1,
        pipeline_parallel: 1,
        expert_parallel: 1,
        ..planned.plan
    };
    let recipe = BytesPerParameter::of(scenario, &plan);
    let held = StageParameters::of(scenario, &plan, 0);
    let rows = MASTER_BYTES + scenario.optimizer.state_bytes;
    Bytes::new(held.trained * (recipe.weights + recipe.states) + held.tables * rows)
}
