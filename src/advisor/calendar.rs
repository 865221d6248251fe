//! What a checkpoint of a job holds.

use super::plan_search::Planned;
use crate::plan::Plan;
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{Scenario, StageParameters};
use crate::units::Bytes;

/// Bytes of one checkpoint: weights and optimizer states of what is trained.
pub(super) fn checkpoint(scenario: &Scenario<'_>, planned: &Planned) -> Bytes {
    let plan = Plan { tensor_parallel: 1, pipeline_parallel: 1, expert_parallel: 1, ..planned.plan };
    let recipe = BytesPerParameter::of(scenario, &plan);
    let trained = StageParameters::of(scenario, &plan, 0).trained;
    Bytes::new(trained * (recipe.weights + recipe.states))
}
