//! How far to trust a prediction: the spread of ln(time).

use super::plan_search::Planned;
use crate::profile::{Grade, Profiles};
use crate::simulator::Scenario;

/// Memory above this share of usable makes published runs 12-25 % slower than arithmetic says (allocator pressure).
const PRESSURE_FROM: f64 = 0.95;

/// Extra spread under allocator pressure.
const PRESSURE_SIGMA: f64 = 0.10;

/// Standard deviation of ln(time): the terms' spreads by grade, weighted by their share of the step.
///
/// Errors of terms are taken as fully correlated, which can only widen the interval. Where the stack was fitted on
/// this GPU its own held-out residual counts for the compute terms.
pub fn sigma(scenario: &Scenario<'_>, planned: &Planned, profiles: &Profiles) -> f64 {
    let total = planned.step.total();
    let compute = scenario.compute_grade(&planned.plan);
    let spread = |grade: Grade| match grade {
        Grade::B if compute == Grade::B => scenario.stack.residual,
        other => profiles.defaults.sigma(other),
    };
    let mut sigma: f64 = planned.step.terms().map(|t| t.time / total * spread(t.grade)).sum();
    if planned.memory.share() > PRESSURE_FROM {
        sigma += PRESSURE_SIGMA;
    }
    sigma
}
