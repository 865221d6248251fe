//! Lists inside a record.

use toml::de::DeValue;

use super::record::Record;

impl<'d> Record<'d> {
    /// The records of a list inside this one.
    pub(super) fn children(&self, key: &'static str) -> Vec<Record<'d>> {
        let Some(found) = self.value(key) else { return vec![] };
        let tables = found.0.as_array().map(|a| a.iter().map(|e| (e.span().start, e.get_ref().as_table())));
        let children = tables.and_then(|t| {
            t.enumerate()
                .map(|(i, (start, table))| Some(Record::new(self.document, key, i, table?, start, None)))
                .collect::<Option<Vec<_>>>()
        });
        if children.is_none() {
            self.mistyped(key, found, "a list of tables");
        }
        children.unwrap_or_default()
    }

    /// Whole numbers, one alone or a list.
    pub(super) fn opt_numbers(&self, key: &'static str) -> Option<Vec<u32>> {
        let found = self.value(key)?;
        let number = |v: &DeValue<'_>| v.as_integer()?.as_str().parse::<u32>().ok();
        let numbers: Option<Vec<u32>> = match found.0.as_array() {
            Some(list) => list.iter().map(|e| number(e.get_ref())).collect(),
            None => number(found.0).map(|n| vec![n]),
        };
        if numbers.is_none() {
            self.mistyped(key, found, "a whole number or a list of them, such as 3 or [3, 3]");
        }
        numbers
    }

    /// Texts; none when the key is absent.
    pub(super) fn texts(&self, key: &'static str) -> Vec<String> {
        let Some(found) = self.value(key) else { return vec![] };
        let list = found.0.as_array();
        let texts: Option<Vec<String>> =
            list.and_then(|a| a.iter().map(|e| e.get_ref().as_str().map(str::to_owned)).collect());
        if texts.is_none() {
            self.mistyped(key, found, "a list of texts, such as [\"a\", \"b\"]");
        }
        texts.unwrap_or_default()
    }
}
