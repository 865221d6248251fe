//! Walks down the layers of a network and lists its operators.

use std::collections::BTreeMap;

use super::convolution_unit::{convolution, element_wise, kept, pool};
use super::feature_map::FeatureMap;
use super::residual_stage::{stage_block, stage_repeat};
use super::sequence_layer::{
    AttentionLayer, RecurrentLayer, attention, embedding, project, recurrent, sample_products,
};
use super::{Block, Operator, Partition};
use crate::catalog::{ConvolutionalLayer, ConvolutionalSpec};

/// Most maps, blocks or repetitions that are believed.
const MOST_REPEATS: u32 = 100_000;

/// The state of a walk.
pub(super) struct Builder {
    /// What flows at this place.
    pub map: FeatureMap,
    /// Maps that later layers go back to.
    pub named: BTreeMap<String, FeatureMap>,
    /// One block for each layer, or for each run of equal blocks of a stage.
    pub blocks: Vec<Block>,
    /// Place of the first block of the head.
    pub head_from: Option<usize>,
    /// Place of the first block that is no stem.
    pub body_from: Option<usize>,
    /// After a fully connected layer.
    pub flat: bool,
    /// What does not fit.
    pub findings: Vec<String>,
    pub(super) first: bool,
}

impl Builder {
    pub(super) fn new(spec: &ConvolutionalSpec) -> Self {
        let map = FeatureMap { channels: spec.channels, size: spec.input };
        let mut findings = Vec::new();
        if map.elements() == 0.0 {
            findings.push("the input has no elements: channels and sizes must be at least 1".to_owned());
        }
        if spec.layers.is_empty() {
            findings.push("there are no layers".to_owned());
        }
        Self {
            map,
            named: BTreeMap::new(),
            blocks: Vec::new(),
            head_from: None,
            body_from: None,
            flat: false,
            findings,
            first: true,
        }
    }

    /// Adds a layer of the top level, or a finding and nothing else.
    pub(super) fn layer(&mut self, place: usize, layer: &ConvolutionalLayer) {
        let (map, named) = (self.map, self.named.clone());
        if let Err(message) = self.top_level(layer) {
            self.findings.push(format!("layer {place}: {message}"));
            (self.map, self.named) = (map, named);
        }
    }

    fn top_level(&mut self, layer: &ConvolutionalLayer) -> Result<(), String> {
        match layer {
            ConvolutionalLayer::GlobalAveragePool | ConvolutionalLayer::Linear { .. } => {
                self.head_from.get_or_insert(self.blocks.len());
            }
            ConvolutionalLayer::Convolution(_)
            | ConvolutionalLayer::Pool { .. }
            | ConvolutionalLayer::Embedding { .. }
            | ConvolutionalLayer::Save { .. } => {}
            _ => {
                self.body_from.get_or_insert(self.blocks.len());
            }
        }
        if let ConvolutionalLayer::Steps { layers } = layer {
            return self.steps(layers);
        }
        if let ConvolutionalLayer::Frozen { layers, beside } = layer {
            return self.frozen(layers, *beside);
        }
        let Some(repeat) = stage_repeat(layer).or_else(|| repeated(layer)) else {
            let mut block = self.block(name(layer));
            self.append(&mut block, layer)?;
            self.blocks.push(block);
            return Ok(());
        };
        check_repeat(repeat)?;
        // The first block may change the shape; those after it that are alike count as one block, repeated.
        let mut done = 0;
        while done < repeat {
            let before = self.map;
            let mut block = self.block(name(layer));
            self.one(&mut block, layer, done == 0)?;
            done += 1;
            if done > 1 && self.map == before {
                block.repeat = repeat - done + 1;
                done = repeat;
            }
            self.blocks.push(block);
        }
        Ok(())
    }

    /// Adds a whole layer to a block. A trained one wants the gradient of its output, so that no layer behind it is a first one.
    pub(super) fn append(&mut self, block: &mut Block, layer: &ConvolutionalLayer) -> Result<(), String> {
        let before = block.parameters;
        self.add(block, layer)?;
        self.first &= block.parameters <= before;
        Ok(())
    }

