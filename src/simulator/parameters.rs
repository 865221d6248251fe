//! Parameters that one GPU of a stage holds: trained ones, and weights that only lie there.
//!
//! Tensor parallelism divides the matrices, expert parallelism the routed experts, pipelines the layers. A sharded
//! state is divided over all replicas: the experts, which only a part of the replicas hold, count whole there.

use super::Scenario;
use super::memory::BytesPerParameter;
use crate::plan::{Plan, StageLayers};
use crate::workload::{Base, Block, QUANTIZED_BYTES};

/// What one GPU of a stage holds before sharding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StageParameters {
    /// Trained parameters: with gradient and optimizer state.
    pub trained: f64,
    /// The same with the experts of the whole expert-parallel group: what sharding divides over all replicas.
    pub trained_whole: f64,
    /// Parameters in tables of which a step updates the rows that it looked up: part of no gradient and no reduction.
    pub tables: f64,
    /// Bytes of all weights, frozen ones included.
    pub weight_bytes: f64,
    /// The same with the experts of the whole expert-parallel group.
    pub weight_bytes_whole: f64,
}

impl StageParameters {
    /// Parameters of a stage under a plan.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, stage: u32) -> Self {
        let workload = scenario.workload;
        let layers = StageLayers::of(plan, workload.layers());
        let mut held = Self::default();
        for block in &workload.body {
            held.add(scenario, plan, block, layers.share(f64::from(block.repeat), stage), true);
        }
        let last = plan.pipeline_parallel - 1;
        if stage == 0 {
            held.add(scenario, plan, &workload.input, 1.0, false);
        }
        if stage == last {
            held.add(scenario, plan, &workload.head, 1.0, false);
            if workload.tied_embeddings && last > 0 {
                // The last stage keeps its own copy of the shared table.
                held.add(scenario, plan, &workload.input, 1.0, false);
            }
        }
        held
    }

    fn add(&mut self, scenario: &Scenario<'_>, plan: &Plan, block: &Block, count: f64, layer: bool) {
        let tensor = f64::from(plan.tensor_parallel);
        let experts = block.expert_parameters / tensor;
        let local_experts = experts / f64::from(plan.expert_parallel);
        let divided = (block.divided_parameters - block.expert_parameters) / tensor;
        let rest = block.parameters - block.divided_parameters;
        let recipe = BytesPerParameter::of(scenario, plan);
        let base = scenario.workload.base;
        let (parameters, whole) = (divided + rest + local_experts, divided + rest + experts);
        if base == Base::Trained {
            let [copied, split] = block.table_parameters;
            let apart = block.frozen_parameters + copied + split;
            self.trained += (parameters - apart) * count;
            self.trained_whole += (whole - apart) * count;
            self.tables += (copied + split / f64::from(plan.replicas())) * count;
            self.weight_bytes += (parameters - copied - split) * count * recipe.weights;
            self.weight_bytes_whole += (whole - copied - split) * count * recipe.weights;
            return;
        }
        let packed = if base == Base::Quantized && layer { QUANTIZED_BYTES } else { recipe.weights };
        let adapters = block.adapter_parameters;
        self.trained += adapters * count;
        self.trained_whole += adapters * count;
        let kept = (rest + adapters) * recipe.weights;
        self.weight_bytes += ((divided + local_experts) * packed + kept) * count;
        self.weight_bytes_whole += ((divided + experts) * packed + kept) * count;
    }
}
