//! What is known of the tensors of a graph: sides, weights, small constants, names for the same memory.

use std::collections::BTreeMap;

use super::message::TensorProto;
use super::node::side;

/// Constants of at most so many elements are followed, as shapes are computed from them.
const MOST_VALUES: u16 = 4096;

/// Sides of a tensor, outermost first.
pub(super) type Shape = Vec<u64>;

/// Product of sides.
pub(super) fn elements(shape: &[u64]) -> f64 {
    shape.iter().map(|s| *s as f64).product()
}

/// The same as a whole number, at most the largest.
pub(super) fn product(shape: &[u64]) -> u64 {
    shape.iter().fold(1, |product, side| product.saturating_mul(*side))
}

/// A tensor that does not depend on the sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Constant {
    /// The stored tensor it comes from, and its elements: a weight counts once, however often it is used.
    root: String,
    elements: f64,
    float: bool,
    /// The elements, where they are few and stored.
    pub values: Option<Vec<f64>>,
}

/// All tensors met so far.
#[derive(Debug, Default)]
pub(super) struct Tensors {
    shapes: BTreeMap<String, Shape>,
    constants: BTreeMap<String, Constant>,
    /// Names of one piece of memory, as reshaping makes them.
    same: BTreeMap<String, String>,
    counted: BTreeMap<String, f64>,
}

impl Tensors {
    /// Sides of a tensor.
    pub fn shape(&self, name: &str) -> Result<&Shape, String> {
        self.shapes.get(name).ok_or_else(|| format!("reads {name:?}, which nothing before it writes"))
    }

    pub fn knows(&self, name: &str) -> bool {
        self.shapes.contains_key(name)
    }

    /// A tensor of the sample.
    pub fn activation(&mut self, name: &str, shape: Shape) {
        self.shapes.insert(name.to_owned(), shape);
    }

    /// A stored tensor.
    pub fn stored(&mut self, name: &str, tensor: &TensorProto) -> Result<(), String> {
        let shape = tensor.dims.iter().map(|d| side(*d)).collect::<Result<Shape, _>>()?;
        let count = elements(&shape);
        let few = count <= f64::from(MOST_VALUES);
        let values = few.then(|| tensor.numbers()).flatten().filter(|v| v.len() as f64 == count);
        self.constant(name, shape, tensor.is_float(), values);
        Ok(())
    }

    /// A constant that is no view of another.
    pub fn constant(&mut self, name: &str, shape: Shape, float: bool, values: Option<Vec<f64>>) {
        let elements = elements(&shape);
        let values = values.filter(|v| v.len() <= usize::from(MOST_VALUES));
        self.constants.insert(name.to_owned(), Constant { root: name.to_owned(), elements, float, values });
        self.shapes.insert(name.to_owned(), shape);
    }

    /// Another name and shape for what `from` is.
    pub fn view(&mut self, from: &str, name: &str, shape: Shape) {
        if let Some(constant) = self.constants.get(from) {
            self.constants.insert(name.to_owned(), constant.clone());
        } else {
            self.same.insert(name.to_owned(), self.memory(from).to_owned());
        }
        self.shapes.insert(name.to_owned(), shape);
    }

    /// The name under which the memory of a tensor was first written.
    pub fn memory<'t>(&'t self, name: &'t str) -> &'t str {
        self.same.get(name).map_or(name, String::as_str)
    }

    pub fn is_constant(&self, name: &str) -> bool {
        self.constants.contains_key(name)
    }

    /// A constant of floating-point numbers.
    pub fn is_float(&self, name: &str) -> bool {
        self.constants.get(name).is_some_and(|c| c.float)
    }

    /// The numbers of a small constant.
    pub fn values(&self, name: &str) -> Option<&Vec<f64>> {
        self.constants.get(name)?.values.as_ref()
    }

    /// The numbers of a small constant, whole.
    pub fn integers(&self, name: &str) -> Result<Vec<i64>, String> {
        let values = self.values(name).ok_or_else(|| {
            format!("{name:?} depends on the sample; export with fixed sizes (only the batch may be free)")
        })?;
        Ok(values.iter().map(|v| *v as i64).collect())
    }

    /// Counts a weight once; elements that are counted now.
    pub fn weight(&mut self, name: &str) -> f64 {
        let Some(constant) = self.constants.get(name) else { return 0.0 };
        if !constant.float || self.counted.contains_key(&constant.root) {
            return 0.0;
        }
        self.counted.insert(constant.root.clone(), constant.elements);
        constant.elements
    }
}
