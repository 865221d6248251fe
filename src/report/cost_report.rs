//! What a job that was chosen costs: by line, per unit of work, against list, and what energy it takes.

use rust_decimal::Decimal;

use super::phrases::assumption::said;
use super::phrases::{quote as say, section, simulation};
use super::plot::PlotModel;
use super::quote::{amount, price_table};
use super::sentences;
use super::{Block, Cell, Column, Document, Language, Row, Table};
use crate::advisor::{Estimate, Simulation};
use crate::cost::EnergyAssumptions;
use crate::cost::quote::{BudgetaryReason, Quote};
use crate::units::text;
use crate::workload::{Job, JobLength, WorkloadKind};

/// Everything the report reads.
#[derive(Debug, Clone, Copy)]
pub struct CostReport<'a> {
    /// The job.
    pub job: &'a Job,
    /// Name of its software.
    pub stack: &'a str,
    /// The cluster with its prediction.
    pub simulation: &'a Simulation,
    /// The lines at the median time.
    pub quote: &'a Quote,
    /// What is assumed about energy.
    pub energy: Option<EnergyAssumptions>,
    /// Where the assumptions about energy that were not stated are from.
    pub energy_sources: &'a [String],
    /// Plots of the simulation.
    pub pictures: &'a [PlotModel],
    /// Language.
    pub language: Language,
}

/// The report as a document; `None` when the job does not run.
pub fn document(report: &CostReport<'_>) -> Option<Document> {
    let lang = report.language;
    let estimate = report.simulation.estimate()?;
    let precision = estimate.planned.plan.precision;
    let mut document = Document::new(vec![Block::heading(
        1,
        format!("{}: {}", say::COST_REPORT.text(lang), report.simulation.cluster.label),
    )]);
    // What the cost is of, by its name: the training alone, or with what interrupts it.
    let paid = &estimate.paid;
    let label = if *paid == estimate.time.total { say::TRAINING_TIME } else { simulation::CALENDAR };
    let time = |seconds: f64| text::duration(crate::units::Seconds::new(seconds), 3);
    document.push(Block::fields([
        (section::JOB.text(lang), sentences::job(report.job, report.stack, Some(precision), lang)),
        (say::CLUSTER.text(lang), sentences::cluster(report.simulation, lang)),
        (label.text(lang), say::QUANTILES.fill(lang, &[&time(paid.p10), &time(paid.p50), &time(paid.p90)])),
        (say::EVIDENCE.text(lang), super::quote::evidence(estimate.grade.letter()).owned(lang)),
    ]));
    document.push(price_table(report.quote, lang));
    document.push(against_list(report.quote, lang));
    document.push(per_unit(report, estimate));
    document.blocks.extend(super::quote::ways_to_buy(report.quote, lang).map(Block::from));
    document.blocks.extend(super::quote::picture_of_ways(report.quote, lang));
    if let Some(assumed) = report.energy {
        document.push(energy(report, estimate, assumed));
    }
    // A report is no quote: that it was asked for as an estimate goes without saying.
    let mut own = report.quote.clone();
    own.budgetary_reasons.retain(|r| *r != BudgetaryReason::Asked);
    let reasons = super::quote::reasons(&own, lang);
    if !reasons.is_empty() {
        document.push(Block::heading(2, section::WARNINGS.text(lang)));
        document.push(Block::list(reasons));
    }
    document.blocks.extend(report.pictures.iter().map(|model| Block::picture(model.clone(), lang)));
    let assumed = sentences::assumptions(report.job.assumed.iter().chain(&report.simulation.assumed), lang);
    if !assumed.is_empty() {
        document.push(Block::heading(2, section::ASSUMPTIONS.text(lang)));
        document.push(Block::list(assumed));
    }
    Some(document)
}

