//! A quota as a file: TOML or CSV, by extension.

use std::path::Path;

use super::error::CliError;
use super::job_file::read_text;
use super::problems::Problems;
use super::session::Session;
use crate::cost::{Quota, Sheet};

/// Reads the file; what is wrong in it goes to `problems`.
///
/// # Errors
/// Failures that are not about the input.
pub fn read(
    path: Option<&Path>,
    session: &Session,
    problems: &mut Problems,
) -> Result<Option<Quota>, CliError> {
    let Some(path) = path else { return Ok(None) };
    let Some(text) = problems.absorb(read_text(path))? else { return Ok(None) };
    let file = path.display().to_string();
    let csv = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
    let read = if csv {
        Sheet::from_csv(&file, &text).and_then(|sheet| Quota::from_sheet(&sheet, &session.catalog))
    } else {
        Quota::parse(&file, &text, &session.catalog)
    };
    match read {
        Ok(quota) => Ok(Some(quota)),
        Err(findings) => {
            for finding in findings {
                problems.finding(finding);
            }
            Ok(None)
        }
    }
}
