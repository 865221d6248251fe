//! Tables: columns share the width of the page, cells wrap, the header stands on every page.

use super::super::document::{Align, Row, Table};
use super::super::plot::font;
use super::layout::LEADING;
use super::page::{BOTTOM, Flow, MARGIN, Mark, PAGE_WIDTH, TEXT_WIDTH, wrapped};

const PADDING: f64 = 3.0;
/// Letters are not set smaller than this.
const SMALLEST: f64 = 4.0;

/// Draws a table where the flow stands.
pub(super) fn put(table: &Table, flow: &mut Flow) {
    if table.columns.is_empty() {
        return;
    }
    let (size, widths) = fitting(table);
    let header: Vec<&str> = table.columns.iter().map(|c| c.header.as_str()).collect();
    let aligns: Vec<Align> = table.columns.iter().map(|c| c.align).collect();
    let draw_header = |flow: &mut Flow| row(&header, &aligns, &widths, size, Look::Header, flow);
    flow.need(size * LEADING * 4.0);
    draw_header(flow);
    for line in &table.rows {
        let cells: Vec<&str> = line.cells.iter().map(|c| c.text.as_str()).collect();
        let height = height(&cells, &widths, size);
        if flow.need(height.min(BOTTOM - MARGIN - 60.0)) {
            draw_header(flow);
        }
        let look = if line.highlight { Look::Strong } else { Look::Plain };
        row(&cells, &aligns, &widths, size, look, flow);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Header,
    Strong,
    Plain,
}

/// Size of the letters and widths of the columns: as small as it takes for no number to be broken.
fn fitting(table: &Table) -> (f64, Vec<f64>) {
    let mut size = if table.columns.len() > 9 { 6.6 } else { 7.8 };
    loop {
        let widths = widths(table, size);
        if size <= SMALLEST || !breaks_a_number(table, &widths, size) {
            return (size, widths);
        }
        size = (size - 0.2).max(SMALLEST);
    }
}

/// True when a number does not fit into its column.
fn breaks_a_number(table: &Table, widths: &[f64], size: f64) -> bool {
    let room = |i: usize| widths[i] - 2.0 * PADDING;
    let wide = |row: &Row, i: usize| row.cells.get(i).is_some_and(|c| font::width(&c.text, size) > room(i));
    let numbers = (0..widths.len()).filter(|&i| table.columns[i].align == Align::Right);
    numbers.into_iter().any(|i| table.rows.iter().any(|row| wide(row, i)))
}

/// Width of each column: as wide as its widest text if all fit; else words share what numbers leave over.
fn widths(table: &Table, size: f64) -> Vec<f64> {
    let natural: Vec<f64> = (0..table.columns.len())
        .map(|i| {
            let header = font::width(&table.columns[i].header, size);
            let cells = table.rows.iter().filter_map(|r| r.cells.get(i)).map(|c| font::width(&c.text, size));
            cells.fold(header.min(60.0), f64::max) + 2.0 * PADDING + 0.5
        })
        .collect();
    let total: f64 = natural.iter().sum();
    if total <= TEXT_WIDTH {
        // Words take what is left, so that the table is as wide as the text.
        let words = table.columns.iter().filter(|c| c.align == Align::Left).count();
        let extra = if words > 0 { (TEXT_WIDTH - total) / words as f64 } else { 0.0 };
        let widen = |(w, left): (&f64, bool)| if left { w + extra } else { *w };
        return natural.iter().zip(table.columns.iter().map(|c| c.align == Align::Left)).map(widen).collect();
    }
    let is_word = |i: usize| table.columns[i].align == Align::Left;
    let numbers: f64 = (0..natural.len()).filter(|&i| !is_word(i)).map(|i| natural[i]).sum();
    let words = total - numbers;
    let room = TEXT_WIDTH - numbers;
    let least = if size > SMALLEST { 0.25 } else { 0.08 };
    if words > 0.0 && room > least * TEXT_WIDTH {
        // The narrowest words keep their width, the wide ones share the rest.
        return shrink(&natural, room, &|i| is_word(i));
    }
    shrink(&natural, TEXT_WIDTH, &|_| true)
}

/// Cuts the widest of the chosen columns down to one common width so that they fit into `room`.
fn shrink(natural: &[f64], room: f64, chosen: &dyn Fn(usize) -> bool) -> Vec<f64> {
    let capped = |cap: f64| -> f64 {
        natural.iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, w)| w.min(cap)).sum()
    };
    let (mut low, mut high) = (0.0, natural.iter().copied().fold(0.0, f64::max));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if capped(middle) > room { high = middle } else { low = middle }
    }
    natural.iter().enumerate().map(|(i, w)| if chosen(i) { w.min(low) } else { *w }).collect()
}

fn height(cells: &[&str], widths: &[f64], size: f64) -> f64 {
    let lines = cells.iter().zip(widths).map(|(text, w)| wrapped(text, size, w - 2.0 * PADDING).len()).max();
    lines.unwrap_or(1) as f64 * size * LEADING + PADDING
}

fn row(cells: &[&str], aligns: &[Align], widths: &[f64], size: f64, look: Look, flow: &mut Flow) {
    let height = height(cells, widths, size);
    let (top, right) = (flow.top, PAGE_WIDTH - MARGIN);
    let gray = match look {
        Look::Header => 0.90,
        Look::Strong => 0.95,
        Look::Plain => 1.0,
    };
    if look != Look::Plain {
        flow.mark(Mark::Fill { left: MARGIN, top, width: right - MARGIN, height, gray });
    }
    let mut left = MARGIN;
    for ((text, align), width) in cells.iter().zip(aligns).zip(widths) {
        for (i, line) in wrapped(text, size, width - 2.0 * PADDING).into_iter().enumerate() {
            let base = top + PADDING * 0.5 + size + i as f64 * size * LEADING;
            let start = match align {
                Align::Left => left + PADDING,
                Align::Right => left + width - PADDING - font::width(&line, size),
            };
            if base <= BOTTOM + 12.0 {
                flow.mark(Mark::Text { left: start, base, size, bold: look != Look::Plain, text: line });
            }
        }
        left += width;
    }
    flow.top += height;
    flow.mark(Mark::Line { left: MARGIN, right, at: flow.top, gray: 0.75 });
}
