//! GPU models: dense peaks, memory, links, capabilities.

use super::Provenance;
use crate::units::{Bytes, BytesPerSecond, FlopRate, Watts};

/// Index of a GPU in [`Catalog::gpus`](super::Catalog::gpus).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuId(pub u16);

/// How sure the numbers of a record are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Read in the vendor's own document or measured.
    High,
    /// One secondary source, or partly known.
    Medium,
    /// Recalled or conflicting.
    Low,
}

/// Where the usable memory of a GPU is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum UsableBasis {
    /// Read in a log or a document.
    Read,
    /// Known from what drivers report, not read.
    Recalled,
    /// Nominal times the share of its memory class, see `FORMAT.md`.
    Derived,
}

/// Number format of the matrix products of a training step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit on ordinary cores.
    Fp32,
    /// 32-bit storage, TF32 tensor cores.
    Tf32,
    /// 16-bit IEEE with loss scaling and FP32 master weights.
    Fp16,
    /// bfloat16 with FP32 master weights.
    Bf16,
    /// 8-bit matrix products over bfloat16 storage.
    Fp8,
}

impl Precision {
    /// All precisions, for messages and help.
    pub const ALL: [Self; 5] = [Self::Fp32, Self::Tf32, Self::Fp16, Self::Bf16, Self::Fp8];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
        }
    }

    /// What takes its place on a part that lacks it; `None` where nothing does.
    pub const fn instead(self) -> Option<Self> {
        match self {
            Self::Fp32 => None,
            Self::Tf32 | Self::Fp16 => Some(Self::Fp32),
            Self::Bf16 => Some(Self::Fp16),
            Self::Fp8 => Some(Self::Bf16),
        }
    }

    /// Bytes of one stored activation or weight element.
    pub const fn element_bytes(self) -> f64 {
        match self {
            Self::Fp32 | Self::Tf32 => 4.0,
            Self::Fp16 | Self::Bf16 | Self::Fp8 => 2.0,
        }
    }

    /// True for recipes that keep FP32 master weights beside 16-bit ones.
    pub const fn is_mixed(self) -> bool {
        matches!(self, Self::Fp16 | Self::Bf16 | Self::Fp8)
    }
}

/// Dense peak rates; `None` where the hardware has no such unit or the figure is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Peaks {
    /// FP64 on ordinary cores.
    pub fp64: Option<FlopRate>,
    /// FP64 on tensor cores.
    pub fp64_tensor: Option<FlopRate>,
    /// FP32 on ordinary cores.
    pub fp32: Option<FlopRate>,
    /// TF32 tensor cores.
    pub tf32: Option<FlopRate>,
    /// FP16 on ordinary cores.
    pub fp16: Option<FlopRate>,
    /// FP16 tensor cores with FP32 accumulation.
    pub fp16_tensor: Option<FlopRate>,
    /// BF16 tensor cores.
    pub bf16: Option<FlopRate>,
    /// FP8 tensor cores.
    pub fp8: Option<FlopRate>,
    /// INT8 operations.
    pub int8: Option<FlopRate>,
}

/// One GPU model.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuSpec {
    /// Id, such as in `gpus.toml`; unique.
    pub id: String,
    /// Alias that stands for several ids on the command line, if any.
    pub group: Option<String>,
    /// Maker.
    pub vendor: String,
    /// Name for people.
    pub name: String,
    /// Architecture name.
    pub architecture: String,
    /// Compute capability of NVIDIA parts.
    pub compute_capability: Option<(u8, u8)>,
    /// Streaming multiprocessors or compute units.
    pub multiprocessors: Option<u32>,
    /// Boost clock in MHz.
    pub boost_mhz: Option<u32>,
    /// Dense peaks.
    pub peaks: Peaks,
    /// Rate of the matrix units over that of the same units in the uncapped parts of this compute capability: makers
    /// halve it on cards for games and some for the cloud. 1 where nothing is held back.
    pub matrix_unit_share: f64,
    /// Capacity as sold (marketing gigabytes are gibibytes on nearly all parts, see `FORMAT.md`).
    pub memory_nominal: Bytes,
    /// Memory technology, such as `HBM2e`.
    pub memory_type: Option<String>,
    /// What a framework can allocate of it, after ECC and driver reservation.
    pub memory_usable: Bytes,
    /// Where `memory_usable` is from.
    pub memory_usable_basis: UsableBasis,
    /// Peak DRAM bandwidth; `None` when no source states it.
    pub memory_bandwidth: Option<BytesPerSecond>,
    /// L2 cache.
    pub l2: Option<Bytes>,
    /// Direct GPU-to-GPU link, per direction and GPU; `None` when there is only PCIe.
    pub link_per_direction: Option<BytesPerSecond>,
    /// Name of that link, for people.
    pub link_name: Option<String>,
    /// Default class of the links inside a node (a key of `networks.toml`).
    pub default_node_link: String,
    /// PCIe generation and lanes.
    pub pcie: Option<(u8, u8)>,
    /// Board power.
    pub tdp: Option<Watts>,
    /// Year of launch.
    pub launch_year: Option<u16>,
    /// Highest FlashAttention generation with a training kernel for this part: 0 none, 2 or 3.
    pub flash_attention: u8,
    /// Most slices with memory of their own (MIG); `None` where it cannot be sliced so.
    pub mig_instances: Option<u8>,
    /// Trust in the numbers.
    pub confidence: Confidence,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}

impl GpuSpec {
    /// Dense peak of the matrix units at a precision; `None` when the part cannot do it.
    ///
    /// Plain FP16 falls back to the ordinary cores where there is no tensor core.
    pub fn peak(&self, precision: Precision) -> Option<FlopRate> {
        match precision {
            Precision::Fp32 => self.peaks.fp32,
            Precision::Tf32 => self.peaks.tf32,
            Precision::Fp16 => self.peaks.fp16_tensor.or(self.peaks.fp16),
            Precision::Bf16 => self.peaks.bf16,
            Precision::Fp8 => self.peaks.fp8,
        }
    }

    /// Whether the peak of a precision is that of matrix units and not of the ordinary cores.
    pub const fn uses_matrix_units(&self, precision: Precision) -> bool {
        match precision {
            Precision::Fp32 => false,
            Precision::Fp16 => self.peaks.fp16_tensor.is_some(),
            Precision::Tf32 | Precision::Bf16 | Precision::Fp8 => true,
        }
    }

    /// What is left to a precision of the rate of the units it runs on; see
    /// [`matrix_unit_share`](Self::matrix_unit_share).
    pub const fn unit_share(&self, precision: Precision) -> f64 {
        if self.uses_matrix_units(precision) { self.matrix_unit_share } else { 1.0 }
    }

    /// The precisions this part can train in, most capable last.
    pub fn precisions(&self) -> Vec<Precision> {
        Precision::ALL.into_iter().filter(|&p| self.peak(p).is_some()).collect()
    }
}
