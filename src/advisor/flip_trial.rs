//! Changes that would flip the choice and that are found by simulating anew: a wider network for the runners-up.
//!
//! Prices and deadlines need no new simulation: [`flips`](super::flip::flips) finds them among the candidates.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::candidate::{Candidate, Objective, Request};
use super::flip::Flip;
use super::question::Question;
use super::rank::{interval_cost, is_little_known, score};
use super::recommend::Facts;
use super::simulation::{Simulation, simulate};
use crate::catalog::InstanceId;
use crate::plan::{Cluster, Network};
use crate::units::BytesPerSecond;

/// Instance types beside the winner's that are tried.
const RUNNERS_UP: usize = 8;
/// How much wider the network is: one more card beside an equal one.
const WIDER: f64 = 2.0;

/// The runner-up that wins when its nodes have twice the network, if one does: the one that then does best.
pub fn network_flip(
    facts: Facts<'_>,
    request: &Request,
    ranked: &[Candidate],
    priced: &[Candidate],
) -> Option<Flip> {
    let winner = ranked.first()?;
    let instance = |c: &Candidate| c.offer.as_ref().map(|o| o.instance);
    let mut runners: Vec<InstanceId> = Vec::new();
    for id in ranked.iter().filter_map(instance).filter(|id| Some(*id) != instance(winner)) {
        if runners.len() < RUNNERS_UP && !runners.contains(&id) {
            runners.push(id);
        }
    }
    // The same nodes elsewhere, or bought another way, are as fast: the first is the best of them by the objective.
    let mut seen = BTreeSet::new();
    let several: Vec<&Candidate> = priced
        .iter()
        .filter(|c| {
            c.cluster.nodes > 1
                && !is_little_known(c)
                && instance(c).is_some_and(|id| runners.contains(&id))
                && seen.insert((instance(c), c.cluster.nodes))
        })
        .collect();
    let question = Question::from(request);
    let tried: Vec<Option<(f64, f64)>> = several
        .par_iter()
        .map(|c| {
            let wide = simulate(facts, &question, wider(&c.cluster), c.offer.as_deref().cloned(), Vec::new());
            scores(&wide, request.objective)
        })
        .collect();
    let base = score(winner, request.objective);
    let (best, (_, cost)) = several
        .into_iter()
        .zip(tried)
        .filter_map(|(c, scores)| Some((c, scores?)))
        .filter(|(_, (score, _))| *score < base)
        .min_by(|a, b| a.1.0.total_cmp(&b.1.0).then_with(|| a.0.cluster.label.cmp(&b.0.cluster.label)))?;
    let now = interval_cost(winner)?.p50;
    let maximum = best.cluster.network.maximum;
    Some(Flip::WiderNetwork {
        cluster: best.cluster.label.clone(),
        from: maximum,
        to: maximum * WIDER,
        cost_ratio: cost / now,
    })
}

fn wider(cluster: &Cluster) -> Cluster {
    let times = |rate: BytesPerSecond| rate * WIDER;
    let network = &cluster.network;
    let network =
        Network { maximum: times(network.maximum), assured: times(network.assured), ..network.clone() };
    Cluster { network, ..cluster.clone() }
}

/// What the objective minimises, and the P50 cost, of a job that runs at a price.
fn scores(simulation: &Simulation, objective: Objective) -> Option<(f64, f64)> {
    let estimate = simulation.estimate()?;
    let cost = estimate.cost.as_ref()?.comparable()?;
    let (time, p50) = (estimate.paid.p50, cost.p50.as_f64());
    let score = match objective {
        Objective::Cost => p50,
        Objective::Time => time,
        Objective::Balanced => p50 * time,
        Objective::CostAtP90 => cost.p90.as_f64(),
    };
    Some((score, p50))
}
