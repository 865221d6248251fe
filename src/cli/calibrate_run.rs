//! `calibrate run`: open a device, measure, fit, write.

use std::path::{Path, PathBuf};

use super::args::{CalibrateRunArgs, DeviceName, WorkloadArgs};
use super::calibrate::{no_gpu, profile_text};
use super::cluster::unknown_gpu;
use super::error::CliError;
use super::exit::ExitStatus;
use super::job_file::{given_job, read_text_up_to};
use super::job_model::model;
use super::output::{check_target, remark, write_file};
use super::problems::Problems;
use super::progress_bar::ProgressLine;
use super::session::{open_catalog, today};
use super::view::show;
use crate::calibration::cpu::{self, Cpu};
use crate::calibration::cuda;
use crate::calibration::device::{Device, DeviceFacts, DeviceKind};
use crate::calibration::fit::{FitSettings, fit};
use crate::calibration::identify::identify;
use crate::calibration::merging::merge;
use crate::calibration::opening::LibrarySearch;
use crate::calibration::placed::own_shapes;
use crate::calibration::profile_file::{CPU, ProfileFile};
use crate::calibration::protocol::{RunError, Settings, run as measure};
use crate::calibration::schedule::Effort;
use crate::calibration::simulated::{Disturbance, Simulated, Truth};
use crate::calibration::trace::Trace;
use crate::catalog::{Catalog, GpuId};
use crate::profile::Profiles;
use crate::report::view_calibration as view;
use crate::workload::Workload;

/// Largest trace that is read: a thorough run of a fast GPU takes some hundred thousand samples.
const MOST_TRACE_BYTES: u64 = 1 << 30;
/// Resamples of a fit.
const RESAMPLES: u32 = 200;
/// Sequence of a model whose products are measured or placed.
const SEQUENCE: u32 = 2048;

/// Answers `calibrate run`.
///
/// # Errors
/// Wrong usage, no GPU, a lost device, a refused fit, files that cannot be written.
pub fn run(args: &CalibrateRunArgs) -> Result<ExitStatus, CliError> {
    let catalog = open_catalog(&args.common)?;
    let gpu = named_gpu(args.gpu.as_deref(), &catalog)?;
    if gpu.is_none() && args.device == DeviceName::Simulated && args.replay.is_none() {
        return Err(CliError::usage("--device simulated needs --gpu GPU: the profile to simulate"));
    }
    check_instance(args.instance.as_deref(), &catalog)?;
    check_target("--output", &args.output)?;
    let trace_path = args.trace.clone().unwrap_or_else(|| args.output.with_extension("jsonl"));
    check_target("--trace", &trace_path)?;
    if trace_path == args.output {
        return Err(CliError::usage("--trace and --output are the same file; give two names"));
    }
    if let Some(path) = &args.replay {
        let trace = read_trace(path)?;
        let file = fitted(&trace, args, &catalog, gpu)?;
        return finish(args, &[(args.output.clone(), file)]);
    }
    let settings = settings(args, &catalog)?;
    let mut files = Vec::new();
    for ordinal in ordinals(args)? {
        let mut device = open(args, ordinal, &catalog, gpu)?;
        let (output, trace_path) = if args.all {
            (with_ordinal(&args.output, ordinal), with_ordinal(&trace_path, ordinal))
        } else {
            (args.output.clone(), trace_path.clone())
        };
        let trace = measured(device.as_mut(), &settings, args, &catalog, gpu)?;
        let text = trace.to_text().map_err(|e| CliError::Output(format!("cannot write the trace: {e}")))?;
        write_file(&trace_path, text.as_bytes())?;
        let file = fitted(&trace, args, &catalog, gpu)?;
        files.push((output, file));
    }
    finish(args, &files)
}

