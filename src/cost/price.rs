//! One price of one node, from whoever stated it.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::unit_price::{SaleUnit, UnitPrice};
use crate::catalog::price::DatePrecision;
use crate::catalog::{PriceQuality, PriceRecord, Purchase};
use crate::units::{Currency, Money, MoneyError};

/// Hours of a month in which a monthly price is spread to an hourly one: 365 × 24 / 12.
pub const HOURS_PER_MONTH: u32 = 730;

/// Days after which a price is stale.
pub const STALE_AFTER_DAYS: i64 = 30;

/// Highest amount that is believed to be the price of one node, in any currency.
const MOST_BELIEVED: Decimal = Decimal::from_parts(10_000_000, 0, 0, false, 0);

/// A price as somebody writes it: by the hour or by the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceRate {
    /// Per node-hour.
    PerHour(Money),
    /// Per node-month.
    PerMonth(Money),
}

impl PriceRate {
    /// Reads `"131.5CNY/h"` or `"63118 CNY/month"`.
    ///
    /// ```
    /// use gpu_advisor::cost::PriceRate;
    /// assert_eq!(PriceRate::parse("63118CNY/month").unwrap().to_string(), "63118 CNY/month");
    /// assert!(PriceRate::parse("131.5 CNY").is_err());
    /// ```
    ///
    /// # Errors
    /// When the unit is neither `/h` nor `/month`, the amount or its currency cannot be read, or the amount is not
    /// above zero (a node without a price has no price, not a price of nothing) or above ten million of any currency.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let fail = || MoneyError::Rate(text.to_owned());
        let trimmed = text.trim();
        let rate = match trimmed.strip_suffix("/month") {
            Some(amount) => Self::PerMonth(Money::parse(amount).map_err(|_| fail())?),
            None => Self::PerHour(Money::parse_per_hour(trimmed)?),
        };
        let believed = rate.money().amount > Decimal::ZERO && rate.money().amount <= MOST_BELIEVED;
        if believed { Ok(rate) } else { Err(fail()) }
    }

    /// As an amount for a unit.
    pub const fn unit_price(self) -> UnitPrice {
        match self {
            Self::PerHour(money) => UnitPrice { money, unit: SaleUnit::Hour },
            Self::PerMonth(money) => UnitPrice { money, unit: SaleUnit::Month },
        }
    }

    /// Another amount in the same currency for the same unit.
    #[must_use]
    pub const fn of_amount(self, amount: Decimal) -> Self {
        match self {
            Self::PerHour(money) => Self::PerHour(Money::new(amount, money.currency)),
            Self::PerMonth(money) => Self::PerMonth(Money::new(amount, money.currency)),
        }
    }

    /// The amount, whatever its unit.
    pub const fn money(self) -> Money {
        match self {
            Self::PerHour(money) | Self::PerMonth(money) => money,
        }
    }
}

impl std::fmt::Display for PriceRate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PerHour(money) => write!(f, "{money}/h"),
            Self::PerMonth(money) => write!(f, "{money}/month"),
        }
    }
}

/// Who stated a price, strongest first (the order is the rank).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceOrigin {
    /// The user, on the command line.
    User,
    /// The user's price book.
    PriceBook,
    /// The provider, in the catalog.
    Catalog,
    /// Somebody else, in the catalog.
    ThirdParty,
}

impl PriceOrigin {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::PriceBook => "price_book",
            Self::Catalog => "catalog",
            Self::ThirdParty => "third_party",
        }
    }

    /// True for prices that the user brought.
    pub const fn is_users(self) -> bool {
        matches!(self, Self::User | Self::PriceBook)
    }
}

/// One price of one whole node, net of tax, in the currency it was stated in.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Per node-hour; for a monthly price the effective rate, month / [`HOURS_PER_MONTH`].
    pub per_hour: Money,
    /// Per node-month, where stated so.
    pub per_month: Option<Money>,
    /// Purchase option it was stated for.
    pub purchase: Purchase,
    /// Region it was stated for.
    pub region: Option<String>,
    /// Who stated it.
    pub origin: PriceOrigin,
    /// Its date; the first day of a period that is dated by month or year only. `None` when undated.
    pub as_of: Option<Date>,
    /// How precise that date is.
    pub date_precision: DatePrecision,
    /// Kind of source, for catalog prices.
    pub quality: Option<PriceQuality>,
    /// Source id or text.
    pub source: String,
    /// A newer figure of the same thing exists.
    pub superseded: bool,
    /// Why the figure is doubtful, if it is.
    pub suspect: Option<String>,
    /// Remarks.
    pub notes: Option<String>,
    /// True when its owner calls it binding.
    pub firm: bool,
    /// Last day on which it holds, where that is stated.
    pub valid_until: Option<Date>,
}

