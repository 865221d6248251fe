//! A network from a file of the exchange format (ONNX): its graph as a list of operators, shapes inferred.
//!
//! The file describes one forward pass. Every operator of it is counted or, with all its like, refused; none is left
//! out. A sample is one entry of the batch, which is the first side of the first input unless another side carries the
//! name of a batch; every other size must be fixed. Weights are the stored floating-point tensors that operators
//! read, each counted once; means and variances of batch norms are none.

mod blocks;
mod constants;
mod context;
mod fold;
mod layout;
pub mod message;
mod node;
mod passes;
mod tensors;
mod walk;
mod weighted;

use prost::Message as _;
use prost::bytes::Bytes;

use super::convolution_unit::element_wise;
use super::convolutional::over_samples;
use super::{Block, Operator, Workload};
use crate::catalog::SampleKind;
use message::ModelProto;
use walk::{Sample, Walk};

/// Bytes per element of the loss.
const LOSS_BYTES: f64 = 4.0;

/// The operators of a file.
///
/// # Errors
/// Everything that is wrong with it: no such file, operators that are not known (each with its count), free sizes, shapes
/// that do not go together.
pub fn from_onnx(name: &str, bytes: Vec<u8>) -> Result<Workload, Vec<String>> {
    let model = ModelProto::decode(Bytes::from(bytes))
        .map_err(|error| vec![format!("is no network in the ONNX format: {error}")])?;
    let Some(graph) = model.graph.filter(|graph| !graph.node.is_empty()) else {
        return Err(vec!["is no network in the ONNX format: it has no operators".to_owned()]);
    };
    let mut walk = Walk::new(&graph)?;
    walk.through()?;
    let sample = walk.sample.clone();
    let classes = walk.classes();
    Ok(finish(name, blocks::blocks(walk.pieces), &sample, classes))
}

/// What a sample is, by the sides of the first input: channels come first where there are convolutions.
const fn kind(sample: &Sample, convolves: bool) -> SampleKind {
    match (convolves, sample.sides.len(), sample.is_whole) {
        (true, 4, _) => SampleKind::Volumes,
        (true, 3, _) => SampleKind::Images,
        (true, 2, _) | (false, 1, true) | (false, 2, false) => SampleKind::Sequences,
        (false, 1, false) => SampleKind::Records,
        _ => SampleKind::Samples,
    }
}

fn finish(name: &str, mut blocks: Vec<Block>, sample: &Sample, classes: Option<f64>) -> Workload {
    let mut head = if blocks.len() > 1 { blocks.pop() } else { None }.unwrap_or_else(|| Block::empty("head"));
    let rest = blocks.split_off(1.min(blocks.len()));
    let input = blocks.pop().unwrap_or_else(|| Block::empty("stem"));
    (head.name, head.repeat) = ("head", 1);
    if let Some(classes) = classes {
        let loss = element_wise("cross-entropy loss", 3.0 * classes, 3.0 * classes);
        if let Operator::ElementWise { name, elements, backward_elements, partition, .. } = loss {
            let element_bytes = Some(LOSS_BYTES);
            let kernels = 3.0;
            head.operators.push(Operator::ElementWise {
                name,
                elements,
                backward_elements,
                element_bytes,
                kernels,
                partition,
            });
        }
    }
    let all = || [&input, &head].into_iter().chain(&rest);
    let operators = || all().flat_map(|b| &b.operators);
    let mut assumptions = vec![format!("one sample is {}", sample.words)];
    let norm = |o: &Operator| matches!(o, Operator::ElementWise { name, .. } if name.contains("norm"));
    if !operators().any(norm) && operators().any(|o| matches!(o, Operator::Convolution { .. })) {
        let text = "the file has no normalization; if the network has, export it in training mode, as the export for \
                    inference merges it into the convolutions";
        assumptions.push(text.to_owned());
    }
    let convolves = operators().any(|o| matches!(o, Operator::Convolution { .. }));
    let samples = kind(sample, convolves);
    Workload { samples, assumptions, ..over_samples(name, input, rest, head) }
}
