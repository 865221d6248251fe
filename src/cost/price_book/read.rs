//! Reading the records of a price book: every problem becomes a finding.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::super::cluster_key::{find_instance, known_region, provider_regions};
use super::super::nearest::{near_clause, near_names};
use super::super::price::PriceRate;
use super::super::record::{Reader, Record};
use super::super::unit_price::{SaleUnit, UnitPrice, parse_percent, parse_share};
use super::item::{BookItem, BookTerms, ProductKind, Validity};
use super::rule::{Effect, PriceRule, Side};
use super::{BookPrice, PURCHASES};
use crate::catalog::{Catalog, InstanceId, Purchase};
use crate::units::{Currency, FxRate, RoundingMode};

pub(super) const PRICE_KEYS: [&str; 10] = [
    "instance",
    "region",
    "purchase",
    "price_per_hour",
    "price_per_month",
    "as_of",
    "source",
    "valid_from",
    "valid_until",
    "firm",
];
pub(super) const ITEM_KEYS: [&str; 12] = [
    "code",
    "name",
    "kind",
    "price",
    "quantity",
    "provider",
    "region",
    "as_of",
    "source",
    "valid_from",
    "valid_until",
    "firm",
];
pub(super) const RULE_KEYS: [&str; 15] = [
    "applies_to",
    "provider",
    "family",
    "instance",
    "region",
    "zone",
    "purchase",
    "product",
    "valid_from",
    "valid_until",
    "discount",
    "fixed_saving",
    "fixed_price",
    "markup",
    "note",
];
pub(super) const RATE_KEYS: [&str; 4] = ["currency", "per_usd", "as_of", "source"];
pub(super) const TERM_KEYS: [&str; 6] = ["seller", "tax", "tax_name", "valid_days", "rounding", "sample"];

/// A day as it is written.
pub(super) fn day(text: &str) -> Result<Date, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is not a day, such as \"2026-11-28\""))
}

/// A purchase option by its name.
pub(super) fn purchase(text: &str) -> Result<Purchase, String> {
    let found = PURCHASES.into_iter().find(|p| p.name() == text);
    let names = PURCHASES.map(Purchase::name).join(", ");
    found.ok_or_else(|| format!("unknown purchase option {text:?}; accepted: {names}"))
}

/// Text that says something.
pub(super) fn some_text(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("is empty".to_owned()) } else { Ok(text.to_owned()) }
}

fn one_of<T: Copy>(text: &str, what: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    let names: Vec<&str> = all.iter().map(|&t| name(t)).collect();
    let found = all.iter().copied().find(|&t| name(t) == text);
    found.ok_or_else(|| format!("unknown {what} {text:?}; accepted: {}", names.join(", ")))
}

fn product(text: &str) -> Result<ProductKind, String> {
    one_of(text, "product", &ProductKind::ALL, ProductKind::name)
}

fn provider(text: &str, catalog: &Catalog) -> Result<String, String> {
    let known: BTreeSet<&str> = catalog.instances.iter().map(|i| i.provider.as_str()).collect();
    if known.contains(text) {
        return Ok(text.to_owned());
    }
    let near = near_names(text, known.iter().copied());
    Err(format!("unknown provider {text:?}{}", near_clause(&near)))
}

fn validity(reader: &mut Reader<'_>, record: &Record<'_>) -> Validity {
    let from = reader.optional(record, "valid_from", day);
    let until = reader.optional(record, "valid_until", day);
    if let (Some(from), Some(until)) = (from, until)
        && until < from
    {
        let message = format!("ends on {until}, before it begins on {from}");
        reader.find(&record.span(), record.key("valid_until"), message);
    }
    Validity { from, until }
}

/// Reads `[[price]]`.
pub(super) fn price(reader: &mut Reader<'_>, record: &Record<'_>, catalog: &Catalog) -> Option<BookPrice> {
    let instance = reader.required(record, "instance", "\"provider/name\"", |text| {
        find_instance(text, catalog).map_err(|e| e.to_string())
    });
    // A region can only be judged under its provider.
    let region = reader.optional(record, "region", |text| match instance {
        Some(id) => known_region(catalog, id, text).map_err(|e| e.to_string()),
        None => Ok(text.to_owned()),
    });
    let names = PURCHASES.map(Purchase::name).join(", ");
    let purchase = reader.required(record, "purchase", &names, purchase);
    let rate = rate(reader, record, purchase);
    let as_of = reader.required(record, "as_of", "a day, such as \"2026-11-28\"", day);
    let source = reader.required(record, "source", "where the price is from", |text| {
        some_text(text).map_err(|_| "must say where the price is from".to_owned())
    });
    let validity = validity(reader, record);
    let firm = reader.flag(record, "firm").unwrap_or(false);
    // A region that was given but not understood is a finding already; the value is then never used.
    Some(BookPrice {
        instance: instance?,
        region,
        purchase: purchase?,
        rate: rate?,
        as_of: as_of?,
        source: source?,
        validity,
        firm,
        line: reader.line(&record.span()),
    })
}

