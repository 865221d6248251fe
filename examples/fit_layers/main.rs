//! Developer tool: fits the coefficients of networks over samples to the shipped runs.
//!
//! `cargo run --release --example fit_layers -- [--folds N] [--sources] [--rows FILE.tsv] [--catalog DIR] [--runs FILE.csv] [--write]`
//!
//! The fit sees runs on all GPUs; it is judged on A100 and V100, which most jobs compare, and on the others.

#![allow(clippy::print_stdout, reason = "a developer tool whose output is the terminal")]

mod report;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::{LayerProfile, LayerRate, Profiles, RateScope};
use gpu_advisor::validation::{
    Prepared, Quality, cross_validate_layers, fit_layers, layer_residuals, layers_of_unseen_sources,
    parse_runs, predict, prepare, shipped_runs, spread,
};

/// Recipe class assumed of jobs.
const RECIPE: &str = "tuned-reference";

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value_of = |flag: &str| arguments.iter().skip_while(|a| *a != flag).nth(1);
    let given = |flag: &str| arguments.iter().any(|a| a == flag);
    let overlays: Vec<std::path::PathBuf> = value_of("--catalog").into_iter().map(Into::into).collect();
    let catalog = Catalog::with_overlays(&overlays)?;
    let profiles = Profiles::embedded(&catalog.gpus)?;
    let runs = match value_of("--runs") {
        Some(file) => parse_runs("vision.csv", &std::fs::read_to_string(file)?),
        None => shipped_runs(),
    }
    .map_err(|f| format!("{f:?}"))?;
    let mut skips: BTreeMap<String, usize> = BTreeMap::new();
    let mut prepared = Vec::new();
    for run in runs.iter().filter(|r| r.file == "vision.csv" && r.quality == Quality::Strong) {
        match prepare(run, &catalog, &profiles) {
            Ok(row) => prepared.push(row),
            Err(skip) => *skips.entry(format!("{} {}", run.model, skip.reason.text())).or_insert(0) += 1,
        }
    }
    for (what, count) in &skips {
        println!("skipped {count:4} {what}");
    }
    let rows: Vec<&Prepared<'_>> = prepared.iter().filter(|p| p.layered.is_some()).collect();
    let mut profile = fit_layers(&rows);
    profile.recipe_orders.clone_from(&profiles.layers.recipe_orders);
    profile.joining.clone_from(&profiles.layers.joining);
    let inside = layer_residuals(&profile, &rows);
    let folds = value_of("--folds").map_or(Ok(0), |n| n.parse::<usize>())?;
    let held = if folds > 0 { cross_validate_layers(&rows, folds) } else { inside.clone() };
    residuals(&mut profile, &rows, &held);
    if given("--sources") {
        let elsewhere = layers_of_unseen_sources(&rows);
        profile.other_source = report::between_sources(&rows, &elsewhere, &profile);
    } else {
        profile.other_source = profiles.layers.other_source;
    }
    println!("{}", text(&profile));
    for (title, own) in [("A100 and V100", true), ("other GPUs", false)] {
        let of = |row: &Prepared<'_>| ["a100", "v100"].iter().any(|gpu| row.run.gpu.starts_with(gpu));
        let at: Vec<usize> = (0..rows.len()).filter(|&i| of(rows[i]) == own).collect();
        let pick = |errors: &[f64]| at.iter().map(|&i| errors[i]).collect::<Vec<_>>();
        let (rows, inside, held) =
            (at.iter().map(|&i| rows[i]).collect::<Vec<_>>(), pick(&inside), pick(&held));
        println!("== {title}");
        report::Judged { rows: &rows, inside: &inside, held: &held }.print(&profile);
    }
    if let Some(file) = value_of("--rows") {
        list(file, &rows, (&inside, &held), &profile)?;
    }
    if given("--write") {
        let path = "calibration/layers.toml";
        let old = std::fs::read_to_string(path)?;
        let kernels = old.split("[common]").next().unwrap_or_default();
        std::fs::write(path, format!("{kernels}{}", text(&profile)))?;
    }
    Ok(())
}

