//! How much of what the GPUs could do a step uses.

use super::plan_search::Planned;
use crate::simulator::Scenario;
use crate::units::FlopCount;
use crate::workload::{WorkloadKind, model_flop_per_row, six_nd};

/// Arithmetic of one optimizer step, counted twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Utilization {
    /// Model FLOP of a step, operator by operator.
    pub exact: FlopCount,
    /// The usual 6 N D; `None` for convolutions, which use a weight at every position.
    pub six_nd: Option<FlopCount>,
    /// Exact model FLOP over what the GPUs could do at their dense peak in the time; `None` without a stated peak.
    pub model_flop_utilization: Option<f64>,
    /// The same with 6 N D.
    pub six_nd_utilization: Option<f64>,
}

/// Counts the FLOP of a step of so many rows and compares them with the dense peak.
pub(super) fn utilization(scenario: &Scenario<'_>, planned: &Planned, rows: f64) -> Utilization {
    let exact = model_flop_per_row(scenario.workload) * rows;
    let convolutional = scenario.workload.kind == WorkloadKind::Convolutional;
    let estimate = (!convolutional).then(|| six_nd(scenario.workload) * rows);
    let peak = scenario.machine.gpu.peak(planned.plan.precision);
    let ratio = |flop: FlopCount| {
        let possible = peak? * f64::from(scenario.machine.gpus()) * planned.step.total().get();
        Some(flop.get() / possible.get())
    };
    Utilization {
        exact,
        six_nd: estimate,
        model_flop_utilization: ratio(exact),
        six_nd_utilization: estimate.and_then(ratio),
    }
}
