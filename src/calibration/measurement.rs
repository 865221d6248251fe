//! What can be measured: the items that devices, protocol, trace and fit share.

use std::fmt;

pub use super::vocabulary::{
    Collective, Cores, Direction, Format, HostMemory, Launch, Layout, Shape, Stream,
};
use crate::units::{ArithmeticIntensity, Bytes, FlopCount, Seconds};

/// Fused multiply-adds per 4-byte element of the intensity sweep: the steps a device offers kernels for.
pub const SWEEP: [u32; 18] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/// One thing to measure. Sizes are exact: a device that rounds them must say [`DeviceError::Unsupported`].
///
/// Required of every device: `Stream`, `Intensity`, `Ceiling` in FP32 on vector cores, `Product` in FP32, and
/// `Launch(Stream)`. All others are optional: a device leaves them out of its facts or answers
/// [`DeviceError::Unsupported`], and the profile lacks them.
///
/// [`DeviceError::Unsupported`]: super::device::DeviceError::Unsupported
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// A stream kernel over arrays of `bytes` each, larger than L2 by far or rotated. Required.
    Stream {
        /// Kind.
        kind: Stream,
        /// Bytes of *one* array.
        bytes: u64,
    },
    /// Repeated read of a set that fits in L2. Optional. One read is shorter than a launch: a device reads the set
    /// many times in one kernel, and its [`Batch::count`] counts the reads.
    L2Read {
        /// Bytes of the set; one execution reads it once.
        bytes: u64,
    },
    /// FP32 sweep: every 4-byte element of a large array is read once and gets `fma` fused multiply-adds. Required.
    Intensity {
        /// One of [`SWEEP`].
        fma: u32,
        /// Bytes of the array.
        bytes: u64,
    },
    /// Chains of multiply-adds from registers. FP32 on vector cores is required, others as in the facts.
    Ceiling {
        /// Format.
        format: Format,
        /// Units.
        cores: Cores,
    },
    /// A matrix product through the library training uses, else through a kernel of our own.
    Product {
        /// Sides.
        shape: Shape,
        /// Format; accumulates in FP32.
        format: Format,
        /// Operand layout.
        layout: Layout,
    },
    /// The same without pause for seconds: measured like a product, in many batches in a row.
    Sustained {
        /// Sides.
        shape: Shape,
        /// Format.
        format: Format,
    },
    /// An empty kernel. `Stream` is required.
    Launch(Launch),
    /// A copy between host and device. Optional.
    HostCopy {
        /// Host memory.
        memory: HostMemory,
        /// Direction.
        direction: Direction,
        /// Bytes, one direction.
        bytes: u64,
    },
    /// A copy to another device of the host. Optional.
    PeerCopy {
        /// Ordinal of the sender.
        from: u32,
        /// Ordinal of the receiver.
        to: u32,
        /// Bytes.
        bytes: u64,
    },
    /// A collective over the first `ranks` devices, or over the ranks of the launcher. Optional.
    Collective {
        /// Operation.
        operation: Collective,
        /// Ranks.
        ranks: u32,
        /// Bytes of the operation, as nccl-tests counts them.
        bytes: u64,
    },
}

/// The step of the protocol an item belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Launch costs.
    Launch,
    /// DRAM streams.
    Dram,
    /// L2 reads.
    L2,
    /// Intensity sweep.
    Knee,
    /// Arithmetic ceilings.
    Ceiling,
    /// Matrix products.
    Product,
    /// Sustained product.
    Sustained,
    /// Host link.
    HostLink,
    /// Peer copies.
    Peer,
    /// Collectives.
    Collective,
}

impl Step {
    /// The name in progress and traces.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Dram => "dram",
            Self::L2 => "l2",
            Self::Knee => "knee",
            Self::Ceiling => "ceilings",
            Self::Product => "matrix products",
            Self::Sustained => "sustained",
            Self::HostLink => "host link",
            Self::Peer => "peer copies",
            Self::Collective => "collectives",
        }
    }
}

impl Item {
    /// The step it belongs to.
    pub const fn step(&self) -> Step {
        match self {
            Self::Stream { .. } => Step::Dram,
            Self::L2Read { .. } => Step::L2,
            Self::Intensity { .. } => Step::Knee,
            Self::Ceiling { .. } => Step::Ceiling,
            Self::Product { .. } => Step::Product,
            Self::Sustained { .. } => Step::Sustained,
            Self::Launch(_) => Step::Launch,
            Self::HostCopy { .. } => Step::HostLink,
            Self::PeerCopy { .. } => Step::Peer,
            Self::Collective { .. } => Step::Collective,
        }
    }

