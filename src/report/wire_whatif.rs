//! What-if answers as JSON: unit-suffixed keys, nothing localised.

use serde::Serialize;

use super::price_doubts;
use super::view_whatif::WhatIfView;
use super::wire::{JobWire, Origin, ProvenanceWire, SCHEMA_VERSION, job_wire, provenance, text};
use crate::advisor::{Outcome, Ratios, ratios};
use crate::plan::Plan;
use crate::simulator::Interval;

#[derive(Serialize)]
struct Wire<'a> {
    schema_version: u32,
    job: JobWire<'a>,
    changes: Vec<ChangeWire<'a>>,
    before: OutcomeWire<'a>,
    changed_job: JobWire<'a>,
    after: Option<OutcomeWire<'a>>,
    ratios: Option<RatiosWire>,
    sweep: Option<SweepWire<'a>>,
    warnings: Vec<&'static str>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct ChangeWire<'a> {
    key: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct OutcomeWire<'a> {
    cluster: &'a str,
    reason: Option<&'static str>,
    figures: Option<FiguresWire>,
}

#[derive(Serialize)]
struct FiguresWire {
    nodes: u32,
    gpus: u32,
    plan: Plan,
    step_time_s: f64,
    total_time_s: Interval,
    cost: Option<Interval>,
    gpu_hours: f64,
    memory_peak_bytes: f64,
    memory_usable_bytes: f64,
    binding: &'static str,
    binding_share: f64,
    grade: &'static str,
}

#[derive(Serialize)]
struct RatiosWire {
    step_time: f64,
    total_time: f64,
    cost: Option<f64>,
    gpu_hours: f64,
    memory: f64,
}

#[derive(Serialize)]
struct SweepWire<'a> {
    keys: &'a [&'static str],
    points: Vec<PointWire<'a>>,
}

#[derive(Serialize)]
struct PointWire<'a> {
    values: &'a [String],
    outcome: OutcomeWire<'a>,
    ratios: Option<RatiosWire>,
}

/// The answer as JSON text. Costs are in the currency of the provenance.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn whatif(view: &WhatIfView<'_>, origin: Origin<'_>) -> Result<String, serde_json::Error> {
    text(&Wire {
        schema_version: SCHEMA_VERSION,
        job: job_wire(view.job),
        changes: view.changes.iter().map(|&(key, value)| ChangeWire { key, value }).collect(),
        before: outcome(view.before),
        changed_job: job_wire(view.changed_job),
        after: view.after.map(outcome),
        ratios: view.after.and_then(|after| ratios(view.before, after)).map(relation),
        sweep: view.swept.map(|swept| SweepWire {
            keys: &swept.keys,
            points: swept
                .points
                .iter()
                .map(|p| PointWire {
                    values: &p.values,
                    outcome: outcome(&p.outcome),
                    ratios: p.ratios.map(relation),
                })
                .collect(),
        }),
        warnings: price_doubts::of(origin),
        provenance: provenance(origin),
    })
}

fn outcome(outcome: &Outcome) -> OutcomeWire<'_> {
    OutcomeWire {
        cluster: &outcome.cluster,
        reason: outcome.figures.as_ref().err().copied(),
        figures: outcome.figures().map(|f| FiguresWire {
            nodes: f.nodes,
            gpus: f.gpus,
            plan: f.plan,
            step_time_s: f.step.get(),
            total_time_s: f.time,
            cost: f.cost,
            gpu_hours: f.gpu_hours,
            memory_peak_bytes: f.memory.get(),
            memory_usable_bytes: f.usable.get(),
            binding: f.binding.0.name(),
            binding_share: f.binding.1,
            grade: f.grade.letter(),
        }),
    }
}

const fn relation(r: Ratios) -> RatiosWire {
    RatiosWire {
        step_time: r.step,
        total_time: r.time,
        cost: r.cost,
        gpu_hours: r.gpu_hours,
        memory: r.memory,
    }
}
