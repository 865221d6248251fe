//! A quote as a document, a workbook with live formulas, and JSON.

mod difference;
mod picture;
mod statements;
mod tables;
mod words;
mod workbook;

pub use difference::changes;
pub(super) use picture::ways as picture_of_ways;
pub(super) use statements::{evidence, reasons};
pub(super) use tables::{lines as price_table, ways_to_buy};
pub use workbook::workbook;

use super::phrases::quote as say;
use super::{Block, Document, Language, Phrase};
use crate::cost::quote::{Basis, Quote};
use crate::units::text::grouped;
use rust_decimal::Decimal;

/// The quote as a document; the internal copy shows cost and margin.
pub fn document(quote: &Quote, language: Language) -> Document {
    let mut document = Document::new(vec![Block::heading(1, title(quote, language))]);
    document.every_page = every_page(quote, language);
    for block in head(quote, language) {
        document.push(block);
    }
    document.push(tables::lines(quote, language));
    if let Some(internal) = &quote.internal {
        document.push(tables::internal(quote, internal, language));
    }
    for block in statements::blocks(quote, language) {
        document.push(block);
    }
    document
}

/// Title, with the number.
fn title(quote: &Quote, language: Language) -> String {
    let kind = if quote.budgetary { say::BUDGETARY_ESTIMATE } else { say::QUOTE };
    format!("{} {}", kind.text(language), quote.number)
}

/// What every page of the internal copy says.
fn every_page(quote: &Quote, language: Language) -> Option<String> {
    quote.is_internal().then(|| say::INTERNAL_COPY.owned(language))
}

/// What stands above the prices.
fn head(quote: &Quote, language: Language) -> Vec<Block> {
    let mut blocks = Vec::new();
    if quote.is_internal() {
        blocks.push(Block::paragraph(say::INTERNAL_COPY.text(language)));
    }
    let basis = match quote.basis {
        Basis::P50 => say::BASIS_P50,
        Basis::P90 => say::BASIS_P90,
        Basis::Stated => say::BASIS_STATED,
    };
    let mut fields = vec![(say::CUSTOMER, quote.customer.clone())];
    fields.extend(quote.seller.clone().map(|seller| (say::SELLER, seller)));
    fields.push((say::ISSUED, quote.issued.to_string()));
    fields.push((say::VALID_UNTIL, quote.valid_until.to_string()));
    fields.extend(quote.renews.clone().map(|number| (say::RENEWS, number)));
    fields.push((say::CURRENCY, quote.currency.to_string()));
    fields.push((say::BASIS, basis.owned(language)));
    blocks.push(Block::fields(fields.into_iter().map(|(label, text)| (label.owned(language), text))));
    blocks
}

/// An amount with its decimals and thousands separators.
pub(super) fn amount(value: Decimal) -> String {
    let text = value.abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = if whole.len() > 3 { thousands(whole) } else { whole.to_owned() };
    let sign = if value.is_sign_negative() && !value.is_zero() { "-" } else { "" };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Separators from four digits on, as invoices have them.
fn thousands(digits: &str) -> String {
    if digits.len() == 4 { format!("{},{}", &digits[..1], &digits[1..]) } else { grouped(digits) }
}

/// A share as a percentage, exactly.
fn percent(share: Decimal) -> String {
    crate::cost::percent_text(share)
}

#[cfg(test)]
mod tests;