    /// Floating-point work of one execution; `None` for a ceiling, whose device chooses the length of the chain.
    pub fn work(&self) -> Option<FlopCount> {
        match self {
            Self::Product { shape, .. } | Self::Sustained { shape, .. } => Some(shape.work()),
            Self::Intensity { fma, bytes } => {
                Some(FlopCount::new(2.0 * f64::from(*fma) * (*bytes / 4) as f64))
            }
            Self::Ceiling { .. } => None,
            _ => Some(FlopCount::ZERO),
        }
    }

    /// Bytes one execution moves.
    pub fn traffic(&self) -> Bytes {
        match self {
            Self::Stream { kind, bytes } => Bytes::new((kind.arrays() * bytes) as f64),
            Self::L2Read { bytes }
            | Self::Intensity { bytes, .. }
            | Self::HostCopy { bytes, .. }
            | Self::PeerCopy { bytes, .. }
            | Self::Collective { bytes, .. } => Bytes::new(*bytes as f64),
            Self::Product { shape, format, .. } | Self::Sustained { shape, format } => shape.traffic(*format),
            Self::Ceiling { .. } | Self::Launch(_) => Bytes::ZERO,
        }
    }
}

/// Work per byte of the intensity sweep: `2 fma / 4`.
pub fn intensity(fma: u32) -> ArithmeticIntensity {
    ArithmeticIntensity::new(f64::from(fma) / 2.0)
}

impl fmt::Display for Item {
    /// The key of the item in traces: `product bf16 NN 4096x4096x4096`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream { kind, bytes } => write!(f, "stream {} {bytes}", kind.name()),
            Self::L2Read { bytes } => write!(f, "l2-read {bytes}"),
            Self::Intensity { fma, bytes } => write!(f, "intensity {fma} {bytes}"),
            Self::Ceiling { format, cores } => {
                let cores = if *cores == Cores::Vector { "vector" } else { "matrix" };
                write!(f, "ceiling {} {cores}", format.name())
            }
            Self::Product { shape: Shape { m, n, k }, format, layout } => {
                write!(f, "product {} {} {m}x{n}x{k}", format.name(), layout.name())
            }
            Self::Sustained { shape: Shape { m, n, k }, format } => {
                write!(f, "sustained {} {m}x{n}x{k}", format.name())
            }
            Self::Launch(kind) => write!(f, "launch {}", kind.name()),
            Self::HostCopy { memory, direction, bytes } => {
                let memory = if *memory == HostMemory::Pinned { "pinned" } else { "pageable" };
                let direction = match direction {
                    Direction::H2d => "h2d",
                    Direction::D2h => "d2h",
                    Direction::Both => "both",
                };
                write!(f, "host-copy {memory} {direction} {bytes}")
            }
            Self::PeerCopy { from, to, bytes } => write!(f, "peer-copy {from} {to} {bytes}"),
            Self::Collective { operation, ranks, bytes } => {
                write!(f, "collective {} {ranks} {bytes}", operation.name())
            }
        }
    }
}

/// Why the device holds its clock down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Throttle {
    /// Power limit.
    Power,
    /// Temperature.
    Thermal,
    /// A brake asserted by the board or the rack.
    Hardware,
    /// Another reason the driver names; idle and application clocks are none.
    Other,
}

/// State of the device around a batch; `None` where the driver does not tell.
#[derive(Debug, Clone, PartialEq, Default, serde::Deserialize, serde::Serialize)]
pub struct Environment {
    /// Clock of the multiprocessors in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_mhz: Option<f64>,
    /// Clock of the memory in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mhz: Option<f64>,
    /// Board power.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watts: Option<f64>,
    /// Temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<f64>,
    /// Reasons, empty when none; `None` when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Vec<Throttle>>,
}

/// One timed batch: `count` executions between two events.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Time of the whole batch.
    pub elapsed: Seconds,
    /// Executions in it.
    pub count: u64,
    /// Floating-point work of one execution; devices take it from [`Item::work`] where that knows it.
    pub work: FlopCount,
    /// The results of this item were compared with known ones and agreed.
    pub checked: bool,
    /// State of the device near the batch.
    pub environment: Option<Environment>,
}

impl Batch {
    /// Time of one execution.
    pub fn each(&self) -> Seconds {
        self.elapsed / self.count.max(1) as f64
    }
}
