//! The picture of a recommendation: cost against time with the Pareto front, and scaling curves.

use std::collections::{BTreeMap, BTreeSet};

use super::RecommendView;
use super::cells::cluster;
use crate::advisor::rank::interval_cost;
use crate::advisor::{Candidate, Role};
use crate::report::phrases::plot as words;
use crate::report::plot::{
    CostTimePlot, CostTimePoint, Interval, PlotModel, ScalingPlot, ScalingPoint, ScalingSeries, SweepCurve,
    SweepPlot,
};
use crate::simulator::Interval as Estimate;
use crate::units::Money;

/// Candidates of each GPU group beyond the Pareto front that get a point in the plot.
const POINTS_OF_GROUP: usize = 6;

fn interval(estimate: Estimate) -> Interval {
    Interval::new(estimate.p10, estimate.p50, estimate.p90)
}

/// The plots of a recommendation: cost against time, scaling with its efficiency, and the cost of the job over GPUs where there is
/// a price.
pub fn plot(view: &RecommendView<'_>) -> PlotModel {
    let (upper, middle) = (cost_time(view), scaling(view));
    match cost_over_gpus(view) {
        Some(lower) => PlotModel::Several(vec![PlotModel::Both(upper, middle), PlotModel::Sweep(lower)]),
        None => PlotModel::Both(upper, middle),
    }
}

/// What the job costs on more and more GPUs of each curve; `None` without a price.
fn cost_over_gpus(view: &RecommendView<'_>) -> Option<SweepPlot> {
    let lang = view.language;
    let curves: Vec<SweepCurve> = view
        .recommendation
        .scaling
        .iter()
        .map(|curve| SweepCurve {
            name: format!("{} ({})", curve.name, view.catalog.gpu(curve.gpu).id),
            points: curve
                .points
                .iter()
                .filter_map(|p| Some((f64::from(p.gpus), interval(p.cost?))))
                .collect(),
        })
        .filter(|curve| !curve.points.is_empty())
        .collect();
    let currency = view.request.prices.currency.to_string();
    (!curves.is_empty()).then(|| SweepPlot {
        title: format!("{}: {}", words::COST_OF_JOB.text(lang), view.request.job.workload.name),
        x_label: words::GPUS.owned(lang),
        y_label: words::COST_IN.fill(lang, &[&currency]),
        is_time: false,
        curves,
        footer: footer(view),
    })
}

fn footer(view: &RecommendView<'_>) -> String {
    format!(
        "gpu-advisor {} · {} · catalog {} · profiles {}",
        env!("CARGO_PKG_VERSION"),
        view.request.prices.as_of,
        view.catalog.content_hash,
        view.profiles.content_hash
    )
}

/// The group a GPU is drawn with: its alias, or its own id.
fn group_name(view: &RecommendView<'_>, candidate: &Candidate) -> String {
    let gpu = view.catalog.gpu(candidate.cluster.gpu);
    gpu.group.clone().unwrap_or_else(|| gpu.id.clone())
}

/// The Pareto front, the knee and the first of each GPU group; offers of one cluster in several regions count once.
fn chosen<'a>(view: &RecommendView<'a>) -> Vec<(String, &'a Candidate)> {
    let mut chosen: Vec<(String, &Candidate)> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut beyond: BTreeMap<String, usize> = BTreeMap::new();
    let answer = view.recommendation;
    let first = answer.priced.iter().filter(|c| c.pareto).chain(answer.front.best(Role::Knee));
    let ranked = answer.ranked.iter().filter(|c| !c.beyond_horizon);
    for (marked, candidate) in first.map(|c| (true, c)).chain(ranked.map(|c| (false, c))) {
        let label = cluster(view, candidate);
        if seen.contains(&label) {
            continue;
        }
        if !marked && !candidate.pareto {
            let count = beyond.entry(group_name(view, candidate)).or_default();
            *count += 1;
            if *count > POINTS_OF_GROUP {
                continue;
            }
        }
        seen.insert(label.clone());
        chosen.push((label, candidate));
    }
    chosen
}

/// Times of one instance type that differ by less than this factor are points of one neighbourhood.
const NEIGHBOURHOOD: f64 = 1.5;

/// Two clusters of one instance type that take about as long.
fn is_beside(a: &Candidate, b: &Candidate) -> bool {
    let ratio = a.paid.p50 / b.paid.p50;
    a.cluster.instance == b.cluster.instance && ratio.max(ratio.recip()) < NEIGHBOURHOOD
}

fn cost_time(view: &RecommendView<'_>) -> CostTimePlot {
    let winner = view.recommendation.ranked.first().map(|w| cluster(view, w));
    let knee = view.recommendation.front.best(Role::Knee).map(|k| cluster(view, k));
    let chosen = chosen(view);
    let mut groups: Vec<String> = chosen.iter().map(|(_, c)| group_name(view, c)).collect();
    groups.sort();
    groups.dedup();
    let marked = |label: &String| winner.as_ref() == Some(label) || knee.as_ref() == Some(label);
    let mut named: Vec<&Candidate> = chosen.iter().filter(|(l, _)| marked(l)).map(|(_, c)| *c).collect();
    let points = chosen
        .iter()
        .filter_map(|(label, c)| {
            // One more node of what is named beside it needs no name.
            let beside = named.iter().any(|n| is_beside(n, c)) && !marked(label);
            if !beside {
                named.push(c);
            }
            Some(CostTimePoint {
                label: if beside { String::new() } else { label.clone() },
                group: groups.binary_search(&group_name(view, c)).ok()?,
                time_s: interval(c.paid),
                cost: interval(interval_cost(c)?),
                pareto: c.pareto,
                winner: winner.as_ref() == Some(label),
                knee: knee.as_ref() == Some(label),
            })
        })
        .collect();
    let prices = &view.request.prices;
    CostTimePlot {
        title: format!(
            "{}: {}",
            words::COST_AGAINST_TIME.text(view.language),
            view.request.job.workload.name
        ),
        currency: prices.currency.to_string(),
        points,
        groups,
        deadline_s: view.recommendation.deadline.map(|(limit, _)| limit.get()),
        budget: view
            .request
            .budget
            .and_then(|b| prices.fx.convert(b, prices.currency).ok())
            .map(Money::as_f64),
        ringed: None,
        footer: footer(view),
    }
}

fn scaling(view: &RecommendView<'_>) -> ScalingPlot {
    let rows = f64::from(view.request.job.workload.rows_per_sample);
    let series = view
        .recommendation
        .scaling
        .iter()
        .map(|curve| ScalingSeries {
            name: format!("{} ({})", curve.name, view.catalog.gpu(curve.gpu).id),
            points: curve
                .points
                .iter()
                .map(|p| {
                    let [low, median, high] = p.samples_per_s.map(|v| v * rows);
                    // Doublings of the first tell how it scales; the sizes between them have no room for more.
                    let first = curve.points.first().map_or(1, |first| first.gpus.max(1));
                    let doubled = p.gpus.is_multiple_of(first) && (p.gpus / first).is_power_of_two();
                    ScalingPoint {
                        gpus: p.gpus,
                        value: Interval::new(low, median, high),
                        efficiency: doubled.then_some(p.efficiency),
                    }
                })
                .collect(),
        })
        .collect();
    let tokens = view.request.job.workload.attention.is_some();
    let y_label = if tokens { words::THROUGHPUT } else { words::THROUGHPUT_SAMPLES };
    ScalingPlot {
        title: format!("{}: {}", words::SCALING.text(view.language), view.request.job.workload.name),
        y_label: y_label.owned(view.language),
        series,
        ideal: true,
        footer: footer(view),
    }
}
