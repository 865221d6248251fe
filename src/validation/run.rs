//! A measured run: what a source states about it, absent things kept absent.

use crate::catalog::Precision;
use crate::plan::{Recompute, Sharding};
use crate::units::BytesPerSecond;

/// How far a row is to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// Counts in error figures.
    Strong,
    /// A setting was inferred by whoever transcribed it.
    Assumed,
    /// Noisy, incomplete or suspect.
    Weak,
    /// From memory.
    Recalled,
}

impl Quality {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Assumed => "assumed",
            Self::Weak => "weak",
            Self::Recalled => "recalled",
        }
    }
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Seconds of one optimizer step.
    IterationTimeS,
    /// Tokens per second of all GPUs.
    TokensPerS,
    /// Tokens per second and GPU.
    TokensPerSPerGpu,
    /// Samples per second of all GPUs.
    SamplesPerS,
    /// Spectrogram frames per second.
    MelFramesPerS,
    /// Seconds of a whole training.
    TimeToTrainS,
    /// Seconds of a pass over the data.
    EpochTimeS,
    /// Days of a whole training.
    TotalDays,
    /// GPU-hours of a whole training.
    TotalGpuHours,
}

impl Metric {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IterationTimeS => "iteration_time_s",
            Self::TokensPerS => "tokens_per_s",
            Self::TokensPerSPerGpu => "tokens_per_s_per_gpu",
            Self::SamplesPerS => "samples_per_s",
            Self::MelFramesPerS => "mel_frames_per_s",
            Self::TimeToTrainS => "time_to_train_s",
            Self::EpochTimeS => "epoch_time_s",
            Self::TotalDays => "total_days",
            Self::TotalGpuHours => "total_gpu_hours",
        }
    }

    /// True for rates: the larger, the faster.
    pub const fn is_rate(self) -> bool {
        matches!(self, Self::TokensPerS | Self::TokensPerSPerGpu | Self::SamplesPerS | Self::MelFramesPerS)
    }
}

/// What a batch counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchUnit {
    /// Token sequences.
    Sequences,
    /// Images, volumes, sentences.
    Samples,
    /// Tokens.
    Tokens,
}

/// One measured run. `None` is "not stated".
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// File the row is from.
    pub file: String,
    /// One-based line.
    pub line: u64,
    /// Id.
    pub id: String,
    /// Source family, the unit of transfer tests.
    pub family: String,
    /// Source.
    pub source: String,
    /// GPU id of the catalog; empty when not stated.
    pub gpu: String,
    /// GPUs.
    pub gpus: Option<u32>,
    /// GPUs per node.
    pub gpus_per_node: Option<u32>,
    /// Network bandwidth per node.
    pub network: Option<BytesPerSecond>,
    /// Network class; `none` on one node.
    pub network_kind: Option<String>,
    /// Software; empty when not stated.
    pub stack: String,
    /// Model, as the source names it or a zoo id; empty when not stated.
    pub model: String,
    /// Parameters.
    pub parameters: Option<f64>,
    /// Layers.
    pub layers: Option<u32>,
    /// Hidden size.
    pub hidden: Option<u32>,
    /// Heads.
    pub heads: Option<u32>,
    /// Key-value heads.
    pub kv_heads: Option<u32>,
    /// MLP width.
    pub ffn: Option<u32>,
    /// Vocabulary.
    pub vocab: Option<u32>,
    /// Sequence length.
    pub sequence_length: Option<u32>,
    /// Input size as the source writes it.
    pub input_size: Option<String>,
    /// Precision.
    pub precision: Option<Precision>,
    /// Batch of an optimizer step.
    pub global_batch: Option<u64>,
    /// Batch of a forward pass of one data-parallel rank.
    pub micro_batch: Option<u64>,
    /// Forward passes per optimizer step.
    pub gradient_accumulation: Option<u32>,
    /// Tensor-parallel degree.
    pub tensor_parallel: Option<u32>,
    /// Pipeline stages.
    pub pipeline_parallel: Option<u32>,
    /// Virtual stages per GPU.
    pub virtual_stages: Option<u32>,
    /// Context-parallel degree.
    pub context_parallel: Option<u32>,
    /// Expert-parallel degree.
    pub expert_parallel: Option<u32>,
    /// Data-parallel degree.
    pub data_parallel: Option<u32>,
    /// Sharding.
    pub sharding: Option<Sharding>,
    /// Sharding inside a node, replication across.
    pub hybrid_sharding: bool,
    /// Sequence parallelism.
    pub sequence_parallel: Option<bool>,
    /// Recomputation.
    pub recompute: Option<Recompute>,
    /// FlashAttention.
    pub flash_attention: Option<bool>,
    /// Optimizer states in host memory.
    pub optimizer_offload: Option<bool>,
    /// Tuned reference, hand-optimised, typical user.
    pub recipe: Option<String>,
    /// Graph compiler.
    pub compiler: Option<String>,
    /// Real or synthetic input.
    pub input_data: Option<String>,
    /// What a batch counts.
    pub batch_unit: BatchUnit,
    /// What was measured.
    pub metric: Metric,
    /// The measured value, above zero.
    pub value: f64,
    /// How far it is to be believed.
    pub quality: Quality,
    /// Remarks.
    pub notes: String,
    /// Columns whose text is not one number (such as two phases in one row), with that text.
    pub compound: Vec<(&'static str, String)>,
}
