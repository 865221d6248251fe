//! Residual, inverted residual and dense stages, squeeze and excitation.

use super::convolution_unit::{convolution, element_wise, kept, plain, square};
use super::feature_map::FeatureMap;
use super::operator::{ACTIVATION, NORM_ACTIVATION, NORM_ADDITION};
use super::sequence_layer::product;
use super::{Block, Operator};
use crate::catalog::{ConvolutionUnit, ConvolutionalLayer};

/// Name of a sum of two maps that stands by itself.
const ADDITION: &str = "residual addition";

/// Adds one block of a stage, with its own stride; `None` when the layer is no stage.
pub(super) fn stage_block(
    block: &mut Block,
    map: FeatureMap,
    layer: &ConvolutionalLayer,
    first_of_stage: bool,
) -> Option<Result<FeatureMap, String>> {
    let stride_of = |stride: u32| if first_of_stage { stride } else { 1 };
    match *layer {
        ConvolutionalLayer::Bottleneck { mid, out, stride, groups, squeeze, early_stride, .. } => {
            let stride = stride_of(stride);
            let (early, late) = if early_stride { (stride, 1) } else { (1, stride) };
            let units =
                [plain(mid, 1, early, 1), plain(mid, 3, late, groups), unactivated(plain(out, 1, 1, 1))];
            Some(residual(block, map, &units, squeeze.map(|ratio| out / ratio.max(1)), stride))
        }
        ConvolutionalLayer::Basic { out, stride, .. } => {
            let stride = stride_of(stride);
            let units = [plain(out, 3, stride, 1), unactivated(plain(out, 3, 1, 1))];
            Some(residual(block, map, &units, None, stride))
        }
        ConvolutionalLayer::InvertedResidual { expand, out, kernel, stride, squeeze, fused, .. } => {
            let shape = Inverted { expand, out, kernel, stride: stride_of(stride), squeeze, fused };
            Some(inverted(block, map, &shape))
        }
        ConvolutionalLayer::Dense { growth, width, .. } => Some(dense(block, map, growth, width)),
        _ => None,
    }
}

/// How many blocks a stage has.
pub(super) const fn stage_repeat(layer: &ConvolutionalLayer) -> Option<u32> {
    match layer {
        ConvolutionalLayer::Bottleneck { repeat, .. }
        | ConvolutionalLayer::Basic { repeat, .. }
        | ConvolutionalLayer::InvertedResidual { repeat, .. }
        | ConvolutionalLayer::Dense { repeat, .. } => Some(*repeat),
        _ => None,
    }
}

const fn unactivated(unit: ConvolutionUnit) -> ConvolutionUnit {
    ConvolutionUnit { activation: false, ..unit }
}

/// Adds the sum of two maps.
pub(super) fn addition(block: &mut Block, elements: f64) {
    block.operators.push(element_wise(ADDITION, 3.0 * elements, 3.0 * elements));
}

fn residual(
    block: &mut Block,
    map: FeatureMap,
    units: &[ConvolutionUnit],
    squeeze: Option<u32>,
    stride: u32,
) -> Result<FeatureMap, String> {
    let mut after = map;
    for unit in units {
        after = convolution(block, after, unit, false)?;
    }
    if let Some(reduced) = squeeze {
        squeeze_excite(block, after, reduced);
    }
    if after != map {
        convolution(block, map, &unactivated(plain(after.channels, 1, stride, 1)), false)?;
    }
    let elements = after.elements();
    let names = if squeeze.is_none() { [NORM_ADDITION, NORM_ACTIVATION] } else { [ADDITION, ACTIVATION] };
    block.operators.push(element_wise(names[0], 3.0 * elements, 3.0 * elements));
    block.operators.push(element_wise(names[1], 2.0 * elements, 3.0 * elements));
    block.saved.push(kept("residual output", elements));
    Ok(after)
}

/// Mean over the map, two small products, and a scale: tiny kernels around two passes over the map.
fn squeeze_excite(block: &mut Block, map: FeatureMap, reduced: u32) {
    let (elements, channels, reduced) = (map.elements(), f64::from(map.channels), f64::from(reduced));
    block.operators.push(element_wise("squeeze", elements, elements));
    block.operators.push(product("squeeze product", 1.0, 1.0, channels, reduced));
    block.operators.push(element_wise("squeeze activation", 2.0 * reduced, 3.0 * reduced));
    block.operators.push(product("excitation product", 1.0, 1.0, reduced, channels));
    block.operators.push(element_wise("excitation gate", 2.0 * channels, 3.0 * channels));
    block.operators.push(element_wise("excitation", 2.0 * elements, 4.0 * elements));
    block.parameters += 2.0 * channels * reduced + channels + reduced;
    block.saved.push(kept("excited output", elements));
}

struct Inverted {
    expand: u32,
    out: u32,
    kernel: u32,
    stride: u32,
    squeeze: Option<u32>,
    fused: bool,
}

fn inverted(block: &mut Block, map: FeatureMap, shape: &Inverted) -> Result<FeatureMap, String> {
    let (wide, own) = (map.channels.saturating_mul(shape.expand), block.operators.len());
    let mut after = map;
    if shape.fused {
        let out = if shape.expand > 1 { wide } else { shape.out };
        after = convolution(block, after, &plain(out, shape.kernel, shape.stride, 1), false)?;
    } else {
        if shape.expand > 1 {
            after = convolution(block, after, &plain(wide, 1, 1, 1), false)?;
        }
        let depthwise = ConvolutionUnit {
            out: None,
            groups: None,
            kernel: square(shape.kernel),
            ..plain(wide, shape.kernel, shape.stride, 1)
        };
        after = convolution(block, after, &depthwise, false)?;
    }
    if let Some(ratio) = shape.squeeze {
        squeeze_excite(block, after, (map.channels / ratio.max(1)).max(1));
    }
    if !(shape.fused && shape.expand == 1) {
        after = convolution(block, after, &unactivated(plain(shape.out, 1, 1, 1)), false)?;
    }
    // These blocks have smooth or bounded activations, which no library joins to a batch norm.
    for operator in &mut block.operators[own..] {
        operator.part_from_norm();
    }
    if after == map {
        addition(block, after.elements());
    }
    block.saved.push(kept("block output", after.elements()));
    Ok(after)
}

/// Norm and activation come before each convolution, over all channels so far.
fn dense(block: &mut Block, map: FeatureMap, growth: u32, width: u32) -> Result<FeatureMap, String> {
    let elements = map.elements();
    block.operators.push(element_wise("batch norm", 3.0 * elements, 5.0 * elements));
    block.operators.push(element_wise(NORM_ACTIVATION, 2.0 * elements, 3.0 * elements));
    block.parameters += 2.0 * f64::from(map.channels);
    block.saved.push(kept("norm input", elements));
    block.saved.push(kept("activation output", elements));
    let inner = convolution(block, map, &plain(growth.saturating_mul(width), 1, 1, 1), false)?;
    let bare = ConvolutionUnit { norm: crate::catalog::Norm::None, ..unactivated(plain(growth, 3, 1, 1)) };
    convolution(block, inner, &bare, false)?;
    block.parameters -= f64::from(growth);
    let after = map.with_channels(map.channels + growth);
    block.operators.push(concatenation(after.elements()));
    Ok(after)
}

/// Copies maps behind each other.
pub(super) fn concatenation(elements: f64) -> Operator {
    element_wise("concatenation", 2.0 * elements, 2.0 * elements)
}
