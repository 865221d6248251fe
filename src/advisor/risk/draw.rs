//! One possible course of a job, drawn at random, and many of them.

use crate::numeric::{Random, quantile, sorted};
use crate::simulator::{Interruptions, Interval};
use crate::units::Seconds;

/// What is uncertain about a job on a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertainty {
    /// Time of the steps, in seconds, with its interval.
    pub training: Interval,
    /// Evaluation as a share of it.
    pub evaluation: f64,
    /// From the start to the first step.
    pub start_up: Seconds,
    /// What interrupts the job.
    pub interruptions: Interruptions,
    /// Standard deviation of ln(time between interruptions).
    pub interruption_sigma: f64,
    /// Standard deviation of ln(price).
    pub price_sigma: f64,
}

/// Quantiles over the draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcomes {
    /// From start to end, in seconds; infinite where the job practically never ends.
    pub time: Interval,
    /// Time that is paid at the stated price, in seconds: differs from `time` by the spread of prices.
    pub paid: Interval,
    /// Share of draws that end by the deadline.
    pub on_time: Option<f64>,
    /// Mean number of interruptions of the draws that end.
    pub interruptions: f64,
}

/// A job whose expected time is so many times its work never ends in practice.
const HOPELESS: f64 = 100.0;
/// With more interruptions than this their number hardly varies, and the expected time is the time.
const MANY: f64 = 200.0;

/// A standard normal draw as a factor of a quantity with this interval: both halves log-normal, each with its own spread.
fn factor(interval: Interval, normal: f64) -> f64 {
    /// The 90 % quantile of the standard normal distribution.
    const P90: f64 = 1.281_551_565_545;
    let end = if normal < 0.0 { interval.p50 / interval.p10 } else { interval.p90 / interval.p50 };
    end.powf(normal / P90)
}

/// Time from the start of the first piece to the end of the last, and the interruptions in it.
fn course(job: &Interruptions, work: Seconds, random: &mut Random) -> (f64, f64) {
    let expected = job.expected(work);
    if !expected.is_finite() || expected / work > HOPELESS {
        return (f64::INFINITY, 0.0);
    }
    if !job.between.is_finite() {
        return (expected.get(), 0.0);
    }
    if expected / job.between > MANY {
        return (expected.get(), expected / job.between);
    }
    let (interval, write) = (job.interval(work).get(), job.write().get());
    let piece = interval + write;
    let mut left = work.get() / interval;
    let (mut time, mut restart, mut interruptions) = (0.0_f64, 0.0_f64, 0.0_f64);
    loop {
        let until = -job.between.get() * (-random.uniform()).ln_1p();
        let needed = restart + left * piece;
        if needed <= until {
            return (time + needed, interruptions);
        }
        // Pieces that ended before the interruption are kept.
        left -= ((until - restart).max(0.0) / piece).floor().min(left);
        time += until;
        restart = job.restart.get();
        interruptions += 1.0;
    }
}

/// Draws `count` courses from a seed; the same seed gives the same outcomes everywhere.
pub fn outcomes(u: &Uncertainty, deadline: Option<Seconds>, count: u32, seed: u64) -> Outcomes {
    let mut random = Random::new(seed);
    let (mut times, mut paid) = (Vec::new(), Vec::new());
    let (mut interruptions, mut ended) = (0.0, 0.0_f64);
    for _ in 0..count {
        let [speed, rate, price] = [random.normal(), random.normal(), random.normal()];
        // Every course has a generator of its own, so that one with many interruptions does not shift the next.
        let mut own = Random::new(random.bits());
        let work = u.training.p50 * factor(u.training, speed) * (1.0 + u.evaluation);
        let between = u.interruptions.between * (u.interruption_sigma * rate).exp();
        let (time, met) = course(&Interruptions { between, ..u.interruptions }, Seconds::new(work), &mut own);
        let time = time + u.start_up.get();
        times.push(time);
        paid.push(time * (u.price_sigma * price).exp());
        if time.is_finite() {
            interruptions += met;
            ended += 1.0;
        }
    }
    let within = |limit: Seconds| times.iter().filter(|&&t| t <= limit.get()).count();
    Outcomes {
        on_time: deadline.map(|d| within(d) as f64 / f64::from(count.max(1))),
        time: quantiles(&times),
        paid: quantiles(&paid),
        interruptions: interruptions / ended.max(1.0),
    }
}

