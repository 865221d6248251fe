//! Every offer, every node count, the best plan of each, priced, filtered, ranked; every rejection counted.
//!
//! Offers that are the same machine (GPU, GPUs per node, links, network, and what prepares the input) share one plan search per node count; the
//! searches run in parallel and are collected in order, so that the answer does not depend on the thread count.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::batch::batch_is_assumed;
use super::candidate::{Candidate, Request};
use super::cluster_search::{Searched, search_group};
use super::flip::Flip;
use super::front::Front;
use super::input::has_unknown_host;
use super::machine::cluster_of_offer;
use super::plan_counts::PlanCounts;
use super::plan_search::Planned;
use super::quota::{after_increase, over_quota};
use super::ranking::{Gathered, add_break_even};
use super::rejection::{Rejection, RejectionReason, Rejections};
use super::risk::{Risk, expose};
use super::scaling::ScalingCurve;
use super::shortfall::Shortfall;
use super::whole_job::whole_job;
use crate::catalog::{Catalog, GpuId};
use crate::cost::{BillingTable, JobTimes, Offer, PlaceFilter, PriceRules, Standing, job_cost, offers};
use crate::plan::Cluster;
use crate::profile::Profiles;
use crate::units::Seconds;

/// The facts an answer rests on.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The catalog.
    pub catalog: &'a Catalog,
    /// The profiles.
    pub profiles: &'a Profiles,
    /// Billing rules.
    pub billing: &'a BillingTable,
}

