//! Published training schedules by name.

use super::Provenance;
use crate::units::Seconds;

/// Keys of a job that a preset may hold.
pub const PRESET_KEYS: [&str; 12] = [
    "model",
    "dataset",
    "samples",
    "epochs",
    "steps",
    "steps_per_epoch",
    "global_batch",
    "sequence_length",
    "precision",
    "optimizer",
    "recipe",
    "folds",
];

/// A published schedule: a job file of which only the text is known here.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Id on the command line.
    pub id: String,
    /// Name for people, with what it does.
    pub name: String,
    /// The same in Chinese, where it is known.
    pub name_zh: Option<String>,
    /// Keys of a job and their text, in the order of [`PRESET_KEYS`].
    pub job: Vec<(&'static str, String)>,
    /// Time that one virtual CPU needs to decode and augment a sample, where it is known without the set.
    pub preparation_cpu: Option<Seconds>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}
