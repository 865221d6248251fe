//! How long work takes on a cluster that is interrupted at random times.
//!
//! Interruptions are memoryless with a mean time M between them. Work W is done in pieces of tau, each followed by a
//! checkpoint write of delta; an interruption throws away the piece at hand and costs a restart R, which may be
//! interrupted as well. The expected time is `M e^(R/M) (e^((tau+delta)/M) - 1) W / tau`. Source: Daly 2006,
//! equation 13; with `tau = W`, `delta = R = 0` it is that of a job without checkpoints, `M (e^(W/M) - 1)`.

use super::checkpoint_interval;
use crate::units::Seconds;

/// What interrupts a job, and what an interruption costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interruptions {
    /// Mean time between interruptions of the whole cluster; infinite when there are none.
    pub between: Seconds,
    /// From an interruption to the first step after it.
    pub restart: Seconds,
    /// Time of one checkpoint write, during which nothing is computed.
    pub write: Seconds,
    /// Work between two checkpoints.
    pub checkpoints: Checkpoints,
}

/// When checkpoints are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Checkpoints {
    /// At the interval that loses least, by Young 1974 and Daly 2006.
    Best,
    /// After so much work.
    Every(Seconds),
    /// Never: an interruption starts the job anew.
    Never,
}

impl Interruptions {
    /// Work between two checkpoints of a job of this length; the whole work when there are none.
    pub fn interval(&self, work: Seconds) -> Seconds {
        let wished = match self.checkpoints {
            Checkpoints::Best => checkpoint_interval(self.write, self.between),
            Checkpoints::Every(interval) => interval,
            Checkpoints::Never => return work,
        };
        // A write that takes no time may follow every step; a piece then is as short as a restart.
        let wished = if wished.get() > 0.0 { wished } else { self.restart.max(Seconds::new(1.0)) };
        wished.min(work)
    }

    /// Time of one checkpoint write; none where none is made.
    pub fn write(&self) -> Seconds {
        if matches!(self.checkpoints, Checkpoints::Never) { Seconds::ZERO } else { self.write }
    }

    /// Expected time of `work`, restarts and lost work included; infinite where it practically never ends.
    ///
    /// ```
    /// use gpu_advisor::simulator::{Checkpoints, Interruptions};
    /// use gpu_advisor::units::Seconds;
    /// // 12 h without a checkpoint, 6 h between interruptions: (e^2 - 1) x 6 h = 38.3 h.
    /// let bare = Interruptions {
    ///     between: Seconds::from_hours(6.0),
    ///     restart: Seconds::ZERO,
    ///     write: Seconds::ZERO,
    ///     checkpoints: Checkpoints::Never,
    /// };
    /// assert!((bare.expected(Seconds::from_hours(12.0)).hours() - 38.33).abs() < 0.01);
    /// ```
    pub fn expected(&self, work: Seconds) -> Seconds {
        let (interval, write, between) = (self.interval(work), self.write(), self.between);
        if work.get() <= 0.0 {
            return Seconds::ZERO;
        }
        let pieces = work / interval;
        if !between.is_finite() {
            return (interval + write) * pieces;
        }
        between * ((self.restart / between).exp() * ((interval + write) / between).exp_m1() * pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(checkpoints: Checkpoints) -> Interruptions {
        Interruptions {
            between: Seconds::from_hours(6.0),
            restart: Seconds::new(300.0),
            write: Seconds::new(60.0),
            checkpoints,
        }
    }

    #[test]
    fn an_interruption_every_six_hours_and_writes_of_a_minute_cost_nine_percent() {
        let job = spot(Checkpoints::Best);
        // sqrt(2 x 60 x 21600) = 1610 s = 27 min.
        assert!((job.interval(Seconds::from_days(3.0)).get() - 1610.0).abs() < 0.5);
        // 60/1610 of writes, half of 1610/21600 of lost work, 300/21600 of restarts: 8.9 % and their products.
        let slowdown = job.expected(Seconds::from_days(3.0)).days() / 3.0;
        assert!((slowdown - 1.093).abs() < 0.002, "{slowdown}");
    }

    #[test]
    fn the_best_interval_is_better_than_one_half_and_one_twice_as_long() {
        let work = Seconds::from_days(3.0);
        let best = spot(Checkpoints::Best);
        let interval = best.interval(work);
        for factor in [0.5, 2.0] {
            assert!(spot(Checkpoints::Every(interval * factor)).expected(work) > best.expected(work));
        }
    }

    #[test]
    fn without_interruptions_only_the_writes_are_added() {
        let calm = Interruptions {
            between: Seconds::new(f64::INFINITY),
            ..spot(Checkpoints::Every(Seconds::new(600.0)))
        };
        // 10 pieces of 600 s, each with 60 s of writing.
        assert_eq!(calm.expected(Seconds::new(6000.0)).get(), 6600.0);
        assert_eq!(calm.expected(Seconds::ZERO).get(), 0.0);
    }
}
