//! Convolutions and the products of single samples.
//!
//! Forward works on the sides of the lowered product, positions x outputs x (inputs x taps), the input gradient on
//! positions x inputs x (outputs x taps); the weight gradient has outputs x (inputs x taps) as sides and sums over
//! positions. Matrix units take channels in eights: others are filled up. Feature maps are read once and written once;
//! the lowered matrix is never stored. Depthwise convolutions have no product worth the name: they are
//! traffic. Form and numbers: [`ConvolutionProfile`](crate::profile::ConvolutionProfile).

use super::roofline::{BlockTime, Frame};
use crate::catalog::Precision;
use crate::profile::{ConvolutionPass, LayerRate, LoweredConvolution};
use crate::units::{FlopCount, Seconds};
use crate::workload::{Grid, Operator};

/// Channels of a group for which libraries have kernels that take channels last.
/// Source: kernel lists of cuDNN, as told in pytorch/pytorch issue 34977.
const GROUP_WIDTHS: [f64; 4] = [4.0, 8.0, 16.0, 32.0];
/// A map that only loses a border has stride 1; stride 2 leaves at most half of it.
const STRIDE_ONE: f64 = 1.5;
/// Kernels of a convolution: forward; both gradients and the update of its weight and of its norm's.
const KERNELS: [f64; 2] = [1.0, 6.0];
/// Kernels of a product whose weight was met at an earlier step: both gradients, and one sum.
const AGAIN: [f64; 2] = [1.0, 3.0];
/// Kernels of a product without a weight.
const UNWEIGHTED: [f64; 2] = [1.0, 2.0];

impl Frame<'_, '_> {
    /// Adds a convolution, forward and both gradients.
    pub(super) fn add_convolution(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::Convolution {
            inputs,
            outputs,
            taps,
            groups,
            output_positions,
            input_positions,
            first,
            over,
            ..
        } = *operator
        else {
            return;
        };
        let stack = self.scenario.stack;
        let hardware = self.scenario.machine.hardware;
        let precision = self.precision;
        for (kernels, more) in total.kernels.iter_mut().zip(KERNELS) {
            *kernels += more * stack.kernels_per_operator;
        }
        let maps = self.rows * (input_positions * inputs + output_positions * outputs) * self.element;
        let weights = inputs / groups * outputs * taps * self.element;
        if groups > 1.0 && groups >= outputs.min(inputs) {
            let once = self.depthwise(output_positions * outputs * inputs / groups * taps, maps + weights);
            total.convolutions[0] += once;
            total.convolutions[1] += once * if first { 1.0 } else { 2.0 };
            return;
        }
        let Some(product) = hardware.matmul(precision) else { return };
        let profile = hardware.convolution(precision);
        let ordinary = precision == Precision::Fp32;
        let efficiency =
            if ordinary { stack.convolution_efficiency_fp32 } else { stack.convolution_efficiency };
        let mut rate = efficiency;
        let turned = self.scenario.turning(precision, over);
        if groups > 1.0 {
            rate *= stack.layers.get(LayerRate::Grouped);
            let known = GROUP_WIDTHS.contains(&(inputs / groups));
            let units = self.scenario.machine.gpu.uses_matrix_units(precision);
            if !known && turned <= 0.0 && units {
                rate *= stack.layers.get(LayerRate::GroupedOdd);
            }
        }
        if precision == Precision::Tf32 {
            rate *= stack.layers.get(LayerRate::ConvolutionTf32);
        }
        if over == Grid::Volume {
            let kind = if ordinary { LayerRate::VolumeOrdinary } else { LayerRate::VolumeTensor };
            rate *= stack.layers.get(kind);
        }
        let sides = LoweredConvolution {
            positions: self.rows * output_positions,
            inputs: inputs / groups,
            outputs: outputs / groups,
            taps,
            transformed: taps == LoweredConvolution::TRANSFORMED_TAPS
                && groups <= 1.0
                && input_positions < output_positions * STRIDE_ONE
                && over != Grid::Line,
            line: over == Grid::Line,
        };
        let traffic = self.traffic((maps + weights) * profile.traffic);
        let turning = self.passed(maps / self.element * turned, self.element);
        let pass = |pass| {
            let (flop, slowdown) = profile.grouped(pass, &sides, groups, precision);
            let work = hardware.arithmetic(product, flop, slowdown / rate, 1.0);
            hardware.join(work, traffic) + turning
        };
        total.convolutions[0] += pass(ConvolutionPass::Forward);
        total.convolutions[1] += pass(ConvolutionPass::WeightGradient);
        if !first {
            total.convolutions[1] += pass(ConvolutionPass::InputGradient);
        }
    }

    /// One pass of a depthwise convolution of so many multiplications per sample over `bytes`. Without a profile of ordinary cores the
    /// traffic alone is left.
    fn depthwise(&self, products: f64, bytes: f64) -> Seconds {
        let rates = &self.scenario.stack.layers;
        let hardware = self.scenario.machine.hardware;
        let moved = self.traffic(bytes * rates.get(LayerRate::DepthwiseTraffic));
        let flop = FlopCount::new(2.0 * self.rows * products);
        let work = hardware
            .matmul(Precision::Fp32)
            .map_or(Seconds::ZERO, |p| flop / p.peak / rates.get(LayerRate::DepthwiseRate));
        hardware.join(work, moved)
    }

    /// A matrix product inside a network over samples.
    pub(super) fn layer_product(&self, m: f64, n: f64, k: f64) -> Seconds {
        let machine = &self.scenario.machine;
        let multiprocessors = self.scenario.multiprocessors();
        let once = machine.hardware.batch_product(self.precision, [m, n, k], self.products, multiprocessors);
        match self.precision {
            Precision::Fp32 => once / self.scenario.stack.layers.get(LayerRate::ProductOrdinary),
            _ => once,
        }
    }

    /// Adds products of single samples: one over the batch where the right side is a weight.
    pub(super) fn add_sample_product(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::SampleProduct { count, rows, inputs, outputs, weighted, again, .. } = *operator else {
            return;
        };
        let per_operator = self.scenario.stack.kernels_per_operator;
        let launched = match (weighted, again) {
            (true, false) => KERNELS,
            (true, true) => AGAIN,
            (false, _) => UNWEIGHTED,
        };
        for (kernels, more) in total.kernels.iter_mut().zip(launched) {
            *kernels += more * per_operator;
        }
        if weighted {
            let (m, odd) = (self.rows * rows, self.unaligned(outputs, inputs));
            total.products[0] += self.layer_product(m, outputs, inputs) * (count * odd);
            total.products[1] += (self.layer_product(m, inputs, outputs)
                + self.layer_product(outputs, inputs, m))
                * (count * odd);
        } else {
            // A batch of small products fills the GPU together: the sides saturate as one long side does.
            let all = self.rows * count;
            let forward = self.layer_product(all * rows, outputs, inputs);
            let operands = self.traffic(all * (outputs * inputs) * self.element);
            total.attention[0] += forward + operands;
            total.attention[1] += (forward + operands) * 2.0;
        }
    }
}