/// What became of one GPU group that was asked for by name.
#[derive(Debug, Clone)]
pub struct GroupOutcome {
    /// The group or GPU id as asked.
    pub group: String,
    /// Its best candidate, from block A if there is one, else from B.
    pub best: Option<Candidate>,
    /// Why there is none, or what kept the nearest out.
    pub rejected: Option<Rejection>,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Recommendation {
    /// Block A: priced, allowed, on sale; one row per instance type and purchase option, ranked; then what takes longer than a
    /// deadline that was only assumed, the soonest first.
    pub ranked: Vec<Candidate>,
    /// The risk of the first rows of block A, in their order; empty where it was not asked for.
    pub risks: Vec<Risk>,
    /// Every priced candidate within the limits, for plots and the Pareto front.
    pub priced: Vec<Candidate>,
    /// The front of those over time, cost, GPUs and risk.
    pub front: Front,
    /// Block B: no comparable price, or not known to be on sale; ranked by GPU-hours.
    pub unpriced: Vec<Candidate>,
    /// Block C.
    pub rejections: Vec<Rejections>,
    /// Outcome of each GPU group asked for.
    pub groups: Vec<GroupOutcome>,
    /// Scaling curves of the best instance type of each group.
    pub scaling: Vec<ScalingCurve>,
    /// The best of block A when the quota has grown as expected; `None` where no increase is expected or nothing passes then.
    pub increased: Option<Box<Candidate>>,
    /// Where block A is empty: the best priced candidate without the limits of place and budget, against which the
    /// break-even prices of block B are reckoned; of what the user sells, or of the market where none of that has a
    /// price.
    pub reference: Option<Candidate>,
    /// Nearest changes that would make another candidate win.
    pub flips: Vec<Flip>,
    /// What the first of each other kind lacks against the winner.
    pub lacking: Vec<Shortfall>,
    /// Candidates looked at: offers times node counts.
    pub considered: usize,
    /// Those of them that are in no rejection: every node count, not only the best of each instance type. Under a budget
    /// block B is among the rejections, since what has no price is within none.
    pub feasible: usize,
    /// Parallel plans of all clusters, and how many of them were looked at.
    pub plans: PlanCounts,
    /// The deadline in force, and whether the program assumed it.
    pub deadline: Option<(Seconds, bool)>,
}

/// Offers of one kind of machine.
struct MachineGroup {
    offers: Vec<Arc<Offer>>,
    /// One cluster per node count, labelled for the first offer.
    clusters: Vec<Cluster>,
}

/// Answers a request. `groups` are the GPU names as the user typed them, for [`GroupOutcome`].
///
/// An assumed deadline that nothing meets is dropped, as is one that nothing with a price meets though something has one.
pub fn recommend(facts: Facts<'_>, request: &Request, groups: &[(String, Vec<GpuId>)]) -> Recommendation {
    let mut answer = within(facts, request, groups);
    let first = answer.ranked.first().or(answer.unpriced.first());
    let beyond = first.is_none_or(|c| c.beyond_horizon);
    if beyond && request.deadline.is_some_and(|d| d.assumed) {
        answer = within(facts, &Request { deadline: None, ..request.clone() }, groups);
    }
    answer.increased = after_increase(facts, request);
    if answer.ranked.is_empty() && !answer.unpriced.is_empty() {
        let anywhere = Request { places: PlaceFilter::default(), budget: None, ..request.clone() };
        // What the user sells comes first: only without a price there is the rest of the market the measure.
        answer.reference = gather(facts, &anywhere).winner(facts, &anywhere).0.or_else(|| {
            let prices = PriceRules { seller: None, ..request.prices.clone() };
            let market = Request { prices, ..anywhere };
            gather(facts, &market).winner(facts, &market).0
        });
        add_break_even(facts, request, &mut answer.unpriced, answer.reference.as_ref());
    }
    answer
}

/// The winner of [`recommend`] alone, without all that an answer says beside it: a fraction of the work.
pub fn winner(facts: Facts<'_>, request: &Request) -> Option<Candidate> {
    let (first, met) = gather(facts, request).winner(facts, request);
    if !met && request.deadline.is_some_and(|d| d.assumed) {
        let open = Request { deadline: None, ..request.clone() };
        return gather(facts, &open).winner(facts, &open).0;
    }
    first
}

pub(super) fn within(facts: Facts<'_>, request: &Request, groups: &[(String, Vec<GpuId>)]) -> Recommendation {
    gather(facts, request).answer(facts, request, groups)
}

/// Searches every cluster and prices every offer of it, in parallel and in order.
pub(super) fn gather(facts: Facts<'_>, request: &Request) -> Gathered {
    let mut rejections = Vec::new();
    let machines = machine_groups(facts, request, &mut rejections);
    let searched: Vec<Vec<(Searched, PlanCounts)>> =
        machines.par_iter().map(|group| search_group(facts, request, &group.clusters)).collect();
    let plans = searched.iter().flatten().map(|(_, counts)| *counts).sum();
    let considered =
        machines.iter().map(|m| m.offers.len() * m.clusters.len()).sum::<usize>() + rejections.len();
    let clusters = machines.iter().flat_map(|group| group.clusters.iter().map(move |c| (group, c)));
    let all: Vec<_> = clusters.zip(searched.iter().flatten().map(|(result, _)| result)).collect();
    let settled: Vec<Vec<Settled>> = all
        .into_par_iter()
        .map(|((group, one), result)| {
            group.offers.iter().map(|offer| settle(facts, request, offer, one.nodes, result)).collect()
        })
        .collect();
    let (mut candidates, mut late) = (Vec::with_capacity(considered), Vec::new());
    for outcome in settled.into_iter().flatten() {
        match outcome {
            Ok((candidate, None)) => candidates.push(candidate),
            Ok((candidate, Some(reason))) => late.push((candidate, reason)),
            Err(rejection) => rejections.push(rejection),
        }
    }
    Gathered { candidates, late, rejections, considered, plans }
}

/// A candidate with the limit that it misses, or why there is none.
type Settled = Result<(Candidate, Option<RejectionReason>), Rejection>;

/// So many nodes of an offer, for which a search found this.
fn settle(facts: Facts<'_>, request: &Request, offer: &Arc<Offer>, nodes: u32, result: &Searched) -> Settled {
    let cluster = cluster_for(facts, request, offer, nodes);
    let (planned, assured, spread) = match result {
        Ok(found) => found,
        Err(reason) => return Err(Rejection { cluster: cluster.label, reason: reason.clone() }),
    };
    let candidate = price(facts, request, cluster, offer, planned, *assured, *spread);
    let over = over_quota(facts, request, &candidate).or_else(|| over_limit(request, &candidate));
    Ok((candidate, over))
}

/// So many nodes of an offer, with the virtual CPUs that the request states in place of those of the instance type.
fn cluster_for(facts: Facts<'_>, request: &Request, offer: &Offer, nodes: u32) -> Cluster {
    let cluster = cluster_of_offer(offer, nodes, facts.catalog, facts.profiles);
    Cluster { vcpus: request.vcpus.or(cluster.vcpus), ..cluster }
}

/// Offers that pass the GPU and place filters and can be had, grouped by machine.
fn machine_groups(facts: Facts<'_>, request: &Request, rejections: &mut Vec<Rejection>) -> Vec<MachineGroup> {
    let mut groups: BTreeMap<String, MachineGroup> = BTreeMap::new();
    for offer in offers(facts.catalog, &request.prices) {
        let instance = facts.catalog.instance(offer.instance);
        if !request.gpus.is_empty() && !request.gpus.contains(&instance.gpu) {
            continue;
        }
        let reason = if !request.places.accepts(&offer.place) {
            Some(RejectionReason::Place)
        } else if offer.on_sale == Standing::Gone {
            Some(RejectionReason::Gone)
        } else {
            None
        };
        if let Some(reason) = reason {
            let cluster = cluster_of_offer(&offer, 1, facts.catalog, facts.profiles).label;
            rejections.push(Rejection { cluster, reason });
            continue;
        }
        let one = cluster_for(facts, request, &offer, 1);
        let key = machine_key(facts, request, &one);
        let group = groups.entry(key).or_insert_with(|| MachineGroup {
            clusters: node_counts(request, one.gpus_per_node)
                .into_iter()
                .map(|nodes| cluster_for(facts, request, &offer, nodes))
                .collect(),
            offers: Vec::new(),
        });
        group.offers.push(Arc::new(offer));
    }
    groups.into_values().collect()
}

/// What the plan search sees of a machine: offers that agree in it share their searches. Virtual CPUs count where they prepare the
/// input, and an instance type with a profile of its own is a machine by itself.
fn machine_key(facts: Facts<'_>, request: &Request, one: &Cluster) -> String {
    let vcpus = one.vcpus.filter(|_| request.job.preparation_per_sample.is_some());
    let own = one.instance.map(|id| facts.catalog.instance(id).key());
    let own = own.filter(|key| facts.profiles.instances.contains_key(key)).unwrap_or_default();
    format!(
        "{:05} {:03} {} {} {} {} {} {vcpus:?} {own}",
        one.gpu.0,
        one.gpus_per_node,
        one.node_link,
        one.network.class,
        one.network.maximum.get(),
        one.network.assured.get(),
        one.network.known
    )
}

/// Every number of nodes up to this is tried.
const EVERY_UP_TO: u32 = 8;

/// Node counts to try: all up to eight, then powers of two and three times them; of a batch that the user stated only those whose odd
/// part divides it.
fn node_counts(request: &Request, per_node: u32) -> Vec<u32> {
    let most = request.max_gpus / per_node.max(1);
    let batch = request.job.global_batch.round() as u64;
    let divides = |odd: u32| batch.is_multiple_of(u64::from(odd));
    let assumed = batch_is_assumed(&request.job);
    let fits = |nodes: u32| assumed || divides(nodes >> nodes.trailing_zeros());
    let mut counts: Vec<u32> = (1..=EVERY_UP_TO.min(most)).filter(|&nodes| fits(nodes)).collect();
    let powers = std::iter::successors(Some(EVERY_UP_TO), |nodes| nodes.checked_mul(2));
    for nodes in powers.take_while(|&nodes| nodes <= most) {
        let half = nodes / 2 * 3;
        counts.extend(
            [nodes, half].into_iter().filter(|&n| n > EVERY_UP_TO && n <= most && (n == nodes || divides(3))),
        );
    }
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn price(
    facts: Facts<'_>,
    request: &Request,
    cluster: Cluster,
    offer: &Arc<Offer>,
    planned: &Arc<Planned>,
    assured: Option<Seconds>,
    spread: f64,
) -> Candidate {
    let job = &request.job;
    let batch = planned.plan.global_batch() as f64;
    let time = whole_job(facts, cluster.gpu, job, batch, planned.step.total(), assured, spread);
    let mut candidate = Candidate {
        gpu_hours: 0.0,
        grade: planned.step.grade(),
        host_unknown: has_unknown_host(job, &cluster),
        cluster,
        offer: Some(Arc::clone(offer)),
        planned: Arc::clone(planned),
        reckoned: time.total,
        paid: time.total,
        time,
        sigma: spread,
        cost: None,
        break_even: None,
        calendar: None,
        exposure: spread,
        beyond_horizon: false,
        pareto: false,
        tie: false,
    };
    expose(facts, request, &mut candidate);
    let times = JobTimes::of(job.folds, candidate.paid);
    let nodes = candidate.cluster.nodes;
    candidate.gpu_hours = times.p50.hours() * f64::from(candidate.cluster.gpus()) * f64::from(job.folds);
    let rule = facts.billing.rule(&offer.place.provider);
    let selected = offer.price.as_ref().map(|s| &s.price);
    let prices = &request.prices;
    candidate.cost = selected.map(|p| job_cost(Some(p), nodes, times, &rule, &prices.fx, prices.currency));
    let reckoned = Seconds::new(candidate.reckoned.p50);
    candidate.beyond_horizon = request.deadline.is_some_and(|d| d.assumed && d.is_missed_by(reckoned));
    candidate
}

fn over_limit(request: &Request, candidate: &Candidate) -> Option<RejectionReason> {
    let time = Seconds::new(candidate.reckoned.p50);
    if let Some(endless) = RejectionReason::of_endless(time) {
        return Some(endless);
    }
    if let Some(stated) = request.deadline.filter(|d| !d.assumed && d.is_missed_by(time)) {
        return Some(RejectionReason::Deadline { time, limit: stated.limit });
    }
    let budget = request.budget?;
    let cost = candidate.cost.as_ref()?.comparable()?;
    let limit = request.prices.fx.convert(budget, cost.p50.currency).ok()?;
    (cost.p50.amount > limit.amount)
        .then(|| RejectionReason::Budget { cost: cost.p50.as_f64(), limit: limit.as_f64() })
}
