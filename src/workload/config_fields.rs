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

    /// A whole number from 0 to `largest`; 0 when absent.
    pub fn optional_size_or_zero(&mut self, key: &str, largest: u32) -> u32 {
        if self.value(key).is_some_and(|value| value.as_u64() == Some(0)) {
            return 0;
        }
        self.optional_size(key, largest).unwrap_or(0)
    }

    /// Whether a key is there and not null.
    pub fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// Lets `to` stand for what is under `from`, unless it is there itself.
    pub fn copy(&mut self, from: &str, to: &str) {
        if let (Some(value), None) = (self.value(from), self.value(to)) {
            self.map.insert(to.to_owned(), value);
        }
    }

    /// Puts a number under a key.
    pub fn set_size(&mut self, key: &str, size: u32) {
        self.map.insert(key.to_owned(), Value::from(size));
    }

    /// Puts true or false under a key.
    pub fn set_flag(&mut self, key: &str, flag: bool) {
        self.map.insert(key.to_owned(), Value::from(flag));
    }

    /// How many entries the object under a key has.
    pub fn entries(&self, key: &str) -> Option<u32> {
        self.value(key).and_then(|v| v.as_object().map(Map::len)).and_then(|n| u32::try_from(n).ok())
    }

    /// A flag inside an object.
    pub fn inner_flag(&self, object: &str, key: &str) -> Option<bool> {
        self.value(object)?.get(key)?.as_bool()
    }
}
