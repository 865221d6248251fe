//! A quota as a file: TOML or CSV, by extension.

use std::path::Path;

use super::error::CliError;
use super::job_file::read_text;
use super::output::remark;
use super::problems::Problems;
use super::session::Session;
use crate::advisor::Request;
use crate::cost::{Quota, STALE_AFTER_DAYS, Sheet};

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

/// Says that a quota was looked up long ago, or that its increase should have arrived.
pub fn remark_old(request: &Request, quiet: bool) {
    let (Some(limit), today) = (&request.quota, request.prices.as_of) else { return };
    let old = limit
        .quota
        .as_of()
        .filter(|day| today.since(*day).is_ok_and(|age| i64::from(age.get_days()) > STALE_AFTER_DAYS));
    if let Some(day) = old {
        remark(quiet, &format!("the quota was looked up on {day}, more than {STALE_AFTER_DAYS} days ago"));
    }
    if let Some(day) = limit.quota.expected_on().filter(|day| *day < today) {
        remark(quiet, &format!("the increase of the quota was expected on {day}: look it up again"));
    }
}
