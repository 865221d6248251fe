//! Groups of operators that are repeated.

use super::{Operator, SavedTensor};

/// A group of operators that is repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Name for people.
    pub name: &'static str,
    /// How many times in a row it occurs.
    pub repeat: u32,
    /// Operators of one occurrence.
    pub operators: Vec<Operator>,
    /// Parameters of one occurrence.
    pub parameters: f64,
    /// The part of `parameters` that tensor parallelism divides.
    pub divided_parameters: f64,
    /// The part of `divided_parameters` that expert parallelism divides, too.
    pub expert_parameters: f64,
    /// The part of `parameters` that belongs to another network beside this one: held, not counted as its own.
    pub beside_parameters: f64,
    /// Parameters of adapters beside the frozen ones, once per occurrence.
    pub adapter_parameters: f64,
    /// The part of `parameters` that is not trained.
    pub frozen_parameters: f64,
    /// The part of `parameters` in tables of which a step updates the rows that it looked up: copied, and split over the GPUs.
    pub table_parameters: [f64; 2],
    /// What the backward pass keeps of one occurrence.
    pub saved: Vec<SavedTensor>,
    /// Elements per row of the block's input, kept instead of `saved` under full recomputation.
    pub input_elements: f64,
    /// Share of a sample's rows that pass through the block: 1 everywhere but in masked-language-model heads, which
    /// see the predicted positions only. Work, traffic and saved tensors of the block all shrink by it.
    pub row_share: f64,
}

impl Block {
    /// A block that does nothing.
    pub const fn empty(name: &'static str) -> Self {
        Self {
            name,
            repeat: 0,
            operators: Vec::new(),
            parameters: 0.0,
            divided_parameters: 0.0,
            expert_parameters: 0.0,
            beside_parameters: 0.0,
            adapter_parameters: 0.0,
            frozen_parameters: 0.0,
            table_parameters: [0.0; 2],
            saved: Vec::new(),
            input_elements: 0.0,
            row_share: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_block_passes_every_row() {
        assert_eq!(Block::empty("nothing").row_share, 1.0);
    }
}
