//! The user's own price list: list prices, ordered rules that make net prices of them, and what is sold beside.
//!
//! ```toml
//! [[price]]
//! instance = "provider/name"
//! region = "region-1"              # optional: without it the price holds in every region
//! purchase = "on_demand"
//! price_per_hour = "12.3 USD/h"    # or price_per_month = "63118 CNY/month"
//! as_of = "2026-11-28"
//! source = "offer 4711"
//! valid_until = "2026-12-31"       # optional, as valid_from
//! firm = true                      # optional: binding, not indicative
//!
//! [[rule]]                         # first match wins, see `rule`
//! applies_to = "customer"
//! product = "compute"
//! discount = "12 %"
//!
//! [[rate]]                         # dated exchange rate, for every command; --fx wins over it
//! currency = "CNY"
//! per_usd = "7.10"
//! as_of = "2026-11-28"
//! ```

use std::collections::BTreeSet;

use jiff::civil::Date;

mod item;
mod lint;
mod read;
mod refresh;
mod rule;
mod shape;
mod table;
mod workbook;
mod write;

pub use item::{BookItem, BookTerms, ProductKind, Validity};
pub use lint::{LintKind, PriceLint, implausible_gpu_hour};
pub use refresh::Refreshed;
pub use rule::{Effect, NetPrice, PriceRule, RuleMismatch, Side, Subject, net_price};
pub use shape::{Stated, odd_shape};
pub use table::{Sheet, SheetRow};
pub use workbook::MAX_WORKBOOK_BYTES;

use super::price::{Price, PriceOrigin, PriceRate};
use super::record::Reader;
use crate::catalog::{Catalog, Finding, InstanceId, Purchase};
use crate::units::FxRate;

const PURCHASES: [Purchase; 5] =
    [Purchase::OnDemand, Purchase::Spot, Purchase::Reserved1y, Purchase::Reserved3y, Purchase::Monthly];

/// One entry of a price book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookPrice {
    /// The instance type.
    pub instance: InstanceId,
    /// The region it holds in; `None` for all.
    pub region: Option<String>,
    /// Purchase option.
    pub purchase: Purchase,
    /// Net price of one node.
    pub rate: PriceRate,
    /// The day it holds for.
    pub as_of: Date,
    /// Where the user has it from.
    pub source: String,
    /// Days on which it holds.
    pub validity: Validity,
    /// True when the price is binding, not indicative.
    pub firm: bool,
    /// Line or row of the file, for messages.
    pub line: usize,
}

/// What may be priced once.
type BookKey = (InstanceId, Option<String>, Purchase, Date, Validity);

const TWICE: &str = "is priced twice for the same region, purchase option and day; keep one";

impl BookPrice {
    fn key(&self) -> BookKey {
        (self.instance, self.region.clone(), self.purchase, self.as_of, self.validity)
    }

    /// As a price that can be ranked with others.
    pub(super) fn to_price(&self) -> Price {
        let price = Price::of_user(
            self.rate,
            self.purchase,
            self.region.clone(),
            PriceOrigin::PriceBook,
            self.as_of,
            self.source.clone(),
        );
        Price { firm: self.firm, valid_until: self.validity.until, ..price }
    }
}

/// A checked price book; the default is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceBook {
    /// Its prices, in file order.
    pub prices: Vec<BookPrice>,
    /// What is sold beside compute.
    pub items: Vec<BookItem>,
    /// Its rules, in file order.
    pub rules: Vec<PriceRule>,
    /// What it says about quotes.
    pub terms: BookTerms,
    /// Its exchange rates, one a currency.
    pub rates: Vec<FxRate>,
    /// What the file says about its machines and the catalog does not.
    pub odd: Vec<PriceLint>,
}

impl PriceBook {
    /// Reads a price book; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, instances and regions (with near names), missing or unreadable values,
    /// and two prices for the same instance, region, purchase option and day.
    pub fn parse(file: &str, text: &str, catalog: &Catalog) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["price", "item", "rule", "rate", "quote"]);
        let mut book = Self::default();
        let (mut keys, mut codes) = (BTreeSet::new(), BTreeSet::new());
        for record in reader.records(&document, "price", &read::PRICE_KEYS) {
            if reader.is_full() {
                break;
            }
            let Some(price) = read::price(&mut reader, &record, catalog) else { continue };
            if !keys.insert(price.key()) {
                reader.find(&record.span(), record.key("instance"), TWICE.to_owned());
            }
            book.prices.push(price);
        }
        for record in reader.records(&document, "item", &read::ITEM_KEYS) {
            if reader.is_full() {
                break;
            }
            let Some(item) = read::item(&mut reader, &record, catalog) else { continue };
            if !codes.insert(item.code.clone()) {
                let message = format!("{:?} is listed twice; keep one", item.code);
                reader.find(&record.span(), record.key("code"), message);
            }
            book.items.push(item);
        }
        for record in reader.records(&document, "rule", &read::RULE_KEYS) {
            if reader.is_full() {
                break;
            }
            book.rules.extend(read::rule(&mut reader, &record, catalog));
        }
        for record in reader.records(&document, "rate", &read::RATE_KEYS) {
            let Some(rate) = read::rate_of_currency(&mut reader, &record) else { continue };
            if book.rates.iter().any(|r| r.currency == rate.currency) {
                let message = format!("{} has two rates; keep one", rate.currency);
                reader.find(&record.span(), record.key("currency"), message);
            }
            book.rates.push(rate);
        }
        if let Some(record) = reader.table(&document, "quote", &read::TERM_KEYS) {
            book.terms = read::terms(&mut reader, &record);
        }
        if reader.is_clean() && book.prices.is_empty() && book.items.is_empty() && book.rules.is_empty() {
            let accepted = "no prices; accepted: [[price]], [[item]] and [[rule]] records";
            reader.find(&(0..0), "price".to_owned(), accepted.to_owned());
        }
        reader.finish(book)
    }

    /// The item of this code.
    pub fn item(&self, code: &str) -> Option<&BookItem> {
        self.items.iter().find(|item| item.code == code)
    }
}
