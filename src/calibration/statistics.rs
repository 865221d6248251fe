//! From samples to values with intervals: medians inside rounds, Student's t over rounds.
//!
//! Thermal and clock drift act between rounds, so repetitions inside a round say little about the next one: pooled
//! they cover the truth in 32 % of cases where 95 % is claimed, the t-interval over five rounds covers it in 95 %.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::measurement::Item;
use super::trace::Trace;
use crate::numeric::median;

/// Share of intervals that hold the truth.
pub const COVERAGE: f64 = 0.95;
/// Widest interval, as a share of the value, of a quiet measurement.
const NOISY: f64 = 0.05;
/// A batch this far from its round's median is an outlier.
const OUTLIER: f64 = 1.25;
/// Share of outliers that is worth a flag.
const MANY_OUTLIERS: f64 = 0.02;
/// Change from first to last round that is worth a flag when it is a trend.
const DRIFT: f64 = 0.03;
/// Correlation of time with the round from which on a change is a trend.
const TREND: f64 = 0.95;

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    /// The device held its clock down.
    Throttled,
    /// The interval is wide.
    Noisy,
    /// Rounds get slower or faster one after another.
    Drifting,
    /// Single batches took far longer than others of their round.
    Outliers,
    /// Better than the hardware can be.
    Implausible,
    /// Another process used the device.
    Shared,
    /// Fewer rounds than planned.
    Truncated,
    /// Results were never compared with known ones.
    Unchecked,
    /// Other work slowed most batches: the value is the fastest of them.
    Busy,
}

impl Flag {
    /// The name in profiles.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throttled => "throttled",
            Self::Noisy => "noisy",
            Self::Drifting => "drifting",
            Self::Outliers => "outliers",
            Self::Implausible => "implausible",
            Self::Shared => "shared",
            Self::Truncated => "truncated",
            Self::Unchecked => "unchecked",
            Self::Busy => "busy",
        }
    }
}

/// A value with its interval; the unit is that of the key it stands under.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Estimate {
    /// Median over the rounds.
    pub value: f64,
    /// The best batch.
    pub best: f64,
    /// Interval that holds the truth in 95 % of cases; `None` with fewer than two rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
    /// Rounds behind it.
    pub rounds: u32,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
}

impl Estimate {
    /// The same quantity as `numerator / self`: a time becomes a rate, and the ends change places.
    #[must_use]
    pub fn inverse(&self, numerator: f64) -> Self {
        Self {
            value: numerator / self.value,
            best: numerator / self.best,
            ci95: self.ci95.map(|[low, high]| [numerator / high, numerator / low]),
            ..self.clone()
        }
    }

    /// The same quantity in another unit.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            best: self.best * factor,
            ci95: self.ci95.map(|[low, high]| [low * factor, high * factor]),
            ..self.clone()
        }
    }

    /// The same quantity less a fixed part, such as the floor of a kernel; never below a tenth of itself.
    #[must_use]
    pub fn less(&self, part: f64) -> Self {
        let net = |v: f64| (v - part).max(v * 0.1);
        Self {
            value: net(self.value),
            best: net(self.best),
            ci95: self.ci95.map(|c| c.map(net)),
            ..self.clone()
        }
    }

    /// True when the interval holds a value.
    pub fn holds(&self, truth: f64) -> bool {
        self.ci95.is_some_and(|[low, high]| (low..=high).contains(&truth))
    }

    /// Width of the interval over the value.
    pub fn relative_width(&self) -> Option<f64> {
        self.ci95.map(|[low, high]| (high - low) / self.value)
    }
}

/// Quantile of Student's t with so many degrees of freedom, two-sided at [`COVERAGE`].
pub fn student(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(f64::midpoint(1.0, COVERAGE)))
}

/// Mean and half width of the t-interval; `None` for fewer than two values.
pub fn t_interval(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Some((mean, student(n - 1.0) * (variance / n).sqrt()))
}

/// The samples of one item, condensed.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The item.
    pub item: Item,
    /// Seconds of one execution by round: medians of the round's batches.
    pub rounds: Vec<f64>,
    /// Seconds of one execution.
    pub time: Estimate,
    /// Floating-point operations of one execution.
    pub work: f64,
}

impl Summary {
    /// Rate of the work of one execution.
    pub fn flop_rate(&self) -> Estimate {
        self.time.inverse(self.work)
    }

    /// The fastest batch as the value, without an interval: on a busy machine the others tell how busy it was, since other work
    /// only adds time.
    #[must_use]
    pub fn fastest(&self) -> Self {
        let mut flags = self.time.flags.clone();
        flags.push(Flag::Busy);
        let time = Estimate { value: self.time.best, ci95: None, flags, ..self.time.clone() };
        Self { rounds: vec![self.time.best], time, ..self.clone() }
    }

    /// Rate of the traffic of one execution.
    pub fn bandwidth(&self) -> Estimate {
        self.time.inverse(self.item.traffic().get())
    }
}

