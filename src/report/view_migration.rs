//! What a move from the first cluster to another changes: the answer in a sentence, where the time goes, gains and losses.

use super::names;
use super::phrases::{column, migration as say, section, simulation};
use super::recommend::cells::{plan, time};
use super::view_compare::{CompareView, has_unknown_host, is_same, ratios};
use super::{Block, Cell, Column, Language, Phrase, Row, Table};
use crate::advisor::migration::{Part, changes, cost_ratio, parts};
use crate::advisor::{Estimate, Simulation};
use crate::catalog::{CapabilityKind, GpuSpec};
use crate::simulator::TermKind;
use crate::units::{Seconds, text};

/// Parts named in a sentence, at most.
const MOST_NAMED: usize = 4;
/// A part that saves or adds less than this share of the step is not named in a sentence.
const LEAST_NAMED: f64 = 0.02;
/// The speed-up of a step is told where it differs from that of the job by more than this.
const DILUTED: f64 = 0.05;
/// Costs that differ by less than this share are told as the same.
const SAME_COST: f64 = 0.005;
/// Clusters whose parts are shown one by one, at most.
const MOST_TABLES: usize = 3;

/// Both runs of a move, when both run: the first cluster's and another's.
fn moves<'v>(
    view: &CompareView<'v>,
) -> impl Iterator<Item = (&'v Simulation, &'v Estimate, &'v Simulation, &'v Estimate)> {
    let first = view.simulations.first();
    view.simulations.iter().skip(1).filter_map(move |other| {
        let first = first?;
        Some((first, first.estimate()?, other, other.estimate()?))
    })
}

/// The answer and its reasons, as labelled text.
pub(super) fn answer(view: &CompareView<'_>) -> Option<Block> {
    let lang = view.language;
    let mut pairs = Vec::new();
    for ((first, before, other, after), ratio) in moves(view).zip(known(view)) {
        let number = |value: f64| text::significant(value, 3);
        let speed = ratio.speed_up;
        let (low, high) = (number(speed.p10), number(speed.p90));
        let (from, to) = (first.cluster.label.as_str(), other.cluster.label.as_str());
        let times = [to, &number(speed.p50), from, &low, &high, &number(ratio.break_even_price)];
        let price = match cost_ratio(first, other) {
            Some(ratio) if (ratio - 1.0).abs() < SAME_COST => say::COSTS_THE_SAME.owned(lang),
            Some(ratio) if ratio <= 1.0 => say::SAVES.fill(lang, &[&text::percent(1.0 - ratio)]),
            Some(ratio) => say::COSTS_MORE.fill(lang, &[&text::percent(ratio - 1.0)]),
            None => say::WITHOUT_PRICES.owned(lang),
        };
        let compared = if is_same(first, other) {
            say::SAME_MACHINES.fill(lang, &[to, from])
        } else {
            say::FASTER.fill(lang, &times)
        };
        let answer = say::THEN.fill(lang, &[&compared, &price]);
        pairs.push((section::ANSWER.text(lang).to_owned(), answer));
        let mut reason = why(&parts(before, after), (from, to), lang);
        let step = before.planned.step.total() / after.planned.step.total();
        if (step / speed.p50 - 1.0).abs() > DILUTED {
            reason = say::THEN.fill(lang, &[&reason, &say::STEP_ALONE.fill(lang, &[&number(step)])]);
        }
        pairs.push((section::WHY.text(lang).to_owned(), reason));
        if after.planned.step.time(TermKind::Input) > Seconds::ZERO {
            pairs.push((section::WARNINGS.text(lang).to_owned(), say::INPUT_DECIDES.fill(lang, &[to])));
        }
        let hosts = hosts_unknown(view, [(first, before), (other, after)]);
        pairs.extend(hosts.into_iter().map(|text| (section::WARNINGS.text(lang).to_owned(), text)));
    }
    (!pairs.is_empty()).then(|| Block::fields(pairs))
}

/// What a ratio supposes of hosts that prepare samples and of which nobody states the virtual CPUs, for each of a pair.
fn hosts_unknown(view: &CompareView<'_>, pair: [(&Simulation, &Estimate); 2]) -> Vec<String> {
    let lang = view.language;
    let said = |(s, e): &(&Simulation, &Estimate)| {
        let need = e.input_need.as_ref().and_then(|need| need.vcpus)?;
        let vcpus = text::significant(need.ceil(), 3);
        has_unknown_host(view.job, s).then(|| say::HOST_UNKNOWN.fill(lang, &[&s.cluster.label, &vcpus]))
    };
    pair.iter().filter_map(said).collect()
}

/// Ratios of the clusters after the first that run, in order.
fn known(view: &CompareView<'_>) -> Vec<super::view_compare::Ratio> {
    ratios(view.simulations).into_iter().skip(1).flatten().collect()
}

/// Which parts save most, and which take longer.
fn why(parts: &[Part], (from, to): (&str, &str), lang: Language) -> String {
    let named = |p: &&Part| p.saved_share.abs() >= LEAST_NAMED;
    let part = |p: &Part| {
        let (name, share) = (names::term(p.kind).text(lang), text::percent(p.saved_share.abs()));
        let bound = names::bound(p.bound).text(lang);
        match p.speed_up() {
            Some(times) if p.saved_share > 0.0 => {
                say::SAVED_PART.fill(lang, &[name, &share, &text::significant(times, 3), bound])
            }
            _ => say::PART.fill(lang, &[name, &share, bound]),
        }
    };
    let list = |found: Vec<&Part>| found.into_iter().map(part).collect::<Vec<_>>().join(", ");
    let saved: Vec<&Part> =
        parts.iter().filter(|p| p.saved_share > 0.0).filter(named).take(MOST_NAMED).collect();
    let lost: Vec<&Part> =
        parts.iter().rev().filter(|p| p.saved_share < 0.0).filter(named).take(MOST_NAMED).collect();
    if saved.is_empty() && lost.is_empty() {
        return say::NOTHING_CHANGES.fill(lang, &[&text::percent(LEAST_NAMED)]);
    }
    if saved.is_empty() {
        return say::ADDED_ALONE.fill(lang, &[from, to, &list(lost)]);
    }
    let mut text = say::SAVED.fill(lang, &[from, to, &list(saved)]);
    if !lost.is_empty() {
        text = format!("{text}, {}", say::LOST.fill(lang, &[&list(lost)]));
    }
    text
}

