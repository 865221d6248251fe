//! A job from what was given, with every default recorded as an assumption.

use super::args::WorkloadArgs;
use super::error::CliError;
use super::job_file::{GivenJob, given_job, near_clause};
use super::job_length::{length, suited_dataset};
use super::job_model::{Model, model};
use super::problems::{Given, Problems};
use super::software::{self, Software};
use crate::advisor::PlanConstraints;
use crate::advisor::support::suit_stack;
use crate::catalog::{Catalog, Precision, Preset};
use crate::profile::Profiles;
use crate::units::parse::{parse_count, parse_quantity};
use crate::units::{Bytes, BytesPerSecond, Seconds};
use crate::workload::job::Assumption;
use crate::workload::{Job, Method, Workload, WorkloadKind};

const LONGEST_SEQUENCE: f64 = 16_777_216.0;
const MOST_VCPUS: f64 = 4096.0;
const MOST_FOLDS: f64 = 1000.0;

/// Sequence of a decoder where the user gives none: at most this, and at most the model's own.
const DECODER_SEQUENCE: u32 = 4096;
/// Sequence of a decoder of which only the size is known.
const STANDARD_SEQUENCE: u32 = 2048;
/// Sequence of an encoder.
const ENCODER_SEQUENCE: u32 = 512;

/// A job with the inputs that belong to its cluster.
#[derive(Debug, Clone)]
pub struct ResolvedJob {
    /// The job.
    pub job: Job,
    /// Bandwidth of its storage.
    pub storage: Option<BytesPerSecond>,
    /// Virtual CPUs of a node, where the instance type does not state them.
    pub vcpus: Option<u32>,
    /// Other software that the name given for it may mean.
    pub also_named: Vec<String>,
}

impl ResolvedJob {
    /// The same job with software that offers what the fixed parts of the plan need, where nobody named one alone.
    #[must_use]
    pub fn suited(mut self, constraints: &PlanConstraints, profiles: &Profiles) -> Self {
        software::suit(&mut self.job, &self.also_named, constraints, profiles);
        suit_stack(&mut self.job, constraints, profiles);
        self
    }
}

/// Target tokens for each source token that are believed: a word for a page to four times as long.
const TARGET_SHARES: std::ops::RangeInclusive<f64> = 0.001..=4.0;

/// Target tokens for each source token, where they are stated.
fn target_share(given: &GivenJob, model: Option<&mut Model>, problems: &mut Problems) {
    let Some(given) = given.get("target_share") else { return };
    let Some(share) = problems.read(given, parse_count) else { return };
    if !TARGET_SHARES.contains(&share) {
        let (least, most) = (TARGET_SHARES.start(), TARGET_SHARES.end());
        problems.value(given, format!("{} is not believed; {least} to {most} are accepted", given.text));
    } else if model.is_some_and(|model| !model.set_target_share(share)) {
        problems.value(given, "is of encoder-decoders, which this model is not; leave it out");
    }
}

