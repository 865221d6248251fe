//! What surrounds the steps of a job on a cluster.

use super::plan_search::Planned;
use super::recommend::Facts;
use crate::plan::Plan;
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{Calendar, Scenario, StageParameters};
use crate::units::Bytes;

/// What surrounds the steps of a job on a cluster: a checkpoint holds weights and optimizer states of what is trained.
pub(super) fn calendar<'a>(facts: Facts<'a>, scenario: &Scenario<'_>, planned: &Planned) -> Calendar<'a> {
    let plan = Plan { tensor_parallel: 1, pipeline_parallel: 1, expert_parallel: 1, ..planned.plan };
    let recipe = BytesPerParameter::of(scenario, &plan);
    let trained = StageParameters::of(scenario, &plan, 0).trained;
    Calendar {
        rates: &facts.profiles.defaults.reliability,
        gpus: scenario.machine.gpus(),
        nodes: scenario.machine.nodes,
        checkpoint: Bytes::new(trained * (recipe.weights + recipe.states)),
        // Evaluations of each epoch are part of the training time, see `whole_job`.
        evaluation: None,
    }
}
