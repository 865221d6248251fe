//! What changed between two quotes, in the words that the quotes themselves use.

use super::super::phrases::quote as say;
use super::super::{Block, Cell, Column, Document, Language, Row, Table};
use super::document;
use crate::cost::quote::Quote;

/// Something that a quote states, with its parts: one without a name, or the cells of a row by their headers.
struct Entry {
    name: String,
    parts: Vec<(String, String)>,
}

impl Entry {
    fn plain(name: String, value: String) -> Self {
        Self { name, parts: vec![(String::new(), value)] }
    }

    /// All of it in one line.
    fn summary(&self) -> String {
        let part = |(label, value): &(String, String)| {
            if label.is_empty() { value.clone() } else { format!("{label} {value}") }
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join(" · ")
    }
}

/// The differences of two quotes as a table; rows of tables are matched by what they are about (for prices: flavor,
/// place and purchase) and not by their position.
pub fn changes(before: &Quote, after: &Quote, language: Language) -> Document {
    let mut document = Document::new(vec![Block::heading(1, say::DIFFERENCES.text(language))]);
    let rows = rows(&entries(before, language), &entries(after, language));
    if rows.is_empty() {
        document.push(Block::paragraph(say::NO_DIFFERENCE.text(language)));
        return document;
    }
    let columns = vec![
        Column::left(say::FIELD.text(language), "field"),
        Column::left(say::BEFORE.text(language), "before"),
        Column::left(say::AFTER.text(language), "after"),
    ];
    document.push(Table::new(columns, rows));
    document
}

fn rows(before: &[Entry], after: &[Entry]) -> Vec<Row> {
    let find = |list: &[Entry], name: &str| list.iter().position(|e| e.name == name);
    let cell = |text: Option<String>| text.map_or_else(Cell::absent, Cell::text);
    let row = |name: &str, old: Option<String>, new: Option<String>| {
        Row::new([Cell::text(name), cell(old), cell(new)])
    };
    // Of several parts that changed people read the name once, machines with every part.
    let part = |name: &str, label: &str, first: bool, (old, new): (Option<String>, Option<String>)| {
        let whole = if label.is_empty() { name.to_owned() } else { joined(name, label) };
        let shown = if first || label.is_empty() { whole.clone() } else { format!("  · {label}") };
        Row::new([Cell::id(shown, whole), cell(old), cell(new)])
    };
    let mut out = Vec::new();
    for old in before {
        let Some(at) = find(after, &old.name) else {
            out.push(row(&old.name, Some(old.summary()), None));
            continue;
        };
        let new = &after[at];
        let value = |parts: &[(String, String)], label: &String| {
            parts.iter().find(|(l, _)| l == label).map(|(_, value)| value.clone())
        };
        let added = new.parts.iter().filter(|(label, _)| value(&old.parts, label).is_none());
        let mut first = true;
        for (label, _) in old.parts.iter().chain(added) {
            let (was, is) = (value(&old.parts, label), value(&new.parts, label));
            if was != is {
                out.push(part(&old.name, label, first, (was, is)));
                first = false;
            }
        }
    }
    let fresh = after.iter().filter(|new| find(before, &new.name).is_none());
    out.extend(fresh.map(|new| row(&new.name, None, Some(new.summary()))));
    out
}

fn joined(first: &str, second: &str) -> String {
    if first.is_empty() { second.to_owned() } else { format!("{first} · {second}") }
}

/// Everything that a quote states, in its order.
fn entries(quote: &Quote, language: Language) -> Vec<Entry> {
    let t = |phrase: super::Phrase| phrase.owned(language);
    let kind = if quote.budgetary { say::BUDGETARY_ESTIMATE } else { say::QUOTE };
    let mut out = vec![Entry::plain(t(say::DOCUMENT), t(kind))];
    let tax = quote.tax.as_ref().map(|tax| super::words::tax(tax, language));
    out.extend(tax.map(|tax| Entry::plain(t(say::TAX), tax)));
    let mut section = String::new();
    for block in document(quote, language).blocks {
        match block {
            Block::Heading { level: 1, .. } | Block::Rule => section.clear(),
            Block::Heading { text, .. } => section = text,
            Block::Paragraph(text) if !section.is_empty() => out.push(Entry::plain(section.clone(), text)),
            Block::Fields(pairs) => {
                let shown = pairs.into_iter().filter(|(label, _)| *label != say::HASH.text(language));
                out.extend(shown.map(|(label, value)| Entry::plain(joined(&section, &label), value)));
            }
            Block::Table(table) => out.extend(of_table(&table, &section)),
            // An item that changes is another item.
            Block::List(items) => {
                out.extend(items.into_iter().map(|item| Entry::plain(joined(&section, &item), item)));
            }
            Block::Paragraph(_) | Block::Code(_) | Block::Picture(_) => {}
        }
    }
    distinct(&mut out);
    out
}

/// The rows of a table, each by its code or name, with what a description adds to it.
fn of_table(table: &Table, section: &str) -> Vec<Entry> {
    let title = table.title.as_ref().map(|t| t.split(" · ").next().unwrap_or(t));
    let section = title.unwrap_or(section);
    let names = |key: &str| ["code", "alternative", "purchase", "description"].contains(&key);
    let entry = |row: &Row| {
        let cells = || row.cells.iter().zip(&table.columns).filter(|(cell, _)| !cell.text.is_empty());
        let name = cells().filter(|(_, c)| names(&c.key)).map(|(cell, _)| cell.text.clone());
        let name = name.collect::<Vec<_>>().join(" · ");
        let others = cells().filter(|(_, c)| !names(&c.key) && c.key != "position" && !c.hidden);
        let parts = others.map(|(cell, column)| (column.header.clone(), cell.text.clone())).collect();
        Entry { name: joined(section, &name), parts }
    };
    table.rows.iter().map(entry).collect()
}

/// Numbers entries of one name.
fn distinct(entries: &mut [Entry]) {
    let mut seen = std::collections::BTreeMap::new();
    for entry in entries {
        let count = seen.entry(entry.name.clone()).or_insert(0_usize);
        *count += 1;
        if *count > 1 {
            entry.name = format!("{} ({count})", entry.name);
        }
    }
}
