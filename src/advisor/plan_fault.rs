//! Why no plan is valid: the first rule that one breaks.

use super::plan_search::PlanConstraints;
use crate::plan::{Plan, PlanError, PlanSpace, divisors};
use crate::profile::Method;
use crate::simulator::Scenario;

/// The first rule that a plan with the fixed parts breaks, in words; the batch, where no rule is to blame.
pub fn broken_rule(scenario: &Scenario<'_>, space: &PlanSpace, fixed: &PlanConstraints) -> String {
    let tensor = values(fixed.tensor_parallel, &space.tensor);
    let pipeline = values(fixed.pipeline_parallel, &space.pipeline);
    let context = values(fixed.context_parallel, &space.context);
    for &tensor_parallel in &tensor {
        for &pipeline_parallel in &pipeline {
            for &context_parallel in &context {
                let base = Plan::single(space.precision[0], space.flash_attention);
                let plan = Plan { tensor_parallel, pipeline_parallel, context_parallel, ..base };
                if let Some(error) = fault(scenario, space, fixed, plan) {
                    return error.to_string();
                }
            }
        }
    }
    format!("a global batch of {} does not divide over {} GPUs", space.batch, space.gpus)
}

/// The fixed value, valid or not; else what the space tries.
fn values(fixed: Option<u32>, tried: &[u32]) -> Vec<u32> {
    fixed.map_or_else(|| tried.to_vec(), |value| vec![value])
}

fn fault(
    scenario: &Scenario<'_>,
    space: &PlanSpace,
    fixed: &PlanConstraints,
    plan: Plan,
) -> Option<PlanError> {
    let degrees = [plan.tensor_parallel, plan.pipeline_parallel, plan.context_parallel];
    let product: u64 = degrees.into_iter().map(u64::from).product();
    if product == 0 || !u64::from(space.gpus).is_multiple_of(product) {
        let given = [fixed.tensor_parallel, fixed.pipeline_parallel, fixed.context_parallel];
        let any = given.iter().any(Option::is_some);
        let (what, whole, by) = ("GPUs", u64::from(space.gpus), "tensor x pipeline x context parallel");
        return any.then_some(PlanError::Divisibility { what, whole, by, divisor: product });
    }
    let data_parallel = (u64::from(space.gpus) / product) as u32;
    if !space.batch.is_multiple_of(u64::from(data_parallel)) {
        return None;
    }
    let whole = space.batch / u64::from(data_parallel);
    let sizes = fixed.micro_batch.map_or_else(|| divisors(whole), |size| vec![size]);
    sizes.into_iter().find_map(|micro_batch| {
        let divisor = u64::from(micro_batch);
        if !whole.is_multiple_of(divisor) {
            let what = "batch per rank";
            return Some(PlanError::Divisibility { what, whole, by: "micro batch", divisor });
        }
        let plan = Plan {
            data_parallel,
            micro_batch,
            gradient_accumulation_steps: u32::try_from(whole / divisor).ok()?,
            virtual_stages: fixed.virtual_stages.unwrap_or(1),
            expert_parallel: fixed.expert_parallel.unwrap_or(1),
            sharding: fixed.sharding.unwrap_or(plan.sharding),
            ..plan
        };
        first_error(scenario, space, &plan)
    })
}

fn first_error(scenario: &Scenario<'_>, space: &PlanSpace, plan: &Plan) -> Option<PlanError> {
    let workload = scenario.workload;
    let heads = workload.attention.map_or(0, |a| a.heads);
    let uneven = scenario.stack.supports(Method::UnevenPipeline);
    let divides = plan.check(workload.layers(), heads, space.gpus, uneven).err();
    let shape = plan.check_shape(workload.rows_per_sample, workload.experts).err();
    divides.into_iter().flatten().chain(shape).next()
}
