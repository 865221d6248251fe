//! `calibrate` and `roofline` on the command line.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{CalibrateFitArgs, CommonArgs};

/// The commands of `calibrate`.
#[derive(Debug, Subcommand)]
pub enum CalibrateCommand {
    /// Look for the driver, libraries and devices, and say what is missing, where, and why
    #[command(after_help = "\
Example:
  gpu-advisor calibrate check

Exit code 5 when no GPU can be used.")]
    Check {
        /// Look for the vendor's libraries in this folder first
        #[arg(long, value_name = "DIR")]
        library_folder: Option<PathBuf>,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Measure a GPU (or the host CPU) and write its profile and the trace of every sample
    #[command(after_help = "\
Examples:
  gpu-advisor calibrate run --quick
  gpu-advisor calibrate run --thorough --instance aws/p4d.24xlarge --model llama2-7b
  gpu-advisor calibrate run --device cpu --quick --output cpu.toml --trace cpu.jsonl
  gpu-advisor calibrate run --replay trace.jsonl --output again.toml

The profile replaces the shipped one with --profile FILE, or for good in the folder gpu-advisor/calibration/hardware
of your configuration folder. Exit code 5 without a GPU, 6 when the measurements fit no curve.")]
    Run(Box<CalibrateRunArgs>),
    /// Measure collectives between nodes: one process for each GPU, started by the launcher of the cluster
    #[command(after_help = "\
Examples:
  srun --ntasks-per-node=8 gpu-advisor calibrate collectives --rendezvous shared/id --ranks-per-node 8
  gpu-advisor calibrate collectives --rank 1 --world-size 2 --local-rank 0 --ranks-per-node 1 --rendezvous shared/id

Every process runs the same line; rank 0 writes, shows, and hands the group's id to the others through a file. `calibrate
emit` writes a job with this in it, and `calibrate merge` puts the result into the profile. Exit code 5 without a GPU or
NCCL.")]
    Collectives(Box<CollectivesArgs>),
    /// Show a measured profile: values with intervals, fits with residuals, flags
    #[command(after_help = "Example:\n  gpu-advisor calibrate show profile.toml")]
    Show {
        /// What `calibrate run`, `merge` or `collectives` wrote
        file: PathBuf,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Tell a sick machine from a healthy one: a profile against another, or against the shipped one of its GPU
    #[command(after_help = "\
Examples:
  gpu-advisor calibrate compare profile.toml
  gpu-advisor calibrate compare profile.toml --with healthy.toml

Exit code 6 when a quantity is worse than the reference and outside its interval.")]
    Compare {
        /// A profile that `calibrate run` wrote
        file: PathBuf,
        /// The reference [default: the shipped profile of the same GPU]
        #[arg(long, value_name = "FILE")]
        with: Option<PathBuf>,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Pool the profiles of many nodes of one kind: median, spread, nodes that stand apart
    #[command(after_help = "\
Example:
  gpu-advisor calibrate merge calibration/*.toml --output p4d.toml")]
    Merge {
        /// Profiles that `calibrate run` wrote, and what `calibrate collectives` wrote
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Where the merged profile goes
        #[arg(long, value_name = "FILE", default_value = "merged.toml")]
        output: PathBuf,
        /// Output and data.
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Print a job that measures every node of a cluster and merges the profiles
    #[command(after_help = "\
Examples:
  gpu-advisor calibrate emit slurm --nodes 16 --gpus-per-node 8 > calibrate.sbatch
  gpu-advisor calibrate emit kubernetes --nodes 4 --image registry/gpu-advisor:1 | kubectl apply -f -")]
    Emit(EmitArgs),
    /// Fit the coefficients of software stacks to measured runs; needs no GPU
    #[command(after_help = "\
Examples:
  gpu-advisor calibrate fit
  gpu-advisor calibrate fit --runs calibration/runs --write calibration/software
  gpu-advisor calibrate fit --runs calibration/runs --cross-validate none --fail-above 2%

Nothing is written without --write. Exit code 3 when a file is invalid, 6 when --fail-above is missed.")]
    Fit(Box<CalibrateFitArgs>),
}

/// Arguments of `calibrate run`.
#[derive(Debug, Args)]
pub struct CalibrateRunArgs {
    /// What is measured
    #[arg(long, value_name = "NAME", value_enum, default_value_t, help_heading = "Device")]
    pub device: DeviceName,
    /// Number of the GPU on this host
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Device")]
    pub ordinal: u32,
    /// Measure every GPU of this host, one after another, and name the worst
    #[arg(long, conflicts_with_all = ["ordinal", "replay"], help_heading = "Device")]
    pub all: bool,
    /// Catalog id of the GPU, where its name does not tell; required for --device simulated
    #[arg(long, value_name = "GPU", help_heading = "Device")]
    pub gpu: Option<String>,
    /// Look for the vendor's libraries in this folder first
    #[arg(long, value_name = "DIR", help_heading = "Device")]
    pub library_folder: Option<PathBuf>,
    /// Fit a recorded trace; nothing is measured
    #[arg(long, value_name = "FILE", conflicts_with = "trace", help_heading = "Device")]
    pub replay: Option<PathBuf>,
    /// At most a minute (the default)
    #[arg(long, conflicts_with = "thorough", help_heading = "Measurement")]
    pub quick: bool,
    /// About five minutes: more rounds, more shapes, a longer sustained product
    #[arg(long, help_heading = "Measurement")]
    pub thorough: bool,
    /// A few seconds, coarse: for trying the command out
    #[arg(long, conflicts_with_all = ["quick", "thorough"], help_heading = "Measurement")]
    pub minimal: bool,
    /// Seed of the order of measurements
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Measurement")]
    pub seed: u64,
    /// Also measure the matrix products of this model: a name of the zoo or the path of a config.json
    #[arg(long, value_name = "NAME|FILE", help_heading = "Measurement")]
    pub model: Option<String>,
    /// Also measure the matrix products of a standard decoder of that size, such as 7B
    #[arg(long, value_name = "COUNT", conflicts_with = "model", help_heading = "Measurement")]
    pub params: Option<String>,
    /// Instance type, as provider/name: the profile then holds for it alone
    #[arg(long, value_name = "INSTANCE", help_heading = "Result")]
    pub instance: Option<String>,
    /// Name of this node in a fleet
    #[arg(long, value_name = "NAME", help_heading = "Result")]
    pub node: Option<String>,
    /// Where the profile goes
    #[arg(long, value_name = "FILE", default_value = "profile.toml", help_heading = "Result")]
    pub output: PathBuf,
    /// Where the trace of every sample goes [default: the profile's name with .jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub trace: Option<PathBuf>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments of `calibrate collectives`.
#[derive(Debug, Args)]
pub struct CollectivesArgs {
    /// Number of this process, from 0 [default: what the launcher says, such as SLURM_PROCID]
    #[arg(long, value_name = "N", help_heading = "Launcher")]
    pub rank: Option<u32>,
    /// Number of all processes [default: what the launcher says, such as SLURM_NTASKS]
    #[arg(long, value_name = "N", help_heading = "Launcher")]
    pub world_size: Option<u32>,
    /// Number of this process on its node, and of the GPU it takes [default: what the launcher says, such as SLURM_LOCALID]
    #[arg(long, value_name = "N", help_heading = "Launcher")]
    pub local_rank: Option<u32>,
    /// Processes of a node, with consecutive numbers [default: what the launcher says, such as SLURM_NTASKS_PER_NODE]
    #[arg(long, value_name = "N", help_heading = "Launcher")]
    pub ranks_per_node: Option<u32>,
    /// Start of the names of files in a folder that all nodes share; new for every run
    #[arg(long, value_name = "PATH", default_value = "gpu-advisor-rendezvous", help_heading = "Launcher")]
    pub rendezvous: PathBuf,
    /// Seconds to wait for rank 0
    #[arg(long, value_name = "SECONDS", default_value_t = 120, help_heading = "Launcher")]
    pub wait: u64,
    /// Catalog id of the GPU, where its name does not tell
    #[arg(long, value_name = "GPU", help_heading = "Device")]
    pub gpu: Option<String>,
    /// Look for the vendor's libraries in this folder first
    #[arg(long, value_name = "DIR", help_heading = "Device")]
    pub library_folder: Option<PathBuf>,
    /// Seed of the order of measurements; the same for all processes
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Measurement")]
    pub seed: u64,
    /// Instance type, as provider/name
    #[arg(long, value_name = "INSTANCE", help_heading = "Result")]
    pub instance: Option<String>,
    /// Where the collectives go
    #[arg(long, value_name = "FILE", default_value = "collectives.toml", help_heading = "Result")]
    pub output: PathBuf,
    /// Where the trace of every sample goes [default: the name of the collectives with .jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Result")]
    pub trace: Option<PathBuf>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Names of `--device`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DeviceName {
    /// A GPU through the CUDA driver
    #[default]
    Cuda,
    /// The host CPU, with the same list of measurements
    Cpu,
    /// A simulation of the shipped profile of --gpu, with noise
    Simulated,
}

/// Arguments of `calibrate emit`.
#[derive(Debug, Args)]
pub struct EmitArgs {
    /// The engine of the cluster
    #[arg(value_enum)]
    pub engine: Engine,
    /// Nodes to measure
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub nodes: u32,
    /// GPUs to ask for on each node; 0 leaves the request out, and with it the collectives between nodes
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub gpus_per_node: u32,
    /// Instance type, as provider/name
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,
    /// Catalog id of the GPU, where its name does not tell
    #[arg(long, value_name = "GPU")]
    pub gpu: Option<String>,
    /// Folder that all nodes share
    #[arg(long, value_name = "DIR", default_value = "gpu-advisor-calibration")]
    pub folder: String,
    /// Container image with this program, for kubernetes
    #[arg(long, value_name = "IMAGE", default_value = "gpu-advisor:latest")]
    pub image: String,
    /// Claim of the shared volume, for kubernetes
    #[arg(long, value_name = "NAME", default_value = "gpu-advisor-profiles")]
    pub claim: String,
    /// More arguments for `calibrate run` on every node
    #[arg(last = true)]
    pub arguments: Vec<String>,
}

/// Engines of clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// A batch script
    Slurm,
    /// A manifest for `kubectl apply -f`
    Kubernetes,
}

/// Arguments of `roofline`.
#[derive(Debug, Args)]
pub struct RooflineArgs {
    /// Draw the shipped profile of this GPU; --profile FILE draws a measured one
    #[arg(long, value_name = "GPU")]
    pub gpu: Option<String>,
    /// Place the products of this model on it: a name of the zoo or the path of a config.json
    #[arg(long, value_name = "NAME|FILE")]
    pub model: Option<String>,
    /// Place the products of a standard decoder of that size, such as 7B
    #[arg(long, value_name = "COUNT", conflicts_with = "model")]
    pub params: Option<String>,
    /// Samples of one micro batch
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub samples: u32,
    /// Precision of the products: fp32, tf32, fp16, bf16, fp8 [default: bf16 where there is one, else fp16, else fp32]
    #[arg(long, value_name = "NAME")]
    pub precision: Option<String>,
    /// Draw into FILE, .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}
