//! Ordering of candidates: objective, Pareto front, ties.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::candidate::{Candidate, Objective};
use super::front::point;
use crate::catalog::Purchase;
use crate::cost::{Offer, SAME_DIGITS};
use crate::simulator::Interval;

/// P50 cost as a number in [`SAME_DIGITS`]; infinite without a comparable price.
pub(super) fn cost(candidate: &Candidate) -> f64 {
    interval_cost(candidate).map_or(f64::INFINITY, |c| in_digits(c.p50))
}

/// A value in the digits in which amounts are compared: list prices of regions differ behind them by how they were read.
fn in_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powi(SAME_DIGITS as i32 - 1 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// Cost at the three quantiles.
pub fn interval_cost(candidate: &Candidate) -> Option<Interval> {
    let cost = candidate.cost.as_ref()?.comparable()?;
    Some(Interval { p10: cost.p10.as_f64(), p50: cost.p50.as_f64(), p90: cost.p90.as_f64() })
}

/// What an objective minimises.
pub fn score(candidate: &Candidate, objective: Objective) -> f64 {
    let time = candidate.reckoned.p50;
    let value = match objective {
        Objective::Cost => cost(candidate),
        Objective::Time => time,
        Objective::Balanced => cost(candidate) * time_in_balance(candidate),
        Objective::CostAtP90 => interval_cost(candidate).map_or(f64::INFINITY, |c| c.p90),
    };
    in_digits(value)
}

/// The time that the balance multiplies a cost with: where the cost is of less than the time that the order reckons with, it grows
/// by as much.
pub(super) fn time_in_balance(candidate: &Candidate) -> f64 {
    let time = candidate.reckoned.p50;
    time / candidate.paid.p50 * time
}

/// Several nodes on a network that nobody states, and hosts that must prepare samples on nobody knows how many virtual CPUs,
/// come after the known.
pub fn is_little_known(candidate: &Candidate) -> bool {
    candidate.host_unknown || candidate.cluster.nodes > 1 && !candidate.cluster.network.known
}

/// Sorts by what is known of network and host, score, time, cost and label: a total order, so that the input order does not matter.
pub fn sort(candidates: &mut [Candidate], objective: Objective) {
    let key = |c: &Candidate| (is_little_known(c), [score(c, objective), c.reckoned.p50, cost(c)]);
    arrange(candidates, key);
}

/// Sorts candidates outside the ranking by GPU-hours, which a price per GPU would multiply: what the user sells before
/// what is shown for reference, then what meets an assumed deadline, then network knowledge.
pub fn sort_by_gpu_hours(candidates: &mut [Candidate]) {
    let for_reference = |c: &Candidate| c.offer.as_ref().is_some_and(|o| !o.sold_by_user);
    let key =
        |c: &Candidate| ((for_reference(c), c.beyond_horizon, is_little_known(c)), [c.gpu_hours, c.paid.p50]);
    arrange(candidates, key);
}

/// Sorts by keys that are worked out once for each, then label and purchase option. Each candidate is moved at most once.
fn arrange<K: Ord, const N: usize>(candidates: &mut [Candidate], key: impl Fn(&Candidate) -> (K, [f64; N])) {
    let keys: Vec<(K, [f64; N])> = candidates.iter().map(key).collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| {
        let numbers = keys[a].1.iter().zip(&keys[b].1).map(|(a, b)| a.total_cmp(b));
        let (one, other) = (&candidates[a], &candidates[b]);
        numbers
            .fold(keys[a].0.cmp(&keys[b].0), Ordering::then)
            .then_with(|| tie(one, other))
            .then_with(|| purchase(one).cmp(&purchase(other)))
    });
    let mut place = vec![0; order.len()];
    for (to, &from) in order.iter().enumerate() {
        place[from] = to;
    }
    for i in 0..place.len() {
        while place[i] != i {
            let to = place[i];
            candidates.swap(i, to);
            place.swap(i, to);
        }
    }
}

/// Of equals the one whose price was checked last, then by region and label.
fn tie(a: &Candidate, b: &Candidate) -> Ordering {
    let (one, other) = (a.offer.as_deref(), b.offer.as_deref());
    let dated = one.map(Offer::tie_order).cmp(&other.map(Offer::tie_order));
    dated.then_with(|| a.cluster.label.cmp(&b.cluster.label))
}

