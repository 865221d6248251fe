//! The whole comparison: every row predicted or skipped with a reason, errors by set, choices among plans.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::cross_validation::{LeftOut, Progress, cross_validate_with};
use super::fit::FitOptions;
use super::layer_fit::{cross_validate_layers, layers_of_unseen_sources};
use super::metrics::{SetErrors, errors_by_set};
use super::plan_choice::{FamilyChoices, PlanChoice, choices_by_family, plan_choices};
use super::predict::predict;
use super::run::{Metric, Quality, Run};
use super::scenario::{Prepared, prepare};
use super::skip::{Skip, SkipReason};
use super::spread::{HeldOut, uncertainties};
use crate::catalog::Catalog;
use crate::profile::{Grade, Profiles};

/// One row of a report, numbers in the row's own metric.
#[derive(Debug, Clone, PartialEq)]
pub struct RowResult {
    /// Id.
    pub id: String,
    /// Source family.
    pub family: String,
    /// What was measured.
    pub metric: Metric,
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

/// Errors of a set, and how many of its strong rows have no prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidatedSet {
    /// Errors of the rows that have one.
    pub errors: SetErrors,
    /// Strong rows of the set that cannot be expressed.
    pub skipped: usize,
}

/// Strong rows of a set that were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRows {
    /// Source family.
    pub family: String,
    /// GPU architecture; `None` where the GPU is not in the catalog.
    pub architecture: Option<String>,
    /// Why.
    pub reason: SkipReason,
    /// Their ids, in the order of the files.
    pub ids: Vec<String>,
}

/// Rows of a family that count in no figure because they are not strong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncountedRows {
    /// Source family.
    pub family: String,
    /// Their quality.
    pub quality: Quality,
    /// How many.
    pub rows: usize,
}

/// The result of `validate`.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidationReport {
    /// What each counted prediction had not seen; `None` when the loaded coefficients predicted.
    pub left_out: Option<LeftOut>,
    /// Every row, in the order of the files.
    pub rows: Vec<RowResult>,
    /// Errors by set, of strong rows.
    pub families: Vec<ValidatedSet>,
    /// Mean of the sets' mean absolute errors; `None` without sets.
    pub mean_over_sets: Option<f64>,
    /// Mean of the sets' baselines, over those that have one.
    pub baseline_over_sets: Option<f64>,
    /// Strong rows that were skipped.
    pub skipped: Vec<SkippedRows>,
    /// Rows that are not strong.
    pub uncounted: Vec<UncountedRows>,
    /// Groups of several plans of one job on one cluster.
    pub plan_choices: Vec<PlanChoice>,
    /// The same by family.
    pub family_choices: Vec<FamilyChoices>,
}

/// What to compare with.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    /// GPUs and models.
    pub catalog: &'a Catalog,
    /// Hardware, networks, software.
    pub profiles: &'a Profiles,
    /// What is left out of each refit; `None` predicts with the loaded coefficients.
    pub left_out: Option<LeftOut>,
}

/// Compares runs with predictions. With `left_out` the coefficients are fitted again without each group of strong
/// rows, which are then predicted by a fit that has not seen them; rows that are not strong keep the loaded profile.
/// `progress` hears of every refit that is done.
pub fn validate(runs: &[Run], comparison: &Comparison<'_>, progress: Progress<'_>) -> ValidationReport {
    let prepared = prepare_all(runs, comparison.catalog, comparison.profiles);
    let held_out = comparison.left_out.map(|what| held_out(&strong(&prepared), what, progress));
    report(runs, comparison, &prepared, held_out.as_deref())
}

/// A row, or why it cannot be predicted.
pub(super) type MaybePrepared<'a> = Result<Prepared<'a>, Skip>;

pub(super) fn prepare_all<'a>(
    runs: &'a [Run],
    catalog: &'a Catalog,
    profiles: &'a Profiles,
) -> Vec<MaybePrepared<'a>> {
    runs.par_iter().map(|run| prepare(run, catalog, profiles)).collect()
}

/// The rows that count.
pub(super) fn strong<'p, 'a>(prepared: &'p [MaybePrepared<'a>]) -> Vec<&'p Prepared<'a>> {
    prepared.iter().flatten().filter(|p| p.run.quality == Quality::Strong).collect()
}

