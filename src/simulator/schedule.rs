//! A predicted step as a time line: what each pipeline stage does when.
//!
//! Micro-batches follow 1F1B, or its interleaved form where GPUs hold several virtual stages (Narayanan et al. 2021):
//! stage s of p first runs p - s - 1 forward passes (interleaved: 2 (p - s - 1) + (v - 1) p), then one forward and one
//! backward pass in turn, then the backward passes that are left. Durations come from the terms of the step: the stage
//! that decides takes their sum over the micro-batches, the others share the bubble's time. The time line of the passes
//! is then scaled so that it ends where the formula of the step says; [`Schedule::scale`] is that factor. Only exposed
//! communication is drawn: what compute hides has no time of its own in the prediction.

use super::roofline::block_time;
use super::{Scenario, StepEstimate, TermKind};
use crate::plan::{Plan, StageLayers};
use crate::units::Seconds;

/// What a slice shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SliceKind {
    /// Forward pass of a micro-batch.
    Forward,
    /// Its backward pass, with what is computed again.
    Backward,
    /// A term of the step with a time of its own.
    Term(TermKind),
}

impl SliceKind {
    /// The name in a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Term(kind) => kind.name(),
        }
    }
}

/// One stretch of one stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Pipeline stage, from 0.
    pub stage: u32,
    /// What happens.
    pub kind: SliceKind,
    /// Micro-batch from 0, where it belongs to one.
    pub micro_batch: Option<u32>,
    /// Virtual stage of the GPU, from 0.
    pub chunk: u32,
    /// Begin.
    pub start: Seconds,
    /// Length.
    pub duration: Seconds,
}

/// A step as slices, by stage and start; on each stage they follow each other without gap or overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// The slices.
    pub slices: Vec<Slice>,
    /// Factor on the passes that makes their time line end where the step's formula says.
    pub scale: f64,
}

/// Passes of all stages in a schedule: its size, before it is made.
pub const fn passes(plan: &Plan) -> u64 {
    2 * plan.pipeline_parallel as u64 * plan.virtual_stages as u64 * plan.gradient_accumulation_steps as u64
}

/// A pass through one chunk: exposed parts in order.
type Parts = [(SliceKind, f64); 4];

fn length(parts: &Parts) -> f64 {
    parts.iter().map(|(_, t)| t).sum()
}

/// Forward and backward pass of one micro-batch through one chunk.
#[derive(Clone, Copy)]
struct Passes([Parts; 2]);

/// Passes of the stage that decides, of the others, and which one decides.
fn durations(scenario: &Scenario<'_>, plan: &Plan, step: &StepEstimate) -> (Passes, Passes, u32) {
    let workload = scenario.workload;
    let rows = f64::from(plan.micro_batch) * f64::from(workload.rows_per_sample);
    let (mut forward, mut both) = (0.0, 0.0);
    for block in &workload.body {
        let time = block_time(scenario, plan, block, rows);
        let count = f64::from(block.repeat);
        forward += time.direction(0).get() * count;
        both += (time.direction(0) + time.direction(1)).get() * count;
    }
    let share = if both > 0.0 { forward / both } else { 0.5 };
    let end = |block| {
        let time = block_time(scenario, plan, block, rows);
        (time.direction(0) + time.direction(1)).get()
    };
    let p = plan.pipeline_parallel;
    let ends = if p > 1 && end(&workload.head) > end(&workload.input) { p - 1 } else { 0 };
    // One layer more than the ends may outweigh what they have.
    let layer = both / f64::from(workload.layers().max(1));
    let heavy = StageLayers::of(plan, workload.layers()).first_heavy_middle();
    let more = |_: &u32| layer > end(&workload.head).max(end(&workload.input));
    let decides = heavy.filter(more).unwrap_or(ends);

    let per_pass = f64::from(plan.gradient_accumulation_steps) * f64::from(plan.virtual_stages);
    let of = |kind: TermKind| step.time(kind).get() / per_pass;
    let computed: f64 = [
        TermKind::MatrixProducts,
        TermKind::Convolutions,
        TermKind::Attention,
        TermKind::ElementWise,
        TermKind::Launch,
    ]
    .into_iter()
    .map(of)
    .sum();
    let parts = |kind: SliceKind, compute: f64| {
        [
            (SliceKind::Term(TermKind::WeightGather), of(TermKind::WeightGather) / 2.0),
            (kind, compute),
            (SliceKind::Term(TermKind::TensorParallel), of(TermKind::TensorParallel) / 2.0),
            (SliceKind::Term(TermKind::PipelineTransfer), of(TermKind::PipelineTransfer) / 2.0),
        ]
    };
    let again = of(TermKind::Recompute);
    let slowest = Passes([
        parts(SliceKind::Forward, computed * share),
        parts(SliceKind::Backward, computed * (1.0 - share) + again),
    ]);
    // The bubble is the passes of the other stages once, over the virtual stages.
    let whole: f64 = slowest.0.iter().map(length).sum();
    let mean = step.time(TermKind::Bubble).get() / f64::from(p.saturating_sub(1).max(1));
    let fixed = whole - computed - again;
    let ratio = if p > 1 { ((mean - fixed) / (computed + again)).clamp(0.0, 1.0) } else { 1.0 };
    let mut other = slowest;
    for part in other.0.iter_mut().flatten() {
        if matches!(part.0, SliceKind::Forward | SliceKind::Backward) {
            part.1 *= ratio;
        }
    }
    (slowest, other, decides)
}

