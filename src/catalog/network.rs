//! A network as a list of layers: what `[[convolutional]]` records of the zoo say.
//!
//! The same list describes convolutional, recurrent, attention and embedding networks over samples. Shapes are
//! inferred from the input down; a layer says only what it does.

use super::layer_choice::{Cell, Join, Norm, Padding, TableUpdate};
use super::{Implementation, OptimizerUse, SampleKind};

/// Sizes along depth, height and width; sizes that a network lacks are 1.
pub type Sides = [u32; 3];

/// A network: input and layers.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvolutionalSpec {
    /// Input channels.
    pub channels: u32,
    /// Input size, right-aligned: an image is `[1, height, width]`, a sequence `[1, 1, length]`.
    pub input: Sides,
    /// Sizes that the input has: 1 sequence, 2 image, 3 volume.
    pub dimensions: u8,
    /// What a sample is.
    pub samples: SampleKind,
    /// Samples of one batch differ in size (lengths, regions, atoms), so that replicas have unequal work.
    pub sizes_vary: bool,
    /// Tokens (or frames) of one sample, for networks whose speed is told in these.
    pub tokens: Option<u32>,
    /// A part of the description that is a guess, read nowhere: no fit learns from runs of such a network.
    pub assumed: Option<String>,
    /// The network that this is another implementation of, for the stacks that build it so.
    pub implements: Option<Implementation>,
    /// Layers in order; shapes are inferred.
    pub layers: Vec<ConvolutionalLayer>,
}

/// A convolution with what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvolutionUnit {
    /// Output channels; `None` keeps them.
    pub out: Option<u32>,
    /// Kernel.
    pub kernel: Sides,
    /// Stride.
    pub stride: Sides,
    /// Padding.
    pub padding: Padding,
    /// Groups; `None` for depthwise.
    pub groups: Option<u32>,
    /// Transposed: the map grows by the stride.
    pub transposed: bool,
    /// Normalisation.
    pub norm: Norm,
    /// Followed by an activation.
    pub activation: bool,
}

/// Small kernels of one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelCount {
    /// Kernels, whatever the batch.
    pub count: u32,
    /// Further kernels for every sample by itself.
    pub per_sample: u32,
    /// Elements read and written per sample.
    pub elements: u64,
}

impl ConvolutionalSpec {
    /// The optimizer that such networks are usually trained with: transformers' where there is attention and over sequences,
    /// sound or records.
    pub fn usual_optimizer(&self) -> OptimizerUse {
        if self.has_attention() || !self.samples.is_picture() {
            OptimizerUse::Transformer
        } else {
            OptimizerUse::Convolutional
        }
    }

    /// True when a layer, at any depth, is attention.
    pub fn has_attention(&self) -> bool {
        ConvolutionalLayer::any_attention(&self.layers)
    }
}