/// The net total against that of list prices, over the lines that have one.
fn against_list(quote: &Quote, lang: Language) -> Block {
    let listed = quote.lines.iter().filter_map(|l| l.list.map(|list| (list, l.net)));
    let (list, net) = listed.fold((Decimal::ZERO, Decimal::ZERO), |(a, b), (list, net)| (a + list, b + net));
    let less = (list - net).checked_div(list).unwrap_or_default();
    if less.is_zero() {
        return Block::paragraph(say::LIST_PRICES.text(lang));
    }
    let less = crate::cost::percent_text(less.round_dp(4));
    Block::paragraph(say::AGAINST_LIST.fill(lang, &[&amount(net), &amount(list), &less]))
}

/// Net cost per unit of work; four digits, since these are no payable amounts.
fn per_unit(report: &CostReport<'_>, estimate: &Estimate) -> Table {
    let lang = report.language;
    let quote = report.quote;
    let jobs = f64::from(estimate.jobs);
    let steps = estimate.time.steps * jobs;
    let samples = steps * report.job.global_batch;
    let rows = samples * f64::from(report.job.workload.rows_per_sample);
    let mut units = Vec::new();
    if let JobLength::Epochs { epochs, .. } = report.job.length {
        units.push((say::PER_EPOCH, "per_epoch", epochs * jobs));
    }
    if report.job.workload.kind == WorkloadKind::Convolutional {
        units.push((say::PER_THOUSAND_SAMPLES, "per_thousand_samples", samples / 1000.0));
    } else {
        units.push((say::PER_MILLION_TOKENS, "per_million_tokens", rows / 1e6));
        units.push((say::PER_THOUSAND_SEQUENCES, "per_thousand_sequences", samples / 1000.0));
    }
    units.push((say::PER_STEP, "per_step", steps));
    units.push((say::PER_GPU_HOUR, "per_gpu_hour", estimate.gpu_hours));
    let net = rust_decimal::prelude::ToPrimitive::to_f64(&quote.totals.net).unwrap_or(f64::NAN);
    let row = |(phrase, key, count): &(super::Phrase, &str, f64)| {
        let value = net / count;
        Row::new([
            Cell::id(phrase.text(lang), *key),
            Cell::number(format!("{} {}", text::significant(value, 4), quote.currency), value),
        ])
    };
    let columns = vec![
        Column::left(say::MEASURE.text(lang), "unit"),
        Column::right(format!("{} ({})", say::NET.text(lang), quote.currency), "net"),
    ];
    Table::new(columns, units.iter().map(row)).titled(say::PER.text(lang))
}

fn energy(report: &CostReport<'_>, estimate: &Estimate, assumed: EnergyAssumptions) -> Table {
    let lang = report.language;
    let nodes = report.simulation.cluster.nodes;
    let hours = crate::units::Seconds::new(estimate.paid.p50).hours() * f64::from(estimate.jobs);
    let energy = assumed.of(nodes, hours);
    let row = |phrase: super::Phrase, key: &str, value: f64, unit: &str| {
        let shown = format!("{} {unit}", text::significant(value, 3));
        Row::new([Cell::id(phrase.text(lang), key), Cell::number(shown, value)])
    };
    let columns = vec![
        Column::left(say::MEASURE.text(lang), "quantity"),
        Column::right(say::AMOUNT.text(lang), "value"),
    ];
    let rows = [
        row(say::ENERGY_USE, "energy_kwh", energy.kilowatt_hour, "kWh"),
        row(say::EMISSIONS, "co2_kg", energy.co2_kilogram, "kg"),
    ];
    let power = format!("{} kW", text::significant(assumed.node_kilowatt, 3));
    let note = say::ENERGY_ASSUMED
        .fill(lang, &[&power, &assumed.pue.to_string(), &assumed.grid_gram_per_kilowatt_hour.to_string()]);
    let sources = report.energy_sources.iter().map(|s| say::ENERGY_SOURCE.fill(lang, &[&said(s, lang)]));
    let notes: Vec<String> = std::iter::once(note).chain(sources).collect();
    Table::new(columns, rows).titled(say::ENERGY.text(lang)).noted(notes)
}
