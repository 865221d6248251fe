//! From a document to text in the format asked for, and the threads to compute with.

use super::args::Format;
use super::error::CliError;
use super::output::print;
use crate::report::{Document, csv, markdown, text};

/// Width where the terminal does not state one.
const USUAL_WIDTH: usize = 120;

/// Columns of the terminal, from its environment.
pub fn width() -> usize {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|v| v.parse().ok())
        .map_or(USUAL_WIDTH, |w: usize| w.clamp(60, 400))
}

/// The document in a format for people or spreadsheets. JSON has its own types.
///
/// # Errors
/// When a table cannot be written as CSV.
pub fn render(document: &Document, format: Format) -> Result<String, CliError> {
    Ok(match format {
        Format::Table | Format::Json => text::render(document, width()),
        Format::Markdown => markdown::render(document),
        Format::Csv => csv::render(document).map_err(|e| CliError::Output(e.to_string()))?,
    })
}

/// Writes the document, or the JSON where that was asked for, to standard output.
///
/// # Errors
/// When it cannot be rendered or written.
pub fn show(
    document: &Document,
    json: impl FnOnce() -> Result<String, serde_json::Error>,
    format: Format,
) -> Result<(), CliError> {
    let text = match format {
        Format::Json => json().map_err(|e| CliError::Output(format!("cannot write JSON: {e}")))?,
        other => render(document, other)?,
    };
    print(&text)
}

/// Runs `work` on a pool of so many threads, or on the usual one. The result does not depend on it.
///
/// # Errors
/// When the threads cannot be started.
pub fn with_threads<T: Send>(threads: Option<u16>, work: impl FnOnce() -> T + Send) -> Result<T, CliError> {
    let Some(threads) = threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(usize::from(threads))
        .build()
        .map_err(|e| CliError::Output(format!("cannot start {threads} threads: {e}")))?;
    Ok(pool.install(work))
}
