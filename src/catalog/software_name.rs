//! Names that people use for training software.

use super::Provenance;

/// A name that is no stack's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoftwareName {
    /// The name, compared without case, blanks and hyphens.
    pub name: String,
    /// Stacks that it may mean, the most capable first; empty where it means more than software.
    pub means: Vec<String>,
    /// The flags that say the same, where it means more than software.
    pub written: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}

/// A name of software without what people write in different ways: case, blanks, hyphens, dots.
pub fn software_key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
