//! `simulate --solve` with a goal: fewest nodes for a deadline, what limits of time and money can train, the network
//! that 90 % scaling needs, the price at which the cluster wins.

use super::amount;
use super::args::SimulateArgs;
use super::error::CliError;
use super::problems::Problems;
use super::session::Session;
use super::solve::{Puzzle, Solved, Unknown};
use crate::advisor::batch::adopt;
use crate::advisor::{Simulation, fewest, largest, recommend};
use crate::cost::PlaceFilter;
use crate::cost::break_even::{break_even_price_per_node_hour, most_to_win};
use crate::units::{BytesPerSecond, Money, Seconds};
use crate::workload::{JobLength, WorkloadKind};

/// Share of linear scaling that the network must leave.
const SCALING: f64 = 0.9;
/// Widest network that is tried, in Gb/s per node.
const WIDEST_NETWORK: u64 = 102_400;
/// Most optimizer steps or epochs that are tried.
const MOST_STEPS: u64 = 100_000_000_000;

/// The limits of a goal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Goal {
    /// Longest time.
    pub deadline: Option<Seconds>,
    /// Highest cost, in the currency of the answer.
    pub budget: Option<Money>,
}

impl Goal {
    /// True when a simulated job runs within the limits at its median.
    fn holds(&self, simulation: &Simulation) -> bool {
        let Some(estimate) = simulation.estimate() else { return false };
        let time = self.deadline.is_none_or(|limit| Seconds::new(estimate.paid.p50) <= limit);
        let cost = self.budget.is_none_or(|limit| {
            let cost = estimate.cost.as_ref().and_then(|c| c.comparable());
            cost.is_some_and(|c| c.p50.amount <= limit.amount)
        });
        time && cost
    }
}

/// The budget, in the currency of the answer.
pub fn budget_of(args: &SimulateArgs, session: &Session, problems: &mut Problems) -> Option<Money> {
    let text = args.budget.as_deref()?;
    let (fx, currency) = (&session.prices.fx, session.prices.currency);
    amount::money(text)
        .and_then(|money| fx.convert(money, currency))
        .map_err(|error| problems.usage(format!("--budget: {error}")))
        .ok()
}

