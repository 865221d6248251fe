//! Collectives of experts, of shared sequences, of shards inside nodes, and copies to the host.

use super::Scenario;
use super::communication::{Group, collective, point_to_point};
use super::memory::BytesPerParameter;
use super::parameters::StageParameters;
use super::roofline::BlockTime;
use crate::plan::{Plan, Sharding};
use crate::units::{Bytes, Seconds};
use crate::workload::CollectiveKind;

/// Forward pass, and its mirror backward.
const BOTH_DIRECTIONS: f64 = 2.0;
/// Bytes of an element of a row's gradient.
const ROW_GRADIENT_BYTES: f64 = 4.0;
/// Keys and values are passed on forward and backward, where their gradients travel with them.
const PASSED_AROUND: f64 = 3.0;

/// One all-to-all of a layer, to the experts or back.
pub(super) fn expert_exchange(scenario: &Scenario<'_>, plan: &Plan, time: &BlockTime) -> Seconds {
    if plan.expert_parallel == 1 || time.exchanges == 0.0 {
        return Seconds::ZERO;
    }
    let group = Group::place(plan.expert_parallel, plan.tensor_parallel, scenario.machine.gpus_per_node);
    // Each GPU of a tensor-parallel group sends its own part of the rows.
    let elements = time.exchanged_elements / time.exchanges / f64::from(plan.tensor_parallel);
    let bytes = Bytes::new(elements * plan.precision.element_bytes());
    collective(scenario, CollectiveKind::AllToAll, group, bytes)
}

/// Rows of tables that the replicas of a step give each other: by all-to-all where each holds a part of the tables, there and
/// back; as a gather of all gradients where each has a copy.
pub(super) fn table_exchange(scenario: &Scenario<'_>, plan: &Plan, time: &BlockTime) -> Seconds {
    let [copied, split] = time.table_elements;
    if plan.replicas() == 1 || copied + split <= 0.0 {
        return Seconds::ZERO;
    }
    let per_node = scenario.machine.gpus_per_node;
    let group = Group::place(plan.replicas(), plan.tensor_parallel, per_node);
    let sent = Bytes::new(split * plan.precision.element_bytes());
    let gathered = Bytes::new(copied * f64::from(group.size()) * ROW_GRADIENT_BYTES);
    collective(scenario, CollectiveKind::AllToAll, group, sent) * BOTH_DIRECTIONS
        + collective(scenario, CollectiveKind::AllGather, group, gathered)
}

/// Keys and values of one layer on their way around the context-parallel ring, as far as attention does not hide it.
pub(super) fn context_ring(scenario: &Scenario<'_>, plan: &Plan, time: &BlockTime) -> Seconds {
    if plan.context_parallel == 1 || time.passed_elements == 0.0 {
        return Seconds::ZERO;
    }
    let per_node = scenario.machine.gpus_per_node;
    let group = Group::place(plan.context_parallel, plan.tensor_parallel, per_node);
    let bytes = Bytes::new(time.passed_elements * plan.precision.element_bytes());
    let hop = point_to_point(scenario, group.nodes > 1, group.sharing, bytes);
    let ring = hop * (f64::from(plan.context_parallel - 1) * PASSED_AROUND);
    let attention = time.attention[0] + time.attention[1];
    ring - ring.min(attention) * scenario.stack.overlap_data_parallel
}

/// The group over which layers are gathered: all replicas, or those of one node.
pub(super) fn shard_group(scenario: &Scenario<'_>, plan: &Plan) -> Group {
    let per_node = scenario.machine.gpus_per_node;
    Group::place(plan.shards(per_node), plan.tensor_parallel, per_node)
}

/// Reduction of gradient shards across the copies that hybrid sharding keeps.
pub(super) fn hybrid_reduction(scenario: &Scenario<'_>, plan: &Plan, held: &StageParameters) -> Seconds {
    let shards = plan.shards(scenario.machine.gpus_per_node);
    let copies = plan.replicas() / shards.max(1);
    if plan.sharding != Sharding::Hsdp || copies <= 1 {
        return Seconds::ZERO;
    }
    let recipe = BytesPerParameter::of(scenario, plan);
    let group = Group { local: 1, nodes: copies, sharing: f64::from(scenario.machine.gpus_per_node) };
    let bytes = Bytes::new(held.trained * recipe.gradients / f64::from(shards));
    collective(scenario, CollectiveKind::AllReduce, group, bytes)
}

/// One update in host memory: gradients down, the update by the processors of the node, weights back up.
pub(super) fn host_update(scenario: &Scenario<'_>, plan: &Plan, parameters: f64) -> Seconds {
    let machine = &scenario.machine;
    let recipe = BytesPerParameter::of(scenario, plan);
    let copies = Bytes::new(parameters * (recipe.gradients + recipe.weights)) / machine.host.copy;
    let of_node = parameters * f64::from(machine.gpus_per_node);
    copies + Seconds::new(of_node / machine.host.updates_per_s)
}

/// Passes of a layer's exchanges.
pub(super) const fn exchange_passes(full_recompute: bool) -> f64 {
    if full_recompute { BOTH_DIRECTIONS + 1.0 } else { BOTH_DIRECTIONS }
}
