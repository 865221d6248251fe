//! The walk through a space of plans: memory first, then time, each from parts that many plans share.
//!
//! A *branch* is one choice of precision and degrees. Under it lie sequence parallelism, micro-batches, virtual stages,
//! recomputation and, innermost, the sharding levels and offload ([`States`]). Operators and saved tensors are evaluated
//! once per way to split a micro-batch ([`PartTable`]), what a GPU holds and does at the end of a step once per branch
//! and state, the stages once per micro-batch and recomputation; a plan adds a few sums for its memory and a few dozen
//! for its time. Nothing is allocated for a plan.
//!
//! Bounds, all of which leave out only what cannot win (METHODOLOGY, "Plan search"):
//! - **time**: with W the device time of one micro-batch through the whole network, no plan of p stages, m micro-batches
//!   and v virtual stages takes less than `W / p (m + (p - 1) / v)`, since the slowest stage takes W / p or more;
//! - **memory**: least resident bytes of a state plus least retained ones of a recomputation, without interleaving;
//!   larger micro-batches need no less;
//! - **recomputation**: where a plan that computes nothing again fits, the others of its state only add time;
//! - **sequence parallelism**: it only takes away from time and memory where there is a tensor-parallel group.
//!
//! Plans are compared by their work, without the wait for input: where input decides, all would take the same time.
//! Of plans with the same work the simpler one wins ([`Ranked`]), so that the answer depends neither on the order of
//! the walk nor on the number of threads.

use rayon::prelude::*;

use super::plan_counts::PlanCounts;
use super::plan_parts::{PartCache, PartTable, Parts};
use super::plan_states::{STAGES, States};
use crate::plan::{Degrees, Plan, PlanSpace, Recompute};
use crate::simulator::{Retained, Scenario, StageTimes, fixed, step_work, transfer};
use crate::units::Seconds;

/// Room for rounding where a bound is compared with a sum: far more than the sums lose, far less than matters.
const ROUNDING: f64 = 1e-9;

/// One choice of precision and degrees.
#[derive(Debug, Clone, Copy)]
struct Branch {
    degrees: Degrees,
    /// No plan of the branch is faster.
    floor: Seconds,
}

/// Something to be small, and the plan that has it.
#[derive(Debug, Clone, Copy)]
pub struct Ranked {
    /// Work of a step in seconds, or share of the memory.
    pub value: f64,
    /// The plan.
    pub plan: Plan,
}

impl Ranked {
    /// The smaller one, and of equals the simpler plan: lower degrees, then less sharding, sequence parallelism where it
    /// can be, less recomputation, a smaller micro-batch.
    fn beats(&self, other: Option<&Self>) -> bool {
        let order = |p: &Plan| Plan { sequence_parallel: !p.sequence_parallel, ..*p };
        other.is_none_or(|o| {
            self.value < o.value || (self.value == o.value && order(&self.plan) < order(&o.plan))
        })
    }
}

/// What a walk has found so far.
#[derive(Debug, Clone, Default)]
struct Tally {
    counts: PlanCounts,
    best: Option<Ranked>,
    /// The least share of the memory among plans that do not fit; kept while nothing is left out.
    nearest: Option<Ranked>,
}

impl Tally {
    fn and(mut self, more: &Self) -> Self {
        self.counts = self.counts.and(more.counts);
        if let Some(best) = more.best.filter(|b| b.beats(self.best.as_ref())) {
            self.best = Some(best);
        }
        if let Some(nearest) = more.nearest.filter(|n| n.beats(self.nearest.as_ref())) {
            self.nearest = Some(nearest);
        }
        self
    }
}

/// What a walk found.
#[derive(Debug, Clone, Copy)]
pub struct Walked {
    /// The fastest plan that fits.
    pub best: Option<Ranked>,
    /// Where none fits: the plan that misses by least.
    pub nearest: Option<Plan>,
    /// What was looked at.
    pub counts: PlanCounts,
}

/// One walk.
struct Walk<'w, 's, 'a, 'c> {
    scenario: &'s Scenario<'a>,
    space: &'w PlanSpace,
    /// Share of the usable memory that is accepted.
    accepted: f64,
    bounded: bool,
    table: PartTable<'c>,
}

/// Walks through a space for the fastest plan that needs at most the `accepted` share of the memory: with bounds, or
/// evaluating every plan.
pub fn walk(
    scenario: &Scenario<'_>,
    space: &PlanSpace,
    accepted: f64,
    bounded: bool,
    cache: &mut PartCache,
) -> Walked {
    let table = PartTable::new(cache, space, scenario.workload.rows_per_sample);
    let mut walk = Walk { scenario, space, accepted, bounded, table };
    let mut branches = walk.branches();
    if !bounded {
        let visit = |branch: &Branch| {
            let mut tally = Tally::default();
            walk.visit(branch, &mut tally, &mut Vec::new());
            tally
        };
        let all = branches.par_iter().map(visit).reduce(Tally::default, |a, b| a.and(&b));
        let nearest = all.nearest.filter(|_| all.best.is_none()).map(|n| n.plan);
        return Walked { best: all.best, nearest, counts: all.counts };
    }
    branches.sort_by(|a, b| a.floor.get().total_cmp(&b.floor.get()).then(a.degrees.cmp(&b.degrees)));
    let mut tally = Tally::default();
    let mut missed = Vec::with_capacity(branches.len());
    for branch in &branches {
        walk.visit(branch, &mut tally, &mut missed);
    }
    let nearest = if tally.best.is_none() { walk.smallest(missed) } else { None };
    Walked { best: tally.best, nearest, counts: tally.counts }
}

