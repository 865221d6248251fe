//! `calibrate`: check, show, compare, merge, emit. Measuring is in `calibrate_run`, stack fits in `calibrate_fit`.

use std::path::Path;

use super::args::{CalibrateCommand, CommonArgs, EmitArgs, Engine};
use super::cluster::unknown_gpu;
use super::error::CliError;
use super::exit::ExitStatus;
use super::job_file::read_text;
use super::output::{check_target, print, write_file};
use super::session::open_catalog;
use super::view::show as write;
use super::{calibrate_collectives, calibrate_fit, calibrate_run};
use crate::calibration::collectives::Collectives;
use crate::calibration::comparison::{compare, quantities, shipped_quantities};
use crate::calibration::cuda;
use crate::calibration::fleet::FleetJob;
use crate::calibration::merging::merge;
use crate::calibration::opening::{LibrarySearch, OpenError};
use crate::calibration::profile_file::ProfileFile;
use crate::profile::Profiles;
use crate::report::view_calibration as view;

/// Answers `calibrate`.
///
/// # Errors
/// Wrong usage, invalid files, no GPU, a fit that is refused, failures to read or write.
pub fn run(command: &CalibrateCommand) -> Result<ExitStatus, CliError> {
    match command {
        CalibrateCommand::Check { library_folder, common } => {
            check(&LibrarySearch { folder: library_folder.clone() }, common)
        }
        CalibrateCommand::Run(args) => calibrate_run::run(args),
        CalibrateCommand::Collectives(args) => calibrate_collectives::run(args),
        CalibrateCommand::Show { file, common } => show(file, common),
        CalibrateCommand::Compare { file, with, common } => against(file, with.as_deref(), common),
        CalibrateCommand::Merge { files, output, common } => pool(files, output, common),
        CalibrateCommand::Emit(args) => emit(args),
        CalibrateCommand::Fit(args) => calibrate_fit::run(args),
    }
}

/// One clear paragraph for exit code 5.
pub fn no_gpu(error: &OpenError) -> CliError {
    let advice = match error {
        OpenError::NoDriver { .. } => {
            "Install the NVIDIA driver (470 or newer; in a container, start it with the NVIDIA runtime) and see \
             `calibrate check`"
        }
        OpenError::NoDevice => {
            "Check that the GPU is visible to this process (nvidia-smi, CUDA_VISIBLE_DEVICES, the container's devices)"
        }
        OpenError::DriverMismatch { .. } => {
            "Restart the machine, or reload the kernel module of the new driver"
        }
        OpenError::MissingSymbol { .. } => "Update the NVIDIA driver",
        _ => "See `calibrate check` for what was found",
    };
    CliError::NoGpu(format!(
        "no GPU to measure: {error}. {advice}. `--device cpu` measures the host CPU instead."
    ))
}

fn check(search: &LibrarySearch, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    let probe = cuda::probe(search);
    let document = view::check(&probe, common.language());
    let json = || {
        let libraries: Vec<_> = probe
            .libraries
            .iter()
            .map(|l| {
                serde_json::json!({"name": l.name, "required": l.required, "path": l.path, "version": l.version,
                    "problem": l.problem, "tried": l.tried})
            })
            .collect();
        let devices: Vec<_> = probe
            .devices
            .iter()
            .map(|d| serde_json::json!({"ordinal": d.ordinal, "name": d.name, "problem": d.problem}))
            .collect();
        let problem = probe.problem.as_ref().map(ToString::to_string);
        let answer = serde_json::json!({"libraries": libraries, "devices": devices, "problem": problem});
        Ok(serde_json::to_string_pretty(&answer)? + "\n")
    };
    write(&document, json, common.format)?;
    Ok(if probe.problem.is_some() { ExitStatus::NoGpu } else { ExitStatus::Success })
}

/// Reads a profile that `calibrate run` wrote.
///
/// # Errors
/// When it cannot be read or was not written by it.
pub fn read_profile(path: &Path) -> Result<ProfileFile, CliError> {
    ProfileFile::parse(&path.display().to_string(), &read_text(path)?).map_err(CliError::invalid)
}

/// What a file of `calibrate` holds.
enum Read {
    Profile(Box<ProfileFile>),
    Collectives(Box<Collectives>),
}

