//! Many nodes of one kind become one profile: medians, the spread between nodes, and the nodes that stand apart.

use std::collections::BTreeMap;

use super::collectives::Collectives;
use super::comparison::quantities;
use super::fit::all_flags;
use super::measured::{Fitted, Measured};
use super::profile_file::ProfileFile;
use super::statistics::{Estimate, t_interval};
use crate::numeric::median;

/// A deviation from the median of the nodes that counts in any case.
const LEAST_DEVIATION: f64 = 0.03;
/// A deviation in robust standard deviations that counts.
const DEVIATIONS: f64 = 4.0;
/// Robust standard deviation over the median absolute deviation of a normal distribution.
const NORMAL: f64 = 1.4826;
/// Fewest nodes among which one can stand apart.
const LEAST_NODES: usize = 3;

/// A node that stands apart in one quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// The node.
    pub node: String,
    /// The quantity.
    pub quantity: String,
    /// Its unit.
    pub unit: &'static str,
    /// Its value there.
    pub value: f64,
    /// The median of all nodes.
    pub median: f64,
    /// True when it is on the bad side.
    pub worse: bool,
}

/// A merged profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The profile.
    pub file: ProfileFile,
    /// Spread of each quantity: (largest - least) / median.
    pub spreads: Vec<(String, f64)>,
    /// Nodes that stand apart, by node and quantity.
    pub outliers: Vec<Outlier>,
}

/// Why profiles cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Nothing to merge.
    #[error("no profile to merge")]
    None,
    /// Two kinds.
    #[error("{first} and {second} are different machines; merge profiles of one kind")]
    Mixed {
        /// The first file's.
        first: String,
        /// Another's.
        second: String,
    },
    /// Collectives of other nodes.
    #[error("{file} holds collectives of other machines than {profiles}; merge those of the same nodes")]
    OtherCollectives {
        /// The file.
        file: String,
        /// The profiles'.
        profiles: String,
    },
}

/// Merges named profiles, and puts what their nodes did together beside what each did alone.
///
/// # Errors
/// When there are none or they are of different GPUs or instance types.
pub fn merge(
    files: &[(String, ProfileFile)],
    collectives: &[(String, Collectives)],
) -> Result<Merged, MergeError> {
    let (_, first) = files.first().ok_or(MergeError::None)?;
    let kind = |f: &ProfileFile| match &f.measured.instance {
        Some(instance) => format!("{} in {instance}", f.gpu),
        None => f.gpu.clone(),
    };
    if let Some((_, other)) = files.iter().find(|(_, f)| kind(f) != kind(first)) {
        return Err(MergeError::Mixed { first: kind(first), second: kind(other) });
    }
    for (name, found) in collectives {
        let same = found.gpu == first.gpu && found.instance == first.measured.instance;
        if !same || found.is_real() != first.measured.is_real() {
            return Err(MergeError::OtherCollectives { file: name.clone(), profiles: kind(first) });
        }
    }
    let names: Vec<String> =
        files.iter().map(|(name, f)| f.measured.node.clone().unwrap_or_else(|| name.clone())).collect();
    let all: Vec<&Measured> = files.iter().map(|(_, f)| &f.measured).collect();
    let (spreads, outliers) = outliers(&names, &all);
    let mut measured = pool(&all, names);
    for (_, found) in collectives {
        measured.transfer.extend(found.transfer.iter().cloned());
        measured.gaps.extend(found.gaps.iter().cloned());
    }
    Ok(Merged { file: ProfileFile { gpu: first.gpu.clone(), measured }, spreads, outliers })
}

fn outliers(names: &[String], all: &[&Measured]) -> (Vec<(String, f64)>, Vec<Outlier>) {
    let mut by_name: BTreeMap<String, Vec<(usize, super::comparison::Quantity)>> = BTreeMap::new();
    for (node, measured) in all.iter().enumerate() {
        for quantity in quantities(measured) {
            by_name.entry(quantity.name.clone()).or_default().push((node, quantity));
        }
    }
    let (mut spreads, mut apart) = (Vec::new(), Vec::new());
    for (name, values) in by_name {
        let each = || values.iter().map(|(_, q)| q.value);
        let Some(middle) = median(each()) else { continue };
        let (low, high) = each().fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
        spreads.push((name.clone(), (high - low) / middle));
        let deviation = median(each().map(|v| (v - middle).abs())).unwrap_or(0.0) * NORMAL * DEVIATIONS;
        let limit = deviation.max(middle * LEAST_DEVIATION);
        for (node, q) in values.iter().filter(|(_, q)| (q.value - middle).abs() > limit) {
            if all.len() >= LEAST_NODES {
                apart.push(Outlier {
                    node: names[*node].clone(),
                    quantity: name.clone(),
                    unit: q.unit,
                    value: q.value,
                    median: middle,
                    worse: (q.value > middle) == q.less_is_better,
                });
            }
        }
    }
    apart.sort_by(|a, b| (&a.node, &a.quantity).cmp(&(&b.node, &b.quantity)));
    (spreads, apart)
}

