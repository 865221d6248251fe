//! Developer tool: predicts the shipped runs, fits the stack coefficients, prints errors by set.
//!
//! `cargo run --release --example fit_stacks -- [--as-loaded] [--vision] [--cross-validate model|family]
//! [--scale X] [--set-weight X] [--rows FILE.tsv] [--write]`
//!
//! `--as-loaded` fits nothing; `--vision` adds the rows of `vision.csv`; `--scale` and `--set-weight` change the loss;
//! `--rows` lists every row with its terms; `--write` updates `calibration/software`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer tool whose output is the terminal"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;

use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::{Profiles, StackProfile};
use gpu_advisor::validation::{
    Fit, FitOptions, HeldOut, LeftOut, Prepared, Quality, Scope, between_sources, common_text,
    cross_validate, errors_by_set, fit, fitted_stacks, informs_stack, is_transformer, log_time_ratio,
    plan_choices, predict, prepare, shipped_runs, spread, stack_text, uncertainties,
};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |flag: &str| arguments.iter().any(|a| a == flag);
    let value_of = |flag: &str| arguments.iter().skip_while(|a| *a != flag).nth(1);
    let catalog = Catalog::embedded()?;
    let profiles = Profiles::embedded(&catalog.gpus)?;
    let runs = shipped_runs().map_err(|f| format!("{f:?}"))?;
    let vision = !given("--no-vision");
    let mut skips = BTreeMap::new();
    let mut rows = Vec::new();
    let thin: usize = value_of("--thin").map_or(Ok(1), |t| t.parse())?;
    let mut grid = 0;
    for run in runs.iter().filter(|r| r.quality == Quality::Strong && (vision || r.file != "vision.csv")) {
        if run.file == "transformer_grid.csv" {
            grid += 1;
            if grid % thin != 0 {
                continue;
            }
        }
        match prepare(run, &catalog, &profiles) {
            Ok(prepared) if !is_transformer(&prepared) => {}
            Ok(prepared) => rows.push(prepared),
            Err(skip) => *skips.entry((run.family.clone(), skip.reason.text())).or_insert(0) += 1,
        }
    }
    for ((family, reason), count) in &skips {
        println!("skipped {count:4}  {family}: {reason}");
    }
    let rows: Vec<&Prepared<'_>> = rows.iter().collect();
    if given("--as-loaded") {
        let errors = errors(&rows, &|row| row.stack.clone());
        table("as loaded", &rows, &errors, &uncertainties(&rows, None, &profiles.defaults));
        return list(value_of("--rows"), &rows, &errors, &|row| row.stack.clone());
    }
    let mut options = FitOptions::default();
    if let Some(scale) = value_of("--scale") {
        options.scale = scale.parse()?;
    }
    if let Some(weight) = value_of("--set-weight") {
        options.set_weight = weight.parse()?;
    }
    for change in arguments.iter().filter_map(|a| a.strip_prefix("--prior=")) {
        // scope:key=sd, for example stack:launch=0.2
        let (name, sd) = change.split_once('=').ok_or("scope:key=sd")?;
        let (scope, key) = name.split_once(':').ok_or("scope:key=sd")?;
        let sd: f64 = sd.parse()?;
        let list = match scope {
            "common" => &mut options.common,
            "stack" => &mut options.by_stack,
            _ => &mut options.by_architecture,
        };
        let c =
            gpu_advisor::validation::Coefficient::ALL.into_iter().find(|c| c.key() == key).ok_or("key")?;
        list.retain(|(x, _)| *x != c);
        if sd > 0.0 {
            list.push((c, sd));
        }
    }
    let begun = Instant::now();
    let seen: Vec<&Prepared<'_>> = rows.iter().copied().filter(|row| informs_stack(row)).collect();
    let fitted = fit(&seen, &options);
    eprintln!("fit of {} numbers to {} rows in {:.1?}", fitted.parameters.len(), rows.len(), begun.elapsed());
    coefficients(&fitted);
    let profile = |row: &Prepared<'_>| fitted.profile(row.stack, &row.machine.gpu.architecture);
    let mut held_out = errors(&rows, &profile);
    let held = HeldOut { what: LeftOut::Model, log_ratios: &held_out };
    table("in sample", &rows, &held_out, &uncertainties(&rows, Some(held), &profiles.defaults));
    if let Some(what) = value_of("--cross-validate") {
        let left_out = if what == "family" { LeftOut::Family } else { LeftOut::Model };
        held_out = cross_validate(&rows, &options, left_out);
        let held = HeldOut { what: left_out, log_ratios: &held_out };
        let mut defaults = profiles.defaults.clone();
        if left_out == LeftOut::Family {
            defaults.other_source_sigma = between_sources(&rows, &held_out, &defaults).unwrap_or(0.0);
            println!("between sources: {:.3}", defaults.other_source_sigma);
        }
        let sigmas = uncertainties(&rows, Some(held), &defaults);
        table(&format!("leaving out each {what} ({:.1?})", begun.elapsed()), &rows, &held_out, &sigmas);
        for (i, row) in rows.iter().enumerate() {
            if given("--sigmas") {
                println!("SIGMA\t{}\t{:.4}\t{:.4}", row.run.id, held_out[i], sigmas[i]);
            }
        }
    }
    choices(&rows, &held_out, &profile);
    if given("--write") {
        write(&fitted, &profiles, &rows, &held_out)?;
    }
    list(value_of("--rows"), &rows, &held_out, &profile)
}

fn errors(rows: &[&Prepared<'_>], profile: &dyn Fn(&Prepared<'_>) -> StackProfile) -> Vec<f64> {
    rows.iter().map(|row| log_time_ratio(row, &profile(row)).unwrap_or(f64::NAN)).collect()
}

