//! `validate` and `calibrate fit` as a user meets them, and the accuracy that LIMITS.md states.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::program::{advise, fails, stderr, stdout, succeeds};
use crate::schema;
use crate::source_text::root;

fn shipped(file: &str) -> String {
    std::fs::read_to_string(root().join("calibration/runs").join(file)).expect("shipped runs")
}

/// The header and every n-th strong row of one source of a shipped file, as a file of its own.
fn subset(folder: &Path, file: &str, family: &str, step: usize) -> String {
    let text = shipped(file);
    let (header, rows) = text.split_once('\n').expect("a header");
    let mut out = format!("{header}\n");
    let wanted = |line: &&str| line.contains(family) && line.contains(",strong,");
    for row in rows.lines().filter(wanted).step_by(step) {
        writeln!(out, "{row}").expect("text");
    }
    let path = folder.join(file);
    std::fs::write(&path, out).expect("a temporary file");
    path.display().to_string()
}

#[test]
fn the_shipped_runs_are_the_default_and_the_json_keeps_its_schema() {
    let answer = succeeds(&["validate", "--format", "json"]);
    schema::check("validate", &answer);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    let rows = answer["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 709 + 900 + 4192);
    let total = |key: &str, of: &str| -> u64 {
        answer[key].as_array().expect("a list").iter().filter_map(|x| x[of].as_u64()).sum()
    };
    let strong = rows.iter().filter(|r| r["quality"] == "strong").count() as u64;
    assert_eq!(total("families", "rows") + total("skipped", "rows"), strong);
    assert_eq!(strong + total("uncounted", "rows"), rows.len() as u64);
}

#[test]
fn error_is_predicted_over_measured_less_one_and_the_interval_holds_the_prediction() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = subset(folder.path(), "transformer.csv", "vTrain", 10);
    let answer = succeeds(&["validate", "--runs", &runs, "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
    let rows = answer["rows"].as_array().expect("rows");
    assert!(rows.len() >= 10);
    let mut sum = 0.0;
    for row in rows {
        let value = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"));
        assert!((value("predicted") / value("measured") - 1.0 - value("error")).abs() < 1e-12);
        assert!(value("low") < value("predicted") && value("predicted") < value("high"));
        sum += value("error").abs();
    }
    let mean = answer["families"][0]["mean_error"].as_f64().expect("a mean");
    assert!((mean - sum / rows.len() as f64).abs() < 1e-9, "{mean}");
    assert_eq!(answer["mean_over_sets"].as_f64(), Some(mean), "one set is its own mean");
}

#[test]
fn a_broken_file_gives_every_finding_and_exit_code_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = shipped("transformer.csv");
    let (header, rows) = text.split_once('\n').expect("a header");
    let row = rows.lines().next().expect("a row");
    let column = |name: &str| header.split(',').position(|h| h == name).expect("the column");
    let broken = |name: &str, cell: &str| {
        let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
        cells[column(name)] = cell.to_owned();
        cells.join(",")
    };
    let path = folder.path().join("broken.csv");
    let lines = [header.to_owned(), broken("gpus", "eight"), broken("precision", "fp17")];
    std::fs::write(&path, lines.join("\n")).expect("a file");
    let error = fails(3, &["validate", "--runs", &path.display().to_string()]);
    assert!(error.contains("broken.csv:2") && error.contains("gpus"), "{error}");
    assert!(error.contains("broken.csv:3") && error.contains("fp17"), "{error}");
}

#[test]
fn a_missed_tolerance_is_exit_code_6_beside_the_whole_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = subset(folder.path(), "transformer.csv", "vTrain", 20);
    let with = |tolerance: &str| advise(&["validate", "--runs", &runs, "--fail-above", tolerance]);
    let missed = with("0%");
    assert_eq!(missed.status.code(), Some(6));
    assert!(stderr(&missed).contains("outside the stated tolerance"), "{}", stderr(&missed));
    assert_eq!(stdout(&missed), stdout(&with("1000%")));
    assert_eq!(with("1000%").status.code(), Some(0));
    assert_eq!(with("vTrain=0%").status.code(), Some(6));
    fails(2, &["validate", "--runs", &runs, "--fail-above", "10"]);
    fails(2, &["validate", "--runs", &runs, "--fail-above", "no such set=10%"]);
}

