//! Kernels that the file spells out in small steps: layer norm, GELU, SiLU, a bias behind a product.
//!
//! Exporters of older operator sets write a layer norm as nine operators; the software that trains runs one kernel. Where a
//! pattern is found, its steps change shapes only, and its last one is the kernel.

use std::collections::BTreeMap;

use super::node::Node;

/// What becomes of a node of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Role {
    /// A step of a kernel: no work of its own.
    Step,
    /// The last step of a layer norm over the named tensor.
    LayerNorm(String),
    /// The last step of an activation of the named tensor.
    Activation(String),
}

/// Who writes and who reads a tensor.
pub(super) struct Graph<'n, 'g> {
    nodes: &'n [Node<'g>],
    written: BTreeMap<&'g str, usize>,
    read: BTreeMap<&'g str, Vec<usize>>,
}

impl<'n, 'g> Graph<'n, 'g> {
    pub fn new(nodes: &'n [Node<'g>]) -> Self {
        let mut graph = Self { nodes, written: BTreeMap::new(), read: BTreeMap::new() };
        for (at, node) in nodes.iter().enumerate() {
            for output in node.outputs() {
                graph.written.insert(output, at);
            }
            for input in node.inputs() {
                graph.read.entry(input).or_default().push(at);
            }
        }
        graph
    }

    /// Places that read a tensor.
    pub fn readers(&self, name: &str) -> &[usize] {
        self.read.get(name).map_or(&[], Vec::as_slice)
    }

    /// The node that writes input `at` of a node, if it is of one of these kinds.
    fn before(&self, node: usize, at: usize, kinds: &[&str]) -> Option<usize> {
        let found = *self.written.get(self.nodes[node].input(at)?)?;
        kinds.contains(&self.nodes[found].kind()).then_some(found)
    }

    /// The only reader of a node, if it is of this kind and `stored` is its other input.
    fn follower(&self, node: usize, kind: &str, stored: impl Fn(&str) -> bool) -> Option<usize> {
        let output = self.nodes[node].output();
        let [only] = self.readers(output) else { return None };
        let next = self.nodes[*only];
        let other = next.inputs().find(|name| *name != output)?;
        (next.kind() == kind && stored(other)).then_some(*only)
    }

    /// The roles of all nodes that belong to a pattern.
    pub fn roles(&self, stored: &dyn Fn(&str) -> bool) -> BTreeMap<usize, Role> {
        let mut roles = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            match node.kind() {
                "Sub" => self.layer_norm(at, stored, &mut roles),
                "Erf" => self.gelu(at, stored, &mut roles),
                "Sigmoid" => self.silu(at, &mut roles),
                "Add" => self.bias(at, stored, &mut roles),
                _ => {}
            }
        }
        roles
    }

    /// `(x - mean x) / sqrt(mean (x - mean x)^2 + e)`, times a weight, plus a bias.
    fn layer_norm(&self, sub: usize, stored: &dyn Fn(&str) -> bool, roles: &mut BTreeMap<usize, Role>) {
        let found = || {
            let mean = self.before(sub, 1, &["ReduceMean"])?;
            let source = self.nodes[sub].input(0)?;
            (self.nodes[mean].input(0)? == source).then_some(())?;
            let output = self.nodes[sub].output();
            let div = *self
                .readers(output)
                .iter()
                .find(|at| self.nodes[**at].kind() == "Div" && self.nodes[**at].input(0) == Some(output))?;
            let root = self.before(div, 1, &["Sqrt"])?;
            let sum = self.before(root, 0, &["Add"])?;
            let variance = self.before(sum, 0, &["ReduceMean"])?;
            let square = self.before(variance, 0, &["Pow", "Mul"])?;
            Some((source, div, [mean, sub, square, variance, sum, root, div]))
        };
        let Some((source, div, steps)) = found() else { return };
        let mut last = div;
        for step in steps {
            roles.insert(step, Role::Step);
        }
        for kind in ["Mul", "Add"] {
            if let Some(next) = self.follower(last, kind, stored) {
                roles.insert(next, Role::Step);
                last = next;
            }
        }
        roles.insert(last, Role::LayerNorm(source.to_owned()));
    }

    /// `x / sqrt 2`, erf, `+ 1`, `times x`, `times 1/2`, the last two in either order.
    fn gelu(&self, erf: usize, stored: &dyn Fn(&str) -> bool, roles: &mut BTreeMap<usize, Role>) {
        let found = || {
            let scaled = self.before(erf, 0, &["Div", "Mul"])?;
            let source = self.nodes[scaled].input(0)?;
            let sum = self.follower(erf, "Add", stored)?;
            let [next] = self.readers(self.nodes[sum].output()) else { return None };
            (self.nodes[*next].kind() == "Mul").then_some(())?;
            let last = self.follower(*next, "Mul", |_| true).unwrap_or(*next);
            Some((source, [scaled, erf, sum, *next, last]))
        };
        let Some((source, steps)) = found() else { return };
        for step in steps {
            roles.insert(step, Role::Step);
        }
        roles.insert(steps[4], Role::Activation(source.to_owned()));
    }

    /// `x` times its sigmoid.
    fn silu(&self, sigmoid: usize, roles: &mut BTreeMap<usize, Role>) {
        let Some(source) = self.nodes[sigmoid].input(0) else { return };
        if let Some(last) = self.follower(sigmoid, "Mul", |other| other == source) {
            roles.insert(sigmoid, Role::Step);
            roles.insert(last, Role::Activation(source.to_owned()));
        }
    }

    /// A stored vector added to a product.
    fn bias(&self, add: usize, stored: &dyn Fn(&str) -> bool, roles: &mut BTreeMap<usize, Role>) {
        let product = |at: usize| self.before(add, at, &["MatMul"]).is_some();
        let other = |at: usize| self.nodes[add].input(at).is_some_and(stored);
        if (product(0) && other(1)) || (product(1) && other(0)) {
            roles.entry(add).or_insert(Role::Step);
        }
    }
}
