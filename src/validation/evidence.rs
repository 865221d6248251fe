//! Which measured runs say something about a software stack.
//!
//! A coefficient may absorb whatever a row does that the simulator does not know. Rows that surely do something else
//! than what their columns say, or ran on parts whose own rates are not measured, are predicted and counted like all
//! others, but no fit sees them:
//!
//! - whole training times, which hold start-up, evaluation and the end of the training set;
//! - hand-optimised entries of benchmark rounds, which skip padding and replace kernels;
//! - pre-training of encoders beyond 128 tokens: sentences are shorter than that, and whether a source
//!   computes the padding is not in the columns (some of these rows would exceed the peak of their GPU if it did); stacks
//!   with kernels of their own fill their sequences;
//! - encoders on GPUs known from data sheets only: their steps are traffic and host time for the most part, and the
//!   architecture's rate of products would absorb what the sheet has wrong;
//! - networks over samples of which a part is a guess in the catalog;
//! - cards in slots: power limits below those of the boards that kernels were measured on, and mostly data sheets.

use super::run::Metric;
use super::scenario::Prepared;
use super::shape::GUESSED;
use crate::simulator::may_skip_padding;
use crate::workload::WorkloadKind;

/// Recipe class of entries that were tuned by hand for one machine.
const HAND_OPTIMISED: &str = "hand-optimised";

/// True when fits of transformer coefficients may see a row.
pub fn informs_stack(row: &Prepared<'_>) -> bool {
    let whole_training = row.run.metric == Metric::TimeToTrainS;
    let hand_optimised = row.run.recipe.as_deref() == Some(HAND_OPTIMISED);
    let guessed = row.workload.kind == WorkloadKind::Encoder && row.machine.hardware.is_datasheet();
    let own_links = !row.machine.link.over_pcie;
    is_transformer(row)
        && own_links
        && !whole_training
        && !hand_optimised
        && !guessed
        && !may_skip_padding(&row.workload, row.stack)
}

/// True when the fit of coefficients of networks over samples may see a row: not where part of the network is a guess.
pub fn informs_layers(row: &Prepared<'_>) -> bool {
    row.layered.is_some() && !row.assumed.iter().any(|a| a.name == GUESSED)
}

/// True when the coefficients of stacks, not those of layers, predict a row.
pub fn is_transformer(row: &Prepared<'_>) -> bool {
    row.layered.is_none() && row.workload.attention.is_some()
}
