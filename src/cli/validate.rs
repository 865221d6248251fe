//! `validate`: predictions against measured runs.

use super::args::{LeftOutName, ValidateArgs};
use super::error::CliError;
use super::exit::ExitStatus;
use super::output::complain;
use super::percent::parse_percent;
use super::progress::Counter;
use super::runs::read_runs;
use super::session::{open_catalog, open_profiles};
use super::view::{show, with_threads};
use crate::report::phrases::validation as say;
use crate::report::view_validate::{ValidateView, document};
use crate::report::{Language, wire_validate};
use crate::units::text::percent_to_tenth;
use crate::validation::{Comparison, ValidationReport, validate};

/// Answers `validate`.
///
/// # Errors
/// Wrong input, runs that cannot be read, or an answer that cannot be written.
pub fn run(args: &ValidateArgs) -> Result<ExitStatus, CliError> {
    let common = &args.common;
    let tolerances = tolerances(&args.fail_above)?;
    let catalog = open_catalog(common)?;
    let profiles = open_profiles(common, &catalog)?;
    let runs = read_runs(&args.runs)?;
    let comparison = Comparison {
        catalog: &catalog,
        profiles: &profiles,
        left_out: args.cross_validate.map(LeftOutName::left_out),
    };
    let counter = Counter::new("refits", common.quiet);
    let report =
        with_threads(common.threads, || validate(&runs, &comparison, &|done, all| counter.show(done, all)))?;
    counter.clear();
    let missed = missed(&report, &tolerances, common.language())?;
    let view = ValidateView { report: &report, rows: args.rows, language: common.language() };
    let origin =
        wire_validate::Origin { catalog_hash: &catalog.content_hash, profile_hash: &profiles.content_hash };
    show(&document(&view), || wire_validate::validate(&report, origin), common.format)?;
    for line in &missed {
        complain(&format!("{line}\n"));
    }
    Ok(if missed.is_empty() { ExitStatus::Success } else { ExitStatus::OutsideTolerance })
}

/// The largest mean absolute error that is accepted.
#[derive(Debug, Clone, PartialEq)]
struct Tolerance {
    /// Beginning of source and architecture; `None` for the mean over sets.
    set: Option<String>,
    /// As a share.
    most: f64,
}

/// Reads `10%` or `SET=10%`.
fn tolerance(text: &str) -> Result<Tolerance, String> {
    let (set, percent) = match text.rsplit_once('=') {
        Some((set, percent)) => (Some(set.trim().to_owned()), percent),
        None => (None, text),
    };
    let most = parse_percent(percent).map_err(|e| format!("--fail-above: {e} or \"SET=10%\""))?;
    Ok(Tolerance { set, most })
}

fn tolerances(texts: &[String]) -> Result<Vec<Tolerance>, CliError> {
    let (good, bad): (Vec<_>, Vec<_>) = texts.iter().map(|t| tolerance(t)).partition(Result::is_ok);
    let bad: Vec<String> = bad.into_iter().filter_map(Result::err).collect();
    if bad.is_empty() { Ok(good.into_iter().flatten().collect()) } else { Err(CliError::Usage(bad)) }
}

/// Every tolerance that is not kept, in words. A figure that is no number keeps none.
fn missed(
    report: &ValidationReport,
    tolerances: &[Tolerance],
    lang: Language,
) -> Result<Vec<String>, CliError> {
    let mut lines = Vec::new();
    for tolerance in tolerances {
        let figures: Vec<(String, f64)> = match &tolerance.set {
            None => {
                let mean = report.mean_over_sets.unwrap_or(f64::NAN);
                vec![(say::MEAN_ERROR.owned(lang), mean)]
            }
            Some(begin) => report
                .families
                .iter()
                .map(|set| (format!("{} {}", set.errors.family, set.errors.architecture), set.errors.mean))
                .filter(|(name, _)| name.starts_with(begin.as_str()))
                .collect(),
        };
        if figures.is_empty() {
            let set = tolerance.set.as_deref().unwrap_or_default();
            let message =
                format!("--fail-above: no set begins with {set:?}; the table without it names the sets");
            return Err(CliError::usage(message));
        }
        for (name, mean) in figures {
            // Written so that a figure that is no number is missed.
            if !mean.le(&tolerance.most) {
                let arguments = [name, percent_to_tenth(mean), percent_to_tenth(tolerance.most)];
                lines.push(say::TOLERANCE_MISSED.fill(lang, &arguments.each_ref().map(String::as_str)));
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_has_its_unit_and_may_name_a_set() {
        assert_eq!(tolerance("10%"), Ok(Tolerance { set: None, most: 0.1 }));
        assert_eq!(tolerance("a b=7.5 %"), Ok(Tolerance { set: Some("a b".to_owned()), most: 0.075 }));
        for bad in ["10", "a=10"] {
            assert!(tolerance(bad).is_err(), "{bad}");
        }
    }
}
