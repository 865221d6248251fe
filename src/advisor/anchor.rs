//! The user's own measurement: it re-anchors the prediction where it was taken and transfers to other clusters.
//!
//! Both clusters run the same model on the same software; what the prediction misses of them it misses alike. So the
//! time elsewhere is the measured time times the predicted ratio of the two, and its spread is that of predicted
//! ratios of measured pairs, not that of single predictions.

use super::plan_search::Planned;
use crate::profile::{Defaults, Grade};
use crate::units::Seconds;

/// A measured step beside the predicted one.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Where it was measured, as the cluster is labelled.
    pub cluster: String,
    /// Measured time of one step.
    pub measured: Seconds,
    /// Predicted time of the same step.
    pub predicted: Seconds,
}

impl Anchor {
    /// Measured over predicted.
    pub fn factor(&self) -> f64 {
        self.measured / self.predicted
    }
}

/// An anchor as it changed one prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchored {
    /// The measurement.
    pub anchor: Anchor,
    /// The cluster is another one than that of the measurement.
    pub transferred: bool,
    /// Step time before.
    pub before: Seconds,
}

/// Scales the step of a plan to the measurement. Returns what was done, with the new spread of ln(time).
///
/// The terms keep their shares; at the place of the measurement they are all grade A, the user's own run. A measurement
/// never widens the `spread` that the prediction had without it.
pub fn apply(
    anchor: &Anchor,
    cluster: &str,
    planned: &mut Planned,
    spread: f64,
    defaults: &Defaults,
) -> (Anchored, f64) {
    let before = planned.step.total();
    let transferred = anchor.cluster != cluster;
    planned.step = planned.step.scaled(anchor.factor(), if transferred { None } else { Some(Grade::A) });
    let sigma = if transferred { defaults.transfer_sigma } else { defaults.sigma(Grade::A) };
    (Anchored { anchor: anchor.clone(), transferred, before }, sigma.min(spread))
}
