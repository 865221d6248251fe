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
    /// Optimizer states and gradients; weights are gathered for the forward pass and dropped after the backward one
    /// (FSDP's shard-grad-op).
    #[serde(rename = "shard-grad-op")]
    ShardGradOp,
    /// All of it inside a node; whole copies across nodes (FSDP's hybrid shard).
    Hsdp,
}

impl Sharding {
    /// All levels.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Zero1, Self::Zero2, Self::Zero3, Self::ShardGradOp, Self::Hsdp];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
            Self::ShardGradOp => "shard-grad-op",
            Self::Hsdp => "hsdp",
        }
    }

    /// Weights are stored in shards and gathered layer by layer.
    pub const fn gathers_weights(self) -> bool {
        matches!(self, Self::Zero3 | Self::Hsdp | Self::ShardGradOp)
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
    /// Context-parallel degree c: GPUs that share one sequence.
    pub context_parallel: u32,
    /// Expert-parallel degree: GPUs of the data- and context-parallel group that share the experts.
    pub expert_parallel: u32,
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
    /// Optimizer states lie in host memory and are updated there.
    pub optimizer_offload: bool,
    /// Precision of the matrix products.
    pub precision: Precision,
}

/// Why a plan cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Degrees do not multiply to the GPUs.
    #[error("tensor x pipeline x context x data parallel = {product}, but the cluster has {gpus} GPUs")]
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

    /// GPUs that hold the same weights of one stage and add their gradients: data times context parallel.
    pub const fn replicas(&self) -> u32 {
        self.data_parallel * self.context_parallel
    }

    /// Rows of one micro-batch on one GPU.
    pub fn rows(&self, rows_per_sample: u32) -> f64 {
        f64::from(self.micro_batch) * f64::from(rows_per_sample) / f64::from(self.context_parallel)
    }

    /// GPUs over which a sharded state is divided, on nodes of `gpus_per_node`.
    pub fn shards(&self, gpus_per_node: u32) -> u32 {
        match self.sharding {
            Sharding::None => 1,
            Sharding::Hsdp => (gpus_per_node / self.tensor_parallel).clamp(1, self.replicas()),
            _ => self.replicas(),
        }
    }

    /// A plan of one GPU that does nothing special.
    pub const fn single(precision: Precision, flash_attention: bool) -> Self {
        Self {
            tensor_parallel: 1,
            pipeline_parallel: 1,
            virtual_stages: 1,
            data_parallel: 1,
            context_parallel: 1,
            expert_parallel: 1,
            sharding: Sharding::None,
            sequence_parallel: false,
            recompute: Recompute::None,
            micro_batch: 1,
            gradient_accumulation_steps: 1,
            flash_attention,
            optimizer_offload: false,
            precision,
        }
    }

    /// Checks the divisibility rules against a network of `layers` and `heads` (0 = no attention) on `gpus` GPUs, with
    /// software that can hold one layer more on some stages than on others (`uneven`) or not.
    ///
    /// # Errors
    /// All violated rules.
    pub fn check(&self, layers: u32, heads: u32, gpus: u32, uneven: bool) -> Result<(), Vec<PlanError>> {
        let mut errors = Vec::new();
        let product = u64::from(self.tensor_parallel)
            * u64::from(self.pipeline_parallel)
            * u64::from(self.context_parallel)
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
        let stages = self.pipeline_parallel.saturating_mul(self.virtual_stages);
        if self.pipeline_parallel > 1 && !uneven {
            divides("layers", layers, "pipeline stages x virtual stages", stages);
        }
        if self.virtual_stages > 1 {
            divides(
                "micro-batches",
                self.gradient_accumulation_steps,
                "pipeline stages (interleaved schedule)",
                self.pipeline_parallel,
            );
        }
        if self.pipeline_parallel > 1 && uneven && (stages == 0 || layers < stages) {
            errors.push(PlanError::Combination("pipeline stages x virtual stages exceed the layers"));
        }
        if self.virtual_stages > 1 && self.pipeline_parallel == 1 {
            errors.push(PlanError::Combination("virtual stages need a pipeline of two stages or more"));
        }
        if heads == 0 && (self.tensor_parallel > 1 || self.pipeline_parallel > 1) {
            errors.push(PlanError::Combination(
                "a convolutional network has no tensor or pipeline parallel plan here",
            ));
        }
        if self.pipeline_parallel > 1 && !matches!(self.sharding, Sharding::None | Sharding::Zero1) {
            errors.push(PlanError::Combination(
                "only optimizer states are sharded together with pipeline parallelism",
            ));
        }
        if heads == 0 && self.context_parallel > 1 {
            errors.push(PlanError::Combination("images have no sequence that a context could share"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Checks the rules that the rows of a sample and the experts of a layer (0 = none) add.
    ///
    /// # Errors
    /// The first violated rule.
    pub const fn check_shape(&self, rows_per_sample: u32, experts: u32) -> Result<(), PlanError> {
        // Two chunks per GPU, one early and one late, balance a causal sequence.
        let chunks = 2 * self.context_parallel;
        if self.context_parallel > 1 && !rows_per_sample.is_multiple_of(chunks) {
            return Err(PlanError::Divisibility {
                what: "sequence",
                whole: rows_per_sample as u64,
                by: "twice the context parallel degree",
                divisor: chunks as u64,
            });
        }
        let degree = self.expert_parallel;
        if degree == 1 {
            return Ok(());
        }
        if experts == 0 {
            return Err(PlanError::Combination("expert parallelism needs a model with experts"));
        }
        if !experts.is_multiple_of(degree) {
            return Err(PlanError::Divisibility {
                what: "experts",
                whole: experts as u64,
                by: "expert parallel",
                divisor: degree as u64,
            });
        }
        if !self.replicas().is_multiple_of(degree) {
            return Err(PlanError::Divisibility {
                what: "data x context parallel",
                whole: self.replicas() as u64,
                by: "expert parallel",
                divisor: degree as u64,
            });
        }
        if self.sharding.gathers_weights() {
            return Err(PlanError::Combination(
                "experts are either spread by expert parallelism or gathered by sharding, not both",
            ));
        }
        Ok(())
    }
}
