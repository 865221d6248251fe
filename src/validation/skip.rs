//! Why a measured run cannot be predicted.

use super::run::Run;

/// What stands in the way. The order is the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The GPU is not in the catalog.
    UnknownGpu,
    /// No profile of this software.
    UnknownStack,
    /// The model is no transformer with a stated shape and not in the zoo.
    UnknownModel,
    /// Shape or sequence is stated incompletely.
    IncompleteShape,
    /// The precision is not stated or impossible on this GPU.
    Precision,
    /// A cell holds more than one number.
    Compound,
    /// The batch is not stated or does not divide.
    Batch,
    /// GPUs and nodes do not fit together, or are not stated.
    Cluster,
    /// The degrees do not multiply to the GPUs.
    Plan,
    /// A method that the simulator does not know.
    Method,
    /// The measured quantity is not a step time or a rate.
    Metric,
}

impl SkipReason {
    /// For people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnknownGpu => "GPU not in the catalog",
            Self::UnknownStack => "no profile of this software",
            Self::UnknownModel => "model not in the zoo and without a stated shape",
            Self::IncompleteShape => "shape or sequence length stated incompletely",
            Self::Precision => "precision not stated or impossible on this GPU",
            Self::Compound => "a cell holds more than one number",
            Self::Batch => "batch not stated or does not divide",
            Self::Cluster => "GPUs and nodes not stated or do not fit together",
            Self::Plan => "parallel degrees do not multiply to the GPUs",
            Self::Method => "a method the simulator does not know",
            Self::Metric => "the measured quantity is neither a step time nor a rate",
        }
    }
}

/// A run that is not predicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Why, for counting.
    pub reason: SkipReason,
    /// Which value.
    pub detail: String,
}

impl Skip {
    pub(super) fn new(reason: SkipReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.reason.text(), self.detail)
    }
}

/// Rows with several numbers in one cell, and methods outside the simulator.
pub(super) fn refuse(run: &Run) -> Result<(), Skip> {
    if let Some((column, text)) = run.compound.first() {
        return Err(Skip::new(SkipReason::Compound, format!("{column} = {text}")));
    }
    Ok(())
}
