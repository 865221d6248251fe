//! The job on the command line.

use std::path::PathBuf;

use clap::Args;

/// Flags that describe the job. Each is also a key of the job file, with `_` for `-`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Job", allow_negative_numbers = true)]
pub struct WorkloadArgs {
    /// A model of the zoo (`catalog list models`) in any spelling, also as on a hub, or a file: a Hugging Face config.json, a .toml with one record of the
    /// catalog (catalog/FORMAT.md), a network exported as .onnx
    #[arg(long, value_name = "NAME|FILE")]
    pub model: Option<String>,
    /// A standard decoder of that many parameters, such as 7B, where the model is not known better
    #[arg(long, value_name = "COUNT", conflicts_with = "model")]
    pub params: Option<String>,
    /// A published schedule with its model, length and batch (`catalog list presets`), such as nnunet-3d-default; flags and job file
    /// win over it
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Train on that many tokens, such as 300B
    #[arg(long, value_name = "COUNT")]
    pub tokens: Option<String>,
    /// Train on that many samples (sequences or images), such as 10M
    #[arg(long, value_name = "COUNT")]
    pub samples: Option<String>,
    /// Train that many passes over --dataset (or over --samples)
    #[arg(long, value_name = "NUMBER")]
    pub epochs: Option<String>,
    /// A training set of the catalog (`catalog list datasets`): its samples, and their stored size
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// Train that many optimizer steps
    #[arg(long, value_name = "COUNT")]
    pub steps: Option<String>,
    /// Optimizer steps of an epoch, where it has a fixed number whatever the size of the set; needs --epochs and
    /// --global-batch
    #[arg(long, value_name = "COUNT")]
    pub steps_per_epoch: Option<String>,
    /// The job is one of that many alike and independent of each other, such as the folds of a cross-validation: times
    /// and the deadline are of one, costs and GPU-hours of all
    #[arg(long, value_name = "N")]
    pub folds: Option<String>,
    /// Tokens of one sequence [default: the model's, at most 4096; 2048 with --params; 512 for encoders]
    #[arg(long, value_name = "TOKENS")]
    pub sequence_length: Option<String>,
    /// Tokens of a target for each token of its source, such as 0.25, for encoder-decoders [default: the model's pre-training, 0.22
    /// of masked spans]
    #[arg(long, value_name = "SHARE")]
    pub target_share: Option<String>,
    /// Samples per optimizer step over all GPUs, such as 2048, or tokens per step, such as "4M tokens" [default: 0.5M
    /// to 4M tokens by model size for decoders, 128 sequences for adapters, 256 for encoders; for images 256 of 224 x 224 or as
    /// many pixels, 65,536 records for recommenders; a default is adapted to the number of GPUs]
    #[arg(long, value_name = "SAMPLES")]
    pub global_batch: Option<String>,
    /// Precision of the matrix products: fp32, tf32, fp16, bf16, fp8 [default: bf16 where the GPU has it, else fp16]
    #[arg(long, value_name = "NAME")]
    pub precision: Option<String>,
    /// What is trained: full (all parameters), lora (adapters beside frozen ones), qlora (the same over 4-bit weights)
    /// [default: full]
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Rank of the adapters of lora and qlora [default: 16]
    #[arg(long, value_name = "N")]
    pub lora_rank: Option<String>,
    /// Scale alpha of the adapters; it costs nothing [default: twice the rank]
    #[arg(long, value_name = "N")]
    pub lora_alpha: Option<String>,
    /// Products that get adapters: all, attention [default: all]
    #[arg(long, value_name = "NAME")]
    pub lora_targets: Option<String>,
    /// adamw, adamw-8bit, adamw-bf16, sgd-momentum, sgd-plain, lamb, lion, adafactor, adagrad [default: adamw; sgd-momentum
    /// for networks over images or volumes]
    #[arg(long, value_name = "NAME")]
    pub optimizer: Option<String>,
    /// Training software, such as pytorch, megatron, deepspeed, pytorch-ddp, tensorflow, mxnet [default: by kind of model]
    #[arg(long, value_name = "NAME")]
    pub framework: Option<String>,
    /// How well the training is tuned, for networks over samples: hand-optimised (as submitted to benchmarks),
    /// tuned-reference (as published by vendors), typical-user [default: tuned-reference]
    #[arg(long, value_name = "CLASS")]
    pub recipe: Option<String>,
    /// Graph compiler of networks over samples: xla [default: none]
    #[arg(long, value_name = "NAME")]
    pub compiler: Option<String>,
    /// Order of the axes of feature maps, for networks over samples: channels-last (NHWC), channels-first (NCHW, which
    /// costs matrix units passes over the maps; ordinary cores take either) [default: channels-last in 16 bits, channels-first
    /// in TF32; channels-first in all with --recipe typical-user]
    #[arg(long, value_name = "ORDER")]
    pub layout: Option<String>,
    /// Bandwidth of the storage that samples are read from, for the whole cluster, such as 2GB/s; needs --dataset
    #[arg(long, value_name = "BANDWIDTH")]
    pub storage: Option<String>,
    /// Virtual CPUs of a node that prepare the samples, in place of those that the instance type has
    #[arg(long, value_name = "N")]
    pub vcpus: Option<String>,
    /// Your own measurement of this job: "step=9.8s on CLUSTER", "tokens/s=41k on CLUSTER", "samples/s=20 on CLUSTER",
    /// "epoch=200s on CLUSTER", or "FILE.log on CLUSTER" with the log of the training run: what Megatron-LM, DeepSpeed, Composer, nnU-Net,
    /// Lightning, MMEngine or Detectron2 print, or trainer_state.json of the Hugging Face Trainer (README.md has a line of each).
    /// Predictions there and elsewhere are anchored to it
    #[arg(long, value_name = "TEXT")]
    pub measured: Option<String>,
    /// Read the job from a TOML file with these flags as keys; flags win over the file
    #[arg(long, value_name = "FILE")]
    pub job: Option<PathBuf>,
}

impl WorkloadArgs {
    /// True when any flag says what is trained, or how much of it.
    pub const fn describes_a_job(&self) -> bool {
        self.model.is_some()
            || self.params.is_some()
            || self.preset.is_some()
            || self.job.is_some()
            || self.tokens.is_some()
            || self.samples.is_some()
            || self.epochs.is_some()
            || self.dataset.is_some()
            || self.steps.is_some()
    }
}
