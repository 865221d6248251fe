//! What `catalog check` found: counts and doubtful records.

use crate::catalog::CheckReport;
use crate::report::phrases::{column, section, simulation as say};
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};

/// The check as a document; `details` lists every doubtful record.
pub fn check(report: &CheckReport, details: bool, language: Language) -> Document {
    let counted = |header: &str, key: &str| {
        vec![Column::left(header, key), Column::right(column::COUNT.text(language), "count")]
    };
    let counts =
        report.counts.iter().map(|(kind, count)| Row::new([Cell::text(*kind), Cell::count(*count as u64)]));
    let warnings = report
        .warning_counts()
        .into_iter()
        .map(|(kind, count)| Row::new([Cell::text(kind.name()), Cell::count(count as u64)]));
    let unresolved = &report.unresolved;
    let unresolved =
        say::UNRESOLVED.fill(language, &[&unresolved.instances.to_string(), &unresolved.prices.to_string()]);
    let mut document = Document::new(vec![
        Block::heading(1, section::CATALOG.text(language)),
        Table::new(counted(say::RECORDS.text(language), "records"), counts).into(),
        Block::list([unresolved, format!("{} {}", say::CONTENT_HASH.text(language), report.content_hash)]),
        Table::new(counted(say::DOUBTFUL.text(language), "doubtful"), warnings).into(),
    ]);
    if details {
        let columns = vec![
            Column::left(column::REASON.text(language), "reason"),
            Column::left(say::NAME.text(language), "record"),
            Column::left(column::NOTE.text(language), "detail"),
        ];
        let rows = report
            .warnings
            .iter()
            .map(|w| Row::new([Cell::text(w.kind.name()), Cell::text(&w.subject), Cell::text(&w.detail)]));
        document.push(Table::new(columns, rows));
    }
    document
}
