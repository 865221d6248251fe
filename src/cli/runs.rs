//! Measured runs from files, folders, or the program itself.

use std::path::{Path, PathBuf};

use super::error::{CliError, unreadable};
use crate::catalog::Finding;
use crate::validation::{Run, parse_runs, shipped_runs};

/// Reads all rows of all paths: files as given, folders by name. Without paths, the runs inside the program.
///
/// # Errors
/// A path that cannot be read, or all findings of all files.
pub fn read_runs(paths: &[PathBuf]) -> Result<Vec<Run>, CliError> {
    if paths.is_empty() {
        return shipped_runs().map_err(CliError::invalid);
    }
    let (mut runs, mut findings): (Vec<Run>, Vec<Finding>) = (Vec::new(), Vec::new());
    for path in files(paths)? {
        match read(&path)? {
            Ok(read) => runs.extend(read),
            Err(found) => findings.extend(found),
        }
    }
    if findings.is_empty() { Ok(runs) } else { Err(CliError::invalid(findings)) }
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(|e| unreadable(path, e))? {
            let file = entry.map_err(|e| unreadable(path, e))?.path();
            if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(CliError::usage(format!("--runs: {} holds no .csv file", path.display())));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// The rows of one file, or what is wrong in it. A text that is not UTF-8 is a finding like any other.
fn read(path: &Path) -> Result<Result<Vec<Run>, Vec<Finding>>, CliError> {
    match std::fs::read_to_string(path).map_err(|e| unreadable(path, e)) {
        Ok(text) => Ok(parse_runs(&path.display().to_string(), &text)),
        Err(CliError::Invalid { findings, .. }) => Ok(Err(findings)),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_by_name_and_all_findings_of_all_files_come_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.csv", "a.csv", "c.txt"] {
            std::fs::write(folder.path().join(name), "id,family\n1,2\n").unwrap();
        }
        let Err(CliError::Invalid { findings, .. }) = read_runs(&[folder.path().to_owned()]) else {
            panic!("headers without columns are findings");
        };
        let first = |name: &str| findings.iter().position(|f| f.file.ends_with(name));
        assert!(first("a.csv") < first("b.csv") && first("a.csv").is_some());
        assert_eq!(first("c.txt"), None);
    }

    #[test]
    fn a_missing_file_and_a_folder_without_runs_are_wrong_usage() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.csv");
        assert!(matches!(read_runs(&[missing]), Err(CliError::Usage(_))));
        assert!(matches!(read_runs(&[folder.path().to_owned()]), Err(CliError::Usage(_))));
    }
}
