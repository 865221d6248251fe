//! How far predictions of unseen models and sources lie from measurement, and the profiles that a fit leaves behind.

use std::collections::{BTreeMap, BTreeSet};

use super::cross_validation::LeftOut;
use super::evidence::{informs_stack, is_transformer};
use super::fit::Fit;
use super::predict::fastest;
use super::scenario::Prepared;
use crate::profile::{Defaults, Grade, StackProfile};
use crate::simulator::{memory, step_time, uncertainty};

/// Standard deviation of ln(time) under which 80 % of some residuals lie inside the 80 % interval, and the next one as
/// well (split-conformal: the `0.8 (n + 1)`-th size); `None` without residuals. Samples of less than four have no such
/// size: their largest counts, times `1 + 1/n`.
pub fn spread(log_ratios: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = log_ratios.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let n = sizes.len();
    let at = ((n as f64 + 1.0) * 0.8).ceil() as usize;
    let size = sizes.get(at.min(n).checked_sub(1)?)?;
    let few = if at > n { 1.0 + 1.0 / n as f64 } else { 1.0 };
    Some(size / NORMAL_P90 * few)
}

/// The 90 % quantile of the standard normal distribution.
pub(super) const NORMAL_P90: f64 = 1.281_551_565_545;

/// Rows from which an architecture has a spread of its own within a stack.
const OWN_SPREAD_FROM: usize = 8;

/// Rows of one stack that say something about it, and what predictions missed of them.
type Evidence<'r, 'a> = Vec<(&'r Prepared<'a>, f64)>;

fn evidence<'r, 'a>(rows: &[&'r Prepared<'a>], log_ratios: &[f64], stack: &str) -> Evidence<'r, 'a> {
    let all = rows.iter().zip(log_ratios);
    all.filter(|(r, _)| r.stack.id == stack && informs_stack(r)).map(|(r, e)| (*r, *e)).collect()
}

/// The profile with what is known of its evidence: spreads, sizes, GPUs, sources; without rows there is none, and the
/// GPU alone speaks.
fn known_by(stack: &StackProfile, rows: &Evidence<'_, '_>) -> StackProfile {
    let mut own = stack.clone();
    own.fitted_gpus.clear();
    own.fitted_sources.clear();
    own.residual_by_architecture.clear();
    let residuals = |architecture: Option<&str>| -> Vec<f64> {
        let of = |r: &Prepared<'_>| architecture.is_none_or(|a| r.machine.gpu.architecture == a);
        rows.iter().filter(|(r, _)| of(r)).map(|(_, e)| *e).collect()
    };
    let Some(sigma) = spread(&residuals(None)) else {
        own.grade = own.grade.max(Grade::C);
        own.fitted_parameters = None;
        return own;
    };
    own.residual = sigma;
    let names = |of: &dyn Fn(&Prepared<'_>) -> String| -> Vec<String> {
        let all: BTreeSet<String> = rows.iter().map(|(r, _)| of(r)).collect();
        all.into_iter().collect()
    };
    for name in names(&|r| r.machine.gpu.architecture.clone()) {
        let mine = residuals(Some(&name));
        if let Some(sigma) = spread(&mine).filter(|_| mine.len() >= OWN_SPREAD_FROM) {
            own.residual_by_architecture.push((name, sigma));
        }
    }
    let sizes = rows.iter().map(|(r, _)| r.workload.parameters);
    own.fitted_parameters = Some((sizes.clone().fold(f64::INFINITY, f64::min), sizes.fold(0.0, f64::max)));
    own.grade = Grade::B;
    own.fitted_gpus = names(&|r| r.run.gpu.clone());
    own.fitted_sources = names(&|r| r.run.family.clone());
    own
}

/// What predictions of rows by refits missed.
#[derive(Debug, Clone, Copy)]
pub struct HeldOut<'e> {
    /// What was left out.
    pub what: LeftOut,
    /// ln(predicted / measured time), a row each.
    pub log_ratios: &'e [f64],
}

/// Standard deviation of ln(time) for each row, as whoever asks for that row's job is told.
///
/// Without `held_out` by the loaded profiles. With models left out the spreads are those of these residuals, as a fit to
/// these rows would write them. With sources left out a stack is known by what other sources say of it, with the spreads
/// of the loaded profile.
pub fn uncertainties(rows: &[&Prepared<'_>], held_out: Option<HeldOut<'_>>, defaults: &Defaults) -> Vec<f64> {
    let mut known: BTreeMap<(&str, &str), StackProfile> = BTreeMap::new();
    let of = |row: &&Prepared<'_>, stack: &StackProfile| {
        let Some((plan, _)) = fastest(row, row.profile()) else { return f64::NAN };
        let scenario = row.scenario(stack);
        let (step, memory) = (step_time(&scenario, &plan), memory(&scenario, &plan));
        uncertainty(&scenario, &step, &memory, defaults, Some(&row.run.family))
    };
    let mut sigmas = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(held) = held_out.filter(|_| is_transformer(row)) else {
            sigmas.push(of(row, row.profile()));
            continue;
        };
        let without = if held.what == LeftOut::Family { row.run.family.as_str() } else { "" };
        let stack = known.entry((&row.stack.id, without)).or_insert_with(|| {
            let mut mine = evidence(rows, held.log_ratios, &row.stack.id);
            mine.retain(|(r, _)| r.run.family != without);
            let mut stack = known_by(row.stack, &mine);
            if held.what == LeftOut::Family {
                stack.residual = row.stack.residual;
                let of = |(name, _): &(String, f64)| (name.clone(), row.stack.residual_on(name));
                stack.residual_by_architecture = stack.residual_by_architecture.iter().map(of).collect();
            }
            stack
        });
        sigmas.push(of(row, stack));
    }
    sigmas
}

