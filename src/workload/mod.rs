//! What must be computed and moved for one training step?
//!
//! A [`Workload`] is a list of [`Block`]s of [`Operator`]s. Every size is *per row*: a row is one token of a
//! transformer or one sample of a convolutional network. How an operator is divided by tensor parallelism is part
//! of its description ([`Partition`]), so that the simulator can evaluate any plan without rebuilding the list.
//! Only the forward pass is listed; the simulator derives dgrad, wgrad, recompute and the data-parallel
//! collectives. No hardware appears here.

mod activations;
mod adapters;
mod attention;
mod block;
mod config_fields;
mod convolution_unit;
mod convolutional;
mod cost_facts;
mod error;
mod experts;
mod feature_map;
mod huggingface;
mod huggingface_experts;
mod huggingface_gated;
mod huggingface_other;
mod huggingface_plain;
pub mod job;
mod layers;
mod network_builder;
mod network_wiring;
pub mod onnx;
mod operator;
mod parameters;
mod residual_stage;
mod sequence_layer;
#[cfg(test)]
mod shapes_for_tests;
mod standard;
mod transformer;

pub use adapters::{AdapterTargets, Adapters, Base, QUANTIZED_BYTES, with_adapters};
pub use block::Block;
pub use convolutional::convolutional;
pub use cost_facts::{
    forward_macs, model_flop_per_row, model_flop_per_row_full_attention, product_elements, six_nd,
};
pub use error::WorkloadError;
pub use huggingface::from_hugging_face;
pub use job::{Assumption, Job, JobLength, Method};
pub use onnx::from_onnx;
pub use operator::{CollectiveKind, Grid, Operator, Partition, SavedTensor, seen_keys};
pub use parameters::{active_parameters, transformer_parameters};
pub use standard::standard_decoder;
pub use transformer::{PREDICTED_SHARE, transformer};

use crate::catalog::{SampleKind, TableUpdate, TransformerSpec};

/// What one training sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkloadKind {
    /// Causal language model over token sequences.
    Decoder,
    /// Bidirectional encoder over token sequences.
    Encoder,
    /// Encoder and decoder over token sequences; a sample's rows are the encoder's.
    EncoderDecoder,
    /// Transformer over the patches of images; a sample's rows are its patches and the class token.
    Vision,
    /// Convolutional network over images or volumes.
    Convolutional,
}

impl WorkloadKind {
    /// True when samples are images, which have no tokens of their own.
    pub const fn is_image(self) -> bool {
        matches!(self, Self::Vision | Self::Convolutional)
    }
}

/// Attention shape of a transformer, needed by memory formulas and divisibility rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttentionShape {
    /// Hidden size.
    pub hidden: u32,
    /// Query heads.
    pub heads: u32,
    /// Key-value heads.
    pub kv_heads: u32,
    /// Head dimension.
    pub head_dim: u32,
    /// Vocabulary.
    pub vocab: u32,
}

/// The operators of one forward pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Model name as printed.
    pub name: String,
    /// Kind of network.
    pub kind: WorkloadKind,
    /// What a sample is.
    pub samples: SampleKind,
    /// Samples of one batch differ in size, so that replicas have unequal work.
    pub sizes_vary: bool,
    /// Rows (tokens) of one sample: the sequence length, or 1 for convolutional networks.
    pub rows_per_sample: u32,
    /// Tokens or frames of one sample in which speed is told: the sequence length, or 1 where samples are counted.
    pub tokens_per_sample: f64,
    /// Runs once, on the first pipeline stage.
    pub input: Block,
    /// The repeated middle; a pipeline may cut between repeats. One block for plain transformers.
    pub body: Vec<Block>,
    /// Runs once, on the last pipeline stage.
    pub head: Block,
    /// Attention shape, for transformers.
    pub attention: Option<AttentionShape>,
    /// The shape it was built from, for transformers.
    pub shape: Option<TransformerSpec>,
    /// Embedding and head share one table (its gradient is reduced between the first and last stage).
    pub tied_embeddings: bool,
    /// All parameters.
    pub parameters: f64,
    /// Parameters that take part in a row's computation (equal to `parameters` for dense models).
    pub active_parameters: f64,
    /// Routed experts of a layer; 0 when there are none.
    pub experts: u32,
    /// Whether the parameters are trained, or frozen beside adapters.
    pub base: Base,
    /// What was assumed in building it, for the reader (such as a standard shape for a bare size).
    pub assumptions: Vec<String>,
}

/// More rows than the vocabularies of languages have.
const LARGEST_VOCABULARY: f64 = 1e6;

impl Workload {
    /// Whether any convolution is over volumes.
    pub fn over_volumes(&self) -> bool {
        let mut blocks = self.body.iter().chain([&self.input, &self.head]);
        blocks.any(|b| {
            b.operators.iter().any(|o| matches!(o.whole(), Operator::Convolution { over: Grid::Volume, .. }))
        })
    }

    /// Parameters of all adapters; 0 when there are none.
    pub fn adapter_parameters(&self) -> f64 {
        self.body.iter().map(|b| b.adapter_parameters * f64::from(b.repeat)).sum()
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        std::iter::once(&self.input).chain(&self.body).chain([&self.head])
    }

    /// It looks up rows of tables larger than any vocabulary: of users or items, as recommenders do.
    pub fn has_large_tables(&self) -> bool {
        self.large_tables().next().is_some()
    }

    /// Such tables are copied whole to every GPU, with dense gradients.
    pub fn copies_large_tables(&self) -> bool {
        self.large_tables().any(|update| update == TableUpdate::Dense)
    }

    fn large_tables(&self) -> impl Iterator<Item = TableUpdate> {
        self.blocks().flat_map(|b| &b.operators).filter_map(|operator| match operator.whole() {
            Operator::Embedding { table_rows, update, .. } if *table_rows > LARGEST_VOCABULARY => {
                Some(*update)
            }
            _ => None,
        })
    }

    /// It has tables that the GPUs divide.
    pub fn splits_tables(&self) -> bool {
        self.blocks().any(|b| b.table_parameters[1] > 0.0)
    }

    /// Layers that a pipeline can distribute.
    pub fn layers(&self) -> u32 {
        self.body.iter().map(|b| b.repeat).sum()
    }
}
