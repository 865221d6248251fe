//! `simulate --report`: what the job costs, as a file.

use std::path::{Path, PathBuf};

use super::args::QuoteTerms;
use super::error::CliError;
use super::output::{check_target, remark, write_file};
use super::problems::Problems;
use super::quote_input as input;
use super::quote_lines::{compute_line, item_lines};
use super::quote_purchase::ways_to_buy;
use super::session::Session;
use crate::advisor::Simulation;
use crate::cost::quote::{Basis, draw_up};
use crate::report::cost_report::{CostReport, EnergyAssumptions, document};
use crate::report::plot::PlotModel;
use crate::report::{Language, html, markdown, pdf, workbook};
use crate::units::Seconds;
use crate::workload::Job;

/// A file that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    path: PathBuf,
    extension: String,
}

/// Checks the path before any work starts.
pub fn target(path: &Path, problems: &mut Problems) -> Option<Target> {
    let extension =
        path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).unwrap_or_default();
    if !["html", "pdf", "md", "xlsx"].contains(&extension.as_str()) {
        problems.usage(format!("--report: {} must end in .html, .pdf, .md or .xlsx", path.display()));
        return None;
    }
    if let Err(CliError::Usage(messages)) = check_target("--report", path) {
        for message in messages {
            problems.usage(message);
        }
        return None;
    }
    Some(Target { path: path.to_owned(), extension })
}

/// Reads `"node=6.5kW,pue=1.3,grid=400"`.
pub fn energy(text: &str, problems: &mut Problems) -> Option<EnergyAssumptions> {
    let parts: Vec<(&str, &str)> = text.split(',').filter_map(|p| p.trim().split_once('=')).collect();
    let number = |key: &str, unit: &str, least: f64, most: f64| -> Option<f64> {
        let (_, value) = parts.iter().find(|(k, _)| *k == key)?;
        let value = value.trim().strip_suffix(unit).unwrap_or(value).trim();
        value.parse().ok().filter(|v: &f64| (least..=most).contains(v))
    };
    let with_unit = parts.iter().any(|(k, v)| *k == "node" && v.trim().ends_with("kW"));
    let node = number("node", "kW", 0.01, 1000.0).filter(|_| with_unit);
    let read = (node, number("pue", "", 1.0, 5.0), number("grid", "g/kWh", 0.0, 3000.0));
    if let (3, (Some(node), Some(pue), Some(grid))) = (parts.len(), read) {
        return Some(EnergyAssumptions { node_kilowatt: node, pue, grid_gram_per_kilowatt_hour: grid });
    }
    let example =
        "such as \"node=6.5kW,pue=1.3,grid=400\" (kW of a node, PUE of 1 to 5, grams of CO2 for a kWh)";
    problems.usage(format!("--energy: {text:?} is not understood, {example}"));
    None
}

/// Writes the report.
///
/// # Errors
/// When there is no price, or the file cannot be written.
pub fn write(
    target: &Target,
    session: &Session,
    job: &Job,
    simulation: &Simulation,
    energy: Option<EnergyAssumptions>,
    picture: Option<PlotModel>,
    (language, quiet): (Language, bool),
) -> Result<(), CliError> {
    let Some(estimate) = simulation.estimate() else { return Ok(()) };
    let no_price = || {
        let name = &simulation.cluster.label;
        CliError::usage(format!("--report: {name} has no price; name an instance type, or add --price"))
    };
    let offer = simulation.offer.as_ref().ok_or_else(no_price)?;
    let mut problems = Problems::default();
    let terms = QuoteTerms { budgetary: true, ..QuoteTerms::default() };
    let read = input::read_terms(&terms, session, &mut problems);
    let mut wanted = input::frame(&terms, &read, "-".to_owned(), session);
    let (nodes, time) = (simulation.cluster.nodes, Seconds::new(estimate.time.total.p50));
    wanted.basis = Basis::P50;
    let line = compute_line(session, offer, nodes, time).ok_or_else(no_price)?;
    wanted.lines.push(line);
    wanted.lines.extend(item_lines(session, offer, &read.items, &mut problems));
    wanted.ways_to_buy = ways_to_buy(session, offer, nodes, time);
    problems.check()?;
    let quote = draw_up(wanted)
        .map_err(|refusals| CliError::Usage(refusals.iter().map(|r| format!("--report: {r}")).collect()))?;
    let stack = session.profiles.stack(&job.stack).map_or(job.stack.as_str(), |s| s.name.as_str());
    let pictures = match picture {
        Some(PlotModel::Several(models)) => models,
        other => other.into_iter().collect(),
    };
    let quote = quote.for_customer();
    let pictures = &pictures;
    let report = CostReport { job, stack, simulation, quote: &quote, energy, pictures, language };
    let Some(document) = document(&report) else { return Ok(()) };
    let failed = |e: &dyn std::fmt::Display| CliError::Output(format!("cannot write the report: {e}"));
    let bytes = match target.extension.as_str() {
        "html" => html::render(&document, language).map_err(|e| failed(&e))?.into_bytes(),
        "pdf" => pdf::render(&document, language).map_err(|e| failed(&e))?,
        "md" => markdown::render(&document).into_bytes(),
        _ => {
            let day = session.prices.as_of;
            workbook::render(&document, (day.year(), day.month(), day.day())).map_err(|e| failed(&e))?
        }
    };
    write_file(&target.path, &bytes)?;
    remark(quiet, &format!("cost report written to {}", target.path.display()));
    Ok(())
}
