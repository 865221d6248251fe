//! Why this one and not another: what would flip the choice, what each runner-up lacks.

use super::RecommendView;
use crate::advisor::{Flip, Lack, Shortfall};
use crate::report::phrases::{column, flip as say};
use crate::report::{Cell, Column, Phrase, Row, Table};
use crate::units::{Seconds, text};

/// Changes that make another candidate win.
pub(super) fn flips(view: &RecommendView<'_>) -> Vec<String> {
    view.recommendation.flips.iter().map(|flip| sentence(view, flip)).collect()
}

fn sentence(view: &RecommendView<'_>, flip: &Flip) -> String {
    let lang = view.language;
    match flip {
        Flip::Price { cluster, change } => {
            say::PRICE.fill(lang, &[&format!("{} %", text::significant(-change * 100.0, 2)), cluster])
        }
        Flip::ShorterDeadline { below, cluster, time, cost_ratio } => {
            let (limit, takes) = (text::duration(*below, 3), text::duration(*time, 3));
            let cost = text::percent(*cost_ratio);
            match view.recommendation.deadline.filter(|(_, assumed)| !assumed) {
                Some((now, _)) => {
                    let earlier = text::duration(Seconds::new(now.get() - below.get()), 2);
                    say::SHORTER.fill(lang, &[&earlier, &limit, cluster, &takes, &cost])
                }
                None => say::SHORTER_BELOW.fill(lang, &[&limit, cluster, &takes, &cost]),
            }
        }
        Flip::LongerDeadline { at, cluster, cost_ratio } => {
            say::LONGER.fill(lang, &[&text::duration(*at, 3), cluster, &text::percent(*cost_ratio)])
        }
        Flip::NetworkStated { cluster, taken, cost_ratio } => {
            say::STATED.fill(lang, &[&text::network_bandwidth(*taken), cluster, &text::percent(*cost_ratio)])
        }
        Flip::WiderNetwork { cluster, from, to, cost_ratio } => {
            let (from, to) = (text::network_bandwidth(*from), text::network_bandwidth(*to));
            say::WIDER.fill(lang, &[&from, &to, cluster, &text::percent(*cost_ratio)])
        }
        Flip::LongerSequence { from, to, cluster, cost_ratio } => {
            let (from, to) = (from.to_string(), to.to_string());
            match (cluster, cost_ratio) {
                (Some(cluster), Some(ratio)) => {
                    say::SEQUENCE.fill(lang, &[&to, &from, cluster, &text::percent(*ratio)])
                }
                _ => say::SEQUENCE_NOTHING.fill(lang, &[&to, &from]),
            }
        }
    }
}

/// A ratio to two digits behind the point where it is near one.
fn times(ratio: f64) -> String {
    text::significant(ratio, 3)
}

/// What each runner-up lacks, a few words each.
pub(super) fn lacks(view: &RecommendView<'_>) -> Vec<String> {
    let lang = view.language;
    let each = |s: &Shortfall| {
        let (phrase, ratio) = match s.lacks {
            Some(Lack::Price) => (say::LACK_PRICE, s.price),
            Some(Lack::Speed) => (say::LACK_SPEED, s.gpu_hours),
            Some(Lack::Network) => (say::LACK_NETWORK, s.network),
            Some(Lack::Memory) => (say::LACK_MEMORY, s.memory),
            Some(Lack::Size) => (say::LACK_SIZE, s.time),
            None => (say::LACK_NOTHING, 1.0),
        };
        phrase.fill(lang, &[short(&s.cluster), &times(ratio)])
    };
    view.recommendation.lacking.iter().map(each).collect()
}

/// A label without its provider.
fn short(label: &str) -> &str {
    label.split_once('/').map_or(label, |(_, rest)| rest)
}

const fn name(lack: Lack) -> Phrase {
    match lack {
        Lack::Price => say::SHORT_PRICE,
        Lack::Speed => say::SHORT_SPEED,
        Lack::Network => say::SHORT_NETWORK,
        Lack::Memory => say::SHORT_MEMORY,
        Lack::Size => say::SHORT_SIZE,
    }
}

/// The same as a table, with every factor.
pub(super) fn table(view: &RecommendView<'_>) -> Option<Table> {
    let lang = view.language;
    let lacking = &view.recommendation.lacking;
    if lacking.is_empty() {
        return None;
    }
    let columns = vec![
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::right(say::COST_OVER.text(lang), "cost_ratio"),
        Column::right(say::TIME_OVER.text(lang), "time_ratio"),
        Column::right(say::PRICE_OVER.text(lang), "price_ratio"),
        Column::right(say::HOURS_OVER.text(lang), "gpu_hours_ratio"),
        Column::right(say::NETWORK_OVER.text(lang), "network_doubled_ratio"),
        Column::right(say::MEMORY_OVER.text(lang), "memory_doubled_ratio"),
        Column::left(say::LACKING.text(lang), "lacks"),
    ];
    let rows = lacking.iter().map(|s| {
        let ratio = |value: f64| Cell::number(times(value), value);
        Row::new([
            Cell::text(s.cluster.clone()),
            ratio(s.cost),
            ratio(s.time),
            ratio(s.price),
            ratio(s.gpu_hours),
            ratio(s.network),
            ratio(s.memory),
            s.lacks.map_or_else(Cell::absent, |lack| Cell::text(name(lack).text(lang))),
        ])
    });
    Some(Table::new(columns, rows.collect::<Vec<_>>()).titled(say::LACKS_TITLE.text(lang)))
}
