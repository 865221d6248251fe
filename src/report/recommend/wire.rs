//! The recommendation as JSON: wire types apart from the domain's, unit-suffixed keys, nothing localised.

use serde::Serialize;

use super::RecommendView;
use crate::advisor::rank::interval_cost;
use crate::advisor::{Candidate, Flip, Front, Lack, RejectionReason, Rejections, Role, Shortfall};
use crate::plan::Plan;
use crate::report::price_doubts;
use crate::report::wire_cure::{CureWire, cures};
use crate::report::wire_job::{CostWire, PriceWire};
use crate::report::wire_plans::PlansWire;
use crate::report::wire_risk::{RowRiskWire, rows};
use crate::simulator::Interval;
use crate::units::{Currency, Money};
use crate::workload::{Assumption, JobLength};

/// Version of the answer's layout.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Wire<'a> {
    schema_version: u32,
    job: JobWire<'a>,
    limits: LimitsWire,
    assumptions: &'a [Assumption],
    candidates: Vec<CandidateWire<'a>>,
    rejections: Vec<RejectionWire<'a>>,
    warnings: Vec<&'static str>,
    flips: Vec<FlipWire<'a>>,
    lacking: Vec<LackingWire<'a>>,
    quota: Option<QuotaWire<'a>>,
    front: Vec<FrontWire<'a>>,
    risks: Vec<RowRiskWire<'a>>,
    considered: usize,
    feasible: usize,
    plans: PlansWire,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct JobWire<'a> {
    model: &'a str,
    parameters: f64,
    length: JobLength,
    global_batch_samples: f64,
    folds: u32,
    rows_per_sample: u32,
    precision: Option<&'static str>,
    optimizer: &'a str,
    framework: &'a str,
    recipe: Option<&'a str>,
    compiler: Option<&'a str>,
    layout: Option<&'a str>,
}

#[derive(Serialize)]
struct LimitsWire {
    deadline_s: Option<f64>,
    deadline_assumed: bool,
    budget: Option<Money>,
    max_gpus: u32,
    purchases: Vec<&'static str>,
    objective: crate::advisor::Objective,
}

#[derive(Serialize)]
struct CandidateWire<'a> {
    rank: usize,
    block: &'static str,
    cluster: &'a str,
    place: String,
    gpu: &'a str,
    gpus: u32,
    nodes: u32,
    status: Option<&'static str>,
    plan: Plan,
    step_time_s: f64,
    steps: f64,
    total_time_s: Interval,
    calendar_time_s: Option<Interval>,
    gpu_hours: f64,
    cost: Option<CostWire>,
    price: Option<PriceWire<'a>>,
    break_even_price_per_node_hour: Option<Money>,
    memory_peak_bytes: f64,
    memory_usable_bytes: f64,
    network: NetworkWire<'a>,
    binding: &'static str,
    grade: &'static str,
    pareto: bool,
    tie: bool,
    beyond_assumed_deadline: bool,
}

#[derive(Serialize)]
struct NetworkWire<'a> {
    class: &'a str,
    maximum_bytes_per_s: f64,
    assured_bytes_per_s: f64,
    known: bool,
}

#[derive(Serialize)]
struct RejectionWire<'a> {
    reason: &'static str,
    count: usize,
    nearest: NearestWire<'a>,
}

#[derive(Serialize)]
struct NearestWire<'a> {
    cluster: &'a str,
    excess_share: Option<f64>,
    breaking: Option<&'static str>,
    possible_precisions: Option<Vec<&'static str>>,
    cures: Vec<CureWire<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum FlipWire<'a> {
    Price { cluster: &'a str, price_change_share: f64 },
    ShorterDeadline { below_s: f64, cluster: &'a str, time_s: f64, cost_ratio: f64 },
    LongerDeadline { at_s: f64, cluster: &'a str, cost_ratio: f64 },
    NetworkStated { cluster: &'a str, taken_bytes_per_s: f64, cost_ratio: f64 },
    WiderNetwork { cluster: &'a str, from_bytes_per_s: f64, to_bytes_per_s: f64, cost_ratio: f64 },
    LongerSequence { from_tokens: u32, to_tokens: u32, cluster: Option<&'a str>, cost_ratio: Option<f64> },
}

#[derive(Serialize)]
struct QuotaWire<'a> {
    as_of: Option<String>,
    expected_on: Option<String>,
    today: Option<&'a str>,
    increased: Option<CandidateWire<'a>>,
}

#[derive(Serialize)]
struct LackingWire<'a> {
    cluster: &'a str,
    cost_ratio: f64,
    time_ratio: f64,
    price_ratio: f64,
    gpu_hours_ratio: f64,
    network_doubled_ratio: f64,
    memory_doubled_ratio: f64,
    lacks: Option<Lack>,
}

#[derive(Serialize)]
struct FrontWire<'a> {
    cluster: &'a str,
    gpus: u32,
    total_time_p50_s: f64,
    cost_p50: f64,
    risk_share: Option<f64>,
    roles: Vec<Role>,
}

#[derive(Serialize)]
struct ProvenanceWire<'a> {
    version: &'static str,
    as_of: String,
    currency: Currency,
    catalog_hash: &'a str,
    profile_hash: &'a str,
}

/// The answer as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn json(view: &RecommendView<'_>) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&wire(view))?;
    text.push('\n');
    Ok(text)
}

