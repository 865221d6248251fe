//! Jobs that are alike and independent, such as the folds of a cross-validation: one after the other, side by side, one on a GPU.

use super::phrases::simulation as say;
use super::recommend::cells::{money, time};
use super::view_simulate::SimulateView;
use crate::advisor::{Estimate, RejectionReason};
use crate::cost::CostOutcome;
use crate::units::text;

/// Time and money of all of them: independent, so that clusters beside each other shorten it and cost the same.
pub(super) fn all(view: &SimulateView<'_>, estimate: &Estimate) -> String {
    let (count, grade) = (f64::from(view.job.folds), estimate.grade);
    let one = estimate.paid.p50;
    let cost = match &estimate.cost {
        Some(CostOutcome::Priced(c)) => {
            format!(", {}", money(c.p50.as_f64(), c.p50.currency, grade))
        }
        _ => String::new(),
    };
    let number = view.job.folds.to_string();
    let hours = text::significant(estimate.gpu_hours, 3);
    let places = [&number, &time(one * count, grade), &time(one, grade), &number, &hours, &cost];
    say::FOLDS_TIME.fill(view.language, &places.map(String::as_str))
}

/// Where one job has no plan over all GPUs of a cluster: several may run there at once, one on each, and some GPUs are left over.
pub(super) fn apart(view: &SimulateView<'_>, reason: &RejectionReason) -> Option<String> {
    let (folds, gpus) = (view.job.folds, view.simulation.cluster.gpus());
    let divides = matches!(reason, RejectionReason::NoValidPlan { .. });
    if folds < 2 || gpus < 2 || !divides {
        return None;
    }
    let at_once = folds.min(gpus);
    let idle = (gpus - folds % gpus) % gpus;
    let numbers = [folds, at_once].map(|n| n.to_string());
    let (idle, gpus) = (idle.to_string(), gpus.to_string());
    let places = [&numbers[0], &numbers[1], view.simulation.gpu_id.as_str(), &idle, &gpus];
    Some(say::FOLDS_APART.fill(view.language, &places))
}
