//! What can be typed: commands and flags, with the help pages that explain them.

mod calibrate;
mod calibrate_fit;
mod catalog;
mod common;
mod limits;
mod money;
mod plan;
mod quote;
mod risk;
mod validate;
mod whatif;
mod workload;

pub use calibrate::{
    CalibrateCommand, CalibrateRunArgs, CollectivesArgs, DeviceName, EmitArgs, Engine, RooflineArgs,
};
pub use calibrate_fit::CalibrateFitArgs;
pub use catalog::{CatalogCommand, CatalogList, ImportArgs, ImportKind, ListArgs, RequestArgs};
pub use common::{CommonArgs, Format};
pub use limits::{LimitArgs, ObjectiveName};
pub use money::{MoneyArgs, PurchaseName};
pub use plan::{PlanArgs, RecomputeName, ShardingName, Switch};
pub use quote::{QuantileName, QuoteArgs, QuoteCommand, QuoteTarget, QuoteTerms};
pub use risk::{RiskArgs, ScheduleArgs};
pub use validate::{LeftOutName, ValidateArgs};
pub use whatif::{DiffArgs, WhatIfArgs};
pub use workload::WorkloadArgs;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::solve::Unknown;

const EXIT_CODES: &str = "\
Exit codes:
  0  success, also when the reader of a pipe closes it early
  1  unexpected I/O failure
  2  wrong usage: a flag, a unit, or an unknown name (near names are listed)
  3  invalid data in a file (all findings with file, line and key)
  4  nothing feasible (counted reasons and the nearest miss)
  5  no GPU where one is needed
  6  outside a stated tolerance";

const EXAMPLES: &str = "\
Examples:
  gpu-advisor recommend --params 7B --tokens 300B --gpu a100,v100 --deadline 30d
  gpu-advisor simulate --model llama2-7b --tokens 100B --gpu a100-sxm-80gb --gpus 64 --explain
  gpu-advisor compare --model bert-large-uncased --steps 100k \\
      --cluster aws/p4d.24xlarge:4 --cluster aws/p3dn.24xlarge:8
  gpu-advisor catalog list instances --gpu v100 --provider huawei-cloud

Units are part of every value: 80GiB, 400Gb/s, 12.29USD/h, 30d. b is a bit, B a byte; G is 10^9, Gi is 2^30.
Plain counts take k, M, B (billion) or T: 7B, 300B, 1.3T, 100k.
Anything not given is chosen or assumed, and every answer lists what was assumed.";

/// Which GPU instances, how many, how long, how much, and how sure are we?
#[derive(Debug, Parser)]
#[command(
    name = "gpu-advisor",
    version,
    about = "Selects GPU instances for training: time, memory and cost, with how sure they are",
    after_help = EXAMPLES,
    after_long_help = manual(),
    max_term_width = 110,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn manual() -> String {
    format!("{EXAMPLES}\n\n{EXIT_CODES}")
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search instances, node counts and parallel plans, and rank them
    #[command(after_help = "\
Examples:
  gpu-advisor recommend --params 7B --tokens 300B --gpu a100,v100 --deadline 30d
  gpu-advisor recommend --model resnet-50 --dataset imagenet-1k --epochs 90 --country SG
  gpu-advisor recommend --job job.toml --objective time --max-gpus 64 --plot cost-time.svg

Retired types are never recommended; types without a price, or not known to be on sale, are listed apart.
Exit code 4 when nothing is feasible.")]
    Recommend(Box<RecommendArgs>),
    /// Two or more clusters side by side: time, cost, speed-up, break-even price ratio
    #[command(after_help = "\
Examples:
  gpu-advisor compare --params 7B --tokens 100B --cluster a100-sxm-80gb:64 --cluster v100-sxm2-32gb:128
  gpu-advisor compare --model bert-large-uncased --steps 100k \\
      --cluster aws/p4d.24xlarge:4 --cluster aws/p3dn.24xlarge:8 --format csv
  gpu-advisor compare --model ssd300-resnet50,resnet-50,nnunet-3d --steps 1k --cluster v100-sxm2-32gb:8 --cluster a100-sxm-80gb:8

Several models, separated by commas, give one table of speed-ups. Speed-ups are relative to the first cluster. A cluster on which the job does not run is shown with what stands in
the way. Exit code 4 when it runs on none.")]
    Compare(Box<CompareArgs>),
    /// One cluster, term by term: what a step takes, what the memory holds, what binds
    #[command(after_help = "\
Examples:
  gpu-advisor simulate --params 7B --tokens 100B --gpu a100-sxm-80gb --gpus 64
  gpu-advisor simulate --model llama2-7b --tokens 1T --cluster aws/p4d.24xlarge:16 --explain
  gpu-advisor simulate --model gpt3-175b --tokens 300B --gpu a100-sxm-80gb --gpus 2048 \\
      --tensor-parallel 8 --pipeline-parallel 16 --micro-batch 1 --recompute full --format json
  gpu-advisor simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --purchase spot --deadline 7d
  gpu-advisor simulate --model llama2-13b --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:8 \\
      --schedule '2 nodes 08:00-20:00, 8 nodes 20:00-08:00' --plot timeline.svg
  gpu-advisor simulate --model resnet-50 --dataset imagenet-1k --epochs 90 \\
      --cluster aws/p4d.24xlarge:1 --cluster aws/p3dn.24xlarge:1

Plan parts that are not given are chosen for the shortest step that fits, and the answer says so.
Exit code 4 when the job does not fit; the memory table then names the item that breaks it.")]
    Simulate(Box<SimulateArgs>),
    /// The same question with changed inputs: before, after, ratio, what binds; or over one or two swept numbers
    #[command(
        name = "whatif",
        after_help = "\
Examples:
  gpu-advisor whatif --params 7B --tokens 100B --cluster aws/p4d.24xlarge:8 --set price=-10%,sequence_length=8192
  gpu-advisor whatif --params 7B --tokens 100B --cluster aws/p4d.24xlarge:8 --sweep nodes=1..32x2 --plot nodes.svg
  gpu-advisor whatif --params 7B --tokens 100B --gpu a100,v100 --set deadline=7d
  gpu-advisor whatif --params 7B --tokens 100B --gpu a100-sxm-80gb --gpus 64 --set network_bandwidth=x2
Without --cluster (or one --gpu with --gpus) the best cluster is chosen anew for each question. Exit code 4 when no
question has an answer."
    )]
    WhatIf(Box<WhatIfArgs>),
    /// What differs between two saved JSON answers of one command, line by line
    #[command(after_help = "\
