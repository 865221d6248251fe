//! Price records as published: one per instance, region and purchase option.

use super::{InstanceId, Provenance};
use crate::units::Money;

/// How the node is bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purchase {
    /// Pay per use.
    OnDemand,
    /// Interruptible.
    Spot,
    /// Committed for one year.
    #[serde(rename = "reserved_1y")]
    Reserved1y,
    /// Committed for three years.
    #[serde(rename = "reserved_3y")]
    Reserved3y,
    /// Subscribed by the month.
    Monthly,
}

impl Purchase {
    /// Every way.
    pub const ALL: [Self; 5] =
        [Self::OnDemand, Self::Spot, Self::Reserved1y, Self::Reserved3y, Self::Monthly];

    /// The name in files, on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "on_demand",
            Self::Spot => "spot",
            Self::Reserved1y => "reserved_1y",
            Self::Reserved3y => "reserved_3y",
            Self::Monthly => "monthly",
        }
    }
}

/// Kind of the price source, best first (the order is the rank).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriceQuality {
    /// Machine-readable provider catalog.
    Catalog,
    /// Catalog embedded in a provider's code.
    CatalogCode,
    /// A statement by the vendor.
    VendorStatement,
    /// Example in the vendor's documentation.
    DocExample,
    /// Host and accelerator rows added.
    SumOfCatalogRows,
    /// Harvested by a third party.
    ThirdPartyHarvest,
    /// Transcribed by a third party.
    ThirdPartyTranscription,
    /// A curated table.
    CuratedTable,
    /// A remark by a third party.
    ThirdPartyNote,
}

impl PriceQuality {
    /// True for prices that did not come from the provider.
    pub const fn is_third_party(self) -> bool {
        matches!(
            self,
            Self::ThirdPartyHarvest
                | Self::ThirdPartyTranscription
                | Self::CuratedTable
                | Self::ThirdPartyNote
        )
    }
}

/// One published price of one whole node.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceRecord {
    /// The instance type it prices.
    pub instance: InstanceId,
    /// Region id of its provider; `None` when the source states none.
    pub region: Option<String>,
    /// Purchase option.
    pub purchase: Purchase,
    /// Price per node-hour, where sold by the hour.
    pub per_hour: Option<Money>,
    /// Price per node-month, where sold by the month.
    pub per_month: Option<Money>,
    /// Precision of the date in the provenance: `day`, `month`, `year`, `unknown`.
    pub date_precision: DatePrecision,
    /// Kind of source.
    pub quality: PriceQuality,
    /// A newer figure of the same thing exists.
    pub superseded: bool,
    /// Why the figure is doubtful, if it is (spot not below on-demand).
    pub suspect: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}

/// How precisely a source dates its figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DatePrecision {
    /// To the day.
    Day,
    /// To the month.
    Month,
    /// To the year.
    Year,
    /// Not dated.
    Unknown,
}
