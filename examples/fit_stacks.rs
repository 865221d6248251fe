//! Developer tool: predicts the shipped runs, prints errors by set, fits the stack coefficients.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer tool whose output is the terminal"
)]

use std::collections::BTreeMap;

use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::Profiles;
use gpu_advisor::validation::{Quality, parse_runs, predict, prepare};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let catalog = Catalog::embedded()?;
    let profiles = Profiles::embedded(&catalog.gpus)?;
    let mut runs = Vec::new();
    for file in ["transformer.csv", "transformer_grid.csv", "vision.csv"] {
        let path = format!("calibration/runs/{file}");
        runs.extend(parse_runs(file, &std::fs::read_to_string(path)?).map_err(|f| format!("{f:?}"))?);
    }
    let mut skips = BTreeMap::new();
    println!(
        "id\tfamily\tgpu\tstack\tmodel\thidden\tlayers\tseq\tgpus\tnodes\ttp\tpp\tdp\tv\tmb\tga\tlog_ratio\tmem\tterms"
    );
    for run in &runs {
        if run.quality != Quality::Strong {
            continue;
        }
        match prepare(run, &catalog, &profiles) {
            Err(skip) => {
                *skips.entry((run.family.clone(), skip.reason, skip.detail)).or_insert(0) += 1;
            }
            Ok(p) => {
                let Some(x) = predict(&p, p.stack, 0.1) else { continue };
                let terms: Vec<String> = x
                    .estimate
                    .terms()
                    .map(|t| format!("{}={:.3}", t.kind.name(), t.time.get() / x.estimate.total().get()))
                    .collect();
                println!(
                    "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.4}\t{:.2}\t{}",
                    run.id,
                    run.family,
                    run.gpu,
                    p.stack.id,
                    run.model,
                    p.workload.attention.map_or(0, |a| a.hidden),
                    p.workload.layers(),
                    p.workload.rows_per_sample,
                    p.machine.gpus(),
                    p.machine.nodes,
                    x.plan.tensor_parallel,
                    x.plan.pipeline_parallel,
                    x.plan.data_parallel,
                    x.plan.virtual_stages,
                    x.plan.micro_batch,
                    x.plan.gradient_accumulation_steps,
                    x.log_time_ratio,
                    x.memory.share(),
                    terms.join(" ")
                );
            }
        }
    }
    for ((family, reason, detail), n) in skips {
        eprintln!("{n}\t{family}\t{reason:?}\t{detail}");
    }
    Ok(())
}
