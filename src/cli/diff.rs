//! `diff`: two saved answers, line by line.

use std::path::Path;

use serde_json::Value;

use super::args::DiffArgs;
use super::error::CliError;
use super::exit::ExitStatus;
use super::job_file::read_text_up_to;
use super::problems::Problems;
use super::view::show;
use crate::catalog::Finding;
use crate::cost::quote::differences;
use crate::report::view_diff::{document, json};

/// Larger files are no answers.
const MOST_BYTES: u64 = 64 << 20;

/// Newest version of an answer's layout that is understood.
const NEWEST: u64 = 1;

/// Commands whose answers can be compared, each with a key that no other's has.
const KINDS: [(&str, &str); 4] =
    [("recommend", "candidates"), ("simulate", "terms"), ("compare", "clusters"), ("whatif", "before")];

/// Answers `diff`.
///
/// # Errors
/// Files that are no answers of the same command, or an answer that cannot be written.
pub fn run(args: &DiffArgs) -> Result<ExitStatus, CliError> {
    let mut problems = Problems::default();
    let before = answer(&args.before, &mut problems)?;
    let after = answer(&args.after, &mut problems)?;
    problems.check()?;
    let (Some((kind, before)), Some((other, after))) = (before, after) else {
        return Err(CliError::usage("no answers to compare"));
    };
    if kind != other {
        let message = format!("is an answer of `{other}`; {} is one of `{kind}`", args.before.display());
        return Err(CliError::invalid(vec![finding(&args.after, None, "", message)]));
    }
    let mut found = differences(&before, &after);
    found.sort_by_key(|change| place(&change.path));
    show(&document(kind, &found, args.common.language()), || json(kind, &found), args.common.format)?;
    Ok(ExitStatus::Success)
}

/// Parts of answers in reading order; what is not named comes after them, hashes last.
const ORDER: [&str; 8] =
    ["job", "changes", "changed_job", "limits", "assumptions", "candidates", "cluster", "clusters"];

/// Where a difference stands in the report.
fn place(path: &str) -> usize {
    let part = path.split(['.', '[']).next().unwrap_or_default();
    let last = if part == "provenance" { ORDER.len() + 1 } else { ORDER.len() };
    ORDER.iter().position(|p| *p == part).unwrap_or(last)
}

fn finding(path: &Path, line: Option<usize>, key: &str, message: String) -> Finding {
    Finding { file: path.display().to_string(), line, key: key.to_owned(), message }
}

/// An answer with the command that wrote it; what is wrong with the file goes to `problems`.
fn answer(path: &Path, problems: &mut Problems) -> Result<Option<(&'static str, Value)>, CliError> {
    let Some(text) = problems.absorb(read_text_up_to(path, MOST_BYTES))? else { return Ok(None) };
    let accepted =
        "an answer that recommend, simulate, compare or whatif wrote with --format json is expected";
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("is not JSON: {error}; {accepted}");
            problems.finding(finding(path, Some(error.line()), "", message));
            return Ok(None);
        }
    };
    let kind = KINDS.iter().find(|(_, key)| value.get(key).is_some()).map(|(kind, _)| *kind);
    let Some(kind) = kind else {
        problems.finding(finding(path, None, "", format!("is no answer; {accepted}")));
        return Ok(None);
    };
    match value.get("schema_version").and_then(Value::as_u64) {
        Some(1..=NEWEST) => Ok(Some((kind, value))),
        Some(version) => {
            let message = format!("version {version} is not known; 1 to {NEWEST} are accepted");
            problems.finding(finding(path, None, "schema_version", message));
            Ok(None)
        }
        None => {
            problems.finding(finding(path, None, "schema_version", format!("is missing; {accepted}")));
            Ok(None)
        }
    }
}
