//! How far predictions of unseen models lie from measurement, and the profiles that a fit leaves behind.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::informs_stack;
use super::fit::Fit;
use super::scenario::Prepared;
use crate::profile::{Grade, StackProfile};

/// Standard deviation of ln(time) under which 80 % of some residuals lie inside the 80 % interval; `None` without
/// residuals. A small sample is widened by its own uncertainty, `1 + 1/n`.
pub fn spread(log_ratios: &[f64]) -> Option<f64> {
    let mut sizes: Vec<f64> = log_ratios.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let n = sizes.len();
    let at = ((n as f64 + 1.0) * 0.8).ceil() as usize;
    let size = sizes.get(at.min(n).checked_sub(1)?)?;
    Some(size / NORMAL_P90 * (1.0 + 1.0 / n as f64))
}

/// The 90 % quantile of the standard normal distribution.
const NORMAL_P90: f64 = 1.281_551_565_545;

/// Rows from which an architecture has a spread of its own within a stack.
const OWN_SPREAD_FROM: usize = 8;

/// Residuals of a stack, of all rows and of one architecture; the spread of the latter if there are rows enough.
fn spread_on(
    rows: &[&Prepared<'_>],
    log_ratios: &[f64],
    stack: &str,
    architecture: Option<&str>,
) -> Option<f64> {
    let mine = rows.iter().zip(log_ratios).filter(|(r, _)| {
        r.stack.id == stack
            && informs_stack(r)
            && architecture.is_none_or(|name| r.machine.gpu.architecture == name)
    });
    let residuals: Vec<f64> = mine.map(|(_, e)| *e).collect();
    if architecture.is_some() && residuals.len() < OWN_SPREAD_FROM {
        return None;
    }
    spread(&residuals)
}

/// Standard deviation of ln(time) for each row: the spread of held-out residuals of its stack on its architecture.
pub fn spreads(rows: &[&Prepared<'_>], log_ratios: &[f64]) -> Vec<f64> {
    let mut known: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for row in rows {
        let (stack, architecture) = (row.stack.id.as_str(), row.machine.gpu.architecture.as_str());
        known.entry((stack, architecture)).or_insert_with(|| {
            spread_on(rows, log_ratios, stack, Some(architecture))
                .or_else(|| spread_on(rows, log_ratios, stack, None))
                .unwrap_or(f64::NAN)
        });
    }
    rows.iter().map(|r| known[&(r.stack.id.as_str(), r.machine.gpu.architecture.as_str())]).collect()
}

/// Final profiles: coefficients, the spread of held-out residuals by stack, the GPUs seen.
pub fn fitted_stacks(
    fit: &Fit,
    stacks: &[StackProfile],
    rows: &[&Prepared<'_>],
    log_ratios: &[f64],
) -> Vec<StackProfile> {
    let own = |base: &StackProfile| {
        let mine: Vec<(&Prepared<'_>, f64)> = rows
            .iter()
            .zip(log_ratios)
            .filter(|(r, _)| r.stack.id == base.id && informs_stack(r))
            .map(|(r, e)| (*r, *e))
            .collect();
        let mut stack = fit.stack(base);
        stack.fitted_gpus.clear();
        let Some(sigma) = spread_on(rows, log_ratios, &base.id, None) else { return stack };
        stack.residual = sigma;
        let architectures: BTreeSet<&str> =
            mine.iter().map(|(r, _)| r.machine.gpu.architecture.as_str()).collect();
        stack.residual_by_architecture = architectures
            .into_iter()
            .filter_map(|a| Some((a.to_owned(), spread_on(rows, log_ratios, &base.id, Some(a))?)))
            .collect();
        let sizes = mine.iter().map(|(r, _)| r.workload.parameters);
        stack.fitted_parameters =
            Some((sizes.clone().fold(f64::INFINITY, f64::min), sizes.fold(0.0, f64::max)));
        let gpus: BTreeSet<&str> = mine.iter().map(|(r, _)| r.run.gpu.as_str()).collect();
        stack.grade = Grade::B;
        stack.fitted_gpus = gpus.into_iter().map(str::to_owned).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_of_five_residuals_lie_inside_the_interval() {
        let residuals: Vec<f64> = (1..=99).map(|i| f64::from(i) / 100.0).collect();
        let sigma = spread(&residuals).unwrap();
        assert!((sigma * NORMAL_P90 - 0.80 * (1.0 + 1.0 / 99.0)).abs() < 1e-9, "{sigma}");
        assert_eq!(spread(&[]), None);
    }
}
