//! Decimal money: an amount always carries its currency, and currencies never mix without a dated rate.

use std::fmt;

use jiff::civil::Date;
use rust_decimal::{Decimal, RoundingStrategy, prelude::FromPrimitive, prelude::ToPrimitive};

/// An ISO 4217 currency code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// United States dollar.
    pub const USD: Self = Self(*b"USD");

    /// Reads a three-letter code.
    ///
    /// # Errors
    /// When the text is not three upper-case ASCII letters.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        match text.as_bytes() {
            &[a, b, c] if [a, b, c].iter().all(u8::is_ascii_uppercase) => Ok(Self([a, b, c])),
            _ => Err(MoneyError::Currency(text.to_owned())),
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(std::str::from_utf8(&self.0).unwrap_or("???"))
    }
}

impl serde::Serialize for Currency {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Currency {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Why money could not be read or combined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Not a currency code.
    #[error("{0:?} is not a currency code, such as \"USD\"")]
    Currency(String),
    /// Not an amount.
    #[error("{0:?} is not an amount with its currency, such as \"12.29 USD\"")]
    Amount(String),
    /// Not a price per hour.
    #[error("{0:?} is not a price with its unit, such as \"12.29 USD/h\"")]
    Rate(String),
    /// No exchange rate was given.
    #[error("no exchange rate from {from} to {to}: add --fx {from}=RATE@DATE (units of {from} per USD)")]
    NoRate {
        /// Currency of the amount.
        from: Currency,
        /// Currency asked for.
        to: Currency,
    },
    /// Not an exchange rate.
    #[error("{0:?} is not an exchange rate, such as \"SGD=1.29@2026-11-28\" (units per USD)")]
    Fx(String),
}

/// An exact amount in one currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Money {
    /// The amount; serialised as a decimal string.
    #[serde(with = "rust_decimal::serde::str")]
    pub amount: Decimal,
    /// Its currency.
    pub currency: Currency,
}

/// Commas stand before groups of three digits alone: a comma for a decimal point would make an amount ten times itself.
fn has_whole_groups(number: &str) -> bool {
    let whole = number.split_once('.').map_or(number, |(whole, _)| whole);
    let fraction = &number[whole.len()..];
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    let first_is_short = rest.peek().is_none() || (1..=3).contains(&first.len());
    first_is_short && rest.all(|group| group.len() == 3) && !fraction.contains(',')
}

impl Money {
    /// An amount in a currency.
    pub const fn new(amount: Decimal, currency: Currency) -> Self {
        Self { amount, currency }
    }

    /// Reads `"131.5 CNY"` or `"131.5CNY"`.
    ///
    /// # Errors
    /// When the amount or the currency cannot be read, or the amount is negative.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let fail = || MoneyError::Amount(text.to_owned());
        let trimmed = text.trim();
        let split = trimmed.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(fail)?;
        let number = trimmed[..split].trim();
        if !has_whole_groups(number) {
            return Err(fail());
        }
        let amount: Decimal = number.replace(['_', ','], "").parse().map_err(|_| fail())?;
        if amount.is_sign_negative() {
            return Err(fail());
        }
        Ok(Self::new(amount, Currency::parse(trimmed[split..].trim())?))
    }

    /// Reads a price per hour, `"131.5 CNY/h"`.
    ///
    /// # Errors
    /// When the text is not an amount followed by `/h`.
    pub fn parse_per_hour(text: &str) -> Result<Self, MoneyError> {
        let rate = text.trim().strip_suffix("/h").ok_or_else(|| MoneyError::Rate(text.to_owned()))?;
        Self::parse(rate).map_err(|_| MoneyError::Rate(text.to_owned()))
    }

    /// This amount times a factor; `None` when the result cannot be represented.
    pub fn times(self, factor: f64) -> Option<Self> {
        let factor = Decimal::from_f64(factor)?;
        Some(Self::new(self.amount.checked_mul(factor)?, self.currency))
    }

    /// This amount rounded half-up to `places` decimals.
    #[must_use]
    pub fn rounded(self, places: u32) -> Self {
        Self::new(
            self.amount.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero),
            self.currency,
        )
    }

    /// The amount as a float, for ordering and plots only.
    pub fn as_f64(self) -> f64 {
        self.amount.to_f64().unwrap_or(f64::INFINITY)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount, self.currency)
    }
}

