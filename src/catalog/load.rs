//! Reading and checking catalog files.

/// One problem in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the catalog folder.
    pub file: String,
    /// One-based line, where known.
    pub line: Option<usize>,
    /// The record and key, such as `instance[3].network`.
    pub key: String,
    /// What is wrong and what would be accepted.
    pub message: String,
}

/// Why a catalog could not be had.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// All findings of all files.
    #[error("{} invalid", .0.len())]
    Invalid(Vec<Finding>),
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
}