/// Spread of held-out errors, by stack where there are enough.
fn residuals(profile: &mut LayerProfile, rows: &[&Prepared<'_>], held: &[f64]) {
    let mut by_stack: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (row, error) in rows.iter().zip(held) {
        by_stack.entry(&row.stack.id).or_default().push(*error);
    }
    profile.residual = spread(held).unwrap_or(0.3);
    let volumes = rows.iter().zip(held).filter(|(row, _)| row.workload.over_volumes());
    profile.residual_volumes = spread(&volumes.map(|(_, error)| *error).collect::<Vec<_>>());
    for (stack, errors) in by_stack.into_iter().filter(|(_, e)| e.len() >= 20) {
        if let Some(sigma) = spread(&errors) {
            profile.residuals.insert(stack.to_owned(), sigma);
        }
    }
}

fn text(profile: &LayerProfile) -> String {
    let mut out = String::from("[common]\n");
    for rate in LayerRate::ALL {
        let _ = writeln!(out, "{} = {}", rate.key(), number(profile.common.get(rate)));
    }
    let _ =
        writeln!(out, "residual = {}", number(if profile.residual > 0.0 { profile.residual } else { 0.25 }));
    if let Some(wider) = profile.residual_volumes {
        let _ = writeln!(out, "residual_volumes = {}", number(wider));
    }
    let _ = writeln!(out, "other_source = {}", number(profile.other_source));
    let gpus: Vec<String> = profile.fitted_gpus.iter().map(|g| format!("{g:?}")).collect();
    let _ = writeln!(out, "default_recipe = {RECIPE:?}");
    let _ = writeln!(out, "fitted_gpus = [{}]", gpus.join(", "));
    let sources: Vec<String> = profile.fitted_sources.iter().map(|s| format!("{s:?}")).collect();
    let _ = writeln!(out, "fitted_sources = [{}]\nsource = {:?}", sources.join(", "), profile.source);
    for (scope, factors) in &profile.factors {
        let (kind, name) = match scope {
            RateScope::Stack(name) => ("stack", name),
            RateScope::Recipe(name) => ("recipe", name),
            RateScope::Compiler(name) => ("compiler", name),
            RateScope::Capability(name) => ("capability", name),
        };
        let _ = writeln!(out, "\n[{kind}.\"{name}\"]");
        if let (RateScope::Recipe(_), Some(order)) = (scope, profile.recipe_orders.get(name)) {
            let _ = writeln!(out, "layout = {:?}", order.name());
        }
        if let Some(joins) = profile.joining.get(scope) {
            let _ = writeln!(out, "joins_norms = {joins}");
        }
        for (rate, factor) in factors {
            if factor.ln().abs() > 1e-3 {
                let _ = writeln!(out, "{} = {}", rate.key(), number(*factor));
            }
        }
        if let (RateScope::Stack(name), true) = (scope, true)
            && let Some(residual) = profile.residuals.get(name)
        {
            let _ = writeln!(out, "residual = {}", number(*residual));
        }
    }
    out
}

fn number(value: f64) -> String {
    if value < 0.001 { format!("{value:.4e}") } else { format!("{value:.4}") }
}

/// One line a row: what it is, its error held out and in sample, and the terms of its step.
fn list(
    file: &str,
    rows: &[&Prepared<'_>],
    (inside, held): (&[f64], &[f64]),
    profile: &LayerProfile,
) -> Result<(), Failure> {
    let mut text = String::new();
    for ((row, error), seen) in rows.iter().zip(held).zip(inside) {
        let stack = profile.rates(&row.rate_key()).applied(row.stack);
        let Some(x) = predict(row, &stack, 0.1) else { continue };
        let total = x.estimate.total().get();
        let terms: Vec<String> =
            x.estimate.terms().map(|t| format!("{}={:.2}", t.kind.name(), t.time.get() / total)).collect();
        writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.4}\t{:.6}\t{:.2}\t{}\t{:.4}\t{}",
            row.run.id,
            row.run.family,
            row.run.model,
            row.run.gpu,
            row.machine.gpus(),
            row.run.stack,
            row.run.recipe.as_deref().unwrap_or(""),
            row.run.compiler.as_deref().unwrap_or(""),
            x.plan.precision.name(),
            x.plan.micro_batch,
            row.run.input_data.as_deref().unwrap_or(""),
            error,
            total,
            x.memory.share(),
            terms.join(" "),
            seen,
            x.plan.global_batch(),
        )?;
    }
    Ok(std::fs::write(file, text)?)
}
