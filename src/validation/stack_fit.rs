//! The fit of all software stacks, from runs to files.

use std::borrow::Cow;

use super::coefficient::Coefficient;
use super::cross_validation::{LeftOut, Progress, cross_validate_with};
use super::evidence::{informs_stack, is_transformer};
use super::fit::{Fit, FitOptions, fit};
use super::predict::log_time_ratio;
use super::run::Run;
use super::scenario::Prepared;
use super::spread::{between_sources, fitted_stacks};
use super::validate::{Comparison, MaybePrepared, ValidationReport, prepare_all, report, strong};
use super::write::{common_text, stack_text};
use crate::profile::{Profiles, SourceFile};

/// A coefficient of a stack before and after a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct CoefficientChange {
    /// The stack.
    pub stack: String,
    /// Which coefficient.
    pub coefficient: Coefficient,
    /// As it was.
    pub loaded: f64,
    /// As fitted.
    pub fitted: f64,
}

impl CoefficientChange {
    /// Fitted over loaded, less one.
    pub fn relative(&self) -> f64 {
        self.fitted / self.loaded - 1.0
    }
}

/// Coefficients of all stacks, fitted to runs.
#[derive(Debug, Clone)]
pub struct StackFit {
    /// The parameters.
    pub fit: Fit,
    /// The profiles with the fitted stacks in them.
    pub profiles: Profiles,
    /// Errors under the fit, of held-out rows where that was asked for.
    pub report: ValidationReport,
    /// Strong rows that were fitted.
    pub rows: usize,
    /// Spread of ln(time) between sources, when sources were left out and stacks are known from several.
    pub between_sources: Option<f64>,
    /// What the fit changes in stacks that have rows, by stack and coefficient.
    pub changes: Vec<CoefficientChange>,
}

/// Fits every stack to the strong rows of the runs. With `left_out` each stack's spread comes from refits that have not
/// seen the row, else from the fit itself. Deterministic: the same runs give the same bits at any thread count.
pub fn fit_stacks(runs: &[Run], comparison: &Comparison<'_>, progress: Progress<'_>) -> StackFit {
    let Comparison { catalog, profiles, left_out } = *comparison;
    let options = FitOptions::default();
    let prepared = prepare_all(runs, catalog, profiles);
    let mut rows = strong(&prepared);
    rows.retain(|row| is_transformer(row));
    let seen_rows: Vec<&Prepared<'_>> = rows.iter().copied().filter(|row| informs_stack(row)).collect();
    let found = fit(&seen_rows, &options);
    let held_out = left_out.map(|what| cross_validate_with(&rows, &options, what, progress));
    let in_sample = || {
        rows.iter()
            .map(|row| {
                let stack = found.profile(row.stack, &row.machine.gpu.architecture);
                log_time_ratio(row, &stack).unwrap_or(f64::NAN)
            })
            .collect::<Vec<f64>>()
    };
    let errors = held_out.clone().unwrap_or_else(in_sample);
    let stacks = fitted_stacks(&found, &profiles.stacks, &rows, &errors);
    let seen = |id: &str| rows.iter().any(|row| row.stack.id == id);
    let changes = profiles
        .stacks
        .iter()
        .zip(&stacks)
        .filter(|(stack, _)| seen(&stack.id))
        .flat_map(|(loaded, fitted)| {
            Coefficient::ALL.into_iter().map(|coefficient| CoefficientChange {
                stack: loaded.id.clone(),
                coefficient,
                loaded: coefficient.get(loaded),
                fitted: coefficient.get(fitted),
            })
        })
        .filter(|change| change.loaded != change.fitted)
        .collect();
    let sources_out = held_out.as_ref().filter(|_| left_out == Some(LeftOut::Family));
    let between = sources_out.and_then(|errors| between_sources(&rows, errors, &profiles.defaults));
    let rows = seen_rows.len();
    let fitted = Profiles { stacks, ..profiles.clone() };
    let again = prepare_all(runs, catalog, &fitted);
    let comparison = Comparison { profiles: &fitted, ..*comparison };
    let report = report(runs, &comparison, &again, held_out.map(|errors| of_all(&again, errors)).as_deref());
    drop(again);
    StackFit { fit: found, profiles: fitted, report, rows, between_sources: between, changes }
}

/// Errors of all strong rows: the held-out ones of transformers, and of the others, which these fits do not touch, those
/// of the loaded coefficients.
fn of_all(prepared: &[MaybePrepared<'_>], held_out: Vec<f64>) -> Vec<f64> {
    let mut held_out = held_out.into_iter();
    let own = |row: &&Prepared<'_>| {
        if is_transformer(row) { held_out.next() } else { log_time_ratio(row, row.profile()) }
    };
    strong(prepared).iter().map(own).map(|error| error.unwrap_or(f64::NAN)).collect()
}

impl StackFit {
    /// The change that is largest in size.
    pub fn largest_change(&self) -> Option<&CoefficientChange> {
        self.changes.iter().max_by(|a, b| a.relative().abs().total_cmp(&b.relative().abs()))
    }

    /// The texts of stack files with the fitted values in them, in the order given; what is not fitted stays as it is.
    pub fn files(&self, texts: &[SourceFile]) -> Vec<SourceFile> {
        let source = format!("fitted to {} published runs of all stacks together", self.rows);
        let fitted = |file: &SourceFile| {
            let stem = file.name.rsplit('/').next().and_then(|name| name.strip_suffix(".toml"));
            let text = match stem {
                Some("common") => common_text(&file.text, &self.fit, &source),
                Some(stem) => match self.profiles.stack(stem) {
                    Some(stack) => stack_text(&file.text, stack, &self.fit),
                    None => file.text.to_string(),
                },
                None => file.text.to_string(),
            };
            SourceFile { name: file.name.clone(), text: Cow::Owned(text) }
        };
        texts.iter().map(fitted).collect()
    }
}
