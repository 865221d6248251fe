//! Why no workload could be built.

/// What is wrong with a description of a workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WorkloadError {
    /// A bare size that no standard decoder has.
    #[error(
        "no standard decoder of {asked:e} parameters; sizes from {:e} to {:e} can be built",
        super::standard::SMALLEST,
        super::standard::LARGEST
    )]
    Size {
        /// What was asked for.
        asked: f64,
    },
    /// A layer recipe that does not fit together: every finding, with the layer's place from 1.
    #[error("the layer recipe does not fit together: {}", .0.join("; "))]
    Recipe(Vec<String>),
}
