//! The whole comparison: every row predicted or skipped with a reason, errors by set, choices among plans.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::cross_validation::{LeftOut, cross_validate};
use super::fit::{FitOptions, spread};
use super::layer_fit::cross_validate_layers;
use super::metrics::{SetErrors, errors_by_set};
use super::plan_choice::{PlanChoice, plan_choices};
use super::predict::predict;
use super::run::{Quality, Run};
use super::scenario::{Prepared, prepare};
use super::skip::Skip;
use crate::catalog::Catalog;
use crate::profile::{Grade, Profiles};

/// One row of a report, numbers in the row's own metric.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RowResult {
    /// Id.
    pub id: String,
    /// Source family.
    pub family: String,
    /// Only strong rows count in error figures.
    pub quality: Quality,
    /// As published.
    pub measured: f64,
    /// As predicted.
    pub predicted: Option<f64>,
    /// 80 % interval.
    pub low: Option<f64>,
    /// Its other end.
    pub high: Option<f64>,
    /// Predicted over measured, less one.
    pub error: Option<f64>,
    /// Evidence.
    pub grade: Option<Grade>,
    /// What was filled in, as `name = value (reason)`.
    pub assumed: Vec<String>,
    /// Why there is no prediction.
    pub skip_reason: Option<String>,
}

/// Rows of a family that were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SkippedRows {
    /// Source family.
    pub family: String,
    /// Why.
    pub reason: &'static str,
    /// How many.
    pub rows: usize,
}

/// The result of `validate`.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ValidationReport {
    /// Every row, in the order of the files.
    pub rows: Vec<RowResult>,
    /// Errors by set, of strong rows.
    pub families: Vec<SetErrors>,
    /// Mean of the sets' mean absolute errors; `None` without sets.
    pub mean_over_sets: Option<f64>,
    /// Strong rows that were skipped.
    pub skipped: Vec<SkippedRows>,
    /// Groups of several plans of one job on one cluster.
    pub plan_choices: Vec<PlanChoice>,
}

/// Compares runs with predictions. With `left_out` the coefficients are fitted again without each group of strong
/// rows, which are then predicted by a fit that has not seen them; rows that are not strong keep the loaded profile.
pub fn validate(
    runs: &[Run],
    catalog: &Catalog,
    profiles: &Profiles,
    left_out: Option<LeftOut>,
) -> ValidationReport {
    let prepared: Vec<Result<Prepared<'_>, Skip>> =
        runs.par_iter().map(|run| prepare(run, catalog, profiles)).collect();
    let strong: Vec<&Prepared<'_>> =
        prepared.iter().flatten().filter(|p| p.run.quality == Quality::Strong).collect();
    let held_out = left_out.map(|what| held_out(&strong, what));
    let sigmas = sigmas(&strong, held_out.as_deref());

    let mut rows = Vec::with_capacity(runs.len());
    let mut counted = Counted::default();
    let mut next_strong = 0;
    for (run, prepared) in runs.iter().zip(&prepared) {
        let Ok(prepared) = prepared else {
            rows.push(skipped(run, prepared.as_ref().err()));
            continue;
        };
        let is_strong = run.quality == Quality::Strong;
        let held = held_out.as_ref().filter(|_| is_strong).map(|errors| errors[next_strong]);
        next_strong += usize::from(is_strong);
        let sigma = sigmas.get(&software(prepared)).copied().unwrap_or(prepared.profile().residual);
        let (row, log_ratio, step) = predicted(prepared, held, sigma);
        if is_strong {
            counted.push(log_ratio, sigma, step);
        }
        rows.push(row);
    }
    let families = errors_by_set(&strong, &counted.log_ratios, &counted.sigmas);
    let mean_over_sets =
        (!families.is_empty()).then(|| families.iter().map(|s| s.mean).sum::<f64>() / families.len() as f64);
    let plan_choices = plan_choices(&strong, &counted.log_ratios, &counted.steps);
    ValidationReport { rows, families, mean_over_sets, skipped: skips(runs, &prepared), plan_choices }
}

/// What the summary needs of strong rows.
#[derive(Default)]
struct Counted {
    log_ratios: Vec<f64>,
    sigmas: Vec<f64>,
    steps: Vec<f64>,
}