/// Orders two candidates by an objective, and equals as the ranking does.
pub(super) fn order(a: &Candidate, b: &Candidate, objective: Objective) -> Ordering {
    compare(a, b, objective).then_with(|| tie(a, b))
}

fn purchase(candidate: &Candidate) -> Option<Purchase> {
    candidate.offer.as_ref().map(|o| o.purchase)
}

/// Marks candidates that no other beats in both P50 time and P50 cost, in the values of [`point`].
pub fn mark_pareto(candidates: &mut [Candidate]) {
    let in_plane = |c: &Candidate| {
        let [time, cost, ..] = point(c);
        (time, cost)
    };
    let points: Vec<(f64, f64)> = candidates.iter().map(in_plane).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        points[a].0.total_cmp(&points[b].0).then(points[a].1.total_cmp(&points[b].1)).then(a.cmp(&b))
    });
    let mut cheapest = f64::INFINITY;
    let mut last = None;
    for i in order {
        let better = points[i].1 < cheapest;
        candidates[i].pareto = better || last == Some(points[i]);
        if better {
            cheapest = points[i].1;
            last = Some(points[i]);
        }
    }
}

/// How a candidate is bought, where that makes a difference: without a price one way is as good as another.
pub fn way_to_buy(candidate: &Candidate) -> Option<Purchase> {
    let offer = candidate.offer.as_ref()?;
    offer.price.is_some().then_some(offer.purchase)
}

/// Keeps the best of each instance type and way to buy it; the input is sorted.
pub fn one_per_instance(sorted: &[Candidate]) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    let key = |c: &Candidate| c.offer.as_ref().map(|o| (o.instance, way_to_buy(c)));
    sorted.iter().filter(|c| seen.insert(key(c))).cloned().collect()
}

/// What takes longer than an assumed deadline and may be worth it, the soonest of each instance type and way to buy it: where
/// none of those meets the deadline, and where a later one is better than the ranked one.
pub(super) fn worth_waiting(
    ranked: &[Candidate],
    beyond: Vec<Candidate>,
    objective: Objective,
) -> Vec<Candidate> {
    let key = |c: &Candidate| c.offer.as_ref().map(|o| (o.instance, way_to_buy(c)));
    let better = |c: &Candidate| {
        let own = ranked.iter().find(|r| key(r) == key(c));
        own.is_none_or(|own| compare(c, own, objective) == Ordering::Less)
    };
    let mut beyond: Vec<Candidate> = beyond.into_iter().filter(better).collect();
    arrange(&mut beyond, |c| (is_little_known(c), [c.paid.p50, cost(c)]));
    one_per_instance(&beyond)
}

/// The first of those beyond an assumed deadline that is better than the winner, with its place in the ranking.
pub fn better_beyond(ranked: &[Candidate], objective: Objective) -> Option<(usize, &Candidate)> {
    let winner = ranked.first().filter(|c| !c.beyond_horizon)?;
    let better = |c: &Candidate| c.beyond_horizon && compare(c, winner, objective) == Ordering::Less;
    ranked.iter().enumerate().find(|(_, c)| better(c))
}

/// The first that is better than the winner and comes after it only because too little is known of it, with its place in the
/// ranking.
pub fn better_unknown(ranked: &[Candidate], objective: Objective) -> Option<(usize, &Candidate)> {
    let winner = ranked.first().filter(|c| !is_little_known(c))?;
    let better = |c: &Candidate| {
        !c.beyond_horizon && is_little_known(c) && compare(c, winner, objective) == Ordering::Less
    };
    ranked.iter().enumerate().find(|(_, c)| better(c))
}

/// Marks rows whose interval overlaps the first one's in what is ranked by.
pub fn mark_ties(ranked: &mut [Candidate], objective: Objective) {
    let quantity = |c: &Candidate| match objective {
        Objective::Time => Some(c.reckoned),
        Objective::Cost | Objective::CostAtP90 | Objective::Balanced => interval_cost(c),
    };
    let Some(first) = ranked.first().and_then(quantity) else { return };
    for candidate in ranked.iter_mut().skip(1) {
        candidate.tie = quantity(candidate).is_some_and(|q| q.overlaps(&first));
    }
}

/// Orders two candidates by one objective alone.
pub fn compare(a: &Candidate, b: &Candidate, objective: Objective) -> Ordering {
    score(a, objective).total_cmp(&score(b, objective))
}
