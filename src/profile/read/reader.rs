//! Typed reading of one TOML table; what is wrong is reported, never fatal.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Document, near};
use crate::profile::Grade;
use crate::units::parse::{Unit, parse_quantity};

/// One table of a document. Missing keys are looked up in the table below, if there is one.
pub(in super::super) struct Reader<'d> {
    document: &'d Document<'d>,
    table: &'d DeTable<'d>,
    path: String,
    span: Range<usize>,
    below: Option<&'d Reader<'d>>,
    known: RefCell<Vec<String>>,
}

impl<'d> Reader<'d> {
    /// The top of a document.
    pub(in super::super) fn root(document: &'d Document<'d>, table: &'d Spanned<DeTable<'d>>) -> Self {
        Self::new(document, table.get_ref(), String::new(), 0..0)
    }

    fn new(document: &'d Document<'d>, table: &'d DeTable<'d>, path: String, span: Range<usize>) -> Self {
        Self { document, table, path, span, below: None, known: RefCell::default() }
    }

    /// The same table, with another one whose values are taken for absent keys.
    pub(super) fn over(mut self, below: Option<&'d Self>) -> Self {
        self.below = below;
        self
    }

    fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// The value of a key here or below, with the table that holds it.
    fn find(&self, key: &str) -> Option<(&Self, &'d Spanned<DeValue<'d>>)> {
        self.known.borrow_mut().push(key.to_owned());
        let here = self.table.get(key).map(|value| (self, value));
        let below = self.below.and_then(|b| b.find(key));
        here.or(below)
    }

    /// True when this very table (not one below it) has the key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Reports a problem of a key, or of the table when it has no such key.
    pub(in super::super) fn fail(&self, key: &str, message: impl Into<String>) {
        match self.find(key) {
            Some((owner, value)) => {
                owner.document.report(Some(value.span()), &owner.key(key), message.into());
            }
            None => self.document.report(Some(self.span.clone()), &self.key(key), message.into()),
        }
    }

    fn required<T>(&self, key: &str, expected: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && self.find(key).is_none() {
            self.fail(key, format!("is missing; expected {expected}"));
        }
        value
    }

    fn typed<T>(&self, key: &str, expected: &str, read: impl Fn(&'d DeValue<'d>) -> Option<T>) -> Option<T> {
        let (_, value) = self.find(key)?;
        let result = read(value.get_ref());
        if result.is_none() {
            self.fail(key, format!("is {}; expected {expected}", value.get_ref().type_str()));
        }
        result
    }

    /// A text that may be absent.
    pub(super) fn optional_text(&self, key: &str) -> Option<String> {
        self.typed(key, "text", |v| v.as_str().map(ToOwned::to_owned))
    }

