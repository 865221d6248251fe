//! Looking for GPUs, and opening one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::bench::Bench;
use super::blas::{self, Blas};
use super::blas_lt::{self, BlasLt};
use super::device::CudaDevice;
use super::driver::{Context, Driver, Gpu};
use super::facts;
use super::failure::Failure;
use super::group::Peers;
use super::kernels::Kernels;
use super::member::CudaMember;
use super::nccl::Nccl;
use super::nvml::{Nvml, NvmlDevice};
use crate::calibration::across::Member;
use crate::calibration::device::{Device, DeviceError, DeviceFacts, Library};
use crate::calibration::opening::{DeviceProbe, LibrarySearch, OpenError, Probe};
use crate::units::Bytes;

/// Least compute capability that the kernels serve.
const LEAST_CAPABILITY: (u32, u32) = (7, 0);

/// Looks for the driver, the libraries and the devices; opens nothing for long and never panics.
pub fn probe(search: &LibrarySearch) -> Probe {
    let (driver_probe, driver) = Driver::load(search);
    let (nvml, _) = Nvml::find(search);
    let served = driver.as_ref().ok().copied();
    let (cublas, _) = blas::Functions::find(served, search);
    let (cublas_lt, _) = blas_lt::Functions::find(served, search);
    let (nccl, _) = Nccl::find(search);
    let mut found =
        Probe { libraries: vec![driver_probe, nvml, cublas, cublas_lt, nccl], ..Probe::default() };
    match driver.and_then(|driver| devices(driver).map_err(Failure::while_opening)) {
        Ok(devices) => {
            found.problem = match devices.iter().find_map(|d| d.problem.clone()) {
                _ if devices.is_empty() => Some(OpenError::NoDevice),
                Some(reason) if devices.iter().all(|d| d.problem.is_some()) => {
                    Some(OpenError::Other { reason })
                }
                _ => None,
            };
            found.devices = devices;
        }
        Err(problem) => found.problem = Some(problem),
    }
    found
}

fn devices(driver: Driver) -> Result<Vec<DeviceProbe>, Failure> {
    (0..driver.device_count()?).map(|ordinal| Ok(device_probe(driver.device(ordinal)?))).collect()
}

fn device_probe(gpu: Gpu) -> DeviceProbe {
    let mut probe = DeviceProbe {
        ordinal: gpu.ordinal,
        name: "unknown".to_owned(),
        details: String::new(),
        problem: None,
    };
    let mut ask = || -> Result<(), Failure> {
        probe.name = gpu.name()?;
        let (major, minor) = gpu.compute_capability()?;
        let memory = Bytes::new(gpu.memory()? as f64);
        probe.details = format!("compute capability {major}.{minor}, {:.1} GiB", memory.gib());
        probe.problem = too_old((major, minor));
        Ok(())
    };
    if let Err(failure) = ask() {
        probe.problem = Some(failure.text);
    }
    probe
}

fn too_old(capability: (u32, u32)) -> Option<String> {
    let (major, minor) = capability;
    (capability < LEAST_CAPABILITY)
        .then(|| format!("compute capability {major}.{minor} is below 7.0, the least that the kernels serve"))
}

/// A device that may be opened.
struct Found {
    driver: Driver,
    count: u32,
    gpu: Gpu,
    nvml: Option<NvmlDevice>,
    facts: DeviceFacts,
}

fn found(ordinal: u32, search: &LibrarySearch) -> Result<Found, OpenError> {
    let driver = Driver::load(search).1?;
    let count = driver.device_count().map_err(Failure::while_opening)?;
    if count == 0 {
        return Err(OpenError::NoDevice);
    }
    if ordinal >= count {
        return Err(OpenError::NoSuchDevice { ordinal, count });
    }
    let gpu = driver.device(ordinal).map_err(Failure::while_opening)?;
    let library = Nvml::find(search).1;
    let nvml = library.and_then(|nvml| nvml.device(&gpu.bus_id().ok()?));
    let told = library.as_ref().zip(nvml.as_ref());
    let facts = facts::before_opening(driver, gpu, told).map_err(Failure::while_opening)?;
    match too_old(facts.compute_capability.unwrap_or((0, 0))) {
        Some(reason) => Err(OpenError::Other { reason }),
        None => Ok(Found { driver, count, gpu, nvml, facts }),
    }
}