/// Values of sequence parallelism that can win.
fn row_splits(space: &PlanSpace, bounded: bool, tensor_parallel: u32) -> &[bool] {
    let all = space.sequence_parallel(tensor_parallel);
    if bounded { &all[all.len() - 1..] } else { all }
}

/// The micro-batches of a plan (by place) that have a schedule, with the most virtual stages of each.
fn batches<'p>(
    space: &'p PlanSpace,
    degrees: &'p Degrees,
    plan: Plan,
) -> impl Iterator<Item = (usize, Plan)> + 'p {
    space.micro_batches(degrees.data_parallel).filter_map(move |(place, steps)| {
        let virtual_stages = *space.virtual_stages(degrees.pipeline, steps).last()?;
        let micro_batch = space.micro_batch[place];
        Some((place, Plan { micro_batch, gradient_accumulation_steps: steps, virtual_stages, ..plan }))
    })
}

impl Walk<'_, '_, '_, '_> {
    /// All branches with a valid plan, with the operators of their micro-batches evaluated.
    fn branches(&mut self) -> Vec<Branch> {
        let (space, bounded) = (self.space, self.bounded);
        let mut branches = Vec::new();
        for degrees in space.degrees() {
            let base = space.plan(&degrees);
            let mut floor = f64::INFINITY;
            for &sequence_parallel in row_splits(space, bounded, base.tensor_parallel) {
                for (place, plan) in batches(space, &degrees, Plan { sequence_parallel, ..base }) {
                    let whole = self.table.evaluate(self.scenario, &degrees, &plan, place);
                    floor = floor.min(self.floor(&plan, whole).get());
                }
            }
            if floor.is_finite() {
                branches.push(Branch { degrees, floor: Seconds::new(floor) });
            }
        }
        branches
    }

    /// A time that no plan with as many virtual stages or fewer undercuts.
    fn floor(&self, plan: &Plan, whole: Seconds) -> Seconds {
        let p = f64::from(plan.pipeline_parallel);
        let rounds = f64::from(plan.gradient_accumulation_steps) + (p - 1.0) / f64::from(plan.virtual_stages);
        whole * (rounds / p) + fixed(self.scenario, plan)
    }

    /// True when nothing that takes `floor` or longer can win.
    fn beaten(&self, tally: &Tally, floor: Seconds) -> bool {
        self.bounded && tally.best.is_some_and(|best| floor.get() * (1.0 - ROUNDING) > best.value)
    }

    /// All plans of a branch; a share of the memory that none of them undercuts is added to `missed`.
    fn visit(&self, branch: &Branch, tally: &mut Tally, missed: &mut Vec<(f64, Degrees)>) {
        let (space, degrees) = (self.space, &branch.degrees);
        let plan = space.plan(degrees);
        let states = space.shardings(&plan).count() * space.offload.len();
        let splits = space.sequence_parallel(plan.tensor_parallel).len() as u64;
        let tried = row_splits(space, self.bounded, plan.tensor_parallel);
        let of_split: u64 = space
            .micro_batches(degrees.data_parallel)
            .map(|(_, steps)| space.leaves(degrees.pipeline, steps, states))
            .sum();
        if self.beaten(tally, branch.floor) {
            tally.counts.pruned += of_split * splits;
            return;
        }
        tally.counts.pruned += of_split * (splits - tried.len() as u64);
        let mut states = States::of(self.scenario, space, &plan);
        for &sequence_parallel in tried {
            let plan = Plan { sequence_parallel, ..plan };
            self.visit_batches(degrees, plan, &mut states, tally, missed);
        }
    }

    fn visit_batches(
        &self,
        degrees: &Degrees,
        plan: Plan,
        states: &mut States,
        tally: &mut Tally,
        missed: &mut Vec<(f64, Degrees)>,
    ) {
        let space = self.space;
        let (mut least, mut full) = (None, false);
        for (place, plan) in batches(space, degrees, plan) {
            let parts = self.table.get(degrees, plan.sequence_parallel, place);
            let steps = plan.gradient_accumulation_steps;
            if self.bounded {
                if !full {
                    let share = self.least_share(&plan, states, &parts);
                    least = least.or(Some(share));
                    full = share * (1.0 - ROUNDING) > self.accepted;
                }
                if full || self.beaten(tally, self.floor(&plan, parts.whole)) {
                    tally.counts.pruned += space.leaves(degrees.pipeline, steps, states.len());
                    continue;
                }
            }
            let mut stages = [None; 3];
            for &virtual_stages in space.virtual_stages(degrees.pipeline, steps) {
                let plan = Plan { virtual_stages, ..plan };
                self.visit_schedule(&plan, &parts, &mut stages, states, tally);
            }
        }
        if tally.best.is_none() {
            missed.extend(least.map(|share| (share, *degrees)));
        }
    }

