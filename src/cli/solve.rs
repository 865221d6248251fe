//! `simulate --solve`: the largest micro-batch, the longest sequence, the fewest GPUs with which the job runs.

use clap::ValueEnum;

use super::args::{SimulateArgs, WorkloadArgs};
use super::cluster::{self, NamedCluster, Overrides};
use super::error::CliError;
use super::job::{self, ResolvedJob};
use super::problems::Problems;
use super::session::Session;
use super::simulate::simulate_named;
use super::solve_goal::Goal;
use crate::advisor::risk::RiskTerms;
use crate::advisor::{Anchor, PlanConstraints, Question, Simulation, cluster_sizes, fewest, largest};
use crate::catalog::SampleKind;
use crate::report::wire::WINNING_PRICE;
use crate::workload::{Assumption, Job, WorkloadKind};

/// Largest micro-batch that is tried.
const LARGEST_MICRO_BATCH: u64 = 65_536;
/// Longest sequence that is tried, and the grid of sequences.
const LONGEST_SEQUENCE: u64 = 8_388_608;
const SEQUENCE_STEP: u64 = 128;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unknown {
    /// Largest micro-batch
    MicroBatch,
    /// Longest sequence, in steps of 128 tokens
    SequenceLength,
    /// Fewest GPUs, at most those given
    Gpus,
    /// Fewest nodes, at most those given, whose P50 time is within --deadline
    DeadlineNodes,
    /// The same for the P90 time
    #[value(name = "deadline-nodes-p90")]
    DeadlineNodesP90,
    /// Most tokens, samples or epochs within --deadline and --budget
    Length,
    /// Least bandwidth per node, in Gb/s, that keeps 90 % of linear scaling
    NetworkBandwidth,
    /// Price of a node-hour at which the cluster costs as much as the cheapest other one
    WinningPrice,
}

impl Unknown {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MicroBatch => "micro_batch",
            Self::SequenceLength => "sequence_length",
            Self::Gpus => "gpus",
            Self::DeadlineNodes => "deadline_nodes",
            Self::DeadlineNodesP90 => "deadline_nodes_p90",
            Self::Length => "length",
            Self::NetworkBandwidth => "network_bandwidth_gigabit_per_s",
            Self::WinningPrice => WINNING_PRICE,
        }
    }
}

/// A job, a cluster and plan parts with the number that was found in them.
#[derive(Debug)]
pub struct Solved {
    /// What was asked for.
    pub unknown: Unknown,
    /// The number; `None` when no number will do.
    pub value: Option<f64>,
    /// The simulation with it, or of what was given when no number will do.
    pub simulation: Simulation,
    /// The job with it.
    pub job: ResolvedJob,
}

/// Everything that stays fixed.
pub struct Puzzle<'a> {
    /// The command.
    pub args: &'a SimulateArgs,
    /// Facts.
    pub session: &'a Session,
    /// The job as given.
    pub job: &'a ResolvedJob,
    /// The cluster as given.
    pub cluster: &'a NamedCluster,
    /// What the user says of clusters.
    pub overrides: &'a Overrides,
    /// The user's own measurement.
    pub anchor: Option<&'a Anchor>,
    /// Limits of time and money.
    pub goal: Goal,
    /// What is stated about interruptions and checkpoints.
    pub terms: RiskTerms,
}

