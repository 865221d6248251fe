//! The measured runs inside the binary.

use super::rows::parse_runs;
use super::run::Run;
use crate::catalog::Finding;

/// `(name, text)` of every file of `calibration/runs`.
const FILES: [(&str, &str); 3] = [
    ("transformer.csv", include_str!("../../calibration/runs/transformer.csv")),
    ("transformer_grid.csv", include_str!("../../calibration/runs/transformer_grid.csv")),
    ("vision.csv", include_str!("../../calibration/runs/vision.csv")),
];

/// All shipped runs, in the order of the files.
///
/// # Errors
/// Every finding of every file; a test keeps the shipped ones free of them.
pub fn shipped_runs() -> Result<Vec<Run>, Vec<Finding>> {
    let (mut runs, mut findings) = (Vec::new(), Vec::new());
    for (file, text) in FILES {
        match parse_runs(file, text) {
            Ok(read) => runs.extend(read),
            Err(found) => findings.extend(found),
        }
    }
    if findings.is_empty() { Ok(runs) } else { Err(findings) }
}
