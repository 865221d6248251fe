//! What is sold beside compute: storage, traffic, addresses, support, one-off work.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::super::unit_price::UnitPrice;

/// Kind of product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProductKind {
    /// Nodes with GPUs.
    Compute,
    /// Object storage.
    ObjectStorage,
    /// Shared file systems.
    FileStorage,
    /// Disks.
    BlockStorage,
    /// Traffic to the internet or to another region.
    Egress,
    /// Public addresses and their bandwidth.
    PublicIp,
    /// Support.
    Support,
    /// Anything paid once, such as set-up.
    OneOff,
}

impl ProductKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Compute,
        Self::ObjectStorage,
        Self::FileStorage,
        Self::BlockStorage,
        Self::Egress,
        Self::PublicIp,
        Self::Support,
        Self::OneOff,
    ];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::ObjectStorage => "object_storage",
            Self::FileStorage => "file_storage",
            Self::BlockStorage => "block_storage",
            Self::Egress => "egress",
            Self::PublicIp => "public_ip",
            Self::Support => "support",
            Self::OneOff => "one_off",
        }
    }

    /// Finds a kind by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// True for the three kinds of storage.
    pub const fn is_storage(self) -> bool {
        matches!(self, Self::ObjectStorage | Self::FileStorage | Self::BlockStorage)
    }
}

/// The days a statement holds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Validity {
    /// First day.
    pub from: Option<Date>,
    /// Last day.
    pub until: Option<Date>,
}

impl Validity {
    /// True when it holds on a day.
    pub fn holds(self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day <= until)
    }
}

/// One item of a price book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookItem {
    /// What it is ordered by, unique in the book.
    pub code: String,
    /// What it is called.
    pub name: String,
    /// Kind of product.
    pub kind: ProductKind,
    /// List price of one unit.
    pub price: UnitPrice,
    /// In every quote in this quantity, unless the quote says otherwise.
    pub quantity: Option<Decimal>,
    /// Only at this provider.
    pub provider: Option<String>,
    /// Only in this region.
    pub region: Option<String>,
    /// Day of the price.
    pub as_of: Date,
    /// Where it is from.
    pub source: String,
    /// Days on which it holds.
    pub validity: Validity,
    /// True when the price is binding, not indicative.
    pub firm: bool,
}

/// What a price book says about quotes as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BookTerms {
    /// Who quotes.
    pub seller: Option<String>,
    /// Tax as a share of net amounts.
    pub tax: Option<Decimal>,
    /// What the tax is called.
    pub tax_name: Option<String>,
    /// Days that a quote holds.
    pub valid_days: Option<u16>,
    /// How amounts are rounded.
    pub rounding: Option<crate::units::RoundingMode>,
    /// True for made-up prices: every quote from them says so.
    pub sample: bool,
}
