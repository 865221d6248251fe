//! The first sheet of an XLSX file as rows of text, with limits that no file can talk its way around.

use std::io::{Cursor, Read};

use calamine::{Data, DataRef, Reader as _, Xlsx};

use super::table::{Sheet, SheetRow};
use crate::catalog::Finding;

/// Largest file that is opened.
pub const MAX_WORKBOOK_BYTES: u64 = 8 << 20;
/// Most that all its parts may unpack to.
const MAX_UNPACKED: u64 = 64 << 20;
const MAX_PARTS: usize = 500;
const MAX_ROWS: u32 = 20_000;
const MAX_COLUMNS: u32 = 100;
/// Longest text of a cell.
const MAX_CELL: usize = 2_000;
/// Most text of all cells.
const MAX_TEXT: usize = 8 << 20;

impl Sheet {
    /// Reads the first sheet of a workbook. A formula counts by the value that was stored with it.
    ///
    /// # Errors
    /// When the file is no workbook, unpacks to too much, or its sheet is too large.
    pub fn from_xlsx(file: &str, bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        let refuse = |message: String| {
            vec![Finding { file: file.to_owned(), line: None, key: "XLSX".to_owned(), message }]
        };
        unpacked_size(bytes).map_err(&refuse)?;
        let broken = |e: calamine::XlsxError| refuse(format!("is no workbook that can be read: {e}"));
        let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(broken)?;
        let Some(name) = book.sheet_names().first().cloned() else {
            return Err(refuse("has no sheet".to_owned()));
        };
        let mut cells = book.worksheet_cells_reader(&name).map_err(broken)?;
        let mut rows: Vec<SheetRow> = Vec::new();
        let mut text = 0;
        while let Some(cell) = cells.next_cell().map_err(broken)? {
            let (row, column) = cell.get_position();
            if row >= MAX_ROWS || column >= MAX_COLUMNS {
                let message = format!("has a cell outside of {MAX_ROWS} rows and {MAX_COLUMNS} columns");
                return Err(refuse(message));
            }
            let value = cell_text(cell.get_value()).map_err(|m| refuse(format!("row {}: {m}", row + 1)))?;
            text += value.len();
            if text > MAX_TEXT {
                return Err(refuse("holds too much text for a price list".to_owned()));
            }
            if !value.is_empty() {
                put(&mut rows, row as usize + 1, column as usize, value);
            }
        }
        rows.sort_by_key(|row| row.line);
        Ok(Self { file: file.to_owned(), rows, separator: None })
    }
}

fn put(rows: &mut Vec<SheetRow>, line: usize, column: usize, value: String) {
    let at = match rows.last() {
        Some(last) if last.line == line => rows.len() - 1,
        Some(last) if last.line < line => rows.len(),
        None => 0,
        Some(_) => rows.iter().position(|row| row.line == line).unwrap_or(rows.len()),
    };
    if at == rows.len() {
        rows.push(SheetRow { line, cells: Vec::new() });
    }
    let cells = &mut rows[at].cells;
    if cells.len() <= column {
        cells.resize(column + 1, String::new());
    }
    cells[column] = value;
}

/// Unpacks every part into nothing and counts: what the directory of the file says is not believed.
fn unpacked_size(bytes: &[u8]) -> Result<(), String> {
    if bytes.len() as u64 > MAX_WORKBOOK_BYTES {
        return Err(format!("is larger than {} MiB", MAX_WORKBOOK_BYTES >> 20));
    }
    let broken = |e: zip::result::ZipError| format!("is no workbook that can be read: {e}");
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > MAX_PARTS {
        return Err(format!("has more than {MAX_PARTS} parts"));
    }
    let mut left = MAX_UNPACKED;
    for part in 0..archive.len() {
        let part = archive.by_index(part).map_err(broken)?;
        let read = std::io::copy(&mut part.take(left + 1), &mut std::io::sink())
            .map_err(|e| format!("has a part that cannot be unpacked: {e}"))?;
        if read > left {
            return Err(format!("unpacks to more than {} MiB", MAX_UNPACKED >> 20));
        }
        left -= read;
    }
    Ok(())
}

fn cell_text(value: &DataRef<'_>) -> Result<String, String> {
    let text = match value {
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::String(text) => text.clone(),
        DataRef::DateTime(date) => match jiff::civil::date(1899, 12, 30)
            .checked_add(jiff::Span::new().try_days(date.as_f64() as i64).unwrap_or_default())
        {
            Ok(day) => day.to_string(),
            Err(_) => return Err("holds a date that does not exist".to_owned()),
        },
        DataRef::Error(error) => return Err(format!("holds the error {error}")),
        other => match Data::from(other.clone()) {
            Data::Float(number) => number.to_string(),
            Data::Int(number) => number.to_string(),
            Data::Bool(flag) => flag.to_string(),
            Data::DateTimeIso(text) | Data::String(text) => text,
            _ => String::new(),
        },
    };
    if text.len() > MAX_CELL {
        return Err("holds a very long text".to_owned());
    }
    Ok(text.trim().to_owned())
}