fn wire<'a>(view: &RecommendView<'a>) -> Wire<'a> {
    let request = view.request;
    let job = &request.job;
    let answer = view.recommendation;
    let block = |name, list: &'a [Candidate]| {
        list.iter().enumerate().map(move |(i, c)| candidate(view, i + 1, name, c)).collect::<Vec<_>>()
    };
    let mut candidates = block("A", &answer.ranked);
    candidates.extend(block("B", &answer.unpriced));
    Wire {
        schema_version: SCHEMA_VERSION,
        job: JobWire {
            model: &job.workload.name,
            parameters: job.workload.parameters,
            length: job.length,
            global_batch_samples: job.global_batch,
            folds: job.folds,
            rows_per_sample: job.workload.rows_per_sample,
            precision: job.precision.map(crate::catalog::Precision::name),
            optimizer: &job.optimizer.id,
            framework: &job.stack,
            recipe: job.recipe.as_deref(),
            compiler: job.compiler.as_deref(),
            layout: job.layout.as_deref(),
        },
        limits: LimitsWire {
            deadline_s: answer.deadline.map(|(limit, _)| limit.get()),
            deadline_assumed: answer.deadline.is_some_and(|(_, assumed)| assumed),
            budget: request.budget,
            max_gpus: request.max_gpus,
            purchases: request
                .prices
                .requested_purchases()
                .into_iter()
                .chain(request.prices.purchases_added())
                .map(crate::catalog::Purchase::name)
                .collect(),
            objective: request.objective,
        },
        assumptions: &job.assumed,
        candidates,
        rejections: answer.rejections.iter().map(rejection).collect(),
        warnings: price_doubts::names(view.doubts),
        flips: answer.flips.iter().map(flip).collect(),
        lacking: answer.lacking.iter().map(lacking).collect(),
        quota: quota(view),
        front: front(&answer.front),
        risks: rows(&answer.ranked, &answer.risks),
        considered: answer.considered,
        feasible: answer.feasible,
        plans: answer.plans.into(),
        provenance: ProvenanceWire {
            version: env!("CARGO_PKG_VERSION"),
            as_of: request.prices.as_of.to_string(),
            currency: request.prices.currency,
            catalog_hash: &view.catalog.content_hash,
            profile_hash: &view.profiles.content_hash,
        },
    }
}

fn candidate<'a>(
    view: &RecommendView<'a>,
    rank: usize,
    block: &'static str,
    candidate: &'a Candidate,
) -> CandidateWire<'a> {
    let planned = &candidate.planned;
    let network = &candidate.cluster.network;
    let price = candidate.offer.as_ref().and_then(|o| o.price.as_ref()).map(|s| &s.price);
    CandidateWire {
        rank,
        block,
        cluster: &candidate.cluster.label,
        place: candidate.cluster.place.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string),
        gpu: &view.catalog.gpu(candidate.cluster.gpu).id,
        gpus: candidate.cluster.gpus(),
        nodes: candidate.cluster.nodes,
        status: candidate.offer.as_ref().map(|o| o.status.name()),
        plan: planned.plan,
        step_time_s: planned.step.total().get(),
        steps: candidate.time.steps,
        total_time_s: candidate.time.total,
        calendar_time_s: candidate.calendar,
        gpu_hours: candidate.gpu_hours,
        cost: candidate.cost.as_ref().and_then(|c| c.comparable()).map(CostWire::of),
        price: price.map(PriceWire::of),
        break_even_price_per_node_hour: candidate.break_even.map(|m| m.rounded(4)),
        memory_peak_bytes: planned.memory.peak().get(),
        memory_usable_bytes: planned.memory.usable.get(),
        network: NetworkWire {
            class: &network.class,
            maximum_bytes_per_s: network.maximum.get(),
            assured_bytes_per_s: network.assured.get(),
            known: network.known,
        },
        binding: planned.step.binding().name(),
        grade: candidate.grade.letter(),
        pareto: candidate.pareto,
        tie: candidate.tie,
        beyond_assumed_deadline: candidate.beyond_horizon,
    }
}

