//! The whole job: a workload, how much of it, and the recipe.

use super::{Adapters, Workload};
use crate::catalog::{OptimizerSpec, Precision};

/// How much is to be trained.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobLength {
    /// Tokens of a language model.
    Tokens(f64),
    /// Samples (sequences or images), seen once each.
    Samples(f64),
    /// Passes over a set; the last batch of each epoch is partial.
    Epochs {
        /// Samples of the set.
        samples: f64,
        /// Passes.
        epochs: f64,
    },
    /// Optimizer steps.
    Steps(f64),
}

impl JobLength {
    /// Optimizer steps at a global batch (in samples) and a number of rows per sample.
    ///
    /// ```
    /// use gpu_advisor::workload::JobLength;
    /// // 1000 samples at 4 x 8 x 8 = 256 per step are 4 steps an epoch.
    /// assert_eq!(JobLength::Epochs { samples: 1000.0, epochs: 3.0 }.steps(256.0, 1.0), 12.0);
    /// ```
    pub fn steps(self, global_batch: f64, rows_per_sample: f64) -> f64 {
        match self {
            Self::Tokens(tokens) => (tokens / (global_batch * rows_per_sample)).ceil(),
            Self::Samples(samples) => (samples / global_batch).ceil(),
            Self::Epochs { samples, epochs } => ((samples / global_batch).ceil() * epochs).ceil(),
            Self::Steps(steps) => steps.ceil(),
        }
        .max(1.0)
    }
}

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// All parameters.
    Full,
    /// Adapters beside frozen parameters.
    Lora(Adapters),
    /// Adapters beside parameters frozen in 4 bits.
    Qlora(Adapters),
}

impl Method {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Lora(_) => "lora",
            Self::Qlora(_) => "qlora",
        }
    }
}

/// A job as understood, before a cluster is chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Operators.
    pub workload: Workload,
    /// How much.
    pub length: JobLength,
    /// Samples per optimizer step.
    pub global_batch: f64,
    /// Precision asked for; `None` lets each GPU take its best of bf16, then fp16.
    pub precision: Option<Precision>,
    /// What is trained.
    pub method: Method,
    /// Optimizer.
    pub optimizer: OptimizerSpec,
    /// Software stack id, a file of `calibration/software`.
    pub stack: String,
    /// Recipe class of networks over samples, where the user names one: how well tuned the training is.
    pub recipe: Option<String>,
    /// Graph compiler of networks over samples, where the user names one.
    pub compiler: Option<String>,
    /// Order of the axes of feature maps, where the user names one.
    pub layout: Option<String>,
    /// Samples per evaluation pass and so on are not part of a step; stated here when known.
    pub evaluation_samples: Option<f64>,
    /// Stored bytes of one sample, when input from storage matters.
    pub bytes_per_sample: Option<f64>,
    /// Host seconds on one vCPU that decoding and augmenting one sample takes, when known.
    pub preparation_per_sample: Option<f64>,
    /// Jobs like this one, independent of each other: the folds of a cross-validation; 1 for a single one.
    pub folds: u32,
    /// Every input that was not given by the user, as `name = value`.
    pub assumed: Vec<Assumption>,
}

/// An input the program chose.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Assumption {
    /// The input.
    pub name: String,
    /// What was taken.
    pub value: String,
    /// Why.
    pub reason: String,
}
