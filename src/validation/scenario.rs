//! A measured run as a question to the simulator.

use super::gaps::{Candidates, candidates, keep_fitting};
use super::run::Run;
use super::shape::network;
use super::skip::{Skip, SkipReason, refuse};
use super::training_length::{TrainingLength, training_length};
use crate::catalog::{Catalog, GpuId, OptimizerSpec, Precision};
use crate::plan::{Plan, Sharding};
use crate::profile::{AxisOrder, Method, Profiles, RateKey, StackProfile};
use crate::simulator::{Machine, Scenario};
use crate::workload::Workload;
use crate::workload::WorkloadKind;
use crate::workload::job::Assumption;

/// How remarks of runs call the order of the axes of feature maps, in lower case,
const ORDERS: [(&str, AxisOrder); 2] =
    [("nchw layout", AxisOrder::ChannelsFirst), ("nhwc layout", AxisOrder::ChannelsLast)];

/// Everything about a run that does not depend on fitted coefficients.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// The run.
    pub run: &'a Run,
    /// Operators.
    pub workload: Workload,
    /// Optimizer.
    pub optimizer: &'a OptimizerSpec,
    /// Cluster.
    pub machine: Machine<'a>,
    /// Software as loaded.
    pub stack: &'a StackProfile,
    /// Order of the axes of feature maps.
    pub order: AxisOrder,
    /// Whether batch norms take along what is behind them.
    pub joins_norms: bool,
    /// For networks over samples: the software with their coefficients.
    pub layered: Option<StackProfile>,
    /// Length of the whole training, where stated.
    pub length: Option<TrainingLength>,
    /// Plans that agree with the row; the fastest counts.
    pub plans: Vec<Plan>,
    /// What was filled in.
    pub assumed: Vec<Assumption>,
}

impl Prepared<'_> {
    /// The question, with some coefficients in place of those loaded.
    pub fn scenario<'s>(&'s self, stack: &'s StackProfile) -> Scenario<'s> {
        Scenario {
            workload: &self.workload,
            optimizer: self.optimizer,
            machine: self.machine,
            stack,
            input: None,
        }
    }

    /// The software in force.
    pub fn profile(&self) -> &StackProfile {
        self.layered.as_ref().unwrap_or(self.stack)
    }

    /// What decides the coefficients of a network over samples.
    pub fn rate_key(&self) -> RateKey<'_> {
        RateKey {
            stack: &self.stack.id,
            recipe: self.run.recipe.as_deref().unwrap_or_default(),
            compiler: self.run.compiler.as_deref().unwrap_or_default(),
            capability: self.machine.gpu.compute_capability,
            order: self.order,
            joins_norms: self.joins_norms,
            synthetic: self.run.input_data.as_deref() == Some("synthetic"),
        }
    }

    /// The set whose error is reported: family and GPU architecture.
    pub fn set(&self) -> (&str, &str) {
        (&self.run.family, &self.machine.gpu.architecture)
    }
}

/// Prepares a run.
///
/// # Errors
/// Why it cannot be expressed.
pub fn prepare<'a>(run: &'a Run, catalog: &'a Catalog, profiles: &'a Profiles) -> Result<Prepared<'a>, Skip> {
    refuse(run)?;
    super::predict::check_metric(run, catalog)?;
    let gpu = catalog.find_gpu(&run.gpu).ok_or_else(|| Skip::new(SkipReason::UnknownGpu, &run.gpu))?;
    let stack = stack(run, profiles)?;
    let network = network(run, &stack.id, catalog)?;
    let mut assumed = network.assumed;
    let machine = machine(run, gpu, catalog, profiles, &mut assumed)?;
    let precision = precision(run, &machine)?;
    let text = |given: &'a Option<String>| given.as_deref().unwrap_or_default();
    let joins_norms = profiles.layers.joins_norms(&stack.id, text(&run.recipe), text(&run.compiler));
    let order = profiles.layers.order(run.recipe.as_deref().unwrap_or_default(), stated_order(run));
    let list = candidates(run, &network.workload, machine.gpu, stack, machine.gpus(), precision)?;
    let mut prepared = Prepared {
        run,
        workload: network.workload,
        optimizer: network.optimizer,
        machine,
        stack,
        order,
        joins_norms,
        layered: None,
        length: training_length(run, catalog),
        plans: Vec::new(),
        assumed,
    };
    if prepared.workload.kind == WorkloadKind::Convolutional {
        prepared.layered = Some(profiles.layers.stack(stack, &prepared.rate_key()));
    }
    let mut list: Candidates = list;
    keep_fitting(&mut list, &prepared.scenario(prepared.profile()));
    prepared.plans = list.plans;
    prepared.assumed.extend(list.assumed);
    Ok(prepared)
}

fn stated_order(run: &Run) -> Option<AxisOrder> {
    let notes = run.notes.to_lowercase();
    ORDERS.into_iter().find(|(words, _)| notes.contains(words)).map(|(_, order)| order)
}

