//! How good the evidence for a number is.

/// Evidence grade, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
pub enum Grade {
    /// Measured on this hardware by our kernels, or the user's own run.
    A,
    /// Fitted to published runs of this stack and GPU.
    B,
    /// Published micro-benchmark.
    C,
    /// Datasheet or assumption.
    D,
}

impl Grade {
    /// All grades, best first.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// The letter.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }
}