fn quota<'a>(view: &RecommendView<'a>) -> Option<QuotaWire<'a>> {
    let quota = &view.request.quota.as_ref()?.quota;
    let answer = view.recommendation;
    Some(QuotaWire {
        as_of: quota.as_of().map(|day| day.to_string()),
        expected_on: quota.expected_on().map(|day| day.to_string()),
        today: answer.ranked.first().map(|c| c.cluster.label.as_str()),
        increased: answer.increased.as_deref().map(|c| candidate(view, 1, "A", c)),
    })
}

fn lacking(s: &Shortfall) -> LackingWire<'_> {
    LackingWire {
        cluster: &s.cluster,
        cost_ratio: s.cost,
        time_ratio: s.time,
        price_ratio: s.price,
        gpu_hours_ratio: s.gpu_hours,
        network_doubled_ratio: s.network,
        memory_doubled_ratio: s.memory,
        lacks: s.lacks,
    }
}

fn front(front: &Front) -> Vec<FrontWire<'_>> {
    let members = front.members.iter().enumerate();
    members
        .map(|(at, c)| FrontWire {
            cluster: &c.cluster.label,
            gpus: c.cluster.gpus(),
            total_time_p50_s: c.time.total.p50,
            cost_p50: interval_cost(c).map_or(f64::NAN, |cost| cost.p50),
            risk_share: Some(c.exposure).filter(|risk| risk.is_finite()),
            roles: front.roles.iter().filter(|(_, member)| *member == at).map(|(role, _)| *role).collect(),
        })
        .collect()
}

fn rejection(group: &Rejections) -> RejectionWire<'_> {
    let reason = &group.nearest.reason;
    let miss = reason.miss();
    let breaking = match reason {
        RejectionReason::Memory { item, .. } => Some(item.name()),
        _ => None,
    };
    let possible_precisions = match reason {
        RejectionReason::Precision { possible, .. } => Some(possible.iter().map(|p| p.name()).collect()),
        _ => None,
    };
    RejectionWire {
        reason: group.reason,
        count: group.count,
        nearest: NearestWire {
            cluster: &group.nearest.cluster,
            excess_share: miss.is_finite().then_some(miss),
            breaking,
            possible_precisions,
            cures: cures(&group.cures),
        },
    }
}

fn flip(flip: &Flip) -> FlipWire<'_> {
    match flip {
        Flip::Price { cluster, change } => FlipWire::Price { cluster, price_change_share: *change },
        Flip::ShorterDeadline { below, cluster, time, cost_ratio } => FlipWire::ShorterDeadline {
            below_s: below.get(),
            cluster,
            time_s: time.get(),
            cost_ratio: *cost_ratio,
        },
        Flip::LongerDeadline { at, cluster, cost_ratio } => {
            FlipWire::LongerDeadline { at_s: at.get(), cluster, cost_ratio: *cost_ratio }
        }
        Flip::NetworkStated { cluster, taken, cost_ratio } => {
            FlipWire::NetworkStated { cluster, taken_bytes_per_s: taken.get(), cost_ratio: *cost_ratio }
        }
        Flip::WiderNetwork { cluster, from, to, cost_ratio } => FlipWire::WiderNetwork {
            cluster,
            from_bytes_per_s: from.get(),
            to_bytes_per_s: to.get(),
            cost_ratio: *cost_ratio,
        },
        Flip::LongerSequence { from, to, cluster, cost_ratio } => FlipWire::LongerSequence {
            from_tokens: *from,
            to_tokens: *to,
            cluster: cluster.as_deref(),
            cost_ratio: *cost_ratio,
        },
    }
}
