//! Bytes that a GPU keeps for the backward pass of its micro-batches in flight.

use super::Scenario;
use super::network_part::{head_part, input_part};
use crate::plan::{Plan, Recompute, StageLayers};
use crate::workload::{Block, Partition};

/// What one occurrence of a block keeps of one micro-batch on one GPU: what tensor and context parallel degrees,
/// sequence parallelism, micro-batch, attention kernel and precision decide, and nothing else of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SavedBytes {
    /// Tensors that are always kept.
    kept: f64,
    /// Those that selective recomputation drops.
    dropped: f64,
    /// The block's input, which full recomputation keeps instead.
    input: f64,
}

impl SavedBytes {
    /// The bytes of one occurrence of `block` for `rows` rows.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, block: &Block, rows: f64) -> Self {
        let element = plan.precision.element_bytes();
        let tensor = f64::from(plan.tensor_parallel);
        let row_share = if plan.sequence_parallel { tensor } else { 1.0 };
        let keys = f64::from(scenario.workload.rows_per_sample);
        let mut saved = Self { input: rows * block.input_elements * element / row_share, ..Self::default() };
        let rows = rows * block.row_share;
        for t in &block.saved {
            let share = match t.partition {
                Partition::Column | Partition::Row => tensor,
                Partition::Rows if plan.sequence_parallel => tensor,
                Partition::Rows | Partition::Replicated => 1.0,
            };
            let per_row = t.bytes_per_row(element, keys, plan.flash_attention);
            let bytes = rows * per_row / share;
            if t.selective {
                saved.dropped += bytes;
            } else {
                saved.kept += bytes;
            }
        }
        saved
    }
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

/// Bytes of one GPU of a stage that come with its micro-batches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Retained {
    /// Layer inputs kept for recomputation.
    pub inputs: f64,
    /// Saved tensors, and those of one layer while it is computed again.
    pub activations: f64,
    /// Logits and loss.
    pub logits: f64,
    /// Allocator loss.
    pub fragmentation: f64,
}

impl Retained {
    /// The bytes under a plan's micro-batch, schedule and recomputation; its sharding and offload do not matter.
    /// `saved` gives the bytes of a [part](super::network_part) of the network.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, stage: u32, saved: impl Fn(usize) -> SavedBytes) -> Self {
        let workload = scenario.workload;
        let layers = StageLayers::of(plan, workload.layers());
        let depth = in_flight(plan, stage);
        let mut inputs = 0.0;
        let mut activations = 0.0;
        let mut working = 0.0f64;
        for (part, block) in workload.body.iter().enumerate() {
            let count = layers.share(f64::from(block.repeat), stage);
            let SavedBytes { kept, dropped, input } = saved(part);
            match plan.recompute {
                Recompute::None => activations += (kept + dropped) * count * depth,
                Recompute::Selective => {
                    activations += kept * count * depth;
                    working = working.max(dropped);
                }
                Recompute::Full => {
                    inputs += input * count * depth;
                    working = working.max(kept + dropped);
                }
            }
        }
        if stage == 0 {
            let SavedBytes { kept, dropped, .. } = saved(input_part(workload));
            activations += (kept + dropped) * depth;
        }
        let mut logits = 0.0;
        if stage + 1 == plan.pipeline_parallel {
            let SavedBytes { kept, dropped, .. } = saved(head_part(workload));
            logits = kept + dropped;
        }
        let fragmentation = (activations + working + logits) * scenario.stack.fragmentation.get();
        Self { inputs, activations: activations + working, logits, fragmentation }
    }

    /// Sum.
    pub fn total(&self) -> f64 {
        self.inputs + self.activations + self.logits + self.fragmentation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Precision;
    use crate::plan::Sharding;

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
