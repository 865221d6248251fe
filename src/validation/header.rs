//! The header of a file of measured runs, and rows that do not go with it.

use std::collections::BTreeMap;

use super::rows::finding;
use crate::catalog::Finding;

/// Why a row is none; the reader's own words count lines otherwise.
pub(super) fn unread(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells under {expected_len} columns")
        }
        _ => error.to_string(),
    }
}

/// Finds the columns that a header lacks.
pub(super) fn missing_columns(
    file: &str,
    index: &BTreeMap<String, usize>,
    columns: &[&str],
    findings: &mut Vec<Finding>,
) {
    // Of another kind of file, the list of what it lacks says nothing.
    if columns.iter().filter(|column| index.contains_key(**column)).count() * 4 < columns.len() {
        let message = format!("is no header of measured runs; its columns are {}", columns.join(", "));
        findings.push(finding(file, Some(1), "", message));
        return;
    }
    for &column in columns {
        if !index.contains_key(column) {
            findings.push(finding(file, Some(1), column, "the column is missing from the header".to_owned()));
        }
    }
}