/// Resolves the job; `None` after a problem, of which `problems` then has all.
///
/// # Errors
/// Failures that are not about the input.
pub fn resolve(
    args: &WorkloadArgs,
    catalog: &Catalog,
    profiles: &Profiles,
    problems: &mut Problems,
) -> Result<Option<ResolvedJob>, CliError> {
    let given = given_job(args, catalog, problems)?;
    let mut model = model(&given, catalog, problems)?;
    target_share(&given, model.as_mut(), problems);
    let set = suited_dataset(&given, model.as_ref(), catalog, problems);
    let kind = model.as_ref().map(Model::kind);
    let tokenless = model.as_ref().filter(|m| m.kind().is_image()).map(Model::samples);
    let length = length(&given, tokenless, set, problems);
    let mut inputs = Inputs { given: &given, assumed: Vec::new(), problems };
    let precision = inputs.precision();
    let method = inputs.method();
    inputs.check_adapters(method, kind);
    let optimizer = inputs.optimizer(model.as_ref(), catalog);
    let stack = inputs.stack(kind, method, (catalog, profiles));
    if let (Some(model), Some(stack)) = (model.as_mut(), &stack) {
        model.built_by(&stack.id, precision, catalog);
    }
    let [recipe, compiler, layout] = inputs.way(kind, profiles);
    let storage = inputs.storage();
    let folds = inputs.count("folds", 1.0..=MOST_FOLDS, "jobs").map_or(1, |n| n as u32);
    let preparation = inputs.preset(model.as_ref(), catalog);
    let vcpus = inputs.count("vcpus", 1.0..=MOST_VCPUS, "virtual CPUs").map(|v| v as u32);
    let workload = match &model {
        Some(model) => inputs.workload(model),
        None => None,
    };
    let batch = inputs.global_batch(workload.as_ref(), model.as_ref(), method, &profiles.defaults.batch);
    let workload = workload.zip(method).map(|(workload, method)| inputs.trained(workload, method));
    let (Some(model), Some(workload), Some(length), Some(global_batch)) = (model, workload, length, batch)
    else {
        return Ok(None);
    };
    let (Some(method), Some(optimizer), Some(stack)) = (method, optimizer, stack) else { return Ok(None) };
    let mut assumed = model.assumed;
    assumed.append(&mut inputs.assumed);
    let shape = model.details.to_owned();
    let notes = workload.assumptions.iter();
    assumed.extend(notes.map(|note| Assumption {
        name: "model_details".to_owned(),
        value: note.clone(),
        reason: shape.clone(),
    }));
    let bytes_per_sample = set.and_then(|s| s.bytes_per_sample).map(Bytes::get);
    if let (Some(given), None) = (given.get("storage"), bytes_per_sample) {
        problems.value(given, "needs the stored size of a sample; add --dataset with a set that states it");
        return Ok(None);
    }
    Ok(Some(ResolvedJob {
        job: Job {
            workload,
            length,
            global_batch,
            precision,
            method,
            optimizer,
            stack: stack.id,
            evaluation_samples: set.and_then(|s| s.samples_validation).map(|s| s as f64),
            bytes_per_sample,
            preparation_per_sample: set.and_then(|s| s.preparation_cpu).or(preparation).map(Seconds::get),
            folds,
            recipe,
            compiler,
            layout,
            assumed,
        },
        storage,
        vcpus,
        also_named: stack.others,
    }))
}

/// The inputs beside model and length.
pub(super) struct Inputs<'g, 'p> {
    pub given: &'g GivenJob,
    pub assumed: Vec<Assumption>,
    pub problems: &'p mut Problems,
}

impl Inputs<'_, '_> {
    pub(super) fn assume(&mut self, name: &str, value: impl Into<String>, reason: impl Into<String>) {
        self.assumed.push(Assumption { name: name.to_owned(), value: value.into(), reason: reason.into() });
    }

    /// What a preset sets is recorded with its source. Returns the time that preparing a sample takes.
    fn preset(&mut self, model: Option<&Model>, catalog: &Catalog) -> Option<Seconds> {
        self.recall_schedule(model, catalog);
        let found = self.given.get("preset").and_then(|given| catalog.find_preset(given.text.trim()));
        let preset = found?;
        self.assume("preset", preset.name.clone(), preset.provenance.source.clone());
        if let Some(notes) = &preset.notes {
            self.assume("preset", notes.clone(), "remark of the schedule");
        }
        preset.preparation_cpu
    }

    /// Epochs of a network whose published ones have a fixed number of steps mean something else than passes over a set.
    fn recall_schedule(&mut self, model: Option<&Model>, catalog: &Catalog) {
        let passes = self.given.get("epochs").is_some() && self.given.get("steps_per_epoch").is_none();
        let Some(model) = model.filter(|_| passes && self.given.get("preset").is_none()) else { return };
        let value = |preset: &Preset, key: &str| {
            preset.job.iter().find(|(own, _)| *own == key).map(|(_, text)| text.clone())
        };
        let found = catalog
            .presets
            .iter()
            .filter(|p| value(p, "model").is_some_and(|m| m == model.name()))
            .find_map(|p| Some((p.id.clone(), value(p, "steps_per_epoch")?)));
        if let Some((id, steps)) = found {
            self.assume(
                "epochs",
                "passes over the set",
                format!("an epoch of its published schedule has {steps} steps: --preset {id}"),
            );
        }
    }

