//! The model zoo and the datasets: shapes as published, with the counts they must reproduce.

use super::Provenance;
use super::network::ConvolutionalSpec;

/// Which half of a transformer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransformerKind {
    /// Causal language model.
    Decoder,
    /// Bidirectional encoder.
    Encoder,
}

/// How positions enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// A learned table of `max_sequence` rows.
    Learned,
    /// Rotary.
    Rotary,
    /// ALiBi biases.
    Alibi,
    /// None.
    None,
}

/// Shape of a dense transformer.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformerSpec {
    /// Decoder or encoder.
    pub kind: TransformerKind,
    /// Layers L.
    pub layers: u32,
    /// Hidden size h.
    pub hidden: u32,
    /// Attention heads a.
    pub heads: u32,
    /// Key-value heads g (equal to `heads` for MHA, 1 for MQA).
    pub kv_heads: u32,
    /// Head dimension d.
    pub head_dim: u32,
    /// MLP width f.
    pub ffn: u32,
    /// Three MLP matrices instead of two.
    pub gated_mlp: bool,
    /// Vocabulary V.
    pub vocab: u32,
    /// Input and output embedding share one table.
    pub tied_embeddings: bool,
    /// Position scheme.
    pub position: Position,
    /// Longest sequence it was built for.
    pub max_sequence: u32,
    /// RMSNorm (one vector) instead of LayerNorm (two).
    pub rms_norm: bool,
    /// Linear layers have biases.
    pub biases: bool,
    /// Parameters outside the counting formula, from the counting tags (token types, pooler, extra norms, ...),
    /// once per model.
    pub extra_parameters: i64,
    /// The same, once per layer.
    pub extra_parameters_per_layer: i64,
}

/// A model of the zoo.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelSpec {
    /// A transformer.
    Transformer {
        /// Zoo id.
        id: String,
        /// Family name.
        family: String,
        /// Shape.
        shape: TransformerSpec,
        /// Count as published, to test against.
        published_parameters: Option<u64>,
        /// Set when the published figure is rounded to few digits: the tolerance that digit implies.
        published_tolerance: f64,
        /// Source and date.
        provenance: Provenance,
        /// Remarks.
        notes: Option<String>,
    },
    /// A network over samples, described as a list of layers.
    Convolutional {
        /// Zoo id.
        id: String,
        /// Other ids that mean it.
        aliases: Vec<String>,
        /// Family name.
        family: String,
        /// Layers, top to bottom.
        recipe: ConvolutionalSpec,
        /// Count as published.
        published_parameters: Option<u64>,
        /// Forward multiply-accumulates per sample as published.
        published_macs: Option<f64>,
        /// Output elements of convolutions and matrix products per sample as published.
        published_activations: Option<f64>,
        /// Set when the published figures are rounded to few digits or count more: the tolerance that this implies.
        published_tolerance: f64,
        /// Source and date.
        provenance: Provenance,
        /// Remarks.
        notes: Option<String>,
    },
}

impl ModelSpec {
    /// Zoo id.
    pub fn id(&self) -> &str {
        match self {
            Self::Transformer { id, .. } | Self::Convolutional { id, .. } => id,
        }
    }

    /// True when an id or an alias is this one.
    pub fn is_named(&self, name: &str) -> bool {
        let alias = |aliases: &[String]| aliases.iter().any(|a| a == name);
        self.id() == name || matches!(self, Self::Convolutional { aliases, .. } if alias(aliases))
    }

    /// Family name.
    pub fn family(&self) -> &str {
        match self {
            Self::Transformer { family, .. } | Self::Convolutional { family, .. } => family,
        }
    }
}

/// A training set.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Task.
    pub task: String,
    /// Training samples.
    pub samples_train: Option<u64>,
    /// Validation samples.
    pub samples_validation: Option<u64>,
    /// Stored bytes of the whole set.
    pub bytes_total: Option<crate::units::Bytes>,
    /// Stored bytes of one sample, mean.
    pub bytes_per_sample: Option<crate::units::Bytes>,
    /// Host time on one vCPU that decoding and augmenting one sample takes.
    pub preparation_cpu: Option<crate::units::Seconds>,
    /// Shape of one sample as text.
    pub sample_shape: Option<String>,
    /// How many passes recipes take, as text.
    pub epochs_typical: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}
