//! Which record of the catalog a device is.

use super::device::DeviceFacts;
use crate::catalog::GpuSpec;

/// Memory as the driver counts it may differ so much from what is sold.
const MEMORY: std::ops::RangeInclusive<f64> = 0.85..=1.05;

/// The catalog id of a device by its name and memory; `None` when none or several fit.
///
/// The driver joins family, form and memory into a name. A record fits when the first word of its id is a word of the
/// name and its memory is that of the device; of several the one with most words in the name.
pub fn identify(facts: &DeviceFacts, gpus: &[GpuSpec]) -> Option<String> {
    let name = facts.name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let mut best: Vec<(usize, &str)> = Vec::new();
    for gpu in gpus {
        let mut parts = gpu.id.split('-');
        let family = parts.next().unwrap_or_default();
        let fits = facts.memory.is_none_or(|m| MEMORY.contains(&(m as f64 / gpu.memory_nominal.get())));
        if !words.contains(&family) || !fits {
            continue;
        }
        // The form may carry a version: the name says the fourth, the id only the kind.
        let known = |part: &str| {
            words.iter().any(|w| {
                *w == part || w.strip_prefix(part).is_some_and(|v| v.chars().all(|c| c.is_ascii_digit()))
            })
        };
        best.push((parts.filter(|part| known(part)).count(), &gpu.id));
    }
    let most = best.iter().map(|(count, _)| *count).max()?;
    let mut winners = best.iter().filter(|(count, _)| *count == most);
    match (winners.next(), winners.next()) {
        (Some((_, id)), None) => Some((*id).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::DeviceKind;
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn names_that_drivers_give_are_found_in_the_catalog() {
        let catalog = Catalog::embedded().unwrap();
        let named = |name: &str, gib: u64| {
            let facts = DeviceFacts { memory: Some(gib << 30), ..DeviceFacts::new(DeviceKind::Cuda, name) };
            identify(&facts, &catalog.gpus)
        };
        assert_eq!(named("Tesla V100-SXM2-16GB", 16).as_deref(), Some("v100-sxm2-16gb"));
        assert_eq!(named("Tesla V100-SXM2-32GB", 32).as_deref(), Some("v100-sxm2-32gb"));
        assert_eq!(named("Tesla V100-PCIE-32GB", 32).as_deref(), Some("v100-pcie-32gb"));
        assert_eq!(named("NVIDIA A100-SXM4-80GB", 79).as_deref(), Some("a100-sxm-80gb"));
        assert_eq!(named("NVIDIA A100-SXM4-40GB", 39).as_deref(), Some("a100-sxm-40gb"));
        assert_eq!(named("NVIDIA A100 80GB PCIe", 79).as_deref(), Some("a100-pcie-80gb"));
        assert_eq!(named("NVIDIA H200", 140).as_deref(), Some("h200-sxm"));
        assert_eq!(named("Tesla T4", 15).as_deref(), Some("t4"));
        assert_eq!(named("GeForce 256", 1), None);
    }
}
