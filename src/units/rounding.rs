//! How amounts of money are rounded, and to how many decimals.

use rust_decimal::{Decimal, RoundingStrategy};

use super::money::{Currency, Money};

/// How an amount that falls between two payable ones is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundingMode {
    /// To the nearest, halves away from zero.
    #[default]
    HalfUp,
    /// To the nearest, halves to the even neighbour.
    HalfEven,
    /// Away from zero.
    Up,
    /// Towards zero.
    Down,
}

impl RoundingMode {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::HalfUp, Self::HalfEven, Self::Up, Self::Down];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HalfUp => "half_up",
            Self::HalfEven => "half_even",
            Self::Up => "up",
            Self::Down => "down",
        }
    }

    /// Finds a mode by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The amount with so many decimals.
    ///
    /// ```
    /// use gpu_advisor::units::RoundingMode;
    /// let half = "0.125".parse().unwrap();
    /// let rounded = RoundingMode::ALL.map(|mode| mode.round(half, 2).to_string());
    /// assert_eq!(rounded, ["0.13", "0.12", "0.13", "0.12"]);
    /// ```
    pub fn round(self, amount: Decimal, decimals: u32) -> Decimal {
        let strategy = match self {
            Self::HalfUp => RoundingStrategy::MidpointAwayFromZero,
            Self::HalfEven => RoundingStrategy::MidpointNearestEven,
            Self::Up => RoundingStrategy::AwayFromZero,
            Self::Down => RoundingStrategy::ToZero,
        };
        let mut rounded = amount.round_dp_with_strategy(decimals, strategy);
        rounded.rescale(decimals);
        rounded
    }

    /// The amount in the smallest unit that its currency pays.
    #[must_use]
    pub fn round_money(self, money: Money) -> Money {
        Money::new(self.round(money.amount, money.currency.decimals()), money.currency)
    }
}

/// Currencies of ISO 4217 without a minor unit.
const NO_DECIMALS: [&str; 11] = ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KRW", "PYG", "UGX", "VND", "XAF"];
/// Currencies of ISO 4217 with a thousandth as minor unit.
const THREE_DECIMALS: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

impl Currency {
    /// Decimals of the smallest amount that is paid: 2, but 0 for the yen and 3 for the dinars.
    pub fn decimals(self) -> u32 {
        let code = self.to_string();
        if NO_DECIMALS.contains(&code.as_str()) {
            0
        } else if THREE_DECIMALS.contains(&code.as_str()) {
            3
        } else {
            2
        }
    }
}
