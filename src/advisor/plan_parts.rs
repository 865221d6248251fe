//! Evaluated operators and saved tensors, shared by all plans that split a micro-batch alike.
//!
//! What one GPU computes and keeps of a micro-batch depends on precision, tensor and expert degrees, sequence
//! parallelism and on its rows, which are the micro-batch divided by the context degree. Millions of plans have a few
//! hundred of these parts.

use std::collections::BTreeMap;

use crate::catalog::Precision;
use crate::plan::{Degrees, Plan, PlanSpace};
use crate::simulator::network_part::{part, parts};
use crate::simulator::{BlockPass, SavedBytes, Scenario, whole_pass};
use crate::units::Seconds;

/// Precision, tensor degree, sequence parallelism, expert degree, rows.
type Key = (Precision, u32, bool, u32, u64);

/// The parts of a network under one way to split a micro-batch.
#[derive(Debug, Clone, Copy)]
struct Split {
    /// The first part in the lists.
    first: usize,
    /// Device time of one micro-batch through the whole network.
    whole: Seconds,
}

/// Everything evaluated so far for one workload, kind of machine, software and attention kernel; searches on clusters
/// that differ in their number of nodes share it.
#[derive(Debug, Default)]
pub struct PartCache {
    known: BTreeMap<Key, usize>,
    splits: Vec<Split>,
    passes: Vec<BlockPass>,
    saved: Vec<SavedBytes>,
}

impl PartCache {
    /// The place of a split, which is evaluated where it is new.
    fn place(&mut self, scenario: &Scenario<'_>, plan: &Plan, rows: f64) -> usize {
        let key = (
            plan.precision,
            plan.tensor_parallel,
            plan.sequence_parallel,
            plan.expert_parallel,
            rows.to_bits(),
        );
        if let Some(&place) = self.known.get(&key) {
            return place;
        }
        let first = self.passes.len();
        for number in 0..parts(scenario.workload) {
            let block = part(scenario.workload, number);
            self.passes.push(BlockPass::of(scenario, plan, block, rows));
            self.saved.push(SavedBytes::of(scenario, plan, block, rows));
        }
        let whole = whole_pass(scenario.workload, |number| self.passes[first + number]);
        self.splits.push(Split { first, whole });
        let place = self.splits.len() - 1;
        self.known.insert(key, place);
        place
    }
}

/// Not evaluated yet.
const UNKNOWN: usize = usize::MAX;

/// The splits of one space, by the places of its axes.
pub struct PartTable<'c> {
    cache: &'c mut PartCache,
    /// By micro-batch and context degree: which of the distinct numbers of rows.
    ratio: Vec<usize>,
    contexts: usize,
    /// Distinct numbers of rows.
    rows: Vec<f64>,
    tensors: usize,
    experts: usize,
    places: Vec<usize>,
}

impl<'c> PartTable<'c> {
    /// An empty table.
    pub fn new(cache: &'c mut PartCache, space: &PlanSpace, rows_per_sample: u32) -> Self {
        let mut all = Vec::with_capacity(space.micro_batch.len() * space.context.len());
        for &micro_batch in &space.micro_batch {
            for &context_parallel in &space.context {
                let plan = Plan {
                    context_parallel,
                    micro_batch,
                    ..Plan::single(space.precision[0], space.flash_attention)
                };
                all.push(plan.rows(rows_per_sample));
            }
        }
        let mut rows = all.clone();
        rows.sort_by(f64::total_cmp);
        rows.dedup();
        let place = |r: &f64| rows.binary_search_by(|known| known.total_cmp(r)).unwrap_or(0);
        let ratio = all.iter().map(place).collect();
        let (tensors, experts) = (space.tensor.len(), space.expert.len());
        let size = space.precision.len() * tensors * 2 * experts * rows.len();
        let places = vec![UNKNOWN; size];
        Self { cache, ratio, contexts: space.context.len(), rows, tensors, experts, places }
    }

    fn index(&self, degrees: &Degrees, sequence_parallel: bool, micro_batch: usize) -> (usize, usize) {
        let ratio = self.ratio[micro_batch * self.contexts + degrees.context];
        let of_tensor = (degrees.precision * self.tensors + degrees.tensor) * 2;
        let of_expert = (of_tensor + usize::from(sequence_parallel)) * self.experts + degrees.expert;
        (of_expert * self.rows.len() + ratio, ratio)
    }

    /// Evaluates the split of a plan where it is new, and returns its device time through the whole network.
    pub fn evaluate(
        &mut self,
        scenario: &Scenario<'_>,
        degrees: &Degrees,
        plan: &Plan,
        micro_batch: usize,
    ) -> Seconds {
        let (index, ratio) = self.index(degrees, plan.sequence_parallel, micro_batch);
        if self.places[index] == UNKNOWN {
            self.places[index] = self.cache.place(scenario, plan, self.rows[ratio]);
        }
        self.cache.splits[self.places[index]].whole
    }

    /// A split that was evaluated before.
    pub fn get(&self, degrees: &Degrees, sequence_parallel: bool, micro_batch: usize) -> Parts<'_> {
        let (index, _) = self.index(degrees, sequence_parallel, micro_batch);
        let split = self.cache.splits[self.places[index]];
        Parts {
            passes: &self.cache.passes[split.first..],
            saved: &self.cache.saved[split.first..],
            whole: split.whole,
        }
    }
}

/// The parts of a network for one micro-batch on one GPU, by number.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'c> {
    /// Time.
    pub passes: &'c [BlockPass],
    /// Memory.
    pub saved: &'c [SavedBytes],
    /// Device time of the whole network.
    pub whole: Seconds,
}
