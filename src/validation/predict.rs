//! The prediction of a measured run, in the run's own metric.

use super::run::{Metric, Run};
use super::scenario::Prepared;
use super::skip::{Skip, SkipReason};
use super::training_length::training_length;
use crate::catalog::Catalog;
use crate::plan::Plan;
use crate::profile::{Grade, StackProfile};
use crate::simulator::{Interval, MemoryEstimate, StepEstimate, memory, step_time};
use crate::units::Seconds;

/// What the simulator says about a run.
#[derive(Debug, Clone, Copy)]
pub struct Prediction {
    /// In the run's metric.
    pub value: f64,
    /// 80 % interval in the run's metric.
    pub low: f64,
    /// Its other end.
    pub high: f64,
    /// The plan, gaps filled.
    pub plan: Plan,
    /// Step time by terms.
    pub estimate: StepEstimate,
    /// Memory by items.
    pub memory: MemoryEstimate,
    /// Evidence grade of the step.
    pub grade: Grade,
    /// `ln(predicted time / measured time)`: above zero when the prediction is too slow, whatever the metric.
    pub log_time_ratio: f64,
}

impl Prediction {
    /// Predicted over measured, less one, in the run's own metric.
    pub fn error(&self, run: &Run) -> f64 {
        self.value / run.value - 1.0
    }

    /// Predicted over measured time, less one.
    pub fn time_error(&self) -> f64 {
        self.log_time_ratio.exp_m1()
    }

    /// True when the measured value is inside the interval.
    pub fn covers(&self, run: &Run) -> bool {
        self.low <= run.value && run.value <= self.high
    }
}

/// Refuses metrics that are no step time and no rate, and training times of unknown length.
pub(super) fn check_metric(run: &Run, catalog: &Catalog) -> Result<(), Skip> {
    match run.metric {
        Metric::IterationTimeS
        | Metric::TokensPerS
        | Metric::TokensPerSPerGpu
        | Metric::SamplesPerS
        | Metric::MelFramesPerS => Ok(()),
        Metric::TimeToTrainS if training_length(run, catalog).is_some() => Ok(()),
        Metric::TimeToTrainS | Metric::EpochTimeS | Metric::TotalDays | Metric::TotalGpuHours => {
            Err(Skip::new(SkipReason::Metric, "the length of the job is not in the row"))
        }
    }
}

/// A step time in the run's metric.
fn in_metric(prepared: &Prepared<'_>, stack: &StackProfile, plan: &Plan, step: Seconds) -> f64 {
    let samples = plan.global_batch() as f64;
    let tokens = samples * prepared.workload.tokens_per_sample;
    match prepared.run.metric {
        Metric::TokensPerS | Metric::MelFramesPerS => tokens / step.get(),
        Metric::TokensPerSPerGpu => tokens / step.get() / f64::from(prepared.machine.gpus()),
        Metric::SamplesPerS => samples / step.get(),
        Metric::TimeToTrainS => {
            prepared.length.map_or(f64::NAN, |length| length.time(step, samples, stack).get())
        }
        _ => step.get(),
    }
}

/// Plan and step time under some coefficients: of the plans that agree with the row, the fastest per sample.
pub fn fastest(prepared: &Prepared<'_>, stack: &StackProfile) -> Option<(Plan, StepEstimate)> {
    let scenario = prepared.scenario(stack);
    let timed = prepared.plans.iter().map(|plan| (*plan, step_time(&scenario, plan)));
    let per_sample = |(plan, step): &(Plan, StepEstimate)| step.total().get() / plan.global_batch() as f64;
    timed.min_by(|a, b| per_sample(a).total_cmp(&per_sample(b)))
}

/// `ln(predicted time / measured time)` under some coefficients; `None` when there is no plan.
pub fn log_time_ratio(prepared: &Prepared<'_>, stack: &StackProfile) -> Option<f64> {
    let (plan, step) = fastest(prepared, stack)?;
    let value = in_metric(prepared, stack, &plan, step.total());
    Some(ratio(prepared.run, value))
}

fn ratio(run: &Run, value: f64) -> f64 {
    let log = (value / run.value).ln();
    if run.metric.is_rate() { -log } else { log }
}

/// Predicts a run with some coefficients and a standard deviation of ln(time) for the interval.
pub fn predict(prepared: &Prepared<'_>, stack: &StackProfile, sigma: f64) -> Option<Prediction> {
    let (plan, estimate) = fastest(prepared, stack)?;
    let scenario = prepared.scenario(stack);
    let interval = Interval::log_normal(estimate.total().get(), sigma);
    let at = |seconds: f64| in_metric(prepared, stack, &plan, Seconds::new(seconds));
    let (first, value, second) = (at(interval.p10), at(interval.p50), at(interval.p90));
    Some(Prediction {
        value,
        low: first.min(second),
        high: first.max(second),
        plan,
        memory: memory(&scenario, &plan),
        grade: estimate.grade(),
        log_time_ratio: ratio(prepared.run, value),
        estimate,
    })
}