Example:
  gpu-advisor diff monday.json friday.json
The files are what recommend, simulate, compare or whatif wrote with --format json. Exit code 3 for anything else.")]
    Diff(Box<DiffArgs>),
    /// How wrong are the predictions? Measured runs, predicted and compared, by source and GPU generation
    #[command(after_help = "\
Examples:
  gpu-advisor validate
  gpu-advisor validate --cross-validate model
  gpu-advisor validate --runs my-runs.csv --rows --format csv
  gpu-advisor validate --fail-above 15%

Only rows of quality `strong` count. Exit code 3 when a file is invalid, 6 when a stated tolerance is missed.")]
    Validate(Box<ValidateArgs>),
    /// Measure a GPU in under a minute; where the numbers of hardware and software come from
    #[command(subcommand)]
    Calibrate(CalibrateCommand),
    /// A quote: lines, tax, prediction with its evidence, conditions, as XLSX, HTML, PDF, Markdown or JSON
    #[command(after_help = "\
Examples:
  gpu-advisor quote --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:4 \\
      --customer 'Example Ltd' --tax 6% --budgetary --out quote.xlsx
  gpu-advisor quote --cluster huawei-cloud/p2s.16xlarge.8@ap-southeast-3:1 --hours 9d --price-book book.toml \\
      --currency CNY --customer 'Example Ltd' --out quote.pdf --lang zh
  gpu-advisor quote print quote.json --out quote.html
  gpu-advisor quote diff old.json new.json

Refused: a missing or doubtful price, a currency without a dated rate, a time that rests on data sheets alone (unless
--budgetary). Titled an estimate unless every price is dated, at most 30 days old and binding (firm = true),
believed for its GPU, the total is neither nothing nor below cost, and stated hours suffice for the job.")]
    Quote(Box<QuoteArgs>),
    /// The facts: GPUs, instances, prices, models, regions, datasets
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Ceilings and ridge points of a GPU, and where the operators of a model stand
    #[command(after_help = "\
Examples:
  gpu-advisor roofline --gpu a100-sxm-80gb --model llama2-7b --plot roofline.svg
  gpu-advisor roofline --profile profile.toml --plot roofline.png")]
    Roofline(Box<RooflineArgs>),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  gpu-advisor completions bash > /etc/bash_completion.d/gpu-advisor")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Arguments of `recommend`.
