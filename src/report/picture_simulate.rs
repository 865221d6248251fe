//! The picture of a simulation: the memory of each stage, and the parts of a step.

use super::Language;
use super::names;
use super::phrases::plot as say;
use super::plot::{BarsPlot, LayersColumn, LayersPlot, NamedBar, PlotModel};
use super::recommend::cells::time;
use super::wire::Origin;
use crate::advisor::Simulation;
use crate::simulator::{Bound, MemoryEstimate, MemoryItem};
use crate::units::text;
use crate::workload::Job;

/// Most columns in which the text has room.
const MOST_COLUMNS: usize = 8;
/// Up to so many columns, the share stands beside the amount.
const WITH_SHARE: usize = 4;
/// What a part of a step is bound by, in the order of patterns.
const BOUNDS: [Bound; 6] =
    [Bound::Compute, Bound::Communication, Bound::Memory, Bound::Bubble, Bound::Launch, Bound::Input];
/// A part of a step below this share is drawn with the rest.
const LEAST_SHARE: f64 = 0.005;

/// Where the numbers of a plot come from.
pub(super) fn footer(origin: Origin<'_>) -> String {
    format!(
        "gpu-advisor {} · {} · catalog {} · profiles {}",
        env!("CARGO_PKG_VERSION"),
        origin.prices.as_of,
        origin.catalog.content_hash,
        origin.profiles.content_hash
    )
}

/// Memory and step of a job that runs, one below the other.
pub fn pictures(
    job: &Job,
    simulation: &Simulation,
    stages: &[MemoryEstimate],
    origin: Origin<'_>,
    language: Language,
) -> PlotModel {
    let about = format!("{} · {}", job.workload.name, simulation.cluster.label);
    PlotModel::Several(vec![
        PlotModel::Layers(memory(&about, stages, origin, language)),
        PlotModel::Bars(step(&about, simulation, origin, language)),
    ])
}

/// Stages that lie together and hold the same are one column; of many stages the first and the last are shown.
fn memory(about: &str, stages: &[MemoryEstimate], origin: Origin<'_>, lang: Language) -> LayersPlot {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (stage, held) in stages.iter().enumerate() {
        match groups.last_mut() {
            Some((first, last)) if (held.peak() / stages[*first].peak() - 1.0).abs() < 1e-6 => *last = stage,
            _ => groups.push((stage, stage)),
        }
    }
    if groups.len() > MOST_COLUMNS {
        let (half, rest) = (MOST_COLUMNS / 2, groups.len() - MOST_COLUMNS / 2);
        groups.drain(half..rest);
    }
    let items: Vec<MemoryItem> =
        stages.first().map_or_else(Vec::new, |s| s.items().map(|(i, _)| i).collect());
    let columns = groups
        .iter()
        .map(|&(first, last)| LayersColumn {
            label: match (first, last) {
                _ if stages.len() == 1 => String::new(),
                (a, b) if a == b => say::STAGE.fill(lang, &[&(a + 1).to_string()]),
                (a, b) => say::STAGES.fill(lang, &[&(a + 1).to_string(), &(b + 1).to_string()]),
            },
            values: items
                .iter()
                .map(|item| {
                    stages[first].items().find(|(i, _)| i == item).map_or(0.0, |(_, bytes)| bytes.gib())
                })
                .collect(),
            total: match text::memory(stages[first].peak()) {
                peak if groups.len() <= WITH_SHARE => {
                    format!("{peak} ({})", text::percent(stages[first].share()))
                }
                peak => peak,
            },
        })
        .collect();
    let usable = stages.first().map(|s| s.usable);
    LayersPlot {
        title: format!("{}: {about}", say::MEMORY_OF_STAGE.text(lang)),
        y_label: say::MEMORY_GIB.owned(lang),
        layers: items.iter().map(|i| names::item(*i).owned(lang)).collect(),
        columns,
        limit: usable.map(|u| (say::USABLE.fill(lang, &[&text::memory(u)]), u.gib())),
        footer: footer(origin),
    }
}

fn step(about: &str, simulation: &Simulation, origin: Origin<'_>, lang: Language) -> BarsPlot {
    let mut bars: Vec<NamedBar> = Vec::new();
    let mut total = String::new();
    if let Some(estimate) = simulation.estimate() {
        let step = &estimate.planned.step;
        total = time(step.total().get(), estimate.grade);
        let mut terms: Vec<_> = step.terms().filter(|t| t.time.get() > 0.0).collect();
        terms.sort_by(|a, b| b.time.get().total_cmp(&a.time.get()));
        let mut rest = 0.0;
        for term in terms {
            let share = term.time / step.total();
            if share < LEAST_SHARE {
                rest += term.time.get();
                continue;
            }
            let bound = term.bound;
            let group = BOUNDS.iter().position(|b| *b == bound).unwrap_or(BOUNDS.len());
            bars.push(NamedBar {
                label: names::term(term.kind).owned(lang),
                group,
                value: term.time.get(),
                text: format!("{} ({})", time(term.time.get(), term.grade), text::percent(share)),
            });
        }
        if rest > 0.0 {
            let group = BOUNDS.len();
            bars.push(NamedBar {
                label: say::REST.owned(lang),
                group,
                value: rest,
                text: time(rest, estimate.grade),
            });
        }
    }
    let mut groups: Vec<String> = BOUNDS.iter().map(|b| names::bound(*b).owned(lang)).collect();
    groups.push(say::REST.owned(lang));
    BarsPlot {
        title: format!("{} ({total}): {about}", say::PARTS_OF_STEP.text(lang)),
        x_label: say::TIME_OF_STEP.owned(lang),
        time: true,
        bars,
        groups,
        footer: footer(origin),
    }
}
