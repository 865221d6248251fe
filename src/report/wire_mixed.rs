//! One job on nodes of several kinds as JSON.

use serde::Serialize;

use super::price_doubts;
use super::view_mixed::MixedView;
use super::wire::{JobWire, Origin, ProvenanceWire, SCHEMA_VERSION, job_wire, provenance, text};
use crate::advisor::RejectionReason;
use crate::advisor::mixed::Split;
use crate::simulator::Interval;
use crate::units::Seconds;

#[derive(Serialize)]
struct MixedWire<'a> {
    schema_version: u32,
    job: JobWire<'a>,
    precision: &'static str,
    network_class: &'a str,
    network_maximum_bytes_per_s: f64,
    alone: Vec<AloneWire<'a>>,
    equal: SplitWire,
    by_speed: SplitWire,
    warnings: Vec<&'static str>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct AloneWire<'a> {
    cluster: &'a str,
    nodes: u32,
    gpus: u32,
    step_time_s: Option<f64>,
    total_time_s: Option<Interval>,
}

#[derive(Serialize)]
struct SplitWire {
    feasible: bool,
    blocked: Option<&'static str>,
    step_time_s: Option<f64>,
    total_time_s: Option<Interval>,
    shares: Vec<f64>,
    samples_per_replica: Vec<f64>,
    step_times_s: Vec<f64>,
    cost_p10_p50_p90: Option<[f64; 3]>,
    grade: Option<&'static str>,
}

fn split(split: &Result<Split, RejectionReason>, cost: Option<[f64; 3]>) -> SplitWire {
    let found = split.as_ref().ok();
    SplitWire {
        feasible: found.is_some(),
        blocked: split.as_ref().err().map(RejectionReason::name),
        step_time_s: found.map(|s| s.step.get()),
        total_time_s: found.map(|s| s.total),
        shares: found.map_or_else(Vec::new, |s| s.shares.clone()),
        samples_per_replica: found.map_or_else(Vec::new, |s| s.samples.clone()),
        step_times_s: found.map_or_else(Vec::new, |s| s.steps.iter().map(|t| Seconds::get(*t)).collect()),
        cost_p10_p50_p90: cost,
        grade: found.map(|s| s.grade.letter()),
    }
}

/// The answer as JSON text, indented, with a final line break. Costs are in the currency of the provenance.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn mixed(view: &MixedView<'_>, origin: Origin<'_>) -> Result<String, serde_json::Error> {
    let [equal, by_speed] = view.splits().map(|(found, cost)| split(found, cost));
    text(&MixedWire {
        schema_version: SCHEMA_VERSION,
        job: job_wire(view.job),
        precision: view.mixed.precision.name(),
        network_class: &view.mixed.network.class,
        network_maximum_bytes_per_s: view.mixed.network.maximum.get(),
        alone: view
            .alone
            .iter()
            .map(|s| AloneWire {
                cluster: &s.cluster.label,
                nodes: s.cluster.nodes,
                gpus: s.cluster.gpus(),
                step_time_s: s.estimate().map(|e| e.planned.step.total().get()),
                total_time_s: s.estimate().map(|e| e.time.total),
            })
            .collect(),
        equal,
        by_speed,
        warnings: price_doubts::of(origin),
        provenance: provenance(origin),
    })
}
