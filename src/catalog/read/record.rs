//! One record of a catalog file: typed access to its keys, every problem noted, unknown keys refused.

use std::cell::RefCell;

use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, StrDeserializer};
use toml::de::{DeTable, DeValue};

use super::super::names::nearest;
use super::document::Document;
use crate::units::Unit;
use crate::units::parse::parse_quantity;

/// Keys that a `[defaults]` table may set for all records of its file.
const DEFAULT_KEYS: [&str; 2] = ["source", "as_of"];

/// A table of the file with the name it has in messages.
pub(super) struct Record<'d> {
    pub(super) document: &'d Document<'d>,
    kind: &'d str,
    index: Option<usize>,
    table: &'d DeTable<'d>,
    start: usize,
    defaults: Option<&'d DeTable<'d>>,
    asked: RefCell<Vec<&'static str>>,
}

/// A quantity that a file may state to be unknown.
pub(super) enum Stated<Q> {
    /// Given.
    Known(Q),
    /// Said to be unknown.
    Unknown,
}

impl<Q> Stated<Q> {
    /// The quantity, if known.
    pub(super) fn known(self) -> Option<Q> {
        match self {
            Self::Known(quantity) => Some(quantity),
            Self::Unknown => None,
        }
    }
}

/// A value with its byte offset.
pub(super) type Value<'d> = (&'d DeValue<'d>, usize);

impl<'d> Record<'d> {
    /// An element of an array of tables.
    pub(super) fn new(
        document: &'d Document<'d>,
        kind: &'d str,
        index: usize,
        table: &'d DeTable<'d>,
        start: usize,
        defaults: Option<&'d DeTable<'d>>,
    ) -> Self {
        Self { document, kind, index: Some(index), table, start, defaults, asked: RefCell::default() }
    }

    /// The top level of a file.
    pub(super) fn top(document: &'d Document<'d>, table: &'d DeTable<'d>) -> Self {
        Self { document, kind: "", index: None, table, start: 0, defaults: None, asked: RefCell::default() }
    }

    /// The `[defaults]` table.
    pub(super) fn defaults(document: &'d Document<'d>, table: &'d DeTable<'d>, start: usize) -> Self {
        let asked = RefCell::new(DEFAULT_KEYS.to_vec());
        Self { document, kind: "defaults", index: None, table, start, defaults: None, asked }
    }

    /// Byte offset of the record, to report on it later.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The name in messages: `gpu[3]`.
    pub(super) fn label(&self) -> String {
        self.index.map_or_else(|| self.kind.to_owned(), |i| format!("{}[{i}]", self.kind))
    }

    fn key_name(&self, key: &str) -> String {
        if self.kind.is_empty() { key.to_owned() } else { format!("{}.{key}", self.label()) }
    }

    /// True when the record has the key, whatever its value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Accepts a key that is read elsewhere.
    pub(super) fn allow(&self, key: &'static str) {
        self.asked.borrow_mut().push(key);
    }

    /// Notes a problem with a key of this record.
    pub(super) fn wrong(&self, key: &str, message: String) {
        let offset = self.table.get(key).map_or(self.start, |v| v.span().start);
        self.document.report(Some(offset), self.key_name(key), message);
    }

    /// The value of a key, of the record or its file's defaults.
    pub(super) fn value(&self, key: &'static str) -> Option<Value<'d>> {
        self.asked.borrow_mut().push(key);
        let own = self.table.get(key);
        let found =
            own.or_else(|| self.defaults.filter(|_| DEFAULT_KEYS.contains(&key)).and_then(|d| d.get(key)))?;
        Some((found.get_ref(), found.span().start))
    }

    /// Notes a value of the wrong type.
    pub(super) fn mistyped(&self, key: &str, found: Value<'_>, expected: &str) {
        let message = format!("is {} {}; expected {expected}", article(found.0), found.0.type_str());
        self.document.report(Some(found.1), self.key_name(key), message);
    }

    /// Notes a required key that is absent; passes what was found.
    pub(super) fn missing<T>(&self, key: &str, found: Option<T>, expected: &str) -> Option<T> {
        if found.is_none() && !self.table.contains_key(key) {
            let message = format!("is missing; expected {expected}");
            self.document.report(Some(self.start), self.key_name(key), message);
        }
        found
    }

    fn str_value(&self, key: &'static str, expected: &str) -> Option<(&'d str, usize)> {
        let found = self.value(key)?;
        match found.0 {
            DeValue::String(text) if !text.trim().is_empty() => Some((text.as_ref(), found.1)),
            DeValue::String(_) => {
                let message = format!("is empty; expected {expected}, or leave the key out");
                self.document.report(Some(found.1), self.key_name(key), message);
                None
            }
            _ => {
                self.mistyped(key, found, expected);
                None
            }
        }
    }

    /// Optional text.
    pub(super) fn opt_text(&self, key: &'static str) -> Option<String> {
        self.str_value(key, "text").map(|(t, _)| t.to_owned())
    }

    /// Required text.
    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        let found = self.opt_text(key);
        self.missing_or_default(key, found, "text")
    }

