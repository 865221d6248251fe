//! What the software adds: few coefficients, each with a meaning, none per model.

use super::{Grade, LayerRates};
use crate::catalog::Precision;
use crate::units::{Bytes, BytesPerSecond, Fraction, Seconds};

/// A way to split or shard a model that software must offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Sharded optimizer states.
    Zero1,
    /// Sharded optimizer states and gradients.
    Zero2,
    /// Sharded optimizer states, gradients and weights.
    Zero3,
    /// FSDP that drops its gathered weights only after the backward pass.
    ShardGradOp,
    /// Sharding inside nodes, copies across them.
    Hsdp,
    /// Tensor parallelism.
    TensorParallel,
    /// Pipeline parallelism.
    PipelineParallel,
    /// Interleaved pipeline stages.
    VirtualStages,
    /// Pipeline stages of which some hold one layer more than others.
    UnevenPipeline,
    /// Sequence parallelism over the tensor-parallel group.
    SequenceParallel,
    /// Context parallelism.
    ContextParallel,
    /// Expert parallelism.
    ExpertParallel,
    /// Optimizer states in host memory.
    OptimizerOffload,
    /// Low-rank adapters beside frozen weights.
    Lora,
    /// The same over 4-bit weights.
    Qlora,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 15] = [
        Self::Zero1,
        Self::Zero2,
        Self::Zero3,
        Self::ShardGradOp,
        Self::Hsdp,
        Self::TensorParallel,
        Self::PipelineParallel,
        Self::VirtualStages,
        Self::UnevenPipeline,
        Self::SequenceParallel,
        Self::ContextParallel,
        Self::ExpertParallel,
        Self::OptimizerOffload,
        Self::Lora,
        Self::Qlora,
    ];

    /// The name in stack files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
            Self::ShardGradOp => "shard_grad_op",
            Self::Hsdp => "hsdp",
            Self::TensorParallel => "tensor_parallel",
            Self::PipelineParallel => "pipeline_parallel",
            Self::VirtualStages => "virtual_stages",
            Self::UnevenPipeline => "uneven_pipeline",
            Self::SequenceParallel => "sequence_parallel",
            Self::ContextParallel => "context_parallel",
            Self::ExpertParallel => "expert_parallel",
            Self::OptimizerOffload => "optimizer_offload",
            Self::Lora => "lora",
            Self::Qlora => "qlora",
        }
    }
}

/// How the element-wise work of a stack comes to be kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelKind {
    /// Kernels written by hand for transformers: bias, activation, dropout, softmax and update are fused.
    Fused,
    /// The framework's own operators, one or more kernels each.
    Framework,
}

impl KernelKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Fused, Self::Framework];

    /// The name in stack files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fused => "fused",
            Self::Framework => "framework",
        }
    }
}

/// What kernels reach in a training step on one GPU architecture, relative to the coefficients of the stacks.
///
/// Matrix products run for minutes at the power limit, not for milliseconds as in a micro-benchmark; fused attention
/// kernels are written for one architecture and reach another share of the peak on the next.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchitectureRates {
    /// Architecture, as in the catalog.
    pub name: String,
    /// Factor on `matmul_efficiency`.
    pub matmul: f64,
    /// Factor on `attention_forward`.
    pub attention_forward: f64,
    /// Factor on `attention_backward`.
    pub attention_backward: f64,
}

impl ArchitectureRates {
    /// No deviation: what an architecture without evidence gets.
    pub const fn neutral() -> Self {
        Self { name: String::new(), matmul: 1.0, attention_forward: 1.0, attention_backward: 1.0 }
    }
}

