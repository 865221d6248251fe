//! Simulations and comparisons as JSON: unit-suffixed keys, nothing localised.

use serde::Serialize;

use super::view_risk::RiskView;
use super::wire_cure::{CureWire, cures};
pub use super::wire_job::WINNING_PRICE;
use super::wire_job::{CostWire, MeasuredWire, PriceWire, SolvedWire, WholeJobWire, measured, whole_job};
use super::wire_plans::PlansWire;
use super::wire_risk::RiskWire;
use crate::advisor::InputNeed;
use crate::advisor::{Estimate, RejectionReason, Simulation};
use crate::catalog::Catalog;
use crate::cost::{CostOutcome, PriceRules};
use crate::plan::Plan;
use crate::profile::Profiles;
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{Interval, MemoryEstimate, Verdict};
use crate::units::{Bytes, Currency};
use crate::workload::{Assumption, Job, JobLength, WorkloadKind};

/// Version of the layouts.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Facts about the run that every answer states.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// The profiles.
    pub profiles: &'a Profiles,
    /// Day and currency.
    pub prices: &'a PriceRules,
}

#[derive(Serialize)]
struct SimulateWire<'a> {
    schema_version: u32,
    job: JobWire<'a>,
    solved: Option<SolvedWire>,
    #[serde(flatten)]
    result: SimulationWire<'a>,
    risk: Option<RiskWire>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
pub(super) struct JobWire<'a> {
    model: &'a str,
    kind: WorkloadKind,
    parameters: f64,
    active_parameters: f64,
    length: JobLength,
    global_batch_samples: f64,
    folds: u32,
    rows_per_sample: u32,
    precision: Option<&'static str>,
    method: &'static str,
    optimizer: &'a str,
    framework: &'a str,
    recipe: Option<&'a str>,
    compiler: Option<&'a str>,
    layout: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct SimulationWire<'a> {
    cluster: ClusterWire<'a>,
    feasible: bool,
    blocked: Option<BlockedWire<'a>>,
    plan: Option<Plan>,
    terms: Vec<TermWire>,
    step_time_s: Option<f64>,
    steps: Option<f64>,
    total_time_s: Option<Interval>,
    calendar_time_s: Option<Interval>,
    calendar_gpu_hours: Option<f64>,
    whole_job: Option<WholeJobWire>,
    measured: Option<MeasuredWire<'a>>,
    gpu_hours: Option<f64>,
    samples_per_s: Option<f64>,
    rows_per_s: Option<f64>,
    input_needed: Option<InputNeed>,
    flop_per_step: Option<FlopWire>,
    plans: PlansWire,
    memory: Option<MemoryWire>,
    binding: Option<&'static str>,
    grade: Option<&'static str>,
    price: Option<PriceWire<'a>>,
    cost: Option<CostWire>,
    assumptions: Vec<&'a Assumption>,
    warnings: Vec<&'static str>,
}

#[derive(Serialize)]
struct ClusterWire<'a> {
    label: &'a str,
    gpu: &'a str,
    gpus: u32,
    nodes: u32,
    gpus_per_node: u32,
    node_link: &'a str,
    network_class: &'a str,
    network_maximum_bytes_per_s: f64,
    network_assured_bytes_per_s: f64,
    network_known: bool,
    place: Option<String>,
    vcpus_per_node: Option<u32>,
    status: Option<&'static str>,
}

#[derive(Serialize)]
struct BlockedWire<'a> {
    reason: &'static str,
    excess_share: Option<f64>,
    cures: Vec<CureWire<'a>>,
}

#[derive(Serialize)]
struct TermWire {
    name: &'static str,
    time_s: f64,
    bound_by: &'static str,
    grade: &'static str,
}

#[derive(Serialize)]
struct FlopWire {
    exact: f64,
    six_nd: Option<f64>,
    model_flop_utilization: Option<f64>,
    six_nd_utilization: Option<f64>,
}

