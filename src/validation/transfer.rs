//! How far a measured time lies off when the predicted ratio of two GPUs carries it from one to the other.
//!
//! Two rows of one model, software and sequence on different GPUs are a pair; with d the difference of what the
//! predictions miss, ln(predicted / measured time), the carried time is off by exactly d. The spread of the transfer is
//! the size that 80 % of the pairs do not exceed, over 1.2816, every group of rows counting alike. It is taken from one
//! half of the models, drawn by a fixed seed, so that the other half can test it.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{FitOptions, fit};
use super::predict::log_time_ratio;
use super::run::{Quality, Run};
use super::scenario::prepare;
use crate::catalog::Catalog;
use crate::numeric::Random;
use crate::profile::Profiles;

/// What a prediction misses of a measured row.
#[derive(Debug, Clone, PartialEq)]
pub struct Miss {
    /// GPU.
    pub gpu: String,
    /// ln(predicted / measured time).
    pub log_ratio: f64,
}

/// Model, software and sequence length.
pub type TransferKey = (String, String, u32);

/// Rows of one model, software and sequence length on two GPUs or more.
pub type TransferGroups = BTreeMap<TransferKey, Vec<Miss>>;

/// Groups the strong rows that can be predicted; groups on one GPU alone are left out. `seen` takes the shipped
/// coefficients, which were fitted to these very rows; otherwise they are those that were expected before any row.
pub fn transfer_groups(runs: &[Run], catalog: &Catalog, profiles: &Profiles, seen: bool) -> TransferGroups {
    let expected = fit(&[], &FitOptions::default());
    let mut groups = TransferGroups::new();
    for run in runs.iter().filter(|r| r.quality == Quality::Strong) {
        let Ok(prepared) = prepare(run, catalog, profiles) else { continue };
        let unseen = expected.stack(prepared.stack);
        let stack = if seen { prepared.profile() } else { &unseen };
        let Some(log_ratio) = log_time_ratio(&prepared, stack) else { continue };
        let key = (run.model.clone(), run.stack.clone(), run.sequence_length.unwrap_or(0));
        groups.entry(key).or_default().push(Miss { gpu: run.gpu.clone(), log_ratio });
    }
    groups.retain(|_, rows| rows.iter().any(|r| r.gpu != rows[0].gpu));
    groups
}

/// The seed of the shipped split.
pub const SPLIT_SEED: u64 = 2026;

/// Splits the groups by model: half of the models each, drawn by a seed.
pub fn halves(groups: TransferGroups, seed: u64) -> [TransferGroups; 2] {
    let models: BTreeSet<String> = groups.keys().map(|(model, ..)| model.clone()).collect();
    let mut models: Vec<String> = models.into_iter().collect();
    Random::new(seed).shuffle(&mut models);
    models.truncate(models.len() / 2);
    let (first, second) = groups.into_iter().partition(|((model, ..), _)| models.contains(model));
    [first, second]
}

/// The 90 % quantile of the standard normal distribution.
const NORMAL_P90: f64 = 1.281_551_565_545;
/// Share of the pairs inside the interval.
const INSIDE: f64 = 0.8;

/// Standard deviation of ln(time) of a transfer; `None` without a pair.
///
/// ```
/// use gpu_advisor::validation::{Miss, transfer_spread};
/// let row = |gpu: &str, log_ratio| Miss { gpu: gpu.to_owned(), log_ratio };
/// // Five pairs of one group, off by 0.1 to 0.5: four of five lie within 0.4.
/// let rows = [row("a", 0.0), row("b", 0.1), row("b", 0.2), row("b", -0.3), row("b", 0.4), row("b", -0.5)];
/// let groups = [(("model".to_owned(), "stack".to_owned(), 0), rows.to_vec())].into();
/// assert!((transfer_spread(&groups).unwrap() - 0.4 / 1.281_551_565_545).abs() < 1e-9);
/// ```
pub fn transfer_spread(groups: &TransferGroups) -> Option<f64> {
    let mut weighted: Vec<(f64, f64)> = Vec::new();
    for rows in groups.values() {
        let sizes: Vec<f64> = pairs(rows).map(|(a, b)| (a.log_ratio - b.log_ratio).abs()).collect();
        weighted.extend(sizes.iter().map(|&size| (size, 1.0 / sizes.len() as f64)));
    }
    weighted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    let at = weighted.iter().find(|(_, weight)| {
        below += weight;
        below >= INSIDE * all * (1.0 - f64::EPSILON * 8.0)
    });
    at.map(|(size, _)| size / NORMAL_P90)
}

/// Pairs of rows on different GPUs, each once.
fn pairs(rows: &[Miss]) -> impl Iterator<Item = (&Miss, &Miss)> {
    let later = |i: usize| rows[i + 1..].iter();
    let all = rows.iter().enumerate().flat_map(move |(i, a)| later(i).map(move |b| (a, b)));
    all.filter(|(a, b)| a.gpu != b.gpu)
}