/// Coefficients of one software stack.
#[derive(Debug, Clone, PartialEq)]
pub struct StackProfile {
    /// Id on the command line.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// How element-wise work comes to be kernels.
    pub kernels: KernelKind,
    /// Rate of matrix products in a training step relative to the hardware profile's isolated ones.
    pub matmul_efficiency: f64,
    /// The same of FP8 products against 16-bit ones: scales, kernels that fewer shapes have, clocks under that load.
    pub fp8_efficiency: f64,
    /// The same of products whose weight has a side that is no multiple of 16 bytes, such as an odd vocabulary.
    pub unaligned_efficiency: f64,
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
    /// Share of the products that tensor-parallel collectives can hide behind, given sequence parallelism, and of the
    /// transfers between interleaved stages that is hidden.
    pub overlap_model_parallel: f64,
    /// Bus bandwidth relative to the link and network profiles.
    pub collective_efficiency: f64,
    /// Rate at which one GPU assembles gathered weights and scatters gradients (ZeRO-3): copies into and out of flat
    /// buffers, in series with the links.
    pub gather_rate: BytesPerSecond,
    /// Optimizer traffic relative to one read and one write of every state.
    pub optimizer_traffic: f64,
    /// Kernels of the update per parameter tensor: well below one when fused over tensors, several when not.
    pub optimizer_kernels: f64,
    /// Fixed cost of a step: data loader, logging, host synchronisation.
    pub fixed_step: Seconds,
    /// Wait for the slowest node at the end of a step, for each doubling of nodes: hosts and input jitter.
    pub node_skew: Seconds,
    /// Share of a layer's forward pass that full recomputation repeats: 1 when all of it, 2/3 when it stops before the
    /// last product, whose result the backward pass does not need.
    pub recompute_share: f64,
    /// Convolution rate relative to the lowered matrix product, with tensor cores.
    pub convolution_efficiency: f64,
    /// The same on ordinary FP32 cores, where transforms (Winograd) may beat the count.
    pub convolution_efficiency_fp32: f64,
    /// Kernels that the host launches at every step of a recurrent layer, 0 where a library runs the whole chain.
    pub recurrent_step_kernels: f64,
    /// Norms within a sample are composed of means, which mixed precision leaves in 32 bits with all that follows up to a product.
    pub wide_norms: bool,
    /// Coefficients of layers that only networks over samples have.
    pub layers: LayerRates,
    /// Memory beyond the listed items: context, libraries, buffers.
    pub memory_overhead: Bytes,
    /// Fragmentation of the allocator, as a share of activations.
    pub fragmentation: Fraction,
    /// What GPU architectures deviate in, shared by all stacks.
    pub architectures: Vec<ArchitectureRates>,
    /// Standard deviation of ln(measured / predicted) on held-out models of this stack.
    pub residual: f64,
    /// The same by GPU architecture, where there are rows enough.
    pub residual_by_architecture: Vec<(String, f64)>,
    /// The same for networks over volumes, where it is known to be wider.
    pub residual_volumes: Option<f64>,
    /// What a source that the fit has not seen adds, in squares; the value of all transformers where absent.
    pub other_source: Option<f64>,
    /// Parameters of the smallest and the largest model that the fit has seen.
    pub fitted_parameters: Option<(f64, f64)>,
    /// Evidence of the fit.
    pub grade: Grade,
    /// GPU ids the fit has seen; elsewhere the grade falls.
    pub fitted_gpus: Vec<String>,
    /// Sources of the runs that the fit has seen; a run from elsewhere is less certain.
    pub fitted_sources: Vec<String>,
    /// Another stack whose coefficients these are, when there is no evidence of its own.
    pub relative_of: Option<String>,
    /// The stack that stands for later versions of the same software, where there is one.
    pub later: Option<String>,
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

    /// Standard deviation of ln(time) on an architecture: of its own held-out rows, else of all rows of the stack.
    pub fn residual_on(&self, architecture: &str) -> f64 {
        let own = self.residual_by_architecture.iter().find(|(name, _)| name == architecture);
        own.map_or(self.residual, |(_, sigma)| *sigma)
    }

    /// How far a model of this size is outside what the fit has seen, as a ratio of 1 or more; 1 inside, or when the
    /// fit has seen nothing.
    pub fn beyond_fitted_size(&self, parameters: f64) -> f64 {
        let (low, high) = self.fitted_parameters.unwrap_or((parameters, parameters));
        (low / parameters).max(parameters / high).max(1.0)
    }

    /// What kernels reach on an architecture; no deviation where there is no evidence.
    pub fn rates(&self, architecture: &str) -> &ArchitectureRates {
        static NEUTRAL: ArchitectureRates = ArchitectureRates::neutral();
        self.architectures.iter().find(|a| a.name == architecture).unwrap_or(&NEUTRAL)
    }

    /// Factor on matrix products of a precision on an architecture, `measured` where the GPU's products of this precision
    /// are known by more than its datasheet.
    ///
    /// A product in a long step is not faster than the same product alone. A factor above 1 says that the share of the
    /// datasheet is too low at the precision of the runs behind it (those of the newest GPUs are all in 8 bits), and
    /// nothing of other precisions. Without evidence, the geometric mean of all architectures.
    pub fn matmul_factor(&self, architecture: &str, precision: Precision, measured: bool) -> f64 {
        let rates = self.rates(architecture);
        let known = !rates.name.is_empty();
        if known && (measured || precision == Precision::Fp8 || rates.matmul <= 1.0) {
            return rates.matmul;
        }
        if self.architectures.is_empty() {
            return 1.0;
        }
        let product: f64 = self.architectures.iter().map(|a| a.matmul.min(1.0)).product();
        product.powf(1.0 / self.architectures.len() as f64)
    }

    /// True when it can train in a precision.
    pub fn trains_in(&self, precision: Precision) -> bool {
        self.precisions.contains(&precision)
    }
}
