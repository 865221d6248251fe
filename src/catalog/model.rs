//! The model zoo and the datasets: shapes as published, with the counts they must reproduce.

use super::Provenance;
use super::SampleKind;
use super::Task;
use super::network::ConvolutionalSpec;

/// Which halves of a transformer it has, and over what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransformerKind {
    /// Causal language model.
    Decoder,
    /// Bidirectional encoder.
    Encoder,
    /// An encoder and a causal decoder with cross attention, of the same number of layers each.
    EncoderDecoder,
    /// Bidirectional encoder over the patches of an image.
    Vision,
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
    /// A bias of the scores by distance, shared by the layers of a stack.
    Relative,
    /// None.
    None,
}

/// Experts in place of the MLP: a router sends each token to a few of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Experts {
    /// Routed experts E of a layer.
    pub routed: u32,
    /// Routed experts that each token passes, k.
    pub per_token: u32,
    /// Experts that every token passes.
    pub shared: u32,
    /// MLP width of one expert; experts are gated.
    pub ffn: u32,
    /// First layers that keep the plain MLP.
    pub dense_layers: u32,
}

/// Keys and values (and queries) through narrow latent vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatentAttention {
    /// Width of the latent query; `None` when queries are projected directly.
    pub query_rank: Option<u32>,
    /// Width of the latent that keys and values share.
    pub kv_rank: u32,
    /// Part of a head that carries no position.
    pub plain_dim: u32,
    /// Part of a head with rotary positions; its key is shared by all heads.
    pub rotary_dim: u32,
    /// Width of a head's values.
    pub value_dim: u32,
}

/// Attention to the nearest past only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Positions that are seen.
    pub size: u32,
    /// Which layers have it.
    pub layers: Windowed,
}

/// Which layers look at the nearest past only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Windowed {
    /// One of so many: 1 is every layer, 2 every other.
    OneIn(u32),
    /// All but the last of so many.
    AllButOneIn(u32),
}

impl Window {
    /// How many of a run of layers have the window.
    ///
    /// ```
    /// use gpu_advisor::catalog::{Window, Windowed};
    ///
    /// assert_eq!(Window { size: 1024, layers: Windowed::OneIn(2) }.of(26), 13);
    /// // Layers 6, 12, 18, 24 and 30 of 34 see everything.
    /// assert_eq!(Window { size: 1024, layers: Windowed::AllButOneIn(6) }.of(34), 29);
    /// ```
    pub fn of(self, layers: u32) -> u32 {
        match self.layers {
            Windowed::OneIn(every) => layers.div_ceil(every.max(1)),
            Windowed::AllButOneIn(every) => layers - layers / every.max(1),
        }
    }
}

/// Target tokens per input token of an encoder-decoder that restores masked spans: 114 of 512, spans of three at 15 %
/// with their markers (Raffel et al. 2020, section 3.1.4).
pub const MASKED_SPANS: f64 = 114.0 / 512.0;

/// Shape of a transformer.
#[derive(Debug, Clone, PartialEq)]
pub struct TransformerSpec {
    /// Which halves, over what.
    pub kind: TransformerKind,
    /// Layers L, of each half where there are two.
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
    /// Vocabulary V; for images the classes.
    pub vocab: u32,
    /// Input and output embedding share one table.
    pub tied_embeddings: bool,
    /// Position scheme.
    pub position: Position,
    /// Longest sequence it was built for; for images the patches and the class token.
    pub max_sequence: u32,
    /// RMSNorm (one vector) instead of LayerNorm (two).
    pub rms_norm: bool,
    /// Linear layers have biases.
    pub biases: bool,
    /// Experts, where layers have them.
    pub experts: Option<Experts>,
    /// Latent attention, which then replaces `kv_heads` and `head_dim`.
    pub latent: Option<LatentAttention>,
    /// Sliding window.
    pub window: Option<Window>,
    /// Side of an image patch in pixels.
    pub patch: Option<u32>,
    /// Parameters outside the counting formula, from the counting tags (token types, pooler, extra norms, ...),
    /// once per model.
    pub extra_parameters: i64,
    /// The same, once per layer.
    pub extra_parameters_per_layer: i64,
    /// Target tokens per input token of an encoder-decoder, as in its pre-training; other kinds have no use for it.
    pub target_share: f64,
    /// That share is stated for the job and not its pre-training's.
    pub target_stated: bool,
}

/// A model of the zoo.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelSpec {
    /// A transformer.
    Transformer {
        /// Zoo id.
        id: String,
        /// Other ids that mean it.
        aliases: Vec<String>,
        /// Asked for more often than others of its family: first among near names.
        often_asked: bool,
        /// Family name.
        family: String,
        /// What it is trained to do, where sets of samples differ in that.
        task: Option<Task>,
        /// Shape.
        shape: TransformerSpec,
        /// Count as published, to test against.
        published_parameters: Option<u64>,
        /// Parameters that one token passes, as published, for models with experts.
        published_active_parameters: Option<u64>,
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
        /// Asked for more often than others of its family: first among near names.
        often_asked: bool,
        /// Family name.
        family: String,
        /// What it is trained to do, where sets of samples differ in that.
        task: Option<Task>,
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

    /// Other ids that mean it.
    pub fn aliases(&self) -> &[String] {
        match self {
            Self::Transformer { aliases, .. } | Self::Convolutional { aliases, .. } => aliases,
        }
    }

    /// True for one that is asked for more often than others of its family.
    pub const fn is_often_asked(&self) -> bool {
        match self {
            Self::Transformer { often_asked, .. } | Self::Convolutional { often_asked, .. } => *often_asked,
        }
    }

    /// True when an id or an alias is this one.
    pub fn is_named(&self, name: &str) -> bool {
        self.id() == name || self.aliases().iter().any(|a| a == name)
    }

    /// What it is trained to do, where sets of samples differ in that.
    pub const fn task(&self) -> Option<Task> {
        match self {
            Self::Transformer { task, .. } | Self::Convolutional { task, .. } => *task,
        }
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
    /// Other names that mean it.
    pub aliases: Vec<String>,
    /// Name for people.
    pub name: String,
    /// Task.
    pub task: String,
    /// What its samples are, or may be read as; empty where that is not stated.
    pub samples: Vec<SampleKind>,
    /// What it has labels for; empty where that is not stated.
    pub tasks: Vec<Task>,
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
    /// Share of the positions of a sample that hold tokens, mean; the others are padding.
    pub filled: Option<f64>,
    /// Shape of one sample as text.
    pub sample_shape: Option<String>,
    /// How many passes recipes take, as text.
    pub epochs_typical: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}

impl Dataset {
    /// Whether it has what a task is trained on; so it is where one of the two is not stated.
    pub fn serves(&self, task: Option<Task>) -> bool {
        self.tasks.is_empty() || task.is_none_or(|task| self.tasks.contains(&task))
    }

    /// Its id and its aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.aliases).map(String::as_str)
    }
}
