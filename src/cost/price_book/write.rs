//! A price book as the text that it is read from.

use super::super::price::PriceRate;
use super::{BookItem, BookPrice, PriceBook, Validity};
use crate::catalog::Catalog;

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

impl PriceBook {
    /// The prices and items as text that [`PriceBook::parse`] reads. Rules and terms are not written: they are the
    /// user's own and come from no import.
    pub fn to_toml(&self, catalog: &Catalog) -> String {
        let prices = self.prices.iter().map(|price| price_record(price, catalog));
        let records: Vec<String> = prices.chain(self.items.iter().map(item_record)).collect();
        let mut out = String::new();
        for record in records {
            out.push_str(&record);
            out.push_str("\n\n");
        }
        out
    }
}

fn price_record(price: &BookPrice, catalog: &Catalog) -> String {
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
    lines.extend(validity_lines(price.validity, price.firm));
    lines.join("\n")
}

fn item_record(item: &BookItem) -> String {
    let mut lines = vec![
        "[[item]]".to_owned(),
        format!("code = {}", quoted(&item.code)),
        format!("name = {}", quoted(&item.name)),
        format!("kind = {}", quoted(item.kind.name())),
        format!("price = {}", quoted(&item.price.to_string())),
    ];
    lines.extend(item.quantity.map(|q| format!("quantity = {}", quoted(&q.to_string()))));
    lines.extend(item.provider.as_ref().map(|p| format!("provider = {}", quoted(p))));
    lines.extend(item.region.as_ref().map(|r| format!("region = {}", quoted(r))));
    lines.push(format!("as_of = {}", quoted(&item.as_of.to_string())));
    lines.push(format!("source = {}", quoted(&item.source)));
    lines.extend(validity_lines(item.validity, item.firm));
    lines.join("\n")
}

fn validity_lines(validity: Validity, firm: bool) -> Vec<String> {
    let from = validity.from.map(|day| format!("valid_from = {}", quoted(&day.to_string())));
    let until = validity.until.map(|day| format!("valid_until = {}", quoted(&day.to_string())));
    from.into_iter().chain(until).chain(firm.then(|| "firm = true".to_owned())).collect()
}
