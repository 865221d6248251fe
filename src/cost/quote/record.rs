//! A quote as a record: sealed with a hash, read back, printed again, renewed.

use std::fmt::Write as _;

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::draw_up::{budgetary_reasons, while_prices_hold};
use super::statement::Condition;
use super::{Quote, QuoteLine, SCHEMA_VERSION};

/// For whom a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// Without cost and margin.
    Customer,
    /// With both.
    Internal,
}

/// Why a quote cannot be printed again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReprintError {
    /// Not a quote.
    #[error("is no quote written by this program: {0}")]
    Format(String),
    /// Another layout.
    #[error("has layout {0}; this program reads layout {SCHEMA_VERSION}")]
    Version(u32),
    /// Changed since.
    #[error("was changed after it was written: its content does not match its hash")]
    Changed,
    /// No longer valid.
    #[error("{number} was valid until {valid_until}: add --renew to quote it again with today's date")]
    Expired {
        /// Its number.
        number: String,
        /// Its last day.
        valid_until: Date,
    },
    /// A price in it holds no longer.
    #[error("the price of {code} held until {until}: make a new quote with a price that holds")]
    PriceEnded {
        /// Order code.
        code: String,
        /// Its last day.
        until: Date,
    },
    /// The copy holds no cost.
    #[error("is a customer's copy: it holds no cost and margin to print")]
    NoInternal,
}

/// Hash of the customer's copy without number and hash.
fn hash(quote: &Quote) -> String {
    let copy = Quote { number: String::new(), content_hash: String::new(), ..quote.for_customer() };
    let text = serde_json::to_string(&copy).unwrap_or_default();
    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Puts hash and number on a quote.
pub(super) fn seal(quote: &mut Quote, number: Option<String>) {
    quote.content_hash = hash(quote);
    let day = quote.issued.strftime("%Y%m%d");
    quote.number = number.unwrap_or_else(|| format!("Q-{day}-{}", &quote.content_hash[..8]));
}

/// Reads a quote that was written as JSON.
///
/// # Errors
/// When it is none, of another layout, or changed since it was written.
pub fn read(text: &str) -> Result<Quote, ReprintError> {
    let format = |e: serde_json::Error| ReprintError::Format(e.to_string());
    let written: Value = serde_json::from_str(text).map_err(format)?;
    let quote: Quote = serde_json::from_str(text).map_err(format)?;
    if quote.schema_version != SCHEMA_VERSION {
        return Err(ReprintError::Version(quote.schema_version));
    }
    // What the program would not write, such as a field that it does not know, is no part of the hash.
    if hash(&quote) != quote.content_hash || serde_json::to_value(&quote).map_err(format)? != written {
        return Err(ReprintError::Changed);
    }
    Ok(quote)
}

/// The quote for another print: as it is while it holds, with new dates when it is renewed.
///
/// # Errors
/// When it has expired and is not renewed, or an internal copy is asked of a customer's.
pub fn reprint(quote: Quote, copy: Copy, renew: bool, today: Date) -> Result<Quote, ReprintError> {
    if copy == Copy::Internal && !quote.is_internal() {
        return Err(ReprintError::NoInternal);
    }
    let mut quote = quote;
    if renew {
        let days = quote.valid_until.since(quote.issued).map_or(30, |s| i64::from(s.get_days()));
        let ended = |line: &&QuoteLine| line.price_valid_until.is_some_and(|until| until < today);
        if let Some(line) = quote.lines.iter().find(ended) {
            let (code, until) = (line.product.code.clone(), line.price_valid_until.unwrap_or(today));
            return Err(ReprintError::PriceEnded { code, until });
        }
        let kept = quote.budgetary_reasons.iter().filter(|reason| reason.stays()).cloned().collect();
        quote.renews = Some(quote.number.clone());
        quote.issued = today;
        let asked = today.checked_add(days.days()).unwrap_or(today);
        let (valid_until, ends) = while_prices_hold(&quote.lines, asked);
        quote.valid_until = valid_until;
        quote.conditions.retain(|c| !matches!(c, Condition::PriceEnds { .. }));
        quote.conditions.splice(0..0, ends);
        quote.budgetary_reasons = budgetary_reasons(&quote.lines, &quote.exchange_rates, today, kept);
        quote.budgetary = !quote.budgetary_reasons.is_empty();
        seal(&mut quote, None);
    } else if quote.has_expired(today) {
        return Err(ReprintError::Expired { number: quote.number, valid_until: quote.valid_until });
    }
    Ok(match copy {
        Copy::Customer => quote.for_customer(),
        Copy::Internal => quote,
    })
}
