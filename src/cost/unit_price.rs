//! What a price is for: one unit of something that is sold, by the hour, the month or the piece.

use rust_decimal::Decimal;

use crate::units::{Money, MoneyError};

/// What one unit of a price is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum SaleUnit {
    /// An hour of one node, address or service.
    #[serde(rename = "h")]
    Hour,
    /// A month of one node, address or service.
    #[serde(rename = "month")]
    Month,
    /// A gigabyte kept for a month.
    #[serde(rename = "GB-month")]
    GigabyteMonth,
    /// A gigabyte moved.
    #[serde(rename = "GB")]
    Gigabyte,
    /// A megabit per second of bandwidth for a month.
    #[serde(rename = "Mbit/s-month")]
    MegabitMonth,
    /// One piece, paid once.
    #[serde(rename = "each")]
    Each,
}

impl SaleUnit {
    /// Every unit.
    pub const ALL: [Self; 6] =
        [Self::Hour, Self::Month, Self::GigabyteMonth, Self::Gigabyte, Self::MegabitMonth, Self::Each];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hour => "h",
            Self::Month => "month",
            Self::GigabyteMonth => "GB-month",
            Self::Gigabyte => "GB",
            Self::MegabitMonth => "Mbit/s-month",
            Self::Each => "each",
        }
    }

    /// Finds a unit by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// An amount for one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitPrice {
    /// The amount.
    pub money: Money,
    /// For one of these.
    pub unit: SaleUnit,
}

impl UnitPrice {
    /// Reads `"0.35 USD/GB-month"`, `"12.3 USD/h"`, `"3 CNY/Mbit/s-month"`, `"500 USD/each"`.
    ///
    /// ```
    /// use gpu_advisor::cost::{SaleUnit, UnitPrice};
    /// let price = UnitPrice::parse("0.35 USD/GB-month").unwrap();
    /// assert_eq!((price.unit, price.to_string().as_str()), (SaleUnit::GigabyteMonth, "0.35 USD/GB-month"));
    /// assert!(UnitPrice::parse("0.35 USD").is_err());
    /// ```
    ///
    /// # Errors
    /// When amount, currency or unit cannot be read, or the amount is not above zero.
    pub fn parse(text: &str) -> Result<Self, MoneyError> {
        let fail = || MoneyError::Rate(text.to_owned());
        let (amount, unit) = text.trim().split_once('/').ok_or_else(fail)?;
        let unit = SaleUnit::parse(unit.trim()).ok_or_else(fail)?;
        let money = Money::parse(amount).map_err(|_| fail())?;
        if money.amount > Decimal::ZERO { Ok(Self { money, unit }) } else { Err(fail()) }
    }
}

impl std::fmt::Display for UnitPrice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.money, self.unit.name())
    }
}

/// Reads a percentage, `"12 %"` or `"12.5%"`, as a share: 0.12.
///
/// ```
/// use gpu_advisor::cost::parse_percent;
/// assert_eq!(parse_percent("12.5 %").unwrap().to_string(), "0.125");
/// assert!(parse_percent("12").is_err());
/// ```
///
/// # Errors
/// When the sign is missing, the number cannot be read, or it is negative or above 1000 %.
pub fn parse_percent(text: &str) -> Result<Decimal, String> {
    let fail = || format!("{text:?} is no percentage, such as \"12 %\"");
    let number: Decimal =
        text.trim().strip_suffix('%').ok_or_else(fail)?.trim().parse().map_err(|_| fail())?;
    if number < Decimal::ZERO || number > Decimal::from(1000) {
        return Err(fail());
    }
    Ok((number / Decimal::ONE_HUNDRED).normalize())
}

/// Reads a discount or a tax: a percentage of at most the whole price.
///
/// ```
/// use gpu_advisor::cost::parse_share;
/// assert_eq!(parse_share("6 %").unwrap().to_string(), "0.06");
/// assert!(parse_share("600 %").is_err());
/// ```
///
/// # Errors
/// When it is no percentage, or more than the whole price.
pub fn parse_share(text: &str) -> Result<Decimal, String> {
    parse_percent(text).and_then(|share| {
        if share > Decimal::ONE {
            Err(format!("{text:?} is more than the whole price; at most 100 % is accepted"))
        } else {
            Ok(share)
        }
    })
}

/// A share as a percentage, exactly.
pub fn percent_text(share: Decimal) -> String {
    share.checked_mul(Decimal::ONE_HUNDRED).map_or_else(|| "?".to_owned(), |p| format!("{} %", p.normalize()))
}
