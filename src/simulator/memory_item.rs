//! The named parts of the memory of one GPU.

/// A named part of the memory. The order is the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryItem {
    /// Weights in the storage precision.
    Weights,
    /// Gradients.
    Gradients,
    /// Moments and master weights.
    OptimizerStates,
    /// Layer inputs kept for recomputation.
    CheckpointedInputs,
    /// Saved tensors of the backward pass.
    Activations,
    /// Logits and loss.
    Logits,
    /// Layers gathered for use (ZeRO-3).
    GatheredLayers,
    /// Buckets of collectives.
    CommunicationBuffers,
    /// Context, libraries, workspaces.
    Context,
    /// Allocator loss.
    Fragmentation,
}

impl MemoryItem {
    /// Number of items.
    pub const COUNT: usize = 10;
    /// All items in report order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Weights,
        Self::Gradients,
        Self::OptimizerStates,
        Self::CheckpointedInputs,
        Self::Activations,
        Self::Logits,
        Self::GatheredLayers,
        Self::CommunicationBuffers,
        Self::Context,
        Self::Fragmentation,
    ];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Gradients => "gradients",
            Self::OptimizerStates => "optimizer_states",
            Self::CheckpointedInputs => "checkpointed_inputs",
            Self::Activations => "activations",
            Self::Logits => "logits",
            Self::GatheredLayers => "gathered_layers",
            Self::CommunicationBuffers => "communication_buffers",
            Self::Context => "context",
            Self::Fragmentation => "fragmentation",
        }
    }
}