    /// A text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let text = self.required(key, "text", self.optional_text(key))?;
        if text.trim().is_empty() {
            self.fail(key, "is empty; expected text");
            return None;
        }
        Some(text)
    }

    /// True or false, which may be absent.
    pub(super) fn optional_flag(&self, key: &str) -> Option<bool> {
        self.typed(key, "true or false", DeValue::as_bool)
    }

    /// True or false.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.required(key, "true or false", self.optional_flag(key))
    }

    /// A number that may be absent, within bounds.
    pub(super) fn optional_number(&self, key: &str, bounds: RangeInclusive<f64>) -> Option<f64> {
        let number = self.typed(key, "a number", number)?;
        if bounds.contains(&number) {
            return Some(number);
        }
        self.fail(key, format!("is {number}; expected {} to {}", bounds.start(), bounds.end()));
        None
    }

    /// A number within bounds.
    pub(super) fn number(&self, key: &str, bounds: RangeInclusive<f64>) -> Option<f64> {
        self.required(key, "a number", self.optional_number(key, bounds))
    }

    /// A whole number within bounds.
    pub(super) fn whole(&self, key: &str, bounds: RangeInclusive<u32>) -> Option<u32> {
        let bounds = f64::from(*bounds.start())..=f64::from(*bounds.end());
        let number = self.number(key, bounds)?;
        if number.fract() == 0.0 {
            return Some(number as u32);
        }
        self.fail(key, format!("is {number}; expected a whole number"));
        None
    }

    /// A quantity above zero, written with its unit.
    pub(super) fn quantity<Q: Unit + PartialOrd>(&self, key: &str) -> Option<Q> {
        let (_, value) = self.required(key, Q::EXPECTED, self.find(key))?;
        let Some(text) = value.get_ref().as_str() else {
            self.fail(
                key,
                format!(
                    "is {} without unit; expected {}, such as {:?}",
                    value.get_ref().type_str(),
                    Q::EXPECTED,
                    Q::EXAMPLE
                ),
            );
            return None;
        };
        match parse_quantity::<Q>(text) {
            Ok(quantity) if quantity > Q::wrap(0.0) => return Some(quantity),
            Ok(_) => self.fail(key, "is zero; expected a value above zero, or no value where it is unknown"),
            Err(error) => self.fail(key, error.to_string()),
        }
        None
    }

    /// An evidence grade.
    pub(super) fn grade(&self) -> Option<Grade> {
        let text = self.text("grade")?;
        let grade = Grade::ALL.into_iter().find(|g| g.letter() == text);
        if grade.is_none() {
            self.fail("grade", format!("is {text:?}; expected A, B, C or D"));
        }
        grade
    }

    /// A list read item by item; `expected` names what one item is.
    pub(super) fn list<T>(
        &self,
        key: &str,
        expected: &str,
        item: impl Fn(&'d DeValue<'d>) -> Result<T, String>,
    ) -> Option<Vec<T>> {
        let read = |v: &'d DeValue<'d>| v.as_array().map(|a| a.iter().collect::<Vec<_>>());
        let values = self.required(key, "a list", self.typed(key, &format!("a list of {expected}"), read))?;
        let mut items = Vec::with_capacity(values.len());
        for value in values {
            match item(value.get_ref()) {
                Ok(read) => items.push(read),
                Err(message) => self.document.report(Some(value.span()), &self.key(key), message),
            }
        }
        Some(items)
    }

    /// A list of texts.
    pub(super) fn texts(&self, key: &str) -> Option<Vec<String>> {
        self.list(key, "texts", |v| {
            v.as_str().map(ToOwned::to_owned).ok_or_else(|| "expected text".to_owned())
        })
    }

    /// A list of names out of a closed set.
    pub(super) fn names<T: Copy>(
        &self,
        key: &str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Option<Vec<T>> {
        self.list(key, "names", |v| {
            let text = v.as_str().unwrap_or_default();
            all.iter().copied().find(|&one| name(one) == text).ok_or_else(|| {
                let accepted: Vec<_> = all.iter().map(|&one| name(one)).collect();
                let hint = near(text, accepted.iter().copied());
                format!("has {text:?}{hint}; accepted: {}", accepted.join(", "))
            })
        })
    }

    /// A list of numbers within bounds.
    pub(super) fn numbers(&self, key: &str, bounds: &RangeInclusive<f64>) -> Option<Vec<f64>> {
        self.list(key, "numbers", |v| match number(v) {
            Some(n) if bounds.contains(&n) => Ok(n),
            _ => Err(format!("expected numbers from {} to {}", bounds.start(), bounds.end())),
        })
    }

    /// A sub-table that may be absent.
    pub(super) fn optional_child(&self, key: &str) -> Option<Self> {
        let (_, value) = self.find(key)?;
        let table = self.typed(key, "a table", DeValue::as_table)?;
        Some(Self::new(self.document, table, self.key(key), value.span()))
    }

    /// A sub-table.
    pub(super) fn child(&self, key: &str) -> Option<Self> {
        self.required(key, "a table", self.optional_child(key))
    }

    /// Every sub-table of a table whose keys are free names, with its name.
    pub(super) fn entries(&self) -> Vec<(String, Self)> {
        let names: Vec<_> = self.table.keys().map(|k| k.get_ref().to_string()).collect();
        names.into_iter().filter_map(|n| self.optional_child(&n).map(|child| (n, child))).collect()
    }

    /// The tables of an array of tables; none when absent.
    pub(super) fn children(&self, key: &str) -> Vec<Self> {
        let Some(values) = self.typed(key, "an array of tables", DeValue::as_array) else {
            return Vec::new();
        };
        let mut children = Vec::new();
        for (i, value) in values.iter().enumerate() {
            let path = format!("{}[{i}]", self.key(key));
            match value.get_ref().as_table() {
                Some(table) => children.push(Self::new(self.document, table, path, value.span())),
                None => self.document.report(Some(value.span()), &path, "expected a table".to_owned()),
            }
        }
        children
    }

    /// Checks the format version, which every file states.
    pub(super) fn schema(&self) {
        self.whole("schema", 1..=1);
    }

    /// Reports every key that was never asked for.
    pub(super) fn finish(&self) {
        let known = self.known.borrow();
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            if known.iter().any(|k| k == name) {
                continue;
            }
            let mut accepted: Vec<_> = known.iter().map(String::as_str).collect();
            accepted.sort_unstable();
            accepted.dedup();
            let hint = near(name, accepted.iter().copied());
            let message = format!("is no key here{hint}; accepted: {}", accepted.join(", "));
            self.document.report(Some(key.span()), &self.key(name), message);
        }
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Float(float) => float.as_str(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
        _ => return None,
    };
    text.parse().ok()
}