impl Puzzle<'_> {
    /// Fewest nodes, at most those given, whose P50 or P90 time is within the deadline.
    pub(super) fn nodes_for_deadline(&self, unknown: Unknown) -> Result<Solved, CliError> {
        let deadline =
            self.goal.deadline.ok_or_else(|| CliError::usage("--solve deadline-nodes: needs --deadline"))?;
        let given = &self.cluster.cluster;
        let per_node = given.gpus_per_node;
        let plan = self.args.plan.constraints();
        let slow_end = unknown == Unknown::DeadlineNodesP90;
        let at = |nodes: u32| {
            let cluster = self.of_size(nodes * per_node)?;
            // A batch that the program assumed is adapted to each number of nodes; a stated one stays.
            Some(self.simulated(self.job, &plan, cluster))
        };
        let meets = |nodes: u32| {
            let found = at(nodes);
            let estimate = found.as_ref().and_then(Simulation::estimate);
            estimate.is_some_and(|e| {
                let time = if slow_end { e.paid.p90 } else { e.paid.p50 };
                Seconds::new(time) <= deadline
            })
        };
        let value = fewest(1..=given.nodes, meets);
        let simulation =
            at(value.unwrap_or(given.nodes)).ok_or_else(|| CliError::usage("no such cluster"))?;
        Ok(Solved { unknown, value: value.map(f64::from), simulation, job: self.job.clone() })
    }

    /// Most tokens, samples or epochs within the limits of time and money.
    pub(super) fn length(&self) -> Result<Solved, CliError> {
        if self.goal.deadline.is_none() && self.goal.budget.is_none() {
            return Err(CliError::usage("--solve length: needs --deadline, --budget, or both"));
        }
        let plan = self.args.plan.constraints();
        let with = |n: u64| {
            let mut job = self.job.clone();
            job.job.length = match job.job.length {
                JobLength::Epochs { samples, .. } => JobLength::Epochs { samples, epochs: n as f64 },
                _ => JobLength::Steps(n as f64),
            };
            job
        };
        let value = largest(1, MOST_STEPS, |n| {
            self.goal.holds(&self.simulated(&with(n), &plan, self.cluster.clone()))
        });
        let mut job = with(value.unwrap_or(1));
        let mut tried = self.simulated(&job, &plan, self.cluster.clone());
        adopt(&mut job.job, &mut tried);
        let batch = job.job.global_batch;
        let rows = f64::from(job.job.workload.rows_per_sample);
        let unit = match (job.job.length, job.job.workload.kind) {
            (JobLength::Epochs { .. }, _) => 1.0,
            (_, WorkloadKind::Convolutional | WorkloadKind::Vision) => batch,
            _ => batch * rows,
        };
        let value = value.map(|n| n as f64 * unit);
        if let (Some(value), JobLength::Steps(_)) = (value, job.job.length) {
            let image = job.job.workload.kind.is_image();
            job.job.length = if image { JobLength::Samples(value) } else { JobLength::Tokens(value) };
        }
        let simulation = self.simulated(&job, &plan, self.cluster.clone());
        Ok(Solved { unknown: Unknown::Length, value, simulation, job })
    }

    /// Least bandwidth per node at which the cluster keeps 90 % of linear scaling from its smallest part that runs.
    pub(super) fn network_bandwidth(&self) -> Result<Solved, CliError> {
        let given = &self.cluster.cluster;
        if given.nodes < 2 {
            return Err(CliError::usage("--solve network-bandwidth: needs a cluster of two nodes or more"));
        }
        let plan = self.args.plan.constraints();
        let rate = |simulation: &Simulation| simulation.estimate().map(|e| e.samples_per_s);
        let part = (1..given.nodes).find_map(|nodes| {
            let cluster = self.of_size(nodes * given.gpus_per_node)?;
            Some(rate(&self.simulated(self.job, &plan, cluster))? / f64::from(nodes))
        });
        let on = |gigabits: u64| {
            let mut cluster = self.cluster.clone();
            let bandwidth = BytesPerSecond::from_gigabit(gigabits as f64);
            let network = &mut cluster.cluster.network;
            (network.maximum, network.assured, network.known) = (bandwidth, bandwidth, true);
            self.simulated(self.job, &plan, cluster)
        };
        let scales = |gigabits: u64| {
            let goal = part.map(|each| each * f64::from(given.nodes) * SCALING);
            goal.zip(rate(&on(gigabits))).is_some_and(|(goal, rate)| rate >= goal)
        };
        let value = scales(WIDEST_NETWORK)
            .then(|| largest(1, WIDEST_NETWORK, |gigabits| !scales(gigabits)).unwrap_or(0) + 1);
        let simulation = match value {
            Some(gigabits) => on(gigabits),
            None => self.simulated(self.job, &plan, self.cluster.clone()),
        };
        let value = value.map(|v| v as f64);
        Ok(Solved { unknown: Unknown::NetworkBandwidth, value, simulation, job: self.job.clone() })
    }

    /// Price of a node-hour at which the cluster costs as much as the cheapest that can be bought.
    pub(super) fn winning_price(&self) -> Solved {
        let plan = self.args.plan.constraints();
        let simulation = self.simulated(self.job, &plan, self.cluster.clone());
        let request = crate::advisor::Request {
            job: self.job.job.clone(),
            gpus: Vec::new(),
            places: PlaceFilter::default(),
            purchases: self.session.prices.requested_purchases(),
            prices: self.session.prices.clone(),
            deadline: self.goal.deadline.map(|limit| crate::advisor::Deadline { limit, assumed: false }),
            budget: None,
            quota: None,
            max_gpus: MOST_GPUS.max(self.cluster.cluster.gpus()),
            constraints: plan,
            anchor: self.anchor.cloned(),
            storage: self.job.storage,
            vcpus: self.job.vcpus,
            objective: crate::advisor::Objective::Cost,
            risk: None,
        };
        let own = self.cluster.cluster.instance;
        let answer = recommend(self.session.facts(), &request, &[]);
        let best = answer.priced.iter().find(|c| c.cluster.instance != own);
        let best = best.and_then(|c| c.cost.as_ref()?.comparable());
        let value = best.zip(simulation.estimate()).and_then(|(cost, estimate)| {
            let provider = simulation.offer.as_ref().map_or("", |o| o.place.provider.as_str());
            let rule = self.session.billing.rule(provider);
            let time = Seconds::new(estimate.paid.p50);
            let most = most_to_win(cost.p50, estimate.jobs, self.goal.budget, &self.session.prices.fx);
            break_even_price_per_node_hour(most, simulation.cluster.nodes, time, &rule)
                .map(|m| m.rounded(4).as_f64())
        });
        Solved { unknown: Unknown::WinningPrice, value, simulation, job: self.job.clone() }
    }
}

/// Most GPUs of the clusters that the price is held against.
const MOST_GPUS: u32 = 512;