/// The one price of a record, in the unit that its purchase option is sold in.
fn rate(reader: &mut Reader<'_>, record: &Record<'_>, purchase: Option<Purchase>) -> Option<PriceRate> {
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
    let mut find = |key: &str, message: &str| {
        reader.find(&record.span(), record.key(key), message.to_owned());
        None
    };
    match (has_hour, has_month) {
        (true, true) => {
            find("price_per_month", "price_per_hour and price_per_month exclude each other: give one")
        }
        (false, false) => find(
            "price_per_hour",
            "is missing; accepted: \"12.3 USD/h\", or price_per_month = \"63118 CNY/month\"",
        ),
        (true, false) if purchase == Some(Purchase::Monthly) => {
            find("price_per_hour", "a monthly purchase is priced by price_per_month")
        }
        (false, true) if matches!(purchase, Some(Purchase::OnDemand | Purchase::Spot)) => {
            find("price_per_month", "on_demand and spot are priced by price_per_hour")
        }
        _ => hour.or(month),
    }
}

/// Reads `[[item]]`.
pub(super) fn item(reader: &mut Reader<'_>, record: &Record<'_>, catalog: &Catalog) -> Option<BookItem> {
    let code = reader.required(record, "code", "a short name to order it by", some_text);
    let name = reader.optional(record, "name", some_text);
    let kinds = ProductKind::ALL.map(ProductKind::name).join(", ");
    let kind = reader.required(record, "kind", &kinds, |text| match product(text)? {
        ProductKind::Compute => Err("compute is priced by [[price]] records".to_owned()),
        kind => Ok(kind),
    });
    let units = SaleUnit::ALL.map(SaleUnit::name).join(", ");
    let price = reader.required(record, "price", "\"0.35 USD/GB-month\"", |text| {
        UnitPrice::parse(text).map_err(|_| {
            format!("{text:?} is not a price above zero with its unit, such as \"0.35 USD/GB-month\"; units: {units}")
        })
    });
    let quantity = reader.optional(record, "quantity", quantity);
    let of = reader.optional(record, "provider", |text| provider(text, catalog));
    let region = reader.optional(record, "region", |text| known_to(of.as_deref(), text, catalog));
    let as_of = reader.required(record, "as_of", "a day, such as \"2026-11-28\"", day);
    let source = reader.required(record, "source", "where the price is from", some_text);
    let validity = validity(reader, record);
    let firm = reader.flag(record, "firm").unwrap_or(false);
    let code = code?;
    Some(BookItem {
        name: name.unwrap_or_else(|| code.clone()),
        code,
        kind: kind?,
        price: price?,
        quantity,
        provider: of,
        region,
        as_of: as_of?,
        source: source?,
        validity,
        firm,
    })
}

/// A quantity above zero.
pub(super) fn quantity(text: &str) -> Result<Decimal, String> {
    let number = text.trim().replace('_', "").parse().ok().filter(|n: &Decimal| *n > Decimal::ZERO);
    number.ok_or_else(|| format!("{text:?} is no quantity above zero, such as \"500\""))
}

/// A region of the provider, or of any if none is named.
fn known_to(provider: Option<&str>, text: &str, catalog: &Catalog) -> Result<String, String> {
    let of_all = || catalog.instances.iter().map(|i| i.provider.as_str()).collect::<BTreeSet<_>>();
    let providers = provider.map_or_else(of_all, |p| BTreeSet::from([p]));
    let regions: BTreeSet<&str> = providers.iter().flat_map(|p| provider_regions(catalog, p)).collect();
    if regions.contains(text) {
        return Ok(text.to_owned());
    }
    Err(format!("unknown region {text:?}{}", near_clause(&near_names(text, regions.iter().copied()))))
}

