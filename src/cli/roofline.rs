//! `roofline`: ceilings, ridge points, operators; in words and as a plot.

use super::args::RooflineArgs;
use super::calibrate::read_profile;
use super::calibrate_run::own_workload;
use super::cluster::one_gpu;
use super::error::CliError;
use super::exit::ExitStatus;
use super::output::{draw, plot_format};
use super::session::{open_catalog, open_profiles};
use super::view::show;
use crate::calibration::placed::{Placed, placed};
use crate::catalog::Precision;
use crate::profile::HardwareProfile;
use crate::report::view_calibration::{
    RooflineSubject, measured_plot, operators, shipped_plot, shipped_subject,
};
use crate::workload::Workload;

/// Answers `roofline`.
///
/// # Errors
/// Wrong usage, an invalid profile, a plot that cannot be written.
pub fn run(args: &RooflineArgs) -> Result<ExitStatus, CliError> {
    if let Some(path) = &args.plot {
        plot_format(path)?;
    }
    let language = args.common.language();
    let catalog = open_catalog(&args.common)?;
    let workload = own_workload(args.model.as_ref(), args.params.as_ref(), &catalog)?;
    let measured = args.common.profile.as_deref().map(read_profile).transpose()?;
    let (subject, placed, model) = match (&measured, &args.gpu) {
        (Some(_), Some(_)) => return Err(CliError::usage("give one of --gpu and --profile")),
        (None, None) => return Err(CliError::usage("no machine: add --gpu GPU or --profile FILE")),
        (Some(file), None) => {
            let placed = operators_of(args, workload.as_ref(), &file.hardware_profile())?;
            (RooflineSubject::measured(file), placed.clone(), measured_plot(file, &placed, language))
        }
        (None, Some(name)) => {
            let id = one_gpu(name, &catalog).map_err(|e| CliError::usage(format!("--gpu: {e}")))?;
            let profiles = open_profiles(&args.common, &catalog)?;
            let profile = profiles.gpu(id);
            let placed = operators_of(args, workload.as_ref(), profile)?;
            let subject = shipped_subject(catalog.gpu(id), profile);
            let model = shipped_plot(&subject, &placed, language);
            (subject, placed, model)
        }
    };
    if let Some(path) = &args.plot {
        draw(path, &model, language)?;
    }
    let json = || {
        let rows: Vec<_> = placed
            .iter()
            .map(|p| serde_json::json!({"operator": p.name, "flop_per_byte": p.flop_per_byte, "tflop_per_s": p.tflop_per_s}))
            .collect();
        let answer = serde_json::json!({"machine": subject.name, "gb_per_s": subject.bandwidths,
            "tflop_per_s": subject.rates, "operators": rows, "source": subject.source});
        Ok(serde_json::to_string_pretty(&answer)? + "\n")
    };
    show(&operators(&subject, &placed, language), json, args.common.format)?;
    Ok(ExitStatus::Success)
}

fn operators_of(
    args: &RooflineArgs,
    workload: Option<&Workload>,
    profile: &HardwareProfile,
) -> Result<Vec<Placed>, CliError> {
    let usual = [Precision::Bf16, Precision::Fp16, Precision::Fp32];
    let precision = match &args.precision {
        Some(text) => Precision::ALL.into_iter().find(|p| p.name() == text.trim()).ok_or_else(|| {
            CliError::usage(format!("--precision: {text:?} is none of fp32, tf32, fp16, bf16, fp8"))
        })?,
        None => usual.into_iter().find(|p| profile.matmul(*p).is_some()).unwrap_or(Precision::Fp32),
    };
    if profile.matmul(precision).is_none() {
        return Err(CliError::usage(format!(
            "--precision: this machine has no {} products",
            precision.name()
        )));
    }
    Ok(workload.map_or_else(Vec::new, |w| placed(w, f64::from(args.samples), profile, precision)))
}
