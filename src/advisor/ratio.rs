//! Two clusters compared: how much faster, and at which price the slower one is the cheaper.

use super::simulation::{Estimate, Simulation};
use crate::simulator::Interval;

/// How much faster `other` is than `first`, with its interval: in the times that are paid.
///
/// Both predictions share the model, its software and most assumptions; what they miss alike cancels in the ratio
/// as it does
/// when a measurement is carried over ([`TransferRule::own`](crate::profile::TransferRule::own)): what is each GPU's own
/// stays, and so does what one prediction is less sure of than the other.
pub fn speed_up(first: &Estimate, other: &Estimate) -> Interval {
    let ratio = first.paid.p50 / other.paid.p50;
    let (a, b) = (first.sigma.powi(2), other.sigma.powi(2));
    let square = (first.own_variance + other.own_variance).max((a - b).abs()).min(a + b);
    Interval::log_normal(ratio, square.sqrt())
}

/// Price of a node of `other` over that of `first` below which `other` is the cheaper: what it saves in node-hours.
pub fn break_even_price_ratio(first: &Simulation, other: &Simulation) -> Option<f64> {
    let node_hours = |s: &Simulation| Some(s.estimate()?.paid.p50 * f64::from(s.cluster.nodes));
    Some(node_hours(first)? / node_hours(other)?)
}
