//! What would change the choice, computed from the candidates, not from a phrase book.

use super::candidate::{Candidate, Objective};
use super::rank::{interval_cost, is_little_known, order, score};
use crate::units::{BytesPerSecond, Seconds};

/// One change that makes another candidate win.
#[derive(Debug, Clone, PartialEq)]
pub enum Flip {
    /// The price of another cluster's node falls by this share (negative).
    Price {
        /// The cluster that would win.
        cluster: String,
        /// Change of its price, below zero.
        change: f64,
    },
    /// The time allowed falls below this.
    ShorterDeadline {
        /// The winner's P50 time: any deadline below it.
        below: Seconds,
        /// The cluster that would win.
        cluster: String,
        /// Its P50 time.
        time: Seconds,
        /// Its P50 cost over the winner's, as a share above one.
        cost_ratio: f64,
    },
    /// The time allowed grows to this.
    LongerDeadline {
        /// The P50 time of the candidate that would win.
        at: Seconds,
        /// The cluster.
        cluster: String,
        /// Its P50 cost over the winner's, below one.
        cost_ratio: f64,
    },
    /// The network of a candidate is not stated, which keeps it behind the winner.
    NetworkStated {
        /// The cluster that would win.
        cluster: String,
        /// The bandwidth of a node that was taken for it.
        taken: BytesPerSecond,
        /// Its P50 cost with it over the winner's.
        cost_ratio: f64,
    },
    /// The nodes of a runner-up get a wider network.
    WiderNetwork {
        /// The cluster that would win.
        cluster: String,
        /// Bandwidth of a node now.
        from: BytesPerSecond,
        /// Bandwidth with which it was tried.
        to: BytesPerSecond,
        /// Its P50 cost then over the winner's.
        cost_ratio: f64,
    },
    /// The sequences get longer.
    LongerSequence {
        /// Tokens of a sequence now.
        from: u32,
        /// Tokens with which the whole search was done again.
        to: u32,
        /// The cluster that would win; `None` when nothing passes any more.
        cluster: Option<String>,
        /// Its P50 cost over the winner's of now.
        cost_ratio: Option<f64>,
    },
}

/// Largest price cut worth mentioning.
const DEEPEST_CUT: f64 = -0.5;

/// Finds the nearest flips. `priced` holds every candidate within the limits, `late` those beyond the deadline only.
pub fn flips(
    ranked: &[Candidate],
    priced: &[Candidate],
    late: &[&Candidate],
    objective: Objective,
) -> Vec<Flip> {
    let Some(winner) = ranked.first() else { return Vec::new() };
    // What stands on a network that nobody states comes after the known, whatever its price.
    let (known, unknown): (Vec<&Candidate>, Vec<&Candidate>) =
        priced.iter().partition(|c| is_little_known(winner) || !is_little_known(c));
    let late: Vec<&Candidate> =
        late.iter().copied().filter(|c| is_little_known(winner) || !is_little_known(c)).collect();
    let mut flips = Vec::new();
    flips.extend(price_flip(winner, &known, objective));
    flips.extend(shorter(winner, &known, objective));
    flips.extend(longer(winner, &late, objective));
    let unstated: Vec<&Candidate> = unknown.into_iter().filter(|c| !c.host_unknown).collect();
    flips.extend(network_stated(winner, &unstated, objective));
    flips
}

/// The best of those that only their unknown network keeps behind the winner.
fn network_stated(winner: &Candidate, unknown: &[&Candidate], objective: Objective) -> Option<Flip> {
    let cost = interval_cost(winner)?.p50;
    let next = best(unknown, objective).filter(|c| score(c, objective) < score(winner, objective))?;
    Some(Flip::NetworkStated {
        cluster: next.cluster.label.clone(),
        taken: next.cluster.network.maximum,
        cost_ratio: interval_cost(next)?.p50 / cost,
    })
}

/// The best by the objective; the first of equals.
fn best<'a>(candidates: &[&'a Candidate], objective: Objective) -> Option<&'a Candidate> {
    candidates.iter().copied().min_by(|a, b| order(a, b, objective))
}

/// The candidate of another instance type that needs the smallest price cut to win on cost.
fn price_flip(winner: &Candidate, priced: &[&Candidate], objective: Objective) -> Option<Flip> {
    if objective == Objective::Time {
        return None;
    }
    let instance = |c: &Candidate| c.offer.as_ref().map(|o| o.instance);
    priced
        .iter()
        .filter(|c| instance(c) != instance(winner))
        .map(|&c| (c, score(winner, objective) / score(c, objective) - 1.0))
        .filter(|&(_, change)| change < 0.0 && change > DEEPEST_CUT)
        .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cluster.label.cmp(&a.0.cluster.label)))
        .map(|(c, change)| Flip::Price { cluster: c.cluster.label.clone(), change })
}

/// The best candidate among those faster than the winner.
fn shorter(winner: &Candidate, priced: &[&Candidate], objective: Objective) -> Option<Flip> {
    let below = winner.reckoned.p50;
    let cost = interval_cost(winner)?.p50;
    let next = priced.iter().filter(|c| c.reckoned.p50 < below).min_by(|a, b| order(a, b, objective))?;
    Some(Flip::ShorterDeadline {
        below: Seconds::new(below),
        cluster: next.cluster.label.clone(),
        time: Seconds::new(next.reckoned.p50),
        cost_ratio: interval_cost(next)?.p50 / cost,
    })
}

/// The best candidate that only the deadline keeps out, if it beats the winner.
fn longer(winner: &Candidate, late: &[&Candidate], objective: Objective) -> Option<Flip> {
    let cost = interval_cost(winner)?.p50;
    let next = late
        .iter()
        .filter(|c| score(c, objective) < score(winner, objective))
        .min_by(|a, b| order(a, b, objective))?;
    Some(Flip::LongerDeadline {
        at: Seconds::new(next.reckoned.p50),
        cluster: next.cluster.label.clone(),
        cost_ratio: interval_cost(next)?.p50 / cost,
    })
}