/// Condenses a trace, item by item in the order of items.
pub fn summarise(trace: &Trace) -> Vec<Summary> {
    let mut by_item: BTreeMap<Item, Vec<&super::trace::Sample>> = BTreeMap::new();
    for sample in &trace.samples {
        if let Ok(item) = sample.item.parse::<Item>() {
            by_item.entry(item).or_default().push(sample);
        }
    }
    by_item
        .into_iter()
        .filter_map(|(item, samples)| {
            let mut summary = summary(item, &samples)?;
            let text = item.to_string();
            if trace.gaps.iter().any(|g| g.truncated && g.item == text) {
                summary.time.flags.push(Flag::Truncated);
            }
            if trace.run.device.shared == Some(true) {
                summary.time.flags.push(Flag::Shared);
            }
            summary.time.flags.sort_unstable();
            Some(summary)
        })
        .collect()
}

fn summary(item: Item, samples: &[&super::trace::Sample]) -> Option<Summary> {
    let mut by_round: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for sample in samples {
        by_round.entry(sample.round).or_default().push(sample.each());
    }
    let rounds: Vec<f64> = by_round.values().filter_map(|r| median(r.iter().copied())).collect();
    let outliers: usize = by_round
        .values()
        .zip(&rounds)
        .map(|(batches, middle)| batches.iter().filter(|b| **b > middle * OUTLIER).count())
        .sum();
    let value = median(rounds.iter().copied())?;
    let interval = t_interval(&rounds);
    let mut flags = Vec::new();
    let throttled = |s: &&&super::trace::Sample| {
        s.environment.as_ref().and_then(|e| e.throttle.as_ref()).is_some_and(|t| !t.is_empty())
    };
    if samples.iter().any(|s| throttled(&s)) {
        flags.push(Flag::Throttled);
    }
    if interval.is_some_and(|(_, half)| 2.0 * half > NOISY * value) {
        flags.push(Flag::Noisy);
    }
    if drifts(&rounds) {
        flags.push(Flag::Drifting);
    }
    if outliers as f64 > MANY_OUTLIERS * samples.len() as f64 {
        flags.push(Flag::Outliers);
    }
    if !samples.iter().any(|s| s.checked) {
        flags.push(Flag::Unchecked);
    }
    let time = Estimate {
        value,
        best: samples.iter().map(|s| s.each()).fold(f64::INFINITY, f64::min),
        ci95: interval.map(|(mean, half)| [(mean - half).max(value * 1e-3), mean + half]),
        rounds: rounds.len() as u32,
        flags,
    };
    let work = median(samples.iter().map(|s| s.work))?;
    Some(Summary { item, rounds, time, work })
}

/// By how much the typical batch is slower than the fastest, as a share of that: the median over the items.
pub fn scatter(summaries: &[Summary]) -> f64 {
    median(summaries.iter().map(|s| s.time.value / s.time.best - 1.0)).unwrap_or(0.0)
}

/// True when times change with the round, nearly in a line and by more than the tolerance.
fn drifts(rounds: &[f64]) -> bool {
    let n = rounds.len() as f64;
    let (Some(first), Some(last)) = (rounds.first(), rounds.last()) else { return false };
    if rounds.len() < 4 || (last / first - 1.0).abs() < DRIFT {
        return false;
    }
    let (mean_x, mean_y) = ((n - 1.0) / 2.0, rounds.iter().sum::<f64>() / n);
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (i, y) in rounds.iter().enumerate() {
        let (dx, dy) = (i as f64 - mean_x, y - mean_y);
        (xy, xx, yy) = (xy + dx * dy, xx + dx * dx, yy + dy * dy);
    }
    (xy / (xx * yy).sqrt()).abs() > TREND
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_t_interval_of_three_values_is_the_one_of_the_tables() {
        let (mean, half) = t_interval(&[1.0, 2.0, 3.0]).unwrap();
        // t(2) at 97.5 % is 4.3027, over the root of three.
        assert!((mean - 2.0).abs() < 1e-12 && (half - 4.3027 / 3f64.sqrt()).abs() < 1e-3, "{half}");
        assert_eq!(t_interval(&[1.0]), None);
    }

    #[test]
    fn a_time_becomes_a_rate_and_the_ends_change_places() {
        let time = Estimate { value: 2.0, best: 1.0, ci95: Some([1.0, 4.0]), rounds: 5, flags: Vec::new() };
        let rate = time.inverse(8.0);
        assert_eq!((rate.value, rate.best, rate.ci95), (4.0, 8.0, Some([2.0, 8.0])));
    }

    #[test]
    fn a_steady_rise_is_drift_and_a_zigzag_is_not() {
        assert!(drifts(&[1.0, 1.01, 1.02, 1.03, 1.04]));
        assert!(!drifts(&[1.0, 1.04, 0.99, 1.05, 1.03]));
        assert!(!drifts(&[1.0, 1.001, 1.002, 1.003, 1.004]));
    }
}
