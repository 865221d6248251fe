//! Goes through the nodes of a file in order.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Context, Piece};
use super::fold::{Graph, Role};
use super::message::{GraphProto, ValueInfoProto};
use super::node::{Node, side};
use super::tensors::{Shape, Tensors, elements};
use super::{constants, layout, passes, weighted};

/// Kinds with arithmetic.
const WEIGHTED: [&str; 10] =
    ["Conv", "ConvTranspose", "MaxPool", "AveragePool", "Gemm", "MatMul", "LSTM", "GRU", "RNN", "Gather"];
/// Most sides that are believed.
const LARGEST_SIDE: u64 = 1 << 31;
/// Findings beyond these say nothing new.
const MOST_FINDINGS: usize = 20;

/// What one sample is.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Samples in the shapes of the file.
    pub batch: f64,
    /// For people: name and sides.
    pub words: String,
    /// Sides of one.
    pub sides: Shape,
    /// Its elements are whole numbers, such as the places of words in a table.
    pub is_whole: bool,
}

/// The state of a walk.
pub(super) struct Walk<'g> {
    graph: &'g GraphProto,
    tensors: Tensors,
    pub sample: Sample,
    /// Name of the first input.
    first: String,
    /// What each node came to.
    pub pieces: Vec<Piece>,
}

impl<'g> Walk<'g> {
    /// Reads weights and inputs.
    pub fn new(graph: &'g GraphProto) -> Result<Self, Vec<String>> {
        let mut tensors = Tensors::default();
        let mut findings = Vec::new();
        for weight in &graph.initializer {
            if let Err(message) = tensors.stored(&weight.name, weight) {
                findings.push(format!("weight {:?}: {message}", weight.name));
            }
        }
        let mut free = None;
        let mut sample: Option<(Sample, String)> = None;
        for input in graph.input.iter().filter(|i| !tensors.is_constant(&i.name)).collect::<Vec<_>>() {
            match sides(input, &mut free, sample.is_none()) {
                Err(message) => findings.push(format!("input {:?}: {message}", input.name)),
                Ok((shape, batch_side)) => {
                    sample.get_or_insert_with(|| (one_sample(input, &shape, batch_side), input.name.clone()));
                    tensors.activation(&input.name, shape);
                }
            }
        }
        match sample {
            Some((sample, first)) if findings.is_empty() => {
                Ok(Self { graph, tensors, sample, first, pieces: Vec::new() })
            }
            None if findings.is_empty() => Err(vec!["has no input".to_owned()]),
            _ => Err(findings),
        }
    }

