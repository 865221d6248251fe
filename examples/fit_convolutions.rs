//! Developer tool: fits convolution kernels to `calibration/kernels/convolution.csv`.
//!
//! `cargo run --release --example fit_convolutions -- [--write]` prints what it finds beside what is shipped; `--write` puts it
//! into `calibration/layers.toml`. Architectures without timings have the numbers of the first.

#![allow(clippy::print_stdout, reason = "a developer tool whose output is the terminal")]

use gpu_advisor::catalog::{Catalog, Precision};
use gpu_advisor::profile::{ConvolutionProfile, Profiles};
use gpu_advisor::validation::{ConvolutionFit, parse_convolutions};

const TABLE: &str = "calibration/kernels/convolution.csv";
const FILE: &str = "calibration/layers.toml";
const GPUS: [(&str, &str); 2] = [("v100-sxm2-16gb", "Volta"), ("t4", "Turing")];
const UNITS: [(&str, Precision); 2] = [("tensor", Precision::Fp16), ("ordinary", Precision::Fp32)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let catalog = Catalog::embedded()?;
    let profiles = Profiles::embedded(&catalog.gpus)?;
    let table = std::fs::read_to_string(TABLE)?;
    let mut file = std::fs::read_to_string(FILE)?;
    for (name, architecture) in GPUS {
        let id = catalog.find_gpu(name).ok_or("a GPU of the catalog")?;
        let hardware = profiles.gpu(id);
        let multiprocessors = f64::from(catalog.gpu(id).multiprocessors.ok_or("multiprocessors")?);
        for (units, precision) in UNITS {
            let timed = parse_convolutions(&table, name, precision.name())?;
            let fit = ConvolutionFit { timed: &timed, hardware, precision, multiprocessors };
            let (profile, held_out) = (fit.profile(), fit.held_out().ok_or("timings")?);
            println!("# {name} {}: {} passes", precision.name(), timed.len());
            let others = (architecture == GPUS[0].1).then_some("default");
            for place in [Some(architecture), others].into_iter().flatten() {
                file = put(&file, &format!("[kernels.{place}.{units}]"), &profile, held_out);
            }
        }
    }
    if std::env::args().any(|a| a == "--write") {
        std::fs::write(FILE, file)?;
    }
    Ok(())
}

/// Three digits, as the file has them.
fn digits(value: f64) -> String {
    let places = (2 - value.log10().floor() as i32).max(0) as usize;
    let unit = 10.0_f64.powi((value.log10().floor() as i32 - 2).max(0));
    format!("{:.places$}", (value / unit).round() * unit)
}

/// Replaces the numbers of one table of the file.
fn put(file: &str, table: &str, p: &ConvolutionProfile, held_out: f64) -> String {
    let numbers = [
        ("rate", p.rate),
        ("input_gradient", p.input_gradient),
        ("weight_gradient", p.weight_gradient),
        ("transform_gain", p.transform_gain),
        ("pointwise_work", p.pointwise_work),
        ("m0", p.m0),
        ("n0", p.n0),
        ("k0", p.k0),
        ("w0", p.w0),
        ("traffic", p.traffic),
    ];
    let mut inside = false;
    let mut out = String::new();
    for line in file.lines() {
        if line.starts_with('[') {
            inside = line == table;
        }
        let key = line.split(" = ").next().unwrap_or_default();
        let new = match key {
            _ if !inside => None,
            "floor" => Some(format!("floor = \"{:.1} us\"", p.floor.get() * 1e6)),
            "residual_median" => Some(format!("residual_median = {held_out:.3}")),
            _ => numbers.iter().find(|(k, _)| *k == key).map(|(k, v)| format!("{k} = {}", digits(*v))),
        };
        if let Some(new) = &new {
            println!("{table} {new:32} was {line}");
        }
        out.push_str(new.as_deref().unwrap_or(line));
        out.push('\n');
    }
    out
}