#[derive(Debug, Args)]
pub struct RecommendArgs {
    /// The job.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// The limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Interruptions.
    #[command(flatten)]
    pub risk: RiskArgs,
    /// The plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Prices.
    #[command(flatten)]
    pub money: MoneyArgs,
    /// Also draw cost against time, scaling with its efficiency, and the cost of the job over GPUs into FILE, .svg or .png; with
    /// --ask what each assumed input moves (a tornado)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// The whole answer in a table instead of its first screen: more rows, every assumption, every note
    #[arg(long, help_heading = "Output")]
    pub details: bool,
    /// Instead of the answer: what each assumed input moves, and the three questions to the customer that are worth most
    #[arg(long, help_heading = "Output")]
    pub ask: bool,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The job.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// A cluster, twice or more: `provider/instance[@region]:N` nodes, or `GPU:N` for N GPUs of a kind. `*N` is the
    /// same as `:N`. Example: aws/p4d.24xlarge@us-east-1:4
    #[arg(long = "cluster", value_name = "CLUSTER", help_heading = "Cluster", required = true)]
    pub clusters: Vec<String>,
    /// Network and nodes of generic clusters.
    #[command(flatten)]
    pub generic: GenericArgs,
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

/// Arguments of `simulate`.
#[derive(Debug, Clone, Args)]
pub struct SimulateArgs {
    /// The job.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// The cluster: `provider/instance[@region]:N` nodes (`*N` is the same), or `GPU:N` for N GPUs of a kind.
    /// Example: aws/p4d.24xlarge@us-east-1:4. Twice or more for one job on nodes of several kinds
    #[arg(long = "cluster", value_name = "CLUSTER", help_heading = "Cluster", conflicts_with_all = ["gpu", "gpus"])]
    pub clusters: Vec<String>,
    /// A generic cluster: this GPU, in nodes of 8, with the usual network for its kind
    #[arg(long, value_name = "GPU", help_heading = "Cluster", requires = "gpus")]
    pub gpu: Option<String>,
    /// GPUs of the generic cluster
    #[arg(long, value_name = "N", help_heading = "Cluster", requires = "gpu")]
    pub gpus: Option<String>,
    /// Network and nodes of generic clusters.
    #[command(flatten)]
    pub generic: GenericArgs,
    /// The plan.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Ask the other way round: the largest micro-batch, the longest sequence, or the fewest GPUs (at most those given)
    /// with which the job runs; the fewest nodes for --deadline; the longest training within --deadline and --budget; the
    /// network or the price that the cluster needs. The answer is then simulated
    #[arg(long, value_name = "UNKNOWN", help_heading = "Output", conflicts_with = "schedule")]
    pub solve: Option<Unknown>,
    /// Print the chosen plan in the words of another tool instead: megatron (flags), deepspeed (JSON), fsdp (JSON)
    #[arg(long, value_name = "TOOL", help_heading = "Output", conflicts_with = "schedule")]
    pub emit: Option<String>,
    /// Say in words how each term and each memory item is computed, and on what evidence
    #[arg(long, help_heading = "Output")]
    pub explain: bool,
    /// Also write a cost report: .html, .pdf, .md or .xlsx, by its extension. Needs an instance type with a price
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Adds energy and CO2 to the report, from what you state: "node=6.5kW,pue=1.3,grid=400": power of one node, power
    /// usage effectiveness of the site, grams of CO2 for a kWh of its grid. "default", or "default,pue=1.3", takes what is
    /// left out from public figures for this kind of node and this place
    #[arg(long, value_name = "ASSUMPTIONS", help_heading = "Output", requires = "report")]
    pub energy: Option<String>,
    /// Write the predicted step as a trace for Perfetto or chrome://tracing: forward, backward, collectives and bubble
    /// of each pipeline stage
    #[arg(long, value_name = "FILE.json", help_heading = "Output", conflicts_with = "schedule")]
    pub trace: Option<PathBuf>,
    /// Also draw into FILE, .svg or .png: the memory of each stage and the parts of a step; with --schedule nodes and work
    /// done over time
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Longest time, such as 30d or 12h, or the day it must be done, counted from --start or else from today: how likely it is
    /// met
    #[arg(long, value_name = "DURATION|DATE", help_heading = "Risk", conflicts_with = "schedule")]
    pub deadline: Option<String>,
    /// Highest cost, such as 30000CNY, for --solve length
    #[arg(long, value_name = "AMOUNT", help_heading = "Risk", requires = "solve")]
    pub budget: Option<String>,
    /// Interruptions.
    #[command(flatten)]
    pub risk: RiskArgs,
    /// Elastic schedule.
    #[command(flatten)]
    pub schedule: ScheduleArgs,
    /// Prices.
    #[command(flatten)]
    pub money: MoneyArgs,
    /// Output and data.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What overrides the assumptions of generic clusters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Cluster")]
pub struct GenericArgs {
    /// GPUs in a node of a generic cluster; 8 unless given
    #[arg(long, value_name = "N")]
    pub gpus_per_node: Option<String>,
    /// Network between nodes, per node and direction, with its class: "100 Gb/s tcp", "1600 Gb/s infiniband". The
    /// default for generic clusters is 8 x 200 Gb/s InfiniBand for GPUs with their own links and 25 Gb/s TCP for
    /// PCIe ones; for instance types it is what their provider states
    #[arg(long, value_name = "NETWORK")]
    pub network: Option<String>,
}
