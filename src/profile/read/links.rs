//! `networks.toml`: links inside a node, networks between nodes.

use super::Reader;
use crate::profile::{CollectiveTable, LinkProfile, NetworkProfile};
use crate::units::parse::parse_quantity;
use crate::units::{Bytes, Fraction};

/// Reads both families of classes, each sorted by class.
pub(in super::super) fn networks(reader: &Reader<'_>) -> (Vec<LinkProfile>, Vec<NetworkProfile>) {
    reader.schema();
    let mut links = Vec::new();
    if let Some(classes) = reader.child("link") {
        let entries = classes.entries();
        let named: Vec<_> = entries.iter().map(|(class, entry)| (class, tables(entry))).collect();
        for (class, entry) in &entries {
            let shared = entry.optional_text("tables_of");
            let tables = named.iter().find(|(c, _)| *c == shared.as_ref().unwrap_or(class));
            if tables.is_none() {
                entry.fail("tables_of", "is no link class of this file");
            }
            links.extend(link(class, entry, tables.map(|(_, t)| t.clone()).unwrap_or_default()));
            entry.finish();
        }
    }
    let mut networks = Vec::new();
    if let Some(classes) = reader.child("network") {
        for (class, entry) in classes.entries() {
            networks.extend(network(&class, &entry));
            entry.finish();
        }
    }
    reader.finish();
    links.sort_by(|a, b| a.class.cmp(&b.class));
    networks.sort_by(|a, b| a.class.cmp(&b.class));
    (links, networks)
}

fn efficiency(entry: &Reader<'_>) -> Option<Fraction> {
    entry.number("efficiency", 0.001..=1.0).map(Fraction::new)
}

fn link(class: &str, entry: &Reader<'_>, tables: Vec<CollectiveTable>) -> Option<LinkProfile> {
    let (efficiency, latency) = (efficiency(entry), entry.quantity("latency"));
    let (over_pcie, grade, source) = (entry.flag("over_pcie"), entry.grade(), entry.text("source"));
    Some(LinkProfile {
        class: class.to_owned(),
        efficiency: efficiency?,
        latency: latency?,
        tables,
        over_pcie: over_pcie?,
        grade: grade?,
        source: source?,
    })
}

fn network(class: &str, entry: &Reader<'_>) -> Option<NetworkProfile> {
    let (efficiency, latency) = (efficiency(entry), entry.quantity("latency"));
    let (remote_memory, grade, source) = (entry.flag("remote_memory"), entry.grade(), entry.text("source"));
    Some(NetworkProfile {
        class: class.to_owned(),
        efficiency: efficiency?,
        latency: latency?,
        remote_memory: remote_memory?,
        grade: grade?,
        source: source?,
    })
}

/// Reads the tables of a class, ascending in ranks.
fn tables(entry: &Reader<'_>) -> Vec<CollectiveTable> {
    let mut tables: Vec<_> = entry.children("table").iter().filter_map(table).collect();
    tables.sort_by_key(|t| t.ranks);
    tables
}

fn table(entry: &Reader<'_>) -> Option<CollectiveTable> {
    let ranks = entry.whole("ranks", 2..=1024);
    let link = entry.quantity("link");
    let bytes = entry.list("bytes", "amounts of memory", |v| {
        parse_quantity::<Bytes>(v.as_str().unwrap_or_default()).map_err(|e| e.to_string())
    });
    let shares = entry.numbers("share", &(0.0001..=1.0));
    entry.finish();
    let (bytes, shares) = (bytes?, shares?);
    if bytes.is_empty() || bytes.len() != shares.len() {
        entry.fail(
            "share",
            format!("has {} values for {} sizes; expected one each", shares.len(), bytes.len()),
        );
        return None;
    }
    let points: Vec<_> = bytes.into_iter().zip(shares.into_iter().map(Fraction::new)).collect();
    for pair in points.windows(2) {
        let (size, share) = (pair[1].0 / pair[0].0, pair[1].1 / pair[0].1);
        if !(size > 1.0 && share >= 1.0 && share <= size) {
            let at = pair[1].0.get();
            entry.fail(
                "share",
                format!("is not physical at {at} B; expected ascending sizes, no loss of bandwidth and no loss of time"),
            );
        }
    }
    Some(CollectiveTable { ranks: ranks?, link: link?, points })
}
