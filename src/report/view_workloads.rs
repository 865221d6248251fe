//! Several workloads on the same clusters: the speed-up of a move by workload.

use super::names;
use super::phrases::{column, migration as say, section, simulation};
use super::sentences;
use super::view_compare::{CompareView, Ratio, ratios};
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::migration::cost_ratio;
use crate::advisor::{Estimate, Simulation};
use crate::units::text;

/// One workload on one cluster after the first.
pub(super) struct Move<'a> {
    /// The model.
    pub model: &'a str,
    /// The cluster.
    pub other: &'a Simulation,
    /// Both runs and how they relate; `None` where one of them does not run.
    pub found: Option<(&'a Estimate, &'a Estimate, Ratio)>,
    /// Cost over that of the first at the prices taken.
    pub cost: Option<f64>,
}

/// All moves, workload by workload.
pub(super) fn moves<'a>(views: &[CompareView<'a>]) -> Vec<Move<'a>> {
    let mut found = Vec::new();
    for view in views {
        let Some(first) = view.simulations.first() else { continue };
        let all = view.simulations.iter().zip(ratios(view.simulations)).skip(1);
        found.extend(all.map(|(other, ratio)| Move {
            model: &view.job.workload.name,
            other,
            found: first.estimate().zip(other.estimate()).zip(ratio).map(|((a, b), r)| (a, b, r)),
            cost: cost_ratio(first, other),
        }));
    }
    found
}

/// The speed-ups as a document.
pub fn document(views: &[CompareView<'_>]) -> Document {
    let Some(view) = views.first() else { return Document::default() };
    let lang = view.language;
    let from = view.simulations.first().map_or("", |s| s.cluster.label.as_str());
    let moves = moves(views);
    let mut blocks = vec![Block::heading(1, section::COMPARISON.text(lang))];
    let answers: Vec<(String, String)> = view
        .simulations
        .iter()
        .skip(1)
        .filter_map(|other| {
            let label = other.cluster.label.as_str();
            Some((section::ANSWER.owned(lang), answer(&moves, (from, label), lang)?))
        })
        .collect();
    if !answers.is_empty() {
        blocks.push(Block::fields(answers));
    }
    blocks.push(Block::list(view.simulations.iter().map(|s| sentences::cluster(s, lang))));
    blocks.push(table(&moves, from, lang).into());
    let blocked = blocked(&moves, lang);
    if !blocked.is_empty() {
        blocks.push(Block::heading(3, section::BLOCKERS.text(lang)));
        blocks.push(Block::list(blocked));
    }
    blocks.push(Block::heading(3, section::JOB.text(lang)));
    blocks.push(Block::list(views.iter().map(|v| sentences::job(v.job, v.stack, None, lang))));
    Document::new(blocks)
}

/// From the least to the largest speed-up of a cluster.
fn answer(moves: &[Move<'_>], (from, to): (&str, &str), lang: Language) -> Option<String> {
    let of = moves.iter().filter(|m| m.other.cluster.label == to);
    let mut known: Vec<(&str, Ratio)> = of.filter_map(|m| Some((m.model, m.found?.2))).collect();
    known.sort_by(|a, b| a.1.speed_up.p50.total_cmp(&b.1.speed_up.p50));
    let ((slow, least), (fast, most)) = (*known.first()?, *known.last()?);
    let pays = |value: fn(f64, f64) -> f64, from: f64| {
        let price = known.iter().map(|(_, r)| r.break_even_price).fold(from, value);
        text::significant(price, 3)
    };
    let (low, high) = (text::significant(least.speed_up.p50, 3), text::significant(most.speed_up.p50, 3));
    let (all, none) = (pays(f64::min, f64::INFINITY), pays(f64::max, 0.0));
    Some(say::BETWEEN.fill(lang, &[to, &low, slow, &high, fast, from, &all, &none]))
}

fn table(moves: &[Move<'_>], from: &str, lang: Language) -> Table {
    let columns = vec![
        Column::left(say::WORKLOAD.text(lang), "workload"),
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::right(column::SPEED_UP.text(lang), "speed_up"),
        Column::right(column::INTERVAL.text(lang), "speed_up_p10_p90"),
        Column::left(say::BINDS_BEFORE.text(lang), "binding_before"),
        Column::left(say::BINDS_AFTER.text(lang), "binding_after"),
        Column::right(say::PAYS_BELOW.text(lang), "break_even_price_ratio"),
        Column::right(say::COST_CHANGE.text(lang), "cost_ratio"),
        Column::left(column::GRADE.text(lang), "grade"),
    ];
    let number = |value: f64| Cell::number(text::significant(value, 3), value);
    let rows = moves.iter().map(|m| {
        let names_ = [Cell::text(m.model), Cell::text(&m.other.cluster.label)];
        let Some((before, after, ratio)) = m.found else { return Row::new(names_) };
        let (low, high) =
            (text::significant(ratio.speed_up.p10, 3), text::significant(ratio.speed_up.p90, 3));
        let bound = |e: &Estimate| {
            let bound = e.planned.step.binding();
            Cell::id(names::bound(bound).text(lang), bound.name())
        };
        let [model, cluster] = names_;
        Row::new([
            model,
            cluster,
            number(ratio.speed_up.p50),
            Cell::text(format!("{low} - {high}")),
            bound(before),
            bound(after),
            number(ratio.break_even_price),
            m.cost.map_or_else(Cell::absent, |c| Cell::number(text::percent(c), c)),
            Cell::text(before.grade.max(after.grade).letter()),
        ])
    });
    let notes = vec![say::PAYS_NOTE.owned(lang), simulation::RATIO_INTERVAL_NOTE.owned(lang)];
    Table::new(columns, rows).titled(say::WORKLOADS.fill(lang, &[from])).noted(notes)
}

/// Workloads that do not run on a cluster after the first, with the reason.
fn blocked(moves: &[Move<'_>], lang: Language) -> Vec<String> {
    let lines = moves.iter().filter_map(|m| {
        let reason = &m.other.outcome.as_ref().err()?.reason;
        let (reason, hint) = sentences::rejection(reason, lang);
        let hint = hint.map(|h| format!(" ({h})")).unwrap_or_default();
        Some(format!("{}, {}: {reason}{hint}", m.model, m.other.cluster.label))
    });
    lines.collect()
}
