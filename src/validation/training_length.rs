//! How long a whole training run was: epochs and set, where a source states both.

use super::run::Run;
use crate::catalog::{Catalog, Dataset};
use crate::profile::{LayerRate, StackProfile};
use crate::simulator::evaluation_steps;
use crate::units::Seconds;

/// What the remarks of a run say whose source times the training loops alone.
const EPOCHS_ALONE: &str = "evaluation not timed";

/// A training run of stated length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingLength {
    /// Samples of an epoch.
    pub samples: f64,
    /// Epochs.
    pub epochs: f64,
    /// Samples of an evaluation, one after each epoch.
    pub evaluation: f64,
    /// Epochs whose surroundings (evaluation, checkpoint) are in the stated time.
    pub surrounded: f64,
}

impl TrainingLength {
    /// Wall time at a step of `batch` samples, evaluations and what surrounds epochs included.
    pub fn time(&self, step: Seconds, batch: f64, stack: &StackProfile) -> Seconds {
        let steps = (self.samples / batch).ceil() * self.epochs;
        let evaluation = evaluation_steps(self.epochs, self.evaluation, batch);
        step * (steps + evaluation) + Seconds::new(self.surrounded * stack.layers.get(LayerRate::Epoch))
    }
}

/// What the remarks of a row say: the number of epochs, and the name with which a set of the catalog begins.
pub(super) fn training_length(run: &Run, catalog: &Catalog) -> Option<TrainingLength> {
    let epochs: f64 = remarks(run).find_map(|part| part.strip_prefix("epochs ")?.trim().parse().ok())?;
    let set = stated_set(run, catalog)?;
    let samples = set.samples_train? as f64;
    if remarks(run).any(|part| part == EPOCHS_ALONE) {
        return Some(TrainingLength { samples, epochs, evaluation: 0.0, surrounded: 0.0 });
    }
    let evaluation = set.samples_validation.unwrap_or(0) as f64;
    Some(TrainingLength { samples, epochs, evaluation, surrounded: epochs })
}

/// The set of the catalog whose name begins as a remark of the row.
pub(super) fn stated_set<'c>(run: &Run, catalog: &'c Catalog) -> Option<&'c Dataset> {
    let begins =
        |name: &str, part: &str| part.len() > 3 && name.to_lowercase().starts_with(&part.to_lowercase());
    catalog.datasets.iter().find(|set| remarks(run).any(|part| begins(&set.name, part)))
}

fn remarks(run: &Run) -> impl Iterator<Item = &str> {
    run.notes.split(';').map(str::trim)
}

/// What the remarks of a rate say whose source counts samples that it does not train, such as those of a last batch left out.
pub(super) fn trained_share(notes: &str) -> Option<f64> {
    let share = notes.split(';').find_map(|part| part.trim().strip_prefix("trained share "))?;
    let share: f64 = share.split_whitespace().next()?.parse().ok()?;
    (share > 0.0 && share <= 1.0).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_counts_the_samples_that_were_trained() {
        assert_eq!(trained_share("NGC 21.04; trained share 0.9 (the last batch is left out)"), Some(0.9));
        assert_eq!(trained_share("trained share 2"), None);
        assert_eq!(trained_share("DGX-1"), None);
    }
}