    fn add(&mut self, block: &mut Block, layer: &ConvolutionalLayer) -> Result<(), String> {
        if let Some(repeat) = stage_repeat(layer).or_else(|| repeated(layer)) {
            check_repeat(repeat)?;
            return (0..repeat).try_for_each(|i| self.one(block, layer, i == 0));
        }
        match layer {
            ConvolutionalLayer::Convolution(unit) => {
                self.map = convolution(block, self.spatial()?, unit, self.first)?;
                self.first = false;
            }
            ConvolutionalLayer::Pool { average, kernel, stride, padding } => {
                self.map = pool(block, self.spatial()?, *average, (*kernel, *stride, *padding))?;
            }
            ConvolutionalLayer::Residual { layers } => self.residual(block, layers)?,
            ConvolutionalLayer::Frozen { .. } => {
                return Err("frozen layers stand at the top level only".to_owned());
            }
            ConvolutionalLayer::FullPrecision { layers } => self.full_precision(block, layers)?,
            ConvolutionalLayer::Branches { branches, join } => self.branches(block, branches, *join)?,
            ConvolutionalLayer::Save { name } => {
                self.named.insert(name.clone(), self.map);
            }
            ConvolutionalLayer::From { name } => self.map = self.named(name)?,
            ConvolutionalLayer::Join { maps, join } => self.join(block, maps, *join)?,
            ConvolutionalLayer::On { maps, layers } => self.on(block, maps, layers)?,
            ConvolutionalLayer::Upsample { factor } => self.upsample(block, *factor)?,
            ConvolutionalLayer::GlobalAveragePool => self.global_average_pool(block),
            ConvolutionalLayer::Linear { out, activation } => self.linear(block, *out, *activation)?,
            ConvolutionalLayer::Project { out, activation, tied, bias } => {
                let before = block.parameters;
                self.map = project(block, self.map, *out, *activation);
                if *tied {
                    block.parameters = before + f64::from(*out);
                }
                if !bias {
                    block.parameters -= f64::from(*out);
                }
                self.first = false;
            }
            ConvolutionalLayer::Products { count, rows, inputs, outputs } => {
                self.map = sample_products(block, [*count, *rows, *inputs, *outputs])?;
            }
            ConvolutionalLayer::Input { channels, size } => {
                self.map = FeatureMap { channels: *channels, size: *size };
                block.saved.push(kept("input", self.map.elements()));
            }
            ConvolutionalLayer::Slice { channels } => self.slice(*channels)?,
            ConvolutionalLayer::Steps { .. } => return Err("steps stand at the top level only".to_owned()),
            ConvolutionalLayer::Regions { count, size } => self.regions(block, *count, *size),
            ConvolutionalLayer::Reshape { channels, size } => self.reshape(*channels, *size)?,
            ConvolutionalLayer::Embedding { rows, width, lookups, positions, update } => {
                if let Some(length) = *positions {
                    self.map.size = [1, 1, length];
                }
                self.map = embedding(block, self.map, (*rows, *width, *lookups), *update);
                self.first = false;
            }
            ConvolutionalLayer::Kernels { forward, backward, waits, copied, step_elements } => {
                let both = [forward, backward];
                block.operators.push(Operator::SmallKernels {
                    count: both.map(|pass| f64::from(pass.count)),
                    per_sample: both.map(|pass| f64::from(pass.per_sample)),
                    elements: both.map(|pass| pass.elements as f64),
                    waits: waits.map(f64::from),
                    copied: copied.map(f64::from),
                    step_elements: *step_elements as f64,
                });
            }
            _ => self.one(block, layer, true)?,
        }
        Ok(())
    }

    /// One block of a layer that has several.
    fn one(&mut self, block: &mut Block, layer: &ConvolutionalLayer, first: bool) -> Result<(), String> {
        if let Some(after) = stage_block(block, self.map, layer, first) {
            self.spatial()?;
            self.map = after?;
            self.first = false;
            return Ok(());
        }
        match *layer {
            ConvolutionalLayer::Attention { heads, head, ffn, window, context, memory, relative, .. } => {
                let layer = AttentionLayer { heads, head, ffn, window, context, memory, relative };
                self.map = attention(block, self.map, &layer)?;
            }
            ConvolutionalLayer::Recurrent { cell, hidden, bidirectional, context, stepwise, .. } => {
                let gates = cell.gates();
                let layer = RecurrentLayer { gates, hidden, bidirectional, context, stepwise };
                self.map = recurrent(block, self.map, &layer);
            }
            ConvolutionalLayer::Repeat { ref layers, .. } => self.sequence(block, layers)?,
            _ => {}
        }
        Ok(())
    }

