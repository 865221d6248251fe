//! The quantity types and the arithmetic that physics allows between them.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, serde::Serialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// Zero of this quantity.
            pub const ZERO: Self = Self(0.0);
            /// Wraps a value given in the canonical unit.
            pub const fn new(value: f64) -> Self {
                Self(value)
            }
            /// The value in the canonical unit.
            pub const fn get(self) -> f64 {
                self.0
            }
            /// The larger of two.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }
            /// The smaller of two.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
            /// True when the value is a finite number.
            pub fn is_finite(self) -> bool {
                self.0.is_finite()
            }
        }
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl Mul<$name> for f64 {
            type Output = $name;
            fn mul(self, quantity: $name) -> $name {
                $name(self * quantity.0)
            }
        }
        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
                Self(items.map(|q| q.0).sum())
            }
        }
    };
}

quantity!(/// A duration in seconds.
    Seconds);
quantity!(/// An amount of memory or traffic in bytes.
    Bytes);
quantity!(/// A bandwidth in bytes per second; always per direction.
    BytesPerSecond);
quantity!(/// A count of floating-point operations; a fused multiply-add counts two.
    FlopCount);
quantity!(/// A rate of floating-point operations per second; peaks are dense.
    FlopRate);
quantity!(/// Floating-point operations per byte of memory traffic.
    ArithmeticIntensity);
quantity!(/// A share, an efficiency or a probability; 1.0 is the whole.
    Fraction);
quantity!(/// Electrical power in watts.
    Watts);

macro_rules! rate {
    ($count:ident / $rate:ident) => {
        impl Div<$rate> for $count {
            type Output = Seconds;
            fn div(self, rate: $rate) -> Seconds {
                Seconds(self.0 / rate.0)
            }
        }
        impl Div<Seconds> for $count {
            type Output = $rate;
            fn div(self, time: Seconds) -> $rate {
                $rate(self.0 / time.0)
            }
        }
        impl Mul<Seconds> for $rate {
            type Output = $count;
            fn mul(self, time: Seconds) -> $count {
                $count(self.0 * time.0)
            }
        }
    };
}
rate!(Bytes / BytesPerSecond);
rate!(FlopCount / FlopRate);

impl Div<Bytes> for FlopCount {
    type Output = ArithmeticIntensity;
    fn div(self, bytes: Bytes) -> ArithmeticIntensity {
        ArithmeticIntensity(self.0 / bytes.0)
    }
}

impl Div<BytesPerSecond> for FlopRate {
    type Output = ArithmeticIntensity;
    /// The ridge point: the intensity at which compute and memory bind equally.
    fn div(self, bandwidth: BytesPerSecond) -> ArithmeticIntensity {
        ArithmeticIntensity(self.0 / bandwidth.0)
    }
}

/// Seconds in an hour.
const HOUR: f64 = 3600.0;
/// Seconds in a day.
const DAY: f64 = 24.0 * HOUR;
/// Bytes in a gibibyte.
const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
/// Giga, the decimal prefix.
const GIGA: f64 = 1e9;

impl Seconds {
    /// From hours.
    pub const fn from_hours(hours: f64) -> Self {
        Self(hours * HOUR)
    }
    /// From days.
    pub const fn from_days(days: f64) -> Self {
        Self(days * DAY)
    }
    /// From microseconds.
    pub const fn from_micros(micros: f64) -> Self {
        Self(micros * 1e-6)
    }
    /// In microseconds.
    pub const fn micros(self) -> f64 {
        self.0 / 1e-6
    }
    /// In hours.
    pub const fn hours(self) -> f64 {
        self.0 / HOUR
    }
    /// In days.
    pub const fn days(self) -> f64 {
        self.0 / DAY
    }
}

impl Bytes {
    /// From gibibytes (2^30).
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib * GIB)
    }
    /// From gigabytes (10^9).
    pub const fn from_gb(gb: f64) -> Self {
        Self(gb * GIGA)
    }
    /// In gibibytes (2^30).
    pub const fn gib(self) -> f64 {
        self.0 / GIB
    }
    /// In gigabytes (10^9).
    pub const fn gb(self) -> f64 {
        self.0 / GIGA
    }
}

impl BytesPerSecond {
    /// From gigabytes (10^9) per second.
    pub const fn from_gb(gb: f64) -> Self {
        Self(gb * GIGA)
    }
    /// From gigabits (10^9) per second.
    pub const fn from_gigabit(gigabit: f64) -> Self {
        Self(gigabit * GIGA / 8.0)
    }
    /// In gigabytes (10^9) per second.
    pub const fn gb(self) -> f64 {
        self.0 / GIGA
    }
    /// In gigabits (10^9) per second.
    pub const fn gigabit(self) -> f64 {
        self.0 * 8.0 / GIGA
    }
}

impl FlopRate {
    /// From teraFLOP/s (10^12).
    pub const fn from_tera(tera: f64) -> Self {
        Self(tera * 1e12)
    }
    /// In teraFLOP/s (10^12).
    pub const fn tera(self) -> f64 {
        self.0 / 1e12
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_over_rate_is_time_and_back() {
        let time = FlopCount::new(600.0) / FlopRate::new(200.0);
        assert_eq!(time, Seconds::new(3.0));
        assert_eq!(FlopRate::new(200.0) * time, FlopCount::new(600.0));
        assert_eq!(Bytes::new(10.0) / BytesPerSecond::new(5.0), Seconds::new(2.0));
    }

    #[test]
    fn a_gigabit_is_an_eighth_of_a_gigabyte() {
        assert_eq!(BytesPerSecond::from_gigabit(400.0), BytesPerSecond::from_gb(50.0));
    }

    #[test]
    fn the_ridge_point_is_peak_over_bandwidth() {
        assert_eq!(
            FlopRate::from_tera(300.0) / BytesPerSecond::from_gb(1500.0),
            ArithmeticIntensity::new(200.0)
        );
    }
}
