//! The coefficients that a fit may move: where they live in a profile, within what bounds, from what prior.

use crate::profile::StackProfile;
use crate::units::{BytesPerSecond, Seconds};

/// A number of [`StackProfile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coefficient {
    /// Rate of matrix products.
    MatmulEfficiency,
    /// Rate of FP8 products against 16-bit ones.
    Fp8Efficiency,
    /// Rate of products with a side that is no multiple of 16 bytes.
    UnalignedEfficiency,
    /// Rate of fused attention, forward.
    AttentionForward,
    /// The same, backward.
    AttentionBackward,
    /// Element-wise traffic.
    ElementwiseTraffic,
    /// Passes over materialised scores.
    ScorePasses,
    /// Host time per kernel.
    Launch,
    /// Kernels per listed operator.
    KernelsPerOperator,
    /// Gradient reduction hidden behind the backward pass.
    OverlapDataParallel,
    /// Weight gathers hidden behind compute.
    OverlapSharding,
    /// Tensor-parallel collectives and transfers between stages that are hidden.
    OverlapModelParallel,
    /// Bus bandwidth of collectives.
    CollectiveEfficiency,
    /// Rate of assembling gathered weights.
    GatherRate,
    /// Optimizer traffic.
    OptimizerTraffic,
    /// Kernels of the update per tensor.
    OptimizerKernels,
    /// Fixed cost of a step.
    FixedStep,
    /// Wait for the slowest node.
    NodeSkew,
    /// Forward work repeated under full recomputation.
    RecomputeShare,
    /// Convolution rate, tensor cores.
    ConvolutionEfficiency,
    /// Convolution rate, ordinary cores.
    ConvolutionEfficiencyFp32,
}

/// Key in the file, bounds, prior, fraction or not, of one coefficient.
struct Traits {
    key: &'static str,
    low: f64,
    high: f64,
    prior: f64,
    /// Moves on the logit scale; else on the logarithmic one.
    fraction: bool,
    /// Written as a time.
    time: bool,
}

impl Coefficient {
    /// All coefficients, in file order.
    pub const ALL: [Self; 21] = [
        Self::MatmulEfficiency,
        Self::Fp8Efficiency,
        Self::UnalignedEfficiency,
        Self::AttentionForward,
        Self::AttentionBackward,
        Self::ElementwiseTraffic,
        Self::ScorePasses,
        Self::Launch,
        Self::KernelsPerOperator,
        Self::OverlapDataParallel,
        Self::OverlapSharding,
        Self::OverlapModelParallel,
        Self::CollectiveEfficiency,
        Self::GatherRate,
        Self::OptimizerTraffic,
        Self::OptimizerKernels,
        Self::FixedStep,
        Self::NodeSkew,
        Self::RecomputeShare,
        Self::ConvolutionEfficiency,
        Self::ConvolutionEfficiencyFp32,
    ];

    /// Bounds are what physics and practice allow, priors what one expects before any evidence.
    const fn traits(self) -> Traits {
        let (key, low, high, prior, fraction, time) = match self {
            Self::MatmulEfficiency => ("matmul_efficiency", 0.4, 1.3, 0.92, false, false),
            Self::Fp8Efficiency => ("fp8_efficiency", 0.5, 2.0, 1.0, false, false),
            Self::UnalignedEfficiency => ("unaligned_efficiency", 0.1, 1.0, 0.5, false, false),
            Self::AttentionForward => ("attention_forward", 0.1, 1.0, 0.6, false, false),
            Self::AttentionBackward => ("attention_backward", 0.1, 1.0, 0.5, false, false),
            Self::ElementwiseTraffic => ("elementwise_traffic", 0.2, 4.0, 0.8, false, false),
            Self::ScorePasses => ("score_passes", 1.0, 20.0, 4.0, false, false),
            Self::Launch => ("launch", 0.5e-6, 60e-6, 10e-6, false, true),
            Self::OverlapModelParallel => ("overlap_model_parallel", 0.01, 0.99, 0.3, true, false),
            Self::KernelsPerOperator => ("kernels_per_operator", 0.5, 5.0, 1.5, false, false),
            Self::OverlapDataParallel => ("overlap_data_parallel", 0.01, 0.99, 0.7, true, false),
            Self::OverlapSharding => ("overlap_sharding", 0.01, 0.99, 0.7, true, false),
            Self::CollectiveEfficiency => ("collective_efficiency", 0.2, 1.3, 0.9, false, false),
            Self::GatherRate => ("gather_rate", 2e9, 900e9, 150e9, false, false),
            Self::OptimizerKernels => ("optimizer_kernels", 0.01, 30.0, 1.0, false, false),
            Self::OptimizerTraffic => ("optimizer_traffic", 0.5, 6.0, 1.2, false, false),
            Self::FixedStep => ("fixed_step", 0.1e-3, 0.2, 4e-3, false, true),
            Self::NodeSkew => ("node_skew", 0.1e-3, 50e-3, 3e-3, false, true),
            Self::RecomputeShare => ("recompute_share", 0.6, 1.1, 0.95, false, false),
            Self::ConvolutionEfficiency => ("convolution_efficiency", 0.05, 1.5, 0.55, false, false),
            Self::ConvolutionEfficiencyFp32 => ("convolution_efficiency_fp32", 0.1, 2.0, 0.85, false, false),
        };
        Traits { key, low, high, prior, fraction, time }
    }

