//! A convolution with the normalisation and activation behind it, and pooling.
//!
//! Element-wise counts are unfused: a norm reads its input twice and writes once (backward: input and gradient
//! twice, one write), an activation reads and writes (backward: output and gradient read, one write). What a tuned
//! library fuses is a coefficient of the stack. Kept for the backward pass: the input of every norm (the
//! convolution's output) and what follows it in place, about two tensors for each convolution.

use super::feature_map::{FeatureMap, check_groups, grown, pooled};
use super::operator::{ACTIVATION, INSTANCE_ACTIVATION, INSTANCE_NORM, NORM_ACTIVATION, TRANSPOSED};
use super::{Block, Grid, Operator, Partition, SavedTensor};
use crate::catalog::{ConvolutionUnit, Norm, Padding, Sides};

/// Bytes of the index that max pooling keeps for each output.
const INDEX_BYTES: f64 = 8.0;

/// A square kernel over height and width.
pub(super) const fn square(size: u32) -> Sides {
    [1, size, size]
}

/// A two-dimensional convolution with batch norm.
pub(super) const fn plain(out: u32, kernel: u32, stride: u32, groups: u32) -> ConvolutionUnit {
    ConvolutionUnit {
        out: Some(out),
        kernel: square(kernel),
        stride: square(stride),
        padding: Padding::Half,
        groups: Some(groups),
        transposed: false,
        norm: Norm::Batch,
        activation: true,
    }
}

/// Adds a convolution, its norm and activation; `first` needs no gradient of its input.
pub(super) fn convolution(
    block: &mut Block,
    map: FeatureMap,
    unit: &ConvolutionUnit,
    first: bool,
) -> Result<FeatureMap, String> {
    let out = unit.out.unwrap_or(map.channels);
    let groups = unit.groups.unwrap_or(map.channels);
    check_groups(map.channels, out, groups)?;
    let after = if unit.transposed {
        grown(map, unit.stride)?
    } else {
        pooled(map, unit.kernel, unit.stride, unit.padding)?
    }
    .with_channels(out);
    let [inputs, outputs, groups] = [map.channels, out, groups].map(f64::from);
    let over = grid(map.size, unit.kernel);
    let taps: f64 = unit.kernel.into_iter().map(f64::from).product();
    block.operators.push(if unit.transposed {
        Operator::Convolution {
            name: TRANSPOSED,
            inputs: outputs,
            outputs: inputs,
            taps,
            groups,
            input_positions: after.positions(),
            output_positions: map.positions(),
            over,
            first,
        }
    } else {
        Operator::Convolution {
            name: kernel_name(taps, groups, outputs),
            inputs,
            outputs,
            taps,
            groups,
            input_positions: map.positions(),
            output_positions: after.positions(),
            over,
            first,
        }
    });
    let elements = after.elements();
    block.parameters += inputs / groups * outputs * taps;
    match unit.norm {
        Norm::Batch | Norm::Instance => {
            block.operators.push(element_wise(norm_name(unit.norm), 3.0 * elements, 5.0 * elements));
            block.saved.push(kept("norm input", elements));
            block.parameters += 2.0 * outputs;
        }
        Norm::None => block.parameters += outputs,
    }
    if unit.activation || unit.norm == Norm::None {
        block.saved.push(kept("convolution output", elements));
    }
    if unit.activation {
        let name = match unit.norm {
            Norm::Batch => NORM_ACTIVATION,
            Norm::Instance => INSTANCE_ACTIVATION,
            Norm::None => ACTIVATION,
        };
        block.operators.push(element_wise(name, 2.0 * elements, 3.0 * elements));
    }
    Ok(after)
}

/// Over what a kernel moves that is as long as `kernel` along the sides of a map.
pub(super) fn grid(map: Sides, kernel: Sides) -> Grid {
    let long = kernel.into_iter().filter(|side| *side > 1).count();
    match (map, kernel[0]) {
        ([depth, ..], 2..) if depth > 1 => Grid::Volume,
        ([1, 1, length], _) if length > 1 => Grid::Line,
        _ if long == 1 => Grid::Line,
        _ => Grid::Plane,
    }
}

/// Adds pooling.
pub(super) fn pool(
    block: &mut Block,
    map: FeatureMap,
    average: bool,
    window: (Sides, Sides, Padding),
) -> Result<FeatureMap, String> {
    let after = pooled(map, window.0, window.1, window.2)?;
    let (read, written) = (map.elements(), after.elements());
    let name = if average { "average pooling" } else { "max pooling" };
    block.operators.push(element_wise(name, read + written, read + 2.0 * written));
    let index = if average { 0.0 } else { INDEX_BYTES * written };
    block.saved.push(SavedTensor { bytes: index, ..kept("pooling output", written) });
    Ok(after)
}

const fn norm_name(norm: Norm) -> &'static str {
    match norm {
        Norm::Batch => "batch norm",
        Norm::Instance => INSTANCE_NORM,
        Norm::None => "no norm",
    }
}

pub(super) fn kernel_name(taps: f64, groups: f64, outputs: f64) -> &'static str {
    if groups > 1.0 {
        return if groups >= outputs { "depthwise convolution" } else { "grouped convolution" };
    }
    match taps {
        1.0 => "1x1 convolution",
        9.0 => "3x3 convolution",
        27.0 => "3x3x3 convolution",
        _ => "convolution",
    }
}

/// Memory traffic in elements, one kernel.
pub(super) fn element_wise(name: &'static str, elements: f64, backward_elements: f64) -> Operator {
    Operator::ElementWise {
        name,
        elements,
        backward_elements,
        element_bytes: None,
        kernels: 1.0,
        partition: Partition::Replicated,
    }
}

/// A tensor kept for the backward pass.
pub(super) fn kept(name: &'static str, elements: f64) -> SavedTensor {
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