    /// As `missing`, satisfied by the file's defaults.
    pub(super) fn missing_or_default<T>(&self, key: &str, found: Option<T>, expected: &str) -> Option<T> {
        if self.defaults.is_some_and(|d| d.contains_key(key)) {
            found
        } else {
            self.missing(key, found, expected)
        }
    }

    /// Optional text read by `parse`; its error is the message.
    pub(super) fn opt_parsed<T, E: std::fmt::Display>(
        &self,
        key: &'static str,
        expected: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        let (text, at) = self.str_value(key, expected)?;
        match parse(text) {
            Ok(value) => Some(value),
            Err(error) => {
                self.document.report(Some(at), self.key_name(key), error.to_string());
                None
            }
        }
    }

    /// Optional quantity with its unit.
    pub(super) fn opt_quantity<Q: Unit>(&self, key: &'static str) -> Option<Q> {
        let expected = format!("{} as text, such as {:?}", Q::EXPECTED, Q::EXAMPLE);
        self.opt_parsed(key, &expected, parse_quantity::<Q>)
    }

    /// Required quantity with its unit.
    pub(super) fn quantity<Q: Unit>(&self, key: &'static str) -> Option<Q> {
        let found = self.opt_quantity(key);
        self.missing(key, found, &format!("{}, such as {:?}", Q::EXPECTED, Q::EXAMPLE))
    }

    /// Required quantity that may be the word `unknown`.
    pub(super) fn quantity_or_unknown<Q: Unit>(&self, key: &'static str) -> Option<Stated<Q>> {
        let expected = format!("{}, such as {:?}, or \"unknown\"", Q::EXPECTED, Q::EXAMPLE);
        let found = self.opt_parsed(key, &expected, |text| {
            if text == "unknown" { Ok(Stated::Unknown) } else { parse_quantity::<Q>(text).map(Stated::Known) }
        });
        self.missing(key, found, &expected)
    }

    /// Optional whole number that fits `T`.
    pub(super) fn opt_integer<T: TryFrom<i64>>(&self, key: &'static str) -> Option<T> {
        let found = self.value(key)?;
        let number = found.0.as_integer().and_then(|i| i64::from_str_radix(i.as_str(), i.radix()).ok());
        let number = number.and_then(|n| T::try_from(n).ok());
        if number.is_none() {
            self.mistyped(key, found, "a whole number in range, not negative where a count is meant");
        }
        number
    }

    /// Required whole number that fits `T`.
    pub(super) fn integer<T: TryFrom<i64>>(&self, key: &'static str) -> Option<T> {
        let found = self.opt_integer(key);
        self.missing(key, found, "a whole number")
    }

    /// Required count of at least one.
    pub(super) fn count(&self, key: &'static str) -> Option<u32> {
        let found = self.integer::<u32>(key)?;
        if found == 0 {
            self.wrong(key, "is 0; expected at least 1".to_owned());
            return None;
        }
        Some(found)
    }

    /// Optional finite number.
    pub(super) fn opt_float(&self, key: &'static str) -> Option<f64> {
        let found = self.value(key)?;
        let text = match found.0 {
            DeValue::Float(f) => Some(f.as_str()),
            DeValue::Integer(i) => Some(i.as_str()),
            _ => None,
        };
        let number = text.and_then(|t| t.parse::<f64>().ok()).filter(|n| n.is_finite());
        if number.is_none() {
            self.mistyped(key, found, "a finite number");
        }
        number
    }

    /// Optional `true` or `false`.
    pub(super) fn opt_flag(&self, key: &'static str) -> Option<bool> {
        let found = self.value(key)?;
        let flag = found.0.as_bool();
        if flag.is_none() {
            self.mistyped(key, found, "true or false");
        }
        flag
    }

    /// Required `true` or `false`.
    pub(super) fn flag(&self, key: &'static str) -> Option<bool> {
        let found = self.opt_flag(key);
        self.missing(key, found, "true or false")
    }

    /// Required word out of an enum; the message lists the accepted ones.
    pub(super) fn choice<T: DeserializeOwned>(&self, key: &'static str) -> Option<T> {
        let found =
            self.opt_parsed(key, "a word", |text| T::deserialize(StrDeserializer::<ValueError>::new(text)));
        self.missing(key, found, "a word")
    }

    /// Refuses keys that were never asked for.
    pub(super) fn finish(&self) {
        let asked = self.asked.borrow();
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if asked.contains(&name) {
                continue;
            }
            let hint = nearest(name, asked.iter().copied()).first().map_or_else(
                || format!("expected one of: {}", asked.join(", ")),
                |near| format!("did you mean {near:?}?"),
            );
            let message = format!("is not a known key; {hint}");
            self.document.report(Some(key.span().start), self.key_name(name), message);
        }
    }
}

fn article(value: &DeValue<'_>) -> &'static str {
    if matches!(value, DeValue::Integer(_) | DeValue::Array(_)) { "an" } else { "a" }
}
