//! `prices/<provider>.toml`.

use super::super::{InstanceId, PriceRecord, Purchase};
use super::record::Record;
use super::{Document, Records, located};
use crate::units::{Currency, Money};

/// A price whose instance type is still a name.
pub(in crate::catalog) struct UnjoinedPrice {
    /// The record; its `instance` is set when joined.
    pub(in crate::catalog) price: PriceRecord,
    /// Provider of the file.
    pub(in crate::catalog) provider: String,
    /// Instance name as written.
    pub(in crate::catalog) instance: String,
    /// Currency of its amounts.
    pub(in crate::catalog) currency: Currency,
}

/// What makes two prices the same offer: provider, instance, region, purchase option and currency.
pub(in crate::catalog) type PriceKey<'a> = (&'a str, &'a str, Option<&'a str>, Purchase, Currency);

impl UnjoinedPrice {
    /// The offer it prices.
    pub(in crate::catalog) fn key(&self) -> PriceKey<'_> {
        (&self.provider, &self.instance, self.price.region.as_deref(), self.price.purchase, self.currency)
    }
}

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let mut found = vec![];
    let mut provider = None;
    document.read(
        &mut |top| provider = top.text("provider"),
        &mut [("price", &mut |r| {
            if let Some(price) = read_price(r) {
                found.push(located(r, index, price));
            }
        })],
    );
    let Some(provider) = provider else { return };
    for price in &mut found {
        price.value.provider.clone_from(&provider);
    }
    records.prices.append(&mut found);
}

fn per_month(text: &str) -> Result<Money, String> {
    text.trim()
        .strip_suffix("/month")
        .and_then(|amount| Money::parse(amount).ok())
        .ok_or_else(|| format!("{text:?} is not a price with its unit, such as \"63118 CNY/month\""))
}

/// The currency of both amounts; findings for none, a zero or two currencies.
fn currency(r: &Record<'_>, per_hour: Option<Money>, per_month: Option<Money>) -> Option<Currency> {
    for (key, money) in [("price_per_hour", per_hour), ("price_per_month", per_month)] {
        if money.is_some_and(|m| m.amount.is_zero()) {
            r.wrong(key, "is zero; a missing price is a missing record".to_owned());
            return None;
        }
    }
    match (per_hour.map(|m| m.currency), per_month.map(|m| m.currency)) {
        (Some(hour), Some(month)) if hour != month => {
            r.wrong(
                "price_per_month",
                format!("is in {month} while the hour is in {hour}; use one currency"),
            );
            None
        }
        (hour, month) => hour.or(month),
    }
}

fn read_price(r: &Record<'_>) -> Option<UnjoinedPrice> {
    let (instance, region, purchase) =
        (r.text("instance"), r.opt_text("region"), r.choice::<Purchase>("purchase"));
    let per_hour = r.opt_parsed("price_per_hour", "text such as \"12.29 USD/h\"", Money::parse_per_hour);
    let per_month = r.opt_parsed("price_per_month", "text such as \"63118 CNY/month\"", per_month);
    let currency = currency(r, per_hour, per_month);
    if let Some(purchase) = purchase {
        let (key, stated) = match purchase {
            Purchase::Monthly => ("price_per_month", per_month.is_some()),
            _ => ("price_per_hour", per_hour.is_some()),
        };
        if !stated && !r.has(key) {
            r.wrong(key, format!("is missing; {} needs it", purchase.name()));
        }
    }
    let (quality, superseded) = (r.choice("quality"), r.opt_flag("superseded").unwrap_or(false));
    let (suspect, provenance, notes) = (r.opt_text("suspect"), r.provenance(), r.opt_text("notes"));
    let (provenance, date_precision) = provenance?;
    let price = PriceRecord {
        instance: InstanceId(0),
        region,
        purchase: purchase?,
        per_hour,
        per_month,
        date_precision,
        quality: quality?,
        superseded,
        suspect,
        provenance,
        notes,
    };
    Some(UnjoinedPrice { price, provider: String::new(), instance: instance?, currency: currency? })
}
