//! What differs between two saved answers.

use serde::Serialize;

use super::phrases::whatif;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::cost::quote::Change;
use crate::units::{Bytes, Seconds, text};

#[derive(Serialize)]
struct Wire<'a> {
    schema_version: u32,
    kind: &'a str,
    differences: &'a [Change],
}

/// The differences as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn json(kind: &str, differences: &[Change]) -> Result<String, serde_json::Error> {
    super::wire::text(&Wire { schema_version: super::wire::SCHEMA_VERSION, kind, differences })
}

/// The differences as a table, in the order of the answers.
pub fn document(kind: &str, differences: &[Change], lang: Language) -> Document {
    let title = format!("{}: {kind}", whatif::DIFFERENCES.text(lang));
    if differences.is_empty() {
        return Document::new(vec![Block::heading(1, title), Block::paragraph(whatif::SAME.text(lang))]);
    }
    let columns = vec![
        Column::left(whatif::WHERE.text(lang), "path"),
        Column::right(whatif::BEFORE.text(lang), "before"),
        Column::right(whatif::AFTER.text(lang), "after"),
        Column::right(whatif::CHANGE.text(lang), "change_share"),
    ];
    let rows = differences.iter().map(|change| {
        let cell = |value: &Option<String>| {
            value.as_ref().map_or_else(Cell::absent, |v| Cell::id(shown(&change.path, v), v.clone()))
        };
        Row::new([Cell::text(&change.path), cell(&change.before), cell(&change.after), moved(change, lang)])
    });
    Document::new(vec![Block::heading(1, title), Table::new(columns, rows).into()])
}

/// A number with the unit that its key names; other values as they are.
fn shown(path: &str, value: &str) -> String {
    let key = path.rsplit('.').next().unwrap_or(path);
    let leaf =
        if ["p10", "p50", "p90"].contains(&key) { path.rsplit('.').nth(1).unwrap_or(key) } else { key };
    match value.parse::<f64>() {
        Ok(n) if leaf.ends_with("time_s") || leaf.ends_with("deadline_s") => {
            text::duration(Seconds::new(n), 3)
        }
        Ok(n) if leaf.ends_with("bytes") => text::memory(Bytes::new(n)),
        Ok(n) if n.fract() != 0.0 => text::significant(n, 4),
        _ => value.to_owned(),
    }
}

/// The change of a number as a share, or whether something came or went.
fn moved(change: &Change, lang: Language) -> Cell {
    match (&change.before, &change.after) {
        (None, _) => Cell::id(whatif::ENTERED.text(lang), "entered"),
        (_, None) => Cell::id(whatif::LEFT.text(lang), "left"),
        (Some(before), Some(after)) => match (before.parse::<f64>(), after.parse::<f64>()) {
            (Ok(a), Ok(b)) if a != 0.0 => Cell::number(text::signed_percent(b / a - 1.0), b / a - 1.0),
            _ => Cell::absent_as(""),
        },
    }
}
