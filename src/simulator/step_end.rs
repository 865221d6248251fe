//! What the GPUs of one stage do once per optimizer step: collectives of the replicas, the update.

use super::Scenario;
use super::communication::{Group, collective, point_to_point};
use super::exchange::{host_update, hybrid_reduction, shard_group};
use super::memory::BytesPerParameter;
use super::parameters::StageParameters;
use super::stage_time::StageTime;
use crate::plan::{Plan, Sharding, StageLayers};
use crate::units::{Bytes, Seconds};
use crate::workload::{Base, Block, CollectiveKind, Operator};

/// Collectives and update of one stage, before compute hides any of them: what the degrees, sharding and offload of a
/// plan decide, whatever its micro-batch, virtual stages and recomputation.
#[derive(Debug, Clone, Copy, Default)]
pub struct EndTime {
    /// One gather of all layers' weights, where they lie in shards.
    gather: Seconds,
    /// Gathers of one micro-batch.
    gathers: f64,
    /// One reduction of all layers' gradients into shards.
    scatter: Seconds,
    /// The reduction of gradients that the backward pass hides: of whole ones, or of shards across the copies that
    /// hybrid sharding keeps.
    reduce: Seconds,
    /// The tied table's gradient.
    pub(super) tied: Seconds,
    /// The update, by the GPU or in host memory.
    pub(super) update: Seconds,
    /// Launches of the update.
    pub(super) launch: Seconds,
}

impl EndTime {
    /// The times of a stage; `held` are its parameters.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, stage: u32, held: &StageParameters) -> Self {
        let mut end = Self {
            tied: tied_reduction(scenario, plan),
            launch: optimizer_launch(scenario, plan, stage),
            ..Self::default()
        };
        if plan.replicas() > 1 {
            end.set_collectives(scenario, plan, held);
        }
        let parameters = updated_parameters(scenario, plan, held);
        end.update = if plan.optimizer_offload {
            host_update(scenario, plan, parameters)
        } else {
            let bytes = parameters * optimizer_bytes(scenario, plan) * scenario.stack.optimizer_traffic;
            Bytes::new(bytes) / scenario.machine.hardware.dram
        };
        end
    }

    fn set_collectives(&mut self, scenario: &Scenario<'_>, plan: &Plan, held: &StageParameters) {
        let stack = scenario.stack;
        let recipe = BytesPerParameter::of(scenario, plan);
        if !plan.sharding.gathers_weights() {
            let group = Group::place(plan.replicas(), plan.tensor_parallel, scenario.machine.gpus_per_node);
            let bytes = Bytes::new(held.trained * scenario.reduced_bytes(plan, &recipe));
            self.reduce = collective(scenario, CollectiveKind::AllReduce, group, bytes);
            return;
        }
        let group = shard_group(scenario, plan);
        // Layers are gathered and reduced one by one; the buffer of a collective is a layer.
        let layers = f64::from(scenario.workload.layers().max(1));
        let layer = Bytes::new(held.weight_bytes / layers);
        let assemble = layer / stack.gather_rate;
        self.gather = (collective(scenario, CollectiveKind::AllGather, group, layer) + assemble) * layers;
        let layer = Bytes::new(held.trained * recipe.gradients / layers);
        let assemble = layer / stack.gather_rate;
        self.scatter =
            (collective(scenario, CollectiveKind::ReduceScatter, group, layer) + assemble) * layers;
        // Once for the forward pass, and again for the backward one where weights are dropped in between.
        self.gathers = if plan.sharding == Sharding::ShardGradOp { 1.0 } else { 2.0 };
        self.reduce = hybrid_reduction(scenario, plan, held);
    }

    /// What compute does not hide: `(weight gathers, gradient reduction)` of a step of `m` micro-batches.
    pub(super) fn exposed(&self, scenario: &Scenario<'_>, m: f64, compute: &StageTime) -> (Seconds, Seconds) {
        let stack = scenario.stack;
        let reduction = self.reduce - self.reduce.min(compute.backward) * stack.overlap_data_parallel;
        let all = self.gather * self.gathers + self.scatter;
        if all.get() <= 0.0 {
            return (Seconds::ZERO, reduction);
        }
        let hidden = all.min(compute.total()) * stack.overlap_sharding;
        let exposed = (all - hidden) / all;
        (self.gather * (self.gathers * m * exposed), self.scatter * (m * exposed) + reduction)
    }
}

/// The tied table's gradient, reduced between the first and the last stage.
fn tied_reduction(scenario: &Scenario<'_>, plan: &Plan) -> Seconds {
    let workload = scenario.workload;
    if plan.pipeline_parallel == 1 || !workload.tied_embeddings || workload.base != Base::Trained {
        return Seconds::ZERO;
    }
    let recipe = BytesPerParameter::of(scenario, plan);
    let bytes =
        Bytes::new(workload.input.divided_parameters / f64::from(plan.tensor_parallel) * recipe.gradients);
    let across = scenario.machine.nodes > 1;
    point_to_point(scenario, across, f64::from(scenario.machine.gpus_per_node), bytes)
}

/// Bytes read and written per parameter by a fused update: gradient, master and moments read; master, moments and
/// the 16-bit weight written.
fn optimizer_bytes(scenario: &Scenario<'_>, plan: &Plan) -> f64 {
    let moments = scenario.optimizer.state_bytes;
    let weight_copy = if plan.precision.is_mixed() && scenario.optimizer.master_weights { 2.0 } else { 0.0 };
    (4.0 + 4.0 + moments) + (4.0 + moments) + weight_copy + scenario.optimizer.extra_traffic
}

/// Parameters that one GPU updates.
fn updated_parameters(scenario: &Scenario<'_>, plan: &Plan, held: &StageParameters) -> f64 {
    match plan.sharding {
        Sharding::None => held.trained,
        _ => held.trained_whole / f64::from(plan.shards(scenario.machine.gpus_per_node)),
    }
}

/// Parameter tensors that go with one weighted operator: its weight, a bias, and a share of the norms beside it.
const TENSORS_PER_PRODUCT: f64 = 3.0;

/// Launches of the update: tensors on this stage times kernels per tensor. ZeRO shards flat buffers, which need few.
fn optimizer_launch(scenario: &Scenario<'_>, plan: &Plan, stage: u32) -> Seconds {
    if plan.sharding != Sharding::None {
        return Seconds::ZERO;
    }
    let workload = scenario.workload;
    let weighted = |b: &Block| {
        let products = |o: &&Operator| {
            let weighted = matches!(
                o.whole(),
                Operator::MatrixProduct { .. } | Operator::Convolution { .. } | Operator::Embedding { .. }
            );
            weighted && !matches!(o, Operator::ForwardOnly(_))
        };
        b.operators.iter().filter(products).count() as f64
    };
    let body: f64 = workload.body.iter().map(|b| weighted(b) * f64::from(b.repeat)).sum();
    let ends = weighted(&workload.input) + weighted(&workload.head);
    let body = StageLayers::of(plan, workload.layers()).share(body, stage);
    let tensors = TENSORS_PER_PRODUCT * (body + ends);
    scenario.stack.launch * (tensors * scenario.stack.optimizer_kernels)
}
