//! Exporters: the words of other tools, as data.

use include_dir::{Dir, include_dir};
use serde::Deserialize;

static EXPORTERS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/calibration/exporters");

/// What comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExporterKind {
    /// Command-line flags, a line for each group.
    Flags,
    /// One JSON object.
    Json,
}

/// `variable = value`, `variable > number` or `variable < variable`.
pub type Condition = String;

/// A number that others must divide.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Variable that is divided.
    pub whole: String,
    /// Variables whose product divides it.
    pub by: Vec<String>,
    /// Conditions under which the rule holds.
    #[serde(default)]
    pub when: Vec<Condition>,
}

/// A plan that the tool cannot express.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Conditions that all hold then.
    pub when: Vec<Condition>,
    /// Why.
    pub why: String,
}

/// A line of flags.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Text with variables in braces.
    pub text: String,
    /// Conditions that must all hold.
    #[serde(default)]
    pub when: Vec<Condition>,
    /// Remark for the reader.
    pub note: Option<String>,
}

/// A value of the JSON object.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Keys from the top, separated by points.
    pub path: String,
    /// The value; a text in braces is a variable.
    pub value: toml::Value,
    /// Conditions that must all hold.
    #[serde(default)]
    pub when: Vec<Condition>,
    /// Remark for the reader.
    pub note: Option<String>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exporter {
    /// Name for people.
    pub name: String,
    /// Version whose words these are.
    pub version: String,
    /// Software stack that its plans are predicted with.
    pub stack: String,
    /// What comes out.
    pub kind: ExporterKind,
    /// Levels of sharding that it can express.
    pub expresses: Vec<String>,
    /// It can keep optimizer states in host memory.
    pub offload: bool,
    /// It can train adapters.
    pub adapters: bool,
    /// Where the words are from.
    pub source: String,
    /// Divisibility.
    #[serde(default)]
    pub rule: Vec<Rule>,
    /// What it cannot do.
    #[serde(default)]
    pub refuse: Vec<Refusal>,
    /// Flags.
    #[serde(default)]
    pub line: Vec<Line>,
    /// JSON.
    #[serde(default)]
    pub entry: Vec<Entry>,
}

/// Names of all exporters, sorted.
pub fn exporter_names() -> Vec<&'static str> {
    let stem = |file: &include_dir::File<'static>| file.path().file_stem().and_then(|s| s.to_str());
    let mut names: Vec<&str> = EXPORTERS.files().filter_map(stem).collect();
    names.sort_unstable();
    names
}

/// The exporter of a name.
///
/// # Errors
/// When there is none of that name, or its file is not valid, which a test rules out.
pub fn exporter(name: &str) -> Result<Exporter, String> {
    let file = EXPORTERS.get_file(format!("{name}.toml"));
    let Some(text) = file.and_then(|f| f.contents_utf8()) else {
        return Err(format!("{name:?} is no format; accepted are {}", exporter_names().join(", ")));
    };
    toml::from_str(text).map_err(|e| format!("exporter {name}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_exporter_reads() {
        let names = exporter_names();
        assert_eq!(names.len(), 3);
        for name in names {
            let found = exporter(name).unwrap();
            assert!(found.line.is_empty() == (found.kind == ExporterKind::Json), "{name}");
        }
        assert!(exporter("none").unwrap_err().contains("accepted are"));
    }
}