/// The first profile with every value replaced by the median over those that have it.
fn pool(all: &[&Measured], names: Vec<String>) -> Measured {
    let mut merged = all[0].clone();
    for (kind, estimate) in &mut merged.launch_us {
        *estimate = estimates(all.iter().filter_map(|m| m.launch_us.get(kind)));
    }
    for s in &mut merged.stream {
        let same = |m: &&Measured| m.stream.iter().find(|o| (o.kind, o.bytes) == (s.kind, s.bytes)).cloned();
        let found: Vec<_> = all.iter().filter_map(same).collect();
        s.gb_per_s = estimates(found.iter().map(|o| &o.gb_per_s));
    }
    for l in &mut merged.l2 {
        let found = all.iter().filter_map(|m| m.l2.iter().find(|o| o.bytes == l.bytes));
        l.gb_per_s = estimates(found.map(|o| &o.gb_per_s));
    }
    merged.knee.tflop_per_s = fitted(all.iter().map(|m| m.knee.tflop_per_s));
    merged.knee.gb_per_s = fitted(all.iter().map(|m| m.knee.gb_per_s));
    merged.knee.exponent = fitted(all.iter().map(|m| m.knee.exponent));
    for (place, point) in merged.knee.points.iter_mut().enumerate() {
        point.tflop_per_s =
            estimates(all.iter().filter_map(|m| m.knee.points.get(place)).map(|p| &p.tflop_per_s));
    }
    for c in &mut merged.ceiling {
        let same =
            |m: &Measured| m.ceiling.iter().find(|o| (o.format, o.cores) == (c.format, c.cores)).cloned();
        let found: Vec<_> = all.iter().filter_map(|m| same(m)).collect();
        c.tflop_per_s = estimates(found.iter().map(|o| &o.tflop_per_s));
    }
    for p in &mut merged.product {
        let found: Vec<_> =
            all.iter().filter_map(|m| m.product.iter().find(|o| o.format == p.format)).collect();
        p.tflop_per_s = fitted(found.iter().map(|o| o.tflop_per_s));
        p.m0 = fitted(found.iter().map(|o| o.m0));
        p.k0 = fitted(found.iter().map(|o| o.k0));
        p.sustained_ratio = median(found.iter().filter_map(|o| o.sustained_ratio));
        for point in &mut p.points {
            let key = (point.m, point.n, point.k, point.layout);
            let same =
                found.iter().filter_map(|o| o.points.iter().find(|x| (x.m, x.n, x.k, x.layout) == key));
            let same: Vec<_> = same.cloned().collect();
            point.us = estimates(same.iter().map(|x| &x.us));
        }
    }
    for t in &mut merged.transfer {
        let key = |o: &super::measured::TransferResult| {
            (o.memory, o.direction, o.peers, o.operation, o.ranks, o.nodes)
        };
        let found: Vec<_> = all.iter().filter_map(|m| m.transfer.iter().find(|o| key(o) == key(t))).collect();
        t.gb_per_s = median(found.iter().map(|o| o.gb_per_s)).unwrap_or(t.gb_per_s);
        t.alpha_us = median(found.iter().filter_map(|o| o.alpha_us));
        for (place, us) in t.us.iter_mut().enumerate() {
            *us = median(found.iter().filter_map(|o| o.us.get(place).copied())).unwrap_or(*us);
        }
    }
    merged.node = None;
    merged.merged_from = names;
    merged.flags = all_flags(&merged);
    merged
}

/// Median of the values; the interval is that of the nodes, or the node's own when there is one node.
fn estimates<'a>(found: impl Iterator<Item = &'a Estimate>) -> Estimate {
    let found: Vec<&Estimate> = found.collect();
    let values: Vec<f64> = found.iter().map(|e| e.value).collect();
    let mut flags: Vec<_> = found.iter().flat_map(|e| e.flags.iter().copied()).collect();
    flags.sort_unstable();
    flags.dedup();
    Estimate {
        value: median(values.iter().copied()).unwrap_or(0.0),
        best: median(found.iter().map(|e| e.best)).unwrap_or(0.0),
        ci95: interval(&values).or_else(|| found.first().and_then(|e| e.ci95)),
        rounds: found.iter().map(|e| e.rounds).sum(),
        flags,
    }
}

fn fitted(found: impl Iterator<Item = Fitted>) -> Fitted {
    let found: Vec<Fitted> = found.collect();
    let values: Vec<f64> = found.iter().map(|f| f.value).collect();
    Fitted {
        value: median(values.iter().copied()).unwrap_or(0.0),
        ci95: interval(&values).or_else(|| found.first().and_then(|f| f.ci95)),
    }
}

fn interval(values: &[f64]) -> Option<[f64; 2]> {
    t_interval(values).map(|(mean, half)| [mean - half, mean + half])
}