/// Reads `[[rule]]`.
pub(super) fn rule(reader: &mut Reader<'_>, record: &Record<'_>, catalog: &Catalog) -> Option<PriceRule> {
    let side = reader.required(record, "applies_to", "customer, cost", |text| {
        one_of(text, "side", &[Side::Cost, Side::Customer], Side::name)
    });
    let of = reader.optional(record, "provider", |text| provider(text, catalog));
    let instance =
        reader.optional(record, "instance", |text| find_instance(text, catalog).map_err(|e| e.to_string()));
    let family = reader.optional(record, "family", |text| {
        let known: BTreeSet<&str> = catalog.instances.iter().map(|i| i.family.as_str()).collect();
        let near = near_clause(&near_names(text, known.iter().copied()));
        let same = known.iter().find(|k| k.eq_ignore_ascii_case(text)).filter(|_| !known.contains(text));
        if let Some(name) = same {
            return Ok((*name).to_owned());
        }
        if known.contains(text) { Ok(text.to_owned()) } else { Err(format!("unknown family {text:?}{near}")) }
    });
    let region = reader.optional(record, "region", |text| known_to(of.as_deref(), text, catalog));
    let zone = reader.optional(record, "zone", some_text);
    let bought = reader.optional(record, "purchase", purchase);
    let kind = reader.optional(record, "product", product);
    let validity = validity(reader, record);
    let effect = effect(reader, record, side);
    let compute_only = instance.is_some() || family.is_some();
    let instances = (of.is_some() || compute_only).then(|| {
        let fits = |id: InstanceId| {
            let it = catalog.instance(id);
            instance.is_none_or(|i| i == id)
                && of.as_deref().is_none_or(|p| p == it.provider)
                && family.as_deref().is_none_or(|f| f == it.family)
        };
        (0..catalog.instances.len() as u32).map(InstanceId).filter(|&id| fits(id)).collect()
    });
    let line = reader.line(&record.span());
    Some(PriceRule {
        line,
        side: side?,
        provider: of,
        instances,
        compute_only,
        region,
        zone,
        purchase: bought,
        product: kind,
        valid_from: validity.from,
        valid_until: validity.until,
        effect: effect?,
    })
}

/// The one effect of a rule.
fn effect(reader: &mut Reader<'_>, record: &Record<'_>, side: Option<Side>) -> Option<Effect> {
    let amount = |text: &str| {
        UnitPrice::parse(text)
            .map_err(|_| format!("{text:?} is not an amount with its unit, such as \"10 CNY/h\""))
    };
    let found = [
        reader.optional(record, "discount", parse_share).map(Effect::Discount),
        reader.optional(record, "fixed_saving", amount).map(Effect::FixedSaving),
        reader.optional(record, "fixed_price", amount).map(Effect::FixedPrice),
        reader.optional(record, "markup", parse_percent).map(Effect::Markup),
    ];
    let given = ["discount", "fixed_saving", "fixed_price", "markup"].map(|k| record.get(k).is_some());
    if given.iter().filter(|g| **g).count() != 1 {
        let message = "give exactly one of discount, fixed_saving, fixed_price, markup".to_owned();
        reader.find(&record.span(), record.key("discount"), message);
        return None;
    }
    if given[3] && side == Some(Side::Cost) {
        let message = "is put on the partner's cost: it applies to the customer".to_owned();
        reader.find(&record.span(), record.key("markup"), message);
    }
    found.into_iter().flatten().next()
}

/// Reads `[[rate]]`.
pub(super) fn rate_of_currency(reader: &mut Reader<'_>, record: &Record<'_>) -> Option<FxRate> {
    let currency = reader.required(record, "currency", "three letters, such as \"CNY\"", |text| {
        let currency = Currency::parse(text.trim()).map_err(|e| e.to_string())?;
        if currency == Currency::USD {
            return Err("rates are units of another currency for one US dollar".to_owned());
        }
        Ok(currency)
    });
    let per_usd = reader.required(record, "per_usd", "units for one US dollar, such as \"7.10\"", quantity);
    let date = reader.required(record, "as_of", "a day, such as \"2026-11-28\"", day);
    reader.optional(record, "source", some_text);
    Some(FxRate { currency: currency?, per_usd: per_usd?, date: date? })
}

/// Reads `[quote]`.
pub(super) fn terms(reader: &mut Reader<'_>, record: &Record<'_>) -> BookTerms {
    let names = RoundingMode::ALL.map(RoundingMode::name).join(", ");
    BookTerms {
        seller: reader.optional(record, "seller", some_text),
        tax: reader.optional(record, "tax", parse_share),
        tax_name: reader.optional(record, "tax_name", some_text),
        valid_days: reader.optional(record, "valid_days", |text| {
            let days = text.trim().parse().ok().filter(|d| (1..=366).contains(d));
            days.ok_or_else(|| format!("{text:?} is no number of days from 1 to 366, such as \"30\""))
        }),
        rounding: reader.optional(record, "rounding", |text| {
            RoundingMode::parse(text).ok_or_else(|| format!("unknown mode {text:?}; accepted: {names}"))
        }),
        sample: reader.flag(record, "sample").unwrap_or(false),
    }
}
