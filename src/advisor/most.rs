//! The most that limits of time and money train: over every cluster, the longest job that still holds both.

use rayon::prelude::*;

use super::candidate::{Candidate, Deadline, Request};
use super::recommend::{Facts, within};
use super::risk::times_of;
use super::solve::largest;
use crate::catalog::GpuId;
use crate::cost::{JobTimes, job_cost};
use crate::simulator::Interval;
use crate::units::{Money, Seconds};
use crate::workload::{JobLength, WorkloadKind};

/// Most optimizer steps or epochs that are tried.
const MOST: u64 = 100_000_000_000;

/// The longest length, in what the job counts (epochs over its set, else tokens or samples), that some cluster on sale trains
/// within the limits at its median; `None` when none trains a single step. The job's own length says only what it counts.
pub fn longest(facts: Facts<'_>, request: &Request, groups: &[(String, Vec<GpuId>)]) -> Option<JobLength> {
    let mut one = request.clone();
    one.job.length = match one.job.length {
        JobLength::Epochs { samples, .. } => JobLength::Epochs { samples, epochs: 1.0 },
        _ => JobLength::Steps(1.0),
    };
    (one.deadline, one.budget, one.risk) = (None, None, None);
    let units = within(facts, &one, groups).priced;
    let most = units.par_iter().filter_map(|c| units_of(facts, request, c)).max()?;
    let job = &request.job;
    let rows = f64::from(job.workload.rows_per_sample);
    let most = most as f64;
    Some(match (one.job.length, job.workload.kind) {
        (JobLength::Epochs { samples, .. }, _) => JobLength::Epochs { samples, epochs: most },
        (_, WorkloadKind::Convolutional | WorkloadKind::Vision) => {
            JobLength::Samples(most * job.global_batch)
        }
        _ => JobLength::Tokens(most * job.global_batch * rows),
    })
}

/// How many steps or epochs one candidate, which was asked for one, does within the limits.
fn units_of(facts: Facts<'_>, request: &Request, candidate: &Candidate) -> Option<u64> {
    let limit = request.deadline.map(|Deadline { limit, .. }| limit);
    let budget = request.budget.and_then(|b| request.prices.fx.convert(b, request.prices.currency).ok());
    largest(1, MOST, |n| {
        let (reckoned, paid) = times_of(facts, request, candidate, candidate.time.total.scaled(n as f64));
        let in_time = limit.is_none_or(|limit| Seconds::new(reckoned.p50) <= limit);
        in_time && budget.is_none_or(|budget| affordable(facts, request, candidate, paid, budget))
    })
}

fn affordable(
    facts: Facts<'_>,
    request: &Request,
    candidate: &Candidate,
    paid: Interval,
    budget: Money,
) -> bool {
    let Some(offer) = &candidate.offer else { return false };
    let (prices, rule) = (&request.prices, facts.billing.rule(&offer.place.provider));
    let price = offer.price.as_ref().map(|s| &s.price);
    let times = JobTimes::of(request.job.folds, paid);
    let cost = job_cost(price, candidate.cluster.nodes, times, &rule, &prices.fx, prices.currency);
    cost.comparable().is_some_and(|c| c.p50.amount <= budget.amount)
}
