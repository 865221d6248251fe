//! A price book with some of its prices brought up to date, the rest as its owner wrote it.

use toml_edit::{ArrayOfTables, DocumentMut, Item};

use super::PriceBook;
use crate::catalog::{Catalog, Finding};

/// The new text of a book, and what became of its prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    /// The text.
    pub text: String,
    /// Prices of the book that newer ones took the place of.
    pub replaced: usize,
    /// Prices that the book did not have.
    pub added: usize,
    /// Prices that no newer one speaks of.
    pub kept: usize,
}

impl PriceBook {
    /// The text of another book with these prices in the place of its own for the same instance type, region and purchase
    /// option; rules, items, rates, terms, other prices and comments stay.
    ///
    /// # Errors
    /// Findings of the other book, before or after.
    pub fn refresh(&self, file: &str, text: &str, catalog: &Catalog) -> Result<Refreshed, Vec<Finding>> {
        let before = Self::parse(file, text, catalog)?;
        let damaged = |error: toml_edit::TomlError| {
            let key = "price".to_owned();
            vec![Finding { file: file.to_owned(), line: None, key, message: error.to_string() }]
        };
        let mut document: DocumentMut = text.parse().map_err(damaged)?;
        if document.get("price").is_some_and(|prices| prices.as_array_of_tables().is_none()) {
            let message = "prices stand in one list; write each as a [[price]] of its own".to_owned();
            return Err(vec![Finding {
                file: file.to_owned(),
                line: None,
                key: "price".to_owned(),
                message,
            }]);
        }
        let newer: DocumentMut = self.to_toml(catalog).parse().map_err(damaged)?;
        // One table for each price, in the order of the file.
        let renewed: Vec<bool> = before
            .prices
            .iter()
            .map(|old| {
                self.prices.iter().any(|new| {
                    // One that begins only later is agreed for then.
                    let begins_later = old.validity.from.is_some_and(|from| from > new.as_of);
                    !begins_later
                        && (new.instance, &new.region, new.purchase)
                            == (old.instance, &old.region, old.purchase)
                })
            })
            .collect();
        let replaced = renewed.iter().filter(|&&gone| gone).count();
        let mut prices = ArrayOfTables::new();
        if let Some(old) = document.get("price").and_then(Item::as_array_of_tables) {
            for (table, gone) in old.iter().zip(&renewed) {
                if !gone {
                    prices.push(table.clone());
                }
            }
        }
        let kept = prices.len();
        for table in newer.get("price").and_then(Item::as_array_of_tables).into_iter().flatten() {
            let mut table = table.clone();
            table.set_position(None);
            table.decor_mut().set_prefix("\n");
            prices.push(table);
        }
        document.insert("price", Item::ArrayOfTables(prices));
        let text = document.to_string();
        let after = Self::parse(file, &text, catalog)?;
        let added = (after.prices.len() - kept).saturating_sub(replaced);
        Ok(Refreshed { text, replaced, added, kept })
    }
}
