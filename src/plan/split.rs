//! The parallel plan of one job on one cluster, and the rules that make it valid.

use crate::catalog::Precision;

/// What the data-parallel group shards instead of replicating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sharding {
    /// Nothing.
    None,
    /// Optimizer states.
    Zero1,
    /// Optimizer states and gradients.
    Zero2,
    /// Optimizer states, gradients and weights.
    Zero3,
}

impl Sharding {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
        }
    }
}

/// What the backward pass computes again instead of keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Recompute {
    /// Nothing.
    None,
    /// The attention core.
    Selective,
    /// Every layer, from its input.
    Full,
}

impl Recompute {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Selective => "selective",
            Self::Full => "full",
        }
    }
}

/// A complete plan. Valid plans come from [`Plan::check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Plan {
    /// Tensor-parallel degree t.
    pub tensor_parallel: u32,
    /// Pipeline stages p.
    pub pipeline_parallel: u32,
    /// Virtual stages per GPU v (1 = plain 1F1B).
    pub virtual_stages: u32,
    /// Data-parallel degree d.
    pub data_parallel: u32,
    /// Sharding over the data-parallel group.
    pub sharding: Sharding,
    /// Sequence parallelism over the tensor-parallel group.
    pub sequence_parallel: bool,
    /// Recomputation.
    pub recompute: Recompute,
    /// Samples per forward pass of one data-parallel rank.
    pub micro_batch: u32,
    /// Forward passes per optimizer step and rank (micro-batches m).
    pub gradient_accumulation_steps: u32,
    /// FlashAttention kernels are used.
    pub flash_attention: bool,
    /// Precision of the matrix products.
    pub precision: Precision,
}

/// Why a plan cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Degrees do not multiply to the GPUs.
    #[error("tensor x pipeline x data parallel = {product}, but the cluster has {gpus} GPUs")]
    Degrees {
        /// Product of the degrees.
        product: u64,
        /// GPUs of the cluster.
        gpus: u32,
    },
    /// A number does not divide another.
    #[error("{what} {whole} is not divisible by {by} {divisor}")]
    Divisibility {
        /// What is divided.
        what: &'static str,
        /// Its size.
        whole: u64,
        /// By what.
        by: &'static str,
        /// The divisor.
        divisor: u64,
    },
    /// A combination that has no meaning.
    #[error("{0}")]
    Combination(&'static str),
}

impl Plan {
    /// Samples per optimizer step.
    pub const fn global_batch(&self) -> u64 {
        self.micro_batch as u64 * self.gradient_accumulation_steps as u64 * self.data_parallel as u64
    }

    /// GPUs of one model replica.
    pub const fn model_parallel(&self) -> u32 {
        self.tensor_parallel * self.pipeline_parallel
    }

    /// Checks the divisibility rules against a network of `layers`, `heads` and `kv_heads` (0 = no attention) on
    /// `gpus` GPUs.
    ///
    /// # Errors
    /// All violated rules.
    pub fn check(&self, layers: u32, heads: u32, gpus: u32) -> Result<(), Vec<PlanError>> {
        let mut errors = Vec::new();
        let product = u64::from(self.tensor_parallel)
            * u64::from(self.pipeline_parallel)
            * u64::from(self.data_parallel);
        if product != u64::from(gpus) {
            errors.push(PlanError::Degrees { product, gpus });
        }
        let mut divides = |what, whole: u32, by, divisor: u32| {
            if divisor == 0 || !whole.is_multiple_of(divisor) {
                errors.push(PlanError::Divisibility {
                    what,
                    whole: u64::from(whole),
                    by,
                    divisor: u64::from(divisor),
                });
            }
        };
        if self.tensor_parallel > 1 && heads > 0 {
            divides("attention heads", heads, "tensor parallel", self.tensor_parallel);
        }
        if self.pipeline_parallel > 1 {
            divides(
                "layers",
                layers,
                "pipeline stages x virtual stages",
                self.pipeline_parallel * self.virtual_stages,
            );
        }
        if self.virtual_stages > 1 {
            divides(
                "micro-batches",
                self.gradient_accumulation_steps,
                "pipeline stages (interleaved schedule)",
                self.pipeline_parallel,
            );
        }
        if self.virtual_stages > 1 && self.pipeline_parallel == 1 {
            errors.push(PlanError::Combination("virtual stages need a pipeline of two stages or more"));
        }
        if heads == 0 && (self.tensor_parallel > 1 || self.pipeline_parallel > 1) {
            errors.push(PlanError::Combination(
                "a convolutional network has no tensor or pipeline parallel plan here",
            ));
        }
        if self.pipeline_parallel > 1 && matches!(self.sharding, Sharding::Zero2 | Sharding::Zero3) {
            errors.push(PlanError::Combination("ZeRO-2 and ZeRO-3 do not combine with pipeline parallelism"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
