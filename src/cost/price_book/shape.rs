//! What a price list says about the machines that it prices, against the catalog: columns that are checked, not imported.
//!
//! Memory as sold is binary whatever the unit says (the catalog's rule), so "80 GB" for 80 GiB is no oddity; a number that
//! someone converted with the wrong one of the two units is. Peaks of the catalog are dense: twice of one of them is the
//! figure with structured sparsity, which training does not reach.

use super::lint::{LintKind, PriceLint};
use crate::catalog::{Catalog, GpuSpec, InstanceId};
use crate::units::parse::parse_quantity;
use crate::units::{Bytes, FlopRate};

/// Sizes and rates that differ by no more than this share are the same.
const SAME: f64 = 0.02;

/// What a row states about one node; nothing is required.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stated {
    /// GPUs of a node.
    pub gpus: Option<f64>,
    /// Memory of one GPU.
    pub gpu_memory: Option<Bytes>,
    /// Memory of the host.
    pub memory: Option<Bytes>,
    /// Peak rate of one GPU.
    pub peak: Option<FlopRate>,
}

/// Memory as it is written in a list; the decimal unit is read as the binary one where `sold` is the very number.
///
/// # Errors
/// When there is no number with a unit of bytes.
pub(super) fn memory_as_sold(text: &str, sold: Option<Bytes>) -> Result<Bytes, String> {
    let stated: Bytes = parse_quantity(text).map_err(|e| format!("{e}; such as \"32 GiB\""))?;
    let decimal = text.trim().ends_with("GB");
    Ok(match sold {
        Some(sold) if decimal && (stated.gb() - sold.gib()).abs() < 1e-6 => sold,
        _ => stated,
    })
}

/// Everything about a row that does not agree with the catalog's record of the instance type.
pub fn odd_shape(stated: &Stated, id: InstanceId, line: usize, catalog: &Catalog) -> Vec<PriceLint> {
    let it = catalog.instance(id);
    let gpu = catalog.gpus.get(usize::from(it.gpu.0));
    let mut found = Vec::new();
    let mut odd = |kind, why: String| {
        found.push(PriceLint { kind, line, message: format!("{}: {why}", it.key()) });
    };
    if let Some(gpus) = stated.gpus
        && gpus != f64::from(it.gpu_count)
    {
        let why = format!(
            "states {gpus} GPUs; the catalog has {} in this node: is it a price per GPU?",
            it.gpu_count
        );
        odd(LintKind::GpuCount, why);
    }
    let sizes = [
        ("memory of a GPU", stated.gpu_memory, gpu.map(|g| g.memory_nominal)),
        ("memory of the host", stated.memory, it.memory),
    ];
    for (what, stated, ours) in sizes {
        if let (Some(stated), Some(ours)) = (stated, ours)
            && let Some(why) = memory_oddity(stated, ours)
        {
            let why =
                format!("{what} of {:.1} GiB, in the catalog {:.1} GiB: {why}", stated.gib(), ours.gib());
            odd(LintKind::MemoryUnit, why);
        }
    }
    if let (Some(peak), Some(gpu)) = (stated.peak, gpu)
        && let Some(why) = peak_oddity(peak, gpu)
    {
        odd(LintKind::SparsePeak, why);
    }
    found
}

/// Why a size does not agree with the catalog's.
fn memory_oddity(stated: Bytes, ours: Bytes) -> Option<&'static str> {
    let ratio = stated / ours;
    if (ratio - 1.0).abs() <= SAME {
        return None;
    }
    let giga = Bytes::from_gib(1.0) / Bytes::from_gb(1.0);
    let mixed = [giga, giga.recip()].into_iter().any(|confused| (ratio / confused - 1.0).abs() <= SAME / 2.0);
    Some(if mixed { "GB and GiB are mixed up" } else { "it is not the same machine" })
}

/// Why a peak does not agree with the GPU's dense ones.
fn peak_oddity(stated: FlopRate, gpu: &GpuSpec) -> Option<String> {
    let peaks = &gpu.peaks;
    let dense: Vec<FlopRate> = [
        peaks.fp64,
        peaks.fp64_tensor,
        peaks.fp32,
        peaks.tf32,
        peaks.fp16,
        peaks.fp16_tensor,
        peaks.bf16,
        peaks.fp8,
    ]
    .into_iter()
    .flatten()
    .collect();
    let is = |times: f64| dense.iter().any(|&d| (stated / d / times - 1.0).abs() <= SAME);
    if dense.is_empty() || is(1.0) {
        return None;
    }
    let tera = stated.tera();
    Some(if is(2.0) {
        format!(
            "a peak of {tera:.0} TFLOP/s is twice a dense one of the {}: the figure with sparsity",
            gpu.name
        )
    } else {
        format!("a peak of {tera:.0} TFLOP/s is none of the {}", gpu.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> FlopRate {
        parse_quantity(text).unwrap()
    }

    fn gpu() -> GpuSpec {
        let mut gpu = Catalog::embedded().unwrap().gpus.first().unwrap().clone();
        gpu.peaks = crate::catalog::Peaks { fp16_tensor: Some(rate("312 TFLOP/s")), ..Default::default() };
        gpu
    }

    #[test]
    fn a_peak_with_sparsity_is_told_from_a_dense_one() {
        assert_eq!(peak_oddity(rate("312 TFLOP/s"), &gpu()), None);
        assert!(peak_oddity(rate("624 TFLOP/s"), &gpu()).unwrap().contains("sparsity"));
        assert!(peak_oddity(rate("400 TFLOP/s"), &gpu()).unwrap().contains("is none of"));
    }

    #[test]
    fn gigabytes_that_were_converted_wrongly_are_told_from_sizes_as_sold() {
        let sold = Bytes::from_gib(32.0);
        for good in ["32 GiB", "32 GB", "34.36 GB"] {
            let stated = memory_as_sold(good, Some(sold)).unwrap();
            assert_eq!(memory_oddity(stated, sold), None, "{good}");
        }
        for mixed in ["29.8 GiB", "34.36 GiB", "29.8 GB"] {
            let stated = memory_as_sold(mixed, Some(sold)).unwrap();
            assert!(memory_oddity(stated, sold).is_some(), "{mixed}");
        }
        assert_eq!(memory_oddity(Bytes::from_gib(29.8), sold), Some("GB and GiB are mixed up"));
        assert_eq!(memory_oddity(Bytes::from_gib(16.0), sold), Some("it is not the same machine"));
        assert!(memory_as_sold("32", Some(sold)).is_err(), "a unit is needed");
    }
}
