//! Profiles of GPUs that nobody measured: stated shares of datasheet figures, grade D.

use super::{ConvolutionProfile, Defaults, Grade, HardwareProfile, MatmulProfile, RecurrentProfile};
use crate::catalog::{GpuSpec, Precision};
use crate::units::FlopRate;

/// The profile of a GPU without a file.
pub(super) fn hardware(gpu: &GpuSpec, defaults: &Defaults) -> HardwareProfile {
    let rule = &defaults.datasheet;
    HardwareProfile {
        gpu: gpu.id.clone(),
        // A part without a stated bandwidth has no stated peak either: no precision, hence never simulated.
        dram: gpu.memory_bandwidth.unwrap_or_default() * rule.dram,
        dram_grade: Grade::D,
        launch: rule.launch,
        launch_grade: Grade::D,
        norm: rule.norm,
        matmul: Precision::ALL.map(|p| matmul(gpu, p, defaults)),
        host_to_device: defaults.slot(gpu).1,
        convolution: [ConvolutionProfile::UNKNOWN; 2],
        recurrent: RecurrentProfile::UNKNOWN,
        fused_attention: 1.0,
        derived_from: None,
        source: format!("datasheet; {}", rule.source),
    }
}

/// Matrix products of a GPU at a precision: `peak = share x dense peak`, sizes scaled by its multiprocessors.
///
/// Matrix units held back reach nearly all of their peak, since what feeds them was built for more.
pub(super) fn matmul(gpu: &GpuSpec, precision: Precision, defaults: &Defaults) -> Option<MatmulProfile> {
    let rule = &defaults.datasheet;
    gpu.memory_bandwidth?;
    let peak = gpu.peak(precision)?;
    let vector = !gpu.uses_matrix_units(precision);
    let (per_multiprocessor, k0) = if vector {
        (rule.per_multiprocessor_vector, rule.k0_vector)
    } else {
        (rule.per_multiprocessor, rule.k0)
    };
    let held_back = gpu.unit_share(precision) < 1.0;
    let sustained = peak * if held_back { rule.fraction_capped } else { rule.fraction(precision, vector) };
    let size = per_multiprocessor * f64::from(gpu.multiprocessors.unwrap_or(rule.multiprocessors));
    Some(MatmulProfile {
        peak: sustained,
        m0: size,
        n0: size,
        k0,
        cap: cap(gpu, precision, sustained, defaults),
        grade: Grade::D,
        residual_median: None,
    })
}

/// The rate `sustained` of the matrix units over the rate at which what feeds them sustains whole ones,
/// `fraction x dense peak / unit share`; 1 where nothing is held back.
pub(super) fn cap(gpu: &GpuSpec, precision: Precision, sustained: FlopRate, defaults: &Defaults) -> f64 {
    let share = gpu.unit_share(precision);
    let Some(peak) = gpu.peak(precision).filter(|_| share < 1.0) else { return 1.0 };
    let fed = peak * (defaults.datasheet.fraction(precision, false) / share);
    (sustained / fed).min(1.0)
}
