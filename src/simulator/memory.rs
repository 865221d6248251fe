//! Memory of one GPU, item by item, on the pipeline stage that needs most.
//!
//! States (bytes per parameter, mixed-precision Adam): weights 2, gradients 2, FP32 master weights and moments 12,
//! 16 in all. Over N data-parallel ranks: ZeRO-1 keeps `4 + 12/N`, ZeRO-2 `2 + 18/N` (the real DeepSpeed recipe with
//! FP32 gradient partitions), ZeRO-3 `16/N` plus the layers that are gathered at the moment.
//! Activations: the saved tensors of each block, Korthikanti et al. 2022, times the micro-batches in flight of the
//! schedule: `min(m, p - i)` on stage i of 1F1B, `p + (p - 1 - 2 i)/v` when interleaved.

pub use super::memory_item::MemoryItem;

use super::Scenario;
use super::parameters::StageParameters;
use crate::plan::{Plan, Recompute, Sharding, StageLayers};
use crate::units::Bytes;
use crate::workload::{Base, Block, Operator, Partition, QUANTIZED_BYTES, Workload};

/// Does it fit?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Up to 0.92 of usable memory.
    Fits,
    /// Up to all of it.
    Tight,
    /// More than there is.
    No,
}

/// Above this share of usable memory a plan is tight, and the program does not choose it.
pub const TIGHT_FROM: f64 = 0.92;

/// Memory of the stage that needs most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryEstimate {
    items: [Bytes; MemoryItem::COUNT],
    /// The pipeline stage, from 0.
    pub stage: u32,
    /// What a framework can allocate.
    pub usable: Bytes,
}

impl MemoryEstimate {
    /// Items that are not zero, in report order.
    pub fn items(&self) -> impl Iterator<Item = (MemoryItem, Bytes)> + '_ {
        MemoryItem::ALL.into_iter().zip(self.items).filter(|(_, b)| b.get() > 0.0)
    }

    /// One item.
    pub const fn item(&self, item: MemoryItem) -> Bytes {
        self.items[item as usize]
    }

    /// Sum of the items.
    pub fn peak(&self) -> Bytes {
        self.items.iter().copied().sum()
    }

    /// Peak over usable.
    pub fn share(&self) -> f64 {
        self.peak() / self.usable
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        match self.share() {
            s if s <= TIGHT_FROM => Verdict::Fits,
            s if s <= 1.0 => Verdict::Tight,
            _ => Verdict::No,
        }
    }

    /// How much is missing; zero when it fits.
    pub fn excess(&self) -> Bytes {
        (self.peak() - self.usable).max(Bytes::ZERO)
    }

    /// The largest item.
    pub fn largest(&self) -> (MemoryItem, Bytes) {
        let mut largest = (MemoryItem::Weights, Bytes::ZERO);
        for (item, bytes) in self.items() {
            if bytes > largest.1 {
                largest = (item, bytes);
            }
        }
        largest
    }

    /// The item that breaks the budget: the first, in the order in which items are allocated, with which the running
    /// sum exceeds the memory that is `allowed`. `None` when everything fits.
    pub fn breaking(&self, allowed: Bytes) -> Option<(MemoryItem, Bytes)> {
        let mut sum = Bytes::ZERO;
        for item in ALLOCATION_ORDER {
            sum += self.item(item);
            if sum > allowed {
                return Some((item, self.item(item)));
            }
        }
        None
    }
}

/// The order in which a training process allocates.
const ALLOCATION_ORDER: [MemoryItem; MemoryItem::COUNT] = [
    MemoryItem::Context,
    MemoryItem::Weights,
    MemoryItem::OptimizerStates,
    MemoryItem::Gradients,
    MemoryItem::CommunicationBuffers,
    MemoryItem::GatheredLayers,
    MemoryItem::CheckpointedInputs,
    MemoryItem::Activations,
    MemoryItem::Logits,
    MemoryItem::Fragmentation,
];

/// Elements of a bucket of ZeRO-1 and ZeRO-2.
/// Source: DeepSpeed configuration defaults `reduce_bucket_size` and `allgather_bucket_size`, 5e8.
const BUCKET_ELEMENTS: f64 = 500e6;

/// Buckets alive at once: ZeRO-1 reduces into one while it gathers from another; ZeRO-2 fills a second one for
/// reduction meanwhile, since gradients leave during the backward pass.
const fn live_buckets(sharding: Sharding) -> f64 {
    match sharding {
        Sharding::Zero1 => 2.0,
        Sharding::Zero2 => 3.0,
        Sharding::None | Sharding::Zero3 | Sharding::ShardGradOp | Sharding::Hsdp => 0.0,
    }
}