impl Puzzle<'_> {
    /// Finds the number.
    ///
    /// # Errors
    /// When the question makes no sense for the job.
    pub fn solve(&self, unknown: Unknown) -> Result<Solved, CliError> {
        match unknown {
            Unknown::MicroBatch => Ok(self.micro_batch()),
            Unknown::SequenceLength => self.sequence_length(),
            Unknown::Gpus => Ok(self.gpus()),
            Unknown::DeadlineNodes | Unknown::DeadlineNodesP90 => self.nodes_for_deadline(unknown),
            Unknown::Length => self.length(),
            Unknown::NetworkBandwidth => self.network_bandwidth(),
            Unknown::WinningPrice => Ok(self.winning_price()),
        }
    }

    pub(super) fn simulated(
        &self,
        job: &ResolvedJob,
        plan: &PlanConstraints,
        cluster: NamedCluster,
    ) -> Simulation {
        let question = Question {
            job: &job.job,
            constraints: plan,
            anchor: self.anchor,
            storage: job.storage,
            prices: &self.session.prices,
            terms: self.terms,
        };
        simulate_named(self.session, &question, cluster)
    }

    fn runs(&self, job: &ResolvedJob, plan: &PlanConstraints, cluster: NamedCluster) -> bool {
        self.simulated(job, plan, cluster).outcome.is_ok()
    }

    fn micro_batch(&self) -> Solved {
        let gpus = f64::from(self.cluster.cluster.gpus());
        let with = |size: u64| {
            let size = u32::try_from(size).ok();
            PlanConstraints { micro_batch: size, ..self.args.plan.constraints() }
        };
        let value = largest(1, LARGEST_MICRO_BATCH, |size| {
            let mut trial = self.job.clone();
            trial.job.global_batch = gpus * size as f64;
            self.runs(&trial, &with(size), self.cluster.clone())
        });
        let mut job = self.job.clone();
        whole_batches(&mut job.job, gpus * value.unwrap_or(1) as f64);
        let plan = value.map_or_else(|| self.args.plan.constraints(), with);
        let simulation = self.simulated(&job, &plan, self.cluster.clone());
        Solved { unknown: Unknown::MicroBatch, value: value.map(|v| v as f64), simulation, job }
    }

    fn at_sequence(&self, sequence: u64) -> Option<ResolvedJob> {
        let mut problems = Problems::default();
        let args = WorkloadArgs { sequence_length: Some(sequence.to_string()), ..self.args.workload.clone() };
        let job =
            job::resolve(&args, &self.session.catalog, &self.session.profiles, &mut problems).ok()??;
        problems.check().ok()?;
        Some(job)
    }

    fn sequence_length(&self) -> Result<Solved, CliError> {
        if self.job.job.workload.kind.is_image() {
            let why = self.job.job.workload.samples.without_length();
            return Err(CliError::usage(format!("--solve sequence-length: {why}")));
        }
        let gpus = f64::from(self.cluster.cluster.gpus());
        let plan = self.args.plan.constraints();
        let value = largest(SEQUENCE_STEP, LONGEST_SEQUENCE, |sequence| {
            let Some(mut trial) = self.at_sequence(sequence) else { return false };
            trial.job.global_batch = gpus * f64::from(plan.micro_batch.unwrap_or(1));
            self.runs(&trial, &plan, self.cluster.clone())
        });
        let mut job = value.and_then(|s| self.at_sequence(s)).unwrap_or_else(|| self.job.clone());
        whole_batches(&mut job.job, gpus * f64::from(plan.micro_batch.unwrap_or(1)));
        let simulation = self.simulated(&job, &plan, self.cluster.clone());
        Ok(Solved { unknown: Unknown::SequenceLength, value: value.map(|v| v as f64), simulation, job })
    }

    fn gpus(&self) -> Solved {
        let plan = self.args.plan.constraints();
        let given = &self.cluster.cluster;
        let (per_node, most) = (given.gpus_per_node, given.gpus());
        let sizes: Vec<u32> = match given.instance {
            Some(_) => (1..=given.nodes).map(|nodes| nodes * per_node).collect(),
            None => cluster_sizes(per_node, most).collect(),
        };
        // A batch that the program assumed is adapted to each size; a stated one stays.
        let value = fewest(sizes, |gpus| {
            self.of_size(gpus).is_some_and(|cluster| self.runs(self.job, &plan, cluster))
        });
        let cluster = value.and_then(|n| self.of_size(n)).unwrap_or_else(|| self.cluster.clone());
        let job = self.job.clone();
        let simulation = self.simulated(&job, &plan, cluster);
        Solved { unknown: Unknown::Gpus, value: value.map(f64::from), simulation, job }
    }

    /// The cluster with another number of GPUs.
    pub(super) fn of_size(&self, gpus: u32) -> Option<NamedCluster> {
        let given = &self.cluster.cluster;
        if given.instance.is_some() {
            let mut named = self.cluster.clone();
            let nodes = gpus / given.gpus_per_node;
            let label = given.label.rsplit_once(':').map_or(given.label.as_str(), |(before, _)| before);
            named.cluster.label = format!("{label}:{nodes}");
            named.cluster.nodes = nodes;
            return Some(named);
        }
        let gpu = &self.session.catalog.gpu(given.gpu).id;
        let mut overrides = self.overrides.clone();
        overrides.gpus_per_node = Some(given.gpus_per_node.min(gpus));
        cluster::generic(gpu, gpus, &self.session.catalog, &self.session.profiles, &overrides).ok()
    }
}

/// Rounds the batch up to whole multiples, and says so.
fn whole_batches(job: &mut Job, multiple: f64) {
    let rounded = (job.global_batch / multiple).ceil().max(1.0) * multiple;
    if rounded != job.global_batch {
        let reason = match job.workload.kind {
            _ if job.workload.samples == SampleKind::Images => "images per step, rounded up to divide evenly",
            WorkloadKind::Convolutional => "samples per step, rounded up to divide evenly",
            _ => "sequences per step, rounded up to divide evenly",
        };
        job.assumed.retain(|a| a.name != "global_batch");
        job.assumed.push(Assumption {
            name: "global_batch".to_owned(),
            value: rounded.to_string(),
            reason: reason.to_owned(),
        });
        job.global_batch = rounded;
    }
}
