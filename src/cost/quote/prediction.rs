//! What the job of a quote is predicted to take.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::Basis;

/// Three quantiles of a time or an amount.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantiles<T> {
    /// One in ten is below.
    pub p10: T,
    /// The median.
    pub p50: T,
    /// Nine in ten are below.
    pub p90: T,
}

impl<T: Copy> Quantiles<T> {
    /// The value that a quote of this basis compares: P90 with contingency, else the median.
    pub const fn at(&self, basis: Basis) -> T {
        match basis {
            Basis::P90 => self.p90,
            Basis::P50 | Basis::Stated => self.p50,
        }
    }
}

/// Adapters beside frozen weights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterNote {
    /// `lora` or `qlora`.
    pub method: String,
    /// Rank of the adapters.
    pub rank: u32,
    /// Which products have one: `all` or `attention`.
    pub targets: String,
}

/// What the job is predicted to take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Name of the model.
    pub model: String,
    /// Its parameters.
    pub parameters: f64,
    /// Length of the job, in units of `length_unit`.
    pub length: f64,
    /// `tokens`, `samples`, `epochs` or `steps`.
    pub length_unit: String,
    /// Jobs like it, independent of each other, one after the other on the cluster: time is of one, amounts and
    /// GPU-hours are of all; absent for a single one. With a schedule the time is of all, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Samples of one step over all GPUs.
    pub global_batch: f64,
    /// Tokens of one sequence, where samples are sequences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence_length: Option<u32>,
    /// Adapters, unless the whole model is trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapters: Option<AdapterNote>,
    /// Precision of the matrix products.
    pub precision: String,
    /// The training software.
    pub software: String,
    /// The cluster as named.
    pub cluster: String,
    /// Its nodes.
    pub nodes: u32,
    /// GPUs of each.
    pub gpus_per_node: u32,
    /// The GPU.
    pub gpu: String,
    /// The plan, in the terms of the field.
    pub plan: String,
    /// Seconds of one step.
    pub step_time_s: f64,
    /// Steps of the job.
    pub steps: f64,
    /// Seconds of the job.
    pub total_time_s: Quantiles<f64>,
    /// Net amount of compute for these times.
    pub compute: Option<Quantiles<Decimal>>,
    /// GPU-hours of the median.
    pub gpu_hours: f64,
    /// Evidence: A, B, C or D; shown in words.
    pub grade: String,
    /// Where the number of nodes follows the clock; nodes, plan and step are then those of the largest size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleNote>,
}

/// A number of nodes that follows the clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleNote {
    /// As it is written.
    pub text: String,
    /// When the job starts.
    pub start: String,
    /// Nodes that are subscribed.
    pub baseline_nodes: u32,
    /// Times the number of nodes changes.
    pub changes: u32,
    /// Seconds that a change costs.
    pub change_s: f64,
    /// Each number of nodes, ascending.
    pub sizes: Vec<ScheduleSize>,
}

/// One number of nodes of a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduleSize {
    /// Nodes.
    pub nodes: u32,
    /// Seconds of a step.
    pub step_time_s: f64,
    /// The plan, in the terms of the field.
    pub plan: String,
}