/// One pass in the order of a stage.
#[derive(Clone, Copy)]
struct Pass {
    backward: bool,
    chunk: u32,
    micro_batch: u32,
}

/// The passes of a stage in their order.
fn order(plan: &Plan, stage: u32) -> Vec<Pass> {
    let (p, v, m) = (plan.pipeline_parallel, plan.virtual_stages, plan.gradient_accumulation_steps);
    let all = m * v;
    let pass = |k: u32, backward: bool| {
        let chunk = (k / p) % v;
        Pass {
            backward,
            chunk: if backward { v - 1 - chunk } else { chunk },
            micro_batch: if v == 1 { k } else { k / (p * v) * p + k % p },
        }
    };
    let ahead = p - stage - 1;
    let warm_up = if v == 1 { ahead } else { 2 * ahead + (v - 1) * p }.min(all);
    let mut passes: Vec<Pass> = (0..warm_up).map(|k| pass(k, false)).collect();
    for k in warm_up..all {
        passes.push(pass(k, false));
        passes.push(pass(k - warm_up, true));
    }
    passes.extend((all - warm_up..all).map(|k| pass(k, true)));
    passes
}

/// When each pass ends, by direction, chunk, stage and micro-batch; `NAN` before it is known.
struct Ends<'p> {
    plan: &'p Plan,
    times: Vec<f64>,
}

impl Ends<'_> {
    fn at(&self, backward: bool, chunk: u32, stage: u32, micro_batch: u32) -> usize {
        let (p, v) = (self.plan.pipeline_parallel as usize, self.plan.virtual_stages as usize);
        let m = self.plan.gradient_accumulation_steps as usize;
        ((usize::from(backward) * v + chunk as usize) * p + stage as usize) * m + micro_batch as usize
    }

    /// End of what a pass waits for; `None` while that has not run.
    fn ready(&self, stage: u32, pass: Pass) -> Option<f64> {
        let (p, v) = (self.plan.pipeline_parallel, self.plan.virtual_stages);
        let Pass { backward, chunk, micro_batch } = pass;
        let before = match (backward, stage) {
            (false, 0) if chunk == 0 => return Some(0.0),
            (false, 0) => (false, chunk - 1, p - 1),
            (false, s) => (false, chunk, s - 1),
            (true, s) if s == p - 1 && chunk == v - 1 => (false, chunk, s),
            (true, s) if s == p - 1 => (true, chunk + 1, 0),
            (true, s) => (true, chunk, s + 1),
        };
        let end = self.times[self.at(before.0, before.1, before.2, micro_batch)];
        (!end.is_nan()).then_some(end)
    }
}

/// Lays the passes of one step on a time line, then reduction, update and fixed costs.
pub fn schedule(scenario: &Scenario<'_>, plan: &Plan, step: &StepEstimate) -> Schedule {
    let (slowest, other, decides) = durations(scenario, plan, step);
    let p = plan.pipeline_parallel;
    let mut ends = Ends { plan, times: vec![f64::NAN; passes(plan) as usize] };
    let orders: Vec<Vec<Pass>> = (0..p).map(|stage| order(plan, stage)).collect();
    let mut next = vec![0_usize; p as usize];
    let mut free = vec![0.0_f64; p as usize];
    let mut slices: Vec<Vec<Slice>> = vec![Vec::new(); p as usize];
    loop {
        let before: usize = next.iter().sum();
        for stage in 0..p {
            let at = stage as usize;
            while let Some(&pass) = orders[at].get(next[at]) {
                let Some(ready) = ends.ready(stage, pass) else { break };
                let passes = if stage == decides { &slowest } else { &other };
                let mut time = free[at].max(ready);
                push(&mut slices[at], (stage, free[at], time), SliceKind::Term(TermKind::Bubble), None);
                for (kind, duration) in passes.0[usize::from(pass.backward)] {
                    push(&mut slices[at], (stage, time, time + duration), kind, Some(pass));
                    time += duration;
                }
                free[at] = time;
                let end = ends.at(pass.backward, pass.chunk, stage, pass.micro_batch);
                ends.times[end] = time;
                next[at] += 1;
            }
        }
        if next.iter().sum::<usize>() == before {
            break;
        }
    }
    debug_assert!(next.iter().zip(&orders).all(|(n, o)| *n == o.len()), "the order of passes has no cycle");
    finish(slices, &free, step)
}

