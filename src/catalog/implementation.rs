//! Software that builds a network of the zoo in its own way.

/// Software that builds a network in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implementation {
    /// Id of the network.
    pub of: String,
    /// Ids of the software stacks.
    pub stacks: Vec<String>,
}
