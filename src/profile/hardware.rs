//! What one GPU does alone.

use super::{ConvolutionProfile, Grade, RecurrentProfile};
use crate::catalog::Precision;
use crate::units::{Bytes, BytesPerSecond, FlopCount, FlopRate, Seconds};

/// Saturating rate of matrix products at one precision.
///
/// Work term for an m x n x k product: `C = 2mnk / peak * (1 + m0/m)(1 + n0/n)(1 + k0/k)`. Where the matrix units are
/// held back ([`cap`](Self::cap)), see [`HardwareProfile::arithmetic`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatmulProfile {
    /// Rate of an infinitely large product.
    pub peak: FlopRate,
    /// Half-saturation size of m.
    pub m0: f64,
    /// Half-saturation size of n.
    pub n0: f64,
    /// Half-saturation size of k.
    pub k0: f64,
    /// Rate of the matrix units over the rate at which the rest of the multiprocessor could feed them: 1, and less
    /// where the maker holds the units back.
    pub cap: f64,
    /// Evidence for these numbers.
    pub grade: Grade,
    /// Median of |predicted / measured - 1| over the shapes of the fit, where it was fitted.
    pub residual_median: Option<f64>,
}

/// Sides of an output tile of a matrix product.
const TILE: f64 = 128.0;
/// Inner sum that a multiprocessor takes before another shares it.
const SPLIT: f64 = 8.0 * TILE;
/// Waves of tiles from which a short side costs half of what it does in one wave.
const FULL_WAVES: f64 = 16.0;

/// Roofline of one GPU model.
#[derive(Debug, Clone, PartialEq)]
pub struct HardwareProfile {
    /// GPU id in the catalog.
    pub gpu: String,
    /// Sustained DRAM bandwidth of a copy kernel.
    pub dram: BytesPerSecond,
    /// Evidence for `dram`.
    pub dram_grade: Grade,
    /// Device-side floor of one kernel.
    pub launch: Seconds,
    /// Evidence for `launch`.
    pub launch_grade: Grade,
    /// Exponent p of the p-norm that joins work and traffic.
    pub norm: f64,
    /// By [`Precision`] in declaration order; `None` where impossible.
    pub matmul: [Option<MatmulProfile>; 5],
    /// Convolutions on matrix units and on ordinary cores.
    pub convolution: [ConvolutionProfile; 2],
    /// Recurrent layers.
    pub recurrent: RecurrentProfile,
    /// Rate of fused attention against matrix products, relative to the architecture that the kernels were written for.
    pub fused_attention: f64,
    /// Pinned host-to-device copies.
    pub host_to_device: BytesPerSecond,
    /// The measured relative that numbers were scaled from, if any.
    pub derived_from: Option<String>,
    /// Where the numbers are from, term by term.
    pub source: String,
}

impl HardwareProfile {
    /// The matrix-product profile at a precision.
    pub const fn matmul(&self, precision: Precision) -> Option<&MatmulProfile> {
        self.matmul[precision as usize].as_ref()
    }

    /// Convolutions at a precision.
    pub const fn convolution(&self, precision: Precision) -> &ConvolutionProfile {
        &self.convolution[if matches!(precision, Precision::Fp32) { 1 } else { 0 }]
    }

    /// True when nothing but the data sheet speaks for this GPU.
    pub fn is_datasheet(&self) -> bool {
        let mut products = self.matmul.iter().flatten();
        self.dram_grade == Grade::D && self.launch_grade == Grade::D && products.all(|m| m.grade == Grade::D)
    }

    /// Worst grade of the numbers used at a precision.
    pub fn grade(&self, precision: Precision) -> Grade {
        self.matmul(precision).map_or(Grade::D, |m| m.grade.max(self.dram_grade))
    }

    /// Time of work `C` and traffic `M` together: `(C^p + M^p)^(1/p)`.
    ///
    /// Source: fits on published intensity sweeps, where this form beats `max` and `sum` on every GPU.
    /// At p = 2 work of 3 s and traffic of 4 s take 5 s.
    pub fn join(&self, work: Seconds, traffic: Seconds) -> Seconds {
        let (c, m) = (work.get(), traffic.get());
        let (large, small) = if c > m { (c, m) } else { (m, c) };
        if large <= 0.0 {
            return Seconds::ZERO;
        }
        let part = (small / large).powf(self.norm);
        if part < 1e-12 {
            return Seconds::new(large);
        }
        Seconds::new(large * (part.ln_1p() / self.norm).exp())
    }

    /// Time of `flop` at `slowdown` times the time at the rate of a very large product, of which `shape` is what the
    /// sides of the product cost the matrix units themselves; the rest is software and the data path that feeds them.
    ///
    /// Units held back to the share `cap` wait less for their data: software reaches the same rate as on an uncapped
    /// part, `cap * slowdown`, until the units themselves decide. Both are joined as work and traffic are. Source:
    /// measured training rates of cards with halved units beside their uncapped siblings, which lie 10 to 30 % and
    /// not 50 % apart (METHODOLOGY, "One operator").
    pub fn arithmetic(&self, product: &MatmulProfile, flop: FlopCount, slowdown: f64, shape: f64) -> Seconds {
        let whole = flop / product.peak;
        if product.cap >= 1.0 {
            return whole * slowdown;
        }
        self.join(whole * (slowdown * product.cap), whole * shape)
    }

    /// Time of one `m x n x k` product with element size `element` bytes at `efficiency` of the profile, without
    /// the launch floor. Zero when the precision is impossible here.
    pub fn matrix_product(&self, precision: Precision, m: f64, n: f64, k: f64, efficiency: f64) -> Seconds {
        self.product(precision, [m, n, k], efficiency, 1.0)
    }

    /// The same where the other sides may make up for a short one: `multiprocessors` of the GPU are busy as long as there are tiles
    /// enough, whichever side these come from; sums over a long k are divided among them.
    ///
    /// `(1 + m0/m)(1 + n0/n)` was fitted to products whose sides are alike. A batch of a million records times 256 outputs has 16,000
    /// tiles, and leaves no multiprocessor idle.
    pub fn batch_product(
        &self,
        precision: Precision,
        sides: [f64; 3],
        efficiency: f64,
        multiprocessors: f64,
    ) -> Seconds {
        let [m, n, k] = sides;
        let tiles = (m / TILE).max(1.0) * (n / TILE).max(1.0) * (k / SPLIT).max(1.0);
        let waves = tiles / multiprocessors;
        self.product(precision, sides, efficiency, 1.0 / (1.0 + waves / FULL_WAVES))
    }

    /// `idle` is how far short sides m and n count.
    fn product(&self, precision: Precision, [m, n, k]: [f64; 3], efficiency: f64, idle: f64) -> Seconds {
        let Some(profile) = self.matmul(precision) else { return Seconds::ZERO };
        let saturation =
            (1.0 + profile.m0 / m * idle) * (1.0 + profile.n0 / n * idle) * (1.0 + profile.k0 / k);
        let flop = FlopCount::new(2.0 * m * n * k);
        let work = self.arithmetic(profile, flop, saturation / efficiency, saturation);
        let traffic = Bytes::new((m * n + n * k + m * k) * precision.element_bytes()) / self.dram;
        self.join(work, traffic)
    }
}