fn read_measured(path: &Path) -> Result<Read, CliError> {
    let (name, text) = (path.display().to_string(), read_text(path)?);
    let read = if Collectives::is_in(&text) {
        Collectives::parse(&name, &text).map(|found| Read::Collectives(Box::new(found)))
    } else {
        ProfileFile::parse(&name, &text).map(|file| Read::Profile(Box::new(file)))
    };
    read.map_err(CliError::invalid)
}

fn show(path: &Path, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    let file = match read_measured(path)? {
        Read::Profile(file) => file,
        Read::Collectives(found) => {
            let json = || Ok(serde_json::to_string_pretty(&found)? + "\n");
            write(&view::collectives(&found, common.language()), json, common.format)?;
            return Ok(ExitStatus::Success);
        }
    };
    let json = || Ok(serde_json::to_string_pretty(&file.measured)? + "\n");
    write(&view::profile(&file, common.language()), json, common.format)?;
    Ok(ExitStatus::Success)
}

fn against(path: &Path, with: Option<&Path>, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    let this = read_profile(path)?;
    let (name, reference) = if let Some(path) = with {
        (path.display().to_string(), quantities(&read_profile(path)?.measured))
    } else {
        let catalog = open_catalog(common)?;
        let Some(id) = catalog.find_gpu(&this.gpu) else {
            let hint = "a profile of no GPU of the catalog needs --with FILE";
            return Err(CliError::usage(format!("{}; {hint}", unknown_gpu(&this.gpu, &catalog))));
        };
        let profiles = Profiles::embedded(&catalog.gpus)?;
        (format!("the shipped profile of {}", this.gpu), shipped_quantities(profiles.gpu(id)))
    };
    let comparisons = compare(&quantities(&this.measured), &reference);
    if comparisons.is_empty() {
        return Err(CliError::usage(format!("{} and {name} have nothing in common", path.display())));
    }
    let document = view::comparison(&path.display().to_string(), &name, &comparisons, common.language());
    let json = || {
        let rows: Vec<_> = comparisons
            .iter()
            .map(|c| {
                serde_json::json!({"quantity": c.this.name, "unit": c.this.unit, "this": c.this.value,
                    "this_ci95": c.this.ci95, "reference": c.reference.value, "reference_ci95": c.reference.ci95,
                    "change": c.change, "outside": c.outside, "worse": c.worse})
            })
            .collect();
        Ok(serde_json::to_string_pretty(&rows)? + "\n")
    };
    write(&document, json, common.format)?;
    let sick = comparisons.iter().any(|c| c.worse);
    Ok(if sick { ExitStatus::OutsideTolerance } else { ExitStatus::Success })
}

fn pool(paths: &[std::path::PathBuf], output: &Path, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    check_target("--output", output)?;
    let (mut files, mut collectives) = (Vec::new(), Vec::new());
    let mut findings = Vec::new();
    for path in paths {
        match read_measured(path) {
            Ok(Read::Profile(file)) => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                files.push((name, *file));
            }
            Ok(Read::Collectives(found)) => collectives.push((path.display().to_string(), *found)),
            Err(CliError::Invalid { findings: found, .. }) => findings.extend(found),
            Err(other) => return Err(other),
        }
    }
    if !findings.is_empty() {
        return Err(CliError::invalid(findings));
    }
    let merged = merge(&files, &collectives).map_err(|e| CliError::usage(e.to_string()))?;
    write_file(output, profile_text(&merged.file)?.as_bytes())?;
    let json = || Ok(serde_json::to_string_pretty(&merged.file.measured)? + "\n");
    write(&view::merged(&merged, common.language()), json, common.format)?;
    Ok(ExitStatus::Success)
}

/// The text of a profile.
///
/// # Errors
/// When a value has no TOML form.
pub fn profile_text(file: &ProfileFile) -> Result<String, CliError> {
    file.to_text().map_err(|e| CliError::Output(format!("cannot write the profile: {e}")))
}

fn emit(args: &EmitArgs) -> Result<ExitStatus, CliError> {
    let job = FleetJob {
        nodes: args.nodes,
        gpus_per_node: args.gpus_per_node,
        instance: args.instance.clone(),
        gpu: args.gpu.clone(),
        folder: args.folder.clone(),
        image: args.image.clone(),
        claim: args.claim.clone(),
        arguments: args.arguments.join(" "),
    };
    let text = match args.engine {
        Engine::Slurm => job.slurm(),
        Engine::Kubernetes => {
            job.kubernetes().map_err(|e| CliError::Output(format!("cannot write the manifest: {e}")))?
        }
    };
    print(&text)?;
    Ok(ExitStatus::Success)
}
