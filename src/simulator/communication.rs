//! Time of collectives: inside a node, then across.
//!
//! A ring over n GPUs moves `2(n-1)/n` of an all-reduce buffer (half of it for a gather or a scatter) past the
//! slowest link. Inside a node that is the link profile's bus bandwidth at this group and buffer size; across nodes
//! it is the node's network bandwidth, shared by the groups of the node that communicate at the same time. Latency
//! adds a step per hop inside and a tree of `2 log2(nodes)` steps across.
//! Source: bus-bandwidth definition of nccl-tests; tree latency after Sanders et al. 2009.

use super::{Machine, Scenario};
use crate::units::{Bytes, Seconds};
use crate::workload::CollectiveKind;

/// A communication group as it lies on the nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// GPUs of the group in one node.
    pub local: u32,
    /// Nodes the group spans.
    pub nodes: u32,
    /// Groups of one node that share its network at the same time.
    pub sharing: f64,
}

impl Group {
    /// Places a group of `size` GPUs whose neighbours are `stride` ranks apart on nodes of `per_node`.
    pub fn place(size: u32, stride: u32, per_node: u32) -> Self {
        let local = (per_node / stride.max(1)).clamp(1, size);
        let nodes = size.div_ceil(local);
        let sharing = f64::from(per_node) / f64::from(local);
        Self { local, nodes, sharing: if nodes > 1 { sharing } else { 1.0 } }
    }

    /// All GPUs of the group.
    pub const fn size(&self) -> u32 {
        self.local * self.nodes
    }
}

/// Share of the buffer that passes each link.
fn moved(kind: CollectiveKind, size: u32) -> f64 {
    let n = f64::from(size);
    match kind {
        CollectiveKind::AllReduce => 2.0 * (n - 1.0) / n,
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => (n - 1.0) / n,
        CollectiveKind::PointToPoint => 1.0,
    }
}

/// Time of one collective over a buffer of `bytes`.
pub fn collective(scenario: &Scenario<'_>, kind: CollectiveKind, group: Group, bytes: Bytes) -> Seconds {
    if group.size() <= 1 || bytes.get() <= 0.0 {
        return Seconds::ZERO;
    }
    let machine = &scenario.machine;
    let efficiency = scenario.stack.collective_efficiency;
    let moved = bytes * moved(kind, group.size());
    let mut time = Seconds::ZERO;
    let mut slowest = f64::INFINITY;
    if group.local > 1 {
        slowest = machine.link.bus_bandwidth(group.local, bytes, machine.link_rate).get();
    }
    if group.nodes > 1 {
        let network = network_share(machine, group.sharing);
        slowest = slowest.min(network);
        time += latency(machine, kind, group);
    }
    time + moved / crate::units::BytesPerSecond::new(slowest * efficiency)
}

/// Latency of a collective across nodes: an all-reduce may take trees, `2 log2(nodes)` steps across and a ring inside;
/// gathers and scatters know only the ring, which passes every GPU of the group once.
fn latency(machine: &Machine<'_>, kind: CollectiveKind, group: Group) -> Seconds {
    let (nodes, inside) = (f64::from(group.nodes), f64::from(group.local - 1));
    let ring = machine.network.latency * (nodes - 1.0) + machine.link.latency * (nodes * inside);
    match kind {
        CollectiveKind::AllReduce => {
            let tree = machine.network.latency * (2.0 * nodes.log2()) + machine.link.latency * (2.0 * inside);
            tree.min(ring * 2.0)
        }
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter => ring,
        CollectiveKind::AllToAll | CollectiveKind::PointToPoint => machine.network.latency,
    }
}

/// Time to send `bytes` from one GPU to another, in the same node or across.
pub fn point_to_point(scenario: &Scenario<'_>, across: bool, sharing: f64, bytes: Bytes) -> Seconds {
    let machine = &scenario.machine;
    if across {
        let rate = crate::units::BytesPerSecond::new(network_share(machine, sharing));
        machine.network.latency + bytes / rate
    } else {
        machine.link.latency + bytes / (machine.link_rate * machine.link.efficiency.get())
    }
}

fn network_share(machine: &Machine<'_>, sharing: f64) -> f64 {
    machine.network_bandwidth.get() * machine.network.efficiency.get() / sharing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_group_stays_in_its_node_and_a_data_group_strides_over_it() {
        assert_eq!(Group::place(8, 1, 8), Group { local: 8, nodes: 1, sharing: 1.0 });
        assert_eq!(Group::place(4, 8, 8), Group { local: 1, nodes: 4, sharing: 8.0 });
        assert_eq!(Group::place(16, 2, 8), Group { local: 4, nodes: 4, sharing: 2.0 });
        assert_eq!(Group::place(16, 1, 8), Group { local: 8, nodes: 2, sharing: 1.0 });
    }
}
