//! The speed-up of a move by workload as JSON.

use serde::Serialize;

use super::price_doubts;
use super::view_compare::CompareView;
use super::view_workloads::{Move, moves};
use super::wire::{Origin, ProvenanceWire, SCHEMA_VERSION, provenance, text};
use crate::simulator::Interval;

#[derive(Serialize)]
struct WorkloadsWire<'a> {
    schema_version: u32,
    relative_to: &'a str,
    workloads: Vec<WorkloadWire<'a>>,
    warnings: Vec<&'static str>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct WorkloadWire<'a> {
    model: &'a str,
    cluster: &'a str,
    speed_up: Option<Interval>,
    break_even_price_ratio: Option<f64>,
    cost_ratio: Option<f64>,
    binding_before: Option<&'static str>,
    binding_after: Option<&'static str>,
    grade: Option<&'static str>,
    blocked: Option<&'static str>,
}

/// The speed-ups as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn workloads(views: &[CompareView<'_>], origin: Origin<'_>) -> Result<String, serde_json::Error> {
    let first = views.first().and_then(|v| v.simulations.first());
    let moves = moves(views);
    let wire = WorkloadsWire {
        schema_version: SCHEMA_VERSION,
        relative_to: first.map_or("", |s| s.cluster.label.as_str()),
        workloads: moves.iter().map(workload).collect(),
        warnings: price_doubts::of(origin),
        provenance: provenance(origin),
    };
    text(&wire)
}

fn workload<'a>(found: &Move<'a>) -> WorkloadWire<'a> {
    let ratio = found.found.map(|(.., ratio)| ratio);
    WorkloadWire {
        model: found.model,
        cluster: &found.other.cluster.label,
        speed_up: ratio.map(|r| r.speed_up),
        break_even_price_ratio: ratio.map(|r| r.break_even_price),
        cost_ratio: found.cost,
        binding_before: found.found.map(|(before, ..)| before.planned.step.binding().name()),
        binding_after: found.found.map(|(_, after, _)| after.planned.step.binding().name()),
        grade: found.found.map(|(before, after, _)| before.grade.max(after.grade).letter()),
        blocked: found.other.outcome.as_ref().err().map(|b| b.reason.name()),
    }
}
