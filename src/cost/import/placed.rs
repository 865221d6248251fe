//! Where a part of a JSON text stands, so that a finding about it has a line.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A text whose lines are counted once.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Offsets of the line ends.
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, ends: text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i).collect() }
    }

    /// Line of a part that was cut out of this text, counted from one.
    pub(super) fn line(&self, part: &RawValue) -> usize {
        let at = (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.ends.partition_point(|&end| end < at) + 1
    }

    /// Reads a part; an error carries the line that it is in.
    pub(super) fn read<T: Deserialize<'a>>(&self, part: &'a RawValue) -> Result<T, (usize, String)> {
        serde_json::from_str(part.get()).map_err(|e| (self.line(part) + e.line().max(1) - 1, e.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_the_line_it_begins_in_and_an_error_its_own() {
        let text = "[\n  1,\n  {\n    \"a\": \"x\"\n  }, 3]";
        let parts: Vec<&RawValue> = serde_json::from_str(text).unwrap();
        let lines = Lines::of(text);
        assert_eq!(parts.iter().map(|p| lines.line(p)).collect::<Vec<_>>(), [2, 3, 5]);
        let error = lines.read::<std::collections::BTreeMap<String, u32>>(parts[1]).unwrap_err();
        assert_eq!(error.0, 4);
    }
}
