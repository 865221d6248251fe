//! From training time to calendar time: start-up, evaluation, checkpoints, failures.
//!
//! Checkpoints are written every `tau = sqrt(2 delta M)`, where delta is the time of one write and M the mean time
//! between interruptions of the cluster. Source: Young 1974; Daly 2006 (first order). An interruption costs the restart,
//! the start-up and on average half an interval of work. With productive time P the calendar time is
//! `P / (1 - (tau / 2 + R) / M)`.

use crate::profile::Reliability;
use crate::units::{Bytes, Seconds};

/// Time between two checkpoints that loses least, and no longer than the job.
///
/// ```
/// use gpu_advisor::simulator::checkpoint_interval;
/// use gpu_advisor::units::Seconds;
/// // A write of 60 s and an interruption every 6 h: sqrt(2 x 60 x 21600) = 1610 s.
/// let interval = checkpoint_interval(Seconds::new(60.0), Seconds::new(21_600.0));
/// assert!((interval.get() - 1610.0).abs() < 0.5);
/// // Writes and lost work together: 60/1610 + 805/21600 = 7.5 %.
/// let share = 60.0 / interval.get() + interval.get() / 2.0 / 21_600.0;
/// assert!((share - 0.0745).abs() < 0.0001);
/// ```
pub fn checkpoint_interval(write: Seconds, between_interruptions: Seconds) -> Seconds {
    Seconds::new((2.0 * write.get() * between_interruptions.get()).sqrt())
}

/// What a whole job takes beyond its steps.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct WholeJob {
    /// Steps alone.
    pub training: Seconds,
    /// Evaluation passes.
    pub evaluation: Seconds,
    /// Writing checkpoints.
    pub checkpoints: Seconds,
    /// First start.
    pub start_up: Seconds,
    /// Work lost and restarts after interruptions.
    pub failures: Seconds,
    /// All of it.
    pub calendar: Seconds,
    /// Interruptions expected.
    pub interruptions: f64,
    /// Time between checkpoints.
    pub checkpoint_interval: Seconds,
    /// Bytes of one checkpoint.
    pub checkpoint_bytes: Bytes,
}

/// A job as the calendar sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calendar<'a> {
    /// Rates.
    pub rates: &'a Reliability,
    /// GPUs.
    pub gpus: u32,
    /// Nodes.
    pub nodes: u32,
    /// Bytes of one checkpoint.
    pub checkpoint: Bytes,
    /// Evaluation time, where the evaluation set is known; else the usual share.
    pub evaluation: Option<Seconds>,
}

impl Calendar<'_> {
    /// The whole job around a training time.
    pub fn of(&self, training: Seconds) -> WholeJob {
        let rates = self.rates;
        let evaluation = self.evaluation.unwrap_or(training * rates.evaluation_share);
        let between = Seconds::from_hours(rates.gpu_hours_per_interruption / f64::from(self.gpus));
        let write = self.checkpoint / (rates.checkpoint_rate * f64::from(self.nodes));
        // A job shorter than the best interval writes once, at its end.
        let interval = checkpoint_interval(write, between).min(training);
        let checkpoints = if interval.get() > 0.0 { write * (training / interval) } else { Seconds::ZERO };
        let productive = training + evaluation + checkpoints + rates.start_up;
        let lost = interval * 0.5 + rates.restart + rates.start_up;
        let share = lost / between;
        // A cluster that fails faster than it restarts makes no progress.
        let calendar =
            if share < 1.0 { productive * (1.0 / (1.0 - share)) } else { Seconds::new(f64::INFINITY) };
        WholeJob {
            training,
            evaluation,
            checkpoints,
            start_up: rates.start_up,
            failures: calendar - productive,
            calendar,
            interruptions: calendar / between,
            checkpoint_interval: interval,
            checkpoint_bytes: self.checkpoint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::BytesPerSecond;

    fn rates() -> Reliability {
        Reliability {
            gpu_hours_per_interruption: 48.0,
            restart: Seconds::new(600.0),
            start_up: Seconds::new(60.0),
            evaluation_share: 0.01,
            checkpoint_rate: BytesPerSecond::from_gb(1.0),
            interruption_sigma: 0.0,
            loaders: Seconds::new(2.0),
            source: "test".to_owned(),
        }
    }

    #[test]
    fn the_parts_add_up_to_the_calendar_and_more_gpus_fail_more_often() {
        let rates = rates();
        let of = |gpus: u32| {
            let checkpoint = Bytes::from_gb(60.0);
            Calendar { rates: &rates, gpus, nodes: 1, checkpoint, evaluation: None }
                .of(Seconds::from_hours(100.0))
        };
        let job = of(8);
        let sum = job.training + job.evaluation + job.checkpoints + job.start_up + job.failures;
        assert!((sum / job.calendar - 1.0).abs() < 1e-12);
        // 48 / 8 = 6 h between interruptions: 1610 s between checkpoints.
        assert!((job.checkpoint_interval.get() - 1610.0).abs() < 0.5);
        assert!(of(16).failures > job.failures && of(1).failures < job.failures);
        assert!((job.interruptions - job.calendar.hours() / 6.0).abs() < 1e-9);
    }

    #[test]
    fn a_short_job_writes_one_checkpoint() {
        let rates = rates();
        let calendar = Calendar {
            rates: &rates,
            gpus: 1,
            nodes: 1,
            checkpoint: Bytes::from_gb(30.0),
            evaluation: Some(Seconds::ZERO),
        };
        let job = calendar.of(Seconds::new(120.0));
        assert_eq!(job.checkpoints.get(), 30.0);
        assert_eq!(job.evaluation.get(), 0.0);
    }
}
