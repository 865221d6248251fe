//! One optimizer step: micro-batches through the stages, collectives, update.
//!
//! `T = m x t_max + (sum of the other stages' t) / v + exposed reduction + optimizer + input + fixed`, where t is the
//! time of one micro-batch on a stage, forward, backward and recomputation, its tensor-parallel collectives and
//! transfers included. Source: 1F1B and interleaved schedules, Narayanan et al. 2021.

use super::Scenario;
use super::evidence::grades;
use super::network_part::part;
use super::parameters::StageParameters;
use super::stage_time::{BlockPass, StageTimes, transfer};
use super::step_end::EndTime;
use super::term::{Bound, Term, TermKind};
use crate::plan::{Plan, StageLayers};
use crate::profile::Grade;
use crate::units::Seconds;
use crate::workload::WorkloadKind;

/// Step time by named terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepEstimate {
    times: [Seconds; TermKind::COUNT],
    grades: [Grade; TermKind::COUNT],
    /// What attention is bound by: arithmetic where it is fused, passes over the scores where they are written out.
    attention: Bound,
}

impl StepEstimate {
    /// Sum of the terms.
    pub fn total(&self) -> Seconds {
        self.times.iter().copied().sum()
    }

    /// Sum of the terms without the wait for input: of two plans the one with less work never takes longer.
    pub fn work(&self) -> Seconds {
        let mut times = self.times;
        times[TermKind::Input as usize] = Seconds::ZERO;
        sum(&times)
    }

    /// The work times a factor, beside another wait for input; with their evidence, where they were measured.
    #[must_use]
    pub fn measured(&self, factor: f64, input: Seconds, grade: Option<Grade>) -> Self {
        let mut times = self.times.map(|t| t * factor);
        times[TermKind::Input as usize] = input;
        Self { times, grades: grade.map_or(self.grades, |g| [g; TermKind::COUNT]), attention: self.attention }
    }

    /// One term.
    pub const fn time(&self, kind: TermKind) -> Seconds {
        self.times[kind as usize]
    }

    /// Terms that are not zero, in report order.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        TermKind::ALL
            .into_iter()
            .map(|kind| Term {
                kind,
                time: self.times[kind as usize],
                grade: self.grades[kind as usize],
                bound: self.bound(kind),
            })
            .filter(|t| t.time.get() > 0.0)
    }

    /// What a term of this step is bound by.
    pub const fn bound(&self, kind: TermKind) -> Bound {
        match kind {
            TermKind::Attention => self.attention,
            other => other.bound(),
        }
    }

    /// The resource with the largest share of the step.
    pub fn binding(&self) -> Bound {
        let mut shares = [0.0; Bound::COUNT];
        for kind in TermKind::ALL {
            shares[self.bound(kind) as usize] += self.time(kind).get();
        }
        let mut best = Bound::Compute;
        for bound in Bound::ALL {
            if shares[bound as usize] > shares[best as usize] {
                best = bound;
            }
        }
        best
    }

    /// Share of the step that a resource takes.
    pub fn share(&self, bound: Bound) -> f64 {
        let time: Seconds =
            TermKind::ALL.into_iter().filter(|&k| self.bound(k) == bound).map(|k| self.time(k)).sum();
        time / self.total()
    }

    /// The worst grade among terms that hold a tenth or more of the step.
    pub fn grade(&self) -> Grade {
        let total = self.total().get();
        self.terms().filter(|t| t.time.get() >= 0.1 * total).map(|t| t.grade).max().unwrap_or(Grade::D)
    }
}

/// Time of one optimizer step. Assumes that the plan has been checked and its memory accepted.
///
/// The stage that decides takes longest with its reduction and update: the first, the last or one with a layer more.
pub fn step_time(scenario: &Scenario<'_>, plan: &Plan) -> StepEstimate {
    let rows = plan.rows(scenario.workload.rows_per_sample);
    let pass = |number| BlockPass::of(scenario, plan, part(scenario.workload, number), rows);
    let stages = StageTimes::of(scenario, plan, pass);
    let mut ends = [EndTime::default(); StageLayers::MOST_DECIDING];
    let deciding = StageLayers::of(plan, scenario.workload.layers()).deciding();
    for (end, stage) in ends.iter_mut().zip(deciding) {
        *end = EndTime::of(scenario, plan, stage, &StageParameters::of(scenario, plan, stage));
    }
    let mut times = step_terms(scenario, plan, &stages, transfer(scenario, plan), &ends);
    if let Some(input) = scenario.input {
        let needed = input.time(plan.global_batch() as f64);
        times[TermKind::Input as usize] = (needed - sum(&times)).max(Seconds::ZERO);
    }
    let scores = !plan.flash_attention && scenario.workload.kind != WorkloadKind::Convolutional;
    let attention = if scores { Bound::Memory } else { Bound::Compute };
    StepEstimate { times, grades: grades(scenario, plan), attention }
}

