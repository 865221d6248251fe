//! What a calibration would find: libraries and devices, found or missing, with paths and reasons.

use crate::calibration::opening::Probe;
use crate::report::phrases::calibration as say;
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};

/// The result of a check.
pub fn check(probe: &Probe, language: Language) -> Document {
    let mut blocks = vec![Block::heading(1, say::CHECK.text(language))];
    let columns = vec![
        Column::left(say::LIBRARY.text(language), "library"),
        Column::left(say::PURPOSE.text(language), "purpose"),
        Column::left(say::FOUND.text(language), "path"),
        Column::left(say::VERSION.text(language), "version"),
        Column::left(say::PROBLEM.text(language), "problem"),
    ];
    let absent = |text: Option<&String>| text.map_or_else(Cell::absent, |t| Cell::text(t.clone()));
    let rows = probe.libraries.iter().map(|l| {
        let found = l
            .path
            .as_ref()
            .map_or_else(|| Cell::absent_as(say::NOT_FOUND.text(language)), |path| Cell::text(path.clone()));
        let problem = match (&l.problem, l.tried.is_empty()) {
            (Some(problem), true) => Cell::text(problem.clone()),
            (Some(problem), false) => Cell::text(format!("{problem} ({})", l.tried.join(", "))),
            (None, _) => Cell::absent(),
        };
        Row::new([
            Cell::text(l.name.clone()),
            Cell::text(l.purpose),
            found,
            absent(l.version.as_ref()),
            problem,
        ])
    });
    blocks.push(Table::new(columns, rows).into());
    if !probe.devices.is_empty() {
        let columns = vec![
            Column::right("", "ordinal"),
            Column::left(say::DEVICE.text(language), "name"),
            Column::left(say::VALUE.text(language), "details"),
            Column::left(say::PROBLEM.text(language), "problem"),
        ];
        let rows = probe.devices.iter().map(|d| {
            Row::new([
                Cell::count(u64::from(d.ordinal)),
                Cell::text(d.name.clone()),
                Cell::text(d.details.clone()),
                absent(d.problem.as_ref()),
            ])
        });
        blocks.push(Table::new(columns, rows).titled(say::DEVICES.text(language)).into());
    }
    match &probe.problem {
        Some(problem) => {
            blocks.push(Block::paragraph(format!("{problem}. {}", say::CPU_HINT.text(language))));
        }
        None => blocks.push(Block::paragraph(say::READY.text(language))),
    }
    Document::new(blocks)
}
