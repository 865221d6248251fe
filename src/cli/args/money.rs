//! Prices on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::catalog::Purchase;

/// Flags that state prices, and how totals are shown.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Money")]
pub struct MoneyArgs {
    /// Your net price of one node, whatever the cluster's number of nodes: `provider/instance[@region]=131.5CNY/h` or
    /// `=63118CNY/month`; wins over every other price. Repeat for several
    #[arg(long = "price", value_name = "CLUSTER=PRICE")]
    pub prices: Vec<String>,
    /// Your price book: .toml with prices, rules and items, or a price list as .csv or .xlsx (catalog/FORMAT.md); wins
    /// over the catalog. Its rules for customers make the net prices that are ranked and quoted
    #[arg(long, value_name = "FILE")]
    pub price_book: Option<PathBuf>,
    /// Currency of totals, three letters [default: that of --budget of a search, else USD]
    #[arg(long, value_name = "CODE")]
    pub currency: Option<String>,
    /// A dated exchange rate, units per US dollar: SGD=1.29@2026-11-28. Amounts without a rate keep their currency and
    /// are not ranked. Repeat for several
    #[arg(long, value_name = "CODE=RATE@DATE")]
    pub fx: Vec<String>,
    /// How nodes are bought; several with commas [default: on-demand]
    #[arg(long = "purchase", value_name = "NAME", value_delimiter = ',')]
    pub purchases: Vec<PurchaseName>,
    /// The day the question is asked on, for the age of prices and for deadlines [default: today]
    #[arg(long, value_name = "DATE")]
    pub as_of: Option<String>,
}

/// Names of `--purchase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PurchaseName {
    /// Pay per use
    #[value(alias = "on_demand")]
    OnDemand,
    /// Interruptible
    Spot,
    /// Committed for one year
    #[value(name = "reserved-1y", alias = "reserved_1y")]
    Reserved1y,
    /// Committed for three years
    #[value(name = "reserved-3y", alias = "reserved_3y")]
    Reserved3y,
    /// By the month
    Monthly,
}

impl PurchaseName {
    /// The option itself.
    pub const fn purchase(self) -> Purchase {
        match self {
            Self::OnDemand => Purchase::OnDemand,
            Self::Spot => Purchase::Spot,
            Self::Reserved1y => Purchase::Reserved1y,
            Self::Reserved3y => Purchase::Reserved3y,
            Self::Monthly => Purchase::Monthly,
        }
    }
}
