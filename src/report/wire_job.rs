//! Parts of the answers in JSON: price and cost, the whole job, an inverse question, the user's own measurement.

use serde::Serialize;

use crate::advisor::Anchored;
use crate::cost::{JobCost, Price};
use crate::units::{Currency, Money};

#[derive(Serialize)]
pub(super) struct PriceWire<'a> {
    per_node_hour: Money,
    purchase: &'static str,
    origin: &'static str,
    as_of: Option<String>,
    source: &'a str,
}

#[derive(Serialize)]
pub(super) struct CostWire {
    p10: Money,
    p50: Money,
    p90: Money,
    excludes: &'static [&'static str],
}

impl<'a> PriceWire<'a> {
    /// A price as both answers write it.
    pub(super) fn of(price: &'a Price) -> Self {
        Self {
            per_node_hour: price.per_hour,
            purchase: price.purchase.name(),
            origin: price.origin.name(),
            as_of: price.as_of.map(|day| day.to_string()),
            source: &price.source,
        }
    }
}

impl CostWire {
    /// A cost as both answers write it.
    pub(super) fn of(cost: &JobCost) -> Self {
        Self { p10: cost.p10, p50: cost.p50, p90: cost.p90, excludes: cost.excludes }
    }
}

#[derive(Serialize)]
pub(super) struct WholeJobWire {
    training_s: f64,
    evaluation_s: f64,
    checkpoints_s: f64,
    start_up_s: f64,
    failures_s: f64,
    interruptions: f64,
    checkpoint_interval_s: f64,
    checkpoint_bytes: f64,
}

#[derive(Serialize)]
pub(super) struct SolvedWire {
    unknown: &'static str,
    value: Option<serde_json::Number>,
    currency: Option<Currency>,
}

/// The unknown of `simulate --solve` that is an amount of money, as JSON names it.
pub const WINNING_PRICE: &str = "winning_price_per_node_hour";

impl SolvedWire {
    /// A whole number is written as one; a price has its currency.
    pub(super) fn of(unknown: &'static str, value: Option<f64>, currency: Currency) -> Self {
        let number = |v: f64| match v {
            v if v.fract() == 0.0 && v.abs() < MOST_EXACT => Some(serde_json::Number::from(v as i64)),
            v => serde_json::Number::from_f64(v),
        };
        let currency = (unknown == WINNING_PRICE).then_some(currency);
        Self { unknown, value: value.and_then(number), currency }
    }
}

/// Whole numbers below this are exact as a floating-point number: 2^53.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

#[derive(Serialize)]
pub(super) struct MeasuredWire<'a> {
    cluster: &'a str,
    measured_step_time_s: f64,
    measured_wait_s: f64,
    predicted_step_time_s: f64,
    factor: f64,
    transferred: bool,
    carried_share: f64,
    step_time_before_s: f64,
}

pub(super) fn measured(anchored: &Anchored) -> MeasuredWire<'_> {
    MeasuredWire {
        cluster: &anchored.anchor.cluster,
        measured_step_time_s: anchored.anchor.measured.get(),
        measured_wait_s: anchored.anchor.waits().get(),
        predicted_step_time_s: anchored.anchor.predicted.get(),
        factor: anchored.anchor.factor(),
        transferred: anchored.transferred,
        carried_share: anchored.share,
        step_time_before_s: anchored.before.get(),
    }
}

pub(super) fn whole_job(whole: &crate::simulator::WholeJob) -> WholeJobWire {
    WholeJobWire {
        training_s: whole.training.get(),
        evaluation_s: whole.evaluation.get(),
        checkpoints_s: whole.checkpoints.get(),
        start_up_s: whole.start_up.get(),
        failures_s: whole.failures.get(),
        interruptions: whole.interruptions,
        checkpoint_interval_s: whole.checkpoint_interval.get(),
        checkpoint_bytes: whole.checkpoint_bytes.get(),
    }
}
