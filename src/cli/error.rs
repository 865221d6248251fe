//! Why a command gave no answer: what failed, where, and what to do.

use std::fmt::Write as _;
use std::path::Path;

use super::exit::ExitStatus;
use crate::catalog::{CatalogError, Finding};
use crate::profile::ProfileError;

/// An error of the command line. Infeasible jobs are no errors but answers.
#[derive(Debug)]
pub enum CliError {
    /// Every wrong flag and unknown name.
    Usage(Vec<String>),
    /// Every finding in files, and wrong flags found along with them.
    Invalid {
        /// In files.
        findings: Vec<Finding>,
        /// In flags.
        usage: Vec<String>,
    },
    /// A file or stream failed.
    Io {
        /// What was tried, such as `read x.toml`.
        action: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The answer cannot be drawn or written as asked, though the question was right.
    Output(String),
    /// No GPU where one is needed: what was looked for, where, and what to do.
    NoGpu(String),
    /// Measurements or predictions outside a stated tolerance.
    OutsideTolerance(String),
}

impl CliError {
    /// One wrong flag or unknown name.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(vec![message.into()])
    }

    /// Findings in files.
    pub const fn invalid(findings: Vec<Finding>) -> Self {
        Self::Invalid { findings, usage: Vec::new() }
    }

    /// The exit code.
    pub const fn status(&self) -> ExitStatus {
        match self {
            Self::Usage(_) => ExitStatus::Usage,
            Self::Invalid { .. } => ExitStatus::InvalidData,
            Self::Io { .. } | Self::Output(_) => ExitStatus::Io,
            Self::NoGpu(_) => ExitStatus::NoGpu,
            Self::OutsideTolerance(_) => ExitStatus::OutsideTolerance,
        }
    }

    /// True when the reader of standard output went away, which is no failure.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// The text for standard error.
    pub fn text(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Usage(messages) => {
                for message in messages {
                    let _ = writeln!(out, "error: {message}");
                }
                out.push_str("For more information, try '--help'.\n");
            }
            Self::Invalid { findings, usage } => {
                let _ = writeln!(out, "error: invalid data, {} found", counted(findings.len()));
                for finding in findings {
                    let _ = writeln!(out, "  {finding}");
                }
                for message in usage {
                    let _ = writeln!(out, "error: {message}");
                }
            }
            Self::Io { action, source } => {
                let _ = writeln!(out, "error: cannot {action}: {source}");
            }
            Self::Output(message) | Self::NoGpu(message) | Self::OutsideTolerance(message) => {
                let _ = writeln!(out, "error: {message}");
            }
        }
        out
    }
}

fn counted(problems: usize) -> String {
    if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") }
}

impl From<CatalogError> for CliError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Invalid(findings) => Self::invalid(findings),
            CatalogError::Io { path, source } => unreadable(Path::new(&path), source),
        }
    }
}

impl From<ProfileError> for CliError {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::Invalid(findings) => Self::invalid(findings),
            ProfileError::Io { path, source } => unreadable(Path::new(&path), source),
        }
    }
}

/// A path that cannot be read: a wrong path is wrong usage, everything else a failure.
pub fn unreadable(path: &Path, source: std::io::Error) -> CliError {
    use std::io::ErrorKind;
    let shown = path.display();
    match source.kind() {
        ErrorKind::NotFound => CliError::usage(format!("{shown} does not exist; check the path")),
        ErrorKind::IsADirectory => CliError::usage(format!("{shown} is a folder; a file is expected")),
        ErrorKind::NotADirectory => CliError::usage(format!("{shown} is a file; a folder is expected")),
        ErrorKind::InvalidData => CliError::invalid(vec![Finding {
            file: shown.to_string(),
            line: None,
            key: String::new(),
            message: "is not UTF-8 text; save it as UTF-8".to_owned(),
        }]),
        _ => CliError::Io { action: format!("read {shown}"), source },
    }
}