/// Bytes of an FP32 master weight.
const MASTER_BYTES: f64 = 4.0;

/// Bytes per trained parameter of the recipe, before sharding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BytesPerParameter {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Moments and, in mixed precision, master weights.
    pub states: f64,
}

impl BytesPerParameter {
    /// The recipe of a plan.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan) -> Self {
        let moments = scenario.optimizer.state_bytes;
        if plan.precision.is_mixed() {
            let master = if scenario.optimizer.master_weights { MASTER_BYTES } else { 0.0 };
            Self { weights: 2.0, gradients: 2.0, states: moments + master }
        } else {
            Self { weights: 4.0, gradients: 4.0, states: moments }
        }
    }

    /// Sum.
    pub fn total(self) -> f64 {
        self.weights + self.gradients + self.states
    }
}

/// Saved bytes of one occurrence of a block: `(kept tensors, those that selective recomputation drops)`.
fn saved(scenario: &Scenario<'_>, plan: &Plan, block: &Block, rows: f64) -> (f64, f64) {
    let element = plan.precision.element_bytes();
    let tensor = f64::from(plan.tensor_parallel);
    let keys = f64::from(scenario.workload.rows_per_sample);
    let rows = rows * block.row_share;
    let mut kept = 0.0;
    let mut dropped = 0.0;
    for t in &block.saved {
        let share = match t.partition {
            Partition::Column | Partition::Row => tensor,
            Partition::Rows if plan.sequence_parallel => tensor,
            Partition::Rows | Partition::Replicated => 1.0,
        };
        let per_row = t.bytes_per_row(element, keys, plan.flash_attention);
        let bytes = rows * per_row / share;
        if t.selective {
            dropped += bytes;
        } else {
            kept += bytes;
        }
    }
    (kept, dropped)
}

/// Micro-batches whose activations stage `stage` holds at once.
fn in_flight(plan: &Plan, stage: u32) -> f64 {
    let p = f64::from(plan.pipeline_parallel);
    let stage = f64::from(stage);
    let depth = if plan.virtual_stages > 1 {
        // Warm-up runs 2 (p - i - 1) + (v - 1) p chunks of a v-th of the layers, and one more is at work.
        p + (p - 1.0 - 2.0 * stage) / f64::from(plan.virtual_stages)
    } else {
        p - stage
    };
    depth.min(f64::from(plan.gradient_accumulation_steps)).max(1.0)
}

/// Layers gathered (the current and the prefetched one, and one layer's gradients before they are reduced), with the
/// larger of the ends; and, over 4-bit weights, one layer unpacked.
fn gathered(scenario: &Scenario<'_>, plan: &Plan) -> f64 {
    let workload = scenario.workload;
    let element = plan.precision.element_bytes();
    let tensor = f64::from(plan.tensor_parallel);
    let largest = workload.body.iter().map(|b| b.parameters).fold(0.0, f64::max);
    let ends = workload.input.parameters.max(workload.head.parameters);
    let (packed, layers, unpacked) = match workload.base {
        Base::Trained => (element, 3.0, 0.0),
        Base::Frozen => (element, 2.0, 0.0),
        Base::Quantized => (QUANTIZED_BYTES, 2.0, largest_product(workload) * element),
    };
    let bytes = if matches!(plan.sharding, Sharding::Zero3 | Sharding::Hsdp) {
        layers * largest * packed + ends * element
    } else {
        0.0
    };
    (bytes + unpacked) / tensor
}

/// Weights of the largest product of a layer.
fn largest_product(workload: &Workload) -> f64 {
    let weights = |operator: &Operator| match *operator {
        Operator::MatrixProduct { inputs, outputs, .. } | Operator::ExpertProduct { inputs, outputs, .. } => {
            inputs * outputs
        }
        _ => 0.0,
    };
    workload.body.iter().flat_map(|b| &b.operators).map(weights).fold(0.0, f64::max)
}

