//! `whatif` and `diff` on the command line.

use std::path::PathBuf;

use clap::Args;

use super::{CommonArgs, GenericArgs, LimitArgs, MoneyArgs, PlanArgs, WorkloadArgs};

/// Arguments of `whatif`.
#[derive(Debug, Args)]
pub struct WhatIfArgs {
    /// The job.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// The cluster: `provider/instance[@region]:N` nodes, or `GPU:N` for N GPUs of a kind. Without one the best is chosen
    /// anew for each question, within the limits
    #[arg(long, value_name = "CLUSTER", help_heading = "Cluster")]
    pub cluster: Option<String>,
    /// GPUs of a generic cluster of the one --gpu
    #[arg(long = "gpus", value_name = "N", help_heading = "Cluster", conflicts_with = "cluster")]
    pub gpu_count: Option<String>,
    /// Network and nodes of generic clusters.
    #[command(flatten)]
    pub generic: GenericArgs,
    /// What changes: KEY=VALUE, several with commas. Keys are those of a job file and the flags of plan, limits and money
    /// with _ for -, such as layout, recipe, compiler (none leaves it out) and folds, and price, gpus, nodes, network_bandwidth. Numbers may be relative: -10%, +5%, x2, /2
    #[arg(long = "set", value_name = "KEY=VALUE,...", help_heading = "Changes")]
    pub changes: Vec<String>,
    /// A number that goes through several values: KEY=V1,V2,V3, or a range, KEY=8..256x2 (times two) or
    /// KEY=1024..4096+1024. Twice for two of them
    #[arg(long = "sweep", value_name = "KEY=VALUES", help_heading = "Changes")]
    pub sweeps: Vec<String>,
    /// Also draw time and cost over the first swept number into FILE, .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output", requires = "sweeps")]
    pub plot: Option<PathBuf>,
    /// The limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// The plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Prices.
    #[command(flatten)]
    pub money: MoneyArgs,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The earlier answer: a file that `--format json` wrote
    pub before: PathBuf,
    /// The later one, of the same command
    pub after: PathBuf,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}
