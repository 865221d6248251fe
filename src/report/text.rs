//! Rendering for a terminal of a given width.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, TableStyle};
use unicode_width::UnicodeWidthStr;

use super::document::{Align, Block, Document, Table};

mod wrap;

pub use wrap::wrap;

/// The narrowest width that is laid out for; below it lines may be longer than asked.
const NARROWEST: usize = 40;

/// A name longer than this may be broken over lines.
const LONGEST_NAME: usize = 40;

/// Mark in front of a highlighted row.
const HIGHLIGHT: &str = ">";

/// The document as plain text, no line longer than `width` columns except code and unbreakable tables.
///
/// Blank lines are spent sparingly: one before a heading of level 1 or 2 and around a rule, none elsewhere.
pub fn render(document: &Document, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut lines: Vec<String> = Vec::new();
    for block in &document.blocks {
        match block {
            Block::Heading { level, text } => heading(*level, text, width, &mut lines),
            Block::Paragraph(text) => lines.extend(wrap(text, width)),
            Block::Fields(pairs) => fields(pairs, width, &mut lines),
            Block::Table(table) => push_table(&table.for_people(), width, &mut lines),
            Block::List(items) => {
                for item in items {
                    hanging("- ", item, width, &mut lines);
                }
            }
            Block::Code(code) => lines.extend(code.iter().map(|line| format!("  {line}"))),
            Block::Rule => lines.push("-".repeat(width)),
        }
    }
    let mut out = String::new();
    for line in lines {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn heading(level: u8, text: &str, width: usize, lines: &mut Vec<String>) {
    if level <= 2 && lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    let wrapped = wrap(text, width);
    let longest = wrapped.iter().map(|line| line.width()).max().unwrap_or(0);
    lines.extend(wrapped);
    if level == 1 {
        lines.push("=".repeat(longest));
    }
}

/// Labels in one column, texts wrapped beside them.
fn fields(pairs: &[(String, String)], width: usize, lines: &mut Vec<String>) {
    let label_width = pairs.iter().map(|(label, _)| label.width()).max().unwrap_or(0).min(width / 3);
    for (label, text) in pairs {
        let fill = label_width.saturating_sub(label.width());
        hanging(&format!("{label}{}  ", " ".repeat(fill)), text, width, lines);
    }
}

/// A text behind a prefix, its further lines indented to the prefix's width.
fn hanging(prefix: &str, text: &str, width: usize, lines: &mut Vec<String>) {
    let indent = prefix.width();
    for (i, line) in wrap(text, width.saturating_sub(indent).max(NARROWEST / 2)).into_iter().enumerate() {
        lines.push(if i == 0 { format!("{prefix}{line}") } else { format!("{}{line}", " ".repeat(indent)) });
    }
}

fn push_table(table: &Table, width: usize, lines: &mut Vec<String>) {
    if let Some(title) = &table.title {
        lines.extend(wrap(title, width));
    }
    if !table.columns.is_empty() {
        lines.extend(layout(table, width).lines());
    }
    for note in &table.notes {
        hanging("  ", note, width, lines);
    }
}

fn layout(table: &Table, width: usize) -> comfy_table::Table {
    let marked = table.rows.iter().any(|row| row.highlight);
    let mut drawn = comfy_table::Table::new();
    drawn
        .load_style(TableStyle::new().header_separator(LineStyle::none().fill('-').junction(' ')))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    let mark = |text: &'static str| marked.then(|| comfy_table::Cell::new(text));
    let headers = table.columns.iter().map(|column| cell(&column.header, column.align));
    drawn.set_header(mark("").into_iter().chain(headers).collect::<Vec<_>>());
    for row in &table.rows {
        let cells = row.cells.iter().zip(&table.columns).map(|(c, column)| cell(&c.text, column.align));
        let mark = mark(if row.highlight { HIGHLIGHT } else { "" });
        drawn.add_row(mark.into_iter().chain(cells).collect::<Vec<_>>());
    }
    let flexible = flexible_column(table, marked, width);
    for (i, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if flexible.is_some_and(|f| f != i) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    if names_fit(table)
        && let Some(column) = drawn.column_mut(usize::from(marked))
    {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    drawn
}

/// Narrowest a column is squeezed to.
const SQUEEZED: usize = 14;

/// The one column that may wrap when a table is too wide: its widest, if the others then fit. `None` leaves the
/// arrangement to the library.
fn flexible_column(table: &Table, marked: bool, width: usize) -> Option<usize> {
    let natural: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(i, column)| {
            let cells = table.rows.iter().filter_map(|row| row.cells.get(i));
            cells.map(|c| c.text.width()).chain([column.header.width()]).max().unwrap_or(0) + 2
        })
        .collect();
    let widest = natural.iter().enumerate().max_by_key(|&(i, w)| (*w, i))?.0;
    let others = natural.iter().sum::<usize>() - natural[widest];
    let offset = usize::from(marked);
    (others + SQUEEZED + 2 * offset <= width).then_some(widest + offset)
}

/// True when the first column holds names, which people copy: they are not broken over lines.
fn names_fit(table: &Table) -> bool {
    let mut names = table.rows.iter().filter_map(|row| row.cells.first());
    names.all(|c| !c.text.contains(' ') && c.text.width() <= LONGEST_NAME)
}

fn cell(text: &str, align: Align) -> comfy_table::Cell {
    comfy_table::Cell::new(text).set_alignment(match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    })
}
