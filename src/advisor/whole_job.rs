//! From a step to the whole job: steps, evaluations, what surrounds epochs.

use super::recommend::Facts;
use super::support::way;
use crate::catalog::GpuId;
use crate::profile::LayerRate;
use crate::simulator::{Interval, JobTime, evaluation_steps, job_time};
use crate::units::Seconds;
use crate::workload::{Job, JobLength};

/// What surrounds an epoch is fitted on sets of this size and larger.
const FITTED_SET: f64 = 1e5;
/// Seconds around an epoch of a set: as fitted for large ones; for small ones the loaders, and their share of the rest.
/// With 14 s fitted and loaders of 2 s: 14 s for a million samples, 2 + 12 x 0.00387 = 2.05 s for 387.
fn around_epoch(fitted: f64, loaders: Seconds, samples: f64) -> f64 {
    let loaders = loaders.get().min(fitted);
    loaders + (fitted - loaders) * (samples / FITTED_SET).min(1.0)
}

/// Step of an epoch that was measured with all that surrounds it, by the prediction `time` of the same job; `None` when the
/// job has no epochs or the epoch is no longer than what surrounds it.
pub fn step_of_epoch(epoch: Seconds, job: &Job, time: &JobTime, batch: f64) -> Option<Seconds> {
    let JobLength::Epochs { epochs, .. } = job.length else { return None };
    let steps = time.steps + evaluation_steps(epochs, job.evaluation_samples.unwrap_or(0.0), batch);
    let around = time.total.p50 - steps * time.step.get();
    let step = (epoch.get() * epochs - around) / steps;
    (step > 0.0).then(|| Seconds::new(step))
}

/// Time of a job with steps of `batch` samples. Jobs counted in epochs are evaluated after each.
pub(super) fn whole_job(
    facts: Facts<'_>,
    gpu: GpuId,
    job: &Job,
    batch: f64,
    step: Seconds,
    assured: Option<Seconds>,
    sigma: f64,
) -> JobTime {
    let steps = job.length.steps(batch, f64::from(job.workload.rows_per_sample));
    let JobLength::Epochs { epochs, samples } = job.length else {
        return job_time(steps, step, assured, sigma);
    };
    let evaluation = evaluation_steps(epochs, job.evaluation_samples.unwrap_or(0.0), batch);
    let around = match (way(job), facts.profiles.stack(&job.stack)) {
        (Some(way), Some(stack)) => {
            let key = facts.profiles.rate_key(stack, facts.catalog.gpu(gpu), way);
            let fitted = facts.profiles.layers.rates(&key).get(LayerRate::Epoch);
            epochs * around_epoch(fitted, facts.profiles.defaults.reliability.loaders, samples)
        }
        _ => 0.0,
    };
    let time = job_time(steps + evaluation, step, assured, sigma);
    let total =
        Interval { p10: time.total.p10 + around, p50: time.total.p50 + around, p90: time.total.p90 + around };
    JobTime { steps, total, ..time }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Seconds = Seconds::new(2.0);

    #[test]
    fn what_surrounds_an_epoch_of_a_small_set_is_little_more_than_starting_its_loaders() {
        assert_eq!(around_epoch(14.0, TWO, 1.28e6), 14.0);
        assert!((around_epoch(14.0, TWO, 387.0) - 2.046).abs() < 0.001);
        // A recipe that needs less than that for large sets needs no more for small ones.
        assert_eq!(around_epoch(0.3, TWO, 387.0), 0.3);
    }
}