/// Writes the profiles and shows them; of several, the one that stands apart is named.
fn finish(args: &CalibrateRunArgs, files: &[(PathBuf, ProfileFile)]) -> Result<ExitStatus, CliError> {
    for (path, file) in files {
        write_file(path, profile_text(file)?.as_bytes())?;
        remark(args.common.quiet, &format!("the profile is in {}", path.display()));
    }
    let language = args.common.language();
    if let [(_, file)] = files {
        let json = || Ok(serde_json::to_string_pretty(&file.measured)? + "\n");
        show(&view::profile(file, language), json, args.common.format)?;
        return Ok(ExitStatus::Success);
    }
    let named: Vec<(String, ProfileFile)> = files
        .iter()
        .map(|(_, file)| (format!("GPU {}", file.measured.device.ordinal), file.clone()))
        .collect();
    let merged = merge(&named, &[]).map_err(|e| CliError::usage(e.to_string()))?;
    let json = || {
        let all: Vec<_> = files.iter().map(|(_, f)| &f.measured).collect();
        Ok(serde_json::to_string_pretty(&all)? + "\n")
    };
    show(&view::merged(&merged, language), json, args.common.format)?;
    Ok(ExitStatus::Success)
}

fn with_ordinal(path: &Path, ordinal: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()));
    path.with_file_name(format!("{stem}-{ordinal}{extension}"))
}

/// The GPU of `--gpu`.
///
/// # Errors
/// When the catalog has no such GPU.
pub fn named_gpu(given: Option<&str>, catalog: &Catalog) -> Result<Option<GpuId>, CliError> {
    let Some(name) = given.map(str::trim) else { return Ok(None) };
    match catalog.find_gpu(name) {
        Some(id) => Ok(Some(id)),
        None => Err(CliError::usage(format!("--gpu: {}", unknown_gpu(name, catalog)))),
    }
}

/// Catalog id of an opened GPU: the one that was named, else the one its own name tells.
///
/// # Errors
/// When neither is there.
pub fn gpu_id(facts: &DeviceFacts, named: Option<GpuId>, catalog: &Catalog) -> Result<String, CliError> {
    let id = named.map(|id| catalog.gpu(id).id.clone()).or_else(|| identify(facts, &catalog.gpus));
    id.ok_or_else(|| {
        let name = &facts.name;
        CliError::usage(format!(
            "{name:?} is no GPU of the catalog by its name; add --gpu GPU (`catalog list gpus` lists all)"
        ))
    })
}

/// Checks `--instance`.
///
/// # Errors
/// When the catalog has no such instance type.
pub fn check_instance(given: Option<&str>, catalog: &Catalog) -> Result<(), CliError> {
    let Some(instance) = given else { return Ok(()) };
    let found = instance.split_once('/').and_then(|(provider, name)| catalog.find_instance(provider, name));
    match found {
        Some(_) => Ok(()),
        None => Err(CliError::usage(format!(
            "--instance: {instance:?} is no provider/name of the catalog; `catalog list instances` lists all"
        ))),
    }
}

fn settings(args: &CalibrateRunArgs, catalog: &Catalog) -> Result<Settings, CliError> {
    let effort = match (args.minimal, args.thorough) {
        (true, _) => Effort::Minimal,
        (false, true) => Effort::Thorough,
        (false, false) => Effort::Quick,
    };
    let workload = own_workload(args.model.as_ref(), args.params.as_ref(), catalog)?;
    let mut settings = Settings {
        seed: args.seed,
        shapes: workload.as_ref().map(own_shapes).unwrap_or_default(),
        instance: args.instance.clone(),
        node: args.node.clone(),
        date: Some(today().to_string()),
        host_cpu: cpu::cpu_name(),
        ..Settings::new(effort)
    };
    if args.device == DeviceName::Cpu {
        // A CPU takes some hundred times longer for a product than a GPU.
        settings.longest_s *= 8.0;
    }
    Ok(settings)
}

/// The workload of a model whose products are wanted.
///
/// # Errors
/// When the model is not known or its configuration is wrong.
pub fn own_workload(
    model_name: Option<&String>,
    params: Option<&String>,
    catalog: &Catalog,
) -> Result<Option<Workload>, CliError> {
    if model_name.is_none() && params.is_none() {
        return Ok(None);
    }
    let workload =
        WorkloadArgs { model: model_name.cloned(), params: params.cloned(), ..WorkloadArgs::default() };
    let mut problems = Problems::default();
    let given = given_job(&workload, catalog, &mut problems)?;
    let found = model(&given, catalog, &mut problems)?;
    problems.check()?;
    let Some(found) = found else { return Ok(None) };
    let sequence = found.max_sequence().map_or(SEQUENCE, |most| most.min(SEQUENCE));
    found.workload(sequence).map(Some).map_err(|e| CliError::usage(format!("--model: {e}")))
}

