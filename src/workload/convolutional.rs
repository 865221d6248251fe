//! The operators of a convolutional network, from a layer recipe.
//!
//! A row is one sample. Convolutions have no bias and are followed by a batch norm; padding is (k - 1) / 2 rounded
//! down, so that stride 1 keeps the size for odd kernels. Element-wise counts are unfused: the batch norm reads its
//! input twice and writes once (backward: input and gradient twice, one write), activations and additions are
//! kernels of their own. What a tuned library fuses is a coefficient of the stack.
//!
//! Kept for the backward pass: the input of every batch norm (the convolution's output) and what follows it in
//! place (the next convolution's input), about two tensors for each convolution.

use super::feature_map::{FeatureMap, convolved, pooled};
use super::{Block, Operator, Partition, SavedTensor, Workload, WorkloadError, WorkloadKind};
use crate::catalog::model::{ConvolutionalLayer, ConvolutionalSpec};

/// Bytes of the index that max pooling keeps for each output.
const INDEX_BYTES: f64 = 8.0;
/// Bytes per element of the loss.
const LOSS_BYTES: f64 = 4.0;

/// Builds the workload of a convolutional network.
///
/// Layers before the first residual stage (or the first layer, where there is none) are the input block; from the
/// first global pooling or fully connected layer on they are the head.
///
/// # Errors
/// [`WorkloadError::Recipe`] with every layer that does not fit what comes before it.
pub fn convolutional(name: &str, spec: &ConvolutionalSpec) -> Result<Workload, WorkloadError> {
    let mut builder = Builder::new(spec)?;
    for (index, layer) in spec.layers.iter().enumerate() {
        builder.layer(index + 1, layer);
    }
    if !builder.findings.is_empty() {
        return Err(WorkloadError::Recipe(builder.findings));
    }
    Ok(builder.finish(name, spec))
}

/// A residual block: inner channels, output channels, stride and groups of the 3x3.
struct Bottleneck {
    mid: u32,
    out: u32,
    stride: u32,
    groups: u32,
}

/// Walks down the recipe.
struct Builder {
    map: FeatureMap,
    /// One block for each run of equal layers.
    blocks: Vec<Block>,
    /// Place of the first block of the head.
    head_from: Option<usize>,
    first: bool,
    flat: bool,
    findings: Vec<String>,
}

impl Builder {
    fn new(spec: &ConvolutionalSpec) -> Result<Self, WorkloadError> {
        let map = FeatureMap { channels: spec.channels, height: spec.input.0, width: spec.input.1 };
        let mut findings = Vec::new();
        if map.elements() == 0.0 {
            findings
                .push("the input has no elements: channels, height and width must be at least 1".to_owned());
        }
        if spec.layers.is_empty() {
            findings.push("there are no layers".to_owned());
        }
        if !findings.is_empty() {
            return Err(WorkloadError::Recipe(findings));
        }
        Ok(Self { map, blocks: Vec::new(), head_from: None, first: true, flat: false, findings })
    }

    /// Adds one layer, or a finding and nothing else.
    fn layer(&mut self, place: usize, layer: &ConvolutionalLayer) {
        let result = match *layer {
            ConvolutionalLayer::Convolution { out, kernel, stride, groups, activation } => {
                self.convolution(out, kernel, stride, groups, activation)
            }
            ConvolutionalLayer::MaxPool { kernel, stride } => self.max_pool(kernel, stride),
            ConvolutionalLayer::Bottleneck { repeat, mid, out, stride, groups } => {
                self.stage(repeat, &Bottleneck { mid, out, stride, groups })
            }
            ConvolutionalLayer::GlobalAveragePool => self.spatial().map(|()| self.global_average_pool()),
            ConvolutionalLayer::Linear { out } => self.linear(out),
        };
        if let Err(message) = result {
            self.findings.push(format!("layer {place}: {message}"));
        }
    }

    /// Convolutions and pooling need height and width.
    fn spatial(&self) -> Result<(), String> {
        if self.flat {
            Err("follows a fully connected layer, which leaves no positions".to_owned())
        } else {
            Ok(())
        }
    }

