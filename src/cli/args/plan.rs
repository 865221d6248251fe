//! The parallel plan on the command line.

use clap::{Args, ValueEnum};

use crate::advisor::PlanConstraints;
use crate::plan::{Recompute, Sharding};

/// Flags that fix parts of the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Plan (what is not given is chosen)")]
pub struct PlanArgs {
    /// GPUs that share each layer
    #[arg(long, value_name = "N", value_parser = up_to(4096))]
    pub tensor_parallel: Option<u32>,
    /// Pipeline stages
    #[arg(long, value_name = "N", value_parser = up_to(4096))]
    pub pipeline_parallel: Option<u32>,
    /// Virtual stages per GPU of an interleaved pipeline; 1 is plain 1F1B
    #[arg(long, value_name = "N", value_parser = up_to(64))]
    pub virtual_stages: Option<u32>,
    /// GPUs that share one sequence
    #[arg(long, value_name = "N", value_parser = up_to(4096))]
    pub context_parallel: Option<u32>,
    /// GPUs of the data-parallel group over which the experts of a layer are spread
    #[arg(long, value_name = "N", value_parser = up_to(4096))]
    pub expert_parallel: Option<u32>,
    /// What the data-parallel group shards: nothing, optimizer states (zero1), also gradients (zero2), also weights
    /// (zero3, the same as FSDP full shard); shard-grad-op keeps gathered weights until the backward pass is done;
    /// hsdp shards inside a node and keeps copies across nodes
    #[arg(long, value_name = "LEVEL")]
    pub sharding: Option<ShardingName>,
    /// Shard norms and dropout over the tensor-parallel group; on when the flag stands alone
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on")]
    pub sequence_parallel: Option<Switch>,
    /// What the backward pass computes again: nothing, the attention core, or every layer
    #[arg(long, value_name = "LEVEL")]
    pub recompute: Option<RecomputeName>,
    /// Samples in one forward pass of one data-parallel rank
    #[arg(long, value_name = "N", value_parser = up_to(1_000_000))]
    pub micro_batch: Option<u32>,
    /// Keep optimizer states in host memory and update them there; chosen by the program only with --whole-space
    #[arg(long)]
    pub optimizer_offload: bool,
    /// FlashAttention kernels [default: on where the GPU and the software have them]
    #[arg(long, value_name = "on|off")]
    pub flash_attention: Option<Switch>,
    /// Search what is usually left alone too: precisions beside the usual one, optimizer states in host memory (which
    /// itself is not checked), short sequences split over GPUs
    #[arg(long)]
    pub whole_space: bool,
    /// Evaluate every plan instead of leaving out what cannot win: slower, the same answer
    #[arg(long)]
    pub exhaustive: bool,
}

fn up_to(most: i64) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=most)
}

impl PlanArgs {
    /// The parts that the user fixed.
    pub fn constraints(&self) -> PlanConstraints {
        PlanConstraints {
            tensor_parallel: self.tensor_parallel,
            pipeline_parallel: self.pipeline_parallel,
            virtual_stages: self.virtual_stages,
            context_parallel: self.context_parallel,
            expert_parallel: self.expert_parallel,
            optimizer_offload: self.optimizer_offload,
            whole_space: self.whole_space,
            precision_given: false,
            sharding: self.sharding.map(ShardingName::sharding),
            sequence_parallel: self.sequence_parallel.map(Switch::is_on),
            recompute: self.recompute.map(RecomputeName::recompute),
            micro_batch: self.micro_batch,
            flash_attention: self.flash_attention.map(Switch::is_on),
            exhaustive: self.exhaustive,
        }
    }
}

/// `on` or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// `on`
    On,
    /// `off`
    Off,
}

impl Switch {
    /// True for `on`.
    pub const fn is_on(self) -> bool {
        matches!(self, Self::On)
    }
}

/// Levels of `--sharding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShardingName {
    /// Nothing is sharded
    None,
    /// Optimizer states
    Zero1,
    /// Optimizer states and gradients
    Zero2,
    /// Optimizer states, gradients and weights
    Zero3,
    /// Optimizer states and gradients; weights while they are not used
    ShardGradOp,
    /// All of it inside a node, whole copies across nodes
    Hsdp,
}

impl ShardingName {
    /// The level itself.
    pub const fn sharding(self) -> Sharding {
        match self {
            Self::None => Sharding::None,
            Self::Zero1 => Sharding::Zero1,
            Self::Zero2 => Sharding::Zero2,
            Self::Zero3 => Sharding::Zero3,
            Self::ShardGradOp => Sharding::ShardGradOp,
            Self::Hsdp => Sharding::Hsdp,
        }
    }
}

/// Levels of `--recompute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RecomputeName {
    /// Nothing is computed again
    None,
    /// The attention core
    Selective,
    /// Every layer
    Full,
}

impl RecomputeName {
    /// The level itself.
    pub const fn recompute(self) -> Recompute {
        match self {
            Self::None => Recompute::None,
            Self::Selective => Recompute::Selective,
            Self::Full => Recompute::Full,
        }
    }
}
