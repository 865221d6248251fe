//! The fastest plan that fits on one cluster.

use super::rejection::RejectionReason;
use crate::plan::{Plan, PlanError, Recompute, Sharding};
use crate::profile::StackProfile;
use crate::simulator::{MemoryEstimate, Scenario, StepEstimate, Verdict, memory, step_time};

/// What the user fixed; the rest is searched.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanConstraints {
    /// Tensor-parallel degree.
    pub tensor_parallel: Option<u32>,
    /// Pipeline stages.
    pub pipeline_parallel: Option<u32>,
    /// Virtual stages.
    pub virtual_stages: Option<u32>,
    /// Sharding.
    pub sharding: Option<Sharding>,
    /// Sequence parallelism.
    pub sequence_parallel: Option<bool>,
    /// Recomputation.
    pub recompute: Option<Recompute>,
    /// Micro-batch.
    pub micro_batch: Option<u32>,
    /// FlashAttention on or off.
    pub flash_attention: Option<bool>,
}

/// A plan with its step and memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// Step time by terms.
    pub step: StepEstimate,
    /// Memory by items.
    pub memory: MemoryEstimate,
}