/// Errors by set, with the interval that the residuals of each stack give.
fn table(title: &str, rows: &[&Prepared<'_>], errors: &[f64], sigmas: &[f64]) {
    println!("\n{title}\n{:46} rows  median    mean     p90    bias  in80%  const-MFU", "set");
    let sets = errors_by_set(rows, errors, sigmas);
    for set in &sets {
        println!(
            "{:46} {:4} {:6.1}% {:6.1}% {:6.1}% {:+6.1}% {:5.0}% {:6.1}%",
            format!("{:.36} {}", set.family, set.architecture),
            set.rows,
            set.median * 100.0,
            set.mean * 100.0,
            set.p90 * 100.0,
            set.bias * 100.0,
            set.coverage * 100.0,
            set.baseline * 100.0
        );
    }
    let mean = sets.iter().map(|s| s.mean).sum::<f64>() / sets.len() as f64;
    println!("{:46} {:4}         {:6.1}%", "mean over sets", rows.len(), mean * 100.0);
    println!("spread of all rows: {:.3}", spread(errors).unwrap_or(f64::NAN));
}

/// How well the predictions choose among several measured plans of one job.
fn choices(rows: &[&Prepared<'_>], errors: &[f64], profile: &dyn Fn(&Prepared<'_>) -> StackProfile) {
    let step = |(row, held): (&&Prepared<'_>, &f64)| {
        let x = predict(row, &profile(row), 0.1)?;
        Some(x.estimate.total().get() * (held - x.log_time_ratio).exp())
    };
    let steps: Vec<f64> = rows.iter().zip(errors).map(|pair| step(pair).unwrap_or(f64::NAN)).collect();
    let mut families: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for choice in plan_choices(rows, errors, &steps) {
        families.entry(choice.family).or_default().push((choice.pair_order, choice.regret));
    }
    println!("\n{:46} groups  pair order mean, least   regret mean, most", "choice among plans");
    for (family, groups) in families {
        let n = groups.len() as f64;
        let mean = |f: fn(&(f64, f64)) -> f64| groups.iter().map(f).sum::<f64>() / n;
        println!(
            "{family:46.46} {:6} {:16.2} {:6.2} {:13.1}% {:5.1}%",
            groups.len(),
            mean(|g| g.0),
            groups.iter().map(|g| g.0).fold(1.0, f64::min),
            mean(|g| g.1) * 100.0,
            groups.iter().map(|g| g.1).fold(0.0, f64::max) * 100.0
        );
    }
}

fn coefficients(fitted: &Fit) {
    println!("\ncoefficients");
    for p in &fitted.parameters {
        match &p.scope {
            Scope::Common => {
                println!(
                    "  {:28} {}",
                    p.coefficient.key(),
                    p.coefficient.text(p.coefficient.from_scale(p.value))
                );
            }
            Scope::Kernels(kernels) => {
                println!("    {:24} {:28} x {:.3}", kernels.name(), p.coefficient.key(), p.value.exp());
            }
            Scope::Stack(id) if p.value.abs() > 0.02 => {
                println!("    {id:24} {:28} x {:.3}", p.coefficient.key(), p.value.exp());
            }
            Scope::Stack(_) => {}
            Scope::Architecture(name) => {
                println!("    {name:24} {:28} x {:.3}", p.coefficient.key(), p.value.exp());
            }
        }
    }
}

fn write(fitted: &Fit, profiles: &Profiles, rows: &[&Prepared<'_>], held_out: &[f64]) -> Result<(), Failure> {
    let path = |id: &str| format!("calibration/software/{id}.toml");
    let source = format!(
        "fitted to {} published runs of all stacks together",
        rows.iter().filter(|row| informs_stack(row)).count()
    );
    let common = std::fs::read_to_string(path("common"))?;
    std::fs::write(path("common"), common_text(&common, fitted, &source))?;
    for stack in fitted_stacks(fitted, &profiles.stacks, rows, held_out) {
        let text = std::fs::read_to_string(path(&stack.id))?;
        std::fs::write(path(&stack.id), stack_text(&text, &stack, fitted))?;
    }
    Ok(())
}

fn list(
    file: Option<&String>,
    rows: &[&Prepared<'_>],
    held: &[f64],
    profile: &dyn Fn(&Prepared<'_>) -> StackProfile,
) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let mut text = String::from(
        "id\tfamily\theld\tgpu\tstack\tmodel\thidden\tlayers\tseq\tgpus\tnodes\ttp\tpp\tdp\tv\tmb\tga\trecompute\tprecision\
         \tlog_ratio\tstep\tmem\tterms\n",
    );
    for (row, held) in rows.iter().zip(held) {
        let Some(x) = predict(row, &profile(row), 0.1) else { continue };
        let total = x.estimate.total().get();
        let terms: Vec<String> =
            x.estimate.terms().map(|t| format!("{}={:.3}", t.kind.name(), t.time.get() / total)).collect();
        let (run, plan, workload) = (row.run, x.plan, &row.workload);
        write!(
            text,
            "{}\t{}\t{held:.4}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t",
            run.id,
            run.family,
            run.gpu,
            row.stack.id,
            run.model,
            workload.attention.map_or(0, |a| a.hidden),
            workload.layers(),
            workload.rows_per_sample,
            row.machine.gpus(),
            row.machine.nodes
        )?;
        writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.4}\t{:.5}\t{:.2}\t{}",
            plan.tensor_parallel,
            plan.pipeline_parallel,
            plan.data_parallel,
            plan.virtual_stages,
            plan.micro_batch,
            plan.gradient_accumulation_steps,
            plan.recompute.name(),
            plan.precision.name(),
            x.log_time_ratio,
            total,
            x.memory.share(),
            terms.join(" ")
        )?;
    }
    Ok(std::fs::write(file, text)?)
}
