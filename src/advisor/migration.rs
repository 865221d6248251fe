//! What a move from one cluster to another changes: which parts of the step, by what they are bound, what the new GPU
//! brings and lacks.

use super::simulation::{Estimate, Simulation};
use crate::catalog::{CapabilityKind, GpuSpec};
use crate::simulator::{Bound, TermKind};
use crate::units::Seconds;
use crate::workload::Job;

/// A part that takes less than this share of both steps is not worth a line.
const LEAST_SHARE: f64 = 0.01;

/// One part of a step on two clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// The part.
    pub kind: TermKind,
    /// The resource that decides it.
    pub bound: Bound,
    /// Its time on the first cluster.
    pub first: Seconds,
    /// Its share of the step there.
    pub first_share: f64,
    /// Its time on the other one.
    pub other: Seconds,
    /// Its share of the step there.
    pub other_share: f64,
    /// What the other cluster saves in it, over the whole step of the first; negative where it loses.
    pub saved_share: f64,
}

impl Part {
    /// How many times as fast the part is; `None` where one of the clusters does without it.
    pub fn speed_up(&self) -> Option<f64> {
        let both = self.first.get() > 0.0 && self.other.get() > 0.0;
        both.then(|| self.first / self.other)
    }
}

/// The parts of both steps in the order of what the other cluster saves in them.
///
/// Both steps handle the same global batch, so their parts compare as they are; the saved shares of all parts, with those too
/// small to list, sum to what the whole step saves.
pub fn parts(first: &Estimate, other: &Estimate) -> Vec<Part> {
    let time = |estimate: &Estimate, kind: TermKind| {
        estimate.planned.step.terms().find(|t| t.kind == kind).map_or(Seconds::ZERO, |t| t.time)
    };
    let (whole, new) = (first.planned.step.total(), other.planned.step.total());
    let part = |kind: TermKind| {
        let (before, after) = (time(first, kind), time(other, kind));
        Part {
            kind,
            bound: first.planned.step.bound(kind),
            first: before,
            first_share: before / whole,
            other: after,
            other_share: after / new,
            saved_share: (before - after) / whole,
        }
    };
    let mut found: Vec<Part> = TermKind::ALL.into_iter().map(part).collect();
    found.retain(|p| p.first_share.max(p.other_share) >= LEAST_SHARE);
    found.sort_by(|a, b| b.saved_share.total_cmp(&a.saved_share));
    found
}

/// A way to compute that one of two GPUs has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub kind: CapabilityKind,
    /// The new GPU has it; else the old one did.
    pub gained: bool,
}

/// Ways to compute that matter to this job and that only one of the GPUs has.
pub fn changes(job: &Job, first: &GpuSpec, other: &GpuSpec) -> Vec<Change> {
    let attends = job.workload.attention.is_some();
    let all = [
        (CapabilityKind::Bf16, true),
        (CapabilityKind::Tf32, true),
        (CapabilityKind::Fp8, true),
        (CapabilityKind::FlashAttention2, attends),
        (CapabilityKind::FlashAttention3, attends),
    ];
    let differs = |kind: CapabilityKind| first.has(kind) != other.has(kind);
    all.into_iter()
        .filter(|&(kind, matters)| matters && differs(kind))
        .map(|(kind, _)| Change { kind, gained: other.has(kind) })
        .collect()
}

/// Cost of the other cluster over that of the first at the prices taken, where both have one in the same currency.
pub fn cost_ratio(first: &Simulation, other: &Simulation) -> Option<f64> {
    let cost = |s: &Simulation| s.estimate()?.cost.as_ref()?.comparable().map(|c| c.p50);
    let (first, other) = (cost(first)?, cost(other)?);
    (first.currency == other.currency && first.as_f64() > 0.0).then(|| other.as_f64() / first.as_f64())
}
