//! `simulate --report`: what the job costs, as a file.

use std::path::{Path, PathBuf};

use super::args::QuoteTerms;
use super::error::CliError;
use super::output::{check_target, remark, write_file};
use super::problems::Problems;
use super::quote_input as input;
use super::quote_lines::{Rental, compute_line, item_lines};
use super::quote_purchase::ways_to_buy;
use super::session::Session;
use crate::advisor::Simulation;
use crate::cost::quote::{Basis, draw_up};
use crate::cost::{EnergyAssumptions, EnergyFigure, EnergyTable};
use crate::report::cost_report::{CostReport, document};
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

/// What the user says of energy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StatedEnergy {
    node: Option<f64>,
    pue: Option<f64>,
    grid: Option<f64>,
    defaults: bool,
}

/// Reads `"node=6.5kW,pue=1.3,grid=400"`, or `"default"` with any of them.
pub fn energy(text: &str, problems: &mut Problems) -> Option<StatedEnergy> {
    let number = |value: &str, unit: &str, least: f64, most: f64| -> Option<f64> {
        let value = value.trim().strip_suffix(unit)?.trim();
        value.parse().ok().filter(|v: &f64| (least..=most).contains(v))
    };
    let mut stated = StatedEnergy::default();
    let understood = text.split(',').map(str::trim).all(|part| match part.split_once('=') {
        None => {
            stated.defaults = true;
            part == "default"
        }
        Some(("node", value)) => {
            stated.node = number(value, "kW", 0.01, 1000.0);
            stated.node.is_some()
        }
        Some(("pue", value)) => {
            stated.pue = number(value, "", 1.0, 5.0);
            stated.pue.is_some()
        }
        Some(("grid", value)) => {
            let value = value.trim().strip_suffix("g/kWh").unwrap_or(value);
            stated.grid = number(value, "", 0.0, 3000.0);
            stated.grid.is_some()
        }
        Some(_) => false,
    });
    let whole = stated.node.is_some() && stated.pue.is_some() && stated.grid.is_some();
    if understood && (whole || stated.defaults) {
        return Some(stated);
    }
    let example = "such as \"node=6.5kW,pue=1.3,grid=400\" (kW of a node, PUE of 1 to 5, grams of CO2 for a kWh), or \"default\" \
                   for what is left out";
    problems.usage(format!("--energy: {text:?} is not understood, {example}"));
    None
}

impl StatedEnergy {
    /// With the defaults of the place for what is not stated, and where those are from.
    fn resolved(
        self,
        session: &Session,
        simulation: &Simulation,
    ) -> Result<(EnergyAssumptions, Vec<String>), CliError> {
        let table = EnergyTable::embedded();
        let place = simulation.cluster.place.as_ref();
        let gpu = session.catalog.gpu(simulation.cluster.gpu);
        let mut sources = Vec::new();
        let mut take = |stated: Option<f64>, (key, words): (&str, &str), found: Option<EnergyFigure>| {
            let default = || {
                let EnergyFigure { value, source } = found?;
                sources.push(format!("{words}: {source}"));
                Some(value)
            };
            stated.or_else(default).ok_or_else(|| {
                CliError::usage(format!(
                    "--energy: there is no default of {key} for this cluster; state {key}=..."
                ))
            })
        };
        let node = take(
            self.node,
            ("node", "power of a node"),
            table.node_kilowatt(gpu, simulation.cluster.gpus_per_node),
        )?;
        let pue = take(
            self.pue,
            ("pue", "power usage effectiveness (PUE)"),
            place.and_then(|p| table.pue(&p.provider)),
        )?;
        let grid =
            take(self.grid, ("grid", "carbon of the grid"), place.and_then(|p| table.grid(p.country()?)))?;
        let assumed = EnergyAssumptions { node_kilowatt: node, pue, grid_gram_per_kilowatt_hour: grid };
        Ok((assumed, sources))
    }
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
    energy: Option<StatedEnergy>,
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
    let (nodes, time) = (simulation.cluster.nodes, Seconds::new(estimate.paid.p50));
    let rental = Rental { nodes, time, jobs: estimate.jobs };
    wanted.basis = Basis::P50;
    let line = compute_line(session, offer, rental).ok_or_else(no_price)?;
    wanted.lines.push(line);
    wanted.lines.extend(item_lines(session, offer, &read.items, &mut problems));
    wanted.ways_to_buy = ways_to_buy(session, offer, rental);
    problems.check()?;
    let quote = draw_up(wanted)
        .map_err(|refusals| CliError::Usage(refusals.iter().map(|r| format!("--report: {r}")).collect()))?;
    let stack = session.profiles.stack(&job.stack).map_or(job.stack.as_str(), |s| s.name.as_str());
    let pictures = match picture {
        Some(PlotModel::Several(models)) => models,
        other => other.into_iter().collect(),
    };
    let quote = quote.for_customer();
    let (energy, sources) = match energy.map(|stated| stated.resolved(session, simulation)).transpose()? {
        Some((assumed, sources)) => (Some(assumed), sources),
        None => (None, Vec::new()),
    };
    let pictures = &pictures;
    let report = CostReport {
        job,
        stack,
        simulation,
        quote: &quote,
        energy,
        energy_sources: &sources,
        pictures,
        language,
    };
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
