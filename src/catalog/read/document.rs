//! One catalog file while it is read: its text and the findings so far.

use std::cell::RefCell;

use toml::de::{DeTable, DeValue};

use super::super::Finding;
use super::record::Record;

/// Above this size only the first syntax error is reported, so that garbage cannot fill the memory.
const RECOVER_LIMIT: usize = 1 << 20;
/// Syntax errors reported per file.
const MAX_SYNTAX_FINDINGS: usize = 20;

/// A file with its findings.
pub(in crate::catalog) struct Document<'a> {
    /// Name for messages.
    name: &'a str,
    /// Whole text.
    text: &'a str,
    findings: RefCell<Vec<Finding>>,
}

/// Which array of tables a file holds, and how its elements are read.
pub(super) type ReadRecord<'r> = &'r mut dyn FnMut(&Record<'_>);

impl<'a> Document<'a> {
    /// A file that has not been read yet.
    pub(in crate::catalog) fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, findings: RefCell::default() }
    }

    /// Name for messages.
    pub(in crate::catalog) fn name(&self) -> &'a str {
        self.name
    }

    /// Adds a finding at a byte offset.
    pub(in crate::catalog) fn report(&self, offset: Option<usize>, key: String, message: String) {
        let line = offset.map(|o| self.line_at(o));
        self.findings.borrow_mut().push(Finding { file: self.name.to_owned(), line, key, message });
    }

    /// Adds a finding at the line of `key` inside the record that starts at `offset`.
    pub(in crate::catalog) fn report_key(&self, offset: usize, label: &str, key: &str, message: String) {
        let offset = self.offset_of_key(offset, key);
        self.report(Some(offset), format!("{label}.{key}"), message);
    }

    /// One-based line of a byte offset.
    pub(in crate::catalog) fn line_at(&self, offset: usize) -> usize {
        let upto = &self.text.as_bytes()[..offset.min(self.text.len())];
        upto.split(|&b| b == b'\n').count()
    }

    fn offset_of_key(&self, start: usize, key: &str) -> usize {
        let mut at = start.min(self.text.len());
        for (i, line) in self.text[at..].split_inclusive('\n').enumerate() {
            if i > 0 && line.starts_with("[[") {
                break;
            }
            if line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('=')) {
                return at;
            }
            at += line.len();
        }
        start
    }

    /// True when something was found wrong so far.
    pub(in crate::catalog) fn has_findings(&self) -> bool {
        !self.findings.borrow().is_empty()
    }

    /// What was found wrong, emptying the list.
    pub(in crate::catalog) fn take_findings(&self) -> Vec<Finding> {
        std::mem::take(&mut self.findings.borrow_mut())
    }

    fn parse(&self) -> Option<toml::Spanned<DeTable<'a>>> {
        let (table, errors) = if self.text.len() > RECOVER_LIMIT {
            match DeTable::parse(self.text) {
                Ok(table) => (Some(table), vec![]),
                Err(error) => (None, vec![error]),
            }
        } else {
            let (table, errors) = DeTable::parse_recoverable(self.text);
            (Some(table), errors)
        };
        for error in errors.iter().take(MAX_SYNTAX_FINDINGS) {
            let message = format!("not valid TOML: {}", error.message());
            self.report(error.span().map(|s| s.start), String::new(), message);
        }
        table.filter(|_| errors.is_empty())
    }

    /// Reads a file: `header` sees the top level, `readers` the elements of each array of tables by name.
    ///
    /// Keys that neither asks for are findings.
    pub(super) fn read(
        &self,
        header: &mut dyn FnMut(&Record<'_>),
        readers: &mut [(&'static str, ReadRecord<'_>)],
    ) {
        let Some(root) = self.parse() else { return };
        let root = root.into_inner();
        let defaults = root.get("defaults").and_then(|d| d.get_ref().as_table());
        let top = Record::top(self, &root);
        top.allow("defaults");
        for (name, _) in readers.iter() {
            top.allow(name);
        }
        header(&top);
        top.finish();
        if let Some(value) = root.get("defaults") {
            match value.get_ref() {
                DeValue::Table(table) => Record::defaults(self, table, value.span().start).finish(),
                _ => self.report(
                    Some(value.span().start),
                    "defaults".to_owned(),
                    "is not a table; write [defaults]".to_owned(),
                ),
            }
        }
        for (name, reader) in readers.iter_mut() {
            let Some(value) = root.get(*name) else { continue };
            let Some(array) = value.get_ref().as_array() else {
                let message = format!("is not a list of records; write [[{name}]] before each");
                self.report(Some(value.span().start), (*name).to_owned(), message);
                continue;
            };
            for (index, element) in array.iter().enumerate() {
                let start = element.span().start;
                match element.get_ref().as_table() {
                    Some(table) => {
                        let record = Record::new(self, name, index, table, start, defaults);
                        reader(&record);
                        record.finish();
                    }
                    None => self.report(
                        Some(start),
                        format!("{name}[{index}]"),
                        format!("is not a table; write [[{name}]]"),
                    ),
                }
            }
        }
    }
}