    /// One of several names.
    pub(super) fn name<T: Copy>(&mut self, key: &str, all: &[(&'static str, T)]) -> Option<T> {
        let given = self.given.get(key)?;
        let found = all.iter().find(|(name, _)| name.eq_ignore_ascii_case(given.text.trim()));
        if found.is_none() {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let near = near_clause(&given.text, names.iter().copied());
            self.problems.value(given, unknown(given, key, &near, &names));
        }
        found.map(|&(_, value)| value)
    }

    pub(super) fn count(
        &mut self,
        key: &str,
        range: std::ops::RangeInclusive<f64>,
        what: &str,
    ) -> Option<f64> {
        let given = self.given.get(key)?;
        let value = self.problems.read(given, parse_count)?;
        if !range.contains(&value) || value.fract() != 0.0 {
            let (low, high) = (range.start(), range.end());
            let message = format!("{} {what}; whole numbers from {low} to {high} are accepted", given.text);
            self.problems.value(given, message);
            return None;
        }
        Some(value)
    }

    fn precision(&mut self) -> Option<Precision> {
        self.name("precision", &Precision::ALL.map(|p| (p.name(), p)))
    }

    fn stack(
        &mut self,
        kind: Option<WorkloadKind>,
        method: Option<Method>,
        (catalog, profiles): (&Catalog, &Profiles),
    ) -> Option<Software> {
        let usual = kind.map(|kind| software::usual(kind, method, profiles));
        if let Some(given) = self.given.get("framework") {
            let usual = usual.map(|(id, _)| id);
            return match software::named(&given.text, usual, catalog, profiles) {
                Ok(named) => {
                    self.assumed.extend(named.assumed());
                    Some(named)
                }
                Err(message) => {
                    self.problems.value(given, message);
                    None
                }
            };
        }
        let (id, kind) = usual?;
        self.assume("framework", id, format!("the default for {kind}"));
        Some(Software { id: id.to_owned(), others: Vec::new() })
    }

    fn storage(&mut self) -> Option<BytesPerSecond> {
        let given = self.given.get("storage")?;
        let rate = self.problems.read(given, parse_quantity::<BytesPerSecond>)?;
        if rate.get() <= 0.0 {
            self.problems.value(given, "a storage without bandwidth feeds nothing; more than 0 is accepted");
            return None;
        }
        Some(rate)
    }

    fn workload(&mut self, model: &Model) -> Option<Workload> {
        let sequence = self.sequence(model)?;
        match model.workload(sequence) {
            Ok(workload) => Some(workload),
            Err(error) => {
                self.problems.usage(error.to_string());
                None
            }
        }
    }

    fn sequence(&mut self, model: &Model) -> Option<u32> {
        let given = self.given.get("sequence_length");
        let Some(longest) = model.max_sequence() else {
            if let Some(given) = given {
                self.problems.value(given, format!("{}; leave it out", model.samples().without_length()));
            }
            return Some(1);
        };
        if model.kind() == WorkloadKind::Vision {
            if let Some(given) = given {
                let tokens = format!("this model has {longest} patches with its class token; leave it out");
                self.problems.value(given, tokens);
            }
            return Some(longest);
        }
        if given.is_some() {
            let stated = self.count("sequence_length", 1.0..=LONGEST_SEQUENCE, "tokens").map(|n| n as u32);
            if let Some(n) = stated.filter(|&n| n > longest && !model.is_standard) {
                let why = format!("the sequence of {n} is longer than what this model was built for");
                self.assume("longest_sequence", longest.to_string(), why);
            }
            return stated;
        }
        let (limit, reason) = match model.kind() {
            WorkloadKind::Encoder | WorkloadKind::EncoderDecoder => (ENCODER_SEQUENCE, "usual for encoders"),
            _ if model.is_standard => (STANDARD_SEQUENCE, "usual where only the size is known"),
            _ => (DECODER_SEQUENCE, "the model's longest, at most 4096"),
        };
        let sequence = limit.min(longest).max(1);
        self.assume("sequence_length", sequence.to_string(), reason);
        Some(sequence)
    }
}

pub(super) fn unknown(given: &Given, what: &str, near: &str, names: &[&str]) -> String {
    format!("unknown {what} {:?}{near}; accepted are {}", given.text, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::embedded_facts;
    use crate::workload::JobLength;

    fn resolved(args: &WorkloadArgs) -> Result<ResolvedJob, String> {
        let (catalog, profiles) = embedded_facts();
        let mut problems = Problems::default();
        let job = resolve(args, &catalog, &profiles, &mut problems).map_err(|e| e.text())?;
        problems.check().map_err(|e| e.text())?;
        job.ok_or_else(|| "nothing".to_owned())
    }

    fn args(model: Option<&str>, params: Option<&str>) -> WorkloadArgs {
        let owned = |t: Option<&str>| t.map(str::to_owned);
        WorkloadArgs {
            model: owned(model),
            params: owned(params),
            steps: Some("10".to_owned()),
            ..WorkloadArgs::default()
        }
    }

    #[test]
    fn the_default_batch_is_the_power_of_two_nearest_to_the_tokens_of_the_size() {
        // 0.5M, 1M, 2M and 4M tokens over sequences of 2048: 244, 488, 977 and 1953.
        for (size, batch) in [("125M", 256.0), ("3B", 512.0), ("7B", 1024.0), ("175B", 2048.0)] {
            let job = resolved(&args(None, Some(size))).unwrap().job;
            assert_eq!((job.global_batch, job.workload.rows_per_sample), (batch, 2048), "{size}");
        }
    }

    #[test]
    fn adapters_are_trained_with_the_batch_of_fine_tuning_and_not_of_pre_training() {
        let given = WorkloadArgs { method: Some("lora".to_owned()), ..args(None, Some("7B")) };
        assert_eq!(resolved(&given).unwrap().job.global_batch, 128.0);
        let stated = WorkloadArgs { global_batch: Some("64".to_owned()), ..given };
        assert_eq!(resolved(&stated).unwrap().job.global_batch, 64.0);
    }

    #[test]
    fn every_default_is_recorded_with_its_reason() {
        let job = resolved(&args(Some("bert-large-uncased"), None)).unwrap().job;
        let names: Vec<&str> = job.assumed.iter().map(|a| a.name.as_str()).collect();
        for name in ["optimizer", "framework", "sequence_length", "global_batch"] {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
        assert!(job.assumed.iter().all(|a| !a.value.is_empty() && !a.reason.is_empty()));
        assert_eq!((job.workload.rows_per_sample, job.global_batch), (512, 256.0));
    }

    #[test]
    fn a_sequence_is_at_most_what_the_model_was_built_for() {
        assert_eq!(resolved(&args(Some("gpt3-175b"), None)).unwrap().job.workload.rows_per_sample, 2048);
        assert_eq!(resolved(&args(Some("llama2-7b"), None)).unwrap().job.workload.rows_per_sample, 4096);
    }

    #[test]
    fn a_batch_may_be_given_in_tokens() {
        let batch = Some("4M tokens".to_owned());
        let given = WorkloadArgs { global_batch: batch, ..args(None, Some("7B")) };
        // 4,000,000 / 2048 = 1953.
        assert_eq!(resolved(&given).unwrap().job.global_batch, 1953.0);
        let images = WorkloadArgs { model: Some("resnet-50".to_owned()), params: None, ..given };
        assert!(resolved(&images).unwrap_err().contains("images have no tokens"));
    }

    #[test]
    fn a_dataset_gives_samples_and_their_stored_size() {
        let given = WorkloadArgs {
            epochs: Some("90".to_owned()),
            dataset: Some("imagenet-1k".to_owned()),
            steps: None,
            storage: Some("2GB/s".to_owned()),
            ..args(Some("resnet-50"), None)
        };
        let resolved_job = resolved(&given).unwrap();
        let job = &resolved_job.job;
        assert_eq!(job.length, JobLength::Epochs { samples: 1_281_167.0, epochs: 90.0 });
        assert_eq!(job.bytes_per_sample, Some(114_660.0));
        assert_eq!(job.optimizer.id, "sgd-momentum");
        assert_eq!(resolved_job.storage, Some(BytesPerSecond::from_gb(2.0)));
        let without = WorkloadArgs { dataset: None, samples: Some("1M".to_owned()), ..given };
        assert!(resolved(&without).unwrap_err().contains("--storage: needs the stored size"));
    }
}
