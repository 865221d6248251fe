//! How fast one GPU convolves: what a library reaches beside a plain matrix product.

use super::Grade;
use crate::catalog::Precision;
use crate::units::{FlopCount, Seconds};

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

/// A pass over a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConvolutionPass {
    /// Forward.
    Forward,
    /// Gradient of the input.
    InputGradient,
    /// Gradient of the weight.
    WeightGradient,
}

/// A convolution, or one of its groups, as the product it is lowered to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoweredConvolution {
    /// Output positions of the whole batch.
    pub positions: f64,
    /// Input channels.
    pub inputs: f64,
    /// Output channels.
    pub outputs: f64,
    /// Kernel taps.
    pub taps: f64,
    /// A transform may save multiplications.
    pub transformed: bool,
    /// Along one side alone: libraries have neither a transform nor a direct kernel for these.
    pub line: bool,
}

impl LoweredConvolution {
    /// Kernel taps of the transform that saves multiplications.
    pub const TRANSFORMED_TAPS: f64 = 9.0;
    /// Channels of 16 bits that matrix units take at once.
    const UNIT_CHANNELS: f64 = 8.0;

    /// With channels filled up to whole units at 16-bit precisions.
    #[must_use]
    pub fn filled(self, precision: Precision) -> Self {
        let whole = |channels: f64| match precision {
            Precision::Fp16 | Precision::Bf16 => {
                (channels / Self::UNIT_CHANNELS).ceil() * Self::UNIT_CHANNELS
            }
            _ => channels,
        };
        Self { inputs: whole(self.inputs), outputs: whole(self.outputs), ..self }
    }

    /// Arithmetic of one pass: two FLOP for each position, input, output and tap.
    pub fn flop(&self) -> FlopCount {
        FlopCount::new(2.0 * self.positions * self.inputs * self.outputs * self.taps)
    }
}

impl ConvolutionProfile {
    /// Time of a pass over the time of its arithmetic at the peak of matrix products.
    ///
    /// ```
    /// use gpu_advisor::profile::{ConvolutionPass, ConvolutionProfile, LoweredConvolution};
    /// let half = ConvolutionProfile { rate: 0.5, m0: 100.0, ..ConvolutionProfile::UNKNOWN };
    /// let sides = LoweredConvolution {
    ///     positions: 100.0, inputs: 64.0, outputs: 64.0, taps: 9.0, transformed: false, line: false,
    /// };
    /// // Half the rate, and as many positions as saturate half: four times as long.
    /// assert_eq!(half.slowdown(ConvolutionPass::Forward, &sides), 4.0);
    /// assert_eq!(half.slowdown(ConvolutionPass::WeightGradient, &sides), 2.0);
    /// ```
    pub fn slowdown(&self, pass: ConvolutionPass, sides: &LoweredConvolution) -> f64 {
        let LoweredConvolution { positions: m, inputs, outputs: n, taps, transformed, line } = *sides;
        let k = inputs * taps;
        let gain = if transformed { self.transform_gain } else { 1.0 };
        let work = match taps {
            ..=1.0 => self.pointwise_work,
            _ if line => self.pointwise_work.max(1.0),
            _ => 1.0,
        };
        let product = |n: f64, k: f64| (1.0 + self.m0 / m) * (1.0 + self.n0 / n) * (1.0 + self.k0 / k);
        let saturation = match pass {
            ConvolutionPass::Forward => product(n, k),
            ConvolutionPass::InputGradient => product(inputs, n * taps) / self.input_gradient,
            ConvolutionPass::WeightGradient => {
                (1.0 + self.n0 / n) * (1.0 + self.n0 / k) * (1.0 + self.w0 / m) / self.weight_gradient
            }
        };
        saturation * work / (self.rate * gain)
    }

    /// Arithmetic of a pass over `groups` convolutions of these sides, and its [`slowdown`](Self::slowdown).
    ///
    /// Narrow groups fill neither the units nor a tile. A kernel may take several of them as one wider convolution whose weight
    /// is zero between the groups: twice the arithmetic for each doubling, at a better rate. The best number counts.
    ///
    /// ```
    /// use gpu_advisor::catalog::Precision;
    /// use gpu_advisor::profile::{ConvolutionPass, ConvolutionProfile, LoweredConvolution};
    /// let half = ConvolutionProfile { n0: 100.0, ..ConvolutionProfile::UNKNOWN };
    /// let four = LoweredConvolution {
    ///     positions: 1.0, inputs: 4.0, outputs: 4.0, taps: 1.0, transformed: false, line: false,
    /// };
    /// // Two groups of four channels fill a unit of eight, and are 2 x 8 x 8 together; apart they would be that each.
    /// let (flop, slowdown) = half.grouped(ConvolutionPass::Forward, &four, 2.0, Precision::Fp16);
    /// assert_eq!((flop.get(), slowdown), (128.0, 13.5));
    /// ```
    pub fn grouped(
        &self,
        pass: ConvolutionPass,
        sides: &LoweredConvolution,
        groups: f64,
        precision: Precision,
    ) -> (FlopCount, f64) {
        let taken = |together: f64| {
            let LoweredConvolution { inputs, outputs, .. } = *sides;
            let sides =
                LoweredConvolution { inputs: inputs * together, outputs: outputs * together, ..*sides };
            let sides = sides.filled(precision);
            (sides.flop() * (groups / together), self.slowdown(pass, &sides))
        };
        let mut best = taken(1.0);
        let mut together = 2.0;
        while together <= groups {
            let other = taken(together);
            if other.0 * other.1 < best.0 * best.1 {
                best = other;
            }
            together *= 2.0;
        }
        best
    }
}

impl RecurrentProfile {
    /// Stands in until the architecture's own is known.
    pub const UNKNOWN: Self =
        Self { step: Seconds::ZERO, weight_traffic: 1.0, backward: 1.0, grade: Grade::D };
}

/// How fast one GPU steps through a recurrent layer.
///
/// A step takes `floor + (work^p + traffic^p)^(1/p) + gates`: the work of a product with as many rows as the batch and one pass
/// over the weights (from caches or registers where the factor is below 1), then the element-wise kernel of the cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecurrentProfile {
    /// Shortest step.
    pub step: Seconds,
    /// Traffic of the weights at every step relative to reading them once from memory.
    pub weight_traffic: f64,
    /// Time of the backward chain relative to the forward one.
    pub backward: f64,
    /// Evidence.
    pub grade: Grade,
}
