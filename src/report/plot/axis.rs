//! Scales of axes and where their ticks stand.

use crate::units::Seconds;

/// Values beyond this are treated as not finite.
const LARGEST: f64 = 1e18;
/// A range wider than this factor gets a logarithmic axis.
const DECADE: f64 = 10.0;
/// Free room beyond the outermost values, as a share of the axis.
const ROOM: f64 = 0.07;

/// True for a value that can be drawn: finite, not negative, not absurd.
pub(super) fn drawable(value: f64) -> bool {
    (0.0..LARGEST).contains(&value)
}

/// How ticks are chosen and labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// Seconds in, `10 d` out.
    Time,
    /// Any amount: `10 k`.
    Amount,
    /// Counts on a base-2 axis: 8, 16, 32.
    Doubling,
}

/// One tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

/// A scale from values to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    quantity: Quantity,
    logarithmic: bool,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    /// An axis over pixels `start` to `end` that covers all drawable values: logarithmic when they span more than
    /// one decade, linear otherwise.
    pub fn covering(
        quantity: Quantity,
        values: impl IntoIterator<Item = f64>,
        (start, end): (f64, f64),
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|&v| drawable(v)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (1.0, DECADE);
        }
        let doubling = quantity == Quantity::Doubling;
        let logarithmic = low > 0.0 && (doubling || high / low > DECADE);
        if logarithmic {
            let room = if high > low { (high / low).powf(ROOM) } else { 2.0 };
            (low, high) = (low / room, high * room);
        } else if high - low <= high * 1e-6 {
            (low, high) = if high > 0.0 { (high * 0.5, high * 1.5) } else { (0.0, 1.0) };
        } else {
            let room = (high - low) * ROOM;
            (low, high) = ((low - room).max(0.0), high + room);
        }
        Self { quantity, logarithmic, low, high, start, end }
    }

    /// The pixel of a value; clamped to the axis.
    pub fn at(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }

    /// True when the value lies on the axis.
    pub fn includes(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// True for a logarithmic scale.
    pub const fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// A value as text, in its own unit.
    pub fn name(&self, value: f64) -> String {
        match self.quantity {
            Quantity::Time => time_label(value, value),
            Quantity::Amount | Quantity::Doubling => amount_label(value, value),
        }
    }

    /// Ticks at round values, at least `gap` pixels apart.
    pub fn ticks(&self, gap: f64) -> Vec<Tick> {
        let values = if self.logarithmic { self.log_values(gap) } else { self.linear_values(gap) };
        values.into_iter().map(|value| Tick { value, label: self.label(value) }).collect()
    }

    fn label(&self, value: f64) -> String {
        match self.quantity {
            Quantity::Time => time_label(value, if self.logarithmic { value } else { self.high }),
            Quantity::Amount => amount_label(value, if self.logarithmic { value } else { self.high }),
            Quantity::Doubling => trimmed(value),
        }
    }

    fn spaced(&self, values: &[f64], gap: f64) -> bool {
        values.windows(2).all(|pair| (self.at(pair[1]) - self.at(pair[0])).abs() >= gap)
    }

    fn log_values(&self, gap: f64) -> Vec<f64> {
        let sets: Vec<Vec<f64>> = match self.quantity {
            Quantity::Time => vec![time_values(&[1.0, 2.0, 5.0]), time_values(&[1.0])],
            Quantity::Amount => {
                vec![self.decades(&[1.0, 2.0, 5.0]), self.decades(&[1.0, 3.0]), self.decades(&[1.0])]
            }
            Quantity::Doubling => (1..=4).map(|stride| self.powers_of_two(stride)).collect(),
        };
        let mut kept: Vec<f64> = Vec::new();
        for set in sets {
            kept = set.into_iter().filter(|&value| self.includes(value)).collect();
            if self.spaced(&kept, gap) {
                return kept;
            }
        }
        let mut thinned: Vec<f64> = Vec::new();
        for value in kept {
            if thinned.last().is_none_or(|&last| (self.at(value) - self.at(last)).abs() >= gap) {
                thinned.push(value);
            }
        }
        thinned
    }

    fn decades(&self, mantissas: &[f64]) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        (first..=last).flat_map(|e| mantissas.iter().map(move |m| m * 10f64.powi(e))).collect()
    }

    fn powers_of_two(&self, stride: i32) -> Vec<f64> {
        let (first, last) = (self.low.log2().floor() as i32, self.high.log2().ceil() as i32);
        (first..=last).filter(|e| e.rem_euclid(stride) == 0).map(|e| 2f64.powi(e)).collect()
    }

    fn linear_values(&self, gap: f64) -> Vec<f64> {
        let unit = if self.quantity == Quantity::Time { time_unit(self.high).1 } else { 1.0 };
        let finest = (self.high - self.low) / unit * gap / (self.end - self.start).abs().max(1.0);
        let magnitude = 10f64.powi(finest.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * magnitude).find(|&s| s >= finest);
        let step = step.unwrap_or(10.0 * magnitude) * unit;
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|k| k as f64 * step).collect()
    }
}

