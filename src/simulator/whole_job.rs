//! From training time to calendar time: start-up, evaluation, checkpoints, failures.
//!
//! Checkpoints are written every `tau = sqrt(2 delta M)` unless told otherwise, where delta is the time of one write and M
//! the mean time between interruptions of the cluster. Source: Young 1974; Daly 2006 (first order). The calendar time is
//! the expected time under those interruptions ([`Interruptions::expected`]) after the first start.

use super::Interruptions;
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

/// A job as the calendar sees it: what interrupts it is what [`Interruptions`] says, here and wherever its risk is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calendar {
    /// From the start to the first step.
    pub start_up: Seconds,
    /// Evaluation as a share of training.
    pub evaluation_share: f64,
    /// What interrupts the job, and when it writes checkpoints.
    pub interruptions: Interruptions,
    /// Bytes of one checkpoint.
    pub checkpoint: Bytes,
}

impl Calendar {
    /// The whole job around a training time; a job that fails faster than it restarts never ends.
    pub fn of(&self, training: Seconds) -> WholeJob {
        let evaluation = training * self.evaluation_share;
        let work = training + evaluation;
        let met = &self.interruptions;
        // A job shorter than the best interval writes once, at its end.
        let interval = met.interval(work);
        let pieces = if interval.get() > 0.0 { work / interval } else { 0.0 };
        let checkpoints = met.write() * pieces;
        let productive = work + checkpoints + self.start_up;
        let calendar = met.expected(work) + self.start_up;
        WholeJob {
            training,
            evaluation,
            checkpoints,
            start_up: self.start_up,
            failures: (calendar - productive).max(Seconds::ZERO),
            calendar,
            interruptions: calendar / met.between,
            checkpoint_interval: interval,
            checkpoint_bytes: self.checkpoint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Checkpoints;
    use super::*;

    fn calendar(between: f64, write: f64) -> Calendar {
        let interruptions = Interruptions {
            between: Seconds::from_hours(between),
            restart: Seconds::new(660.0),
            write: Seconds::new(write),
            checkpoints: Checkpoints::Best,
        };
        let start_up = Seconds::new(60.0);
        Calendar { start_up, evaluation_share: 0.01, interruptions, checkpoint: Bytes::from_gb(60.0) }
    }

    #[test]
    fn the_parts_add_up_to_the_calendar_and_more_gpus_fail_more_often() {
        let of = |between: f64| calendar(between, 60.0).of(Seconds::from_hours(100.0));
        let job = of(6.0);
        let sum = job.training + job.evaluation + job.checkpoints + job.start_up + job.failures;
        assert!((sum / job.calendar - 1.0).abs() < 1e-12);
        // sqrt(2 x 60 x 21600) = 1610 s between checkpoints.
        assert!((job.checkpoint_interval.get() - 1610.0).abs() < 0.5);
        assert!(of(3.0).failures > job.failures && of(48.0).failures < job.failures);
        assert!((job.interruptions - job.calendar.hours() / 6.0).abs() < 1e-9);
    }

    #[test]
    fn a_short_job_writes_one_checkpoint() {
        let job = calendar(48.0, 30.0).of(Seconds::new(120.0));
        assert_eq!(job.checkpoints.get(), 30.0);
        assert!((job.evaluation.get() - 1.2).abs() < 1e-12);
    }

    #[test]
    fn a_job_that_is_interrupted_every_second_never_ends() {
        let job = calendar(1.0 / 3600.0, 30.0).of(Seconds::from_hours(9.0));
        // e^660 restarts: more than a century.
        assert!(job.calendar.days() > 36_525.0);
    }
}
