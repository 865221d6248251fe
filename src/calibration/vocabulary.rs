//! The words of measurements: formats, kernels, layouts, directions, operations.

use crate::catalog::Precision;
use crate::units::{Bytes, FlopCount};

/// Number format of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// 64-bit IEEE.
    Fp64,
    /// 32-bit IEEE.
    Fp32,
    /// 32-bit storage with a short mantissa, matrix units only.
    Tf32,
    /// 16-bit IEEE.
    Fp16,
    /// 16-bit with the exponent of FP32.
    Bf16,
    /// 8-bit (e4m3), matrix units only.
    Fp8,
    /// 8-bit integers, matrix units only.
    Int8,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 7] =
        [Self::Fp64, Self::Fp32, Self::Tf32, Self::Fp16, Self::Bf16, Self::Fp8, Self::Int8];

    /// The name in traces and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Tf32 => "tf32",
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
        }
    }

    /// The training precision whose products use this format; `None` for formats nobody trains in.
    pub const fn precision(self) -> Option<Precision> {
        match self {
            Self::Fp32 => Some(Precision::Fp32),
            Self::Tf32 => Some(Precision::Tf32),
            Self::Fp16 => Some(Precision::Fp16),
            Self::Bf16 => Some(Precision::Bf16),
            Self::Fp8 => Some(Precision::Fp8),
            Self::Fp64 | Self::Int8 => None,
        }
    }

    /// The format of a training precision's products.
    pub const fn of(precision: Precision) -> Self {
        match precision {
            Precision::Fp32 => Self::Fp32,
            Precision::Tf32 => Self::Tf32,
            Precision::Fp16 => Self::Fp16,
            Precision::Bf16 => Self::Bf16,
            Precision::Fp8 => Self::Fp8,
        }
    }

    /// Bytes of one operand element.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Fp64 => 8,
            Self::Fp32 | Self::Tf32 => 4,
            Self::Fp16 | Self::Bf16 => 2,
            Self::Fp8 | Self::Int8 => 1,
        }
    }

    /// Bytes of one element of the result of a product in this format: 8-bit products write 16 bits.
    pub const fn result_bytes(self) -> u64 {
        match self {
            Self::Fp8 | Self::Int8 => 2,
            other => other.bytes(),
        }
    }

    /// The layout that every shape of a format is measured in.
    pub const fn first_layout(self) -> Layout {
        match self {
            Self::Fp8 => Layout::Tn,
            _ => Layout::Nn,
        }
    }

    /// True where a product exists: those of 8-bit floats have layout TN alone and sides that are multiples of 16
    /// (cuBLAS documentation, `cublasLtMatmul`, FP8 kernels).
    pub const fn has_product(self, shape: Shape, layout: Layout) -> bool {
        match self {
            Self::Fp8 => {
                matches!(layout, Layout::Tn)
                    && shape.m.is_multiple_of(16)
                    && shape.n.is_multiple_of(16)
                    && shape.k.is_multiple_of(16)
            }
            _ => true,
        }
    }
}

/// Units that do the arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cores {
    /// Ordinary cores, chains of fused multiply-adds; FP16 is packed by two.
    Vector,
    /// Tensor cores, chains of matrix multiply-adds with FP32 (INT32) accumulators.
    Matrix,
}

/// A kernel that moves data between DRAM and registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Sum of one array: 1 array read.
    Read,
    /// Fill of one array: 1 array written.
    Write,
    /// `b = a`: 1 read, 1 written.
    Copy,
    /// `c = a + s b`: 2 read, 1 written.
    Triad,
}

impl Stream {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Copy, Self::Triad];

    /// Arrays that one execution reads or writes.
    pub const fn arrays(self) -> u64 {
        match self {
            Self::Read | Self::Write => 1,
            Self::Copy => 2,
            Self::Triad => 3,
        }
    }

    /// The name in traces and profiles.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Copy => "copy",
            Self::Triad => "triad",
        }
    }
}

/// Operand layout of a product, column-major as BLAS says it: forward NN or TN, gradients NT and TN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Layout {
    /// Neither operand is transposed.
    Nn,
    /// The second is transposed.
    Nt,
    /// The first is transposed.
    Tn,
}

impl Layout {
    /// All layouts.
    pub const ALL: [Self; 3] = [Self::Nn, Self::Nt, Self::Tn];

    /// The name in traces and profiles.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nn => "NN",
            Self::Nt => "NT",
            Self::Tn => "TN",
        }
    }
}

/// An `m x n x k` product: m x k by k x n.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// Summed side.
    pub k: u32,
}

impl Shape {
    /// `2 m n k`.
    pub fn work(self) -> FlopCount {
        FlopCount::new(2.0 * f64::from(self.m) * f64::from(self.n) * f64::from(self.k))
    }

    /// Least traffic: both operands once and the result once.
    pub fn traffic(self, format: Format) -> Bytes {
        let (m, n, k) = (f64::from(self.m), f64::from(self.n), f64::from(self.k));
        Bytes::new((m * k + k * n) * format.bytes() as f64 + m * n * format.result_bytes() as f64)
    }
}

/// What the cost of a launch means; an execution is one launch of an empty kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Launch {
    /// Period of empty kernels back to back in one stream, on the device's clock.
    Stream,
    /// The same inside one graph.
    Graph,
    /// Launch and wait for it, on the host's clock.
    Synchronised,
    /// The call alone, on the host's clock.
    HostCall,
}

impl Launch {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Stream, Self::Graph, Self::Synchronised, Self::HostCall];

    /// The name in traces and profiles.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Graph => "graph",
            Self::Synchronised => "synchronised",
            Self::HostCall => "host-call",
        }
    }
}

/// Host memory of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HostMemory {
    /// Page-locked.
    Pinned,
    /// Ordinary.
    Pageable,
}

/// Direction of a copy between host and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Host to device.
    H2d,
    /// Device to host.
    D2h,
    /// Both at once, `bytes` each way.
    Both,
}

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collective {
    /// Every rank gets the sum.
    AllReduce,
    /// Every rank gets all parts.
    AllGather,
    /// Every rank gets its part of the sum.
    ReduceScatter,
    /// Every rank sends a part to every other.
    AllToAll,
    /// Ranks send to their successor on a ring.
    SendReceive,
}

impl Collective {
    /// All operations.
    pub const ALL: [Self; 5] =
        [Self::AllReduce, Self::AllGather, Self::ReduceScatter, Self::AllToAll, Self::SendReceive];

    /// The name in traces and profiles.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::SendReceive => "send-receive",
        }
    }

    /// Bytes on the busiest link over bytes of the operation: 2(n-1)/n for all-reduce. Source: nccl-tests.
    pub fn bus_factor(self, ranks: u32) -> f64 {
        let n = f64::from(ranks.max(2));
        match self {
            Self::AllReduce => 2.0 * (n - 1.0) / n,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll => (n - 1.0) / n,
            Self::SendReceive => 1.0,
        }
    }
}
