//! Runs the program as a user does, in a folder of its own and without the user's configuration.

use std::path::Path;
use std::process::{Command, Output};

/// The program with an empty configuration folder, so that no file of the user decides a test.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"));
    command.current_dir(folder).env("XDG_CONFIG_HOME", folder.join("no-configuration")).env_remove("COLUMNS");
    command
}

/// Runs the program in a folder.
pub fn advise_in(folder: &Path, arguments: &[&str]) -> Output {
    program(folder).args(arguments).output().expect("the program starts")
}

/// Runs the program in an empty folder.
pub fn advise(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    advise_in(folder.path(), arguments)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs, checks the exit code and that nothing panicked, and returns standard error.
pub fn fails(code: i32, arguments: &[&str]) -> String {
    let output = advise(arguments);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}{error}", stdout(&output));
    assert!(!error.contains("panicked") && !error.contains("RUST_BACKTRACE"), "{arguments:?}\n{error}");
    if code != 4 {
        assert!(output.stdout.is_empty(), "{arguments:?} wrote an answer beside its error");
        assert!(!error.is_empty(), "{arguments:?} failed without a word");
    }
    error
}

/// Runs, checks that it succeeded, and returns standard output.
pub fn succeeds(arguments: &[&str]) -> String {
    let output = advise(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}", stderr(&output));
    stdout(&output)
}

/// Arguments from several lists.
pub fn with<'a>(parts: &[&[&'a str]]) -> Vec<&'a str> {
    parts.iter().flat_map(|p| p.iter().copied()).collect()
}

/// Arguments from one line, separated by blanks.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Runs a line with `--format json` and returns the exit code and the answer.
pub fn json(line: &str) -> (i32, serde_json::Value) {
    let output = advise(&with(&[&words(line), &["--format", "json"]]));
    let code = output.status.code().expect("an exit code");
    let value = serde_json::from_slice(&output.stdout);
    (code, value.unwrap_or_else(|e| panic!("{line}: {e}\n{}", stderr(&output))))
}
