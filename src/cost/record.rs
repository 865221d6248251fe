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
    findings: Vec<Finding>,
}

/// One table of the file with the name it has in findings, such as `price[2]`.
pub(super) struct Record<'t> {
    name: String,
    table: Spanned<DeTable<'t>>,
}

impl<'t> Reader<'t> {
    pub(super) const fn new(file: &'t str, text: &'t str) -> Self {
        Self { file, text, findings: Vec::new() }
    }

    /// Adds a finding at a place in the text.
    pub(super) fn find(&mut self, span: &Range<usize>, key: String, message: String) {
        let start = span.start.min(self.text.len());
        let line =
            self.text.char_indices().take_while(|&(i, _)| i < start).filter(|&(_, c)| c == '\n').count() + 1;
        self.findings.push(Finding { file: self.file.to_owned(), line: Some(line), key, message });
    }

    /// The whole file as one record; an empty one after a syntax error, which is a finding.
    pub(super) fn document(&mut self) -> Record<'t> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
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