    /// Turns every node into operators.
    pub fn through(&mut self) -> Result<(), Vec<String>> {
        let graph = self.graph;
        let nodes: Vec<Node<'g>> = graph.node.iter().enumerate().map(|(at, n)| Node::new(n, at)).collect();
        let roles = {
            let constants: BTreeSet<&str> =
                nodes.iter().filter(|n| n.kind() == "Constant").map(Node::output).collect();
            let stored = |name: &str| self.tensors.is_constant(name) || constants.contains(name);
            Graph::new(&nodes).roles(&stored)
        };
        let mut unknown: BTreeMap<String, (u32, String)> = BTreeMap::new();
        let mut lost: BTreeSet<&str> = BTreeSet::new();
        let mut findings = Vec::new();
        for (at, node) in nodes.into_iter().enumerate() {
            let known = node.is_standard() && kinds().any(|kind| kind == node.kind());
            if !known {
                let kind = node.label();
                let kind = kind.split(" (").next().unwrap_or_default().to_owned();
                unknown.entry(kind).or_insert_with(|| (0, node.label())).0 += 1;
            }
            if known && !node.inputs().any(|input| lost.contains(input)) {
                match self.step(node, roles.get(&at)) {
                    Ok(()) => continue,
                    Err(message) => findings.push(format!("{}: {message}", node.label())),
                }
            }
            lost.extend(node.outputs().iter().map(String::as_str));
        }
        findings.truncate(MOST_FINDINGS);
        findings.extend(unknown.into_iter().map(|(kind, (count, first))| {
            format!("operator {kind} is not known: {count} in the file, the first is {first}")
        }));
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    fn step(&mut self, node: Node<'g>, role: Option<&Role>) -> Result<(), String> {
        let fixed = node.inputs().all(|name| self.tensors.is_constant(name));
        let quiet = fixed || role.is_some();
        let first = self.first.clone();
        let mut c = Context {
            node,
            tensors: &mut self.tensors,
            batch: self.sample.batch,
            first: &first,
            piece: Piece::default(),
            quiet,
            fixed,
        };
        for input in node.inputs() {
            let count = c.sample(c.tensors.shape(input)?);
            if !c.tensors.is_constant(input) {
                c.piece.reads.insert(c.tensors.memory(input).to_owned(), count);
            }
        }
        if let Some(result) = constants::constant(&mut c) {
            return result;
        }
        let values = if fixed { constants::values(&c) } else { None };
        turned(&mut c)?;
        match role {
            Some(Role::LayerNorm(source)) => last_step(&mut c, source, ("layer norm", 3.0, 5.0))?,
            Some(Role::Activation(source)) => last_step(&mut c, source, ("activation", 2.0, 3.0))?,
            Some(Role::Step) | None => {}
        }
        let piece = c.piece;
        for output in node.outputs().iter().filter(|name| !name.is_empty()) {
            if !self.tensors.knows(output) {
                return Err(format!("its result {output:?} is not known here"));
            }
            let shape = self.tensors.shape(output)?;
            if shape.iter().any(|side| *side >= LARGEST_SIDE) {
                return Err(format!("a result of {shape:?} is not believed"));
            }
        }
        if fixed {
            self.fix(node, values.as_ref());
        } else {
            self.pieces.push(piece);
        }
        Ok(())
    }

    /// Results of stored tensors are stored.
    fn fix(&mut self, node: Node<'g>, values: Option<&Vec<f64>>) {
        let float = match node.kind() {
            "Cast" => matches!(node.int("to", 1), 1 | 10 | 11 | 16),
            _ => node.inputs().any(|name| self.tensors.is_float(name)),
        };
        for output in node.outputs().iter().filter(|name| !name.is_empty()) {
            let Ok(shape) = self.tensors.shape(output).cloned() else { continue };
            if values.is_some() || !self.tensors.is_constant(output) {
                self.tensors.constant(output, shape, float, values.cloned());
            }
        }
    }

    /// Classes that a loss would compare, where the network ends in them.
    pub fn classes(&self) -> Option<f64> {
        let [output] = &self.graph.output[..] else { return None };
        let shape = self.tensors.shape(&output.name).ok()?;
        (shape.len() == 2).then(|| elements(shape) / self.sample.batch)
    }
}

fn last_step(
    c: &mut Context<'_, '_>,
    source: &str,
    (name, forward, backward): (&'static str, f64, f64),
) -> Result<(), String> {
    c.quiet = false;
    let elements = c.sample(c.tensors.shape(source)?);
    c.pass(name, forward * elements, backward * elements);
    c.keep(source, name)
}

/// Every kind that is known.
fn kinds() -> impl Iterator<Item = &'static str> {
    WEIGHTED.into_iter().chain(constants::KINDS).chain(layout::KINDS).chain(passes::kinds())
}

fn turned(c: &mut Context<'_, '_>) -> Result<(), String> {
    if let Some(result) = layout::layout(c).or_else(|| passes::pass(c)) {
        return result;
    }
    match c.node.kind() {
        "Conv" | "ConvTranspose" => weighted::convolution(c),
        "MaxPool" | "AveragePool" => weighted::pool(c),
        "Gemm" => weighted::gemm(c),
        "MatMul" => weighted::matmul(c),
        "LSTM" | "GRU" | "RNN" => weighted::recurrent(c),
        _ => weighted::gather(c),
    }
}

/// The codes of whole numbers of 32 and 64 bits.
const WHOLE: [i32; 2] = [6, 7];

fn one_sample(input: &ValueInfoProto, shape: &Shape, batch_side: Option<usize>) -> Sample {
    let own = shape.iter().enumerate().filter(|(at, _)| Some(*at) != batch_side);
    let sides: Shape = own.map(|(_, side)| *side).collect();
    let listed: Vec<String> = sides.iter().map(ToString::to_string).collect();
    let kind = input.r#type.as_ref().and_then(|t| t.tensor_type.as_ref()).map(|t| t.elem_type);
    Sample {
        batch: batch_side.map_or(1.0, |at| shape[at] as f64),
        words: format!("{} of {}", input.name, listed.join("x")),
        sides,
        is_whole: kind.is_some_and(|code| WHOLE.contains(&code)),
    }
}

/// Sides of an input, and the place of its batch. A free side is the batch when it comes first or is named like it.
fn sides(
    input: &ValueInfoProto,
    free: &mut Option<String>,
    first: bool,
) -> Result<(Shape, Option<usize>), String> {
    let shape = input.r#type.as_ref().and_then(|t| t.tensor_type.as_ref()?.shape.as_ref());
    let shape = shape.ok_or("has no shape; export with fixed sizes")?;
    let name = |at: usize| shape.dim[at].dim_param.as_deref().unwrap_or_default().to_lowercase();
    let batch_side = (0..shape.dim.len())
        .find(|at| name(*at).contains("batch"))
        .or_else(|| (!shape.dim.is_empty()).then_some(0));
    let mut sides = Shape::new();
    for (at, dim) in shape.dim.iter().enumerate() {
        sides.push(match dim.dim_value {
            Some(value) if value > 0 => side(value)?,
            _ if Some(at) == batch_side => {
                if first {
                    *free = Some(name(at));
                }
                1
            }
            _ if free.as_deref().is_some_and(|batch| !batch.is_empty() && batch == name(at)) => 1,
            _ => {
                let called = dim.dim_param.as_deref().unwrap_or("?");
                return Err(format!("side {} ({called}) is free; only the batch may be", at + 1));
            }
        });
    }
    Ok((sides, batch_side))
}
