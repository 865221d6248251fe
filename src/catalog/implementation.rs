//! Software that builds a network of the zoo in its own way.

use super::Precision;

/// Software that builds a network in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implementation {
    /// Id of the network.
    pub of: String,
    /// Ids of the software stacks.
    pub stacks: Vec<String>,
    /// Precisions in which they do; empty for all.
    pub precisions: Vec<Precision>,
}

impl Implementation {
    /// Whether a stack builds the network of this id so, in a precision where one is stated.
    ///
    /// ```
    /// use gpu_advisor::catalog::{Implementation, Precision};
    /// let own = Implementation {
    ///     of: "net".to_owned(), stacks: vec!["a".to_owned()], precisions: vec![Precision::Fp32],
    /// };
    /// assert!(own.is_of("net", "a", Some(Precision::Fp32)));
    /// assert!(!own.is_of("net", "a", Some(Precision::Fp16)) && !own.is_of("net", "a", None));
    /// assert!(!own.is_of("net", "b", Some(Precision::Fp32)));
    /// ```
    pub fn is_of(&self, id: &str, stack: &str, precision: Option<Precision>) -> bool {
        let so = self.precisions.is_empty() || precision.is_some_and(|p| self.precisions.contains(&p));
        so && self.of == id && self.stacks.iter().any(|s| s == stack)
    }
}
