//! What a plan search looked at.

/// Plans of one search or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct PlanCounts {
    /// Plans whose memory was evaluated.
    pub memory_evaluated: u64,
    /// Of those, plans that fitted and whose time was evaluated too.
    pub timed: u64,
    /// Plans that a bound left out: they cannot fit, or cannot be faster than the best.
    pub pruned: u64,
}

impl PlanCounts {
    /// All valid plans of the space.
    pub const fn plans(&self) -> u64 {
        self.memory_evaluated + self.pruned
    }

    /// These and others.
    #[must_use]
    pub const fn and(self, more: Self) -> Self {
        Self {
            memory_evaluated: self.memory_evaluated + more.memory_evaluated,
            timed: self.timed + more.timed,
            pruned: self.pruned + more.pruned,
        }
    }
}

impl std::iter::Sum for PlanCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Self::and)
    }
}
