//! Clusters side by side: time, money, speed-up over the first, break-even price ratio, blockers.

use super::names;
use super::phrases::{column, migration, section, simulation as say, verdict};
use super::recommend::cells::{money, plan, time};
use super::sentences;
use super::view_migration;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::ratio::{break_even_price_ratio, speed_up};
use crate::advisor::{Estimate, Simulation, Warning};
use crate::catalog::Catalog;
use crate::simulator::Interval;
use crate::units::text;
use crate::workload::{Assumption, Job};

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct CompareView<'a> {
    /// GPUs by their id.
    pub catalog: &'a Catalog,
    /// The job.
    pub job: &'a Job,
    /// Name of its software.
    pub stack: &'a str,
    /// One result per cluster, in the order asked.
    pub simulations: &'a [Simulation],
    /// Language of the text.
    pub language: Language,
}

/// How a cluster relates to the first one that runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// How many times faster, with its interval.
    pub speed_up: Interval,
    /// Ratio of node prices below which it is the cheaper.
    pub break_even_price: f64,
}

/// The ratio of each cluster to the first, `None` where one of the two does not run.
pub fn ratios(simulations: &[Simulation]) -> Vec<Option<Ratio>> {
    let first = simulations.first();
    let ratio = |(i, other): (usize, &Simulation)| {
        let first = first?;
        // A cluster is exactly as fast as itself, wherever it stands.
        let speed_up = if i == 0 || is_same(first, other) {
            Interval::log_normal(1.0, 0.0)
        } else {
            speed_up(first.estimate()?, other.estimate()?)
        };
        Some(Ratio { speed_up, break_even_price: break_even_price_ratio(first, other)? })
    };
    simulations.iter().enumerate().map(ratio).collect()
}

/// The same machines, which take the same time.
pub(super) fn is_same(first: &Simulation, other: &Simulation) -> bool {
    let time = |s: &Simulation| s.estimate().map(|e| e.paid.p50);
    first.cluster.has_machines_of(&other.cluster) && time(first) == time(other)
}

/// The comparison as a document.
pub fn document(view: &CompareView<'_>) -> Document {
    let lang = view.language;
    let mut blocks = vec![
        Block::heading(1, section::COMPARISON.text(lang)),
        Block::fields([(section::JOB.text(lang), job(view))]),
    ];
    blocks.extend(view_migration::answer(view));
    blocks.extend([
        Block::list(view.simulations.iter().map(|s| sentences::cluster(s, lang))),
        times(view).into(),
        relations(view).into(),
    ]);
    blocks.extend(view_migration::tables(view));
    let gains = view_migration::gains(view);
    if !gains.is_empty() {
        blocks.push(Block::heading(3, migration::GAINS.text(lang)));
        blocks.push(Block::list(gains));
    }
    let blockers = blockers(view);
    if !blockers.is_empty() {
        blocks.push(Block::heading(3, section::BLOCKERS.text(lang)));
        blocks.push(Block::list(blockers));
    }
    let warnings = warnings(view);
    if !warnings.is_empty() {
        blocks.push(Block::heading(3, section::WARNINGS.text(lang)));
        blocks.push(Block::list(warnings));
    }
    let assumed = assumptions(view);
    if !assumed.is_empty() {
        blocks.push(Block::heading(3, section::ASSUMPTIONS.text(lang)));
        blocks.push(Block::list(assumed));
    }
    Document::new(blocks)
}

