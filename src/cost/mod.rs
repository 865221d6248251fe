//! What does that time cost?
//!
//! Which price of an instance type holds ([`PriceRules`]), what is on offer where ([`offers`]), what a job of a
//! given length costs under it ([`job_cost`]) and at which price a loser would win ([`break_even`]). Amounts are
//! exact decimals in the currency they were stated in; they meet only through a dated exchange rate. No clock is
//! read: the day comes in as [`PriceRules::as_of`].
//!
//! A cost covers the nodes alone; what it leaves out is listed in [`EXCLUDED`].

pub mod billing;
pub mod break_even;
mod cluster_key;
mod elastic;
mod energy;
pub mod import;
mod job_cost;
mod month;
mod nearest;
mod offer;
mod place_filter;
mod price;
mod price_book;
mod price_doubt;
pub mod purchase_advice;
mod quota;
pub mod quote;
mod record;
mod schedule;
mod selection;
mod seller;
mod spot;
#[cfg(test)]
mod tests;
mod unit_price;
mod user_price;

pub use billing::{BillingRule, BillingTable, StoppedBilling};
pub use cluster_key::{InstanceAt, UnknownName};
pub use elastic::{Committed, ElasticBill, Pace, Stretch, Timeline, bills};
pub use energy::{Energy, EnergyAssumptions, EnergyFigure, EnergyTable};
pub use job_cost::{CostNote, CostOutcome, EXCLUDED, JobCost, JobTimes, compute_cost, job_cost, jobs_cost};
pub use month::{MonthRule, whole_months};
pub use offer::{Offer, SAME_DIGITS, Standing, StandingNote, offers, offers_of};
pub use place_filter::{PlaceFilter, RegionError, RegionSelector};
pub use price::{HOURS_PER_MONTH, Price, PriceOrigin, PriceRate, STALE_AFTER_DAYS};
pub use price_book::{
    BookItem, BookPrice, BookTerms, Effect, LintKind, MAX_WORKBOOK_BYTES, NetPrice, PriceBook, PriceLint,
    PriceRule, ProductKind, Refreshed, RuleMismatch, Sheet, SheetRow, Side, Stated, Subject, Validity,
    net_price, odd_shape,
};
pub use price_doubt::{DoubtedPrice, PriceDoubt, doubt_of, doubted_prices};
pub use quota::{Allowance, Quota, QuotaUnit};
pub use schedule::{Schedule, Window};
pub use selection::{LossReason, PriceKey, PriceRules, SelectedPrice};
pub use seller::SellerRules;
pub use spot::SpotTable;
pub use unit_price::{SaleUnit, UnitPrice, parse_percent, parse_share, percent_text};
pub use user_price::{UserPrice, UserPriceError};
