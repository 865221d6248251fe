//! The user's own price list: one net price per instance, region and purchase option.
//!
//! ```toml
//! [[price]]
//! instance = "provider/name"
//! region = "region-1"              # optional: without it the price holds in every region
//! purchase = "on_demand"
//! price_per_hour = "12.3 USD/h"    # or price_per_month = "63118 CNY/month"
//! as_of = "2026-11-28"
//! source = "offer 4711"
//! ```

use jiff::civil::Date;

use super::cluster_key::{find_instance, known_region};
use super::price::{Price, PriceOrigin, PriceRate};
use super::record::{Reader, Record};
use crate::catalog::{Catalog, Finding, InstanceId, Purchase};

const KEYS: [&str; 7] =
    ["instance", "region", "purchase", "price_per_hour", "price_per_month", "as_of", "source"];

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
}

impl BookPrice {
    /// As a price that can be ranked with others.
    pub(super) fn to_price(&self) -> Price {
        Price::of_user(
            self.rate,
            self.purchase,
            self.region.clone(),
            PriceOrigin::PriceBook,
            self.as_of,
            self.source.clone(),
        )
    }
}

/// A checked price book; the default is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceBook {
    /// Its prices, in file order.
    pub prices: Vec<BookPrice>,
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
        reader.deny_unknown(&document, &["price"]);
        let mut prices: Vec<BookPrice> = Vec::new();
        for record in reader.records(&document, "price", &KEYS) {
            let Some(price) = read_price(&mut reader, &record, catalog) else { continue };
            let same = |p: &&BookPrice| {
                (p.instance, &p.region, p.purchase, p.as_of)
                    == (price.instance, &price.region, price.purchase, price.as_of)
            };
            if prices.iter().any(|p| same(&p)) {
                reader.find(
                    &record.span(),
                    record.key("instance"),
                    "is priced twice for the same region, purchase option and day; keep one".to_owned(),
                );
            }
            prices.push(price);
        }
        if reader.is_clean() && prices.is_empty() {
            reader.find(&(0..0), "price".to_owned(), "no prices; accepted: [[price]] records".to_owned());
        }
        reader.finish(Self { prices })
    }

    /// The text that [`PriceBook::parse`] reads.
    pub fn to_toml(&self, catalog: &Catalog) -> String {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let mut out = String::new();
        for price in &self.prices {
            let key = match price.rate {
                PriceRate::PerHour(_) => "price_per_hour",
                PriceRate::PerMonth(_) => "price_per_month",
            };
            let mut lines = vec![
                "[[price]]".to_owned(),
                format!("instance = {}", quoted(&catalog.instance(price.instance).key())),
            ];
            lines.extend(price.region.as_ref().map(|region| format!("region = {}", quoted(region))));
            lines.push(format!("purchase = {}", quoted(price.purchase.name())));
            lines.push(format!("{key} = {}", quoted(&price.rate.to_string())));
            lines.push(format!("as_of = {}", quoted(&price.as_of.to_string())));
            lines.push(format!("source = {}", quoted(&price.source)));
            out.push_str(&lines.join("\n"));
            out.push_str("\n\n");
        }
        out
    }
}

fn read_price(reader: &mut Reader<'_>, record: &Record<'_>, catalog: &Catalog) -> Option<BookPrice> {
    let instance = reader.required(record, "instance", "\"provider/name\"", |text| {
        find_instance(text, catalog).map_err(|e| e.to_string())
    });
    // A region can only be judged under its provider.
    let region = reader.optional(record, "region", |text| match instance {
        Some(id) => known_region(catalog, id, text).map_err(|e| e.to_string()),
        None => Ok(text.to_owned()),
    });
    let names = PURCHASES.map(Purchase::name).join(", ");
    let purchase = reader.required(record, "purchase", &names, |text| {
        PURCHASES
            .into_iter()
            .find(|p| p.name() == text)
            .ok_or_else(|| format!("unknown purchase option {text:?}; accepted: {names}"))
    });
    let rate = read_rate(reader, record, purchase);
    let as_of = reader.required(record, "as_of", "a day, such as \"2026-11-28\"", |text| {
        text.parse::<Date>().map_err(|_| format!("{text:?} is not a day, such as \"2026-11-28\""))
    });
    let source = reader.required(record, "source", "where the price is from", |text| {
        if text.trim().is_empty() {
            Err("must say where the price is from".to_owned())
        } else {
            Ok(text.to_owned())
        }
    });
    // A region that was given but not understood is a finding already; the value is then never used.
    Some(BookPrice {
        instance: instance?,
        region,
        purchase: purchase?,
        rate: rate?,
        as_of: as_of?,
        source: source?,
    })
}

/// The one price of a record, in the unit that its purchase option is sold in.
fn read_rate(reader: &mut Reader<'_>, record: &Record<'_>, purchase: Option<Purchase>) -> Option<PriceRate> {
    let read = |want_month: bool, example: &'static str| {
        move |text: &str| {
            PriceRate::parse(text)
                .ok()
                .filter(|rate| matches!(rate, PriceRate::PerMonth(_)) == want_month)
                .ok_or_else(|| {
                    format!("{text:?} is not a price from above zero to ten million with its unit, such as {example:?}")
                })
        }
    };
    let has_hour = record.get("price_per_hour").is_some();
    let has_month = record.get("price_per_month").is_some();
    let hour = reader.optional(record, "price_per_hour", read(false, "12.3 USD/h"));
    let month = reader.optional(record, "price_per_month", read(true, "63118 CNY/month"));
    match (has_hour, has_month) {
        (true, true) => {
            let message = "price_per_hour and price_per_month exclude each other: give one".to_owned();
            reader.find(&record.span(), record.key("price_per_month"), message);
            None
        }
        (false, false) => {
            let message = "is missing; accepted: \"12.3 USD/h\", or price_per_month = \"63118 CNY/month\"";
            reader.find(&record.span(), record.key("price_per_hour"), message.to_owned());
            None
        }
        (true, false) if purchase == Some(Purchase::Monthly) => {
            let message = "a monthly purchase is priced by price_per_month".to_owned();
            reader.find(&record.span(), record.key("price_per_hour"), message);
            None
        }
        (false, true) if matches!(purchase, Some(Purchase::OnDemand | Purchase::Spot)) => {
            let message = "on_demand and spot are priced by price_per_hour".to_owned();
            reader.find(&record.span(), record.key("price_per_month"), message);
            None
        }
        _ => hour.or(month),
    }
}