impl Counted {
    fn push(&mut self, log_ratio: f64, sigma: f64, step: f64) {
        self.log_ratios.push(log_ratio);
        self.sigmas.push(sigma);
        self.steps.push(step);
    }
}

/// Stack, and whether the coefficients are those of networks over samples.
type Software<'p> = (&'p str, bool);

fn software<'p>(row: &'p Prepared<'_>) -> Software<'p> {
    (&row.stack.id, row.layered.is_some())
}

/// Groups of models that are left out together in fits of networks over samples.
const LAYER_FOLDS: usize = 8;

/// Held-out errors of both kinds of networks, each by fits to its own kind.
fn held_out(strong: &[&Prepared<'_>], what: LeftOut) -> Vec<f64> {
    let mut errors = vec![f64::NAN; strong.len()];
    for layered in [false, true] {
        let members: Vec<usize> =
            (0..strong.len()).filter(|&i| strong[i].layered.is_some() == layered).collect();
        let rows: Vec<&Prepared<'_>> = members.iter().map(|&i| strong[i]).collect();
        let held = if layered {
            cross_validate_layers(&rows, LAYER_FOLDS)
        } else {
            cross_validate(&rows, &FitOptions::default(), what)
        };
        for (i, error) in members.into_iter().zip(held) {
            errors[i] = error;
        }
    }
    errors
}

/// Standard deviations by stack from held-out residuals; empty without them (the profiles' own count then).
fn sigmas<'p>(rows: &[&'p Prepared<'_>], held_out: Option<&[f64]>) -> BTreeMap<Software<'p>, f64> {
    let mut by_stack: BTreeMap<Software<'_>, Vec<f64>> = BTreeMap::new();
    for (row, error) in rows.iter().zip(held_out.unwrap_or_default()) {
        by_stack.entry(software(row)).or_default().push(*error);
    }
    by_stack.into_iter().filter_map(|(stack, errors)| Some((stack, spread(&errors)?))).collect()
}

/// A row with its prediction by the loaded profile, moved to the held-out error where there is one; then
/// ln(predicted / measured time) and the predicted step in seconds.
fn predicted(prepared: &Prepared<'_>, held: Option<f64>, sigma: f64) -> (RowResult, f64, f64) {
    let run = prepared.run;
    let Some(prediction) = predict(prepared, prepared.profile(), sigma) else {
        return (skipped(run, None), f64::NAN, f64::NAN);
    };
    let log_ratio = held.unwrap_or(prediction.log_time_ratio);
    let slower = (log_ratio - prediction.log_time_ratio).exp();
    let factor = if run.metric.is_rate() { 1.0 / slower } else { slower };
    let assumed = prepared.assumed.iter().map(|a| format!("{} = {} ({})", a.name, a.value, a.reason));
    let row = RowResult {
        predicted: Some(prediction.value * factor),
        low: Some(prediction.low * factor),
        high: Some(prediction.high * factor),
        error: Some(prediction.value * factor / run.value - 1.0),
        grade: Some(prediction.grade),
        assumed: assumed.collect(),
        ..skipped(run, None)
    };
    (row, log_ratio, prediction.estimate.total().get() * slower)
}

fn skipped(run: &Run, skip: Option<&Skip>) -> RowResult {
    RowResult {
        id: run.id.clone(),
        family: run.family.clone(),
        quality: run.quality,
        measured: run.value,
        predicted: None,
        low: None,
        high: None,
        error: None,
        grade: None,
        assumed: Vec::new(),
        skip_reason: skip.map(ToString::to_string),
    }
}

fn skips(runs: &[Run], prepared: &[Result<Prepared<'_>, Skip>]) -> Vec<SkippedRows> {
    let mut counts: BTreeMap<(&str, &'static str), usize> = BTreeMap::new();
    for (run, prepared) in runs.iter().zip(prepared) {
        if let (Err(skip), Quality::Strong) = (prepared, run.quality) {
            *counts.entry((&run.family, skip.reason.text())).or_insert(0) += 1;
        }
    }
    counts
        .into_iter()
        .map(|((family, reason), rows)| SkippedRows { family: family.to_owned(), reason, rows })
        .collect()
}
