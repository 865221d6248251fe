//! Clusters as people type them: instance types with a number of nodes, or a GPU with a number of GPUs.

use super::args::GenericArgs;
use super::job_file::near_clause;
use super::problems::Problems;
use super::session::Session;
use crate::advisor::machine::cluster_of_instance;
use crate::catalog::{Catalog, GpuId, NameKind};
use crate::cost::InstanceAt;
use crate::plan::{Cluster, Network};
use crate::profile::Profiles;
use crate::units::BytesPerSecond;
use crate::units::parse::parse_quantity;
use crate::units::text;
use crate::workload::job::Assumption;

/// Most GPUs of a cluster that is believed.
const MOST_GPUS: u64 = 1_000_000;

/// A cluster with what was assumed about it.
#[derive(Debug, Clone)]
pub struct NamedCluster {
    /// The cluster.
    pub cluster: Cluster,
    /// What was assumed.
    pub assumed: Vec<Assumption>,
}

/// Overrides of the network and the node size, already read.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    pub gpus_per_node: Option<u32>,
    network: Option<Network>,
    vcpus: Option<u32>,
}

impl Overrides {
    /// Stated virtual CPUs of a node alone.
    pub fn of_vcpus(vcpus: Option<u32>) -> Self {
        Self { vcpus, ..Self::default() }
    }

    /// Reads the flags; what is wrong goes to `problems`.
    pub fn read(
        args: &GenericArgs,
        vcpus: Option<u32>,
        profiles: &Profiles,
        problems: &mut Problems,
    ) -> Self {
        let mut take = |flag: &str, result: Result<u32, String>| {
            result.map_err(|e| problems.usage(format!("--{flag}: {e}"))).ok()
        };
        let gpus_per_node = args
            .gpus_per_node
            .as_deref()
            .and_then(|t| take("gpus-per-node", count(t, "GPUs in a node", 1000)));
        let network = args.network.as_deref().and_then(|text| {
            parse_network(text, profiles).map_err(|e| problems.usage(format!("--network: {e}"))).ok()
        });
        Self { gpus_per_node, network, vcpus }
    }
}

/// A whole number of something, from 1 to `most`.
pub fn count(text: &str, what: &str, most: u64) -> Result<u32, String> {
    let number: Option<u64> = text.trim().replace('_', "").parse().ok();
    match number {
        Some(n) if (1..=most).contains(&n) => Ok(n as u32),
        _ => Err(format!("{text:?} is no number of {what}; 1 to {most} are accepted")),
    }
}

/// Reads `"100 Gb/s tcp"`.
fn parse_network(text: &str, profiles: &Profiles) -> Result<Network, String> {
    let classes: Vec<&str> = profiles.networks.iter().map(|n| n.class.as_str()).collect();
    let example = "such as \"100 Gb/s tcp\" or \"1600 Gb/s infiniband\"";
    let Some((rate, class)) = text.trim().rsplit_once(char::is_whitespace) else {
        return Err(format!("{text:?} is not a bandwidth and a class, {example}"));
    };
    let bandwidth = parse_quantity::<BytesPerSecond>(rate).map_err(|e| e.to_string())?;
    if profiles.network(class).is_none() {
        let near = near_clause(class, classes.iter().copied());
        return Err(format!("unknown network class {class:?}{near}; accepted are {}", classes.join(", ")));
    }
    if bandwidth.gigabit() < 0.1 || bandwidth.gigabit() > 1e6 {
        return Err(format!("{rate} is not believed; 0.1 Gb/s to 1 Pb/s are accepted, {example}"));
    }
    Ok(Network { class: class.to_owned(), maximum: bandwidth, assured: bandwidth, known: true })
}

/// Reads a cluster: `provider/instance[@region]:N`, or `GPU:N`; `*` is the same as `:`.
pub fn parse(text: &str, session: &Session, overrides: &Overrides) -> Result<NamedCluster, String> {
    let example = "such as provider/instance:NODES, provider/instance@region:NODES or GPU:GPUS";
    let text = text.trim();
    let Some((name, number)) = text.rsplit_once(['*', ':']) else {
        return Err(format!("{text:?} says not how many; write {text}:N, {example}"));
    };
    let name = name.trim_end();
    if name.contains('/') {
        instance(name, number, session, overrides)
    } else if let Some(keys) = sold_as(name, &session.catalog) {
        match &keys[..] {
            [key] => instance(key, number, session, overrides),
            _ => Err(format!("{name:?} is sold by several; name one of {}", keys.join(", "))),
        }
    } else {
        let gpus = count(number, "GPUs", MOST_GPUS)?;
        generic(name, gpus, &session.catalog, &session.profiles, overrides)
    }
}

