//! All that is wrong with one command line, collected before it is reported.

use super::error::CliError;
use crate::catalog::Finding;

/// Where a value was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag of this name, without dashes.
    Flag(&'static str),
    /// A preset of this name.
    Preset(String),
    /// A key of a job file.
    File {
        /// The file.
        file: String,
        /// Its line.
        line: usize,
        /// The key.
        key: &'static str,
    },
}

/// A value as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The text.
    pub text: String,
    /// Where.
    pub origin: Origin,
}

/// What was found so far.
#[derive(Debug, Default)]
pub struct Problems {
    usage: Vec<String>,
    findings: Vec<Finding>,
}

impl Problems {
    /// Adds a wrong flag or combination of flags.
    pub fn usage(&mut self, message: impl Into<String>) {
        self.usage.push(message.into());
    }

    /// True when something is wrong in a file.
    pub const fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Adds a finding in a file.
    pub fn finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds what is wrong with a value, at the place where it was given.
    pub fn value(&mut self, given: &Given, message: impl std::fmt::Display) {
        match &given.origin {
            Origin::Flag(name) => self.usage.push(format!("--{name}: {message}")),
            Origin::Preset(name) => self.usage.push(format!("--preset: {name}: {message}")),
            Origin::File { file, line, key } => self.findings.push(Finding {
                file: file.clone(),
                line: Some(*line),
                key: (*key).to_owned(),
                message: message.to_string(),
            }),
        }
    }

    /// Reads a value; an error becomes a problem at its place.
    pub fn read<T, E: std::fmt::Display>(
        &mut self,
        given: &Given,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        read(&given.text).map_err(|error| self.value(given, error)).ok()
    }

    /// Adds everything of another error that is about the input; other errors come back.
    pub fn absorb<T>(&mut self, result: Result<T, CliError>) -> Result<Option<T>, CliError> {
        match result {
            Ok(value) => return Ok(Some(value)),
            Err(CliError::Usage(messages)) => self.usage.extend(messages),
            Err(CliError::Invalid { findings, usage }) => {
                self.findings.extend(findings);
                self.usage.extend(usage);
            }
            Err(other) => return Err(other),
        }
        Ok(None)
    }

    /// Nothing, or all that was found.
    ///
    /// # Errors
    /// When anything was found.
    pub fn check(self) -> Result<(), CliError> {
        match (self.findings.is_empty(), self.usage.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => Err(CliError::Usage(self.usage)),
            _ => {
                let mut findings = self.findings;
                findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
                Err(CliError::Invalid { findings, usage: self.usage })
            }
        }
    }
}