    /// Memory of every plan of a schedule, and the time of those that fit.
    fn visit_schedule(
        &self,
        plan: &Plan,
        parts: &Parts<'_>,
        stages: &mut [Option<StageTimes>; 3],
        states: &mut States,
        tally: &mut Tally,
    ) {
        let levels = &self.space.recompute;
        if self.beaten(tally, self.floor(plan, parts.whole)) {
            tally.counts.pruned += (levels.len() * states.len()) as u64;
            return;
        }
        let transfer = transfer(self.scenario, plan);
        let mut settled = 0_u32;
        for &recompute in levels {
            let plan = Plan { recompute, ..*plan };
            let retained = self.retained(&plan, states, parts);
            for state in 0..states.len() {
                if self.bounded && settled & (1 << state) != 0 {
                    tally.counts.pruned += 1;
                    continue;
                }
                tally.counts.memory_evaluated += 1;
                let share = states.share(self.scenario, state, &retained);
                let (sharding, optimizer_offload) = (states.get(state).sharding, states.get(state).offload);
                let plan = Plan { sharding, optimizer_offload, ..plan };
                if share > self.accepted {
                    if !self.bounded && tally.best.is_none() {
                        let near = Ranked { value: share, plan };
                        if near.beats(tally.nearest.as_ref()) {
                            tally.nearest = Some(near);
                        }
                    }
                    continue;
                }
                settled |= u32::from(recompute == Recompute::None) << state;
                let stages = stages[recompute as usize].get_or_insert_with(|| {
                    StageTimes::of(self.scenario, &plan, |number| parts.passes[number])
                });
                let ends = states.ends(self.scenario, &plan, state);
                tally.counts.timed += 1;
                let value = step_work(self.scenario, &plan, stages, transfer, &ends).get();
                let timed = Ranked { value, plan };
                if timed.beats(tally.best.as_ref()) {
                    tally.best = Some(timed);
                }
            }
        }
    }

    /// Retained bytes by stage.
    fn retained(&self, plan: &Plan, states: &States, parts: &Parts<'_>) -> [Retained; STAGES] {
        let mut retained = [Retained::default(); STAGES];
        for (bytes, &stage) in retained.iter_mut().zip(states.stages()) {
            *bytes = Retained::of(self.scenario, plan, stage, |number| parts.saved[number]);
        }
        retained
    }

    /// A share of the memory that no plan of a micro-batch undercuts, nor one of a larger micro-batch: without virtual
    /// stages the fewest micro-batches are in flight.
    fn least_share(&self, plan: &Plan, states: &States, parts: &Parts<'_>) -> f64 {
        let mut least = [f64::INFINITY; STAGES];
        for &recompute in &self.space.recompute {
            let plan = Plan { recompute, virtual_stages: 1, ..*plan };
            for (least, bytes) in least.iter_mut().zip(self.retained(&plan, states, parts)) {
                *least = least.min(bytes.total());
            }
        }
        states.least_share(self.scenario, &least)
    }

    /// The plan that needs the least share of the memory: branches with the lowest floors first.
    fn smallest(&self, mut floors: Vec<(f64, Degrees)>) -> Option<Plan> {
        floors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<Ranked> = None;
        for (floor, degrees) in &floors {
            if best.is_some_and(|b| floor * (1.0 - ROUNDING) > b.value) {
                break;
            }
            self.weigh(degrees, &mut best);
        }
        best.map(|b| b.plan)
    }

    /// The plan of a branch that needs least memory.
    fn weigh(&self, degrees: &Degrees, best: &mut Option<Ranked>) {
        let space = self.space;
        let base = space.plan(degrees);
        let states = States::of(self.scenario, space, &base);
        for &sequence_parallel in row_splits(space, self.bounded, base.tensor_parallel) {
            for (place, plan) in batches(space, degrees, Plan { sequence_parallel, ..base }) {
                let parts = self.table.get(degrees, sequence_parallel, place);
                let steps = plan.gradient_accumulation_steps;
                let floor = self.least_share(&plan, &states, &parts);
                if best.is_some_and(|b| floor * (1.0 - ROUNDING) > b.value) {
                    break;
                }
                for &virtual_stages in space.virtual_stages(degrees.pipeline, steps) {
                    for &recompute in &space.recompute {
                        let plan = Plan { virtual_stages, recompute, ..plan };
                        let retained = self.retained(&plan, &states, &parts);
                        for state in 0..states.len() {
                            let (sharding, optimizer_offload) =
                                (states.get(state).sharding, states.get(state).offload);
                            let plan = Plan { sharding, optimizer_offload, ..plan };
                            let value = states.share(self.scenario, state, &retained);
                            let small = Ranked { value, plan };
                            if small.beats(best.as_ref()) {
                                *best = Some(small);
                            }
                        }
                    }
                }
            }
        }
    }
}