    fn convolution(
        &mut self,
        out: u32,
        kernel: u32,
        stride: u32,
        groups: u32,
        relu: bool,
    ) -> Result<(), String> {
        self.spatial()?;
        let mut block = self.block("convolution");
        let after = unit(&mut block, self.map, [out, kernel, stride, groups], relu, self.first)?;
        self.push(block, after);
        Ok(())
    }

    fn max_pool(&mut self, kernel: u32, stride: u32) -> Result<(), String> {
        self.spatial()?;
        let after = pooled(self.map, kernel, stride)?;
        let mut block = self.block("max pooling");
        let (read, written) = (self.map.elements(), after.elements());
        block.operators.push(element_wise("max pooling", read + written, read + 2.0 * written));
        block.saved.push(SavedTensor { bytes: INDEX_BYTES * written, ..kept("max pooling output", written) });
        self.push(block, after);
        Ok(())
    }

    fn stage(&mut self, repeat: u32, shape: &Bottleneck) -> Result<(), String> {
        self.spatial()?;
        if repeat == 0 {
            return Err("repeat is 0; at least 1 block is needed".to_owned());
        }
        let (block, after) = self.bottleneck("first residual block", shape)?;
        self.push(block, after);
        if repeat > 1 {
            let (mut block, after) =
                self.bottleneck("residual block", &Bottleneck { stride: 1, ..*shape })?;
            block.repeat = repeat - 1;
            self.push(block, after);
        }
        Ok(())
    }

    fn bottleneck(&self, name: &'static str, shape: &Bottleneck) -> Result<(Block, FeatureMap), String> {
        let mut block = self.block(name);
        let reduced = unit(&mut block, self.map, [shape.mid, 1, 1, 1], true, self.first)?;
        let middle = unit(&mut block, reduced, [shape.mid, 3, shape.stride, shape.groups], true, false)?;
        let after = unit(&mut block, middle, [shape.out, 1, 1, 1], false, false)?;
        if after != self.map {
            unit(&mut block, self.map, [shape.out, 1, shape.stride, 1], false, self.first)?;
        }
        let elements = after.elements();
        block.operators.push(element_wise("residual addition", 3.0 * elements, 3.0 * elements));
        block.operators.push(element_wise("activation", 2.0 * elements, 3.0 * elements));
        block.saved.push(kept("residual output", elements));
        Ok((block, after))
    }

    fn global_average_pool(&mut self) {
        self.head_from.get_or_insert(self.blocks.len());
        let mut block = self.block("global average pooling");
        let after = FeatureMap { height: 1, width: 1, ..self.map };
        let moved = self.map.elements() + after.elements();
        block.operators.push(element_wise("global average pooling", moved, moved));
        block.saved.push(kept("pooled features", after.elements()));
        self.push(block, after);
    }

    fn linear(&mut self, out: u32) -> Result<(), String> {
        if out == 0 {
            return Err("out is 0; at least 1 feature is needed".to_owned());
        }
        self.head_from.get_or_insert(self.blocks.len());
        self.flat = true;
        let (inputs, outputs) = (self.map.elements(), f64::from(out));
        let mut block = self.block("fully connected");
        block.operators.push(Operator::MatrixProduct {
            name: "fully connected",
            inputs,
            outputs,
            partition: Partition::Replicated,
        });
        block.parameters = inputs * outputs + outputs;
        block.saved.push(kept("fully connected output", outputs));
        self.push(block, FeatureMap { channels: out, height: 1, width: 1 });
        Ok(())
    }

    fn block(&self, name: &'static str) -> Block {
        Block { repeat: 1, input_elements: self.map.elements(), ..Block::empty(name) }
    }

    fn push(&mut self, block: Block, after: FeatureMap) {
        self.blocks.push(block);
        self.map = after;
        self.first = false;
    }