/// The instance types, with their providers, that a name without a provider stands for; `None` for a GPU and for what nobody sells.
fn sold_as(name: &str, catalog: &Catalog) -> Option<Vec<String>> {
    let (bare, region) = name.split_once('@').map_or((name, None), |(n, r)| (n, Some(r)));
    let own = catalog.instances.iter().filter(|i| i.name.eq_ignore_ascii_case(bare.trim()));
    let region = region.map_or_else(String::new, |r| format!("@{r}"));
    let keys: Vec<String> = own.map(|i| format!("{}{region}", i.key())).collect();
    (!keys.is_empty() && catalog.expand_gpu(name).is_empty()).then_some(keys)
}

fn instance(
    name: &str,
    number: &str,
    session: &Session,
    overrides: &Overrides,
) -> Result<NamedCluster, String> {
    let (catalog, profiles) = (&session.catalog, &session.profiles);
    let at = InstanceAt::parse(name, catalog).map_err(|e| e.to_string())?;
    if at.nodes.is_some() {
        return Err(format!("{name}:{number} gives two numbers of nodes; one is expected"));
    }
    let instance = catalog.instance(at.instance);
    let most = MOST_GPUS / u64::from(instance.gpu_count.max(1));
    let nodes = count(number, "nodes", most)?;
    if overrides.gpus_per_node.is_some() {
        return Err(format!(
            "--gpus-per-node is for generic clusters, and {name} has nodes of {}",
            instance.gpu_count
        ));
    }
    let place = at.region.as_deref().map(|r| catalog.place(&instance.provider, Some(r)));
    let mut cluster = cluster_of_instance(at.instance, place, nodes, catalog, profiles);
    let mut assumed = Vec::new();
    if cluster.node_link_assumed && cluster.gpus_per_node > 1 {
        assumed.push(link_assumption(&cluster));
    }
    if let Some(network) = &overrides.network {
        cluster.network = network.clone();
    } else if !cluster.network.known && nodes > 1 {
        let reason = format!("network unknown: {} states none for {}", instance.provider, instance.name);
        assumed.push(network_assumption(&cluster, reason));
    }
    if let Some(stated) = overrides.vcpus.filter(|&stated| cluster.vcpus != Some(stated)) {
        assumed.extend(cluster.vcpus.map(|own| vcpus_assumption(stated, own)));
        cluster.vcpus = Some(stated);
    }
    Ok(NamedCluster { cluster, assumed })
}

/// The GPU that a name stands for.
///
/// # Errors
/// When it is unknown (near names are listed) or stands for several (all are listed).
pub fn one_gpu(name: &str, catalog: &Catalog) -> Result<GpuId, String> {
    match catalog.expand_gpu(name.trim())[..] {
        [gpu] => Ok(gpu),
        [] => Err(unknown_gpu(name, catalog)),
        ref several => {
            let ids: Vec<&str> = several.iter().map(|&g| catalog.gpu(g).id.as_str()).collect();
            Err(format!("{name:?} stands for several GPUs; name one of {}", ids.join(", ")))
        }
    }
}

/// The message for a GPU that is not in the catalog.
pub fn unknown_gpu(name: &str, catalog: &Catalog) -> String {
    let near = catalog.near_names(NameKind::Gpu, name);
    let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
    format!("unknown GPU {name:?}{near}; `catalog list gpus` lists all")
}

/// A cluster of a GPU and a count alone, by the stated rule.
pub fn generic(
    name: &str,
    gpus: u32,
    catalog: &Catalog,
    profiles: &Profiles,
    overrides: &Overrides,
) -> Result<NamedCluster, String> {
    let id = one_gpu(name, catalog)?;
    let gpu = catalog.gpu(id);
    let rule = &profiles.defaults.cluster;
    let per_node = overrides.gpus_per_node.unwrap_or_else(|| rule.gpus_per_node.min(gpus));
    if !gpus.is_multiple_of(per_node) {
        let (below, above) = (gpus / per_node * per_node, gpus.next_multiple_of(per_node));
        return Err(format!(
            "{gpus} GPUs are no whole nodes of {per_node}; take {}{above}, or add --gpus-per-node",
            if below > 0 { format!("{below} or ") } else { String::new() }
        ));
    }
    let default = profiles.defaults.generic_network(gpu);
    let usual = Network {
        class: default.class.clone(),
        maximum: default.bandwidth,
        assured: default.bandwidth,
        known: true,
    };
    let cluster = Cluster {
        label: format!("{}:{gpus}", gpu.id),
        gpu: id,
        gpus_per_node: per_node,
        nodes: gpus / per_node,
        node_link: gpu.default_node_link.clone(),
        node_link_assumed: true,
        network: overrides.network.clone().unwrap_or(usual),
        instance: None,
        place: None,
        vcpus: overrides.vcpus,
    };
    let mut assumed = Vec::new();
    let mut assume = |name: &str, value: String, reason: &str| {
        assumed.push(Assumption { name: name.to_owned(), value, reason: reason.to_owned() });
    };
    if overrides.gpus_per_node.is_none() {
        let value = format!("{} x {per_node} GPUs", cluster.nodes);
        assume("nodes", value, "generic cluster; --gpus-per-node changes it");
    }
    if per_node > 1 {
        assumed.push(link_assumption(&cluster));
    }
    if overrides.network.is_none() && cluster.nodes > 1 {
        let reason = if gpu.link_per_direction.is_some() {
            "generic cluster of GPUs with links of their own; --network changes it"
        } else {
            "generic cluster of PCIe GPUs; --network changes it"
        };
        assumed.push(network_assumption(&cluster, reason.to_owned()));
    }
    Ok(NamedCluster { cluster, assumed })
}

