//! The user's own measurement: it re-anchors the prediction where it was taken and transfers to other clusters.
//!
//! Both clusters run the same model on the same software; what the prediction misses of them it misses alike, beside
//! what each GPU has of its own. How much of the deviation holds elsewhere, and with which spread, is the rule of
//! [`TransferRule`](crate::profile::TransferRule).

use super::plan_search::Planned;
use crate::profile::{Carried, Defaults, Grade};
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
    /// The job or its plan was changed after the measurement: even on the same cluster it tells of a relative only.
    pub is_of_another_job: bool,
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
    /// The cluster, or the job on it, is another one than that of the measurement.
    pub transferred: bool,
    /// Part of ln(measured / predicted) that holds here: 1 at the place of the measurement.
    pub share: f64,
    /// Step time before.
    pub before: Seconds,
}

impl Anchored {
    /// What the prediction is multiplied by here.
    pub fn factor(&self) -> f64 {
        self.anchor.factor().powf(self.share)
    }
}

/// Scales the step of a plan to the measurement. Returns what was done, with the new spread of ln(time), which was
/// `spread` without it.
///
/// The terms keep their shares; for the same job at the place of the measurement they are all grade A, the user's own run.
pub fn apply(
    anchor: &Anchor,
    cluster: &str,
    planned: &mut Planned,
    spread: f64,
    defaults: &Defaults,
) -> (Anchored, f64) {
    let before = planned.step.total();
    let elsewhere = !anchor.cluster.split('+').map(without_place).eq(cluster.split('+').map(without_place));
    let transferred = elsewhere || anchor.is_of_another_job;
    let (share, sigma) = if transferred {
        let Carried { share, sigma } = defaults.transfer.carried(anchor.factor().ln(), spread);
        // Another job on the same nodes: what is the GPU's own holds for it too.
        (if elsewhere { share } else { 1.0 }, sigma)
    } else {
        (1.0, defaults.sigma(Grade::A).min(spread))
    };
    let anchored = Anchored { anchor: anchor.clone(), transferred, share, before };
    planned.step = planned.step.scaled(anchored.factor(), if transferred { None } else { Some(Grade::A) });
    (anchored, sigma)
}

/// A cluster's label in two parts, what it is and how many nodes: the same hardware stands in every region.
fn without_place(label: &str) -> (&str, &str) {
    let (kind, rest) = label.trim().split_once('@').unwrap_or((label.trim(), ""));
    match rest.split_once(':') {
        Some((_, nodes)) => (kind, nodes),
        None => kind.rsplit_once(':').unwrap_or((kind, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::without_place;

    #[test]
    fn the_same_nodes_in_another_region_are_the_same_hardware() {
        assert_eq!(without_place("a/x.large@north-1:2"), without_place("a/x.large:2"));
        assert_ne!(without_place("a/x.large@north-1:2"), without_place("a/x.large@north-1:4"));
        assert_ne!(without_place("a/x.large:2"), without_place("a/y.large:2"));
    }
}
