//! Rows of a fit, grouped by what decides their coefficients.
//!
//! Values of all scopes that apply to a group add on a coefficient's scale, so the derivative of a residual by any of
//! them is that by the coefficient: one evaluation of all rows for each coefficient, however many numbers are free.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::predict::log_time_ratio;
use super::scenario::Prepared;
use crate::numeric::least_squares::Problem;
use crate::profile::StackProfile;

/// Rows that share their coefficients.
pub(super) struct Group<'f, K> {
    /// What decides them.
    pub key: K,
    /// The stack as loaded.
    pub base: &'f StackProfile,
    /// Places of the rows.
    members: Vec<usize>,
}

/// The free numbers of a fit, and what they make of a group.
pub(super) trait FreeNumbers<K>: Sync {
    /// What a free number moves.
    type Coefficient: Copy + Ord + Send + Sync;
    /// The coefficient of every free number, in their order.
    fn coefficients(&self) -> Vec<Self::Coefficient>;
    /// True when a free number moves a group.
    fn applies(&self, number: usize, group: &Group<'_, K>) -> bool;
    /// The profile of a group, with one coefficient moved by so much on its scale.
    fn profile(
        &self,
        group: &Group<'_, K>,
        values: &[f64],
        moved: Option<(Self::Coefficient, f64)>,
    ) -> StackProfile;
}

/// The rows of a fit and its free numbers: residuals are ln(predicted / measured time).
pub(super) struct GroupedRows<'f, 'a, K, N> {
    rows: &'f [&'f Prepared<'a>],
    groups: Vec<Group<'f, K>>,
    free: &'f N,
}

/// Step of a derivative on the fit's scale.
const DERIVATIVE_STEP: f64 = 3e-3;
/// Stands for a row that has no prediction; such rows are not in a fit, so it never appears.
const NO_PREDICTION: f64 = 0.0;

/// Groups rows by what decides their coefficients.
pub(super) fn groups<'f, 'a, K: Ord + Copy>(
    rows: &[&'f Prepared<'a>],
    key: impl Fn(&'f Prepared<'a>) -> K,
) -> Vec<Group<'f, K>> {
    let mut by_key: BTreeMap<K, Group<'f, K>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        let key = key(row);
        let group = by_key.entry(key).or_insert_with(|| Group { key, base: row.stack, members: Vec::new() });
        group.members.push(i);
    }
    by_key.into_values().collect()
}

impl<'f, 'a, K: Sync, N: FreeNumbers<K>> GroupedRows<'f, 'a, K, N> {
    pub(super) fn new(rows: &'f [&'f Prepared<'a>], groups: Vec<Group<'f, K>>, free: &'f N) -> Self {
        Self { rows, groups, free }
    }

    /// Residuals of one group.
    fn of_group(&self, group: &Group<'_, K>, values: &[f64]) -> Vec<f64> {
        let stack = self.free.profile(group, values, None);
        group.members.iter().map(|&i| log_time_ratio(self.rows[i], &stack).unwrap_or(NO_PREDICTION)).collect()
    }

    /// Derivatives of all residuals by one coefficient, whoever it belongs to.
    fn derivatives(&self, coefficient: N::Coefficient, values: &[f64], residuals: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.rows.len()];
        for group in &self.groups {
            let stack = self.free.profile(group, values, Some((coefficient, DERIVATIVE_STEP)));
            for &i in &group.members {
                let there = log_time_ratio(self.rows[i], &stack).unwrap_or(residuals[i]);
                all[i] = (there - residuals[i]) / DERIVATIVE_STEP;
            }
        }
        all
    }

    /// The rows that a free number moves.
    fn column(&self, number: usize, derivatives: &[f64]) -> Vec<(usize, f64)> {
        let moved = self.groups.iter().filter(|g| self.free.applies(number, g));
        let members = moved.flat_map(|g| g.members.iter());
        let mut column: Vec<(usize, f64)> =
            members.map(|&i| (i, derivatives[i])).filter(|&(_, d)| d != 0.0).collect();
        column.sort_by_key(|&(i, _)| i);
        column
    }
}

impl<K: Sync, N: FreeNumbers<K>> Problem for GroupedRows<'_, '_, K, N> {
    fn residuals(&self, values: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.rows.len()];
        let parts: Vec<Vec<f64>> = self.groups.par_iter().map(|g| self.of_group(g, values)).collect();
        for (group, part) in self.groups.iter().zip(parts) {
            for (&i, r) in group.members.iter().zip(part) {
                all[i] = r;
            }
        }
        all
    }

    fn columns(&self, values: &[f64], residuals: &[f64]) -> Vec<Vec<(usize, f64)>> {
        let coefficients = self.free.coefficients();
        let mut wanted = coefficients.clone();
        wanted.sort_unstable();
        wanted.dedup();
        let derivatives: BTreeMap<N::Coefficient, Vec<f64>> =
            wanted.into_par_iter().map(|c| (c, self.derivatives(c, values, residuals))).collect();
        let numbered = coefficients.iter().enumerate();
        numbered.map(|(number, c)| self.column(number, &derivatives[c])).collect()
    }
}
