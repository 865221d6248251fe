//! The named parts of a step.

use crate::profile::Grade;
use crate::units::Seconds;

/// A part of the step time. The order is the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TermKind {
    /// Matrix products, forward, dgrad and wgrad.
    MatrixProducts,
    /// Convolutions, forward, dgrad and wgrad.
    Convolutions,
    /// Attention cores.
    Attention,
    /// Normalisation, activation, residual, loss, embedding.
    ElementWise,
    /// Forward work done again in the backward pass.
    Recompute,
    /// What the host's launch rate adds.
    Launch,
    /// Collectives of the tensor-parallel group.
    TensorParallel,
    /// Rows sent to their experts and back.
    ExpertParallel,
    /// Rows of tables sent to the GPUs that looked them up, and their gradients.
    TableExchange,
    /// Keys and values passed around a shared sequence that attention does not hide.
    ContextParallel,
    /// Activations sent between stages.
    PipelineTransfer,
    /// Stages waiting for the pipeline to fill and drain.
    Bubble,
    /// Weight gathers of ZeRO-3 that compute does not hide.
    WeightGather,
    /// Gradient reduction that the backward pass does not hide.
    GradientReduction,
    /// Optimizer update.
    Optimizer,
    /// Optimizer update in host memory, with its copies.
    HostUpdate,
    /// Waiting for input.
    Input,
    /// Fixed cost of a step.
    Fixed,
}

impl TermKind {
    /// Number of kinds.
    pub const COUNT: usize = 18;
    /// All kinds in report order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::MatrixProducts,
        Self::Convolutions,
        Self::Attention,
        Self::ElementWise,
        Self::Recompute,
        Self::Launch,
        Self::TensorParallel,
        Self::ExpertParallel,
        Self::TableExchange,
        Self::ContextParallel,
        Self::PipelineTransfer,
        Self::Bubble,
        Self::WeightGather,
        Self::GradientReduction,
        Self::Optimizer,
        Self::HostUpdate,
        Self::Input,
        Self::Fixed,
    ];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MatrixProducts => "matrix_products",
            Self::Convolutions => "convolutions",
            Self::Attention => "attention",
            Self::ElementWise => "element_wise",
            Self::Recompute => "recompute",
            Self::Launch => "launch",
            Self::TensorParallel => "tensor_parallel",
            Self::ExpertParallel => "expert_parallel",
            Self::TableExchange => "table_exchange",
            Self::ContextParallel => "context_parallel",
            Self::PipelineTransfer => "pipeline_transfer",
            Self::Bubble => "bubble",
            Self::WeightGather => "weight_gather",
            Self::GradientReduction => "gradient_reduction",
            Self::Optimizer => "optimizer",
            Self::HostUpdate => "host_update",
            Self::Input => "input",
            Self::Fixed => "fixed",
        }
    }

    /// What a term is usually bound by; of a step, see [`StepEstimate::bound`](super::StepEstimate::bound).
    pub const fn bound(self) -> Bound {
        match self {
            Self::MatrixProducts | Self::Convolutions | Self::Attention | Self::Recompute => Bound::Compute,
            Self::ElementWise | Self::Optimizer => Bound::Memory,
            Self::Launch | Self::Fixed => Bound::Launch,
            Self::TensorParallel
            | Self::ExpertParallel
            | Self::TableExchange
            | Self::ContextParallel
            | Self::PipelineTransfer
            | Self::WeightGather
            | Self::GradientReduction
            | Self::HostUpdate => Bound::Communication,
            Self::Bubble => Bound::Bubble,
            Self::Input => Bound::Input,
        }
    }
}

/// The resource that limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum Bound {
    /// Arithmetic units.
    #[serde(rename = "compute_bound")]
    Compute,
    /// DRAM bandwidth.
    #[serde(rename = "memory_bound")]
    Memory,
    /// Links or network.
    #[serde(rename = "communication_bound")]
    Communication,
    /// The host's launch rate and fixed costs.
    #[serde(rename = "launch_bound")]
    Launch,
    /// Pipeline bubble.
    #[serde(rename = "bubble_bound")]
    Bubble,
    /// Storage and host.
    #[serde(rename = "input_bound")]
    Input,
}

impl Bound {
    /// Number of resources.
    pub const COUNT: usize = 6;
    /// All of them.
    pub const ALL: [Self; Self::COUNT] =
        [Self::Compute, Self::Memory, Self::Communication, Self::Launch, Self::Bubble, Self::Input];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute_bound",
            Self::Memory => "memory_bound",
            Self::Communication => "communication_bound",
            Self::Launch => "launch_bound",
            Self::Bubble => "bubble_bound",
            Self::Input => "input_bound",
        }
    }
}

/// One named part with its evidence.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Term {
    /// Which.
    pub kind: TermKind,
    /// How long, per optimizer step, on the stage that decides.
    pub time: Seconds,
    /// Evidence.
    pub grade: Grade,
    /// What it is bound by.
    pub bound: Bound,
}
