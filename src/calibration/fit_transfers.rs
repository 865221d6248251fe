//! Copies and collectives of a trace, grouped by kind.

use std::collections::BTreeMap;

use super::fit_link::{TransferTable, fit_transfers};
use super::measured::{TransferResult, giga, micros};
use super::measurement::{Collective, Direction, HostMemory, Item};
use super::statistics::Summary;

/// What the sizes of one table have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Host(HostMemory, Direction),
    Peer(u32, u32),
    Group(Collective, u32),
}

fn kind(item: &Item) -> Option<Kind> {
    match *item {
        Item::HostCopy { memory, direction, .. } => Some(Kind::Host(memory, direction)),
        Item::PeerCopy { from, to, .. } => Some(Kind::Peer(from, to)),
        Item::Collective { operation, ranks, .. } => Some(Kind::Group(operation, ranks)),
        _ => None,
    }
}

/// One result for each kind, in order.
pub(super) fn transfers(summaries: &[Summary]) -> Vec<TransferResult> {
    let mut groups: BTreeMap<Kind, Vec<&Summary>> = BTreeMap::new();
    for summary in summaries {
        if let Some(kind) = kind(&summary.item) {
            groups.entry(kind).or_default().push(summary);
        }
    }
    groups.into_iter().filter_map(|(kind, members)| result(kind, members)).collect()
}

fn result(kind: Kind, mut members: Vec<&Summary>) -> Option<TransferResult> {
    let bytes = |s: &&Summary| s.item.traffic().get();
    members.sort_by(|a, b| bytes(a).total_cmp(&bytes(b)));
    let table = TransferTable::new(members.iter().map(|s| (bytes(s), s.time.value)));
    let line = fit_transfers(&table);
    let (largest, seconds) = table.pairs().last().copied()?;
    let mut result = TransferResult {
        memory: None,
        direction: None,
        peers: None,
        operation: None,
        ranks: None,
        nodes: None,
        alpha_us: line.map(|l| micros(l.alpha)),
        gb_per_s: giga(line.map_or(largest / seconds, |l| l.beta)),
        bytes: members.iter().map(|s| bytes(s) as u64).collect(),
        us: members.iter().map(|s| micros(s.time.value)).collect(),
        us_low: members.iter().map(|s| micros(s.time.ci95.map_or(s.time.value, |c| c[0]))).collect(),
        us_high: members.iter().map(|s| micros(s.time.ci95.map_or(s.time.value, |c| c[1]))).collect(),
    };
    match kind {
        Kind::Host(memory, direction) => (result.memory, result.direction) = (Some(memory), Some(direction)),
        Kind::Peer(from, to) => result.peers = Some([from, to]),
        Kind::Group(operation, ranks) => {
            (result.operation, result.ranks) = (Some(operation), Some(ranks));
            result.gb_per_s *= operation.bus_factor(ranks);
        }
    }
    Some(result)
}