    /// Convolutions and pooling need positions.
    fn spatial(&self) -> Result<FeatureMap, String> {
        if self.flat {
            Err("follows a fully connected layer, which leaves no positions".to_owned())
        } else {
            Ok(self.map)
        }
    }

    fn global_average_pool(&mut self, block: &mut Block) {
        let after = FeatureMap { size: [1; 3], ..self.map };
        let moved = self.map.elements() + after.elements();
        block.operators.push(element_wise("global average pooling", moved, moved));
        block.saved.push(kept("pooled features", after.elements()));
        self.map = after;
    }

    fn linear(&mut self, block: &mut Block, out: u32, activation: bool) -> Result<(), String> {
        if out == 0 {
            return Err("out is 0; at least 1 feature is needed".to_owned());
        }
        self.flat = true;
        self.first = false;
        let (inputs, outputs) = (self.map.elements(), f64::from(out));
        block.operators.push(Operator::MatrixProduct {
            name: "fully connected",
            inputs,
            outputs,
            partition: Partition::Replicated,
        });
        block.parameters += inputs * outputs + outputs;
        block.saved.push(kept("fully connected output", outputs));
        if activation {
            block.operators.push(element_wise("activation", 2.0 * outputs, 3.0 * outputs));
        }
        self.map = FeatureMap { channels: out, size: [1; 3] };
        Ok(())
    }

    /// Regions lie along the first side, so that kernels over height and width leave them apart.
    fn regions(&mut self, block: &mut Block, count: u32, size: u32) {
        let after = FeatureMap { size: [count, size, size], ..self.map };
        let elements = after.elements();
        // Four neighbours are read for each output, and added to in the backward pass.
        block.operators.push(element_wise("region sampling", 5.0 * elements, 9.0 * elements));
        block.saved.push(kept("regions", elements));
        self.map = after;
    }

    fn reshape(&mut self, channels: u32, size: [u32; 3]) -> Result<(), String> {
        let after = FeatureMap { channels, size };
        if after.elements() != self.map.elements() {
            let (given, present) = (after.elements(), self.map.elements());
            return Err(format!("{given} elements are asked of a map of {present}"));
        }
        self.map = after;
        Ok(())
    }

    pub(super) fn block(&self, name: &'static str) -> Block {
        Block { repeat: 1, input_elements: self.map.elements(), ..Block::empty(name) }
    }
}

pub(super) fn check_repeat(repeat: u32) -> Result<(), String> {
    match repeat {
        0 => Err("repeat is 0; at least 1 block is needed".to_owned()),
        r if r > MOST_REPEATS => Err(format!("repeat is {r}; at most {MOST_REPEATS} are believed")),
        _ => Ok(()),
    }
}

const fn repeated(layer: &ConvolutionalLayer) -> Option<u32> {
    match layer {
        ConvolutionalLayer::Attention { repeat, .. }
        | ConvolutionalLayer::Recurrent { repeat, .. }
        | ConvolutionalLayer::Repeat { times: repeat, .. } => Some(*repeat),
        _ => None,
    }
}

const fn name(layer: &ConvolutionalLayer) -> &'static str {
    match layer {
        ConvolutionalLayer::Convolution(_) => "convolution",
        ConvolutionalLayer::Pool { .. } => "pooling",
        ConvolutionalLayer::Bottleneck { .. } | ConvolutionalLayer::Basic { .. } => "residual block",
        ConvolutionalLayer::InvertedResidual { .. } => "inverted residual block",
        ConvolutionalLayer::Dense { .. } => "dense block",
        ConvolutionalLayer::Attention { .. } => "attention layer",
        ConvolutionalLayer::Recurrent { .. } => "recurrent layer",
        ConvolutionalLayer::Embedding { .. } => "embedding",
        ConvolutionalLayer::GlobalAveragePool => "global average pooling",
        ConvolutionalLayer::Linear { .. } | ConvolutionalLayer::Project { .. } => "fully connected",
        ConvolutionalLayer::Branches { .. } => "branches",
        ConvolutionalLayer::On { .. } => "shared layers",
        ConvolutionalLayer::Steps { .. } => "steps",
        ConvolutionalLayer::Frozen { .. } => "frozen layers",
        _ => "layers",
    }
}
