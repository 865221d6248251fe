//! From an offer or a name to a cluster, from a cluster to a machine with its profiles.

use crate::catalog::{Catalog, InstanceId, Place};
use crate::cost::Offer;
use crate::plan::{Cluster, Network};
use crate::profile::Profiles;
use crate::simulator::Machine;
use crate::units::BytesPerSecond;

/// `nodes` nodes of an offer.
pub fn cluster_of_offer(offer: &Offer, nodes: u32, catalog: &Catalog, profiles: &Profiles) -> Cluster {
    cluster_of_instance(offer.instance, Some(offer.place.clone()), nodes, catalog, profiles)
}

/// `nodes` nodes of an instance type. A link that is not stated is the GPU's usual one; a network that is not stated
/// is the assumed one, marked unknown.
pub fn cluster_of_instance(
    id: InstanceId,
    place: Option<Place>,
    nodes: u32,
    catalog: &Catalog,
    profiles: &Profiles,
) -> Cluster {
    let instance = catalog.instance(id);
    let gpu = catalog.gpu(instance.gpu);
    let unknown = &profiles.defaults.cluster.unknown_network;
    let offer = &instance.network;
    let network = match (&offer.class, offer.maximum.or(offer.assured)) {
        (Some(class), Some(maximum)) if profiles.network(class).is_some() => Network {
            class: class.clone(),
            maximum,
            assured: offer.assured.unwrap_or(maximum).min(maximum),
            known: true,
        },
        _ => Network {
            class: unknown.class.clone(),
            maximum: unknown.bandwidth,
            assured: unknown.bandwidth,
            known: false,
        },
    };
    let region = place.as_ref().and_then(|p| p.region.as_deref()).map_or(String::new(), |r| format!("@{r}"));
    Cluster {
        label: format!("{}{region}:{nodes}", instance.key()),
        gpu: instance.gpu,
        gpus_per_node: instance.gpu_count,
        nodes,
        node_link: instance.node_link.clone().unwrap_or_else(|| gpu.default_node_link.clone()),
        node_link_assumed: instance.node_link.is_none(),
        network,
        instance: Some(id),
        place,
        vcpus: instance.vcpus,
    }
}

/// The machine a cluster is, on its highest network bandwidth.
///
/// # Panics
/// When the profiles lack a link or network class that the catalog uses; a test checks that none does.
pub fn machine<'a>(cluster: &Cluster, catalog: &'a Catalog, profiles: &'a Profiles) -> Machine<'a> {
    machine_on(cluster, cluster.network.maximum, catalog, profiles)
}

/// The machine a cluster is, on a given network bandwidth.
///
/// # Panics
/// As [`machine`].
pub fn machine_on<'a>(
    cluster: &Cluster,
    network_bandwidth: BytesPerSecond,
    catalog: &'a Catalog,
    profiles: &'a Profiles,
) -> Machine<'a> {
    let gpu = catalog.gpu(cluster.gpu);
    let instance = cluster.instance.map(|id| catalog.instance(id).key());
    let link = profiles.link(&cluster.node_link).expect("every link class of the catalog has a profile");
    let network = profiles.network(&cluster.network.class).expect("every network class has a profile");
    let link_rate = match gpu.link_per_direction {
        Some(rate) if !link.over_pcie => rate,
        _ => profiles.defaults.slot(gpu).0,
    };
    Machine {
        gpu,
        hardware: profiles.gpu_in(cluster.gpu, instance.as_deref()),
        link,
        network,
        link_rate,
        gpus_per_node: cluster.gpus_per_node,
        nodes: cluster.nodes,
        network_bandwidth,
        network_known: cluster.network.known,
        host: profiles.defaults.host(gpu),
    }
}