/// Where the time goes on both clusters, part by part.
pub(super) fn tables(view: &CompareView<'_>) -> Vec<Block> {
    let lang = view.language;
    let shown = moves(view).take(MOST_TABLES);
    shown.map(|(first, before, other, after)| table((first, before), (other, after), lang).into()).collect()
}

fn table(
    (first, before): (&Simulation, &Estimate),
    (other, after): (&Simulation, &Estimate),
    lang: Language,
) -> Table {
    let (from, to) = (first.cluster.label.as_str(), other.cluster.label.as_str());
    let columns = vec![
        Column::left(column::TERM.text(lang), "term"),
        Column::left(simulation::BOUND_BY.text(lang), "bound_by"),
        Column::right(say::BEFORE.text(lang), "first_time_s"),
        Column::right(column::SHARE.text(lang), "first_share"),
        Column::right(say::AFTER.text(lang), "other_time_s"),
        Column::right(column::SHARE.text(lang), "other_share"),
        Column::right(say::TIMES_AS_FAST.text(lang), "speed_up"),
        Column::right(say::SAVES_OF_STEP.text(lang), "saved_share"),
    ];
    let share = |value: f64| Cell::number(text::percent(value), value);
    let parts = parts(before, after);
    let rows = parts.iter().map(|p| {
        let speed = p.speed_up();
        Row::new([
            Cell::id(names::term(p.kind).text(lang), p.kind.name()),
            Cell::id(names::bound(p.bound).text(lang), p.bound.name()),
            Cell::number(time(p.first.get(), before.grade), p.first.get()),
            share(p.first_share),
            Cell::number(time(p.other.get(), after.grade), p.other.get()),
            share(p.other_share),
            speed.map_or_else(Cell::absent, |s| Cell::number(text::significant(s, 3), s)),
            share(p.saved_share),
        ])
    });
    Table::new(columns, rows).titled(say::WHERE_TIME_GOES.fill(lang, &[from, to]))
}

/// What the GPU of each other cluster brings and lacks against the first.
pub(super) fn gains(view: &CompareView<'_>) -> Vec<String> {
    let lang = view.language;
    let Some(first) = view.simulations.first() else { return Vec::new() };
    let mut lines = Vec::new();
    for other in view.simulations.iter().skip(1).filter(|s| s.cluster.gpu != first.cluster.gpu) {
        let (old, new) = (view.catalog.gpu(first.cluster.gpu), view.catalog.gpu(other.cluster.gpu));
        let to = other.cluster.label.as_str();
        // What the hardware could do counts only where the plan does it: software may have no such kernel.
        let uses = |s: &Simulation| s.estimate().is_some_and(|e| e.planned.plan.flash_attention);
        for change in changes(view.job, old, new) {
            let flash =
                matches!(change.kind, CapabilityKind::FlashAttention2 | CapabilityKind::FlashAttention3);
            let line = match (flash, change.gained) {
                (true, true) if !uses(other) => say::FLASH_UNUSED.fill(lang, &[to]),
                (true, false) if !uses(first) => continue,
                _ => phrase(change.kind, change.gained).fill(lang, &[to]),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines.push(memory((old, new), (first.cluster.label.as_str(), to), lang));
        if let (Some(before), Some(after)) = (first.estimate(), other.estimate()) {
            let plans = [before, after].map(|e| plan(&e.planned.plan));
            if plans[0] != plans[1] {
                lines.push(say::PLAN_CHANGES.fill(lang, &[&plans[0], &plans[1]]));
            }
        }
    }
    lines
}

fn memory((old, new): (&GpuSpec, &GpuSpec), (from, to): (&str, &str), lang: Language) -> String {
    let ratio = text::significant(new.memory_usable / old.memory_usable, 3);
    say::MEMORY_RATIO.fill(lang, &[to, &text::memory(new.memory_usable), &ratio, from])
}

const fn phrase(kind: CapabilityKind, gained: bool) -> Phrase {
    match (kind, gained) {
        (CapabilityKind::Bf16, true) => say::GAINS_BF16,
        (CapabilityKind::Bf16, false) => say::LACKS_BF16,
        (CapabilityKind::Tf32, true) => say::GAINS_TF32,
        (CapabilityKind::Tf32, false) => say::LACKS_TF32,
        (CapabilityKind::Fp8 | CapabilityKind::Mig, true) => say::GAINS_FP8,
        (CapabilityKind::Fp8 | CapabilityKind::Mig, false) => say::LACKS_FP8,
        (CapabilityKind::FlashAttention2, true) => say::GAINS_FLASH2,
        (CapabilityKind::FlashAttention2, false) => say::LACKS_FLASH2,
        (CapabilityKind::FlashAttention3, true) => say::GAINS_FLASH3,
        (CapabilityKind::FlashAttention3, false) => say::LACKS_FLASH3,
    }
}