#[derive(Serialize)]
struct MemoryWire {
    items: Vec<ItemWire>,
    peak_bytes: f64,
    usable_bytes: f64,
    verdict: Verdict,
    breaking: Option<&'static str>,
    bytes_per_parameter: RecipeWire,
}

#[derive(Serialize)]
struct ItemWire {
    name: &'static str,
    bytes: f64,
    stage: u32,
}

#[derive(Serialize)]
struct RecipeWire {
    weights: f64,
    gradients: f64,
    optimizer_states: f64,
}

#[derive(Serialize)]
pub(super) struct ProvenanceWire<'a> {
    version: &'static str,
    as_of: String,
    currency: Currency,
    catalog_hash: &'a str,
    profile_hash: &'a str,
}

/// A simulation as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn simulate(
    job: &Job,
    simulation: &Simulation,
    solution: Option<(&'static str, Option<f64>)>,
    risk: Option<&RiskView<'_>>,
    origin: Origin<'_>,
) -> Result<String, serde_json::Error> {
    let mut result = result(simulation);
    result.assumptions = job.assumed.iter().chain(&simulation.assumed).collect();
    let wire = SimulateWire {
        schema_version: SCHEMA_VERSION,
        job: job_wire(job),
        solved: solution.map(|(unknown, value)| SolvedWire::of(unknown, value, origin.prices.currency)),
        result,
        risk: risk.map(RiskWire::of),
        provenance: provenance(origin),
    };
    text(&wire)
}

pub(super) fn text(wire: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(wire)?;
    text.push('\n');
    Ok(text)
}

pub(super) fn job_wire(job: &Job) -> JobWire<'_> {
    let workload = &job.workload;
    JobWire {
        model: &workload.name,
        kind: workload.kind,
        parameters: workload.parameters,
        active_parameters: workload.active_parameters,
        length: job.length,
        global_batch_samples: job.global_batch,
        folds: job.folds,
        rows_per_sample: workload.rows_per_sample,
        precision: job.precision.map(crate::catalog::Precision::name),
        method: job.method.name(),
        optimizer: &job.optimizer.id,
        framework: &job.stack,
        recipe: job.recipe.as_deref(),
        compiler: job.compiler.as_deref(),
        layout: job.layout.as_deref(),
    }
}

pub(super) fn provenance(origin: Origin<'_>) -> ProvenanceWire<'_> {
    ProvenanceWire {
        version: env!("CARGO_PKG_VERSION"),
        as_of: origin.prices.as_of.to_string(),
        currency: origin.prices.currency,
        catalog_hash: &origin.catalog.content_hash,
        profile_hash: &origin.profiles.content_hash,
    }
}

/// One simulation, with its own assumptions only.
pub(super) fn result(simulation: &Simulation) -> SimulationWire<'_> {
    let estimate = simulation.estimate();
    let blocked = simulation.outcome.as_ref().err();
    let step = estimate.map(|e| &e.planned.step);
    let nearest = blocked.and_then(|b| b.nearest.as_ref());
    let memory = estimate
        .map(|e| (&e.planned.memory, e.recipe))
        .or_else(|| nearest.map(|(_, memory, recipe)| (memory, *recipe)));
    let allowed = blocked.and_then(|b| match b.reason {
        RejectionReason::Memory { allowed, .. } => Some(allowed),
        _ => None,
    });
    SimulationWire {
        cluster: cluster(simulation),
        feasible: estimate.is_some(),
        blocked: blocked.map(|b| BlockedWire {
            reason: b.reason.name(),
            excess_share: Some(b.reason.miss()).filter(|m| m.is_finite()),
            cures: cures(&b.cures),
        }),
        plan: estimate.map(|e| e.planned.plan).or_else(|| nearest.map(|(plan, ..)| *plan)),
        terms: step.into_iter().flat_map(crate::simulator::StepEstimate::terms).map(|t| term(&t)).collect(),
        step_time_s: step.map(|s| s.total().get()),
        steps: estimate.map(|e| e.time.steps),
        total_time_s: estimate.map(|e| e.time.total),
        calendar_time_s: estimate.map(|e| e.calendar),
        calendar_gpu_hours: estimate
            .map(|e| e.whole.calendar.hours() * f64::from(simulation.cluster.gpus()) * f64::from(e.jobs)),
        whole_job: estimate.map(|e| whole_job(&e.whole)),
        measured: simulation.anchored.as_ref().map(measured),
        gpu_hours: estimate.map(|e| e.gpu_hours),
        samples_per_s: estimate.map(|e| e.samples_per_s),
        rows_per_s: estimate.map(|e| e.rows_per_s),
        input_needed: estimate.and_then(|e| e.input_need),
        flop_per_step: estimate.map(flop),
        plans: simulation.plans.into(),
        memory: memory.map(|(memory, recipe)| memory_wire(memory, recipe, allowed.unwrap_or(memory.usable))),
        binding: step.map(|s| s.binding().name()),
        grade: estimate.map(|e| e.grade.letter()),
        price: price(simulation),
        cost: estimate.and_then(|e| e.cost.as_ref()).and_then(cost),
        assumptions: simulation.assumed.iter().collect(),
        warnings: simulation.warnings.iter().map(crate::advisor::Warning::name).collect(),
    }
}