fn times(view: &CompareView<'_>) -> Table {
    let lang = view.language;
    // Comparable costs are all in the currency asked for.
    let priced = view.simulations.iter().filter_map(|s| s.estimate()?.cost.as_ref()?.comparable());
    let currency = priced.map(|c| format!("_{}", c.p50.currency).to_lowercase()).next().unwrap_or_default();
    let columns = vec![
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::left(column::PLAN.text(lang), "plan"),
        Column::left(column::PRECISION.text(lang), "precision"),
        Column::right(column::STEP_TIME.text(lang), "step_time_s"),
        Column::right(column::TIME_P50.text(lang), "total_time_p50_s"),
        Column::right(column::TIME_P90.text(lang), "total_time_p90_s"),
        Column::right(column::GPU_HOURS.text(lang), "gpu_hours"),
        Column::right(column::COST_P50.text(lang), format!("cost_p50{currency}")),
        Column::right(column::COST_P90.text(lang), format!("cost_p90{currency}")),
    ];
    let rows = view.simulations.iter().map(|s| {
        let name = Cell::text(&s.cluster.label);
        let Some(e) = s.estimate() else { return Row::new([name, blocked(s, lang)]) };
        let (p50, p90) = costs(e, lang);
        let seconds = |value: f64| Cell::number(time(value, e.grade), value);
        Row::new([
            name,
            Cell::text(plan(&e.planned.plan)),
            Cell::text(e.planned.plan.precision.name()),
            seconds(e.time.step.get()),
            seconds(e.paid.p50),
            seconds(e.paid.p90),
            Cell::number(text::significant(e.gpu_hours, 3), e.gpu_hours),
            p50,
            p90,
        ])
    });
    Table::new(columns, rows).titled(section::RATIOS.text(lang))
}

/// The job, with every precision and batch that a cluster takes.
fn job(view: &CompareView<'_>) -> String {
    let (mut precisions, mut batches) = (Vec::new(), Vec::new());
    for plan in view.simulations.iter().filter_map(|s| Some(&s.estimate()?.planned.plan)) {
        let batch = plan.global_batch() as f64;
        if !precisions.contains(&plan.precision) {
            precisions.push(plan.precision);
        }
        if !batches.contains(&batch) {
            batches.push(batch);
        }
    }
    if batches.is_empty() {
        return sentences::job(view.job, view.stack, None, view.language);
    }
    sentences::job_under(view.job, view.stack, (&precisions, &batches), view.language)
}

/// What a row says in place of numbers.
fn blocked(simulation: &Simulation, lang: Language) -> Cell {
    match &simulation.outcome {
        Err(blocked) => Cell::id(sentences::rejection(&blocked.reason, lang).0, blocked.reason.name()),
        Ok(_) => Cell::absent(),
    }
}

fn costs(estimate: &Estimate, lang: Language) -> (Cell, Cell) {
    let Some(cost) = estimate.cost.as_ref().and_then(|c| c.comparable()) else {
        let none = || Cell::absent_as(verdict::NO_PRICE.text(lang));
        return (none(), none());
    };
    let cell = |m: crate::units::Money| {
        Cell::exact(money(m.as_f64(), m.currency, estimate.grade), m.rounded(2).amount.to_string())
    };
    (cell(cost.p50), cell(cost.p90))
}

