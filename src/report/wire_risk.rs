//! A risk in JSON.

use serde::Serialize;

use super::view_risk::{RiskView, priced};
use super::wire_job::CostWire;
use crate::advisor::Candidate;
use crate::advisor::risk::RateSource;
use crate::advisor::risk::Risk;
use crate::simulator::{Checkpoints, Interval};

#[derive(Serialize)]
pub(super) struct RiskWire {
    /// Absent ends are those of a job that never ends.
    time_s: EndsWire,
    cost: Option<CostWire>,
    deadline_s: Option<f64>,
    deadline_probability: Option<f64>,
    interruptions: Option<f64>,
    between_interruptions_s: Option<f64>,
    interruption_source: RateSource,
    restart_s: f64,
    checkpoint_interval_s: Option<f64>,
    checkpoint_write_s: f64,
    expected_time_s: Option<f64>,
    expected_time_without_checkpoints_s: Option<f64>,
    undisturbed_time_s: f64,
    against_on_demand: Option<RatiosWire>,
    draws: u32,
    seed: u64,
}

#[derive(Serialize)]
struct EndsWire {
    p10: Option<f64>,
    p50: Option<f64>,
    p90: Option<f64>,
}

#[derive(Serialize)]
struct RatiosWire {
    cost_ratio: f64,
    time_ratio: f64,
}

fn ended(seconds: f64) -> Option<f64> {
    Some(seconds).filter(|s| s.is_finite())
}

fn ends(time: Interval) -> EndsWire {
    EndsWire { p10: ended(time.p10), p50: ended(time.p50), p90: ended(time.p90) }
}

impl RiskWire {
    /// A risk as the answer writes it.
    pub(super) fn of(view: &RiskView<'_>) -> Self {
        let risk = view.risk;
        let checkpoints = risk.interruptions.checkpoints != Checkpoints::Never;
        Self {
            time_s: ends(risk.outcomes.time),
            cost: priced(risk).map(CostWire::of),
            deadline_s: risk.deadline.map(crate::units::Seconds::get),
            deadline_probability: risk.outcomes.on_time,
            interruptions: ended(risk.expected_interruptions()),
            between_interruptions_s: ended(risk.interruptions.between.get()),
            interruption_source: risk.source,
            restart_s: risk.interruptions.restart.get(),
            checkpoint_interval_s: checkpoints.then_some(risk.interval.get()),
            checkpoint_write_s: risk.interruptions.write().get(),
            expected_time_s: ended(risk.expected.get()),
            expected_time_without_checkpoints_s: ended(risk.expected_without_checkpoints.get()),
            undisturbed_time_s: risk.undisturbed.get(),
            against_on_demand: view
                .ratios()
                .filter(|(cost, time)| cost.is_finite() && time.is_finite())
                .map(|(cost_ratio, time_ratio)| RatiosWire { cost_ratio, time_ratio }),
            draws: risk.draws.0,
            seed: risk.draws.1,
        }
    }
}

/// The risk of one row of a ranking.
#[derive(Serialize)]
pub(super) struct RowRiskWire<'a> {
    cluster: &'a str,
    purchase: Option<&'static str>,
    risk: RiskWire,
}

/// The risks of the first rows, in their order.
pub(super) fn rows<'a>(ranked: &'a [Candidate], risks: &[Risk]) -> Vec<RowRiskWire<'a>> {
    let row = |(candidate, risk): (&'a Candidate, &Risk)| RowRiskWire {
        cluster: &candidate.cluster.label,
        purchase: risk.purchase.map(crate::catalog::Purchase::name),
        risk: RiskWire::of(&RiskView { risk, steady: None, language: super::Language::English }),
    };
    ranked.iter().zip(risks).map(row).collect()
}