fn ordinals(args: &CalibrateRunArgs) -> Result<Vec<u32>, CliError> {
    if !args.all || args.device != DeviceName::Cuda {
        return Ok(vec![args.ordinal]);
    }
    let probe = cuda::probe(&search(args));
    match probe.problem {
        Some(problem) => Err(no_gpu(&problem)),
        None => Ok(probe.devices.iter().filter(|d| d.problem.is_none()).map(|d| d.ordinal).collect()),
    }
}

fn search(args: &CalibrateRunArgs) -> LibrarySearch {
    LibrarySearch { folder: args.library_folder.clone() }
}

fn open(
    args: &CalibrateRunArgs,
    ordinal: u32,
    catalog: &Catalog,
    gpu: Option<GpuId>,
) -> Result<Box<dyn Device>, CliError> {
    match (args.device, gpu) {
        (DeviceName::Cuda, _) => cuda::open(ordinal, &search(args)).map_err(|e| no_gpu(&e)),
        (DeviceName::Cpu, _) => Ok(Box::new(Cpu::open(args.common.threads.map(usize::from)))),
        (DeviceName::Simulated, Some(id)) => {
            let profiles = Profiles::embedded(&catalog.gpus)?;
            let truth = Truth::of(catalog.gpu(id), profiles.gpu(id));
            Ok(Box::new(Simulated::new(truth, Disturbance::quiet(args.seed))))
        }
        (DeviceName::Simulated, None) => Err(CliError::usage("--device simulated needs --gpu GPU")),
    }
}

fn measured(
    device: &mut dyn Device,
    settings: &Settings,
    args: &CalibrateRunArgs,
    catalog: &Catalog,
    gpu: Option<GpuId>,
) -> Result<Trace, CliError> {
    let facts = device.facts();
    let id = match facts.kind {
        DeviceKind::Cpu => Some(CPU.to_owned()),
        DeviceKind::Cuda => Some(gpu_id(facts, gpu, catalog)?),
        DeviceKind::Simulated => gpu.map(|id| catalog.gpu(id).id.clone()),
    };
    if facts.shared == Some(true) {
        remark(args.common.quiet, "another process uses the GPU; the numbers will be flagged as shared");
    }
    let settings = Settings { gpu: id, ..settings.clone() };
    let mut line = ProgressLine::new(args.common.quiet);
    let result = measure(device, &settings, &mut |p| line.tell(p));
    line.finish();
    result.map_err(|error| match error {
        RunError::Lost { .. } => CliError::Output(format!("{error}; nothing was written")),
        RunError::Nothing { .. } => CliError::OutsideTolerance(format!("{error}; nothing was written")),
    })
}

fn read_trace(path: &Path) -> Result<Trace, CliError> {
    Trace::parse(&path.display().to_string(), &read_text_up_to(path, MOST_TRACE_BYTES)?)
        .map_err(CliError::invalid)
}

fn fitted(
    trace: &Trace,
    args: &CalibrateRunArgs,
    catalog: &Catalog,
    gpu: Option<GpuId>,
) -> Result<ProfileFile, CliError> {
    let named = gpu.map(|id| catalog.gpu(id).id.clone()).or_else(|| trace.run.gpu.clone());
    let Some(name) = named else {
        return Err(CliError::usage("the trace names no GPU; add --gpu GPU"));
    };
    let id = gpu.or_else(|| catalog.find_gpu(&name));
    let settings = FitSettings { resamples: RESAMPLES, gpu: id.map(|id| catalog.gpu(id)) };
    let mut measured = fit(trace, &settings).map_err(|e| {
        CliError::OutsideTolerance(format!(
            "no profile was written: {e}; `calibrate run --replay` fits the trace again"
        ))
    })?;
    if args.instance.is_some() {
        measured.instance.clone_from(&args.instance);
    }
    if args.node.is_some() {
        measured.node.clone_from(&args.node);
    }
    Ok(ProfileFile { gpu: name, measured })
}
