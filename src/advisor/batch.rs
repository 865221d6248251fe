//! The batch of a step on a cluster. A stated batch never changes; one that the program assumed is the nearest to the usual
//! one that divides well over the GPUs.

use super::plan_search::{Found, PlanConstraints};
use super::rejection::RejectionReason;
use super::simulation::Simulation;
use crate::workload::{Assumption, Job};

/// The input that is adapted.
const NAME: &str = "global_batch";

/// GPUs that hold a copy of the model each, times the micro-batch, as far as the user fixed them: a batch of a multiple of it
/// gives all of them the same. `None` where the fixed degrees do not divide the GPUs.
fn unit(fixed: &PlanConstraints, gpus: u32) -> Option<u64> {
    let degrees = [fixed.tensor_parallel, fixed.pipeline_parallel, fixed.context_parallel];
    let model: u64 = degrees.into_iter().flatten().map(u64::from).product();
    let gpus = u64::from(gpus);
    let copies = (model > 0 && gpus.is_multiple_of(model)).then(|| gpus / model)?;
    Some(copies * u64::from(fixed.micro_batch.unwrap_or(1))).filter(|&unit| unit > 0)
}

/// The nearest batch of which each GPU gets a number of samples that has good micro-batches: whole fours from eight on,
/// whole pairs from four on.
fn even(batch: u64, unit: u64, micro_fixed: bool) -> u64 {
    let share = batch as f64 / unit as f64;
    let grain = match share {
        _ if micro_fixed => 1.0,
        s if s >= 8.0 => 4.0,
        s if s >= 4.0 => 2.0,
        _ => 1.0,
    };
    ((share / grain).round().max(1.0) * grain) as u64 * unit
}

/// Batches to try on a cluster, the first choice first: the assumed one itself where it divides; else the nearest that does
/// over all GPUs or, where there are more GPUs than samples, over those left when several share a copy of the model.
fn candidates(batch: u64, unit: u64, micro_fixed: bool) -> Vec<u64> {
    if batch.is_multiple_of(unit) {
        return vec![batch];
    }
    if batch > unit {
        return vec![even(batch, unit, micro_fixed)];
    }
    let shared = (0..16).map(|power| 1_u64 << power).take_while(|d| unit.is_multiple_of(*d));
    let mut list: Vec<u64> = shared.map(|d| even(batch, unit / d, true)).collect();
    let distance = |b: u64| (b as f64 / batch as f64).ln().abs();
    list.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
    list.insert(0, batch);
    list.dedup();
    list
}

/// The program chose the batch, and may adapt it.
pub(super) fn batch_is_assumed(job: &Job) -> bool {
    job.assumed.iter().any(|a| a.name == NAME)
}

/// Searches with the job's batch, or with the first of the batches near it under which a plan is valid where the program
/// assumed it.
pub(super) fn search_batches(
    job: &Job,
    fixed: &PlanConstraints,
    gpus: u32,
    mut search: impl FnMut(f64) -> Found,
) -> Found {
    let batch = job.global_batch.round().max(1.0) as u64;
    let Some(unit) = unit(fixed, gpus).filter(|_| batch_is_assumed(job)) else {
        return search(job.global_batch);
    };
    let mut first: Option<Found> = None;
    for batch in candidates(batch, unit, fixed.micro_batch.is_some()) {
        let found = search(batch as f64);
        if !matches!(found.best, Err(RejectionReason::NoValidPlan { .. })) {
            return found;
        }
        first.get_or_insert(found);
    }
    first.unwrap_or_else(|| search(job.global_batch))
}

/// What is assumed where the batch of a plan is not that of the job.
pub(super) fn adapted(job: &Job, batch: u64, gpus: u32) -> Option<Assumption> {
    let usual = job.global_batch.round().max(1.0) as u64;
    (batch != usual).then(|| Assumption {
        name: NAME.to_owned(),
        value: batch.to_string(),
        reason: format!("the nearest to the usual {usual} that divides well over {gpus} GPUs"),
    })
}

/// Gives the job the batch that it was simulated with; the remark about it becomes the job's.
pub fn adopt(job: &mut Job, simulation: &mut Simulation) {
    let Some(batch) = simulation.estimate().map(|e| e.planned.plan.global_batch()) else { return };
    let Some(place) = simulation.assumed.iter().position(|a| a.name == NAME) else { return };
    let remark = simulation.assumed.remove(place);
    match job.assumed.iter_mut().find(|a| a.name == NAME) {
        Some(known) => *known = remark,
        None => job.assumed.push(remark),
    }
    job.global_batch = batch as f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventy_two_gpus_get_sixteen_samples_each_instead_of_fourteen_and_a_bit() {
        assert_eq!(candidates(1024, 72, false), [1152]);
        // 42.7 each: 44, whole fours.
        assert_eq!(candidates(1024, 24, false), [1056]);
        // A fixed micro-batch of 3 on 8 GPUs: the nearest multiple of 24.
        assert_eq!(candidates(1024, 24, true), [1032]);
        assert_eq!(candidates(1024, 64, false), [1024]);
    }

    #[test]
    fn more_gpus_than_samples_share_copies_of_the_model_or_get_a_sample_each() {
        assert_eq!(candidates(512, 1024, false), [512, 1024]);
        // 1000 GPUs: 500 over copies shared by 2, 4 or 8, else 1000.
        assert_eq!(candidates(512, 1000, false), [512, 500, 1000]);
    }

    #[test]
    fn fixed_degrees_leave_fewer_copies_and_odd_ones_none() {
        let fixed =
            PlanConstraints { tensor_parallel: Some(8), micro_batch: Some(2), ..PlanConstraints::default() };
        assert_eq!(unit(&fixed, 72), Some(18));
        assert_eq!(unit(&PlanConstraints { tensor_parallel: Some(5), ..fixed }, 72), None);
    }
}
