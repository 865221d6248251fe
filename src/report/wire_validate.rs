//! Comparisons with measured runs and fits to them as JSON: `schema/validate.schema.json`,
//! `schema/calibrate-fit.schema.json`.

use serde::Serialize;

use crate::validation::{
    CoefficientChange, FamilyChoices, FittedParameter, PlanChoice, RowResult, Scope, SkippedRows, StackFit,
    ValidatedSet, ValidationReport,
};

/// Version of the layout.
const SCHEMA_VERSION: u32 = 1;

/// Facts about the run that the answer states.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Hash of the catalog.
    pub catalog_hash: &'a str,
    /// Hash of the profiles.
    pub profile_hash: &'a str,
}

#[derive(Serialize)]
struct ValidateWire<'a> {
    schema_version: u32,
    left_out: Option<&'static str>,
    rows: Vec<RowWire<'a>>,
    families: Vec<SetWire<'a>>,
    mean_over_sets: Option<f64>,
    baseline_over_sets: Option<f64>,
    skipped: Vec<SkippedWire<'a>>,
    uncounted: Vec<UncountedWire<'a>>,
    plan_choices: Vec<ChoiceWire<'a>>,
    family_choices: Vec<FamilyChoicesWire<'a>>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct RowWire<'a> {
    id: &'a str,
    family: &'a str,
    metric: &'static str,
    quality: &'static str,
    measured: f64,
    predicted: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    error: Option<f64>,
    grade: Option<&'static str>,
    assumed: &'a [String],
    skip_reason: Option<&'a str>,
}

#[derive(Serialize)]
struct SetWire<'a> {
    family: &'a str,
    architecture: &'a str,
    rows: usize,
    skipped_rows: usize,
    median_error: f64,
    mean_error: f64,
    p90_error: f64,
    bias: f64,
    coverage: f64,
    constant_utilization_mean_error: Option<f64>,
}

#[derive(Serialize)]
struct SkippedWire<'a> {
    family: &'a str,
    architecture: Option<&'a str>,
    reason: &'static str,
    rows: usize,
    ids: &'a [String],
}

#[derive(Serialize)]
struct UncountedWire<'a> {
    family: &'a str,
    quality: &'static str,
    rows: usize,
}

#[derive(Serialize)]
struct ChoiceWire<'a> {
    family: &'a str,
    job: &'a str,
    plans: usize,
    pair_order: f64,
    regret: f64,
}

#[derive(Serialize)]
struct FamilyChoicesWire<'a> {
    family: &'a str,
    groups: usize,
    plans: usize,
    mean_pair_order: f64,
    least_pair_order: f64,
    mean_regret: f64,
    most_regret: f64,
}

#[derive(Serialize)]
struct ProvenanceWire<'a> {
    version: &'static str,
    catalog_hash: &'a str,
    profile_hash: &'a str,
}

#[derive(Serialize)]
struct FitWire<'a> {
    schema_version: u32,
    left_out: Option<&'static str>,
    rows: usize,
    parameters: Vec<ParameterWire<'a>>,
    stacks: Vec<StackWire<'a>>,
    changes: Vec<ChangeWire<'a>>,
    families: Vec<SetWire<'a>>,
    mean_over_sets: Option<f64>,
    between_sources: Option<f64>,
    provenance: ProvenanceWire<'a>,
}

#[derive(Serialize)]
struct ParameterWire<'a> {
    scope: &'static str,
    of: Option<&'a str>,
    coefficient: &'static str,
    value_on_scale: f64,
}

#[derive(Serialize)]
struct StackWire<'a> {
    id: &'a str,
    residual: f64,
    grade: &'static str,
    fitted_gpus: &'a [String],
}

#[derive(Serialize)]
struct ChangeWire<'a> {
    stack: &'a str,
    coefficient: &'static str,
    loaded: f64,
    fitted: f64,
}

/// The comparison as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn validate(report: &ValidationReport, origin: Origin<'_>) -> Result<String, serde_json::Error> {
    let wire = ValidateWire {
        schema_version: SCHEMA_VERSION,
        left_out: report.left_out.map(crate::validation::LeftOut::name),
        rows: report.rows.iter().map(row).collect(),
        families: report.families.iter().map(set).collect(),
        mean_over_sets: report.mean_over_sets,
        baseline_over_sets: report.baseline_over_sets,
        skipped: report.skipped.iter().map(skipped).collect(),
        uncounted: report
            .uncounted
            .iter()
            .map(|u| UncountedWire { family: &u.family, quality: u.quality.name(), rows: u.rows })
            .collect(),
        plan_choices: report.plan_choices.iter().map(choice).collect(),
        family_choices: report.family_choices.iter().map(family_choices).collect(),
        provenance: provenance(origin),
    };
    text(&wire)
}

