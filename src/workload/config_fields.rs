//! Typed access to the keys of a JSON configuration that gathers every problem.

use serde_json::{Map, Value};

/// The keys of one document, what is wrong with them and what was assumed.
pub(super) struct Fields {
    map: Map<String, Value>,
    /// Problems, each starting with its key.
    pub findings: Vec<String>,
    /// Assumptions.
    pub notes: Vec<String>,
}

impl Fields {
    pub fn new(map: Map<String, Value>) -> Self {
        Self { map, findings: Vec::new(), notes: Vec::new() }
    }

    /// Records a problem of a key.
    pub fn find(&mut self, key: &str, message: &str) {
        self.findings.push(format!("{key}: {message}"));
    }

    /// The value of a key; JSON null is absence.
    fn value(&self, key: &str) -> Option<Value> {
        self.map.get(key).filter(|value| !value.is_null()).cloned()
    }

    /// A text, or `None` without a finding.
    pub fn text(&self, key: &str) -> Option<String> {
        self.value(key).and_then(|value| value.as_str().map(str::to_owned))
    }

    /// A whole number from 1 to `largest`; its absence is a finding.
    pub fn size(&mut self, key: &str, largest: u32) -> Option<u32> {
        if self.value(key).is_none() {
            self.find(key, &format!("missing; a whole number from 1 to {largest} is needed"));
            return None;
        }
        self.optional_size(key, largest)
    }

    /// A whole number from 1 to `largest`, or absent.
    pub fn optional_size(&mut self, key: &str, largest: u32) -> Option<u32> {
        let value = self.value(key)?;
        let size = value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=largest).contains(n));
        if size.is_none() {
            self.find(key, &format!("{value} is not a whole number from 1 to {largest}"));
        }
        size
    }

    /// True or false, `default` when absent.
    pub fn flag(&mut self, key: &str, default: bool) -> bool {
        match self.value(key) {
            None => default,
            Some(Value::Bool(flag)) => flag,
            Some(other) => {
                self.find(key, &format!("{other} is not true or false"));
                default
            }
        }
    }

    /// Width over heads, which must divide it.
    pub fn head_dim(&mut self, width_key: &str, width: u32, heads_key: &str, heads: u32) -> Option<u32> {
        if width.is_multiple_of(heads) {
            return Some(width / heads);
        }
        self.find(heads_key, &format!("{heads} does not divide {width_key} = {width}"));
        None
    }
}