/// Units of time from the largest, each with its length in seconds.
fn time_units() -> [(&'static str, f64); 5] {
    [
        ("d", Seconds::from_days(1.0).get()),
        ("h", Seconds::from_hours(1.0).get()),
        ("min", Seconds::from_hours(1.0).get() / 60.0),
        ("s", 1.0),
        ("ms", 1e-3),
    ]
}

/// The largest unit of which the value holds at least one.
fn time_unit(seconds: f64) -> (&'static str, f64) {
    let units = time_units();
    units.into_iter().find(|&(_, length)| seconds >= length * (1.0 - 1e-9)).unwrap_or(units[4])
}

fn time_label(seconds: f64, sized_by: f64) -> String {
    let (unit, length) = time_unit(sized_by);
    let amount = seconds / length;
    format!("{} {unit}", amount_label(amount, amount))
}

/// Round times: mantissas times powers of ten in each unit, below the next unit.
fn time_values(mantissas: &[f64]) -> Vec<f64> {
    let mut values = Vec::new();
    let mut limit = LARGEST;
    for (_, length) in time_units() {
        let mut decade = length;
        while decade < limit {
            values.extend(mantissas.iter().map(|m| m * decade).filter(|&v| v < limit * 0.75));
            decade *= 10.0;
        }
        limit = length;
    }
    values.sort_by(f64::total_cmp);
    values
}

/// An amount with a suffix for thousands that suits `sized_by`: `20 k`, `1.5 M`.
fn amount_label(value: f64, sized_by: f64) -> String {
    const SUFFIXES: [&str; 6] = ["", " k", " M", " G", " T", " P"];
    let thousands = if sized_by >= 10_000.0 { (sized_by.log10() / 3.0 + 1e-9).floor() as usize } else { 0 };
    let thousands = thousands.min(SUFFIXES.len() - 1);
    format!("{}{}", trimmed(value / 1000f64.powi(thousands as i32)), SUFFIXES[thousands])
}

/// A number without trailing zeros.
fn trimmed(value: f64) -> String {
    let decimals = if value == 0.0 || value >= 100.0 { 0 } else { (2 - value.log10().floor() as i32).max(0) };
    let text = format!("{value:.*}", decimals as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, gap: f64) -> Vec<String> {
        axis.ticks(gap).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn more_than_a_decade_is_logarithmic_and_less_is_linear() {
        let wide = Axis::covering(Quantity::Amount, [1000.0, 100_000.0], (0.0, 600.0));
        assert_eq!(labels(&wide, 40.0), ["1000", "2000", "5000", "10 k", "20 k", "50 k", "100 k"]);
        let narrow = Axis::covering(Quantity::Amount, [1000.0, 2000.0], (0.0, 600.0));
        assert_eq!(labels(&narrow, 100.0), ["1000", "1200", "1400", "1600", "1800", "2000"]);
        let middle = narrow.at(1500.0);
        assert!((middle - 300.0).abs() < 1e-9, "{middle}");
    }

    #[test]
    fn times_are_labelled_in_round_days_hours_and_minutes() {
        let days = [Seconds::from_days(10.0).get(), Seconds::from_days(50.0).get()];
        assert_eq!(
            labels(&Axis::covering(Quantity::Time, days, (0.0, 600.0)), 100.0),
            ["10 d", "20 d", "30 d", "40 d", "50 d"]
        );
        let wide = [Seconds::from_hours(1.0).get(), Seconds::from_days(10.0).get()];
        assert_eq!(
            labels(&Axis::covering(Quantity::Time, wide, (0.0, 900.0)), 55.0),
            ["1 h", "2 h", "5 h", "10 h", "1 d", "2 d", "5 d", "10 d"]
        );
    }

    #[test]
    fn counts_double() {
        let axis = Axis::covering(Quantity::Doubling, [8.0, 64.0], (0.0, 600.0));
        assert_eq!(labels(&axis, 40.0), ["8", "16", "32", "64"]);
    }

    #[test]
    fn nothing_one_value_and_absurd_values_still_make_an_axis() {
        for values in
            [vec![], vec![5.0], vec![0.0], vec![7.0, 7.0], vec![f64::NAN, f64::INFINITY, -1.0, 1e300]]
        {
            for quantity in [Quantity::Time, Quantity::Amount, Quantity::Doubling] {
                let axis = Axis::covering(quantity, values.iter().copied(), (0.0, 500.0));
                let ticks = axis.ticks(50.0);
                assert!((1..=11).contains(&ticks.len()), "{values:?} {quantity:?} {ticks:?}");
                assert!(axis.at(5.0).is_finite());
            }
        }
    }
}
