//! Rendering as an XLSX workbook, and the rule that keeps text from becoming a formula.
//!
//! Text from input is always written as a string cell, whatever its first character: a cell that starts with `=`, `+`,
//! `-` or `@` shows those characters and computes nothing.

use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet, XlsxError,
};

use super::document::{Align, Block, CellValue, Document, Table};

/// Paper size of A4 in the file format.
const A4: u8 = 9;
/// Longest text that a cell of the format holds.
const LONGEST: usize = 32_000;

/// The formats of a sheet.
pub(super) struct Looks {
    pub(super) title: Format,
    pub(super) header: Format,
    pub(super) text: Format,
    pub(super) strong: Format,
    pub(super) small: Format,
}

impl Looks {
    pub(super) fn new() -> Self {
        let base = || Format::new().set_text_wrap().set_align(FormatAlign::Top);
        Self {
            title: Format::new().set_bold().set_font_size(16),
            header: base().set_bold().set_background_color(0x00E8_EEF4).set_border_bottom(FormatBorder::Thin),
            text: base(),
            strong: base().set_bold(),
            small: base().set_font_size(9),
        }
    }
}

/// A workbook without the time of its making and without a name of its author.
pub(super) fn blank(year: i16, month: i8, day: i8) -> Result<Workbook, XlsxError> {
    let mut book = Workbook::new();
    let date = ExcelDateTime::from_ymd(year.unsigned_abs(), month.unsigned_abs(), day.unsigned_abs())?;
    book.set_properties(&DocProperties::new().set_author("gpu-advisor").set_creation_datetime(&date));
    Ok(book)
}

/// Writes text as text.
pub(super) fn text(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    text: &str,
    format: &Format,
) -> Result<(), XlsxError> {
    let cut: String = text.chars().filter(|c| !c.is_control() || *c == '\n').take(LONGEST).collect();
    sheet.write_string_with_format(row, column, cut, format)?;
    Ok(())
}

/// Height of a row of text, in points.
pub(super) const ROW: f64 = 15.0;

/// Sets a sheet up for A4, one page wide.
pub(super) fn page(sheet: &mut Worksheet, landscape: bool) {
    sheet.set_paper_size(A4).set_print_fit_to_pages(1, 0).set_margins(0.5, 0.5, 0.6, 0.7, 0.3, 0.3);
    if landscape {
        sheet.set_landscape();
    }
    sheet.set_footer("&R&P / &N");
}

/// The document as a workbook of one sheet; numbers are numbers in the unit that the second header names.
///
/// # Errors
/// When the writer fails; writing is to memory.
pub fn render(document: &Document, (year, month, day): (i16, i8, i8)) -> Result<Vec<u8>, XlsxError> {
    let mut book = blank(year, month, day)?;
    let sheet = book.add_worksheet();
    sheet.set_name("Report")?;
    page(sheet, false);
    write_blocks(sheet, &document.blocks, 0)?;
    book.save_to_buffer()
}

/// Writes blocks from a row on; gives the row after them.
pub(super) fn write_blocks(sheet: &mut Worksheet, blocks: &[Block], from: u32) -> Result<u32, XlsxError> {
    let looks = Looks::new();
    let mut row = from;
    sheet.set_column_width(0, 34)?;
    sheet.set_column_width(1, 26)?;
    for column in 2..10 {
        sheet.set_column_width(column, 15)?;
    }
    for block in blocks {
        match block {
            Block::Heading { level, text: heading } => {
                row += u32::from(row > 0);
                let format = if *level == 1 { &looks.title } else { &looks.strong };
                // A heading may run over its neighbours; it is not wrapped into the first column.
                sheet.write_string_with_format(row, 0, heading, &format.clone().unset_text_wrap())?;
                row += 1;
            }
            Block::Paragraph(line) => row = merged(sheet, row, line, &looks.text)?,
            Block::Fields(pairs) => {
                for (label, value) in pairs {
                    text(sheet, row, 0, label, &looks.strong)?;
                    sheet.merge_range(row, 1, row, 7, "", &looks.text)?;
                    text(sheet, row, 1, value, &looks.text)?;
                    sheet.set_row_height(row, lines_of(value, 110) * ROW)?;
                    row += 1;
                }
            }
            Block::Table(table) => row = table_cells(sheet, row, table, &looks)?,
            Block::List(items) => {
                for item in items {
                    row = merged(sheet, row, &format!("· {item}"), &looks.text)?;
                }
            }
            Block::Code(lines) => {
                for line in lines {
                    row = merged(sheet, row, line, &looks.small)?;
                }
            }
            Block::Picture(_) => {}
            Block::Rule => row += 1,
        }
    }
    Ok(row)
}

/// Rows that a text takes at so many characters a row; a wide character counts twice.
pub(super) fn lines_of(value: &str, width: usize) -> f64 {
    let lines = value.split('\n').map(|l| unicode_width::UnicodeWidthStr::width(l).div_ceil(width).max(1));
    lines.sum::<usize>() as f64
}

fn merged(sheet: &mut Worksheet, row: u32, line: &str, format: &Format) -> Result<u32, XlsxError> {
    sheet.merge_range(row, 0, row, 7, "", format)?;
    text(sheet, row, 0, line, format)?;
    sheet.set_row_height(row, lines_of(line, 140) * ROW)?;
    Ok(row + 1)
}

fn table_cells(sheet: &mut Worksheet, from: u32, table: &Table, looks: &Looks) -> Result<u32, XlsxError> {
    let mut row = from;
    if let Some(title) = &table.title {
        text(sheet, row, 0, title, &looks.strong.clone().unset_text_wrap())?;
        row += 1;
    }
    let mut lines: f64 = 1.0;
    for (column, head) in table.columns.iter().enumerate() {
        lines = lines.max(lines_of(&head.header, [34, 26].get(column).copied().unwrap_or(15)));
        let name = if head.header.is_empty() { &head.key } else { &head.header };
        text(sheet, row, column as u16, name, &looks.header)?;
    }
    // Stated, because a reader that lacks the font would cut the letters of a row that it measures itself.
    sheet.set_row_height(row, lines * ROW)?;
    row += 1;
    for line in &table.rows {
        let format = if line.highlight { &looks.strong } else { &looks.text };
        for (column, (cell, head)) in line.cells.iter().zip(&table.columns).enumerate() {
            let column = column as u16;
            let number = match &cell.value {
                CellValue::Number(number) if head.hidden => Some(*number),
                CellValue::Exact(exact) => exact.parse::<f64>().ok().filter(|_| head.align == Align::Right),
                _ => None,
            };
            match number {
                Some(number) => {
                    let shown = format.clone().set_num_format("#,##0.######").set_align(FormatAlign::Right);
                    sheet.write_number_with_format(row, column, number, &shown)?;
                }
                None => text(sheet, row, column, &cell.text, format)?,
            }
        }
        row += 1;
    }
    for note in &table.notes {
        row = merged(sheet, row, note, &looks.small)?;
    }
    Ok(row + 1)
}
