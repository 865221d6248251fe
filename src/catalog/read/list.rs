//! Lists inside a record.

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

    /// A list of exactly two whole numbers.
    pub(super) fn pair(&self, key: &'static str) -> Option<(u32, u32)> {
        let expected = "a list of two whole numbers, such as [224, 224]";
        let found = self.missing(key, self.value(key), expected)?;
        let numbers: Option<Vec<u32>> = found
            .0
            .as_array()
            .and_then(|a| a.iter().map(|e| e.get_ref().as_integer()?.as_str().parse().ok()).collect());
        if let Some([a, b]) = numbers.as_deref() {
            return Some((*a, *b));
        }
        self.mistyped(key, found, expected);
        None
    }
}
