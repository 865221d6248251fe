//! Localised names of terms, memory items, verdicts and statuses, and in words how each is computed.

use super::phrases::{simulation as say, term, verdict};
use super::{Language, Phrase};
use crate::plan::{Plan, Sharding};
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{Bound, MemoryItem, TermKind, Verdict};
use crate::workload::Base;

/// Name of a term.
pub(super) const fn term(kind: TermKind) -> Phrase {
    match kind {
        TermKind::MatrixProducts => term::MATRIX_PRODUCTS,
        TermKind::Convolutions => term::CONVOLUTIONS,
        TermKind::Attention => term::ATTENTION,
        TermKind::ElementWise => term::ELEMENT_WISE,
        TermKind::Recompute => term::RECOMPUTE,
        TermKind::Launch => term::LAUNCH,
        TermKind::TensorParallel => term::TENSOR_PARALLEL,
        TermKind::ExpertParallel => term::EXPERT_PARALLEL,
        TermKind::TableExchange => term::TABLE_EXCHANGE,
        TermKind::ContextParallel => term::CONTEXT_PARALLEL,
        TermKind::HostUpdate => term::HOST_UPDATE,
        TermKind::PipelineTransfer => term::PIPELINE_TRANSFER,
        TermKind::Bubble => term::BUBBLE,
        TermKind::WeightGather => term::WEIGHT_GATHER,
        TermKind::GradientReduction => term::GRADIENT_REDUCTION,
        TermKind::Optimizer => term::OPTIMIZER,
        TermKind::Input => term::INPUT,
        TermKind::Fixed => term::FIXED,
    }
}

/// How a term is computed.
pub(super) const fn how_term(kind: TermKind) -> Phrase {
    match kind {
        TermKind::MatrixProducts => term::HOW_MATRIX_PRODUCTS,
        TermKind::Convolutions => term::HOW_CONVOLUTIONS,
        TermKind::Attention => term::HOW_ATTENTION,
        TermKind::ElementWise => term::HOW_ELEMENT_WISE,
        TermKind::Recompute => term::HOW_RECOMPUTE,
        TermKind::Launch => term::HOW_LAUNCH,
        TermKind::TensorParallel => term::HOW_TENSOR_PARALLEL,
        TermKind::ExpertParallel => term::HOW_EXPERT_PARALLEL,
        TermKind::TableExchange => term::HOW_TABLE_EXCHANGE,
        TermKind::ContextParallel => term::HOW_CONTEXT_PARALLEL,
        TermKind::HostUpdate => term::HOW_HOST_UPDATE,
        TermKind::PipelineTransfer => term::HOW_PIPELINE_TRANSFER,
        TermKind::Bubble => term::HOW_BUBBLE,
        TermKind::WeightGather => term::HOW_WEIGHT_GATHER,
        TermKind::GradientReduction => term::HOW_GRADIENT_REDUCTION,
        TermKind::Optimizer => term::HOW_OPTIMIZER,
        TermKind::Input => term::HOW_INPUT,
        TermKind::Fixed => term::HOW_FIXED,
    }
}

/// Name of a resource that binds.
pub(super) const fn bound(bound: Bound) -> Phrase {
    match bound {
        Bound::Compute => verdict::COMPUTE_BOUND,
        Bound::Memory => verdict::MEMORY_BOUND,
        Bound::Communication => verdict::COMMUNICATION_BOUND,
        Bound::Launch => verdict::LAUNCH_BOUND,
        Bound::Bubble => say::BUBBLE_BOUND,
        Bound::Input => verdict::INPUT_BOUND,
    }
}

/// Name of a memory item.
pub(super) const fn item(item: MemoryItem) -> Phrase {
    match item {
        MemoryItem::Weights => term::WEIGHTS,
        MemoryItem::Gradients => term::GRADIENTS,
        MemoryItem::OptimizerStates => term::OPTIMIZER_STATES,
        MemoryItem::CheckpointedInputs => term::CHECKPOINTED_INPUTS,
        MemoryItem::Activations => term::ACTIVATIONS,
        MemoryItem::Logits => term::LOGITS,
        MemoryItem::GatheredLayers => term::GATHERED_LAYERS,
        MemoryItem::CommunicationBuffers => term::COMMUNICATION_BUFFERS,
        MemoryItem::Context => term::CONTEXT,
        MemoryItem::Fragmentation => term::FRAGMENTATION,
    }
}

/// The recipe of a memory item: bytes per parameter and their sharding, or what it holds.
pub(super) fn how_item(
    item: MemoryItem,
    recipe: BytesPerParameter,
    plan: &Plan,
    (shards, base): (u32, Base),
    language: Language,
) -> String {
    let ranks = shards.to_string();
    let over = |sharded: bool| {
        if sharded && shards > 1 { term::OVER_RANKS.fill(language, &[&ranks]) } else { String::new() }
    };
    let sharding = plan.sharding;
    let phrase = match item {
        MemoryItem::Weights => {
            let over = over(matches!(sharding, Sharding::Zero3 | Sharding::Hsdp));
            let phrase =
                if base == Base::Quantized { term::HOW_WEIGHTS_QUANTIZED } else { term::HOW_WEIGHTS };
            return phrase.fill(language, &[&recipe.weights.to_string(), &over]);
        }
        MemoryItem::Gradients => {
            let over = match sharding {
                Sharding::Zero2 if plan.precision.is_mixed() => {
                    term::WITH_PARTITIONS.fill(language, &[&ranks])
                }
                Sharding::Zero2 | Sharding::Zero3 | Sharding::ShardGradOp | Sharding::Hsdp => over(true),
                Sharding::None | Sharding::Zero1 => String::new(),
            };
            return term::HOW_GRADIENTS.fill(language, &[&recipe.gradients.to_string(), &over]);
        }
        MemoryItem::OptimizerStates => {
            let over = over(sharding != Sharding::None);
            let mixed = plan.precision.is_mixed();
            let phrase = if mixed { term::HOW_OPTIMIZER_STATES_MIXED } else { term::HOW_OPTIMIZER_STATES };
            return phrase.fill(language, &[&recipe.states.to_string(), &over]);
        }
        MemoryItem::CheckpointedInputs => term::HOW_CHECKPOINTED_INPUTS,
        MemoryItem::Activations => term::HOW_ACTIVATIONS,
        MemoryItem::Logits => term::HOW_LOGITS,
        MemoryItem::GatheredLayers => term::HOW_GATHERED_LAYERS,
        MemoryItem::CommunicationBuffers => term::HOW_COMMUNICATION_BUFFERS,
        MemoryItem::Context => term::HOW_CONTEXT,
        MemoryItem::Fragmentation => term::HOW_FRAGMENTATION,
    };
    phrase.owned(language)
}

/// Name of a memory verdict.
pub(super) const fn verdict(verdict: Verdict) -> Phrase {
    match verdict {
        Verdict::Fits => verdict::FITS,
        Verdict::Tight => verdict::TIGHT,
        Verdict::No => verdict::DOES_NOT_FIT,
    }
}