/// The fit as JSON text, indented, with a final line break.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn fit(fitted: &StackFit, origin: Origin<'_>) -> Result<String, serde_json::Error> {
    let report = &fitted.report;
    let seen = fitted.profiles.stacks.iter().filter(|s| !s.fitted_gpus.is_empty());
    let wire = FitWire {
        schema_version: SCHEMA_VERSION,
        left_out: report.left_out.map(crate::validation::LeftOut::name),
        rows: fitted.rows,
        parameters: fitted.fit.parameters.iter().map(parameter).collect(),
        stacks: seen
            .map(|s| StackWire {
                id: &s.id,
                residual: s.residual,
                grade: s.grade.letter(),
                fitted_gpus: &s.fitted_gpus,
            })
            .collect(),
        changes: fitted.changes.iter().map(change).collect(),
        families: report.families.iter().map(set).collect(),
        mean_over_sets: report.mean_over_sets,
        between_sources: fitted.between_sources,
        provenance: provenance(origin),
    };
    text(&wire)
}

fn text(wire: &impl Serialize) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(wire)?;
    text.push('\n');
    Ok(text)
}

const fn provenance(origin: Origin<'_>) -> ProvenanceWire<'_> {
    ProvenanceWire {
        version: env!("CARGO_PKG_VERSION"),
        catalog_hash: origin.catalog_hash,
        profile_hash: origin.profile_hash,
    }
}

fn parameter(parameter: &FittedParameter) -> ParameterWire<'_> {
    let (scope, of) = match &parameter.scope {
        Scope::Common => ("common", None),
        Scope::Kernels(kernels) => ("kernels", Some(kernels.name())),
        Scope::Stack(id) => ("stack", Some(id.as_str())),
        Scope::Architecture(name) => ("architecture", Some(name.as_str())),
    };
    ParameterWire { scope, of, coefficient: parameter.coefficient.key(), value_on_scale: parameter.value }
}

fn change(change: &CoefficientChange) -> ChangeWire<'_> {
    ChangeWire {
        stack: &change.stack,
        coefficient: change.coefficient.key(),
        loaded: change.loaded,
        fitted: change.fitted,
    }
}

fn row(row: &RowResult) -> RowWire<'_> {
    RowWire {
        id: &row.id,
        family: &row.family,
        metric: row.metric.name(),
        quality: row.quality.name(),
        measured: row.measured,
        predicted: row.predicted,
        low: row.low,
        high: row.high,
        error: row.error,
        grade: row.grade.map(crate::profile::Grade::letter),
        assumed: &row.assumed,
        skip_reason: row.skip_reason.as_deref(),
    }
}

fn set(set: &ValidatedSet) -> SetWire<'_> {
    let errors = &set.errors;
    SetWire {
        family: &errors.family,
        architecture: &errors.architecture,
        rows: errors.rows,
        skipped_rows: set.skipped,
        median_error: errors.median,
        mean_error: errors.mean,
        p90_error: errors.p90,
        bias: errors.bias,
        coverage: errors.coverage,
        constant_utilization_mean_error: Some(errors.baseline).filter(|b| b.is_finite()),
    }
}

fn skipped(skipped: &SkippedRows) -> SkippedWire<'_> {
    SkippedWire {
        family: &skipped.family,
        architecture: skipped.architecture.as_deref(),
        reason: skipped.reason.text(),
        rows: skipped.ids.len(),
        ids: &skipped.ids,
    }
}

fn choice(choice: &PlanChoice) -> ChoiceWire<'_> {
    ChoiceWire {
        family: &choice.family,
        job: &choice.job,
        plans: choice.plans,
        pair_order: choice.pair_order,
        regret: choice.regret,
    }
}

fn family_choices(choices: &FamilyChoices) -> FamilyChoicesWire<'_> {
    FamilyChoicesWire {
        family: &choices.family,
        groups: choices.groups,
        plans: choices.plans,
        mean_pair_order: choices.mean_pair_order,
        least_pair_order: choices.least_pair_order,
        mean_regret: choices.mean_regret,
        most_regret: choices.most_regret,
    }
}