/// One layer (or block, or stage) of a network.
#[derive(Debug, Clone, PartialEq)]
pub enum ConvolutionalLayer {
    /// Convolution, normalisation, activation.
    Convolution(ConvolutionUnit),
    /// Pooling.
    Pool {
        /// Mean instead of maximum.
        average: bool,
        /// Kernel.
        kernel: Sides,
        /// Stride.
        stride: Sides,
        /// Padding.
        padding: Padding,
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
        /// Squeeze and excitation through `out / squeeze` channels.
        squeeze: Option<u32>,
        /// The stride is on the first 1x1 instead of the 3x3.
        early_stride: bool,
    },
    /// `repeat` residual blocks of two 3x3 convolutions.
    Basic {
        /// Number of blocks.
        repeat: u32,
        /// Output channels.
        out: u32,
        /// Stride of the first block.
        stride: u32,
    },
    /// `repeat` inverted residual blocks: 1x1 to `expand` times the channels, depthwise, 1x1 to `out`.
    InvertedResidual {
        /// Number of blocks.
        repeat: u32,
        /// Widening.
        expand: u32,
        /// Output channels.
        out: u32,
        /// Kernel.
        kernel: u32,
        /// Stride of the first block.
        stride: u32,
        /// Squeeze and excitation through the block's input channels over `squeeze`.
        squeeze: Option<u32>,
        /// One full convolution in place of the widening and the depthwise one.
        fused: bool,
    },
    /// `repeat` densely connected pairs: norm, 1x1 to `width` x `growth`, 3x3 to `growth`, appended.
    Dense {
        /// Number of pairs.
        repeat: u32,
        /// Channels each adds.
        growth: u32,
        /// Inner width in multiples of the growth.
        width: u32,
    },
    /// Layers whose result is added to their input.
    Residual {
        /// The layers.
        layers: Vec<ConvolutionalLayer>,
    },
    /// Layers that are not trained: their forward pass alone.
    Frozen {
        /// The layers.
        layers: Vec<ConvolutionalLayer>,
        /// They are another network, such as a teacher, whose parameters are not this one's.
        beside: bool,
    },
    /// Layers that stay in 32 bits under mixed precision.
    FullPrecision {
        /// The layers.
        layers: Vec<ConvolutionalLayer>,
    },
    /// Layers several times over.
    Repeat {
        /// How often.
        times: u32,
        /// The layers.
        layers: Vec<ConvolutionalLayer>,
    },
    /// Branches over the same input, joined.
    Branches {
        /// The branches; an empty one passes its input.
        branches: Vec<Vec<ConvolutionalLayer>>,
        /// How they come together.
        join: Join,
    },
    /// Gives the present map a name.
    Save {
        /// The name.
        name: String,
    },
    /// Goes on from a named map.
    From {
        /// The name.
        name: String,
    },
    /// Joins named maps to the present one (cut to its size when they are larger).
    Join {
        /// The names.
        maps: Vec<String>,
        /// How.
        join: Join,
    },
    /// The same layers, with the same weights, on each of several named maps.
    On {
        /// The names.
        maps: Vec<String>,
        /// The layers.
        layers: Vec<ConvolutionalLayer>,
    },
    /// Interpolation to a larger map.
    Upsample {
        /// Factor of every side.
        factor: u32,
    },
    /// Global average pooling.
    GlobalAveragePool,
    /// Fully connected layer with bias over everything.
    Linear {
        /// Output features.
        out: u32,
        /// Followed by an activation.
        activation: bool,
    },
    /// Fully connected layer at every position.
    Project {
        /// Output features.
        out: u32,
        /// Followed by an activation.
        activation: bool,
        /// The weights are those of another layer (a table); the bias is its own.
        tied: bool,
        /// Has a bias.
        bias: bool,
    },
    /// Products of a sample by itself: `count` times `rows x inputs` by `inputs x outputs`, neither side a weight.
    Products {
        /// Products of one sample.
        count: u32,
        /// Rows of each.
        rows: u32,
        /// Inner size.
        inputs: u32,
        /// Columns, the channels of what follows.
        outputs: u32,
    },
    /// Regions cut out of the map and resampled.
    Regions {
        /// How many per sample.
        count: u32,
        /// Height and width of each.
        size: u32,
    },
    /// Takes the same elements in another shape.
    Reshape {
        /// Channels.
        channels: u32,
        /// Size.
        size: Sides,
    },
    /// `repeat` transformer layers over the positions.
    Attention {
        /// Number of layers.
        repeat: u32,
        /// Heads.
        heads: u32,
        /// Width of a head; `None` divides the channels.
        head: Option<u32>,
        /// MLP width; 0 for none.
        ffn: u32,
        /// Positions that each one sees, when not all.
        window: Option<u32>,
        /// Positions of another sequence that a second attention sees.
        context: Option<u32>,
        /// Positions kept from the sequence before; they are projected again and seen, too.
        memory: u32,
        /// Relative positions: a second product of the scores with what is learned for each distance.
        relative: bool,
    },
    /// `repeat` recurrent layers over the positions.
    Recurrent {
        /// Number of layers.
        repeat: u32,
        /// Cell.
        cell: Cell,
        /// State.
        hidden: u32,
        /// Both directions, results one after the other.
        bidirectional: bool,
        /// Further inputs at every position (an attention context).
        context: u32,
        /// Stepped by the host: every step is a launch of its own.
        stepwise: bool,
    },
    /// Looks up rows of a table.
    Embedding {
        /// Rows of the table (of all tables together).
        rows: u64,
        /// Width.
        width: u32,
        /// Lookups at every position; their results come one after the other.
        lookups: u32,
        /// Positions of another sequence that starts here.
        positions: Option<u32>,
        /// How its gradient reaches the rows.
        update: TableUpdate,
    },
    /// Small kernels without weights: proposals, matching, sampling.
    Kernels {
        /// Of the forward pass.
        forward: KernelCount,
        /// Of the backward pass.
        backward: KernelCount,
        /// Results that the host waits for: whatever the batch, and for every sample.
        waits: [u32; 2],
        /// Bytes of a sample between host and GPU that nothing hides: from pinned memory, from other memory.
        copied: [u32; 2],
        /// Elements read and written in 32 bits whatever the batch.
        step_elements: u64,
    },
    /// Another input of the sample starts here.
    Input {
        /// Channels.
        channels: u32,
        /// Size.
        size: Sides,
    },
    /// The first channels of the map; nothing is copied.
    Slice {
        /// How many.
        channels: u32,
    },
    /// Layers that run once for each position, each waiting for the one before, with the same weights.
    Steps {
        /// The layers of one step.
        layers: Vec<ConvolutionalLayer>,
    },
}

impl ConvolutionalLayer {
    fn any_attention(layers: &[Self]) -> bool {
        layers.iter().any(|layer| match layer {
            Self::Attention { .. } => true,
            Self::Residual { layers, .. }
            | Self::Repeat { layers, .. }
            | Self::Frozen { layers, .. }
            | Self::FullPrecision { layers, .. }
            | Self::On { layers, .. }
            | Self::Steps { layers, .. } => Self::any_attention(layers),
            Self::Branches { branches, .. } => branches.iter().any(|b| Self::any_attention(b)),
            _ => false,
        })
    }
}
