//! Price answers and catalogs of others, read into a price book: whole, or not at all.
//!
//! [`rating`] reads the answers of a provider's rating API, whose requests [`rating::requests`] writes, and
//! [`catalog_csv`] the price tables of an open multi-cloud catalog.

pub mod catalog_csv;
pub mod flavors;
mod placed;
pub mod rating;

use crate::catalog::Finding;

/// A finding about a file as a whole or one of its lines.
fn finding(file: &str, line: Option<usize>, key: &str, message: impl Into<String>) -> Finding {
    Finding { file: file.to_owned(), line, key: key.to_owned(), message: message.into() }
}
