//! What surrounds the steps of a job on a cluster.

use super::plan_search::Planned;
use super::recommend::Facts;
use crate::plan::Plan;
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{Calendar, Scenario, StageParameters};
use crate::units::Bytes;
use crate::workload::{Job, JobLength};

/// What surrounds the steps of a job on a cluster: a checkpoint holds weights and optimizer states of what is trained,
/// an evaluation is a forward pass over the set once per epoch.
pub(super) fn calendar<'a>(
    facts: Facts<'a>,
    job: &Job,
    scenario: &Scenario<'_>,
    planned: &Planned,
) -> Calendar<'a> {
    let plan = Plan { tensor_parallel: 1, pipeline_parallel: 1, expert_parallel: 1, ..planned.plan };
    let recipe = BytesPerParameter::of(scenario, &plan);
    let trained = StageParameters::of(scenario, &plan, 0).trained;
    let evaluation = match (job.evaluation_samples, job.length) {
        (Some(samples), JobLength::Epochs { epochs, .. }) => {
            let per_sample = planned.step.total() / planned.plan.global_batch() as f64;
            Some(per_sample * (samples * epochs * FORWARD_SHARE))
        }
        _ => None,
    };
    Calendar {
        rates: &facts.profiles.defaults.reliability,
        gpus: scenario.machine.gpus(),
        nodes: scenario.machine.nodes,
        checkpoint: Bytes::new(trained * (recipe.weights + recipe.states)),
        evaluation,
    }
}

/// The forward pass of a step of three passes.
const FORWARD_SHARE: f64 = 1.0 / 3.0;
