//! Memory of one GPU, item by item, on the pipeline stage that needs most.
//!
//! States (bytes per parameter, mixed-precision Adam): weights 2, gradients 2, FP32 master weights and moments 12,
//! 16 in all. Over N data-parallel ranks: ZeRO-1 keeps `4 + 12/N`, ZeRO-2 `2 + 18/N` (the real DeepSpeed recipe with
//! FP32 gradient partitions), ZeRO-3 `16/N` plus the layers that are gathered at the moment.
//! Activations: the saved tensors of each block, Korthikanti et al. 2022, times the micro-batches in flight of the
//! schedule: `min(m, p - i)` on stage i of 1F1B, `p + (p - 1 - 2 i)/v` when interleaved.

pub use super::memory_item::MemoryItem;
pub use super::resident::{BytesPerParameter, MASTER_BYTES};

use super::Scenario;
use super::network_part::part;
use super::parameters::StageParameters;
use super::resident::Resident;
use super::retained::{Retained, SavedBytes};
use crate::plan::{Plan, StageLayers};
use crate::units::Bytes;

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

impl MemoryEstimate {
    /// The memory of one stage from its two parts.
    pub fn of_parts(scenario: &Scenario<'_>, stage: u32, resident: &Resident, retained: &Retained) -> Self {
        let mut items = [Bytes::ZERO; MemoryItem::COUNT];
        let mut set = |item: MemoryItem, bytes: f64| items[item as usize] = Bytes::new(bytes);
        set(MemoryItem::Weights, resident.weights);
        set(MemoryItem::Gradients, resident.gradients);
        set(MemoryItem::OptimizerStates, resident.states);
        set(MemoryItem::CheckpointedInputs, retained.inputs);
        set(MemoryItem::Activations, retained.activations);
        set(MemoryItem::Logits, retained.logits);
        set(MemoryItem::GatheredLayers, resident.gathered);
        set(MemoryItem::CommunicationBuffers, resident.buffers);
        set(MemoryItem::Context, scenario.stack.memory_overhead.get());
        set(MemoryItem::Fragmentation, retained.fragmentation);
        Self { items, stage, usable: scenario.machine.gpu.memory_usable }
    }
}

/// Memory of one pipeline stage, counted from 0.
pub fn stage_memory(scenario: &Scenario<'_>, plan: &Plan, stage: u32) -> MemoryEstimate {
    let rows = plan.rows(scenario.workload.rows_per_sample);
    let saved = |number| SavedBytes::of(scenario, plan, part(scenario.workload, number), rows);
    let resident = Resident::of(scenario, plan, &StageParameters::of(scenario, plan, stage));
    MemoryEstimate::of_parts(scenario, stage, &resident, &Retained::of(scenario, plan, stage, saved))
}

/// Memory of the stage that needs most. Cheap: call it before [`step_time`](super::step_time).
pub fn memory(scenario: &Scenario<'_>, plan: &Plan) -> MemoryEstimate {
    let mut worst = stage_memory(scenario, plan, 0);
    for stage in StageLayers::of(plan, scenario.workload.layers()).deciding().skip(1) {
        let other = stage_memory(scenario, plan, stage);
        if other.peak() > worst.peak() {
            worst = other;
        }
    }
    worst
}
