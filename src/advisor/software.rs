//! The answer under other software, where nobody named any and the usual one has no plan that fits.

use super::candidate::Request;
use super::recommend::{Facts, Recommendation, recommend};
use super::support::unsupported;
use crate::catalog::GpuId;
use crate::profile::{Method, StackProfile};

/// Answers a request; where nothing passes for want of a plan that fits and the software is the program's own choice, that
/// becomes the first other one under which something passes: with expert parallelism first for a model with experts, then
/// with fused attention, then by the smallest spread.
pub fn recommend_with_software(
    facts: Facts<'_>,
    request: &mut Request,
    groups: &[(String, Vec<GpuId>)],
) -> Recommendation {
    let answer = recommend(facts, request, groups);
    let Some(place) = request.job.assumed.iter().position(|a| a.name == "framework") else { return answer };
    if !(is_empty(&answer) && wants_a_plan(&answer)) {
        return answer;
    }
    for stack in others(facts, request) {
        let mut trial = request.clone();
        trial.job.stack.clone_from(&stack.id);
        // What was measured was measured with the other software.
        if let Some(anchor) = &mut trial.anchor {
            anchor.is_of_another_job = true;
        }
        let found = recommend(facts, &trial, groups);
        if !is_empty(&found) {
            let usual = facts.profiles.stack(&request.job.stack).map_or("", |s| s.name.as_str());
            trial.job.assumed[place].value.clone_from(&stack.id);
            trial.job.assumed[place].reason = format!("{usual} has no plan that fits");
            *request = trial;
            return found;
        }
    }
    answer
}

fn is_empty(answer: &Recommendation) -> bool {
    answer.ranked.is_empty() && answer.unpriced.is_empty()
}

/// Most of what may be had is out because no plan fits.
fn wants_a_plan(answer: &Recommendation) -> bool {
    let filters = ["place", "gone", "not_sold"];
    let first = answer.rejections.iter().map(|group| group.reason).find(|reason| !filters.contains(reason));
    matches!(first, Some("memory" | "no_valid_plan" | "stack"))
}

/// Other software that is known and splits a model, the best first.
fn others<'f>(facts: Facts<'f>, request: &Request) -> Vec<&'f StackProfile> {
    let job = &request.job;
    let splits = |s: &StackProfile| s.supports(Method::TensorParallel) || s.supports(Method::Zero3);
    let mut stacks: Vec<&StackProfile> = facts.profiles.stacks.iter().collect();
    stacks.retain(|s| {
        s.id != job.stack
            && !s.fitted_gpus.is_empty()
            && splits(s)
            && unsupported(&request.constraints, job.method, s).is_none()
    });
    let lacks = |s: &StackProfile| {
        (job.workload.experts > 0 && !s.supports(Method::ExpertParallel), !s.flash_attention)
    };
    stacks.sort_by(|a, b| {
        lacks(a).cmp(&lacks(b)).then(a.residual.total_cmp(&b.residual)).then(a.id.cmp(&b.id))
    });
    stacks
}
