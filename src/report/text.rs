//! Rendering for a terminal of a given width.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width};
use unicode_width::UnicodeWidthStr;

use super::document::{Align, Block, Document, Table};

mod wrap;

pub use wrap::wrap;

/// The narrowest width that is laid out for; below it lines may be longer than asked.
const NARROWEST: usize = 40;

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
            Block::Picture(_) => {}
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
        let rule = |line: &String| line.contains('-') && line.chars().all(|c| c == '-' || c == ' ');
        lines.extend(layout(table, width).lines().filter(|line| !table.dense || !rule(line)));
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
    let (widths, padding) = column_widths(table, width.saturating_sub(2 * usize::from(marked)));
    let fitted = |text: &str, i: usize| wrap(text, widths[i]).join("\n");
    let columns = || table.columns.iter().enumerate();
    let headers = columns().map(|(i, column)| cell(&fitted(&column.header, i), column.align));
    drawn.set_header(mark("").into_iter().chain(headers).collect::<Vec<_>>());
    for row in &table.rows {
        let cells = row.cells.iter().zip(columns());
        let cells = cells.map(|(c, (i, column))| cell(&fitted(&c.text, i), column.align));
        let mark = mark(if row.highlight { HIGHLIGHT } else { "" });
        drawn.add_row(mark.into_iter().chain(cells).collect::<Vec<_>>());
    }
    for (i, column) in drawn.column_iter_mut().enumerate() {
        column.set_padding((0, padding));
        if let Some(w) = i.checked_sub(usize::from(marked)).and_then(|i| widths.get(i)) {
            let fixed = Width::Fixed(u16::try_from(*w).unwrap_or(u16::MAX));
            column.set_constraint(ColumnConstraint::Absolute(fixed));
        }
    }
    drawn
}

/// Narrowest a column of words is squeezed to before headers wrap.
const SQUEEZED: usize = 14;
/// Narrowest a column is squeezed to at all.
const LEAST: usize = 4;

/// Widths of the columns with their padding: natural ones where they fit, with padding or, if that helps, without; else what gives
/// way is, in this order, and in each step the widest first: columns of words, down to some words a line; headers, and words one
/// by one; names between their parts, which people copy whole; everything.
fn column_widths(table: &Table, width: usize) -> (Vec<usize>, u16) {
    let cells = |i: usize| table.rows.iter().filter_map(move |row| row.cells.get(i));
    let mut widths: Vec<usize> = (0..table.columns.len())
        .map(|i| {
            let header = table.columns[i].header.width();
            cells(i).map(|c| c.text.width()).chain([header]).max().unwrap_or(0).max(1)
        })
        .collect();
    let natural: usize = widths.iter().map(|w| w + 2).sum();
    if natural <= width {
        return (widths.into_iter().map(|w| w + 1).collect(), 1);
    }
    let (mut squeezed, mut whole, mut parts) = (widths.clone(), widths.clone(), widths.clone());
    for (i, column) in table.columns.iter().enumerate() {
        let header = wrap::longest(&column.header).0;
        let most = |of: fn(&str) -> usize| cells(i).map(|c| of(&c.text)).max().unwrap_or(0);
        let (all, word, part) =
            (most(UnicodeWidthStr::width), most(|t| wrap::longest(t).0), most(|t| wrap::longest(t).1));
        // A number with its unit stays on its line.
        let left = column.align == Align::Left;
        whole[i] = header.max(if left { word } else { all });
        parts[i] = header.max(if left { part } else { all });
        if left && cells(i).any(|c| c.text.trim().contains(' ')) {
            squeezed[i] = whole[i].max(SQUEEZED).min(widths[i]);
        }
    }
    let least = widths.iter().map(|&w| LEAST.min(w)).collect();
    for floor in [squeezed, whole, parts, least] {
        give_way(&mut widths, &floor, width);
    }
    (widths, 0)
}

/// Narrows the widest columns, the first of equals, none below its floor, until the table fits.
fn give_way(widths: &mut [usize], floor: &[usize], width: usize) {
    // One more for the gap between columns.
    while widths.iter().map(|w| w + 1).sum::<usize>() > width {
        let give = (0..widths.len()).filter(|&i| widths[i] > floor[i]);
        let Some(widest) = give.max_by_key(|&i| (widths[i], std::cmp::Reverse(i))) else { break };
        widths[widest] -= 1;
    }
}

fn cell(text: &str, align: Align) -> comfy_table::Cell {
    comfy_table::Cell::new(text).set_alignment(match align {
        Align::Left => CellAlignment::Left,
        Align::Right => CellAlignment::Right,
    })
}

#[cfg(test)]
mod tests {
    use super::super::document::{Cell, Column, Row};
    use super::*;

    #[test]
    fn columns_of_words_give_way_until_they_are_as_wide() {
        let text = |n: usize| "word ".repeat(n / 5);
        let columns = ["a", "b", "c"].map(|name| Column::left(name, name)).to_vec();
        let row = Row::new([Cell::text(text(90)), Cell::text(text(60)), Cell::text(text(20))]);
        let (widths, _) = column_widths(&Table::new(columns, [row]), 103);
        assert_eq!(widths, [40, 40, 20]);
    }
}
