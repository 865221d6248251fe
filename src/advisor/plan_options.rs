//! The degrees and sizes that a plan search tries.

use super::plan_search::Search;
use crate::plan::{Plan, Recompute, Sharding};
use crate::profile::Method;

/// Sequences that a search splits over a context-parallel group unless told otherwise are longer than this.
const LONG_SEQUENCE: u32 = 16_384;

/// Degrees and sizes that a search tries, ascending. Never more than this many of each.
const MOST_OPTIONS: usize = 16;

/// A short list without allocation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options<T> {
    items: [T; MOST_OPTIONS],
    len: usize,
}

impl<T: Copy + PartialEq> Options<T> {
    pub fn new(filler: T) -> Self {
        Self { items: [filler; MOST_OPTIONS], len: 0 }
    }

    pub fn push(&mut self, item: T) {
        if self.len < MOST_OPTIONS && !self.as_slice().contains(&item) {
            self.items[self.len] = item;
            self.len += 1;
        }
    }

    pub fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl Search<'_, '_> {
    pub(super) fn supports(&self, what: Method) -> bool {
        self.scenario.stack.supports(what)
    }

    pub(super) fn context_degrees(&self) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.context_parallel {
            options.push(fixed);
            return options;
        }
        options.push(1);
        let rows = self.scenario.workload.rows_per_sample;
        if self.heads > 0 && rows > LONG_SEQUENCE && self.supports(Method::ContextParallel) {
            for degree in [2, 4, 8, 16] {
                if self.gpus.is_multiple_of(degree) && rows.is_multiple_of(2 * degree) {
                    options.push(degree);
                }
            }
        }
        options
    }

    pub(super) fn expert_degrees(&self, replicas: u32) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.expert_parallel {
            options.push(fixed);
            return options;
        }
        options.push(1);
        let experts = self.scenario.workload.experts;
        if experts > 0 && self.supports(Method::ExpertParallel) {
            let mut degree = 2;
            while degree <= experts.min(replicas) {
                if experts.is_multiple_of(degree) && replicas.is_multiple_of(degree) {
                    options.push(degree);
                }
                degree *= 2;
            }
        }
        options
    }

    pub(super) fn tensor_degrees(&self) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.tensor_parallel {
            options.push(fixed);
            return options;
        }
        options.push(1);
        if self.heads == 0 || !self.supports(Method::TensorParallel) {
            return options;
        }
        let mut degree = 2;
        while degree <= self.scenario.machine.gpus_per_node {
            if self.heads.is_multiple_of(degree) {
                options.push(degree);
            }
            degree *= 2;
        }
        options
    }

    pub(super) fn pipeline_degrees(&self) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.pipeline_parallel {
            options.push(fixed);
            return options;
        }
        options.push(1);
        if self.heads == 0 || !self.supports(Method::PipelineParallel) {
            return options;
        }
        for degree in 2..=self.layers.min(self.gpus) {
            if self.layers.is_multiple_of(degree) && self.gpus.is_multiple_of(degree) {
                options.push(degree);
            }
        }
        options
    }

    pub(super) fn virtual_degrees(&self, pipeline: u32) -> Options<u32> {
        let mut options = Options::new(1);
        if let Some(fixed) = self.constraints.virtual_stages {
            options.push(fixed);
            return options;
        }
        options.push(1);
        if pipeline > 1 && self.supports(Method::VirtualStages) {
            for degree in [2, 4] {
                if self.layers.is_multiple_of(pipeline * degree) {
                    options.push(degree);
                }
            }
        }
        options
    }

    pub(super) fn micro_batches(&self, per_rank: u64) -> Options<u32> {
        let mut options = Options::new(1);
        let mut push = |size: u64| {
            if size > 0
                && per_rank.is_multiple_of(size)
                && let Ok(size) = u32::try_from(size)
            {
                options.push(size);
            }
        };
        match self.constraints.micro_batch {
            Some(fixed) => push(u64::from(fixed)),
            None if self.heads == 0 => (0..12).for_each(|halving| push(per_rank >> halving)),
            None => (0..8).for_each(|power| push(1 << power)),
        }
        options
    }

    pub(super) fn shardings(&self, plan: &Plan) -> Options<Sharding> {
        let mut options = Options::new(Sharding::None);
        if let Some(fixed) = self.constraints.sharding {
            options.push(fixed);
            return options;
        }
        if plan.replicas() == 1 {
            options.push(Sharding::None);
            return options;
        }
        // ZeRO-1 moves the bytes of an all-reduce and updates a share of the states: never slower than none.
        options.push(if self.supports(Method::Zero1) { Sharding::Zero1 } else { Sharding::None });
        if plan.pipeline_parallel == 1 && plan.expert_parallel == 1 {
            if self.supports(Method::Zero2) {
                options.push(Sharding::Zero2);
            }
            if self.supports(Method::ShardGradOp) && !self.supports(Method::Zero2) {
                options.push(Sharding::ShardGradOp);
            }
            if self.supports(Method::Zero3) {
                options.push(Sharding::Zero3);
            }
        }
        options
    }

    pub(super) fn recomputations(&self, plan: &Plan) -> Options<Recompute> {
        let mut options = Options::new(Recompute::None);
        if let Some(fixed) = self.constraints.recompute {
            options.push(fixed);
            return options;
        }
        options.push(Recompute::None);
        if self.heads > 0 {
            if !plan.flash_attention {
                options.push(Recompute::Selective);
            }
            options.push(Recompute::Full);
        }
        options
    }
}
