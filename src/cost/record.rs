//! Reading small TOML files of records: every problem becomes a finding with its line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::nearest::{near_clause, near_names};
use crate::catalog::Finding;

/// A file being read and what was found wrong in it.
pub(super) struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    /// Byte offsets at which lines begin.
    lines: Vec<usize>,
    findings: Vec<Finding>,
}

/// Above this size only the first syntax error is reported, so that garbage cannot fill the memory.
const RECOVER_LIMIT: usize = 1 << 20;
/// After so many findings nothing more is read: the file is of another kind.
const MAX_FINDINGS: usize = 200;

/// One table of the file with the name it has in findings, such as `price[2]`.
pub(super) struct Record<'t> {
    name: String,
    table: Spanned<DeTable<'t>>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1);
        Self { file, text, lines: std::iter::once(0).chain(breaks).collect(), findings: Vec::new() }
    }

    /// True when there are so many findings that reading on helps nobody.
    pub(super) const fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS
    }

    /// Adds a finding at a place in the text.
    pub(super) fn find(&mut self, span: &Range<usize>, key: String, message: String) {
        let line = self.line(span);
        self.findings.push(Finding { file: self.file.to_owned(), line: Some(line), key, message });
    }

    /// Adds a finding in a line.
    pub(super) fn find_in_line(&mut self, line: usize, key: String, message: String) {
        self.findings.push(Finding { file: self.file.to_owned(), line: Some(line), key, message });
    }

    /// One-based line of a place in the text.
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        self.lines.partition_point(|&begin| begin <= span.start.min(self.text.len()))
    }

    /// The table `[key]`, checked against the keys it may have; other shapes are findings.
    pub(super) fn table(&mut self, document: &Record<'t>, key: &str, known: &[&str]) -> Option<Record<'t>> {
        let value = document.get(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            self.find(&value.span(), key.to_owned(), format!("must be a table, [{key}]"));
            return None;
        };
        let record = Record { name: key.to_owned(), table: Spanned::new(value.span(), table.clone()) };
        self.deny_unknown(&record, known);
        Some(record)
    }

    /// `true` or `false` under a key; `None` when it is absent or a finding.
    pub(super) fn flag(&mut self, record: &Record<'_>, key: &str) -> Option<bool> {
        let value = record.get(key)?;
        if let DeValue::Boolean(flag) = value.get_ref() {
            return Some(*flag);
        }
        self.find(&value.span(), record.key(key), "must be true or false".to_owned());
        None
    }

    /// The whole file as one record; an empty one after a syntax error, which is a finding.
    pub(super) fn document(&mut self) -> Record<'t> {
        let (table, errors) = if self.text.len() > RECOVER_LIMIT {
            match DeTable::parse(self.text) {
                Ok(table) => (table, Vec::new()),
                Err(error) => (Spanned::new(0..0, DeTable::new()), vec![error]),
            }
        } else {
            DeTable::parse_recoverable(self.text)
        };
        for error in errors.into_iter().take(MAX_FINDINGS) {
            let span = error.span().unwrap_or(0..0);
            self.find(&span, "TOML".to_owned(), error.message().trim().to_owned());
        }
        Record { name: String::new(), table }
    }

    /// The tables of `[[key]]`, each checked against the keys it may have; other shapes are findings.
    pub(super) fn records(&mut self, document: &Record<'t>, key: &str, known: &[&str]) -> Vec<Record<'t>> {
        let Some(value) = document.get(key) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            self.find(&value.span(), key.to_owned(), format!("must be a list of tables, [[{key}]]"));
            return Vec::new();
        };
        let mut records = Vec::new();
        for (i, item) in items.iter().enumerate() {
            if self.is_full() {
                break;
            }
            let name = format!("{key}[{i}]");
            match item.get_ref() {
                DeValue::Table(table) => {
                    let table = Spanned::new(item.span(), table.clone());
                    let record = Record { name, table };
                    self.deny_unknown(&record, known);
                    records.push(record);
                }
                other => self.find(
                    &item.span(),
                    name,
                    format!("must be a table, [[{key}]], not a {}", other.type_str()),
                ),
            }
        }
        records
    }

    /// A finding for every key outside `known`.
    pub(super) fn deny_unknown(&mut self, record: &Record<'_>, known: &[&str]) {
        for (key, _) in record.table.get_ref() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let near = near_clause(&near_names(name, known.iter().copied()));
                let message = format!("unknown key{near}; accepted: {}", known.join(", "));
                self.find(&key.span(), record.key(name), message);
            }
        }
    }

    /// Text under a key, read by `read`; `None` when the key is absent or its value is a finding.
    pub(super) fn optional<T>(
        &mut self,
        record: &Record<'_>,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let value = record.get(key)?;
        let result = match value.get_ref() {
            DeValue::String(text) => read(text),
            DeValue::Datetime(date) => read(&date.to_string()),
            other => Err(format!("must be text in quotes, not a {}", other.type_str())),
        };
        result.map_err(|message| self.find(&value.span(), record.key(key), message)).ok()
    }

    /// As [`Reader::optional`], but absence is a finding that says what is accepted.
    pub(super) fn required<T>(
        &mut self,
        record: &Record<'_>,
        key: &str,
        accepted: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        if record.get(key).is_none() {
            self.find(&record.span(), record.key(key), format!("is missing; accepted: {accepted}"));
        }
        self.optional(record, key, read)
    }

    /// As [`Reader::required`], for a value that may be a whole number without quotes.
    pub(super) fn required_whole<T>(
        &mut self,
        record: &Record<'_>,
        key: &str,
        accepted: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let Some(value) = record.get(key) else { return self.required(record, key, accepted, read) };
        let DeValue::Integer(number) = value.get_ref() else {
            return self.required(record, key, accepted, read);
        };
        read(number.as_str()).map_err(|message| self.find(&value.span(), record.key(key), message)).ok()
    }

    /// The result, or all findings in the order of their lines.
    pub(super) fn finish<T>(mut self, value: T) -> Result<T, Vec<Finding>> {
        if self.findings.is_empty() {
            return Ok(value);
        }
        self.findings.sort_by(|a, b| a.line.cmp(&b.line).then_with(|| a.key.cmp(&b.key)));
        Err(self.findings)
    }

    /// True while nothing is wrong.
    pub(super) const fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

impl<'t> Record<'t> {
    /// The value under a key.
    pub(super) fn get(&self, key: &str) -> Option<&Spanned<DeValue<'t>>> {
        self.table.get_ref().get(key)
    }

    /// The full name of a key of this record.
    pub(super) fn key(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// Where the record stands.
    pub(super) fn span(&self) -> Range<usize> {
        self.table.span()
    }
}
