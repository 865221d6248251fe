//! The parts of a network by number: the repeated blocks from 0, then what comes before and after them.

use crate::workload::{Block, Workload};

/// Number of parts.
pub const fn parts(workload: &Workload) -> usize {
    workload.body.len() + 2
}

/// Number of the part before the first layer.
pub(super) const fn input_part(workload: &Workload) -> usize {
    workload.body.len()
}

/// Number of the part after the last layer.
pub(super) const fn head_part(workload: &Workload) -> usize {
    workload.body.len() + 1
}

/// A part.
pub fn part(workload: &Workload, number: usize) -> &Block {
    match workload.body.get(number) {
        Some(block) => block,
        None if number == input_part(workload) => &workload.input,
        None => &workload.head,
    }
}
