//! What the software adds: few coefficients, each with a meaning, none per model.

use super::{Grade, LayerRates};
use crate::catalog::Precision;
use crate::units::{Bytes, Fraction, Seconds};

/// A way to split or shard a model that software must offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Sharded optimizer states.
    Zero1,
    /// Sharded optimizer states and gradients.
    Zero2,
    /// Sharded optimizer states, gradients and weights.
    Zero3,
    /// Tensor parallelism.
    TensorParallel,
    /// Pipeline parallelism.
    PipelineParallel,
    /// Interleaved pipeline stages.
    VirtualStages,
    /// Sequence parallelism over the tensor-parallel group.
    SequenceParallel,
    /// Context parallelism.
    ContextParallel,
    /// Expert parallelism.
    ExpertParallel,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 9] = [
        Self::Zero1,
        Self::Zero2,
        Self::Zero3,
        Self::TensorParallel,
        Self::PipelineParallel,
        Self::VirtualStages,
        Self::SequenceParallel,
        Self::ContextParallel,
        Self::ExpertParallel,
    ];

    /// The name in stack files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
            Self::TensorParallel => "tensor_parallel",
            Self::PipelineParallel => "pipeline_parallel",
            Self::VirtualStages => "virtual_stages",
            Self::SequenceParallel => "sequence_parallel",
            Self::ContextParallel => "context_parallel",
            Self::ExpertParallel => "expert_parallel",
        }
    }
}

/// Coefficients of one software stack.
#[derive(Debug, Clone, PartialEq)]
pub struct StackProfile {
    /// Id on the command line.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Rate of matrix products in a training step relative to the hardware profile's isolated ones.
    pub matmul_efficiency: f64,
    /// Rate of fused attention relative to the matrix-product peak, forward.
    pub attention_forward: f64,
    /// The same, backward.
    pub attention_backward: f64,
    /// Element-wise traffic relative to the operator list's unfused count.
    pub elementwise_traffic: f64,
    /// Passes over the score matrix (s x s per head) of unfused attention, forward; the backward pass doubles it.
    pub score_passes: f64,
    /// Host time to launch one kernel.
    pub launch: Seconds,
    /// Kernels the host launches per listed operator.
    pub kernels_per_operator: f64,
    /// Share of the backward pass that gradient reduction can hide behind.
    pub overlap_data_parallel: f64,
    /// Share of compute that weight gathers (ZeRO-3) can hide behind.
    pub overlap_sharding: f64,
    /// Bus bandwidth relative to the link and network profiles.
    pub collective_efficiency: f64,
    /// Optimizer traffic relative to one read and one write of every state.
    pub optimizer_traffic: f64,
    /// Fixed cost of a step: data loader, logging, host synchronisation.
    pub fixed_step: Seconds,
    /// Convolution rate relative to the lowered matrix product, with tensor cores.
    pub convolution_efficiency: f64,
    /// The same on ordinary FP32 cores, where transforms (Winograd) may beat the count.
    pub convolution_efficiency_fp32: f64,
    /// Coefficients of layers that only networks over samples have.
    pub layers: LayerRates,
    /// Memory beyond the listed items: context, libraries, buffers.
    pub memory_overhead: Bytes,
    /// Fragmentation of the allocator, as a share of activations.
    pub fragmentation: Fraction,
    /// Standard deviation of ln(measured / predicted) on held-out models of this stack.
    pub residual: f64,
    /// Evidence of the fit.
    pub grade: Grade,
    /// GPU ids the fit has seen; elsewhere the grade falls.
    pub fitted_gpus: Vec<String>,
    /// Another stack whose coefficients these are, when there is no evidence of its own.
    pub relative_of: Option<String>,
    /// FlashAttention is used where the GPU has a kernel, unless the plan says otherwise.
    pub flash_attention: bool,
    /// Precisions it can train in.
    pub precisions: Vec<Precision>,
    /// What a plan may use with it.
    pub supports: Vec<Method>,
    /// What it was fitted on.
    pub source: String,
}

impl StackProfile {
    /// True when plans for this stack may use a method.
    pub fn supports(&self, method: Method) -> bool {
        self.supports.contains(&method)
    }

    /// True when it can train in a precision.
    pub fn trains_in(&self, precision: Precision) -> bool {
        self.precisions.contains(&precision)
    }
}
