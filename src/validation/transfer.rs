//! What a measured run on one GPU says of another: misses of measured runs of one job on two GPUs.
//!
//! Rows of one source, model, software, recipe, precision and sequence on different GPUs are one job there. Their misses,
//! ln(predicted / measured time), have a part in common and a part of the GPU's own; the rule of
//! [`TransferRule`](crate::profile::TransferRule) takes both spreads from here: that of single misses of sources that the
//! fit has not seen, and that of the differences of two of them, each the size that 80 % do not exceed, over 1.2816,
//! every job counting alike. They are taken from one half of the models, drawn by a fixed seed, so that the other half can
//! test the rule.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::informs_stack;
use super::fit::{Fit, FitOptions, fit};
use super::predict::log_time_ratio;
use super::run::{Quality, Run};
use super::scenario::{Prepared, prepare};
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
    /// Spread that the prediction states: that of its stack on this architecture.
    pub spread: f64,
}

/// Model, then source, software, recipe, precision and sequence length.
pub type TransferKey = (String, String);

/// Rows of one job on two GPUs or more.
pub type TransferGroups = BTreeMap<TransferKey, Vec<Miss>>;

/// What the coefficients have seen of the rows they predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// These very rows: the shipped coefficients.
    Rows,
    /// Other sources alone: fitted again without the row's source.
    OtherSources,
}

/// Groups the strong rows that can be predicted; groups on one GPU alone are left out, and with [`Seen::OtherSources`]
/// those that say nothing about stacks.
pub fn transfer_groups(runs: &[Run], catalog: &Catalog, profiles: &Profiles, seen: Seen) -> TransferGroups {
    let strong = runs.iter().filter(|r| r.quality == Quality::Strong);
    let prepared: Vec<Prepared<'_>> = strong.filter_map(|r| prepare(r, catalog, profiles).ok()).collect();
    let mut members: BTreeMap<TransferKey, Vec<&Prepared<'_>>> = BTreeMap::new();
    for row in prepared.iter().filter(|row| seen == Seen::Rows || informs_stack(row)) {
        members.entry(key(row.run)).or_default().push(row);
    }
    members.retain(|_, rows| rows.iter().any(|r| r.run.gpu != rows[0].run.gpu));
    let refits = match seen {
        Seen::Rows => BTreeMap::new(),
        Seen::OtherSources => refits(&prepared, members.values().flatten().map(|r| r.run.family.as_str())),
    };
    let miss = |row: &&Prepared<'_>| {
        let stack = match refits.get(row.run.family.as_str()) {
            Some(fit) => fit.profile(row.stack, &row.machine.gpu.architecture),
            None => row.profile().clone(),
        };
        let spread = row.profile().residual_on(&row.machine.gpu.architecture);
        Some(Miss { gpu: row.run.gpu.clone(), log_ratio: log_time_ratio(row, &stack)?, spread })
    };
    members.into_iter().map(|(key, rows)| (key, rows.iter().filter_map(miss).collect())).collect()
}

fn key(run: &Run) -> TransferKey {
    let recipe = run.recipe.as_deref().unwrap_or_default();
    let precision = run.precision.map_or("", |p| p.name());
    let length = run.sequence_length.unwrap_or(0);
    (run.model.clone(), format!("{} / {} / {recipe} / {precision} / {length}", run.family, run.stack))
}

/// A fit without each of the sources.
fn refits<'r>(prepared: &[Prepared<'_>], sources: impl Iterator<Item = &'r str>) -> BTreeMap<&'r str, Fit> {
    let sources: BTreeSet<&str> = sources.collect();
    let without = |source: &'r str| {
        let others = prepared.iter().filter(|r| r.run.family != source && informs_stack(r));
        (source, fit(&others.collect::<Vec<_>>(), &FitOptions::default()))
    };
    sources.into_iter().map(without).collect()
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
/// Share inside the interval.
const INSIDE: f64 = 0.8;

/// Standard deviation of ln(time) of the difference of two misses; `None` without a pair.
///
/// ```
/// use gpu_advisor::validation::{Miss, difference_spread, miss_spread};
/// let row = |gpu: &str, log_ratio| Miss { gpu: gpu.to_owned(), log_ratio, spread: 0.1 };
/// // Five pairs of one group, off by 0.1 to 0.5: four of five lie within 0.4.
/// let rows = [row("a", 0.0), row("b", 0.1), row("b", 0.2), row("b", -0.3), row("b", 0.4), row("b", -0.5)];
/// let groups = [(("model".to_owned(), "stack".to_owned()), rows.to_vec())].into();
/// assert!((difference_spread(&groups).unwrap() - 0.4 / 1.281_551_565_545).abs() < 1e-9);
/// // Of the six misses themselves five lie within 0.4.
/// assert!((miss_spread(&groups).unwrap() - 0.4 / 1.281_551_565_545).abs() < 1e-9);
/// ```
pub fn difference_spread(groups: &TransferGroups) -> Option<f64> {
    spread(groups, |rows| pairs(rows).map(|(a, b)| a.log_ratio - b.log_ratio).collect())
}

/// Standard deviation of ln(time) of single misses; `None` without a row.
pub fn miss_spread(groups: &TransferGroups) -> Option<f64> {
    spread(groups, |rows| rows.iter().map(|r| r.log_ratio).collect())
}

fn spread(groups: &TransferGroups, sizes: impl Fn(&[Miss]) -> Vec<f64>) -> Option<f64> {
    let mut weighted: Vec<(f64, f64)> = Vec::new();
    for rows in groups.values() {
        let sizes = sizes(rows);
        weighted.extend(sizes.iter().map(|size| (size.abs(), 1.0 / sizes.len() as f64)));
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
