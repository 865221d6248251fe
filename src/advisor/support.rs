//! Whether the software can do what the user fixed.

use super::plan_search::PlanConstraints;
use super::rejection::RejectionReason;
use crate::plan::Sharding;
use crate::profile::{AxisOrder, Method, Profiles, StackProfile, Way};
use crate::workload::Method as Trained;
use crate::workload::{Assumption, Job, WorkloadKind};

/// How a job over samples is trained; `None` for other networks.
pub fn way(job: &Job) -> Option<Way<'_>> {
    let over_samples = job.workload.kind == WorkloadKind::Convolutional;
    over_samples.then_some(Way {
        recipe: job.recipe.as_deref(),
        compiler: job.compiler.as_deref(),
        order: job.layout.as_deref().and_then(AxisOrder::named),
    })
}

/// The reason when the stack lacks a method that the fixed parts of the plan need.
pub fn unsupported(
    constraints: &PlanConstraints,
    trained: Trained,
    stack: &StackProfile,
) -> Option<RejectionReason> {
    let above_one = |degree: Option<u32>| degree.is_some_and(|d| d > 1);
    let needed = [
        (above_one(constraints.tensor_parallel), Method::TensorParallel),
        (above_one(constraints.pipeline_parallel), Method::PipelineParallel),
        (above_one(constraints.virtual_stages), Method::VirtualStages),
        (constraints.sequence_parallel == Some(true), Method::SequenceParallel),
        (constraints.sharding == Some(Sharding::Zero1), Method::Zero1),
        (constraints.sharding == Some(Sharding::Zero2), Method::Zero2),
        (constraints.sharding == Some(Sharding::Zero3), Method::Zero3),
        (constraints.sharding == Some(Sharding::ShardGradOp), Method::ShardGradOp),
        (constraints.sharding == Some(Sharding::Hsdp), Method::Hsdp),
        (above_one(constraints.context_parallel), Method::ContextParallel),
        (above_one(constraints.expert_parallel), Method::ExpertParallel),
        (constraints.optimizer_offload, Method::OptimizerOffload),
        (matches!(trained, Trained::Lora(_)), Method::Lora),
        (matches!(trained, Trained::Qlora(_)), Method::Qlora),
    ];
    let lacking: Vec<&str> =
        needed.into_iter().filter(|&(asked, m)| asked && !stack.supports(m)).map(|(_, m)| m.name()).collect();
    if lacking.is_empty() {
        return None;
    }
    let offered: Vec<&str> = stack.supports.iter().map(|m| m.name()).collect();
    let offered = if offered.is_empty() { "data parallelism alone".to_owned() } else { offered.join(", ") };
    Some(RejectionReason::Stack {
        why: format!("{} has no {}; it has {offered}", stack.name, lacking.join(", ")),
    })
}

/// Gives a job software that offers what the fixed parts of the plan need. Where nobody named it, the best known stack that does: one
/// with fused attention before others, then the smallest spread; where it was named, the stack of its later versions, if those do.
/// Nothing changes where the job's own will do, or none does.
pub fn suit_stack(job: &mut Job, constraints: &PlanConstraints, profiles: &Profiles) {
    let method = job.method;
    let Some(usual) = profiles.stack(&job.stack) else { return };
    if unsupported(constraints, method, usual).is_none() {
        return;
    }
    let reason = format!("{} lacks what the plan asks for", usual.name);
    let offers = |s: &&StackProfile| unsupported(constraints, method, s).is_none();
    let Some(assumed) = job.assumed.iter_mut().find(|a| a.name == "framework") else {
        let later = usual.later.as_ref().and_then(|id| profiles.stack(id)).filter(offers);
        if let Some(later) = later {
            let (name, value) = ("framework_version".to_owned(), later.id.clone());
            job.assumed.push(Assumption { name, value, reason });
            job.stack.clone_from(&later.id);
        }
        return;
    };
    let suits = |s: &&StackProfile| !s.fitted_gpus.is_empty() && offers(s);
    let best = profiles.stacks.iter().filter(suits).min_by(|a, b| {
        let newer = |s: &StackProfile| !s.flash_attention;
        newer(a).cmp(&newer(b)).then(a.residual.total_cmp(&b.residual)).then(a.id.cmp(&b.id))
    });
    if let Some(best) = best {
        assumed.value.clone_from(&best.id);
        assumed.reason = reason;
        job.stack.clone_from(&best.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::embedded_facts;

    #[test]
    fn what_the_software_lacks_is_named_with_what_it_has() {
        let (_, profiles) = embedded_facts();
        let plain = profiles.stacks.iter().find(|s| s.supports.is_empty()).unwrap();
        let sharded = PlanConstraints { sharding: Some(Sharding::Zero3), ..PlanConstraints::default() };
        let Some(RejectionReason::Stack { why }) = unsupported(&sharded, Trained::Full, plain) else {
            panic!("not rejected")
        };
        assert!(why.contains("no zero3; it has data parallelism alone"), "{why}");
        let one = PlanConstraints { tensor_parallel: Some(1), ..PlanConstraints::default() };
        assert_eq!(unsupported(&one, Trained::Full, plain), None);
    }
}