/// Final profiles: coefficients, the spread of held-out residuals by stack, the GPUs and sources seen.
pub fn fitted_stacks(
    fit: &Fit,
    stacks: &[StackProfile],
    rows: &[&Prepared<'_>],
    log_ratios: &[f64],
) -> Vec<StackProfile> {
    let own = |base: &StackProfile| {
        let mine = evidence(rows, log_ratios, &base.id);
        let fitted = fit.stack(base);
        if mine.is_empty() {
            return StackProfile { fitted_gpus: Vec::new(), ..fitted };
        }
        let mut stack = known_by(&fitted, &mine);
        let mean = mine.iter().map(|(_, e)| e.exp_m1().abs()).sum::<f64>() / mine.len() as f64;
        stack.source = format!(
            "fitted to {} published runs of this stack; mean absolute error {:.1} % of time with each model left out",
            mine.len(),
            mean * 100.0
        );
        stack
    };
    stacks.iter().map(own).collect()
}

/// Spread of ln(time) between sources, from rows predicted by fits without their source: the value that, added in
/// squares to what else is uncertain of a row, puts 80 % of the rows inside their interval, every source alike; zero
/// where nothing need be added. Rows of stacks that one source alone knows do not count; `None` without others.
pub fn between_sources(rows: &[&Prepared<'_>], log_ratios: &[f64], defaults: &Defaults) -> Option<f64> {
    let without = Defaults { other_source_sigma: 0.0, ..defaults.clone() };
    let within = uncertainties(rows, Some(HeldOut { what: LeftOut::Family, log_ratios }), &without);
    let mut sources: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|r| informs_stack(r)) {
        sources.entry(&row.stack.id).or_default().insert(&row.run.family);
    }
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    let elsewhere = |r: &Prepared<'_>| sources.get(r.stack.id.as_str()).is_some_and(|s| s.len() > 1);
    let known: Vec<usize> =
        (0..rows.len()).filter(|&i| informs_stack(rows[i]) && elsewhere(rows[i])).collect();
    for &i in &known {
        *counts.entry(&rows[i].run.family).or_insert(0.0) += 1.0;
    }
    // Each row asks for a spread of its own: what is missing to put it on the edge of the interval.
    let mut wanted: Vec<(f64, f64)> = known
        .iter()
        .map(|&i| {
            let edge = log_ratios[i].abs() / NORMAL_P90;
            let missing = (edge * edge - within[i] * within[i]).max(0.0).sqrt();
            (missing, 1.0 / counts[rows[i].run.family.as_str()])
        })
        .collect();
    serves_most(&mut wanted)
}

/// The least spread that serves 80 % of what is wanted, each a spread and its weight; `None` of nothing.
pub fn serves_most(wanted: &mut [(f64, f64)]) -> Option<f64> {
    wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: f64 = wanted.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    let at = wanted.iter().find(|(_, weight)| {
        below += weight;
        below >= 0.8 * all * (1.0 - f64::EPSILON * 8.0)
    });
    at.map(|(missing, _)| *missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_of_five_alike_are_served_and_weights_count() {
        let mut alike = [(0.5, 1.0), (0.1, 1.0), (0.4, 1.0), (0.2, 1.0), (0.3, 1.0)];
        assert_eq!(serves_most(&mut alike), Some(0.4));
        assert_eq!(serves_most(&mut [(0.1, 9.0), (0.9, 1.0)]), Some(0.1));
        assert_eq!(serves_most(&mut []), None);
    }

    #[test]
    fn four_of_five_residuals_lie_inside_the_interval() {
        let residuals: Vec<f64> = (1..=99).map(|i| f64::from(i) / 100.0).collect();
        let sigma = spread(&residuals).unwrap();
        assert!((sigma * NORMAL_P90 - 0.80).abs() < 1e-9, "{sigma}");
        assert_eq!(spread(&[]), None);
        // One residual alone says little: twice its size.
        assert!((spread(&[0.1]).unwrap() * NORMAL_P90 - 0.2).abs() < 1e-9);
    }
}
