//! `calibrate collectives`: this process is one rank of a launcher; together they measure what nodes can do.

use std::time::Duration;

use super::args::CollectivesArgs;
use super::calibrate_run::{check_instance, gpu_id, named_gpu};
use super::error::CliError;
use super::exit::ExitStatus;
use super::output::{check_target, remark, write_file};
use super::session::{open_catalog, today};
use super::view::show;
use crate::calibration::across::{AcrossSettings, measure};
use crate::calibration::collectives::Collectives;
use crate::calibration::cuda;
use crate::calibration::opening::LibrarySearch;
use crate::calibration::trace::{RunFacts, SCHEMA, Trace};
use crate::calibration::world::{Rendezvous, World};
use crate::report::view_calibration as view;

/// Rounds, and seconds after which no further batch begins.
const ROUNDS: u32 = 3;
const BUDGET: f64 = 240.0;

/// What launchers call the number of a process, of all processes, and of a process on its node.
const RANK: [&str; 4] = ["SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK"];
const SIZE: [&str; 4] = ["SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE"];
const LOCAL: [&str; 4] = ["SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK"];
const PER_NODE: [&str; 4] =
    ["SLURM_NTASKS_PER_NODE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "LOCAL_WORLD_SIZE"];

/// Answers `calibrate collectives`; rank 0 alone writes and shows.
///
/// # Errors
/// Wrong usage, no GPU or no NCCL, ranks that do not meet, a failure on the way, files that cannot be written.
pub fn run(args: &CollectivesArgs) -> Result<ExitStatus, CliError> {
    let (world, local) = world(args)?;
    let catalog = open_catalog(&args.common)?;
    let gpu = named_gpu(args.gpu.as_deref(), &catalog)?;
    check_instance(args.instance.as_deref(), &catalog)?;
    let trace_path = args.trace.clone().unwrap_or_else(|| args.output.with_extension("jsonl"));
    let writes = world.rank() == 0;
    if writes {
        check_target("--output", &args.output)?;
        check_target("--trace", &trace_path)?;
    }
    let search = LibrarySearch { folder: args.library_folder.clone() };
    let mut member = cuda::join(local, world.rank(), &search).map_err(|error| {
        CliError::NoGpu(format!(
            "rank {} has no GPU to measure with: {error}. See `calibrate check`",
            world.rank()
        ))
    })?;
    let facts = member.facts().clone();
    let gpu = gpu_id(&facts, gpu, &catalog)?;
    let meeting = Rendezvous { path: args.rendezvous.clone(), patience: Duration::from_secs(args.wait) };
    let settings = AcrossSettings { seed: args.seed, rounds: ROUNDS, budget_s: BUDGET };
    let found = measure(member.as_mut(), world, &meeting, &settings)
        .map_err(|error| CliError::Output(format!("rank {}: {error}; nothing was written", world.rank())))?;
    if !writes {
        return Ok(ExitStatus::Success);
    }
    let run = RunFacts {
        schema: SCHEMA,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        date: Some(today().to_string()),
        effort: "collectives".to_owned(),
        seed: args.seed,
        rounds: ROUNDS,
        gpu: Some(gpu.clone()),
        instance: args.instance.clone(),
        node: None,
        host_cpu: None,
        device: facts,
    };
    let trace = Trace { run, samples: found.samples, gaps: found.gaps, duration_s: member.now().get() };
    let text = trace.to_text().map_err(|e| CliError::Output(format!("cannot write the trace: {e}")))?;
    write_file(&trace_path, text.as_bytes())?;
    let collectives = Collectives::of(&trace, gpu, world.nodes(), world.per_node());
    if collectives.transfer.is_empty() {
        let why =
            trace.gaps.first().map_or_else(String::new, |gap| format!(": {}: {}", gap.item, gap.reason));
        return Err(CliError::OutsideTolerance(format!("no collective could be measured{why}")));
    }
    let text = collectives.to_text().map_err(|e| CliError::Output(format!("cannot write the file: {e}")))?;
    write_file(&args.output, text.as_bytes())?;
    remark(args.common.quiet, &format!("the collectives are in {}", args.output.display()));
    let json = || Ok(serde_json::to_string_pretty(&collectives)? + "\n");
    show(&view::collectives(&collectives, args.common.language()), json, args.common.format)?;
    Ok(ExitStatus::Success)
}

/// The place of this process, and its number on its node: what was given, else what the launcher says.
fn world(args: &CollectivesArgs) -> Result<(World, u32), CliError> {
    let mut missing = Vec::new();
    let mut told = |flag: &str, given: Option<u32>, names: [&str; 4]| {
        let number = given.or_else(|| names.iter().find_map(|name| std::env::var(name).ok()?.parse().ok()));
        if number.is_none() {
            missing.push(format!("{flag} (or {} of the launcher)", names.join(", ")));
        }
        number
    };
    let rank = told("--rank", args.rank, RANK);
    let size = told("--world-size", args.world_size, SIZE);
    let local = told("--local-rank", args.local_rank, LOCAL);
    let per_node = told("--ranks-per-node", args.ranks_per_node, PER_NODE);
    match (rank, size, local, per_node) {
        (Some(rank), Some(size), Some(local), Some(per_node)) => {
            World::new(rank, size, per_node, local).map(|world| (world, local)).map_err(CliError::usage)
        }
        _ => Err(CliError::usage(format!(
            "every GPU of the cluster gets a process, and this one was not told its place: give {}; `calibrate emit` \
             writes a job that does",
            missing.join(", ")
        ))),
    }
}
