//! How fast one GPU convolves: what a library reaches beside a plain matrix product.

use super::Grade;
use crate::units::Seconds;

/// Rate of convolutions on matrix units or on ordinary cores.
///
/// A pass over m positions, n output channels and k = inputs x taps works
/// `2mnk / (peak rate) (1 + m0/m)(1 + n0/n)(1 + k0/k)`, where the peak is that of matrix products. The weight gradient
/// has sides n and k and a sum over m: `(1 + n0/n)(1 + n0/k)(1 + w0/m)`.
/// Source: form chosen by leaving out thirds of published single-layer timings, forward and both gradients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConvolutionProfile {
    /// Rate relative to the peak of matrix products, forward.
    pub rate: f64,
    /// Rate of the input gradient relative to the forward pass.
    pub input_gradient: f64,
    /// Rate of the weight gradient relative to the forward pass.
    pub weight_gradient: f64,
    /// Gain of 3x3 kernels with stride 1, where a transform (Winograd) saves multiplications.
    pub transform_gain: f64,
    /// Work of a 1x1 kernel relative to larger ones of the same size.
    pub pointwise_work: f64,
    /// Half-saturation size of positions.
    pub m0: f64,
    /// Half-saturation size of output channels.
    pub n0: f64,
    /// Half-saturation size of the inner sum.
    pub k0: f64,
    /// Half-saturation size of the weight gradient's sum over positions.
    pub w0: f64,
    /// Traffic relative to reading and writing each map once.
    pub traffic: f64,
    /// Shortest convolution.
    pub floor: Seconds,
    /// Evidence.
    pub grade: Grade,
}

impl ConvolutionProfile {
    /// Stands in until the architecture's own is known.
    pub const UNKNOWN: Self = Self {
        rate: 1.0,
        input_gradient: 1.0,
        weight_gradient: 1.0,
        transform_gain: 1.0,
        pointwise_work: 1.0,
        m0: 0.0,
        n0: 0.0,
        k0: 0.0,
        w0: 0.0,
        traffic: 1.0,
        floor: Seconds::ZERO,
        grade: Grade::D,
    };

    /// The same on a GPU with more multiprocessors: more positions are needed to fill them.
    #[must_use]
    pub fn scaled(self, multiprocessors: f64) -> Self {
        Self { m0: self.m0 * multiprocessors, w0: self.w0 * multiprocessors, ..self }
    }
}

impl RecurrentProfile {
    /// Stands in until the architecture's own is known.
    pub const UNKNOWN: Self =
        Self { step: Seconds::ZERO, weight_traffic: 1.0, rows: 1.0, backward: 1.0, grade: Grade::D };
}

/// How fast one GPU steps through a recurrent layer.
///
/// A step takes `floor + (work^p + traffic^p)^(1/p)`: the work of a product with as many rows as the batch, rounded
/// up to `rows`, and one pass over the weights (from caches or registers where the factor is below 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecurrentProfile {
    /// Shortest step.
    pub step: Seconds,
    /// Traffic of the weights at every step relative to reading them once from memory.
    pub weight_traffic: f64,
    /// Rows that a product has at least.
    pub rows: f64,
    /// Time of the backward chain relative to the forward one.
    pub backward: f64,
    /// Evidence.
    pub grade: Grade,
}
