//! Two clusters compared: how much faster, and at which price the slower one is the cheaper.

use super::simulation::{Estimate, Simulation};
use crate::simulator::Interval;

/// How much faster `other` is than `first`, with its interval.
///
/// Both predictions share the model, its coefficients and most assumptions, so that part of their errors cancels in
/// the ratio: its variance is taken as half of the sum, `(s1^2 + s2^2) / 2`.
pub fn speed_up(first: &Estimate, other: &Estimate) -> Interval {
    let ratio = first.time.total.p50 / other.time.total.p50;
    let sigma = f64::midpoint(first.sigma.powi(2), other.sigma.powi(2)).sqrt();
    Interval::log_normal(ratio, sigma)
}

/// Price of a node of `other` over that of `first` below which `other` is the cheaper: what it saves in node-hours.
pub fn break_even_price_ratio(first: &Simulation, other: &Simulation) -> Option<f64> {
    let node_hours = |s: &Simulation| Some(s.estimate()?.time.total.p50 * f64::from(s.cluster.nodes));
    Some(node_hours(first)? / node_hours(other)?)
}
