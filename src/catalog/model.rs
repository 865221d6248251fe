//! The model zoo and the datasets: shapes as published, with the counts they must reproduce.

use super::Provenance;

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
    /// A convolutional network described as a layer recipe.
    Convolutional {
        /// Zoo id.
        id: String,
        /// Family name.
        family: String,
        /// Layer recipe, top to bottom.
        recipe: ConvolutionalSpec,
        /// Count as published.
        published_parameters: Option<u64>,
        /// Forward multiply-accumulates per sample as published.
        published_macs: Option<f64>,
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

    /// Family name.
    pub fn family(&self) -> &str {
        match self {
            Self::Transformer { family, .. } | Self::Convolutional { family, .. } => family,
        }
    }
}

/// A convolutional network: input and a list of stages.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvolutionalSpec {
    /// Input channels.
    pub channels: u32,
    /// Input height and width.
    pub input: (u32, u32),
    /// Layers in order; shapes are inferred.
    pub layers: Vec<ConvolutionalLayer>,
}

/// One layer (or block) of a convolutional recipe.
#[derive(Debug, Clone, PartialEq)]
pub enum ConvolutionalLayer {
    /// Convolution + batch norm (+ activation).
    Convolution {
        /// Output channels.
        out: u32,
        /// Square kernel.
        kernel: u32,
        /// Stride.
        stride: u32,
        /// Groups.
        groups: u32,
        /// Followed by an activation.
        activation: bool,
    },
    /// Max pooling.
    MaxPool {
        /// Square kernel.
        kernel: u32,
        /// Stride.
        stride: u32,
    },
    /// `repeat` bottleneck residual blocks: 1x1 to `mid`, 3x3 (stride in the first block), 1x1 to `out`; a
    /// projection where the shape changes.
    Bottleneck {
        /// Number of blocks.
        repeat: u32,
        /// Inner channels.
        mid: u32,
        /// Output channels.
        out: u32,
        /// Stride of the first block.
        stride: u32,
        /// Groups of the 3x3.
        groups: u32,
    },
    /// Global average pooling.
    GlobalAveragePool,
    /// Fully connected layer with bias.
    Linear {
        /// Output features.
        out: u32,
    },
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
    /// Shape of one sample as text.
    pub sample_shape: Option<String>,
    /// How many passes recipes take, as text.
    pub epochs_typical: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}
