//! From a step to the whole job: steps, evaluations, what surrounds epochs.

use super::recommend::Facts;
use crate::catalog::GpuId;
use crate::profile::LayerRate;
use crate::simulator::{Interval, JobTime, evaluation_steps, job_time};
use crate::units::Seconds;
use crate::workload::{Job, JobLength, WorkloadKind};

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
    let JobLength::Epochs { epochs, .. } = job.length else { return job_time(steps, step, assured, sigma) };
    let evaluation = evaluation_steps(epochs, job.evaluation_samples.unwrap_or(0.0), batch);
    let around = match (job.workload.kind, facts.profiles.stack(&job.stack)) {
        (WorkloadKind::Convolutional, Some(stack)) => {
            let key = facts.profiles.rate_key(stack, facts.catalog.gpu(gpu));
            epochs * facts.profiles.layers.rates(&key).get(LayerRate::Epoch)
        }
        _ => 0.0,
    };
    let time = job_time(steps + evaluation, step, assured, sigma);
    let total =
        Interval { p10: time.total.p10 + around, p50: time.total.p50 + around, p90: time.total.p90 + around };
    JobTime { steps, total, ..time }
}
