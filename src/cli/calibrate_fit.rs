//! `calibrate fit`: coefficients of software stacks from measured runs.

use std::borrow::Cow;
use std::path::Path;

use super::args::CalibrateFitArgs;
use super::error::{CliError, unreadable};
use super::exit::ExitStatus;
use super::output::{complain, write_file};
use super::percent::parse_percent;
use super::progress::Counter;
use super::runs::read_runs;
use super::session::{open_catalog, open_profiles};
use super::view::{show, with_threads};
use crate::profile::{SourceFile, software_files};
use crate::report::phrases::validation as say;
use crate::report::view_fit::{FitView, document};
use crate::report::wire_validate;
use crate::units::text::percent_to_tenth;
use crate::validation::{Comparison, StackFit, fit_stacks};

/// Answers `calibrate fit`.
///
/// # Errors
/// Wrong input, runs that cannot be read, or an answer or file that cannot be written.
pub fn run(args: &CalibrateFitArgs) -> Result<ExitStatus, CliError> {
    let common = &args.common;
    let most = match &args.fail_above {
        Some(text) => Some(parse_percent(text).map_err(|e| CliError::usage(format!("--fail-above: {e}")))?),
        None => None,
    };
    if let Some(folder) = args.write.as_ref().filter(|f| !f.is_dir()) {
        let message = format!("--write: the folder {} does not exist; create it first", folder.display());
        return Err(CliError::usage(message));
    }
    let catalog = open_catalog(common)?;
    let profiles = open_profiles(common, &catalog)?;
    let runs = read_runs(&args.runs)?;
    let comparison =
        Comparison { catalog: &catalog, profiles: &profiles, left_out: args.cross_validate.left_out() };
    let counter = Counter::new("refits", common.quiet);
    let fitted = with_threads(common.threads, || {
        fit_stacks(&runs, &comparison, &|done, all| counter.show(done, all))
    })?;
    counter.clear();
    let written = match &args.write {
        Some(folder) => write(&fitted, folder)?,
        None => Vec::new(),
    };
    let view = FitView { fitted: &fitted, written: &written, language: common.language() };
    let origin =
        wire_validate::Origin { catalog_hash: &catalog.content_hash, profile_hash: &profiles.content_hash };
    show(&document(&view), || wire_validate::fit(&fitted, origin), common.format)?;
    match (most, fitted.largest_change()) {
        (Some(most), Some(change)) if !change.relative().abs().le(&most) => {
            let arguments = [
                change.coefficient.key().to_owned(),
                change.stack.clone(),
                percent_to_tenth(change.relative().abs()),
                percent_to_tenth(most),
            ];
            let line = say::CHANGE_MISSED.fill(common.language(), &arguments.each_ref().map(String::as_str));
            complain(&format!("{line}\n"));
            Ok(ExitStatus::OutsideTolerance)
        }
        _ => Ok(ExitStatus::Success),
    }
}

/// Writes every stack file; one that is in the folder already is the text that values are put into. All texts are read
/// before the first is written.
fn write(fitted: &StackFit, folder: &Path) -> Result<Vec<String>, CliError> {
    let mut texts = Vec::new();
    for embedded in software_files() {
        let path = folder.join(file_name(&embedded));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => Cow::Owned(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => embedded.text.clone(),
            Err(error) => return Err(unreadable(&path, error)),
        };
        texts.push(SourceFile { name: embedded.name, text });
    }
    let mut written = Vec::new();
    for file in fitted.files(&texts) {
        let path = folder.join(file_name(&file));
        write_file(&path, file.text.as_bytes())?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

fn file_name(file: &SourceFile) -> &str {
    file.name.rsplit('/').next().unwrap_or(&file.name)
}