/// Memory of one pipeline stage, counted from 0.
pub fn stage_memory(scenario: &Scenario<'_>, plan: &Plan, stage: u32) -> MemoryEstimate {
    let workload = scenario.workload;
    let recipe = BytesPerParameter::of(scenario, plan);
    let held = StageParameters::of(scenario, plan, stage);
    let shards = f64::from(plan.shards(scenario.machine.gpus_per_node));
    let mut items = [Bytes::ZERO; MemoryItem::COUNT];
    let mut set = |item: MemoryItem, bytes: f64| items[item as usize] = Bytes::new(bytes);

    let weights = match plan.sharding {
        Sharding::Zero3 | Sharding::Hsdp => held.weight_bytes_whole / shards,
        _ => held.weight_bytes,
    };
    let gradients = match plan.sharding {
        Sharding::None | Sharding::Zero1 => held.trained * recipe.gradients,
        Sharding::Zero2 => {
            let partition = if plan.precision.is_mixed() { 4.0 } else { 0.0 };
            held.trained_whole * (recipe.gradients + partition) / shards
        }
        Sharding::Zero3 | Sharding::Hsdp | Sharding::ShardGradOp => {
            held.trained_whole * recipe.gradients / shards
        }
    };
    let states = match plan.sharding {
        _ if plan.optimizer_offload => 0.0,
        Sharding::None => held.trained * recipe.states,
        _ => held.trained_whole * recipe.states / shards,
    };
    set(MemoryItem::Weights, weights);
    set(MemoryItem::Gradients, gradients);
    set(MemoryItem::OptimizerStates, states);

    let rows = plan.rows(workload.rows_per_sample);
    let depth = in_flight(plan, stage);
    let element = plan.precision.element_bytes();
    let row_share = if plan.sequence_parallel { f64::from(plan.tensor_parallel) } else { 1.0 };
    let mut inputs = 0.0;
    let mut activations = 0.0;
    let mut working = 0.0f64;
    for block in &workload.body {
        let count = StageLayers::of(plan, workload.layers()).share(f64::from(block.repeat), stage);
        let (kept, dropped) = saved(scenario, plan, block, rows);
        match plan.recompute {
            Recompute::None => activations += (kept + dropped) * count * depth,
            Recompute::Selective => {
                activations += kept * count * depth;
                working = working.max(dropped);
            }
            Recompute::Full => {
                inputs += rows * block.input_elements * element / row_share * count * depth;
                working = working.max(kept + dropped);
            }
        }
    }
    if stage == 0 {
        let (kept, dropped) = saved(scenario, plan, &workload.input, rows);
        activations += (kept + dropped) * depth;
    }
    set(MemoryItem::CheckpointedInputs, inputs);
    set(MemoryItem::Activations, activations + working);
    let mut logits = 0.0;
    if stage + 1 == plan.pipeline_parallel {
        let (kept, dropped) = saved(scenario, plan, &workload.head, rows);
        logits = kept + dropped;
        set(MemoryItem::Logits, logits);
    }
    set(MemoryItem::GatheredLayers, gathered(scenario, plan));
    if plan.data_parallel > 1 {
        let buckets = live_buckets(plan.sharding);
        set(MemoryItem::CommunicationBuffers, buckets * held.trained.min(BUCKET_ELEMENTS) * element);
    }
    set(MemoryItem::Context, scenario.stack.memory_overhead.get());
    let fragmentation = scenario.stack.fragmentation.get();
    set(MemoryItem::Fragmentation, (activations + working + logits) * fragmentation);
    MemoryEstimate { items, stage, usable: scenario.machine.gpu.memory_usable }
}

/// Memory of the stage that needs most. Cheap: call it before [`step_time`](super::step_time).
pub fn memory(scenario: &Scenario<'_>, plan: &Plan) -> MemoryEstimate {
    let first = stage_memory(scenario, plan, 0);
    if plan.pipeline_parallel == 1 {
        return first;
    }
    let last = stage_memory(scenario, plan, plan.pipeline_parallel - 1);
    let worst = if last.peak() > first.peak() { last } else { first };
    let Some(heavy) = StageLayers::of(plan, scenario.workload.layers()).first_heavy_middle() else {
        return worst;
    };
    let heavy = stage_memory(scenario, plan, heavy);
    if heavy.peak() > worst.peak() { heavy } else { worst }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Precision;

    fn pipeline(virtual_stages: u32) -> Plan {
        Plan {
            tensor_parallel: 1,
            pipeline_parallel: 4,
            context_parallel: 1,
            expert_parallel: 1,
            optimizer_offload: false,
            virtual_stages,
            data_parallel: 1,
            sharding: Sharding::None,
            sequence_parallel: false,
            recompute: Recompute::None,
            micro_batch: 1,
            gradient_accumulation_steps: 8,
            flash_attention: false,
            precision: Precision::Fp32,
        }
    }

    #[test]
    fn the_first_stage_of_four_holds_four_micro_batches_and_the_last_one() {
        assert_eq!([0, 3].map(|stage| in_flight(&pipeline(1), stage)), [4.0, 1.0]);
    }

    #[test]
    fn interleaved_stages_hold_the_chunks_of_their_warm_up() {
        // Stage 0: 2 x 3 + 1 x 4 + 1 = 11 chunks of half a stage; stage 3: 0 + 4 + 1 = 5.
        assert_eq!([0, 3].map(|stage| in_flight(&pipeline(2), stage)), [5.5, 2.5]);
    }
}