fn precision(run: &Run, machine: &Machine<'_>) -> Result<Precision, Skip> {
    let precision = run.precision.ok_or_else(|| Skip::new(SkipReason::Precision, "not stated"))?;
    if machine.hardware.matmul(precision).is_none() {
        let detail = format!("{} on {}", precision.name(), machine.gpu.id);
        return Err(Skip::new(SkipReason::Precision, detail));
    }
    Ok(precision)
}

/// The profile of this id; else of those that begin with it, the one with the fewest methods that offers the row's
/// sharding; else the one that the name begins with (a later version of the same software).
fn stack<'p>(run: &Run, profiles: &'p Profiles) -> Result<&'p StackProfile, Skip> {
    let needed = match run.sharding {
        None | Some(Sharding::None) => None,
        Some(Sharding::Zero1) => Some(Method::Zero1),
        Some(Sharding::Zero2) => Some(Method::Zero2),
        Some(Sharding::Zero3) => Some(Method::Zero3),
        Some(Sharding::ShardGradOp) => Some(Method::ShardGradOp),
        Some(Sharding::Hsdp) => Some(Method::Hsdp),
    };
    let offers = |s: &&StackProfile| {
        needed.is_none_or(|method| s.supports(method) || method == Method::Zero2 && keeps_weights(s))
    };
    let longer = format!("{}-", run.stack);
    let stacks = &profiles.stacks;
    profiles
        .stack(&run.stack)
        .or_else(|| {
            let relatives = stacks.iter().filter(|s| s.id.starts_with(&longer)).filter(offers);
            relatives.min_by_key(|s| s.supports.len())
        })
        .or_else(|| {
            let older = stacks.iter().filter(|s| run.stack.starts_with(&s.id));
            older.max_by_key(|s| s.id.len())
        })
        .ok_or_else(|| Skip::new(SkipReason::UnknownStack, &run.stack))
}

/// Whether the second stage is its own variant of sharding everything: weights are sharded too, but kept together from the
/// forward to the backward pass. Published runs of such software say `zero2`.
pub(super) fn keeps_weights(stack: &StackProfile) -> bool {
    !stack.supports(Method::Zero2) && stack.supports(Method::ShardGradOp)
}

fn machine<'a>(
    run: &Run,
    id: GpuId,
    catalog: &'a Catalog,
    profiles: &'a Profiles,
    assumed: &mut Vec<Assumption>,
) -> Result<Machine<'a>, Skip> {
    let mut assume = |name: &str, value: String, reason: &str| {
        assumed.push(Assumption { name: name.to_owned(), value, reason: reason.to_owned() });
    };
    let gpu = catalog.gpu(id);
    let gpus = run.gpus.ok_or_else(|| Skip::new(SkipReason::Cluster, "GPUs not stated"))?;
    let stated = run.gpus_per_node.unwrap_or_else(|| {
        let usual = profiles.defaults.cluster.gpus_per_node;
        assume("GPUs per node", usual.to_string(), "not stated");
        usual
    });
    // Nodes that are not full are taken as full ones of the largest size that divides the GPUs.
    let gpus_per_node = (1..=stated.min(gpus)).rev().find(|n| gpus.is_multiple_of(*n)).unwrap_or(1);
    if gpus_per_node != stated.min(gpus) {
        assume("GPUs per node", gpus_per_node.to_string(), "the stated number does not divide the GPUs");
    }
    let nodes = gpus / gpus_per_node;
    let link = profiles
        .link(&gpu.default_node_link)
        .ok_or_else(|| Skip::new(SkipReason::Cluster, format!("no link class {}", gpu.default_node_link)))?;
    let reference = profiles.defaults.reference_network(gpu);
    let class = run.network_kind.as_deref().and_then(|kind| profiles.network(kind));
    let network = class
        .or_else(|| profiles.network(&reference.class))
        .ok_or_else(|| Skip::new(SkipReason::Cluster, format!("no network class {}", reference.class)))?;
    if nodes > 1 && class.is_none() {
        assume(
            "network class",
            network.class.clone(),
            "not stated: the reference cluster of this generation",
        );
    }
    if nodes > 1 && run.network.is_none() {
        let value = format!("{} Gb/s", reference.bandwidth.gigabit());
        assume("network bandwidth", value, "not stated: the reference cluster of this generation");
    }
    let link_rate = match gpu.link_per_direction {
        Some(rate) if !link.over_pcie => rate,
        _ => profiles.defaults.slot(gpu).0,
    };
    Ok(Machine {
        gpu,
        hardware: profiles.gpu(id),
        link,
        network,
        link_rate,
        gpus_per_node,
        nodes,
        network_bandwidth: run.network.unwrap_or(reference.bandwidth),
        network_known: nodes == 1 || (run.network.is_some() && class.is_some()),
        host: profiles.defaults.host(gpu),
    })
}
