//! Which precision and attention kernel a job gets on a GPU with a software stack.

use super::rejection::RejectionReason;
use crate::catalog::{CapabilityKind, GpuSpec, Precision};
use crate::profile::StackProfile;
use crate::workload::Job;

/// The precision a job trains in on this GPU, and why when the program chose it.
///
/// Asked for: it must exist on the GPU and in the stack. Otherwise the best mixed 16-bit one: bf16 where the GPU has
/// it, else fp16 with loss scaling; where neither can be, fp32.
///
/// # Errors
/// [`RejectionReason::Precision`] with what the GPU can do, [`RejectionReason::Stack`] when only the software lacks it.
pub fn resolve_precision(
    job: &Job,
    gpu: &GpuSpec,
    stack: &StackProfile,
) -> Result<(Precision, Option<&'static str>), RejectionReason> {
    let can = |p: Precision| gpu.peak(p).is_some() && stack.trains_in(p);
    if let Some(asked) = job.precision {
        if gpu.peak(asked).is_none() {
            return Err(lacks(asked, gpu, stack));
        }
        if !stack.trains_in(asked) {
            let names: Vec<&str> = stack.precisions.iter().map(|p| p.name()).collect();
            let why = format!("{} trains in {}, not in {}", stack.name, names.join(", "), asked.name());
            return Err(RejectionReason::Stack { why });
        }
        return Ok((asked, None));
    }
    let choices = [
        (Precision::Bf16, "bf16: mixed 16-bit precision, the GPU has it"),
        (Precision::Fp16, "fp16 with loss scaling: mixed 16-bit precision without bf16"),
        (Precision::Fp32, "fp32: no mixed precision here"),
    ];
    choices
        .into_iter()
        .find(|&(p, _)| can(p))
        .map(|(p, why)| (p, Some(why)))
        .ok_or_else(|| lacks(Precision::Fp16, gpu, stack))
}

/// The refusal of a precision, with the nearest one that GPU and software have.
fn lacks(asked: Precision, gpu: &GpuSpec, stack: &StackProfile) -> RejectionReason {
    let mut chain = std::iter::successors(asked.instead(), |p| p.instead());
    let nearest = chain.find(|&p| gpu.peak(p).is_some() && stack.trains_in(p));
    RejectionReason::Precision { asked, possible: gpu.precisions(), nearest }
}

/// The refusal of FlashAttention that the user asked for on a GPU without a kernel for it.
pub fn no_kernel(asked: Option<bool>, gpu: &GpuSpec) -> Option<RejectionReason> {
    let lacks = asked == Some(true) && !gpu.has(CapabilityKind::FlashAttention2);
    lacks.then_some(RejectionReason::NoKernel)
}
