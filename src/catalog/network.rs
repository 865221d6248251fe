//! A network as a list of layers: what `[[convolutional]]` records of the zoo say.
//!
//! The same list describes convolutional, recurrent, attention and embedding networks over samples. Shapes are
//! inferred from the input down; a layer says only what it does.

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
    /// Tokens (or frames) of one sample, for networks whose speed is told in these.
    pub tokens: Option<u32>,
    /// Layers in order; shapes are inferred.
    pub layers: Vec<ConvolutionalLayer>,
}

/// What surrounds a map before a kernel moves over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// (kernel - 1) / 2 on each side, rounded down.
    Half,
    /// None.
    Valid,
    /// As much as gives size / stride, rounded up.
    Same,
}

/// Normalisation after a convolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// Batch norm: two parameters a channel.
    Batch,
    /// Instance or group norm: the same parameters, statistics of each sample.
    Instance,
    /// None; the convolution has a bias instead.
    None,
}

/// How branches or saved maps come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// Channels one after the other.
    Concat,
    /// Sum.
    Add,
    /// Element-wise product.
    Multiply,
}

/// Cell of a recurrent layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cell {
    /// One matrix.
    Vanilla,
    /// Three gates.
    Gru,
    /// Four gates.
    Lstm,
}

impl Cell {
    /// Matrices of a cell.
    pub const fn gates(self) -> u32 {
        match self {
            Self::Vanilla => 1,
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }
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
    /// Fully connected layer with bias at every position.
    Project {
        /// Output features.
        out: u32,
        /// Followed by an activation.
        activation: bool,
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
    },
    /// Small kernels without weights: proposals, matching, sampling.
    Kernels {
        /// Kernels of one forward pass.
        count: u32,
        /// Further kernels for every sample by itself.
        per_sample: u32,
        /// Elements read and written per sample, forward and again backward.
        elements: u64,
    },
}

impl std::fmt::Display for ConvolutionalLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Convolution(unit) => {
                let kernel: Vec<String> =
                    unit.kernel.iter().skip_while(|k| **k == 1).map(u32::to_string).collect();
                let kind = if unit.transposed { "transposed convolution" } else { "convolution" };
                let kernel = if kernel.is_empty() { "1".to_owned() } else { kernel.join("x") };
                write!(f, "{kind} {kernel}")?;
                unit.out.map_or(Ok(()), |out| write!(f, " to {out}"))?;
                match unit.groups {
                    None => write!(f, ", depthwise")?,
                    Some(1) => {}
                    Some(groups) => write!(f, ", groups {groups}")?,
                }
                write!(f, ", stride {}", unit.stride[2])
            }
            Self::Pool { average, kernel, stride, .. } => {
                let kind = if *average { "average" } else { "max" };
                write!(f, "{kind} pooling {}, stride {}", kernel[2], stride[2])
            }
            Self::Bottleneck { repeat, mid, out, stride, groups, .. } => {
                write!(f, "{repeat} bottlenecks over {mid} to {out}, stride {stride}, groups {groups}")
            }
            Self::Basic { repeat, out, stride } => {
                write!(f, "{repeat} basic blocks to {out}, stride {stride}")
            }
            Self::InvertedResidual { repeat, expand, out, kernel, stride, .. } => {
                write!(f, "{repeat} inverted residuals x{expand} to {out}, kernel {kernel}, stride {stride}")
            }
            Self::Dense { repeat, growth, .. } => write!(f, "{repeat} dense pairs, growth {growth}"),
            Self::Residual { layers } => write!(f, "residual over {} layers", layers.len()),
            Self::Repeat { times, layers } => write!(f, "{times} times {} layers", layers.len()),
            Self::Branches { branches, .. } => write!(f, "{} branches", branches.len()),
            Self::Save { name } => write!(f, "saved as {name}"),
            Self::From { name } => write!(f, "from {name}"),
            Self::Join { maps, .. } => write!(f, "joined with {}", maps.join(", ")),
            Self::On { maps, layers } => write!(f, "{} layers on {}", layers.len(), maps.join(", ")),
            Self::Upsample { factor } => write!(f, "upsampling x{factor}"),
            Self::GlobalAveragePool => f.write_str("global average pooling"),
            Self::Linear { out, .. } => write!(f, "fully connected to {out}"),
            Self::Project { out, .. } => write!(f, "fully connected to {out} at every position"),
            Self::Regions { count, size } => write!(f, "{count} regions of {size}x{size}"),
            Self::Reshape { channels, .. } => write!(f, "reshaped to {channels} channels"),
            Self::Attention { repeat, heads, ffn, .. } => {
                write!(f, "{repeat} attention layers of {heads} heads, MLP {ffn}")
            }
            Self::Recurrent { repeat, hidden, .. } => write!(f, "{repeat} recurrent layers of {hidden}"),
            Self::Embedding { rows, width, .. } => write!(f, "embedding of {rows} rows of {width}"),
            Self::Kernels { count, .. } => write!(f, "{count} small kernels"),
        }
    }
}
