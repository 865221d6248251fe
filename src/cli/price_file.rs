//! Price books and price lists as files: TOML, CSV, XLSX, by extension.

use std::io::Read as _;
use std::path::Path;

use super::error::{CliError, unreadable};
use super::job_file::read_text;
use super::output::complain;
use crate::catalog::{Catalog, Finding};
use crate::cost::{MAX_WORKBOOK_BYTES, PriceBook, Sheet};

/// Reads a price book.
///
/// # Errors
/// When the file cannot be read, is too large, or anything in it is wrong.
pub fn read(path: &Path, catalog: &Catalog) -> Result<PriceBook, CliError> {
    let file = path.display().to_string();
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let book = match extension.as_deref() {
        Some("csv") => Sheet::from_csv(&file, &read_text(path)?).and_then(|s| {
            if let Some(separator) = s.separator {
                let shown = if separator == '\t' { "tabulators" } else { "semicolons" };
                complain(&format!("remark: {file}: its columns are separated by {shown}\n"));
            }
            PriceBook::from_sheet(&s, catalog)
        }),
        Some("xlsx") => {
            Sheet::from_xlsx(&file, &read_bytes(path)?).and_then(|s| PriceBook::from_sheet(&s, catalog))
        }
        Some("xls" | "xlsb" | "ods") => {
            return Err(CliError::usage(format!("{file}: save it as .xlsx, .csv or .toml")));
        }
        _ => PriceBook::parse(&file, &read_text(path)?, catalog),
    };
    book.map_err(CliError::invalid)
}

/// A binary file of a size that is opened.
fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let failed = |e| unreadable(path, e);
    if path.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_WORKBOOK_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_WORKBOOK_BYTES {
        let message = format!("is larger than {} MiB; is it the right file?", MAX_WORKBOOK_BYTES >> 20);
        let file = path.display().to_string();
        return Err(CliError::invalid(vec![Finding { file, line: None, key: String::new(), message }]));
    }
    Ok(bytes)
}
