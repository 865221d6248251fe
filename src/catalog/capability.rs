//! What a way to compute needs of a GPU, and what takes its place elsewhere.

use super::{GpuSpec, Precision, Provenance};

/// A way to compute that not every part has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapabilityKind {
    /// TF32 matrix units.
    Tf32,
    /// bfloat16 matrix units.
    Bf16,
    /// FP8 matrix units.
    Fp8,
    /// Second generation of fused attention.
    #[serde(rename = "flash-attention-2")]
    FlashAttention2,
    /// Third generation of fused attention.
    #[serde(rename = "flash-attention-3")]
    FlashAttention3,
    /// Slices with memory of their own.
    Mig,
}

impl CapabilityKind {
    /// The kind in `capabilities.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tf32 => "tf32",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::FlashAttention2 => "flash-attention-2",
            Self::FlashAttention3 => "flash-attention-3",
            Self::Mig => "mig",
        }
    }

    /// What a precision needs; `None` where every part has it.
    pub const fn of(precision: Precision) -> Option<Self> {
        match precision {
            Precision::Fp32 | Precision::Fp16 => None,
            Precision::Tf32 => Some(Self::Tf32),
            Precision::Bf16 => Some(Self::Bf16),
            Precision::Fp8 => Some(Self::Fp8),
        }
    }
}

/// One way to compute.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    /// Which.
    pub kind: CapabilityKind,
    /// Name for people.
    pub name: String,
    /// First compute capability with it, on parts that have such a number.
    pub from: (u8, u8),
    /// First compute capability without it again.
    pub below: Option<(u8, u8)>,
    /// Id of the precision or capability that takes its place; `None` where nothing does.
    pub instead: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}

impl Capability {
    /// Whether parts of this compute capability may have it.
    pub fn covers(&self, compute_capability: (u8, u8)) -> bool {
        self.from <= compute_capability && self.below.is_none_or(|below| compute_capability < below)
    }
}

impl GpuSpec {
    /// Whether the part has it, by its own record.
    pub const fn has(&self, kind: CapabilityKind) -> bool {
        match kind {
            CapabilityKind::Tf32 => self.peaks.tf32.is_some(),
            CapabilityKind::Bf16 => self.peaks.bf16.is_some(),
            CapabilityKind::Fp8 => self.peaks.fp8.is_some(),
            CapabilityKind::FlashAttention2 => self.flash_attention >= 2,
            CapabilityKind::FlashAttention3 => self.flash_attention >= 3,
            CapabilityKind::Mig => self.mig_instances.is_some(),
        }
    }
}