fn link_assumption(cluster: &Cluster) -> Assumption {
    Assumption {
        name: "node_link".to_owned(),
        value: cluster.node_link.clone(),
        reason: "the usual link of this GPU".to_owned(),
    }
}

fn vcpus_assumption(stated: u32, own: u32) -> Assumption {
    let reason = format!("as stated, in place of the {own} of the instance type");
    Assumption { name: "vcpus".to_owned(), value: stated.to_string(), reason }
}

fn network_assumption(cluster: &Cluster, reason: String) -> Assumption {
    let network = &cluster.network;
    let value = format!("{} {} per node", text::network_bandwidth(network.maximum), network.class);
    Assumption { name: "network".to_owned(), value, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::embedded_facts;

    #[test]
    fn a_generic_cluster_has_nodes_of_eight_and_says_so() {
        let (catalog, profiles) = embedded_facts();
        let linked = generic("a100-sxm-80gb", 64, &catalog, &profiles, &Overrides::default()).unwrap();
        assert_eq!((linked.cluster.nodes, linked.cluster.gpus_per_node), (8, 8));
        assert_eq!(linked.cluster.network.maximum, BytesPerSecond::from_gigabit(1600.0));
        let names: Vec<&str> = linked.assumed.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["nodes", "node_link", "network"]);
        let pcie = generic("v100-pcie-32gb", 16, &catalog, &profiles, &Overrides::default()).unwrap();
        assert_eq!(pcie.cluster.network.maximum, BytesPerSecond::from_gigabit(25.0));
        assert_eq!(pcie.cluster.network.class, "tcp");
    }

    #[test]
    fn a_family_is_refused_with_its_members_and_a_misspelt_gpu_with_its_neighbours() {
        let (catalog, _) = embedded_facts();
        let family = one_gpu("v100", &catalog).unwrap_err();
        assert!(family.contains("v100-sxm2-32gb") && family.contains("v100s-pcie-32gb"), "{family}");
        assert!(one_gpu("a100-smx-80gb", &catalog).unwrap_err().contains("near: a100-sxm-80gb"));
    }

    #[test]
    fn an_instance_type_without_its_provider_is_found_where_one_sells_it() {
        let (catalog, _) = embedded_facts();
        let key = |name: &str| sold_as(name, &catalog);
        assert_eq!(key("P4d.24xlarge@us-east-1"), Some(vec!["aws/p4d.24xlarge@us-east-1".to_owned()]));
        assert_eq!((key("a100-sxm-80gb"), key("nonsense")), (None, None));
    }

    #[test]
    fn counts_must_be_whole_positive_and_believable() {
        for text in ["0", "-1", "1.5", "x", "", "99999999999999999999"] {
            assert!(count(text, "nodes", MOST_GPUS).is_err(), "{text}");
        }
        assert_eq!(count("64", "nodes", MOST_GPUS), Ok(64));
    }

    #[test]
    fn twelve_gpus_are_no_whole_nodes_of_eight() {
        let (catalog, profiles) = embedded_facts();
        let error = generic("a100-sxm-80gb", 12, &catalog, &profiles, &Overrides::default()).unwrap_err();
        assert!(error.contains("8 or 16"), "{error}");
    }

    #[test]
    fn a_network_is_a_bandwidth_and_a_known_class() {
        let (_, profiles) = embedded_facts();
        let network = parse_network("100 Gb/s tcp", &profiles).unwrap();
        assert_eq!((network.class.as_str(), network.maximum), ("tcp", BytesPerSecond::from_gigabit(100.0)));
        assert!(parse_network("100 tcp", &profiles).is_err());
        assert!(parse_network("100Gb/s", &profiles).is_err());
        assert!(parse_network("100 Gb/s infinband", &profiles).unwrap_err().contains("\"infiniband\""));
    }
}
