//! Rendering as an XLSX workbook, and the rule that keeps text from becoming a formula.
//!
//! Text from input is always written as a string cell, whatever its first character: a cell that starts with `=`, `+`,
//! `-` or `@` shows those characters and computes nothing.

use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet, XlsxError,
};

use super::document::{Align, Block, Cell, CellValue, Column, Document, Table};

/// Paper size of A4 in the file format.
const A4: u8 = 9;
/// Last column of a printed page.
const RIGHTMOST: usize = 7;
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
                    let lines = lines_of(value, 110).max(lines_of(label, width_of(0) * 9 / 10));
                    sheet.set_row_height(row, lines * ROW)?;
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
    let columns = &table.columns;
    let names: Vec<&str> = columns
        .iter()
        .map(|c| if c.header.is_empty() { c.key.as_str() } else { c.header.as_str() })
        .collect();
    let height = height(&names, columns);
    for (column, name) in names.iter().enumerate() {
        wide_text(sheet, (row, column), columns, name, &looks.header)?;
    }
    // Stated, because a reader that lacks the font would cut the letters of a row that it measures itself.
    sheet.set_row_height(row, height)?;
    row += 1;
    for line in &table.rows {
        let format = if line.highlight { &looks.strong } else { &looks.text };
        for (column, (cell, head)) in line.cells.iter().zip(columns).enumerate() {
            let number = match &cell.value {
                CellValue::Number(number) if head.hidden => Some((*number, "#,##0.######".to_owned())),
                CellValue::Exact(exact) if head.align == Align::Right => {
                    exact.parse::<f64>().ok().map(|number| (number, number_format(&cell.text)))
                }
                _ => None,
            };
            match number {
                Some((number, shown)) => {
                    let shown = format.clone().set_num_format(shown).set_align(FormatAlign::Right);
                    sheet.write_number_with_format(row, column as u16, number, &shown)?;
                }
                None => wide_text(sheet, (row, column), columns, &cell.text, format)?,
            }
        }
        let words = |(cell, head): (&'_ Cell, &Column)| {
            if head.align == Align::Left { cell.text.clone() } else { String::new() }
        };
        let texts: Vec<String> = line.cells.iter().zip(columns).map(words).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        sheet.set_row_height(row, self::height(&texts, columns))?;
        row += 1;
    }
    for note in &table.notes {
        row = merged(sheet, row, note, &looks.small)?;
    }
    Ok(row + 1)
}

/// Width of a column in characters.
fn width_of(column: usize) -> usize {
    [34, 26].get(column).copied().unwrap_or(15)
}

/// The columns that a cell takes: words in the last column go on to the right border of the page.
fn last_column(column: usize, columns: &[Column]) -> usize {
    let last = column + 1 == columns.len() && columns[column].align == Align::Left;
    if last { column.max(RIGHTMOST) } else { column }
}

/// Height of a row in which every text is seen whole; words that move to the next line as a whole need some room.
fn height(texts: &[&str], columns: &[Column]) -> f64 {
    let lines = texts.iter().enumerate().map(|(column, text)| {
        let width: usize = (column..=last_column(column, columns)).map(width_of).sum();
        lines_of(text, width * 9 / 10)
    });
    lines.fold(1.0, f64::max) * ROW
}

fn wide_text(
    sheet: &mut Worksheet,
    (row, column): (u32, usize),
    columns: &[Column],
    shown: &str,
    format: &Format,
) -> Result<(), XlsxError> {
    let (first, last) = (column as u16, last_column(column, columns) as u16);
    let format = match columns[column].align {
        Align::Right => &format.clone().set_align(FormatAlign::Right),
        // Words beside a number are set off from it.
        Align::Left if column > 0 && columns[column - 1].align == Align::Right => {
            &format.clone().set_indent(1)
        }
        Align::Left => format,
    };
    if last > first {
        sheet.merge_range(row, first, row, last, "", format)?;
    }
    text(sheet, row, first, shown, format)
}

/// The format by which a number looks like its text: its decimals, its percent sign, the words around it.
fn number_format(shown: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || [',', '.', '-'].contains(&c);
    let Some(from) = shown.find(|c: char| c.is_ascii_digit() || c == '-') else {
        return "#,##0.######".to_owned();
    };
    let to = shown[from..].find(|c| !is_part(c)).map_or(shown.len(), |at| from + at);
    let decimals = shown[from..to].split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let zeros = if decimals == 0 { String::new() } else { format!(".{}", "0".repeat(decimals)) };
    let quoted = |words: &str| match words {
        "" | "%" | " %" => words.to_owned(),
        _ => format!("\"{}\"", words.replace('"', "")),
    };
    format!("{}#,##0{zeros}{}", quoted(&shown[..from]), quoted(&shown[to..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_looks_in_a_sheet_as_it_does_on_paper() {
        assert_eq!(number_format("38,016.00"), "#,##0.00");
        assert_eq!(number_format("66 %"), "#,##0 %");
        assert_eq!(number_format("480 h a month"), "#,##0\" h a month\"");
        assert_eq!(number_format("每月 480.5 小时"), "\"每月 \"#,##0.0\" 小时\"");
        assert_eq!(number_format("-"), "#,##0");
    }

    #[test]
    fn a_row_is_as_high_as_its_longest_text_and_the_last_words_have_the_rest_of_the_page() {
        let columns = vec![Column::left("Alternative", "alternative"), Column::left("Why not", "verdict")];
        assert!((height(&["aws/p4d", "costs more"], &columns) - ROW).abs() < 1e-9);
        assert!((height(&[&"x".repeat(40), "costs more"], &columns) - 2.0 * ROW).abs() < 1e-9);
        assert_eq!((last_column(0, &columns), last_column(1, &columns)), (0, RIGHTMOST));
        // The second column and six of 15 behind it: 116 characters, nine in ten of them counted on.
        assert!((height(&["a", &"y".repeat(104)], &columns) - ROW).abs() < 1e-9);
        assert!((height(&["a", &"y".repeat(105)], &columns) - 2.0 * ROW).abs() < 1e-9);
    }
}