fn relations(view: &CompareView<'_>) -> Table {
    let lang = view.language;
    let columns = vec![
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::right(column::SPEED_UP.text(lang), "speed_up"),
        Column::right(column::INTERVAL.text(lang), "speed_up_p10_p90"),
        Column::right(section::BREAK_EVEN_PRICE_RATIO.text(lang), "break_even_price_ratio"),
        Column::left(column::BINDS.text(lang), "binding"),
        Column::right(column::MODEL_FLOP_UTILIZATION.text(lang), "model_flop_utilization"),
        Column::right(column::MEMORY_PEAK.text(lang), "memory_peak_bytes"),
        Column::left(column::VERDICT.text(lang), "memory_verdict"),
        Column::left(column::GRADE.text(lang), "grade"),
    ];
    let rows = view.simulations.iter().zip(ratios(view.simulations)).map(|(s, ratio)| {
        let name = Cell::text(&s.cluster.label);
        let Some(e) = s.estimate() else {
            return Row::new([name]);
        };
        let shown = |value: f64| text::significant(value, 3);
        // A ratio over a host that nobody describes is marked where it stands.
        let mark = if host_is_unknown(view, [view.simulations.first(), Some(s)]) { "?" } else { "" };
        let marked = |value: Option<f64>| {
            value.map_or_else(Cell::absent, |v| Cell::number(format!("{}{mark}", shown(v)), v))
        };
        let interval = ratio.filter(|r| r.speed_up.p10 < r.speed_up.p90);
        let interval = interval.map_or_else(Cell::absent, |r| {
            let (low, high) = (shown(r.speed_up.p10), shown(r.speed_up.p90));
            Cell::text(format!("{low} - {high}"))
        });
        let memory = &e.planned.memory;
        let binding = e.planned.step.binding();
        let utilization = e.utilization.model_flop_utilization;
        Row::new([
            name,
            marked(ratio.map(|r| r.speed_up.p50)),
            interval,
            marked(ratio.map(|r| r.break_even_price)),
            Cell::id(names::bound(binding).text(lang), binding.name()),
            utilization.map_or_else(Cell::absent, |u| Cell::number(text::percent(u), u)),
            Cell::number(text::memory(memory.peak()), memory.peak().get()),
            Cell::id(names::verdict(memory.verdict()).text(lang), names::verdict(memory.verdict()).en),
            Cell::text(e.grade.letter()),
        ])
    });
    let first = view.simulations.first().map_or("", |s| s.cluster.label.as_str());
    let worth = view.simulations.iter().zip(ratios(view.simulations)).skip(1).filter_map(|(s, ratio)| {
        let ratio = text::significant(1.0 / ratio?.break_even_price, 3);
        Some(say::FIRST_PAYS.fill(lang, &[first, &ratio, &s.cluster.label]))
    });
    let mut notes: Vec<String> = worth.collect();
    if view.simulations.iter().any(|s| host_is_unknown(view, [view.simulations.first(), Some(s)])) {
        notes.push(say::HOST_MARK.owned(lang));
    }
    notes.push(say::PRICE_RATIO_NOTE.owned(lang));
    notes.push(say::RATIO_INTERVAL_NOTE.owned(lang));
    Table::new(columns, rows).titled(say::RELATIVE_TO.fill(lang, &[first])).noted(notes)
}

/// Whether a ratio of two runs is over a host that must prepare samples on nobody knows how many virtual CPUs; that of a cluster
/// to itself is one whatever its host.
fn host_is_unknown(view: &CompareView<'_>, pair: [Option<&Simulation>; 2]) -> bool {
    let [Some(first), Some(other)] = pair else { return false };
    let unknown = |s: &Simulation| has_unknown_host(view.job, s);
    !std::ptr::eq(first, other) && (unknown(first) || unknown(other))
}

/// Samples are prepared on a host of which nobody states the virtual CPUs.
pub(super) fn has_unknown_host(job: &Job, simulation: &Simulation) -> bool {
    job.preparation_per_sample.is_some()
        && simulation.warnings.iter().any(|w| matches!(w, Warning::InputUnknown(_)))
}

fn blockers(view: &CompareView<'_>) -> Vec<String> {
    let lang = view.language;
    let blocked = view.simulations.iter().filter_map(|s| Some((s, s.outcome.as_ref().err()?)));
    blocked
        .map(|(s, blocked)| {
            let (reason, hint) = sentences::rejection(&blocked.reason, lang);
            let hint = hint.map(|h| format!(" ({h})")).unwrap_or_default();
            format!("{}: {reason}{hint}", s.cluster.label)
        })
        .collect()
}

/// Warnings with the clusters that they hold for.
fn warnings(view: &CompareView<'_>) -> Vec<String> {
    let lang = view.language;
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for s in view.simulations {
        for warning in &s.warnings {
            let text = sentences::warning(warning, lang);
            match said.iter_mut().find(|(t, _)| *t == text) {
                Some((_, clusters)) => clusters.push(&s.cluster.label),
                None => said.push((text, vec![&s.cluster.label])),
            }
        }
    }
    said.into_iter().map(|(text, clusters)| format!("{}: {text}", clusters.join(", "))).collect()
}

fn assumptions(view: &CompareView<'_>) -> Vec<String> {
    let mut lines = sentences::assumptions(view.job.assumed.iter(), view.language);
    for s in view.simulations {
        let own: Vec<&Assumption> = s.assumed.iter().collect();
        let own = sentences::assumptions(own.into_iter(), view.language);
        lines.extend(own.into_iter().map(|line| format!("{}: {line}", s.cluster.label)));
    }
    lines
}
