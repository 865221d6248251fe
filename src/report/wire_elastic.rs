//! A job over a schedule as JSON: sizes, bills, every hour.

use serde::Serialize;

use super::price_doubts;
use super::view_elastic::ElasticView;
use super::wire::{JobWire, Origin, ProvenanceWire, SCHEMA_VERSION, job_wire, provenance, text};
use super::wire_job::PriceWire;
use crate::cost::{ElasticBill, Stretch};
use crate::simulator::Interval;
use crate::units::Money;

#[derive(Serialize)]
struct ScheduleWire<'a> {
    schema_version: u32,
    job: JobWire<'a>,
    cluster: &'a str,
    schedule: String,
    start: String,
    change_s: f64,
    feasible: bool,
    end_time_s: Option<Interval>,
    changes: Option<usize>,
    changing_s: Option<f64>,
    node_hours: Option<f64>,
    sizes: Vec<SizeWire<'a>>,
    price_per_hour: Option<PriceWire<'a>>,
    price_per_month: Option<Money>,
    baseline_nodes: Option<u32>,
    cost: Option<EndsWire>,
    bills: Vec<BillWire>,
    hours: Vec<HourWire>,
    warnings: Vec<&'static str>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct SizeWire<'a> {
    cluster: &'a str,
    nodes: u32,
    step_time_s: Option<f64>,
    whole_job_s: f64,
    cost: Option<Money>,
}

#[derive(Serialize)]
struct EndsWire {
    p10: Option<Money>,
    p50: Money,
    p90: Option<Money>,
}

#[derive(Serialize)]
struct BillWire {
    committed_nodes: u32,
    committed: Money,
    burst_node_hours: f64,
    burst: Money,
    total: Money,
    committed_used_share: Option<f64>,
}

#[derive(Serialize)]
struct HourWire {
    from_s: f64,
    to_s: f64,
    nodes: u32,
    changing_s: f64,
    done_share: f64,
}

fn bill(bill: &ElasticBill) -> BillWire {
    BillWire {
        committed_nodes: bill.committed.nodes,
        committed: bill.committed.cost,
        burst_node_hours: bill.burst_node_hours,
        burst: bill.burst,
        total: bill.total,
        committed_used_share: bill.used,
    }
}

fn hour(stretch: &Stretch) -> HourWire {
    HourWire {
        from_s: stretch.from.get(),
        to_s: stretch.to.get(),
        nodes: stretch.nodes,
        changing_s: stretch.changing.get(),
        done_share: stretch.done,
    }
}

/// The answer as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn schedule(view: &ElasticView<'_>, origin: Origin<'_>) -> Result<String, serde_json::Error> {
    let (elastic, terms) = (view.elastic, view.terms);
    let courses = elastic.courses.as_ref();
    let median = courses.map(|c| &c.p50);
    let ends = elastic.ends.map(|[p10, p90]| (p10.total, p90.total));
    text(&ScheduleWire {
        schema_version: SCHEMA_VERSION,
        job: job_wire(view.job),
        cluster: &view.largest().cluster.label,
        schedule: terms.schedule.to_string(),
        start: view.start.to_string(),
        change_s: elastic.change.get(),
        feasible: courses.is_some(),
        end_time_s: courses.map(|c| Interval {
            p10: c.p10.end().get(),
            p50: c.p50.end().get(),
            p90: c.p90.end().get(),
        }),
        changes: median.map(crate::cost::Timeline::changes),
        changing_s: median.map(|c| c.changing().get()),
        node_hours: median.map(crate::cost::Timeline::node_hours),
        sizes: elastic
            .fixed
            .iter()
            .zip(view.simulations)
            .map(|(fixed, simulation)| SizeWire {
                cluster: &simulation.cluster.label,
                nodes: fixed.nodes,
                step_time_s: simulation.estimate().map(|e| e.planned.step.total().get()),
                whole_job_s: fixed.whole.get(),
                cost: fixed.bill.map(|b| b.total),
            })
            .collect(),
        price_per_hour: terms.hourly.map(PriceWire::of),
        price_per_month: terms.monthly.and_then(|p| p.per_month),
        baseline_nodes: elastic.chosen.map(|b| b.committed.nodes),
        cost: elastic.chosen.map(|b| EndsWire {
            p10: ends.map(|(p10, _)| p10),
            p50: b.total,
            p90: ends.map(|(_, p90)| p90),
        }),
        bills: elastic.bills.iter().map(bill).collect(),
        hours: median.map_or_else(Vec::new, |c| c.hours().iter().map(hour).collect()),
        warnings: price_doubts::of(origin),
        provenance: provenance(origin),
    })
}
