//! Whether a job moves to accelerators of another vendor than those its software is known to run on.

use crate::catalog::{Catalog, GpuSpec};
use crate::profile::{Profiles, StackProfile};

/// The vendor of a GPU that no fitted run of this software is from: software, kernels and model code must be ported to it, which is in no
/// figure. Software without a run of its own is known where any other is.
pub fn vendor_without_runs<'g>(
    catalog: &Catalog,
    profiles: &Profiles,
    gpu: &'g GpuSpec,
    stack: &StackProfile,
) -> Option<&'g str> {
    let is_of_vendor =
        |id: &String| catalog.find_gpu(id).is_some_and(|known| catalog.gpu(known).vendor == gpu.vendor);
    let has_run = |s: &StackProfile| s.fitted_gpus.iter().any(is_of_vendor);
    let proven =
        if stack.fitted_gpus.is_empty() { profiles.stacks.iter().any(has_run) } else { has_run(stack) };
    (!proven).then_some(gpu.vendor.as_str())
}