#[test]
fn rows_left_out_are_predicted_by_a_fit_that_has_not_seen_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = subset(folder.path(), "transformer.csv", "vTrain", 9);
    let rows = |extra: &[&str]| {
        let mut arguments = vec!["validate", "--runs", &runs, "--format", "json"];
        arguments.extend(extra);
        let answer = succeeds(&arguments);
        schema::check("validate", &answer);
        serde_json::from_str::<serde_json::Value>(&answer).expect("JSON")
    };
    let (loaded, held) = (rows(&[]), rows(&["--cross-validate", "model"]));
    assert_eq!(held["left_out"], "model");
    assert_ne!(loaded["rows"][0]["predicted"], held["rows"][0]["predicted"]);
    assert_eq!(loaded["rows"][0]["measured"], held["rows"][0]["measured"]);
}

#[test]
fn a_fit_is_the_same_to_the_byte_at_any_thread_count_and_keeps_its_schema() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = subset(folder.path(), "transformer.csv", "vTrain", 6);
    let files = |name: &str, threads: &str| {
        let target = folder.path().join(name);
        std::fs::create_dir(&target).expect("a folder");
        let shown = target.display().to_string();
        let arguments = ["calibrate", "fit", "--runs", &runs, "--write", &shown, "--threads", threads];
        let answer = succeeds(&[&arguments[..], &["--format", "json"]].concat());
        schema::check("calibrate-fit", &answer);
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&target).expect("the folder").map(|e| e.expect("an entry").path()).collect();
        files.sort();
        let read = |p: &PathBuf| (p.file_name().map(ToOwned::to_owned), std::fs::read(p).expect("a file"));
        files.iter().map(read).collect::<Vec<_>>()
    };
    let (one, two) = (files("one", "1"), files("two", "2"));
    assert!(one.len() >= 10, "{} files", one.len());
    assert_eq!(one, two);
    let common = one.iter().find(|(name, _)| name.as_deref() == Some("common.toml".as_ref()));
    let shipped = std::fs::read(root().join("calibration/software/common.toml")).expect("the file");
    assert_ne!(common.map(|(_, text)| text), Some(&shipped), "these few rows cannot give the shipped values");
}

#[test]
fn a_fit_that_differs_from_the_loaded_coefficients_is_exit_code_6_when_that_was_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = subset(folder.path(), "transformer.csv", "vTrain", 20);
    let fit = |most: &str| {
        let arguments = ["calibrate", "fit", "--runs", &runs, "--cross-validate", "none"];
        advise(&[&arguments[..], &["--fail-above", most]].concat())
    };
    assert_eq!(fit("0%").status.code(), Some(6));
    assert_eq!(fit("1000000%").status.code(), Some(0));
    fails(2, &["calibrate", "fit", "--runs", &runs, "--write", "no/such/folder"]);
}

#[test]
fn the_accuracy_that_the_limits_state_is_the_accuracy_of_this_version() {
    let limits = std::fs::read_to_string(root().join("LIMITS.md")).expect("LIMITS.md");
    let block = limits.split("<!-- validate:begin -->\n").nth(1).expect("the block begins");
    let (block, _) = block.split_once("<!-- validate:end -->").expect("the block ends");
    let answer = succeeds(&["validate", "--format", "markdown"]);
    let (_, figures) = answer.split_once("\n\n").expect("a title");
    let differs = block.lines().zip(figures.lines()).find(|(stated, now)| stated != now);
    let hint = "run `bash tests/limits.sh` and read what changed";
    assert!(block == figures, "LIMITS.md is not true any more, {hint}: {differs:?}");
}