/// Opens one device as a rank of a group of processes.
///
/// # Errors
/// As in [`OpenError`]; also where NCCL is missing.
pub fn join(ordinal: u32, rank: u32, search: &LibrarySearch) -> Result<Box<dyn Member>, OpenError> {
    let Found { gpu, mut facts, .. } = found(ordinal, search)?;
    let (probe, nccl) = Nccl::find(search);
    let Some(nccl) = nccl else {
        let problem = probe.problem.unwrap_or_else(|| "not found".to_owned());
        return Err(OpenError::Other { reason: format!("NCCL, which the ranks talk through: {problem}") });
    };
    facts.libraries.push(Library { name: "nccl".to_owned(), version: nccl.version() });
    facts.notes.extend(nccl_settings());
    let context = Context::open(gpu).map_err(Failure::while_opening)?;
    let kernels = Kernels::load_memory_only(&context).map_err(Failure::while_opening)?;
    let multiprocessors = facts.multiprocessors.unwrap_or(1);
    let bench = Bench::new(&context, kernels, multiprocessors, facts.l2.unwrap_or(0)).map_err(opening)?;
    Ok(Box::new(CudaMember::new(facts, rank, nccl, bench).map_err(opening)?))
}

/// What the user told the library: algorithms, protocols, interfaces.
fn nccl_settings() -> Vec<String> {
    let mut settings: Vec<String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with("NCCL_"))
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect();
    settings.sort();
    settings
}

/// Opens one device.
///
/// # Errors
/// As in [`OpenError`].
pub fn open(ordinal: u32, search: &LibrarySearch) -> Result<Box<dyn Device>, OpenError> {
    let Found { driver, count, gpu, nvml, mut facts } = found(ordinal, search)?;
    let capability = facts.compute_capability.unwrap_or((0, 0));
    let context = Context::open(gpu).map_err(Failure::while_opening)?;
    facts.memory_free = context.memory().ok().map(|(free, _)| free);
    let (kernels, notes) = Kernels::load(&context, capability).map_err(Failure::while_opening)?;
    facts.notes.extend(notes);
    let multiprocessors = facts.multiprocessors.unwrap_or(1);
    let bench = Bench::new(&context, kernels, multiprocessors, facts.l2.unwrap_or(0)).map_err(opening)?;
    let blas = open_blas(driver, search, &bench, capability, &mut facts);
    facts::abilities(&mut facts, &bench.kernels, blas.as_ref());
    let nccl = if count > 1 { Nccl::find(search).1 } else { None };
    if let Some(nccl) = nccl {
        facts.libraries.push(Library { name: "nccl".to_owned(), version: nccl.version() });
    }
    let peers = Peers::new(driver, count, nccl);
    facts.peers = (0..count).filter(|&other| other != ordinal).collect();
    facts.collective_ranks = peers.group_sizes();
    if count > 1 && nccl.is_none() {
        facts.notes.push("no NCCL: collectives are not measured".to_owned());
    }
    facts.notes.extend(nccl.iter().flat_map(|_| nccl_settings()));
    Ok(Box::new(CudaDevice {
        facts,
        started: Instant::now(),
        current: None,
        blas,
        bench,
        peers,
        nvml,
        checked: BTreeSet::new(),
        grids: BTreeMap::new(),
    }))
}

/// cuBLAS if there is one that works here; why not, else, is a note.
fn open_blas(
    driver: Driver,
    search: &LibrarySearch,
    bench: &Bench,
    capability: (u32, u32),
    facts: &mut DeviceFacts,
) -> Option<Blas> {
    // Opened first: cuBLAS needs it and may not find it by itself.
    let light = blas_lt::Functions::find(Some(driver), search).1.filter(|_| capability >= (8, 9));
    let functions = blas::Functions::find(Some(driver), search).1?;
    let light = light.and_then(|functions| {
        let made = BlasLt::new(functions, &bench.stream);
        made.map_err(|reason| facts.notes.push(format!("no FP8 products: {reason}"))).ok()
    });
    let made = Blas::new(functions, light, &bench.stream, capability);
    made.map_err(|reason| facts.notes.push(format!("cuBLAS does not start: {reason}"))).ok()
}

fn opening(error: DeviceError) -> OpenError {
    match error {
        DeviceError::KernelRefused { reason } => OpenError::KernelRefused { reason },
        other => OpenError::Other { reason: other.to_string() },
    }
}
