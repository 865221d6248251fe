//! Branches, named maps, joins: how the layers of a network hang together.

use super::convolution_unit::{element_wise, kept};
use super::feature_map::FeatureMap;
use super::network_builder::{Builder, check_repeat};
use super::residual_stage::{addition, concatenation};
use super::{Block, Operator};
use crate::catalog::{ConvolutionalLayer, Join};

/// Bytes of an element in 32 bits.
const FULL_BYTES: f64 = 4.0;

impl Builder {
    /// Adds layers one after the other; the first problem ends it.
    pub(super) fn sequence(
        &mut self,
        block: &mut Block,
        layers: &[ConvolutionalLayer],
    ) -> Result<(), String> {
        layers.iter().try_for_each(|layer| self.append(block, layer))
    }

    pub(super) fn residual(
        &mut self,
        block: &mut Block,
        layers: &[ConvolutionalLayer],
    ) -> Result<(), String> {
        let before = self.map;
        self.sequence(block, layers)?;
        if self.map != before {
            return Err("the layers of a residual change the shape of its input".to_owned());
        }
        addition(block, before.elements());
        block.saved.push(kept("residual output", before.elements()));
        Ok(())
    }

    pub(super) fn branches(
        &mut self,
        block: &mut Block,
        branches: &[Vec<ConvolutionalLayer>],
        join: Join,
    ) -> Result<(), String> {
        let before = self.map;
        let mut results = Vec::with_capacity(branches.len());
        for branch in branches {
            self.map = before;
            self.sequence(block, branch)?;
            results.push(self.map);
        }
        let Some((first, others)) = results.split_first() else {
            return Err("there is no branch".to_owned());
        };
        self.map = joined(block, *first, others, join)?;
        Ok(())
    }

    pub(super) fn named(&self, name: &str) -> Result<FeatureMap, String> {
        self.named.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.named.keys().map(String::as_str).collect();
            format!("no map is named {name:?}; saved so far: {}", known.join(", "))
        })
    }

    pub(super) fn join(&mut self, block: &mut Block, names: &[String], join: Join) -> Result<(), String> {
        let maps: Result<Vec<FeatureMap>, String> = names.iter().map(|name| self.named(name)).collect();
        self.map = joined(block, self.map, &maps?, join)?;
        Ok(())
    }

    /// The weights count once.
    pub(super) fn on(
        &mut self,
        block: &mut Block,
        names: &[String],
        layers: &[ConvolutionalLayer],
    ) -> Result<(), String> {
        if names.is_empty() {
            return Err("names no map".to_owned());
        }
        let mut counted = None;
        for name in names {
            self.map = self.named(name)?;
            self.sequence(block, layers)?;
            (block.parameters, block.table_parameters) =
                *counted.get_or_insert((block.parameters, block.table_parameters));
        }
        Ok(())
    }

    /// Layers whose forward pass alone runs, as a block of their own; `beside`, they are another network. Nothing of them is kept but what they hand on; they stand before
    /// all that are trained, since no gradient passes them.
    pub(super) fn frozen(&mut self, layers: &[ConvolutionalLayer], beside: bool) -> Result<(), String> {
        if self.blocks.iter().any(|b| b.parameters > b.frozen_parameters) {
            return Err("frozen layers stand before all that are trained".to_owned());
        }
        let mut block = self.block("frozen layers");
        self.sequence(&mut block, layers)?;
        let inner = std::mem::take(&mut block.operators);
        block.operators =
            inner.into_iter().map(|operator| Operator::ForwardOnly(Box::new(operator))).collect();
        block.saved = vec![kept("frozen output", self.map.elements())];
        block.frozen_parameters = block.parameters;
        block.table_parameters = [0.0; 2];
        if beside {
            block.beside_parameters = block.parameters;
        }
        self.blocks.push(block);
        self.first = true;
        Ok(())
    }

    /// Layers that stay in 32 bits, with what they keep, where the rest is in 16.
    pub(super) fn full_precision(
        &mut self,
        block: &mut Block,
        layers: &[ConvolutionalLayer],
    ) -> Result<(), String> {
        let (operators, saved) = (block.operators.len(), block.saved.len());
        self.sequence(block, layers)?;
        let inner = block.operators.split_off(operators);
        block.operators.extend(inner.into_iter().map(|own| Operator::FullPrecision(Box::new(own))));
        for own in &mut block.saved[saved..] {
            own.bytes += own.elements * FULL_BYTES;
            own.elements = 0.0;
        }
        Ok(())
    }

    /// One block for the first step, one for all others, which bring no weights of their own.
    pub(super) fn steps(&mut self, layers: &[ConvolutionalLayer]) -> Result<(), String> {
        let before = self.map;
        let steps: u32 = before.size.into_iter().product();
        check_repeat(steps)?;
        self.map = FeatureMap { size: [1; 3], ..before };
        let mut block = self.block("steps");
        self.sequence(&mut block, layers)?;
        if self.map.size != [1; 3] {
            return Err("the layers of a step leave more than one position".to_owned());
        }
        self.map = FeatureMap { size: before.size, ..self.map };
        let mut others =
            Block { repeat: steps - 1, parameters: 0.0, table_parameters: [0.0; 2], ..block.clone() };
        others.operators.iter_mut().for_each(Operator::meet_again);
        self.blocks.push(block);
        if steps > 1 {
            self.blocks.push(others);
        }
        Ok(())
    }

    /// The first channels.
    pub(super) fn slice(&mut self, channels: u32) -> Result<(), String> {
        if channels == 0 || channels > self.map.channels {
            return Err(format!("{channels} channels are cut from a map of {}", self.map.channels));
        }
        self.map = self.map.with_channels(channels);
        Ok(())
    }

    pub(super) fn upsample(&mut self, block: &mut Block, factor: u32) -> Result<(), String> {
        let before = self.map;
        let mut size = before.size;
        for side in size.iter_mut().filter(|side| **side > 1) {
            *side = side.checked_mul(factor).ok_or("the map is too large")?;
        }
        self.map = FeatureMap { size, ..before };
        let moved = before.elements() + self.map.elements();
        block.operators.push(element_wise("upsampling", moved, moved));
        block.saved.push(kept("upsampled map", self.map.elements()));
        Ok(())
    }
}

/// Several maps as one; maps that are larger are cut to the first one's size.
fn joined(
    block: &mut Block,
    first: FeatureMap,
    others: &[FeatureMap],
    join: Join,
) -> Result<FeatureMap, String> {
    let mut channels = first.channels;
    for other in others {
        if other.size.iter().zip(first.size).any(|(o, f)| *o < f) {
            return Err(format!("a map of {:?} is joined to one of {:?}", other.size, first.size));
        }
        if join == Join::Concat {
            channels = channels.checked_add(other.channels).ok_or("too many channels")?;
        } else if other.channels != first.channels {
            return Err(format!(
                "maps of {} and {} channels cannot be added",
                first.channels, other.channels
            ));
        }
    }
    let after = first.with_channels(channels);
    if join == Join::Concat {
        block.operators.push(concatenation(after.elements()));
    } else {
        for _ in others {
            addition(block, after.elements());
        }
    }
    block.saved.push(kept("joined map", after.elements()));
    Ok(after)
}
