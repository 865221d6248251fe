//! How far to trust a prediction: the spread of ln(time).

use super::{MemoryEstimate, Scenario, StepEstimate};
use crate::profile::{Defaults, Grade, KernelKind, StackProfile};
use crate::workload::{Base, Workload, WorkloadKind};

/// Memory above this share of usable makes published runs 12-25 % slower than arithmetic says (allocator pressure).
const PRESSURE_FROM: f64 = 0.95;
/// Extra spread under allocator pressure.
const PRESSURE_SIGMA: f64 = 0.10;
/// Extra spread on a GPU that the stack's fit has not seen, when it has seen others of the same architecture.
const OTHER_GPU_SIGMA: f64 = 0.08;
/// Extra spread on an architecture that the stack's fit has not seen.
const OTHER_ARCHITECTURE_SIGMA: f64 = 0.20;
/// Extra spread for each factor of e by which a model is outside the sizes that the fit has seen.
const OTHER_SIZE_SIGMA: f64 = 0.06;

/// Extra spread of frozen weights beside adapters, which no published run of the fits has; over 4-bit weights the kernels
/// that unpack them are unseen as well. Assumed, as large as that of an unseen architecture.
const ADAPTER_SIGMA: f64 = 0.20;

/// Extra spread where a host that nobody describes must prepare the samples: it may take twice as long as the GPUs, or hold up
/// nothing. Assumed.
const HOST_SIGMA: f64 = 0.35;

/// Longest sequence that pre-training of encoders fills with sentences.
const PADDED_FROM: u32 = 128;

/// Whether a source may skip the padding of a job: pre-training of encoders beyond 128 tokens, whose sentences are
/// shorter than that. Stacks with kernels of their own fill their sequences. Fine-tuning has two outputs per token in
/// place of the language-model head.
pub fn may_skip_padding(workload: &Workload, stack: &StackProfile) -> bool {
    let pre_training = workload.kind == WorkloadKind::Encoder && workload.head.operators.len() > 1;
    pre_training && stack.kernels == KernelKind::Framework && workload.rows_per_sample > PADDED_FROM
}

/// Standard deviation of ln(time) of a job; `source` is that of a published run, a user's own job has none.
///
/// A stack with a fit brings the spread of its residuals on models it had not seen, on this architecture if possible, and
/// over volumes the wider one of such networks;
/// independent causes add in squares: a site and a build of the software that the fit has not seen, a GPU or an
/// architecture outside it, a size outside it, adapters, padding that may be skipped, full memory. Terms whose own evidence is worse than a published
/// measurement (an assumed network, for one) count with the spread of their grade, weighted by their share of the step,
/// and so do all terms of a stack without a fit.
pub fn uncertainty(
    scenario: &Scenario<'_>,
    step: &StepEstimate,
    memory: &MemoryEstimate,
    defaults: &Defaults,
    source: Option<&str>,
) -> f64 {
    let stack = scenario.stack;
    let gpu = scenario.machine.gpu;
    let fitted = stack.grade == Grade::B;
    let volumes = stack.residual_volumes.filter(|_| scenario.workload.over_volumes());
    let base = volumes.unwrap_or(0.0).max(stack.residual_on(&gpu.architecture));
    let total = step.total();
    let spread = |grade: Grade| match grade {
        Grade::D => defaults.sigma(Grade::D).max(base),
        _ if fitted => base,
        other => defaults.sigma(other),
    };
    let terms: f64 = step.terms().map(|t| t.time / total * spread(t.grade)).sum();
    let mut square = terms * terms;
    if fitted && !stack.fitted_gpus.contains(&gpu.id) {
        let same = stack.residual_by_architecture.iter().any(|(name, _)| *name == gpu.architecture);
        let extra = if same { OTHER_GPU_SIGMA } else { OTHER_ARCHITECTURE_SIGMA };
        square += extra * extra;
    }
    let seen = source.is_some_and(|name| stack.fitted_sources.iter().any(|s| s == name));
    if fitted && !seen {
        let extra = stack.other_source.unwrap_or(defaults.other_source_sigma);
        square += extra * extra;
    }
    if scenario.workload.base != Base::Trained {
        square += ADAPTER_SIGMA * ADAPTER_SIGMA;
    }
    if scenario.input.is_some_and(|input| input.host_unknown) {
        square += HOST_SIGMA * HOST_SIGMA;
    }
    if may_skip_padding(scenario.workload, stack) {
        square += defaults.padding_sigma * defaults.padding_sigma;
    }
    let beyond = OTHER_SIZE_SIGMA * stack.beyond_fitted_size(scenario.workload.parameters).ln();
    square += beyond * beyond;
    if memory.share() > PRESSURE_FROM {
        square += PRESSURE_SIGMA * PRESSURE_SIGMA;
    }
    square.sqrt()
}
