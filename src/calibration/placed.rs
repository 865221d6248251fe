//! The operators of a workload as products to measure, and as points on a roofline.

use super::fit_curve::join;
use super::measurement::Shape;
use crate::catalog::Precision;
use crate::profile::HardwareProfile;
use crate::units::FlopCount;
use crate::workload::{Operator, Workload};

/// Most shapes of a user's model.
const MOST_SHAPES: usize = 12;

/// What takes longest of one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binds {
    /// Arithmetic.
    Compute,
    /// DRAM.
    Memory,
    /// The launch.
    Launch,
}

/// One operator on a roofline.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Name of the operator.
    pub name: &'static str,
    /// Intensity.
    pub flop_per_byte: f64,
    /// Predicted rate, TFLOP/s.
    pub tflop_per_s: f64,
    /// What binds.
    pub binds: Binds,
}

/// Sides of every matrix product and convolution of a workload, in its order: (name, m, n, k) for so many rows.
fn products(workload: &Workload, samples: f64) -> Vec<(&'static str, f64, f64, f64)> {
    let rows = samples * f64::from(workload.rows_per_sample);
    let mut found = Vec::new();
    let blocks =
        std::iter::once(&workload.input).chain(&workload.body).chain(std::iter::once(&workload.head));
    for block in blocks {
        let rows = rows * block.row_share;
        for operator in &block.operators {
            match *operator.whole() {
                Operator::MatrixProduct { name, inputs, outputs, .. } => {
                    found.push((name, rows, outputs, inputs));
                }
                Operator::Convolution { name, inputs, outputs, taps, groups, output_positions, .. } => {
                    found.push((name, rows * output_positions, outputs / groups, inputs / groups * taps));
                }
                _ => {}
            }
        }
    }
    found
}

/// The different forward products of one sample, the largest first, at most a dozen.
pub fn own_shapes(workload: &Workload) -> Vec<Shape> {
    let side = |v: f64| (v.round() as u32).max(1);
    let mut shapes: Vec<Shape> = products(workload, 1.0)
        .into_iter()
        .map(|(_, m, n, k)| Shape { m: side(m), n: side(n), k: side(k) })
        .collect();
    shapes.sort_unstable();
    shapes.dedup();
    shapes.sort_by(|a, b| b.work().get().total_cmp(&a.work().get()));
    shapes.truncate(MOST_SHAPES);
    shapes
}

/// The different products of a batch on a roofline, by falling work, at most a dozen.
pub fn placed(
    workload: &Workload,
    samples: f64,
    profile: &HardwareProfile,
    precision: Precision,
) -> Vec<Placed> {
    let Some(matmul) = profile.matmul(precision) else { return Vec::new() };
    let mut all = products(workload, samples);
    all.sort_by(|a, b| (b.1 * b.2 * b.3).total_cmp(&(a.1 * a.2 * a.3)));
    all.dedup_by(|a, b| (a.1, a.2, a.3) == (b.1, b.2, b.3));
    all.truncate(MOST_SHAPES);
    let place = |(name, m, n, k): (&'static str, f64, f64, f64)| {
        let work = 2.0 * m * n * k;
        let bytes = (m * n + n * k + m * k) * precision.element_bytes();
        let saturation = (1.0 + matmul.m0 / m) * (1.0 + matmul.n0 / n) * (1.0 + matmul.k0 / k);
        let compute = profile.arithmetic(matmul, FlopCount::new(work), saturation, saturation).get();
        let memory = bytes / profile.dram.get();
        let floor = profile.launch.get();
        let binds = match () {
            () if floor > compute.max(memory) => Binds::Launch,
            () if compute > memory => Binds::Compute,
            () => Binds::Memory,
        };
        let rate = work / (floor + join(compute, memory, profile.norm));
        Placed { name, flop_per_byte: work / bytes, tflop_per_s: super::measured::tera(rate), binds }
    };
    all.into_iter().map(place).collect()
}