impl Price {
    /// A catalog record as a price; `None` when it states no amount.
    pub fn from_record(record: &PriceRecord) -> Option<Self> {
        let rate = match (record.per_hour, record.per_month) {
            (Some(hour), None) => PriceRate::PerHour(hour),
            (_, Some(month)) => PriceRate::PerMonth(month),
            (None, None) => return None,
        };
        let (mut per_hour, per_month) = hourly_and_monthly(rate, record.purchase);
        per_hour = record.per_hour.unwrap_or(per_hour);
        let as_of = record.provenance.as_of.and_then(|date| earliest_day(date, record.date_precision));
        Some(Self {
            per_hour,
            per_month,
            purchase: record.purchase,
            region: record.region.clone(),
            origin: if record.quality.is_third_party() {
                PriceOrigin::ThirdParty
            } else {
                PriceOrigin::Catalog
            },
            as_of,
            date_precision: if as_of.is_some() { record.date_precision } else { DatePrecision::Unknown },
            quality: Some(record.quality),
            source: record.provenance.source.clone(),
            superseded: record.superseded,
            suspect: record.suspect.clone(),
            notes: record.notes.clone(),
            firm: false,
            valid_until: None,
        })
    }

    /// A price that the user brought, dated to the day.
    pub fn of_user(
        rate: PriceRate,
        purchase: Purchase,
        region: Option<String>,
        origin: PriceOrigin,
        as_of: Date,
        source: String,
    ) -> Self {
        let (per_hour, per_month) = hourly_and_monthly(rate, purchase);
        Self {
            per_hour,
            per_month,
            purchase,
            region,
            origin,
            as_of: Some(as_of),
            date_precision: DatePrecision::Day,
            quality: None,
            source,
            superseded: false,
            suspect: None,
            notes: None,
            firm: origin == PriceOrigin::User,
            valid_until: None,
        }
    }

    /// The same price with another amount, in the unit in which it was stated.
    #[must_use]
    pub fn at(self, money: Money) -> Self {
        let rate = match self.per_month {
            Some(_) => PriceRate::PerMonth(money),
            None => PriceRate::PerHour(money),
        };
        let (per_hour, per_month) = hourly_and_monthly(rate, self.purchase);
        Self { per_hour, per_month, ..self }
    }

    /// The currency it is stated in.
    pub const fn currency(&self) -> Currency {
        self.per_hour.currency
    }

    /// The rate as stated: by the month where it has one.
    pub fn stated_rate(&self) -> PriceRate {
        self.per_month.map_or(PriceRate::PerHour(self.per_hour), PriceRate::PerMonth)
    }

    /// True when the source states no date.
    pub const fn is_undated(&self) -> bool {
        self.as_of.is_none()
    }

    /// True when suspect, superseded or undated: it never wins while a sound price exists.
    pub const fn is_flawed(&self) -> bool {
        self.suspect.is_some() || self.superseded || self.is_undated()
    }

    /// Age in days on a given day; negative for a price that starts later, `None` when undated.
    ///
    /// A date known to the month or year counts from the first day of it: the price may be younger than said,
    /// never older.
    pub fn age_days(&self, today: Date) -> Option<i64> {
        let span = today.since(self.as_of?).ok()?;
        Some(i64::from(span.get_days()))
    }

    /// True when older than [`STALE_AFTER_DAYS`] days, or undated.
    pub fn is_stale(&self, today: Date) -> bool {
        self.age_days(today).is_none_or(|age| age > STALE_AFTER_DAYS)
    }
}

/// First day of the period that a date of this precision stands for.
fn earliest_day(date: Date, precision: DatePrecision) -> Option<Date> {
    match precision {
        DatePrecision::Day => Some(date),
        DatePrecision::Month => Some(date.first_of_month()),
        DatePrecision::Year => Some(date.first_of_year()),
        DatePrecision::Unknown => None,
    }
}

/// Both forms of a rate: a monthly price gets its effective hour, a monthly *purchase* its whole month.
fn hourly_and_monthly(rate: PriceRate, purchase: Purchase) -> (Money, Option<Money>) {
    let hours = Decimal::from(HOURS_PER_MONTH);
    match rate {
        PriceRate::PerMonth(month) => (Money::new(month.amount / hours, month.currency), Some(month)),
        PriceRate::PerHour(hour) => {
            let month = hour.amount.checked_mul(hours).map(|amount| Money::new(amount, hour.currency));
            (hour, month.filter(|_| purchase == Purchase::Monthly))
        }
    }
}