/// The work of a step from parts that were evaluated before: [`StepEstimate::work`] of [`step_time`], to the last bit.
///
/// `ends` are the collectives and updates of the [deciding stages](StageLayers::deciding), in their order.
pub fn step_work(
    scenario: &Scenario<'_>,
    plan: &Plan,
    stages: &StageTimes,
    transfer: Seconds,
    ends: &[EndTime; StageLayers::MOST_DECIDING],
) -> Seconds {
    sum(&step_terms(scenario, plan, stages, transfer, ends))
}

fn sum(times: &[Seconds; TermKind::COUNT]) -> Seconds {
    times.iter().copied().sum()
}

/// The terms on the stage that decides, without input.
fn step_terms(
    scenario: &Scenario<'_>,
    plan: &Plan,
    stages: &StageTimes,
    transfer: Seconds,
    ends: &[EndTime; StageLayers::MOST_DECIDING],
) -> [Seconds; TermKind::COUNT] {
    let mut times = on_stage(scenario, plan, stages, 0, transfer, &ends[0]);
    let deciding = StageLayers::of(plan, scenario.workload.layers()).deciding();
    for (stage, end) in deciding.zip(ends).skip(1) {
        let other = on_stage(scenario, plan, stages, stage, transfer, end);
        if sum(&other) > sum(&times) {
            times = other;
        }
    }
    times
}

/// The terms of a step as the GPUs of one stage see it, without input.
fn on_stage(
    scenario: &Scenario<'_>,
    plan: &Plan,
    all: &StageTimes,
    stage: u32,
    transfer: Seconds,
    end: &EndTime,
) -> [Seconds; TermKind::COUNT] {
    let p = plan.pipeline_parallel;
    let own = match stage {
        0 => &all.first,
        last if last + 1 == p => &all.last,
        _ => &all.heavy,
    };
    let m = f64::from(plan.gradient_accumulation_steps);
    let mut times = [Seconds::ZERO; TermKind::COUNT];
    let mut set = |kind: TermKind, time: Seconds| times[kind as usize] = time;

    set(TermKind::MatrixProducts, own.products * m);
    set(TermKind::Convolutions, own.convolutions * m);
    set(TermKind::Attention, own.attention * m);
    set(TermKind::ElementWise, own.element_wise * m);
    set(TermKind::Recompute, own.recompute * m);
    set(TermKind::Launch, own.launch * m + end.launch);
    set(TermKind::TensorParallel, own.tensor_parallel * m);
    set(TermKind::ExpertParallel, own.experts * m);
    set(TermKind::TableExchange, own.tables * m);
    set(TermKind::ContextParallel, own.context * m);
    set(TermKind::PipelineTransfer, transfer * m);
    if p > 1 {
        let middles = p - 2 - all.heavies;
        let others = all.first.total()
            + all.last.total()
            + all.middle.total() * f64::from(middles)
            + all.heavy.total() * f64::from(all.heavies)
            - own.total()
            + transfer * f64::from(p - 1);
        set(TermKind::Bubble, others / f64::from(plan.virtual_stages));
    }
    let (gather, reduction) = end.exposed(scenario, m, own);
    set(TermKind::WeightGather, gather);
    set(TermKind::GradientReduction, reduction + end.tied);
    set(if plan.optimizer_offload { TermKind::HostUpdate } else { TermKind::Optimizer }, end.update);
    set(TermKind::Fixed, fixed(scenario, plan));
    let alone = sum(&times);
    times[TermKind::GradientReduction as usize] += scenario.waiting(plan, alone);
    times
}

/// What a step takes beside its work: fixed costs, host time of the samples, waiting for the slowest node.
pub fn fixed(scenario: &Scenario<'_>, plan: &Plan) -> Seconds {
    let doublings = f64::from(scenario.machine.nodes).log2();
    let samples = f64::from(plan.micro_batch) * f64::from(plan.gradient_accumulation_steps);
    let fixed = scenario.stack.fixed_step + scenario.host_per_sample() * samples;
    fixed + scenario.stack.node_skew * doublings
}
