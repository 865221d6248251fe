//! A cluster: nodes of one kind and the network between them.

use crate::catalog::{GpuId, InstanceId, Place};
use crate::units::BytesPerSecond;

/// Network between nodes, per node and direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Class, a key of `networks.toml`.
    pub class: String,
    /// Highest bandwidth.
    pub maximum: BytesPerSecond,
    /// Assured bandwidth; P90 uses it.
    pub assured: BytesPerSecond,
    /// False when the source states no network: 25 Gb/s TCP is taken at grade D and ranked after the known.
    pub known: bool,
}

/// Nodes of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// As the user may type it: `provider/instance@region:N`, or `gpu x N`.
    pub label: String,
    /// GPU model.
    pub gpu: GpuId,
    /// GPUs per node.
    pub gpus_per_node: u32,
    /// Nodes.
    pub nodes: u32,
    /// Link class inside a node, a key of `networks.toml`.
    pub node_link: String,
    /// The link class is the GPU's default, not stated for this instance.
    pub node_link_assumed: bool,
    /// Network between nodes.
    pub network: Network,
    /// The instance type, unless the cluster is generic.
    pub instance: Option<InstanceId>,
    /// Where, when it is an offer.
    pub place: Option<Place>,
    /// Virtual CPUs per node, when known.
    pub vcpus: Option<u32>,
}

impl Cluster {
    /// All GPUs.
    pub const fn gpus(&self) -> u32 {
        self.gpus_per_node * self.nodes
    }

    /// As many nodes of the same machine, wherever they are rented: what is told of the one holds for the other.
    pub fn has_machines_of(&self, other: &Self) -> bool {
        let machine = |c: &Self| (c.gpu, c.gpus_per_node, c.nodes, c.instance, c.vcpus);
        machine(self) == machine(other) && self.node_link == other.node_link && self.network == other.network
    }
}
