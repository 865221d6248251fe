//! What is a second, a byte, a FLOP, an amount of money?
//!
//! Quantities are newtypes over `f64` in one canonical unit (second, byte, FLOP, FLOP/s, byte/s), so that a
//! count and a rate never share a type. This module is the only place that knows 10^9, 1024 and 3600: text is
//! read by [`parse`](parse::parse_quantity) and written by [`text`], everything between is canonical.

pub mod money;
pub mod parse;
mod quantity;
mod rounding;
pub mod text;

pub use money::{Currency, FxRate, FxTable, Money, MoneyError};
pub use parse::{ParseUnitError, Unit};
pub use quantity::{
    ArithmeticIntensity, Bytes, BytesPerSecond, FlopCount, FlopRate, Fraction, Seconds, Watts,
};
pub use rounding::RoundingMode;