fn push(slices: &mut Vec<Slice>, (stage, start, end): (u32, f64, f64), kind: SliceKind, pass: Option<Pass>) {
    if end > start {
        slices.push(Slice {
            stage,
            kind,
            micro_batch: pass.map(|p| p.micro_batch),
            chunk: pass.map_or(0, |p| p.chunk),
            start: Seconds::new(start),
            duration: Seconds::new(end - start),
        });
    }
}

/// What follows the last backward pass, on every stage.
const AFTER: [TermKind; 4] =
    [TermKind::GradientReduction, TermKind::Optimizer, TermKind::Input, TermKind::Fixed];

/// Scales the passes to the formula's time, fills the last gaps, and adds what follows.
fn finish(slices: Vec<Vec<Slice>>, free: &[f64], step: &StepEstimate) -> Schedule {
    let made = free.iter().copied().fold(0.0, f64::max);
    let after: f64 = AFTER.into_iter().map(|k| step.time(k).get()).sum();
    let formula = step.total().get() - after;
    let scale = if made > 0.0 { formula / made } else { 1.0 };
    let mut all = Vec::new();
    for (stage, (mut own, &free)) in slices.into_iter().zip(free).enumerate() {
        let stage = stage as u32;
        push(&mut own, (stage, free, made), SliceKind::Term(TermKind::Bubble), None);
        for slice in &mut own {
            slice.start = slice.start * scale;
            slice.duration = slice.duration * scale;
        }
        let mut time = formula;
        for kind in AFTER {
            let end = time + step.time(kind).get();
            push(&mut own, (stage, time, end), SliceKind::Term(kind), None);
            time = end;
        }
        all.extend(own);
    }
    Schedule { slices: all, scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(p: u32, v: u32, m: u32) -> Plan {
        Plan {
            tensor_parallel: 1,
            pipeline_parallel: p,
            context_parallel: 1,
            expert_parallel: 1,
            optimizer_offload: false,
            virtual_stages: v,
            data_parallel: 1,
            sharding: crate::plan::Sharding::None,
            sequence_parallel: false,
            recompute: crate::plan::Recompute::None,
            micro_batch: 1,
            gradient_accumulation_steps: m,
            flash_attention: false,
            precision: crate::catalog::Precision::Fp16,
        }
    }

    fn letters(plan: &Plan, stage: u32) -> String {
        order(plan, stage).iter().map(|p| if p.backward { 'B' } else { 'F' }).collect()
    }

    #[test]
    fn stages_warm_up_alternate_and_drain() {
        let two = plan(2, 1, 3);
        assert_eq!(letters(&two, 0), "FFBFBB");
        assert_eq!(letters(&two, 1), "FBFBFB");
        // Interleaved, first stage: 2 x 1 + 1 x 2 = 4 passes ahead.
        assert_eq!(letters(&plan(2, 2, 2), 0), "FFFFBBBB");
    }

    #[test]
    fn interleaved_passes_go_through_the_chunks_in_groups_of_the_stages() {
        let forward: Vec<(u32, u32)> = order(&plan(2, 2, 4), 1)
            .iter()
            .filter(|p| !p.backward)
            .map(|p| (p.chunk, p.micro_batch))
            .collect();
        assert_eq!(forward, [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)]);
    }

    #[test]
    fn every_pass_runs_once_on_every_stage() {
        for plan in [plan(4, 1, 2), plan(4, 1, 9), plan(4, 3, 8), plan(1, 1, 5)] {
            for stage in 0..plan.pipeline_parallel {
                let mut seen: Vec<_> =
                    order(&plan, stage).iter().map(|p| (p.backward, p.chunk, p.micro_batch)).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len() as u64 * u64::from(plan.pipeline_parallel), passes(&plan));
            }
        }
    }
}
