//! What a quote states beside its amounts, as values; reports put them into words.

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::super::billing::StoppedBilling;
use super::super::price_book::ProductKind;
use super::Basis;
use crate::units::Currency;

/// Why a quote is an estimate only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case", deny_unknown_fields)]
pub enum BudgetaryReason {
    /// A price is not binding.
    NotFirm {
        /// Order code.
        code: String,
    },
    /// A price is older than 30 days.
    OldPrice {
        /// Order code.
        code: String,
        /// Its day.
        as_of: Date,
    },
    /// A price is of a day after the quote.
    FuturePrice {
        /// Order code.
        code: String,
        /// Its day.
        as_of: Date,
    },
    /// A price for a GPU-hour is far outside what is known of the GPU.
    ImplausiblePrice {
        /// Order code.
        code: String,
    },
    /// The net total is nothing.
    ZeroTotal,
    /// The seller has to confirm a price. The customer's copy does not say why.
    Unconfirmed,
    /// The stated hours are fewer than the predicted median.
    HoursTooFew {
        /// Hours priced, as a percentage of the median.
        percent: u32,
    },
    /// A price has no date.
    UndatedPrice {
        /// Order code.
        code: String,
    },
    /// An exchange rate is older than 30 days.
    OldRate {
        /// The currency.
        currency: Currency,
        /// Its day.
        as_of: Date,
    },
    /// The prediction rests on data sheets.
    WeakEvidence,
    /// No run of the software on accelerators of this vendor is known: porting is not in the quote.
    Porting {
        /// The vendor.
        vendor: String,
        /// The software.
        software: String,
    },
    /// The prices are made up.
    Sample,
    /// It was asked for as one.
    Asked,
}

impl BudgetaryReason {
    /// True for what renewing a quote does not change.
    pub(super) const fn stays(&self) -> bool {
        matches!(
            self,
            Self::ImplausiblePrice { .. }
                | Self::ZeroTotal
                | Self::Unconfirmed
                | Self::HoursTooFew { .. }
                | Self::WeakEvidence
                | Self::Porting { .. }
                | Self::Sample
                | Self::Asked
        )
    }
}

/// Something assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Name of the quantity.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Why.
    pub reason: String,
}

/// How an alternative compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Costs more.
    Dearer,
    /// Costs as much or less, and takes longer.
    Slower,
    /// Costs no more and takes no longer: the quoted one is somebody's choice.
    Better,
    /// The job does not run on it.
    DoesNotRun,
    /// It has no price.
    NoPrice,
    /// It is not known to be on sale.
    NotKnownToBeSold,
    /// Costs no more, but commits to whole months.
    Commits,
    /// Costs less, but can be interrupted.
    Interruptible,
}

/// Something else that was considered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The cluster.
    pub name: String,
    /// Its time in seconds: the median, or that of `at`.
    pub time_s: Option<f64>,
    /// Its net amount of compute for that time.
    pub compute: Option<Decimal>,
    /// The quantile of both where it is not the median, as the hours of the quote are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Basis>,
    /// How it compares with the quoted cluster at the same quantile.
    pub verdict: Verdict,
    /// Why it was not chosen, in the seller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One way to buy the same nodes in the same place for the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WayToBuy {
    /// `on_demand`, `spot`, `monthly`, `reserved_1y`, `reserved_3y` or `monthly_and_on_demand`.
    pub purchase: String,
    /// What is to be paid, started months and commitments whole.
    pub paid: Decimal,
    /// What of it the job does not use.
    pub unused: Decimal,
    /// Months that are committed to; 0 for hourly ways.
    pub committed_months: u32,
    /// Node-months that are subscribed, where the rest is bought by the hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_months: Option<u32>,
    /// Hours of use a month from which it is cheaper than on demand.
    pub break_even_hours: Option<Decimal>,
    /// The same as a share of the month.
    pub break_even_utilization: Option<Decimal>,
    /// Against the way that is quoted; absent for that one itself.
    pub verdict: Option<Verdict>,
}

/// What is not in the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exclusion {
    /// Disks and other storage.
    Storage,
    /// Public addresses.
    PublicIp,
    /// Traffic out.
    Egress,
    /// Support.
    Support,
    /// Tax.
    Tax,
}

impl Exclusion {
    /// What is left out by a quote with lines of these kinds.
    pub fn of(kinds: &[ProductKind], taxed: bool) -> Vec<Self> {
        let has = |test: fn(ProductKind) -> bool| kinds.iter().any(|&k| test(k));
        let mut out = Vec::new();
        let mut add = |present: bool, exclusion: Self| {
            if !present {
                out.push(exclusion);
            }
        };
        add(has(ProductKind::is_storage), Self::Storage);
        add(has(|k| k == ProductKind::PublicIp), Self::PublicIp);
        add(has(|k| k == ProductKind::Egress), Self::Egress);
        add(has(|k| k == ProductKind::Support), Self::Support);
        add(taxed, Self::Tax);
        out
    }
}

/// What a quote depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "condition", rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// Stock and quota, checked on a day or not at all.
    StockAndQuota {
        /// The day.
        checked: Option<Date>,
    },
    /// Where the nodes are.
    Place {
        /// Region with city and country.
        place: String,
    },
    /// The quote ends with a price.
    PriceEnds {
        /// Order code.
        code: String,
        /// Last day of the price.
        until: Date,
    },
    /// No region is stated.
    PlaceUnstated,
    /// The type is of an old generation, or closed to new customers.
    EndOfSale {
        /// Its status.
        status: String,
    },
    /// Export and end use have to be cleared.
    ExportClearance,
    /// How running time is billed.
    Billing {
        /// Whole units of so many seconds.
        granularity_s: u64,
        /// Shortest time billed.
        minimum_s: u64,
        /// What a stopped node costs.
        stopped: Option<StoppedBilling>,
        /// Somebody states it.
        known: bool,
    },
    /// Nodes may be taken back.
    SpotInterruptions {
        /// Seconds of warning.
        notice_s: Option<u64>,
    },
    /// No monthly price is stated, but where one was seen at the provider it was so many hours of the hourly price, and
    /// the job runs longer.
    MonthlyMayPay {
        /// Hours.
        hours: Decimal,
    },
    /// The number of nodes follows the clock.
    ElasticNodes {
        /// Most nodes at once.
        most: u32,
        /// Changes of their number.
        changes: u32,
        /// Seconds that a change stops the job.
        change_s: u64,
    },
    /// The rate needs a commitment of so many months.
    Commitment {
        /// Months.
        months: u32,
    },
}

/// How the customer can check the performance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// Seconds of a step that are promised.
    pub step_time_s: f64,
    /// Share by which it may be exceeded.
    pub tolerance: f64,
}

/// A dated exchange rate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// The currency.
    pub currency: Currency,
    /// Units of it for a US dollar.
    pub per_usd: Decimal,
    /// Its day.
    pub date: Date,
}
