//! One job on nodes of several kinds: each kind alone, all with an equal split, all split by speed.

use super::phrases::{column, mixed as say, section};
use super::recommend::cells::{amount, time};
use super::sentences;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::mixed::{Gain, Mixed, Split, gain};
use crate::advisor::{RejectionReason, Simulation};
use crate::profile::Grade;
use crate::units::text;
use crate::workload::Job;

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct MixedView<'a> {
    /// The job, in the common precision.
    pub job: &'a Job,
    /// Name of its software.
    pub stack: &'a str,
    /// Each kind by itself.
    pub alone: &'a [Simulation],
    /// Both splits.
    pub mixed: &'a Mixed,
    /// Cost of all nodes under the equal split and under the split by speed, P10, P50 and P90 in the currency of the costs
    /// alone.
    pub costs: [Option<[f64; 3]>; 2],
    /// Cost of each kind by itself for the same: the time of the training.
    pub alone_costs: &'a [Option<[f64; 3]>],
    /// Language of the text.
    pub language: Language,
}

/// A split, or why there is none, with its cost at P10, P50 and P90.
pub(super) type PricedSplit<'a> = (&'a Result<Split, RejectionReason>, Option<[f64; 3]>);

/// A change of time below this is none.
const NOTICED: f64 = 0.005;

impl MixedView<'_> {
    fn gain(&self) -> Option<Gain> {
        gain(self.mixed, self.alone)
    }

    /// The splits with their costs.
    pub(super) fn splits(&self) -> [PricedSplit<'_>; 2] {
        [(&self.mixed.equal, self.costs[0]), (&self.mixed.by_speed, self.costs[1])]
    }

    /// The currency of all costs.
    fn currency(&self) -> String {
        let cost = self.alone.iter().find_map(|s| s.estimate()?.cost.as_ref()?.comparable());
        cost.map_or_else(|| "-".to_owned(), |c| c.p50.currency.to_string())
    }
}

/// The answer as a document.
pub fn document(view: &MixedView<'_>) -> Document {
    let lang = view.language;
    let labels: Vec<&str> = view.alone.iter().map(|s| s.cluster.label.as_str()).collect();
    let mut blocks = vec![
        Block::heading(1, format!("{}: {}", say::MIXED.text(lang), labels.join(" + "))),
        Block::fields([
            (
                section::JOB.owned(lang),
                sentences::job(view.job, view.stack, Some(view.mixed.precision), lang),
            ),
            (section::ANSWER.owned(lang), answer(view)),
        ]),
        Block::list(view.alone.iter().map(|s| sentences::cluster(s, lang))),
        table(view).into(),
    ];
    let blocked = blocked(view);
    if !blocked.is_empty() {
        blocks.push(Block::list(blocked));
    }
    blocks.push(Block::heading(3, section::WARNINGS.text(lang)));
    blocks.push(Block::list(warnings(view)));
    let all = view.alone.iter().flat_map(|s| &s.assumed).filter(|a| a.name != "plan");
    let mut seen = std::collections::BTreeSet::new();
    let mut assumed = sentences::assumptions(view.job.assumed.iter().chain(all), view.language);
    assumed.retain(|line| seen.insert(line.clone()));
    if !assumed.is_empty() {
        blocks.push(Block::heading(3, section::ASSUMPTIONS.text(lang)));
        blocks.push(Block::list(assumed));
    }
    Document::new(blocks)
}

/// What to do, in one sentence.
fn answer(view: &MixedView<'_>) -> String {
    let lang = view.language;
    let Some(gain) = view.gain() else {
        let reason = view.mixed.by_speed.as_ref().err().map(|r| sentences::rejection(r, lang).0);
        return reason.unwrap_or_else(|| say::BY_SPEED.owned(lang));
    };
    let fastest = &view.alone[gain.fastest].cluster.label;
    let Some(share) = gain.by_speed else {
        return say::ALONE.fill(lang, &[fastest]);
    };
    let phrase = if share < 1.0 - NOTICED { say::HELPS } else { say::SLOWS_ALWAYS };
    phrase.fill(lang, &[&text::percent(share), fastest])
}

