//! Clusters side by side as JSON.

use serde::Serialize;

use super::view_compare::{CompareView, ratios};
use super::wire::{
    JobWire, Origin, ProvenanceWire, SCHEMA_VERSION, SimulationWire, job_wire, provenance, result, text,
};
use crate::advisor::Simulation;
use crate::advisor::migration::{Part, changes, cost_ratio, parts};
use crate::simulator::Interval;
use crate::workload::Assumption;

#[derive(Serialize)]
struct CompareWire<'a> {
    schema_version: u32,
    job: JobWire<'a>,
    assumptions: &'a [Assumption],
    clusters: Vec<SimulationWire<'a>>,
    ratios: Vec<Option<RatioWire<'a>>>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct RatioWire<'a> {
    cluster: &'a str,
    relative_to: &'a str,
    speed_up: Interval,
    break_even_price_ratio: f64,
    cost_ratio: Option<f64>,
    usable_memory_ratio: f64,
    gains: Vec<&'static str>,
    losses: Vec<&'static str>,
    parts: Vec<PartWire>,
}

#[derive(Serialize)]
struct PartWire {
    term: &'static str,
    bound_by: &'static str,
    first_time_s: f64,
    other_time_s: f64,
    saved_share: f64,
}

/// A comparison as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn compare(view: &CompareView<'_>, origin: Origin<'_>) -> Result<String, serde_json::Error> {
    let wire = CompareWire {
        schema_version: SCHEMA_VERSION,
        job: job_wire(view.job),
        assumptions: &view.job.assumed,
        clusters: view.simulations.iter().map(result).collect(),
        ratios: view
            .simulations
            .iter()
            .zip(ratios(view.simulations))
            .map(|(s, r)| ratio(view, s, r))
            .collect(),
        provenance: provenance(origin),
    };
    text(&wire)
}

fn ratio<'a>(
    view: &CompareView<'a>,
    other: &'a Simulation,
    ratio: Option<super::view_compare::Ratio>,
) -> Option<RatioWire<'a>> {
    let (ratio, first) = (ratio?, view.simulations.first()?);
    let (old, new) = (view.catalog.gpu(first.cluster.gpu), view.catalog.gpu(other.cluster.gpu));
    let changes = changes(view.job, old, new);
    let names = |gained: bool| changes.iter().filter(|c| c.gained == gained).map(|c| c.kind.name()).collect();
    let part = |p: &Part| PartWire {
        term: p.kind.name(),
        bound_by: p.bound.name(),
        first_time_s: p.first.get(),
        other_time_s: p.other.get(),
        saved_share: p.saved_share,
    };
    Some(RatioWire {
        cluster: &other.cluster.label,
        relative_to: &first.cluster.label,
        speed_up: ratio.speed_up,
        break_even_price_ratio: ratio.break_even_price,
        cost_ratio: cost_ratio(first, other),
        usable_memory_ratio: new.memory_usable / old.memory_usable,
        gains: names(true),
        losses: names(false),
        parts: parts(first.estimate()?, other.estimate()?).iter().map(part).collect(),
    })
}
