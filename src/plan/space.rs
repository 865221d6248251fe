//! The plans of a search: every value of every axis, and the rules that say which values go together.
//!
//! A plan is a choice of precision, degrees (tensor, pipeline, context, expert; data parallelism is what is left of the
//! GPUs), sequence parallelism, micro-batch, virtual stages, recomputation, sharding and offload. [`PlanSpace`] keeps
//! the values that are tried of each and knows the rules of [`Plan::check`] and [`Plan::check_shape`], so that a walk
//! through it meets valid plans alone.

use super::{Plan, Recompute, Sharding};
use crate::catalog::Precision;

/// Divisors, ascending.
///
/// ```
/// use gpu_advisor::plan::divisors;
/// assert_eq!(divisors(12), [1, 2, 3, 4, 6, 12]);
/// assert_eq!(divisors(1), [1]);
/// ```
pub fn divisors(whole: u64) -> Vec<u32> {
    let mut low = Vec::new();
    let mut high = Vec::new();
    let mut d = 1;
    while d * d <= whole {
        if whole.is_multiple_of(d) {
            low.push(d);
            if d * d < whole {
                high.push(whole / d);
            }
        }
        d += 1;
    }
    low.into_iter().chain(high.into_iter().rev()).filter_map(|d| u32::try_from(d).ok()).collect()
}

/// The axes of a search. What the user fixed has one value.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSpace {
    /// Samples per optimizer step.
    pub batch: u64,
    /// GPUs of the cluster.
    pub gpus: u32,
    /// FlashAttention kernels are used.
    pub flash_attention: bool,
    /// Precisions, the usual one first.
    pub precision: Vec<Precision>,
    /// Tensor-parallel degrees.
    pub tensor: Vec<u32>,
    /// Pipeline degrees.
    pub pipeline: Vec<u32>,
    /// Context-parallel degrees.
    pub context: Vec<u32>,
    /// Expert-parallel degrees.
    pub expert: Vec<u32>,
    /// Sequence parallelism where there is a tensor-parallel group; `false` alone elsewhere, unless it is fixed.
    pub sequence_parallel: Vec<bool>,
    /// Sequence parallelism is fixed, whatever the tensor-parallel degree.
    pub sequence_fixed: bool,
    /// Micro-batches, ascending.
    pub micro_batch: Vec<u32>,
    /// Virtual stages of each pipeline degree, ascending, before the rule that micro-batches add.
    pub virtual_stages: Vec<Vec<u32>>,
    /// Recomputation levels, ascending.
    pub recompute: Vec<Recompute>,
    /// Sharding levels, before the rules that degrees add.
    pub sharding: Vec<Sharding>,
    /// Sharding is fixed, whether or not there is something to share.
    pub sharding_fixed: bool,
    /// Optimizer states in host memory.
    pub offload: Vec<bool>,
}

/// The degrees of a plan: which GPUs hold and share what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degrees {
    /// Place in [`PlanSpace::precision`].
    pub precision: usize,
    /// Place in [`PlanSpace::tensor`].
    pub tensor: usize,
    /// Place in [`PlanSpace::context`].
    pub context: usize,
    /// Place in [`PlanSpace::expert`].
    pub expert: usize,
    /// Place in [`PlanSpace::pipeline`].
    pub pipeline: usize,
    /// Data-parallel degree: what is left of the GPUs.
    pub data_parallel: u32,
}