/// P10, P50 and P90; courses that never end are the longest.
fn quantiles(values: &[f64]) -> Interval {
    let finite = sorted(values.iter().copied());
    let share = finite.len() as f64 / values.len().max(1) as f64;
    let at = |q: f64| {
        if q <= share { quantile(&finite, q / share).unwrap_or(f64::INFINITY) } else { f64::INFINITY }
    };
    Interval { p10: at(0.1), p50: at(0.5), p90: at(0.9) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::Checkpoints;

    fn exact(hours: f64, checkpoints: Checkpoints, write: f64, restart: f64) -> Uncertainty {
        let seconds = Seconds::from_hours(hours).get();
        Uncertainty {
            training: Interval::log_normal(seconds, 0.0),
            evaluation: 0.0,
            start_up: Seconds::ZERO,
            interruptions: Interruptions {
                between: Seconds::from_hours(6.0),
                restart: Seconds::new(restart),
                write: Seconds::new(write),
                checkpoints,
            },
            interruption_sigma: 0.0,
            price_sigma: 0.0,
        }
    }

    fn mean(u: &Uncertainty, count: u32) -> f64 {
        let mut random = Random::new(1);
        let work = Seconds::new(u.training.p50);
        (0..count).map(|_| course(&u.interruptions, work, &mut random).0).sum::<f64>() / f64::from(count)
    }

    #[test]
    fn twelve_hours_on_spot_without_checkpoints_take_thirty_eight_in_the_mean_of_many_draws() {
        let u = exact(12.0, Checkpoints::Never, 0.0, 0.0);
        let closed = u.interruptions.expected(Seconds::from_hours(12.0));
        assert!((closed.hours() - 38.33).abs() < 0.01);
        let drawn = Seconds::new(mean(&u, 20_000));
        assert!((drawn / closed - 1.0).abs() < 0.03, "{} h", drawn.hours());
    }

    #[test]
    fn the_mean_of_many_draws_with_checkpoints_and_restarts_is_that_of_the_closed_form() {
        let u = exact(72.0, Checkpoints::Best, 60.0, 300.0);
        let closed = u.interruptions.expected(Seconds::from_hours(72.0));
        let drawn = Seconds::new(mean(&u, 4000));
        assert!((drawn / closed - 1.0).abs() < 0.003, "{} against {}", drawn.hours(), closed.hours());
    }

    #[test]
    fn a_seed_repeats_and_another_one_differs_little() {
        let u = Uncertainty {
            training: Interval::log_normal(1e5, 0.2),
            ..exact(72.0, Checkpoints::Best, 60.0, 300.0)
        };
        let deadline = Some(Seconds::new(1.1e5));
        let of = |seed| outcomes(&u, deadline, 4000, seed);
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert!((of(7).time.p90 / of(8).time.p90 - 1.0).abs() < 0.02);
        assert!((of(7).on_time.unwrap() - of(8).on_time.unwrap()).abs() < 0.03);
    }

    #[test]
    fn without_interruptions_the_interval_of_the_training_comes_out_again() {
        let mut u = exact(10.0, Checkpoints::Never, 0.0, 0.0);
        u.interruptions.between = Seconds::new(f64::INFINITY);
        u.training = Interval { p10: 90.0, p50: 100.0, p90: 150.0 };
        let time = outcomes(&u, None, 20_000, 3).time;
        for (drawn, stated) in [(time.p10, 90.0), (time.p50, 100.0), (time.p90, 150.0)] {
            assert!((drawn / stated - 1.0_f64).abs() < 0.02, "{drawn} {stated}");
        }
    }

    #[test]
    fn a_job_that_restarts_faster_than_it_runs_never_ends_and_meets_no_deadline() {
        // 100 h between checkpoints at 6 h between interruptions: e^17 times the work.
        let u = exact(100.0, Checkpoints::Never, 0.0, 0.0);
        let found = outcomes(&u, Some(Seconds::from_days(3650.0)), 200, 1);
        assert_eq!((found.time.p10, found.on_time), (f64::INFINITY, Some(0.0)));
    }

    #[test]
    fn a_spread_of_prices_widens_what_is_paid_and_not_the_time() {
        let u = Uncertainty { price_sigma: 0.4, ..exact(72.0, Checkpoints::Best, 60.0, 300.0) };
        let found = outcomes(&u, None, 4000, 5);
        assert!(found.paid.p90 / found.paid.p10 > 2.0 * (found.time.p90 / found.time.p10));
    }
}
