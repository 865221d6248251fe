//! What an operator of the file reads and writes while it becomes operators of a workload.

use std::collections::BTreeMap;

use super::node::Node;
use super::tensors::{Shape, Tensors, elements};
use crate::workload::convolution_unit::{element_wise, kept};
use crate::workload::{Operator, SavedTensor};

/// What one node of the file comes to.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub operators: Vec<Operator>,
    pub parameters: f64,
    /// Has a product or convolution.
    pub weighted: bool,
    /// Tensors that the backward pass needs, by memory.
    pub saved: BTreeMap<String, SavedTensor>,
    /// Tensors of the sample that it reads, with their elements.
    pub reads: BTreeMap<String, f64>,
    /// Memory that it writes.
    pub writes: Vec<String>,
}

/// A node with what is known around it.
pub(super) struct Context<'c, 'g> {
    pub node: Node<'g>,
    pub tensors: &'c mut Tensors,
    /// Samples in the shapes of the file.
    pub batch: f64,
    /// Name of the network's input.
    pub first: &'c str,
    pub piece: Piece,
    /// Nothing runs here: a step of a kernel that another node stands for, or arithmetic on constants.
    pub quiet: bool,
    /// All inputs are stored.
    pub fixed: bool,
}

impl<'g> Context<'_, 'g> {
    /// Name of an input that must be there.
    pub fn needed(&self, at: usize) -> Result<&'g str, String> {
        self.node.input(at).ok_or_else(|| format!("lacks its input {}", at + 1))
    }

    /// Sides of an input that must be there.
    pub fn shape(&self, at: usize) -> Result<Shape, String> {
        self.tensors.shape(self.needed(at)?).cloned()
    }

    /// Elements of a sample.
    pub fn sample(&self, shape: &[u64]) -> f64 {
        elements(shape) / self.batch
    }

    pub fn push(&mut self, operator: Operator) {
        if !self.quiet {
            self.piece.operators.push(operator);
        }
    }

    /// A pass over memory, in elements of a sample.
    pub fn pass(&mut self, name: &'static str, forward: f64, backward: f64) {
        self.push(element_wise(name, forward, backward));
    }

    /// A product or convolution.
    pub fn product(&mut self, operator: Operator) {
        self.piece.weighted = true;
        self.push(operator);
    }

    /// Weights among the inputs, from a place on.
    pub fn weights(&mut self, places: impl IntoIterator<Item = usize>) {
        for name in places.into_iter().filter_map(|at| self.node.input(at)).filter(|_| !self.fixed) {
            self.piece.parameters += self.tensors.weight(name);
        }
    }

    /// The backward pass needs this tensor.
    pub fn keep(&mut self, name: &str, what: &'static str) -> Result<(), String> {
        self.keep_with(name, what, 0.0)
    }

    /// The same, with bytes beside it.
    pub fn keep_with(&mut self, name: &str, what: &'static str, bytes: f64) -> Result<(), String> {
        if !self.quiet && !self.tensors.is_constant(name) {
            let elements = self.sample(self.tensors.shape(name)?);
            let memory = self.tensors.memory(name).to_owned();
            self.piece.saved.insert(memory, SavedTensor { bytes, ..kept(what, elements) });
        }
        Ok(())
    }

    /// Bytes or elements beside the tensors that the file names.
    pub fn keep_beside(&mut self, what: &'static str, elements: f64, bytes: f64) {
        if !self.quiet {
            let saved = SavedTensor { bytes, ..kept(what, elements) };
            self.piece.saved.insert(format!("{} {what}", self.node.output()), saved);
        }
    }

    /// The first result, in memory of its own.
    pub fn write(&mut self, shape: Shape) {
        self.write_at(0, shape);
    }

    /// A result in memory of its own; those that the file leaves out are no results.
    pub fn write_at(&mut self, at: usize, shape: Shape) {
        if let Some(name) = self.node.outputs().get(at).filter(|name| !name.is_empty()) {
            self.piece.writes.push(name.clone());
            self.tensors.activation(name, shape);
        }
    }

    /// The first result is the memory of an input in another shape.
    pub fn reshape(&mut self, at: usize, shape: Shape) -> Result<(), String> {
        let from = self.needed(at)?;
        self.tensors.view(from, self.node.output(), shape);
        Ok(())
    }

    /// Axes given as a setting or, since later versions, as an input.
    pub fn axes(&self, input: usize) -> Result<Option<Vec<i64>>, String> {
        match (self.node.ints("axes")?, self.node.input(input)) {
            (Some(axes), _) => Ok(Some(axes)),
            (None, Some(name)) => self.tensors.integers(name).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// The place of an axis, which counts from the back when negative.
pub(super) fn place_of(axis: i64, rank: usize) -> Result<usize, String> {
    let from_front = if axis < 0 { axis + rank as i64 } else { axis };
    let found = usize::try_from(from_front).ok().filter(|at| *at < rank);
    found.ok_or_else(|| format!("axis {axis} of a tensor with {rank} sides"))
}

/// Sides of an element-wise operation over several tensors.
pub(super) fn broadcast(shapes: &[Shape]) -> Result<Shape, String> {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or(0);
    let mut sides = vec![1; rank];
    for shape in shapes {
        for (side, own) in sides[rank - shape.len()..].iter_mut().zip(shape) {
            match (*side, *own) {
                (a, b) if a == b || b == 1 => {}
                (1, b) => *side = b,
                (a, b) => return Err(format!("sides of {a} and {b} do not go together")),
            }
        }
    }
    Ok(sides)
}