/// One dated exchange rate: units of `currency` for one US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FxRate {
    /// The other currency.
    pub currency: Currency,
    /// Units of it per US dollar.
    pub per_usd: Decimal,
    /// The day the rate holds for.
    pub date: Date,
}

impl FxRate {
    /// Reads `"SGD=1.29@2026-11-28"`.
    ///
    /// # Errors
    /// When the rate is not positive or a part is missing: an undated rate is refused.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let fail = || MoneyError::Fx(text.to_owned());
        let (currency, rest) = text.split_once('=').ok_or_else(fail)?;
        let (rate, date) = rest.split_once('@').ok_or_else(fail)?;
        let per_usd: Decimal = rate.trim().parse().map_err(|_| fail())?;
        if per_usd <= Decimal::ZERO {
            return Err(fail());
        }
        Ok(Self {
            currency: Currency::parse(currency.trim())?,
            per_usd,
            date: date.trim().parse().map_err(|_| fail())?,
        })
    }
}

/// The exchange rates in force; empty unless the user gave some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FxTable {
    rates: Vec<FxRate>,
}

impl FxTable {
    /// A table of rates; a later rate for the same currency replaces an earlier one.
    pub fn new(rates: &[FxRate]) -> Self {
        let mut table = Self::default();
        for &rate in rates {
            table.rates.retain(|r| r.currency != rate.currency);
            table.rates.push(rate);
        }
        table
    }

    /// The rates, as given.
    pub fn rates(&self) -> &[FxRate] {
        &self.rates
    }

    fn per_usd(&self, currency: Currency) -> Option<Decimal> {
        if currency == Currency::USD {
            return Some(Decimal::ONE);
        }
        self.rates.iter().find(|r| r.currency == currency).map(|r| r.per_usd)
    }

    /// Converts an amount.
    ///
    /// # Errors
    /// When one of the two currencies has no rate.
    pub fn convert(&self, money: Money, to: Currency) -> Result<Money, MoneyError> {
        if money.currency == to {
            return Ok(money);
        }
        let from = self.per_usd(money.currency).ok_or(MoneyError::NoRate { from: money.currency, to })?;
        let target = self.per_usd(to).ok_or(MoneyError::NoRate { from: to, to: money.currency })?;
        let amount = money
            .amount
            .checked_mul(target)
            .and_then(|a| a.checked_div(from))
            .ok_or_else(|| MoneyError::Amount(money.to_string()))?;
        Ok(Money::new(amount, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_needs_amount_currency_and_unit() {
        let price = Money::parse_per_hour("131.5CNY/h").unwrap();
        assert_eq!(price.to_string(), "131.5 CNY");
        for text in ["131.5", "131.5 CNY", "CNY/h", "-1 CNY/h", "131.5 cny/h", "131.5 CNYX/h"] {
            assert!(Money::parse_per_hour(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_comma_groups_thousands_and_is_no_decimal_point() {
        assert_eq!(Money::parse("12,345.5 USD").unwrap().amount, Decimal::new(123_455, 1));
        assert_eq!(Money::parse("1234.56 USD").unwrap().amount, Decimal::new(123_456, 2));
        for text in ["17,6CNY", "3,2 USD", "1.234,56 USD", "3000,50USD", "1234,567 USD", ",123 USD"] {
            assert!(Money::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn conversion_goes_through_the_dollar_and_needs_a_dated_rate() {
        let table = FxTable::new(&[FxRate::parse("SGD=1.25@2026-11-28").unwrap()]);
        let dollars = table.convert(Money::parse("10 SGD").unwrap(), Currency::USD).unwrap();
        assert_eq!(dollars.amount, Decimal::from(8));
        assert!(table.convert(Money::parse("10 CNY").unwrap(), Currency::USD).is_err());
        assert!(FxRate::parse("SGD=1.25").is_err());
        assert!(FxRate::parse("SGD=0@2026-11-28").is_err());
    }
}
