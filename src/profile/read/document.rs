//! One file and what was found wrong in it.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

use crate::catalog::Finding;

/// Text of one file with the findings collected while reading it.
pub(in super::super) struct Document<'t> {
    file: &'t str,
    text: &'t str,
    findings: RefCell<Vec<Finding>>,
}

impl<'t> Document<'t> {
    /// A file before it is read.
    pub(in super::super) fn new(file: &'t str, text: &'t str) -> Self {
        Self { file, text, findings: RefCell::default() }
    }

    /// Reads the syntax; errors become findings.
    pub(in super::super) fn parse(&self) -> Option<Spanned<DeTable<'t>>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            self.report(error.span(), "", error.message().to_owned());
        }
        errors.is_empty().then_some(table)
    }

    /// Notes a finding at a place of the text.
    pub(super) fn report(&self, span: Option<Range<usize>>, key: &str, message: String) {
        let line = span.map(|s| {
            let before = self.text.as_bytes().iter().take(s.start);
            1 + before.filter(|&&b| b == b'\n').count()
        });
        let finding = Finding { file: self.file.to_owned(), line, key: key.to_owned(), message };
        self.findings.borrow_mut().push(finding);
    }

    /// What was found.
    pub(in super::super) fn into_findings(self) -> Vec<Finding> {
        self.findings.into_inner()
    }
}