    /// The key in the stack's file.
    pub const fn key(self) -> &'static str {
        self.traits().key
    }

    /// On the scale of the fit: logarithm, or logit of a fraction.
    pub fn to_scale(self, value: f64) -> f64 {
        if self.traits().fraction { (value / (1.0 - value)).ln() } else { value.ln() }
    }

    /// Back, within bounds.
    pub fn from_scale(self, scaled: f64) -> f64 {
        let traits = self.traits();
        let value = if traits.fraction { 1.0 / (1.0 + (-scaled).exp()) } else { scaled.exp() };
        value.clamp(traits.low, traits.high)
    }

    /// Bounds on the scale of the fit.
    pub fn bounds(self) -> (f64, f64) {
        let traits = self.traits();
        (self.to_scale(traits.low), self.to_scale(traits.high))
    }

    /// What is expected before any evidence, on the scale of the fit.
    pub fn prior(self) -> f64 {
        self.to_scale(self.traits().prior)
    }

    /// Sets it in a profile.
    pub const fn set(self, stack: &mut StackProfile, value: f64) {
        match self {
            Self::MatmulEfficiency => stack.matmul_efficiency = value,
            Self::Fp8Efficiency => stack.fp8_efficiency = value,
            Self::UnalignedEfficiency => stack.unaligned_efficiency = value,
            Self::OverlapModelParallel => stack.overlap_model_parallel = value,
            Self::AttentionForward => stack.attention_forward = value,
            Self::AttentionBackward => stack.attention_backward = value,
            Self::ElementwiseTraffic => stack.elementwise_traffic = value,
            Self::ScorePasses => stack.score_passes = value,
            Self::Launch => stack.launch = Seconds::new(value),
            Self::KernelsPerOperator => stack.kernels_per_operator = value,
            Self::OverlapDataParallel => stack.overlap_data_parallel = value,
            Self::OverlapSharding => stack.overlap_sharding = value,
            Self::CollectiveEfficiency => stack.collective_efficiency = value,
            Self::GatherRate => stack.gather_rate = BytesPerSecond::new(value),
            Self::OptimizerTraffic => stack.optimizer_traffic = value,
            Self::OptimizerKernels => stack.optimizer_kernels = value,
            Self::FixedStep => stack.fixed_step = Seconds::new(value),
            Self::NodeSkew => stack.node_skew = Seconds::new(value),
            Self::RecomputeShare => stack.recompute_share = value,
            Self::ConvolutionEfficiency => stack.convolution_efficiency = value,
            Self::ConvolutionEfficiencyFp32 => stack.convolution_efficiency_fp32 = value,
        }
    }

    /// Reads it from a profile.
    pub const fn get(self, stack: &StackProfile) -> f64 {
        match self {
            Self::MatmulEfficiency => stack.matmul_efficiency,
            Self::Fp8Efficiency => stack.fp8_efficiency,
            Self::UnalignedEfficiency => stack.unaligned_efficiency,
            Self::OverlapModelParallel => stack.overlap_model_parallel,
            Self::AttentionForward => stack.attention_forward,
            Self::AttentionBackward => stack.attention_backward,
            Self::ElementwiseTraffic => stack.elementwise_traffic,
            Self::ScorePasses => stack.score_passes,
            Self::Launch => stack.launch.get(),
            Self::KernelsPerOperator => stack.kernels_per_operator,
            Self::OverlapDataParallel => stack.overlap_data_parallel,
            Self::OverlapSharding => stack.overlap_sharding,
            Self::CollectiveEfficiency => stack.collective_efficiency,
            Self::GatherRate => stack.gather_rate.get(),
            Self::OptimizerTraffic => stack.optimizer_traffic,
            Self::OptimizerKernels => stack.optimizer_kernels,
            Self::FixedStep => stack.fixed_step.get(),
            Self::NodeSkew => stack.node_skew.get(),
            Self::RecomputeShare => stack.recompute_share,
            Self::ConvolutionEfficiency => stack.convolution_efficiency,
            Self::ConvolutionEfficiencyFp32 => stack.convolution_efficiency_fp32,
        }
    }

    /// The value as it stands in a file: four digits, times with their unit.
    pub fn text(self, value: f64) -> String {
        if matches!(self, Self::GatherRate) {
            return format!("\"{:.3} GB/s\"", value * 1e-9);
        }
        if self.traits().time { format!("\"{:.4} us\"", value * 1e6) } else { format!("{value:.4}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_there_and_back_for_every_prior() {
        for coefficient in Coefficient::ALL {
            let prior = coefficient.traits().prior;
            let back = coefficient.from_scale(coefficient.prior());
            assert!((back / prior - 1.0).abs() < 1e-12, "{}", coefficient.key());
        }
    }

    #[test]
    fn a_fraction_of_one_half_is_zero_on_its_scale() {
        assert_eq!(Coefficient::OverlapSharding.to_scale(0.5), 0.0);
        assert_eq!(Coefficient::MatmulEfficiency.to_scale(1.0), 0.0);
    }

    #[test]
    fn values_stay_within_bounds() {
        assert_eq!(Coefficient::MatmulEfficiency.from_scale(10.0), 1.3);
        assert_eq!(Coefficient::OverlapSharding.from_scale(-10.0), 0.01);
    }
}
