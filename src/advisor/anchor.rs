//! The user's own measurement: it re-anchors the prediction where it was taken and transfers to other clusters.
//!
//! Both clusters run the same model on the same software; what the prediction misses of them it misses alike, beside
//! what each GPU has of its own. How much of the deviation holds elsewhere, and with which spread, is the rule of
//! [`TransferRule`](crate::profile::TransferRule).

use super::plan_search::Planned;
use crate::plan::Plan;
use crate::profile::{Carried, Defaults, Grade};
use crate::simulator::{Scenario, StepEstimate, step_time};
use crate::units::Seconds;

/// A measured step beside the predicted one.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Where it was measured, as the cluster is labelled.
    pub cluster: String,
    /// Measured time of one step.
    pub measured: Seconds,
    /// Samples of it.
    pub samples: f64,
    /// Predicted time of the same step.
    pub predicted: Seconds,
    /// The same without its wait for input.
    pub predicted_work: Seconds,
    /// What the GPUs took of the measured step; `None` where it waited for input by prediction and hides that.
    pub work: Option<Seconds>,
    /// The job or its plan was changed after the measurement: even on the same cluster it tells of a relative only.
    pub is_of_another_job: bool,
}

impl Anchor {
    /// A measured step beside the prediction of the same.
    ///
    /// What the GPUs took is the step without its waits for data: with the share of them that a log tells; else all of it where none is
    /// predicted. A step that waits by prediction and takes longer than its work shows how long the input took, not the GPUs.
    pub fn new(cluster: String, measured: Seconds, planned: &Planned, data_share: Option<f64>) -> Self {
        let samples = planned.plan.global_batch() as f64;
        let (predicted, predicted_work) = (planned.step.total(), planned.step.work());
        let shown = predicted <= predicted_work || measured < predicted_work;
        let work = data_share.map(|share| measured * (1.0 - share)).or(shown.then_some(measured));
        Self { cluster, measured, samples, predicted, predicted_work, work, is_of_another_job: false }
    }

    /// Measured over predicted work of the GPUs; 1 where the measurement does not show it.
    pub fn factor(&self) -> f64 {
        self.work.map_or(1.0, |work| work / self.predicted_work)
    }

    /// What of the measured step was a wait for data.
    pub fn waits(&self) -> Seconds {
        (self.measured - self.work.unwrap_or(self.predicted_work)).max(Seconds::ZERO)
    }

    /// How much of it holds for another cluster or job whose prediction has this spread of ln(time).
    pub(super) fn carried(&self, spread: f64, defaults: &Defaults) -> Carried {
        let unknown = Carried { share: 0.0, sigma: spread };
        self.work.map_or(unknown, |_| defaults.transfer.carried(self.factor().ln(), spread))
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
    /// The nodes are those of the measurement, whatever the job.
    same_nodes: bool,
}

impl Anchored {
    /// What the predicted work is multiplied by here.
    pub fn factor(&self) -> f64 {
        self.anchor.factor().powf(self.share)
    }

    /// A predicted step with the measurement.
    ///
    /// The wait for input at the place of the measurement is the measured one. Elsewhere what the input needs stays as it is known, and the
    /// wait is what the work does not cover; where nobody describes the input, samples come on the same nodes as fast as they came when
    /// they were waited for.
    pub(super) fn step(
        &self,
        predicted: &StepEstimate,
        scenario: &Scenario<'_>,
        plan: &Plan,
    ) -> StepEstimate {
        let anchor = &self.anchor;
        let work = predicted.work() * self.factor();
        let input = if self.transferred {
            let seen = (self.same_nodes && anchor.waits() > Seconds::ZERO)
                .then(|| anchor.measured * (plan.global_batch() as f64 / anchor.samples));
            (input_time(scenario, plan).or(seen).unwrap_or(Seconds::ZERO) - work).max(Seconds::ZERO)
        } else {
            anchor.waits() * (predicted.work() / anchor.predicted_work)
        };
        predicted.measured(self.factor(), input, if self.transferred { None } else { Some(Grade::A) })
    }
}

/// Time in which the samples of a step arrive; `None` where nobody states what they arrive with.
pub(super) fn input_time(scenario: &Scenario<'_>, plan: &Plan) -> Option<Seconds> {
    let known = scenario.input.filter(|input| input.storage.is_some() || input.preparation.is_some());
    known.map(|input| input.time(plan.global_batch() as f64))
}

/// Time of a step on another network than it was planned for, with the measurement.
pub(super) fn slower_step(scenario: &Scenario<'_>, plan: &Plan, anchored: Option<&Anchored>) -> Seconds {
    let step = step_time(scenario, plan);
    anchored.map_or(step, |a| a.step(&step, scenario, plan)).total()
}

/// Scales the step of a plan to the measurement. Returns what was done, with the new spread of ln(time), which was
/// `spread` without it.
///
/// The terms of the work keep their shares; for the same job at the place of the measurement they are all grade A, the user's own run.
pub(super) fn apply(
    anchor: &Anchor,
    (cluster, scenario): (&str, &Scenario<'_>),
    planned: &mut Planned,
    spread: f64,
    defaults: &Defaults,
) -> (Anchored, f64) {
    let before = planned.step.total();
    let same_nodes = anchor.cluster.split('+').map(without_place).eq(cluster.split('+').map(without_place));
    let transferred = !same_nodes || anchor.is_of_another_job;
    let (share, sigma) = if transferred {
        let Carried { share, sigma } = anchor.carried(spread, defaults);
        // Another job on the same nodes: what is the GPU's own holds for it too.
        (if same_nodes { 1.0 } else { share }, sigma)
    } else {
        (1.0, defaults.sigma(Grade::A).min(spread))
    };
    let anchored = Anchored { anchor: anchor.clone(), transferred, share, before, same_nodes };
    planned.step = anchored.step(&planned.step, scenario, &planned.plan);
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
