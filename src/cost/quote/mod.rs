//! A quote: what is sold, at what price, on which prediction, and what it leaves open.
//!
//! [`draw_up`] makes one from priced lines, or says everything that forbids it. Amounts are rounded line by line, so
//! that the printed lines add up to the printed totals: for each line the list amount, the net amount and the tax are
//! rounded to the smallest payable unit of the currency, and totals are sums of rounded numbers.
//!
//! A [`Quote`] is also its own record: written as JSON, it can be printed again later and compared with another.

mod changes;
mod draw_up;
mod line;
mod prediction;
mod record;
mod statement;

pub use changes::{Change, changes, differences};
pub use draw_up::{QuoteInput, QuoteRefusal, draw_up};
pub use line::{LineCost, LineInput, Product, ProductRole, QuoteLine, Totals, net_amount};
pub use prediction::{AdapterNote, Prediction, Quantiles, ScheduleNote, ScheduleSize};
pub use record::{Copy, ReprintError, read, reprint};
pub use statement::{
    Acceptance, Alternative, BudgetaryReason, Condition, Exclusion, Note, Rate, Verdict, WayToBuy,
};

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::units::{Currency, RoundingMode};

/// Version of the JSON layout.
pub const SCHEMA_VERSION: u32 = 1;

/// Tax on net amounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tax {
    /// What it is called, such as VAT.
    pub name: String,
    /// As a share: 0.06.
    pub rate: Decimal,
}

/// What the price of compute is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The predicted median.
    P50,
    /// The predicted time that nine jobs in ten stay below: with contingency.
    P90,
    /// A rental time that the customer asked for.
    Stated,
}

/// A quote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// Version of this layout.
    pub schema_version: u32,
    /// Number of the quote.
    pub number: String,
    /// SHA-256 of the customer's copy without number and hash, in hexadecimal.
    pub content_hash: String,
    /// True for an estimate: some price is not firm, or some number not known well enough.
    pub budgetary: bool,
    /// Why.
    pub budgetary_reasons: Vec<BudgetaryReason>,
    /// Who quotes.
    pub seller: Option<String>,
    /// For whom.
    pub customer: String,
    /// Day of the quote.
    pub issued: Date,
    /// Last day on which it holds.
    pub valid_until: Date,
    /// The number of the quote that this one renews.
    pub renews: Option<String>,
    /// Currency of all amounts.
    pub currency: Currency,
    /// How amounts are rounded.
    pub rounding: RoundingMode,
    /// The tax, if it is in the total.
    pub tax: Option<Tax>,
    /// What the hours of compute are.
    pub basis: Basis,
    /// The lines.
    pub lines: Vec<QuoteLine>,
    /// Their sums.
    pub totals: Totals,
    /// What the job is predicted to take.
    pub prediction: Option<Prediction>,
    /// What was assumed.
    pub assumptions: Vec<Note>,
    /// What else was considered.
    pub alternatives: Vec<Alternative>,
    /// Ways to buy the nodes, cheapest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways_to_buy: Vec<WayToBuy>,
    /// What is not in the total.
    pub exclusions: Vec<Exclusion>,
    /// What the quote depends on.
    pub conditions: Vec<Condition>,
    /// How the customer can check the performance.
    pub acceptance: Option<Acceptance>,
    /// The exchange rates that amounts went through.
    pub exchange_rates: Vec<Rate>,
    /// What the seller pays and keeps; only in the internal copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<Internal>,
}

/// What the customer does not see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Internal {
    /// What the seller pays, net of tax.
    pub cost: Decimal,
    /// Net total less that.
    pub margin: Decimal,
    /// As a share of the net total.
    pub margin_share: Option<Decimal>,
}

impl Quote {
    /// The copy for the customer: cost, margin, markups and the seller's own sources are not in it.
    #[must_use]
    pub fn for_customer(&self) -> Self {
        let mut copy = self.clone();
        copy.internal = None;
        for line in &mut copy.lines {
            line.internal = None;
        }
        copy
    }

    /// True when it holds no longer on this day.
    pub fn has_expired(&self, today: Date) -> bool {
        today > self.valid_until
    }

    /// True when it is the seller's own copy.
    pub const fn is_internal(&self) -> bool {
        self.internal.is_some()
    }
}
