//! How much a job trains, from tokens, samples, epochs or steps.

use super::job_file::GivenJob;
use super::job_model::Model;
use super::problems::{Given, Problems};
use crate::catalog::{Catalog, Dataset, NameKind, SampleKind};
use crate::units::parse::parse_count;
use crate::workload::JobLength;

const MOST_TOKENS: f64 = 1e18;
const MOST_SAMPLES: f64 = 1e15;
const MOST_EPOCHS: f64 = 1e6;
const MOST_STEPS: f64 = 1e11;

/// The training set that was named; `None` when none was, or after a problem.
pub fn dataset<'c>(given: &GivenJob, catalog: &'c Catalog, problems: &mut Problems) -> Option<&'c Dataset> {
    let name = given.get("dataset")?;
    let found = catalog.find_dataset(name.text.trim());
    if found.is_none() {
        let near = catalog.near_names(NameKind::Dataset, &name.text);
        let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
        let message = format!("unknown dataset {:?}{near}; `catalog list datasets` lists all", name.text);
        problems.value(name, message);
    }
    found
}

/// Datasets that an error lists.
const LISTED: usize = 16;

/// A training set whose samples the model takes; after a problem `None`, as without one.
pub fn suited_dataset<'c>(
    given: &GivenJob,
    model: Option<&Model>,
    catalog: &'c Catalog,
    problems: &mut Problems,
) -> Option<&'c Dataset> {
    let set = dataset(given, catalog, problems)?;
    let Some(model) = model.filter(|model| !model.takes(set)) else { return Some(set) };
    let name = given.get("dataset")?;
    let mut sets: Vec<&Dataset> = catalog.datasets.iter().filter(|d| model.takes(d)).collect();
    // Sets that are first of all what the model trains on come before those that may be read so.
    sets.sort_by_key(|d| d.samples.first() != Some(&model.samples()));
    let fits: Vec<&str> = sets.iter().map(|d| d.id.as_str()).collect();
    // Copies of a set in other formats follow it by its id.
    let copy =
        |id: &&str| !fits.iter().any(|other| id.strip_prefix(other).is_some_and(|r| r.starts_with('-')));
    let own: Vec<&str> = fits.iter().copied().filter(copy).collect();
    let more = if own.len() > LISTED { ", ..." } else { "" };
    let listed = |names: Vec<&str>| names.join(" and ");
    let model_name = model.name();
    let why = if let Some(task) = model.task().filter(|_| model.takes_samples(set)) {
        let offered = listed(set.tasks.iter().map(|task| task.name()).collect());
        format!("{} is a set for {offered}, and {model_name} is trained for {}", set.id, task.name())
    } else {
        let offered = listed(set.samples.iter().map(|kind| kind.name()).collect());
        format!("{} holds {offered}, and {model_name} trains on {}", set.id, model.samples().name())
    };
    let which = if own.is_empty() {
        "no set of the catalog fits".to_owned()
    } else {
        format!("datasets that fit: {}{more}", own[..own.len().min(LISTED)].join(", "))
    };
    problems.value(name, format!("{why}; {which}; or give --samples"));
    None
}

/// A count within bounds.
fn bounded(given: &Given, most: f64, what: &str, problems: &mut Problems) -> Option<f64> {
    let value = problems.read(given, parse_count)?;
    if value > most {
        problems
            .value(given, format!("{} {what} are not believed; at most {most:e} are accepted", given.text));
        return None;
    }
    if value < 1.0 && what != "epochs" {
        problems.value(given, format!("{} {what} are less than one; at least 1 is accepted", given.text));
        return None;
    }
    Some(value)
}

/// The length of the job; `None` after a problem. `tokenless` is what a sample is where it has no tokens of its own.
pub fn length(
    given: &GivenJob,
    tokenless: Option<SampleKind>,
    set: Option<&Dataset>,
    problems: &mut Problems,
) -> Option<JobLength> {
    let tokens = given.get("tokens");
    let samples = given.get("samples");
    let epochs = given.get("epochs");
    let steps = given.get("steps");
    let several = [tokens, samples.or(epochs), steps].into_iter().flatten().nth(1);
    if let Some(second) = several {
        problems.value(second, "only one of tokens, samples, epochs and steps can say how long the job is");
        return None;
    }
    if let Some(tokens) = tokens {
        if let Some(samples) = tokenless {
            let why = samples.without_tokens();
            problems.value(tokens, format!("{why}; give samples, steps, or epochs over a dataset"));
            return None;
        }
        return bounded(tokens, MOST_TOKENS, "tokens", problems).map(JobLength::Tokens);
    }
    if let Some(steps) = steps {
        return bounded(steps, MOST_STEPS, "steps", problems).map(JobLength::Steps);
    }
    if let (Some(passes), Some(steps), None) = (epochs, given.get("steps_per_epoch"), samples) {
        return fixed_epochs(given, passes, steps, problems);
    }
    let stated = samples.map(|s| bounded(s, MOST_SAMPLES, "samples", problems));
    let Some(epochs) = epochs else {
        if let Some(samples) = stated {
            return samples.map(JobLength::Samples);
        }
        // A file that tried to say it has its own finding.
        if ["tokens", "samples", "epochs", "steps"].iter().any(|key| given.is_unread(key)) {
            return None;
        }
        problems.usage(
            "no length: add --tokens 300B, --samples 10M, --epochs 90 --dataset NAME, or --steps 100k",
        );
        return None;
    };
    let passes = bounded(epochs, MOST_EPOCHS, "epochs", problems);
    let samples = match (stated, set) {
        (Some(samples), _) => samples,
        (None, Some(set)) => {
            if set.samples_train.is_none() {
                problems.value(epochs, format!("the size of dataset {} is not known; add samples", set.id));
            }
            set.samples_train.map(|samples| samples as f64)
        }
        (None, None) if given.get("dataset").is_some() => None,
        (None, None) => {
            problems
                .value(epochs, "passes over what? add --dataset NAME, or --samples with the size of the set");
            None
        }
    };
    Some(JobLength::Epochs { samples: samples?, epochs: passes? })
}

/// Epochs of a fixed number of steps: each sees that many batches, whatever the size of the set.
fn fixed_epochs(
    given: &GivenJob,
    epochs: &Given,
    steps: &Given,
    problems: &mut Problems,
) -> Option<JobLength> {
    let Some(batch) = given.get("global_batch") else {
        problems.value(steps, "steps of how many samples? add --global-batch");
        return None;
    };
    let passes = bounded(epochs, MOST_EPOCHS, "epochs", problems);
    let steps = bounded(steps, MOST_STEPS, "steps", problems);
    // A batch that cannot be read is told where the batch is.
    let batch = parse_count(&batch.text).ok()?;
    Some(JobLength::Epochs { samples: steps? * batch, epochs: passes? })
}
