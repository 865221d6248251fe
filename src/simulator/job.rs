//! From one step to the whole job, with an interval.

use crate::units::Seconds;

/// A quantity with its 80 % prediction interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// One in ten runs is below.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// One in ten runs is above.
    pub p90: f64,
}

/// The 90 % quantile of the standard normal distribution.
const NORMAL_P90: f64 = 1.281_551_565_545;

impl Interval {
    /// Log-normal interval around a median with the standard deviation of the logarithm.
    pub fn log_normal(median: f64, sigma: f64) -> Self {
        let spread = (NORMAL_P90 * sigma).exp();
        Self { p10: median / spread, p50: median, p90: median * spread }
    }

    /// The same interval times a factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { p10: self.p10 * factor, p50: self.p50 * factor, p90: self.p90 * factor }
    }

    /// True when two intervals share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.p10 <= other.p90 && other.p10 <= self.p90
    }
}

/// Time of the training itself: steps times step time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobTime {
    /// Optimizer steps.
    pub steps: f64,
    /// Median step time.
    pub step: Seconds,
    /// Whole training, in seconds, with its interval.
    pub total: Interval,
}

/// A forward pass is a third of a step: its backward pass is two.
const FORWARD_SHARE: f64 = 1.0 / 3.0;

/// Evaluations of `samples` after each epoch, in training steps of `batch` samples.
///
/// ```
/// use gpu_advisor::simulator::evaluation_steps;
/// // 50 batches, 3 times, each a third of a step.
/// assert_eq!(evaluation_steps(3.0, 5000.0, 100.0), 50.0);
/// ```
pub fn evaluation_steps(epochs: f64, samples: f64, batch: f64) -> f64 {
    (samples / batch).ceil() * epochs * FORWARD_SHARE
}

/// Multiplies out. `assured` is the step time on the assured network bandwidth where that differs: the upper end of
/// the interval starts from it.
pub fn job_time(steps: f64, step: Seconds, assured: Option<Seconds>, sigma: f64) -> JobTime {
    let mut total = Interval::log_normal(step.get() * steps, sigma);
    if let Some(slow) = assured {
        total.p90 = total.p90.max(Interval::log_normal(slow.get() * steps, sigma).p90);
    }
    JobTime { steps, step, total }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_without_spread_is_a_point() {
        let i = Interval::log_normal(10.0, 0.0);
        assert_eq!((i.p10, i.p50, i.p90), (10.0, 10.0, 10.0));
    }

    #[test]
    fn the_upper_end_uses_the_assured_network() {
        let time = job_time(100.0, Seconds::new(1.0), Some(Seconds::new(2.0)), 0.0);
        assert_eq!((time.total.p50, time.total.p90), (100.0, 200.0));
    }
}
