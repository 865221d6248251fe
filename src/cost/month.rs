//! How long a subscribed month runs.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::billing::BillingRule;
use super::price::HOURS_PER_MONTH;
use crate::units::Seconds;

/// Days of the months of a common year.
const DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HOURS_PER_DAY: u32 = 24;
const MONTHS_PER_YEAR: u32 = 12;
/// More months are no subscription.
const MOST: u32 = 12_000;

/// What a month is to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MonthRule {
    /// The twelfth part of a year, [`HOURS_PER_MONTH`] hours: taken where nobody states it.
    #[default]
    Average,
    /// From a day to the same day of the next month: up to 31 days.
    Calendar,
}

impl MonthRule {
    /// Reads `"calendar"` or `"730 h"`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "calendar" => Ok(Self::Calendar),
            "730 h" => Ok(Self::Average),
            _ => Err(format!("{text:?} is none of calendar, 730 h")),
        }
    }

    /// Hours that so many months in a row cover at most; leap days are not counted.
    ///
    /// ```
    /// use gpu_advisor::cost::MonthRule;
    /// // July and August are 62 days.
    /// assert_eq!(MonthRule::Calendar.hours(2), 62 * 24);
    /// assert_eq!(MonthRule::Average.hours(2), 1460);
    /// ```
    pub fn hours(self, months: u32) -> u32 {
        let months = months.min(MOST);
        match self {
            Self::Average => months * HOURS_PER_MONTH,
            Self::Calendar => {
                let rest = (months % MONTHS_PER_YEAR) as usize;
                let from = |start: usize| -> u32 { DAYS.iter().cycle().skip(start).take(rest).sum() };
                let longest = (0..DAYS.len()).map(from).max().unwrap_or(0);
                (months / MONTHS_PER_YEAR * DAYS.iter().sum::<u32>() + longest) * HOURS_PER_DAY
            }
        }
    }
}

/// Started months of a provider, at least one; `None` where the time cannot be represented.
///
/// ```
/// use gpu_advisor::cost::{BillingRule, MonthRule, whole_months};
/// use gpu_advisor::units::Seconds;
/// let calendar = BillingRule { month: MonthRule::Calendar, ..BillingRule::unknown() };
/// assert_eq!(whole_months(Seconds::from_days(31.0), &calendar), Some(1.into()));
/// assert_eq!(whole_months(Seconds::from_days(31.0), &BillingRule::unknown()), Some(2.into()));
/// ```
pub fn whole_months(time: Seconds, rule: &BillingRule) -> Option<Decimal> {
    let by_millisecond =
        BillingRule { granularity: Seconds::new(0.001), minimum: Seconds::ZERO, ..BillingRule::unknown() };
    let hours = by_millisecond.billed_hours(time)?;
    let mut months = (hours / Decimal::from(rule.month.hours(MONTHS_PER_YEAR))
        * Decimal::from(MONTHS_PER_YEAR))
    .floor()
    .to_u32()?
    .saturating_sub(1)
    .max(1);
    if months > MOST {
        return None;
    }
    while Decimal::from(rule.month.hours(months)) < hours {
        months += 1;
        if months > MOST {
            return None;
        }
    }
    Some(Decimal::from(months))
}
