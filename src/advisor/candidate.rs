//! What is asked and what is answered.

use std::sync::Arc;

use super::anchor::Anchor;
use super::plan_search::{PlanConstraints, Planned};
use super::risk::RiskTerms;
use crate::catalog::{GpuId, Purchase};
use crate::cost::{CostOutcome, Offer, PlaceFilter, PriceRules, Quota};
use crate::plan::Cluster;
use crate::profile::Grade;
use crate::simulator::{Interval, JobTime};
use crate::units::{BytesPerSecond, Money, Seconds};
use crate::workload::Job;

/// What to rank by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Lowest P50 cost.
    #[default]
    Cost,
    /// Shortest P50 time.
    Time,
    /// Lowest product of cost and time.
    Balanced,
    /// Lowest P90 cost.
    CostAtP90,
}

impl Objective {
    /// Whether time decides, alone or with the cost.
    pub const fn is_of_time(self) -> bool {
        matches!(self, Self::Time | Self::Balanced)
    }
}

/// The longest P50 time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deadline {
    /// The limit.
    pub limit: Seconds,
    /// The program assumed it: it puts what takes longer behind the others and out of nothing, and is dropped when nothing
    /// meets it.
    pub assumed: bool,
}

impl Deadline {
    /// Whether a P50 time misses it.
    pub fn is_missed_by(&self, time: Seconds) -> bool {
        time > self.limit
    }
}

/// What may be started.
#[derive(Debug, Clone, PartialEq)]
pub struct QuotaLimit {
    /// The lines.
    pub quota: Quota,
    /// After the increase, not today.
    pub increased: bool,
}

/// Everything `recommend` is asked.
#[derive(Debug, Clone)]
pub struct Request {
    /// The job.
    pub job: Job,
    /// GPUs allowed; empty = all.
    pub gpus: Vec<GpuId>,
    /// Places allowed.
    pub places: PlaceFilter,
    /// Purchase options to consider.
    pub purchases: Vec<Purchase>,
    /// Price selection.
    pub prices: PriceRules,
    /// Longest P50 time, interruptions included where [`Self::risk`] is asked for.
    pub deadline: Option<Deadline>,
    /// Highest P50 cost.
    pub budget: Option<Money>,
    /// What may be started, where the user says so.
    pub quota: Option<QuotaLimit>,
    /// Most GPUs of a cluster.
    pub max_gpus: u32,
    /// Plan parts that the user fixed.
    pub constraints: PlanConstraints,
    /// The user's own measurement.
    pub anchor: Option<Anchor>,
    /// Storage bandwidth, when input matters.
    pub storage: Option<BytesPerSecond>,
    /// Virtual CPUs of a node, stated in place of those of the instance types.
    pub vcpus: Option<u32>,
    /// Ranking.
    pub objective: Objective,
    /// The risk of the first rows, which are then ranked by it; `None` leaves it out.
    pub risk: Option<RiskTerms>,
}

/// Whether a candidate has a price.
pub type PriceState = Option<CostOutcome>;

/// One cluster with its best plan.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The cluster.
    pub cluster: Cluster,
    /// The offer it comes from; `None` for generic clusters. Shared by its numbers of nodes.
    pub offer: Option<Arc<Offer>>,
    /// Plan, step, memory; shared by all offers of the same machine.
    pub planned: Arc<Planned>,
    /// Whole-job time with its interval.
    pub time: JobTime,
    /// Standard deviation of ln(time).
    pub sigma: f64,
    /// Samples are prepared on a host of which nobody states the virtual CPUs.
    pub host_unknown: bool,
    /// P50 GPU-hours that are paid.
    pub gpu_hours: f64,
    /// Cost of the time that is paid, where there is a price.
    pub cost: PriceState,
    /// Node-hour price at which it would cost as much as the best priced candidate.
    pub break_even: Option<Money>,
    /// Worst evidence among the terms that matter.
    pub grade: Grade,
    /// Calendar time: with evaluation, checkpoints, start-up and failures, in seconds; `None` until it is worked out.
    pub calendar: Option<Interval>,
    /// The time that the order reckons with, in seconds: [`Self::calendar`] where the request asks for risk, which nodes that may be
    /// taken away do, else that of the steps.
    pub reckoned: Interval,
    /// The time that is paid, in seconds: with interruptions, checkpoints and restarts where the nodes may be taken away or the
    /// request states interruptions, else that of the steps.
    pub paid: Interval,
    /// By how much the slow end of its time, interruptions included, exceeds the undisturbed median: a share of that.
    pub exposure: f64,
    /// Slower than a deadline that only the program assumed: shown behind what meets it, and not out.
    pub beyond_horizon: bool,
    /// On the Pareto front of time and cost.
    pub pareto: bool,
    /// Its interval overlaps the winner's in the ranked quantity.
    pub tie: bool,
}