/// Why a kind does not run alone or a split is not possible.
fn blocked(view: &MixedView<'_>) -> Vec<String> {
    let lang = view.language;
    let line = |name: &str, reason: &RejectionReason| {
        say::NO_SPLIT.fill(lang, &[name, &sentences::rejection(reason, lang).0])
    };
    let alone = view.alone.iter().filter_map(|s| {
        let blocked = s.outcome.as_ref().err()?;
        Some(line(&say::ALONE.fill(lang, &[&s.cluster.label]), &blocked.reason))
    });
    let names = [say::EQUAL.text(lang), say::BY_SPEED.text(lang)];
    let splits = view.splits();
    let together = names
        .into_iter()
        .zip(splits)
        .filter_map(|(name, (split, _))| Some(line(name, split.as_ref().err()?)));
    alone.chain(together).collect()
}

fn warnings(view: &MixedView<'_>) -> Vec<String> {
    let lang = view.language;
    let network = &view.mixed.network;
    let rate = text::network_bandwidth(network.maximum);
    let mut list = Vec::new();
    if let Some(gain) = view.gain()
        && let Some(share) = gain.equal.filter(|s| *s > 1.0 + NOTICED)
    {
        let fastest = &view.alone[gain.fastest].cluster.label;
        list.push(say::SLOWS_EQUAL.fill(lang, &[&text::percent(share), fastest]));
    }
    list.push(say::WEIGHT.owned(lang));
    list.push(say::PRECISION.fill(lang, &[view.mixed.precision.name()]));
    list.push(say::NETWORK.fill(lang, &[&rate, &network.class]));
    list.push(say::ONE_PLACE.owned(lang));
    for warning in view.alone.iter().flat_map(|s| &s.warnings) {
        let text = sentences::warning(warning, lang);
        if !list.contains(&text) {
            list.push(text);
        }
    }
    list
}

/// A label without its region, which all nodes share.
fn short(label: &str) -> String {
    match (label.split_once('@'), label.rsplit_once(':')) {
        (Some((name, _)), Some((_, count))) => format!("{name}:{count}"),
        _ => label.to_owned(),
    }
}

fn table(view: &MixedView<'_>) -> Table {
    let lang = view.language;
    let columns = vec![
        Column::left(say::SPLIT.text(lang), "nodes"),
        Column::left(say::SHARES.text(lang), "shares"),
        Column::left(say::SAMPLES.text(lang), "samples_per_replica"),
        Column::right(column::STEP_TIME.text(lang), "step_time_s"),
        Column::right(column::TOTAL_TIME.text(lang), "total_time_s"),
        Column::right(say::AGAINST.text(lang), "time_ratio"),
        Column::right(say::COST.fill(lang, &[&view.currency()]), "cost"),
    ];
    let fastest = view.gain().and_then(|g| view.alone[g.fastest].estimate()).map(|e| e.time.total.p50);
    let row = |name: String,
               shares: String,
               samples: String,
               step: f64,
               total: f64,
               grade: Grade,
               cost: Option<f64>| {
        [
            Cell::text(name),
            Cell::text(shares),
            Cell::text(samples),
            Cell::number(time(step, grade), step),
            Cell::number(time(total, grade), total),
            fastest.map_or_else(Cell::absent, |f| Cell::number(text::percent(total / f), total / f)),
            cost.map_or_else(Cell::absent, |c| Cell::number(amount(c, grade), c)),
        ]
    };
    let mut rows: Vec<Row> = Vec::new();
    for (simulation, cost) in view.alone.iter().zip(view.alone_costs) {
        let name = say::ALONE.fill(lang, &[&short(&simulation.cluster.label)]);
        let Some(e) = simulation.estimate() else { continue };
        let cost = cost.map(|c| c[1]);
        let (step, total) = (e.planned.step.total().get(), e.time.total.p50);
        rows.push(Row::new(row(name, text::percent(1.0), String::new(), step, total, e.grade, cost)));
    }
    for (name, (split, cost)) in [say::EQUAL, say::BY_SPEED].into_iter().zip(view.splits()) {
        let Ok(split) = split else { continue };
        let join = |parts: Vec<String>| parts.join(" : ");
        let shares = join(split.shares.iter().map(|s| text::percent(*s)).collect());
        let samples = join(split.samples.iter().map(|s| format!("{s:.0}")).collect());
        let cost = cost.map(|c| c[1]);
        let (step, total) = (split.step.get(), split.total.p50);
        rows.push(Row::new(row(name.owned(lang), shares, samples, step, total, split.grade, cost)));
    }
    Table::new(columns, rows).titled(say::SPLITS.text(lang)).noted([say::OF_TRAINING.owned(lang)])
}
