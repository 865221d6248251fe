//! Errors on rows that the fit has not seen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::evidence::informs_stack;
use super::fit::{FitOptions, fit};
use super::predict::log_time_ratio;
use super::scenario::Prepared;

/// What is left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// All rows of a model shape (layers, hidden size, heads), whatever their source.
    Model,
    /// All rows of a source family.
    Family,
}

impl LeftOut {
    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Family => "family",
        }
    }

    fn key(self, row: &Prepared<'_>) -> String {
        match self {
            Self::Family => row.run.family.clone(),
            Self::Model => match row.workload.attention {
                Some(a) => format!("{} x {} / {}", row.workload.layers(), a.hidden, a.heads),
                None => row.workload.name.clone(),
            },
        }
    }
}

/// Hears how many refits of how many are done; called from several threads.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);

/// For each row, ln(predicted / measured time) under a fit without its group, to rows that say something about stacks.
///
/// Refits start from the prior, not from the fit to all rows: that would leak what it has seen wherever the descent
/// stops early.
pub fn cross_validate(rows: &[&Prepared<'_>], options: &FitOptions, left_out: LeftOut) -> Vec<f64> {
    cross_validate_with(rows, options, left_out, &|_, _| {})
}

/// The same, telling `progress` of every refit that is done.
pub fn cross_validate_with(
    rows: &[&Prepared<'_>],
    options: &FitOptions,
    left_out: LeftOut,
    progress: Progress<'_>,
) -> Vec<f64> {
    let mut folds: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        folds.entry(left_out.key(row)).or_default().push(i);
    }
    let folds: Vec<Vec<usize>> = folds.into_values().collect();
    let done = AtomicUsize::new(0);
    let parts: Vec<Vec<(usize, f64)>> = folds
        .par_iter()
        .map(|members| {
            let mut outside = vec![false; rows.len()];
            for &i in members {
                outside[i] = true;
            }
            let kept: Vec<&Prepared<'_>> = rows
                .iter()
                .zip(&outside)
                .filter(|(r, out)| !**out && informs_stack(r))
                .map(|(r, _)| *r)
                .collect();
            let refit = fit(&kept, options);
            let held = |&i: &usize| {
                let row = rows[i];
                let stack = refit.profile(row.stack, &row.machine.gpu.architecture);
                (i, log_time_ratio(row, &stack).unwrap_or(f64::NAN))
            };
            let errors = members.iter().map(held).collect();
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, folds.len());
            errors
        })
        .collect();
    let mut errors = vec![f64::NAN; rows.len()];
    for (i, error) in parts.into_iter().flatten() {
        errors[i] = error;
    }
    errors
}