    fn finish(self, name: &str, spec: &ConvolutionalSpec) -> Workload {
        let mut body = self.blocks;
        let mut head = merged("head", body.split_off(self.head_from.unwrap_or(body.len())));
        let stem =
            spec.layers.iter().position(|l| matches!(l, ConvolutionalLayer::Bottleneck { .. })).unwrap_or(1);
        let rest = body.split_off(stem.min(body.len()));
        let mut input = merged("stem", body);
        let image = FeatureMap { channels: spec.channels, height: spec.input.0, width: spec.input.1 };
        input.saved.insert(0, kept("input", image.elements()));
        if self.flat {
            let classes = self.map.elements();
            head.operators.push(Operator::ElementWise {
                name: "cross-entropy loss",
                elements: 3.0 * classes,
                backward_elements: 3.0 * classes,
                element_bytes: Some(LOSS_BYTES),
                kernels: 3.0,
                partition: Partition::Replicated,
            });
        }
        let count = |b: &Block| f64::from(b.repeat) * b.parameters;
        let parameters = count(&input) + rest.iter().map(count).sum::<f64>() + count(&head);
        Workload {
            name: name.to_owned(),
            kind: WorkloadKind::Convolutional,
            rows_per_sample: 1,
            input,
            body: rest,
            head,
            attention: None,
            tied_embeddings: false,
            parameters,
            active_parameters: parameters,
            experts: 0,
            base: super::Base::Trained,
            assumptions: vec![
                "every convolution has a batch norm and no bias; activations work in place".to_owned(),
            ],
        }
    }
}

/// Several blocks that run once, as one.
fn merged(name: &'static str, blocks: Vec<Block>) -> Block {
    let mut all = Block { repeat: 1, ..Block::empty(name) };
    all.input_elements = blocks.first().map_or(0.0, |b| b.input_elements);
    for block in blocks {
        all.parameters += block.parameters;
        all.operators.extend(block.operators);
        all.saved.extend(block.saved);
    }
    all
}

/// Convolution, batch norm and perhaps an activation; `dimensions` are output channels, kernel, stride and groups.
fn unit(
    block: &mut Block,
    map: FeatureMap,
    dimensions: [u32; 4],
    activation: bool,
    first: bool,
) -> Result<FeatureMap, String> {
    let [out, kernel, stride, groups] = dimensions;
    let after = convolved(map, out, kernel, stride, groups)?;
    let [inputs, outputs, groups] = [map.channels, out, groups].map(f64::from);
    let taps = f64::from(kernel) * f64::from(kernel);
    let elements = after.elements();
    block.operators.push(Operator::Convolution {
        name: kernel_name(kernel, groups > 1.0),
        inputs,
        outputs,
        taps,
        groups,
        input_positions: map.positions(),
        output_positions: after.positions(),
        first,
    });
    block.operators.push(element_wise("batch norm", 3.0 * elements, 5.0 * elements));
    block.saved.push(kept("batch norm input", elements));
    if activation {
        block.operators.push(element_wise("activation", 2.0 * elements, 3.0 * elements));
        block.saved.push(kept("activation output", elements));
    }
    block.parameters += inputs / groups * outputs * taps + 2.0 * outputs;
    Ok(after)
}

const fn kernel_name(kernel: u32, grouped: bool) -> &'static str {
    match (kernel, grouped) {
        (1, _) => "1x1 convolution",
        (3, false) => "3x3 convolution",
        (_, false) => "convolution",
        (_, true) => "grouped convolution",
    }
}

fn element_wise(name: &'static str, elements: f64, backward_elements: f64) -> Operator {
    Operator::ElementWise {
        name,
        elements,
        backward_elements,
        element_bytes: None,
        kernels: 1.0,
        partition: Partition::Replicated,
    }
}

fn kept(name: &'static str, elements: f64) -> SavedTensor {
    SavedTensor {
        name,
        elements,
        bytes: 0.0,
        elements_per_key: 0.0,
        bytes_per_key: 0.0,
        selective: false,
        partition: Partition::Replicated,
    }
}

#[cfg(test)]
#[path = "convolutional_tests.rs"]
mod tests;
