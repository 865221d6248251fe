//! The batch of a step: as given, or what is usual for such a model.

use super::job::Inputs;
use super::job_model::Model;
use super::problems::Given;
use crate::profile::UsualBatch;
use crate::units::parse::parse_count;
use crate::units::text;
use crate::workload::{Method, Workload, WorkloadKind};

const LARGEST_BATCH: f64 = 1e8;

/// Tokens per optimizer step of a decoder, by parameters below which they hold; rounded from the batch sizes in
/// table 2.1 of the GPT-3 paper (Brown et al. 2020).
const DECODER_BATCH_TOKENS: [(f64, f64); 4] = [(1.5e9, 0.5e6), (5e9, 1e6), (20e9, 2e6), (f64::INFINITY, 4e6)];

/// Samples per step of a network whose samples have so many pixels or voxels: images of 224 x 224 are usually trained 256 a
/// step, detectors at 800 x 1333 16, volumes a few; the power of two nearest to the same number of places, at most as many as `small` ones.
fn usual_images(places: f64, small: f64) -> f64 {
    (small * 224.0 * 224.0 / places).log2().round().exp2().clamp(2.0, small)
}

impl Inputs<'_, '_> {
    /// Samples per step, as given or as usual.
    pub(super) fn global_batch(
        &mut self,
        workload: Option<&Workload>,
        model: Option<&Model>,
        method: Option<Method>,
        usual: &UsualBatch,
    ) -> Option<f64> {
        if let Some(given) = self.given.get("global_batch") {
            return self.given_batch(given, workload);
        }
        let workload = workload?;
        if workload.kind != WorkloadKind::Decoder {
            let places = model.and_then(Model::places);
            let alone = model.is_some_and(Model::is_of_single_records);
            let other = if alone { usual.records } else { usual.samples };
            let batch = places.map_or(other, |places| usual_images(places, usual.samples));
            let picture = workload.samples.is_picture();
            let reason = match places {
                None if alone => "records per step, as published references of recommenders train",
                Some(_) if picture => "as many pixels or voxels a step as 256 images of 224 x 224, as usual",
                _ if workload.kind == WorkloadKind::Vision => "images per step, a usual size",
                _ if workload.kind == WorkloadKind::Convolutional => "samples per step, a usual size",
                _ => "sequences per step, a usual size",
            };
            self.assume("global_batch", batch.to_string(), reason);
            return Some(batch);
        }
        if matches!(method, Some(Method::Lora(_) | Method::Qlora(_))) {
            let reason = "sequences per step, usual for adapters (the Alpaca recipe)";
            self.assume("global_batch", format!("{} sequences", usual.adapters), reason);
            return Some(usual.adapters);
        }
        let found = DECODER_BATCH_TOKENS.iter().find(|(below, _)| workload.parameters < *below);
        let tokens = found.map_or(DECODER_BATCH_TOKENS[0].1, |(_, tokens)| *tokens);
        let sequence = f64::from(workload.rows_per_sample);
        let batch = (tokens / sequence).log2().round().max(0.0).exp2();
        let shown = format!("{batch} sequences ({} tokens)", text::count(batch * sequence));
        self.assume("global_batch", shown, "usual for this size (Brown et al. 2020, table 2.1, rounded)");
        Some(batch)
    }

    /// A batch in samples, or in tokens where it says so.
    fn given_batch(&mut self, given: &Given, workload: Option<&Workload>) -> Option<f64> {
        let Some(tokens) = given.text.trim().strip_suffix("tokens") else {
            return self.count("global_batch", 1.0..=LARGEST_BATCH, "samples per step");
        };
        let tokens = self.problems.read(given, |_| parse_count(tokens.trim()))?;
        let workload = workload?;
        if workload.kind.is_image() {
            let why = workload.samples.without_tokens();
            self.problems.value(given, format!("{why}; give the samples per step"));
            return None;
        }
        let batch = (tokens / f64::from(workload.rows_per_sample)).round();
        if !(1.0..=LARGEST_BATCH).contains(&batch) {
            let sequence = workload.rows_per_sample;
            self.problems
                .value(given, format!("is {batch} sequences of {sequence} tokens; 1 to {LARGEST_BATCH} fit"));
            return None;
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_batch_of_a_network_holds_as_many_pixels_as_256_small_images() {
        assert_eq!(usual_images(32.0 * 32.0, 256.0), 256.0);
        assert_eq!(usual_images(224.0 * 224.0, 256.0), 256.0);
        assert_eq!(usual_images(640.0 * 640.0, 256.0), 32.0);
        assert_eq!(usual_images(800.0 * 1333.0, 256.0), 16.0);
        assert_eq!(usual_images(128.0 * 128.0 * 128.0, 256.0), 8.0);
        assert_eq!(usual_images(512.0 * 512.0 * 512.0, 256.0), 2.0);
    }
}