impl PlanSpace {
    /// All degrees that divide the GPUs and the batch.
    pub fn degrees(&self) -> impl Iterator<Item = Degrees> + '_ {
        let precisions = 0..self.precision.len();
        precisions.flat_map(move |precision| {
            (0..self.tensor.len()).flat_map(move |tensor| {
                (0..self.context.len()).flat_map(move |context| {
                    (0..self.pipeline.len()).flat_map(move |pipeline| {
                        let left = self.data_parallel(tensor, pipeline, context);
                        left.into_iter().flat_map(move |data_parallel| {
                            let replicas = data_parallel.saturating_mul(self.context[context]);
                            let spreads = move |e: &usize| {
                                self.expert[*e] == 1 || replicas.is_multiple_of(self.expert[*e])
                            };
                            (0..self.expert.len()).filter(spreads).map(move |expert| Degrees {
                                precision,
                                tensor,
                                context,
                                expert,
                                pipeline,
                                data_parallel,
                            })
                        })
                    })
                })
            })
        })
    }

    /// The data-parallel degree that is left, where the GPUs and the batch divide.
    fn data_parallel(&self, tensor: usize, pipeline: usize, context: usize) -> Option<u32> {
        let degrees = [self.tensor[tensor], self.pipeline[pipeline], self.context[context]];
        let model = degrees.into_iter().try_fold(1_u32, u32::checked_mul).filter(|&m| m > 0)?;
        let data = self.gpus / model;
        (self.gpus.is_multiple_of(model) && self.batch.is_multiple_of(u64::from(data))).then_some(data)
    }

    /// A plan with these degrees and nothing special else.
    pub fn plan(&self, degrees: &Degrees) -> Plan {
        Plan {
            tensor_parallel: self.tensor[degrees.tensor],
            pipeline_parallel: self.pipeline[degrees.pipeline],
            context_parallel: self.context[degrees.context],
            expert_parallel: self.expert[degrees.expert],
            data_parallel: degrees.data_parallel,
            ..Plan::single(self.precision[degrees.precision], self.flash_attention)
        }
    }

    /// Sequence parallelism under a tensor-parallel degree.
    pub fn sequence_parallel(&self, tensor_parallel: u32) -> &[bool] {
        if tensor_parallel > 1 || self.sequence_fixed { &self.sequence_parallel } else { &[false] }
    }

    /// Micro-batches (by place) with the gradient accumulation steps that they leave.
    pub fn micro_batches(&self, data_parallel: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let per_rank = self.batch / u64::from(data_parallel);
        let steps = move |(place, &size): (usize, &u32)| {
            let size = u64::from(size);
            let steps = u32::try_from(per_rank.checked_div(size)?).ok()?;
            per_rank.is_multiple_of(size).then_some((place, steps))
        };
        self.micro_batch.iter().enumerate().filter_map(steps)
    }

    /// Virtual stages of a pipeline (by place) with so many micro-batches, ascending: an interleaved schedule needs them
    /// in groups of its stages.
    pub fn virtual_stages(&self, pipeline: usize, micro_batches: u32) -> &[u32] {
        let all = &self.virtual_stages[pipeline];
        let grouped = micro_batches.is_multiple_of(self.pipeline[pipeline]);
        if grouped { all } else { &all[..usize::from(all.first() == Some(&1))] }
    }

    /// Sharding levels of a plan with these degrees.
    pub fn shardings(&self, plan: &Plan) -> impl Iterator<Item = Sharding> + '_ {
        let (pipeline, expert, alone) = (plan.pipeline_parallel, plan.expert_parallel, plan.replicas() == 1);
        self.sharding.iter().copied().filter(move |&level| {
            let small = matches!(level, Sharding::None | Sharding::Zero1);
            (level == Sharding::None || self.sharding_fixed || !alone)
                && (pipeline == 1 || small)
                && (expert == 1 || !level.gathers_weights())
        })
    }

    /// Plans of one micro-batch under fixed degrees and one value of sequence parallelism: virtual stages times
    /// recomputation times `states` pairs of sharding and offload.
    pub fn leaves(&self, pipeline: usize, micro_batches: u32, states: usize) -> u64 {
        let schedules = self.virtual_stages(pipeline, micro_batches).len();
        (schedules * self.recompute.len() * states) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> PlanSpace {
        PlanSpace {
            batch: 8,
            gpus: 8,
            flash_attention: true,
            precision: vec![Precision::Bf16],
            tensor: vec![1, 2],
            pipeline: vec![1, 2, 4],
            context: vec![1],
            expert: vec![1],
            sequence_parallel: vec![false, true],
            sequence_fixed: false,
            micro_batch: divisors(8),
            virtual_stages: vec![vec![1], vec![1, 2, 4], vec![1, 2]],
            recompute: vec![Recompute::None, Recompute::Full],
            sharding: vec![Sharding::None, Sharding::Zero1, Sharding::Zero3],
            sharding_fixed: false,
            offload: vec![false],
        }
    }

    #[test]
    fn data_parallelism_is_what_the_other_degrees_leave() {
        let space = space();
        let data: Vec<u32> = space.degrees().map(|d| d.data_parallel).collect();
        // Tensor 1: 8, 4, 2 for pipelines of 1, 2, 4; tensor 2: 4, 2, 1.
        assert_eq!(data, [8, 4, 2, 4, 2, 1]);
    }

    #[test]
    fn interleaving_needs_micro_batches_in_groups_of_the_stages() {
        let space = space();
        // Two stages at place 1.
        assert_eq!(space.virtual_stages(1, 4), [1, 2, 4]);
        assert_eq!(space.virtual_stages(1, 3), [1]);
        // Three schedules, two recomputation levels, two states.
        assert_eq!(space.leaves(1, 4, 2), 3 * 2 * 2);
    }

    #[test]
    fn weights_are_not_sharded_together_with_a_pipeline_and_nothing_where_a_gpu_is_alone() {
        let space = space();
        let plan = |pipeline_parallel, data_parallel| Plan {
            pipeline_parallel,
            data_parallel,
            ..Plan::single(Precision::Bf16, true)
        };
        assert_eq!(space.shardings(&plan(1, 8)).count(), 3);
        assert_eq!(space.shardings(&plan(2, 4)).count(), 2);
        assert_eq!(space.shardings(&plan(8, 1)).collect::<Vec<_>>(), [Sharding::None]);
    }
}
