//! What of a plan the program chose, in words.

use super::plan_search::PlanConstraints;
use crate::plan::{Plan, Recompute, Sharding};

/// The parts of a plan that the user did not fix, in words. Of a network `over_samples`, which is usually copied whole to
/// every GPU, only what was split or saved is worth a word.
pub fn chosen(constraints: &PlanConstraints, plan: &Plan, over_samples: bool) -> String {
    let on = |on: bool| if on { "on" } else { "off" }.to_owned();
    let c = constraints;
    let parts = [
        (
            c.tensor_parallel.is_some() || over_samples && plan.tensor_parallel == 1,
            "tensor parallel",
            plan.tensor_parallel.to_string(),
        ),
        (
            c.pipeline_parallel.is_some() || over_samples && plan.pipeline_parallel == 1,
            "pipeline parallel",
            plan.pipeline_parallel.to_string(),
        ),
        (
            c.virtual_stages.is_some() || plan.pipeline_parallel == 1,
            "virtual stages",
            plan.virtual_stages.to_string(),
        ),
        (
            c.sharding.is_some() || over_samples && plan.sharding == Sharding::None,
            "sharding",
            plan.sharding.name().to_owned(),
        ),
        (
            c.sequence_parallel.is_some() || plan.tensor_parallel == 1,
            "sequence parallel",
            on(plan.sequence_parallel),
        ),
        (
            c.context_parallel.is_some() || plan.context_parallel == 1,
            "context parallel",
            plan.context_parallel.to_string(),
        ),
        (
            c.expert_parallel.is_some() || plan.expert_parallel == 1,
            "expert parallel",
            plan.expert_parallel.to_string(),
        ),
        (
            c.recompute.is_some() || over_samples && plan.recompute == Recompute::None,
            "recompute",
            plan.recompute.name().to_owned(),
        ),
        (c.micro_batch.is_some(), "micro batch", plan.micro_batch.to_string()),
        (!c.whole_space || c.precision_given, "precision", plan.precision.name().to_owned()),
        (!c.whole_space || c.optimizer_offload, "optimizer offload", on(plan.optimizer_offload)),
        (c.flash_attention.is_some() || over_samples, "FlashAttention", on(plan.flash_attention)),
    ];
    let free = parts.into_iter().filter(|(fixed, ..)| !fixed);
    free.map(|(_, name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}
