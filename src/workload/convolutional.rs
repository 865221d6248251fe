//! The operators of a network over samples, from its layers.
//!
//! A row is one sample. What each layer lists is said where it is built: [`super::convolution_unit`] (convolution,
//! norm, activation, pooling), [`super::residual_stage`], [`super::sequence_layer`] and [`super::network_wiring`].

use super::convolution_unit::kept;
use super::feature_map::FeatureMap;
use super::network_builder::Builder;
use super::{Block, Operator, Partition, Workload, WorkloadError, WorkloadKind};
use crate::catalog::{ConvolutionalLayer, ConvolutionalSpec, SampleKind};

/// Bytes per element of the loss.
const LOSS_BYTES: f64 = 4.0;

/// Builds the workload of a network.
///
/// Layers before the first stage (or the first layer, where there is none) are the input block; from the first global
/// pooling or fully connected layer of the top level on they are the head.
///
/// # Errors
/// [`WorkloadError::Recipe`] with every layer that does not fit what comes before it.
pub fn convolutional(name: &str, spec: &ConvolutionalSpec) -> Result<Workload, WorkloadError> {
    let mut builder = Builder::new(spec);
    if builder.findings.is_empty() {
        for (index, layer) in spec.layers.iter().enumerate() {
            builder.layer(index + 1, layer);
        }
    }
    if !builder.findings.is_empty() {
        return Err(WorkloadError::Recipe(builder.findings));
    }
    Ok(finish(builder, name, spec))
}

/// What is counted of tables that recommenders split.
const TABLES_COPIED: &str = "tables of embeddings are copied whole to every GPU, with dense gradients; trainers of recommenders split them by table or row";

/// What is assumed of tables that the GPUs divide.
const TABLES_EVEN: &str = "tables of embeddings divide evenly over the GPUs; where whole tables are placed, the largest decides memory and time";

fn finish(builder: Builder, name: &str, spec: &ConvolutionalSpec) -> Workload {
    let mut body = builder.blocks;
    let mut head = merged("head", body.split_off(builder.head_from.unwrap_or(body.len())));
    let rest = body.split_off(builder.body_from.unwrap_or(1).clamp(1, body.len().max(1)).min(body.len()));
    let mut input = merged("stem", body);
    let sample = FeatureMap { channels: spec.channels, size: spec.input };
    input.saved.insert(0, kept("input", sample.elements()));
    let classified = matches!(spec.layers.last(), Some(ConvolutionalLayer::Linear { .. }));
    if classified {
        let classes = builder.map.elements();
        head.operators.push(Operator::ElementWise {
            name: "cross-entropy loss",
            elements: 3.0 * classes,
            backward_elements: 3.0 * classes,
            element_bytes: Some(LOSS_BYTES),
            kernels: 3.0,
            partition: Partition::Replicated,
        });
    }
    let mut workload = Workload {
        samples: spec.samples,
        sizes_vary: spec.sizes_vary,
        tokens_per_sample: spec.tokens.map_or(1.0, f64::from),
        ..over_samples(name, input, rest, head)
    };
    if workload.copies_large_tables() {
        workload.assumptions.push(TABLES_COPIED.to_owned());
    }
    if workload.splits_tables() {
        workload.assumptions.push(TABLES_EVEN.to_owned());
    }
    workload
}

/// A network that sees samples, by its parts; parameters are theirs.
pub(super) fn over_samples(name: &str, input: Block, body: Vec<Block>, head: Block) -> Workload {
    let count = |b: &Block| f64::from(b.repeat) * (b.parameters - b.beside_parameters);
    let parameters = count(&input) + body.iter().map(count).sum::<f64>() + count(&head);
    Workload {
        name: name.to_owned(),
        kind: WorkloadKind::Convolutional,
        samples: SampleKind::Samples,
        sizes_vary: false,
        rows_per_sample: 1,
        tokens_per_sample: 1.0,
        input,
        body,
        head,
        attention: None,
        shape: None,
        tied_embeddings: false,
        parameters,
        active_parameters: parameters,
        experts: 0,
        base: super::Base::Trained,
        assumptions: Vec::new(),
    }
}

/// Several blocks that run once, as one.
fn merged(name: &'static str, blocks: Vec<Block>) -> Block {
    let mut all = Block { repeat: 1, ..Block::empty(name) };
    all.input_elements = blocks.first().map_or(0.0, |b| b.input_elements);
    for block in blocks {
        for _ in 0..block.repeat {
            all.parameters += block.parameters;
            all.frozen_parameters += block.frozen_parameters;
            all.beside_parameters += block.beside_parameters;
            for (sum, own) in all.table_parameters.iter_mut().zip(block.table_parameters) {
                *sum += own;
            }
            all.operators.extend(block.operators.iter().cloned());
            all.saved.extend(block.saved.iter().cloned());
        }
    }
    all
}

#[cfg(test)]
#[path = "convolutional_tests.rs"]
mod tests;
