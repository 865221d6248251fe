//! Bytes that a GPU holds whatever its micro-batch: weights, gradients, optimizer states, buffers.

use super::Scenario;
use super::parameters::StageParameters;
use crate::plan::{Plan, Sharding};
use crate::workload::{Base, Block, Operator, QUANTIZED_BYTES, Workload};

/// Elements of a bucket of ZeRO-1 and ZeRO-2.
/// Source: DeepSpeed configuration defaults `reduce_bucket_size` and `allgather_bucket_size`, 5e8.
const BUCKET_ELEMENTS: f64 = 500e6;

/// Buckets alive at once: ZeRO-1 reduces into one while it gathers from another; ZeRO-2 fills a second one for
/// reduction meanwhile, since gradients leave during the backward pass.
const fn live_buckets(sharding: Sharding) -> f64 {
    match sharding {
        Sharding::Zero1 => 2.0,
        Sharding::Zero2 => 3.0,
        Sharding::None | Sharding::Zero3 | Sharding::ShardGradOp | Sharding::Hsdp => 0.0,
    }
}

/// Bytes of an FP32 master weight, and of a parameter of a table.
pub const MASTER_BYTES: f64 = 4.0;

/// Bytes per trained parameter of the recipe, before sharding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BytesPerParameter {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Moments and, in mixed precision, master weights.
    pub states: f64,
}

impl BytesPerParameter {
    /// The recipe of a plan.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan) -> Self {
        let moments = scenario.optimizer.state_bytes;
        if plan.precision.is_mixed() {
            let master = if scenario.optimizer.master_weights { MASTER_BYTES } else { 0.0 };
            Self { weights: 2.0, gradients: 2.0, states: moments + master }
        } else {
            Self { weights: 4.0, gradients: 4.0, states: moments }
        }
    }

    /// Sum.
    pub fn total(self) -> f64 {
        self.weights + self.gradients + self.states
    }
}

/// Layers gathered (the current and the prefetched one, and one layer's gradients before they are reduced), with the
/// larger of the ends; and, over 4-bit weights, one layer unpacked.
fn gathered(scenario: &Scenario<'_>, plan: &Plan) -> f64 {
    let workload = scenario.workload;
    let element = plan.precision.element_bytes();
    let tensor = f64::from(plan.tensor_parallel);
    // Tables that are updated row by row are gathered by nobody.
    let whole = |b: &Block| b.parameters - b.table_parameters[0] - b.table_parameters[1];
    let largest = workload.body.iter().map(whole).fold(0.0, f64::max);
    let ends = whole(&workload.input).max(whole(&workload.head));
    let (packed, layers, unpacked) = match workload.base {
        Base::Trained => (element, 3.0, 0.0),
        Base::Frozen => (element, 2.0, 0.0),
        Base::Quantized => (QUANTIZED_BYTES, 2.0, largest_product(workload) * element),
    };
    let bytes = if matches!(plan.sharding, Sharding::Zero3 | Sharding::Hsdp) {
        layers * largest * packed + ends * element
    } else {
        0.0
    };
    (bytes + unpacked) / tensor
}

/// Weights of the largest product of a layer.
fn largest_product(workload: &Workload) -> f64 {
    let weights = |operator: &Operator| match *operator {
        Operator::MatrixProduct { inputs, outputs, .. } | Operator::ExpertProduct { inputs, outputs, .. } => {
            inputs * outputs
        }
        _ => 0.0,
    };
    workload.body.iter().flat_map(|b| &b.operators).map(weights).fold(0.0, f64::max)
}

/// Bytes of one GPU of a stage that no micro-batch changes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Resident {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Moments and master weights.
    pub states: f64,
    /// Layers gathered for use.
    pub gathered: f64,
    /// Buckets of collectives.
    pub buffers: f64,
}

impl Resident {
    /// The bytes under a plan's degrees, sharding, offload and precision; its micro-batch, virtual stages and
    /// recomputation do not matter. `held` are the parameters of the stage.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, held: &StageParameters) -> Self {
        let recipe = BytesPerParameter::of(scenario, plan);
        let shards = f64::from(plan.shards(scenario.machine.gpus_per_node));
        let weights = match plan.sharding {
            Sharding::Zero3 | Sharding::Hsdp => held.weight_bytes_whole / shards,
            _ => held.weight_bytes,
        };
        let gradients = match plan.sharding {
            Sharding::None | Sharding::Zero1 => held.trained * recipe.gradients,
            Sharding::Zero2 => {
                let partition = if plan.precision.is_mixed() { 4.0 } else { 0.0 };
                held.trained_whole * (recipe.gradients + partition) / shards
            }
            Sharding::Zero3 | Sharding::Hsdp | Sharding::ShardGradOp => {
                held.trained_whole * recipe.gradients / shards
            }
        };
        let states = match plan.sharding {
            _ if plan.optimizer_offload => 0.0,
            Sharding::None => held.trained * recipe.states,
            _ => held.trained_whole * recipe.states / shards,
        };
        // Rows are updated in place, in 32 bits; tables are divided already, if they are.
        let (weights, states) =
            (weights + held.tables * MASTER_BYTES, states + held.tables * scenario.optimizer.state_bytes);
        let buffers = if plan.data_parallel > 1 {
            let element = plan.precision.element_bytes();
            live_buckets(plan.sharding) * held.trained.min(BUCKET_ELEMENTS) * element
        } else {
            0.0
        };
        Self { weights, gradients, states, gathered: gathered(scenario, plan), buffers }
    }

    /// Sum.
    pub fn total(&self) -> f64 {
        self.weights + self.gradients + self.states + self.gathered + self.buffers
    }
}
