//! How far to trust a prediction: the spread of ln(time).

use super::plan_search::Planned;
use crate::profile::{Grade, Profiles};
use crate::simulator::Scenario;

/// Memory above this share of usable makes published runs 12-25 % slower than arithmetic says (allocator pressure).
const PRESSURE_FROM: f64 = 0.95;
/// Extra spread under allocator pressure.
const PRESSURE_SIGMA: f64 = 0.10;
/// Extra spread on a GPU that the stack's fit has not seen, when it has seen others of the same architecture.
const OTHER_GPU_SIGMA: f64 = 0.08;
/// Extra spread on an architecture that the stack's fit has not seen.
const OTHER_ARCHITECTURE_SIGMA: f64 = 0.20;
/// Extra spread for each factor of e by which a model is outside the sizes that the fit has seen.
const OTHER_SIZE_SIGMA: f64 = 0.06;

/// Standard deviation of ln(time).
///
/// A stack with a fit brings the spread of its residuals on models it had not seen, on this architecture if possible;
/// independent causes add in squares: a GPU or an architecture outside the fit, a size outside it, full memory. Terms
/// whose own evidence is worse than a published measurement (an assumed network, for one) count with the spread of
/// their grade, weighted by their share of the step, and so do all terms of a stack without a fit.
pub fn sigma(scenario: &Scenario<'_>, planned: &Planned, profiles: &Profiles) -> f64 {
    let stack = scenario.stack;
    let gpu = scenario.machine.gpu;
    let fitted = stack.grade == Grade::B;
    let base = stack.residual_on(&gpu.architecture);
    let total = planned.step.total();
    let spread = |grade: Grade| match grade {
        Grade::D => profiles.defaults.sigma(Grade::D).max(base),
        _ if fitted => base,
        other => profiles.defaults.sigma(other),
    };
    let terms: f64 = planned.step.terms().map(|t| t.time / total * spread(t.grade)).sum();
    let mut square = terms * terms;
    if fitted && !stack.fitted_gpus.contains(&gpu.id) {
        let same = stack.residual_by_architecture.iter().any(|(name, _)| *name == gpu.architecture);
        let extra = if same { OTHER_GPU_SIGMA } else { OTHER_ARCHITECTURE_SIGMA };
        square += extra * extra;
    }
    let beyond = OTHER_SIZE_SIGMA * stack.beyond_fitted_size(scenario.workload.parameters).ln();
    square += beyond * beyond;
    if planned.memory.share() > PRESSURE_FROM {
        square += PRESSURE_SIGMA * PRESSURE_SIGMA;
    }
    square.sqrt()
}