fn cluster(simulation: &Simulation) -> ClusterWire<'_> {
    let cluster = &simulation.cluster;
    ClusterWire {
        label: &cluster.label,
        gpu: &simulation.gpu_id,
        gpus: cluster.gpus(),
        nodes: cluster.nodes,
        gpus_per_node: cluster.gpus_per_node,
        node_link: &cluster.node_link,
        network_class: &cluster.network.class,
        network_maximum_bytes_per_s: cluster.network.maximum.get(),
        network_assured_bytes_per_s: cluster.network.assured.get(),
        network_known: cluster.network.known,
        place: cluster.place.as_ref().map(ToString::to_string),
        vcpus_per_node: cluster.vcpus,
        status: simulation.offer.as_ref().map(|o| o.status.name()),
    }
}

fn term(term: &crate::simulator::Term) -> TermWire {
    TermWire {
        name: term.kind.name(),
        time_s: term.time.get(),
        bound_by: term.bound.name(),
        grade: term.grade.letter(),
    }
}

fn flop(estimate: &Estimate) -> FlopWire {
    let u = &estimate.utilization;
    FlopWire {
        exact: u.exact.get(),
        six_nd: u.six_nd.map(crate::units::FlopCount::get),
        model_flop_utilization: u.model_flop_utilization,
        six_nd_utilization: u.six_nd_utilization,
    }
}

fn memory_wire(memory: &MemoryEstimate, recipe: BytesPerParameter, allowed: Bytes) -> MemoryWire {
    let item = |(item, bytes): (crate::simulator::MemoryItem, Bytes)| ItemWire {
        name: item.name(),
        bytes: bytes.get(),
        stage: memory.stage,
    };
    MemoryWire {
        items: memory.items().map(item).collect(),
        peak_bytes: memory.peak().get(),
        usable_bytes: memory.usable.get(),
        verdict: memory.verdict(),
        breaking: memory.breaking(allowed).map(|(item, _)| item.name()),
        bytes_per_parameter: RecipeWire {
            weights: recipe.weights,
            gradients: recipe.gradients,
            optimizer_states: recipe.states,
        },
    }
}

fn price(simulation: &Simulation) -> Option<PriceWire<'_>> {
    simulation.offer.as_ref()?.price.as_ref().map(|stated| PriceWire::of(&stated.price))
}

/// The cost in the currency asked for, or in its own where there is no rate: the amounts carry it.
fn cost(outcome: &CostOutcome) -> Option<CostWire> {
    match outcome {
        CostOutcome::Priced(cost) | CostOutcome::Unconvertible { own: cost, .. } => Some(CostWire::of(cost)),
        CostOutcome::NoPrice | CostOutcome::NotRepresentable => None,
    }
}