/// Predicts every row with its profile; `held_out` has ln(predicted / measured time) of the strong rows, where refits
/// take the place of the profiles.
pub(super) fn report(
    runs: &[Run],
    comparison: &Comparison<'_>,
    prepared: &[MaybePrepared<'_>],
    held_out: Option<&[f64]>,
) -> ValidationReport {
    let strong = strong(prepared);
    let held = held_out.zip(comparison.left_out).map(|(log_ratios, what)| HeldOut { what, log_ratios });
    let sigmas = uncertainties(&strong, held, &comparison.profiles.defaults);
    let mut rows = Vec::with_capacity(runs.len());
    let mut counted = Counted::default();
    let mut next_strong = 0;
    for (run, prepared) in runs.iter().zip(prepared) {
        let Ok(prepared) = prepared else {
            rows.push(skipped(run, prepared.as_ref().err()));
            continue;
        };
        let is_strong = run.quality == Quality::Strong;
        let held = held_out.filter(|_| is_strong).map(|errors| errors[next_strong]);
        let sigma = if is_strong {
            sigmas[next_strong]
        } else {
            uncertainties(&[prepared], None, &comparison.profiles.defaults)[0]
        };
        next_strong += usize::from(is_strong);
        let (row, log_ratio, step) = predicted(prepared, held, sigma);
        if is_strong {
            counted.push(log_ratio, sigma, step);
        }
        rows.push(row);
    }
    let skipped = skips(runs, prepared, comparison.catalog);
    let families = sets(errors_by_set(&strong, &counted.log_ratios, &counted.sigmas), &skipped);
    let plan_choices = plan_choices(&strong, &counted.log_ratios, &counted.steps);
    ValidationReport {
        left_out: comparison.left_out,
        rows,
        mean_over_sets: mean(families.iter().map(|s| s.errors.mean)),
        baseline_over_sets: mean(families.iter().map(|s| s.errors.baseline).filter(|b| b.is_finite())),
        families,
        skipped,
        uncounted: uncounted(runs),
        family_choices: choices_by_family(&plan_choices),
        plan_choices,
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = values.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

fn sets(errors: Vec<SetErrors>, skipped: &[SkippedRows]) -> Vec<ValidatedSet> {
    let missing = |errors: &SetErrors| {
        let of_set = |s: &&SkippedRows| {
            s.family == errors.family && s.architecture.as_deref() == Some(errors.architecture.as_str())
        };
        skipped.iter().filter(of_set).map(|s| s.ids.len()).sum()
    };
    errors.into_iter().map(|errors| ValidatedSet { skipped: missing(&errors), errors }).collect()
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

/// Groups of models that are left out together in fits of networks over samples.
const LAYER_FOLDS: usize = 8;

/// Held-out errors of both kinds of networks, each by fits to its own kind.
fn held_out(strong: &[&Prepared<'_>], what: LeftOut, progress: Progress<'_>) -> Vec<f64> {
    let mut errors = vec![f64::NAN; strong.len()];
    for layered in [false, true] {
        let members: Vec<usize> =
            (0..strong.len()).filter(|&i| strong[i].layered.is_some() == layered).collect();
        let rows: Vec<&Prepared<'_>> = members.iter().map(|&i| strong[i]).collect();
        let held = if layered {
            match what {
                LeftOut::Family => layers_of_unseen_sources(&rows),
                LeftOut::Model => cross_validate_layers(&rows, LAYER_FOLDS),
            }
        } else {
            cross_validate_with(&rows, &FitOptions::default(), what, progress)
        };
        for (i, error) in members.into_iter().zip(held) {
            errors[i] = error;
        }
    }
    errors
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
        metric: run.metric,
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

fn skips(runs: &[Run], prepared: &[MaybePrepared<'_>], catalog: &Catalog) -> Vec<SkippedRows> {
    let mut ids: BTreeMap<(&str, Option<&str>, SkipReason), Vec<String>> = BTreeMap::new();
    for (run, prepared) in runs.iter().zip(prepared) {
        if let (Err(skip), Quality::Strong) = (prepared, run.quality) {
            let architecture = catalog.find_gpu(&run.gpu).map(|id| catalog.gpu(id).architecture.as_str());
            ids.entry((&run.family, architecture, skip.reason)).or_default().push(run.id.clone());
        }
    }
    ids.into_iter()
        .map(|((family, architecture, reason), ids)| SkippedRows {
            family: family.to_owned(),
            architecture: architecture.map(str::to_owned),
            reason,
            ids,
        })
        .collect()
}

fn uncounted(runs: &[Run]) -> Vec<UncountedRows> {
    let mut counts: BTreeMap<(&str, Quality), usize> = BTreeMap::new();
    for run in runs.iter().filter(|r| r.quality != Quality::Strong) {
        *counts.entry((&run.family, run.quality)).or_insert(0) += 1;
    }
    let one = |((family, quality), rows): ((&str, _), _)| UncountedRows {
        family: family.to_owned(),
        quality,
        rows,
    };
    counts.into_iter().map(one).collect()
}
