//! Arithmetic that a model needs whatever runs it: the numerator of model FLOP utilization.
//!
//! One multiply-accumulate is two FLOP. The backward pass of a weighted operator is a gradient with respect to its
//! input and one with respect to its weight, each as large as the forward pass: a step is three forward passes,
//! without any recomputation. The first convolution needs no input gradient. Element-wise work and table lookups
//! count nothing.

use super::operator::TRANSPOSED;
use super::{Base, Block, Operator, Workload, seen_keys};
use crate::units::FlopCount;

/// FLOP of one multiply-accumulate.
const FLOP_PER_MAC: f64 = 2.0;
/// FLOP per parameter and token in the usual estimate, forward and backward.
const FLOP_PER_PARAMETER: f64 = 6.0;
/// The same without the weight gradient.
const FROZEN_FLOP: f64 = 4.0;

/// How much of the score matrix of a causal attention is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// The half that is not masked.
    Useful,
    /// All of it.
    Square,
}

/// Forward multiply-accumulates of an operator per row.
fn macs(operator: &Operator, keys: f64, scores: Scores) -> f64 {
    match *operator {
        Operator::MatrixProduct { inputs, outputs, .. } => inputs * outputs,
        Operator::Attention { heads, head_dim, causal, window, key_share, .. } => {
            let useful = scores == Scores::Useful;
            let seen = seen_keys(keys * key_share, causal && useful, window.filter(|_| useful));
            // Queries times keys, then scores times values.
            2.0 * heads * head_dim * seen
        }
        Operator::ExpertProduct { inputs, outputs, per_token, .. } => inputs * outputs * per_token,
        Operator::Convolution { inputs, outputs, taps, groups, output_positions, .. } => {
            output_positions * outputs * inputs / groups * taps
        }
        Operator::SampleProduct { count, rows, inputs, outputs, .. } => count * rows * inputs * outputs,
        Operator::Recurrent { inputs, hidden, gates, steps, directions, .. } => {
            directions * steps * gates * hidden * (inputs + hidden)
        }
        Operator::Adapter { inputs, outputs, rank, .. } => rank * (inputs + outputs),
        Operator::ForwardOnly(ref inner) | Operator::FullPrecision(ref inner) => macs(inner, keys, scores),
        Operator::SmallKernels { .. }
        | Operator::ElementWise { .. }
        | Operator::Embedding { .. }
        | Operator::TensorCollective { .. }
        | Operator::ExpertExchange { .. } => 0.0,
    }
}

/// Passes of a step over an operator: forward, input gradient, weight gradient where the weight is trained.
fn passes(operator: &Operator, base: Base) -> f64 {
    match operator {
        Operator::Convolution { first: true, .. } => 2.0,
        Operator::ForwardOnly(_) => 1.0,
        Operator::FullPrecision(inner) => passes(inner, base),
        Operator::MatrixProduct { .. } | Operator::ExpertProduct { .. } if base != Base::Trained => 2.0,
        _ => 3.0,
    }
}

/// Sum over all blocks of a per-operator amount, per row of the sample.
fn per_row(workload: &Workload, amount: impl Fn(&Operator) -> f64) -> f64 {
    let block = |b: &Block| f64::from(b.repeat) * b.row_share * b.operators.iter().map(&amount).sum::<f64>();
    block(&workload.input) + workload.body.iter().map(block).sum::<f64>() + block(&workload.head)
}

fn step_per_row(workload: &Workload, scores: Scores) -> FlopCount {
    let keys = f64::from(workload.rows_per_sample);
    FlopCount::new(per_row(workload, |op| passes(op, workload.base) * FLOP_PER_MAC * macs(op, keys, scores)))
}

/// Forward multiply-accumulates of one sample; causal attention counts the unmasked half.
pub fn forward_macs(workload: &Workload) -> f64 {
    let keys = f64::from(workload.rows_per_sample);
    keys * per_row(workload, |op| macs(op, keys, Scores::Useful))
}

/// Output elements of the convolutions and matrix products of one sample, forward.
pub fn product_elements(workload: &Workload) -> f64 {
    per_row(workload, outputs) * f64::from(workload.rows_per_sample)
}

/// Output elements of a convolution or product, per row.
fn outputs(operator: &Operator) -> f64 {
    match *operator {
        Operator::ForwardOnly(ref inner) | Operator::FullPrecision(ref inner) => outputs(inner),
        Operator::MatrixProduct { outputs, .. } => outputs,
        Operator::Convolution { name: TRANSPOSED, inputs, input_positions, .. } => inputs * input_positions,
        Operator::Convolution { outputs, output_positions, .. } => outputs * output_positions,
        Operator::SampleProduct { count, rows, outputs, .. } => count * rows * outputs,
        Operator::Recurrent { hidden, steps, directions, .. } => directions * steps * hidden,
        _ => 0.0,
    }
}

/// FLOP of one training step per row, forward and backward, with causal attention at half.
///
/// This is the numerator of model FLOP utilization.
pub fn model_flop_per_row(workload: &Workload) -> FlopCount {
    step_per_row(workload, Scores::Useful)
}

/// The same with the full square of the scores, as several published utilizations count.
pub fn model_flop_per_row_full_attention(workload: &Workload) -> FlopCount {
    step_per_row(workload, Scores::Square)
}

/// The usual estimate of 6 N FLOP per row, beside the exact count: no attention, and tables count as if multiplied.
///
/// Frozen parameters have no weight gradient: 4 N, and 6 for each parameter of an adapter.
pub fn six_nd(workload: &Workload) -> FlopCount {
    let adapters = workload.adapter_parameters();
    let per_parameter = if workload.base == Base::Trained { FLOP_PER_PARAMETER } else { FROZEN_FLOP };
    FlopCount::new(per_parameter * workload.active_parameters + FLOP_PER_PARAMETER * adapters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::shapes_for_tests::{encoder, gated, plain_decoder};
    use crate::workload::transformer;

    #[test]
    fn the_head_counts_as_a_matrix_product_and_the_embedding_does_not() {
        let shape = plain_decoder();
        let workload = transformer("x", &shape, 1);
        let (h, v, layers) = (12_288.0, 50_257.0, 96.0);
        // Per layer 4 h² and 8 h², attention over one key h (half of 2 h); the head h V once.
        assert_eq!(forward_macs(&workload), layers * (12.0 * h * h + h) + h * v);
    }

    #[test]
    fn a_step_is_three_forward_passes_of_two_flop() {
        let workload = transformer("x", &gated(32, 4096, 32, 32, 11_008, 32_000), 2048);
        assert_eq!(model_flop_per_row(&workload).get() * 2048.0, 6.0 * forward_macs(&workload));
    }

    #[test]
    fn full_attention_adds_six_s_h_per_layer() {
        let workload = transformer("x", &gated(32, 4096, 32, 32, 11_008, 32_000), 2048);
        let more = model_flop_per_row_full_attention(&workload) - model_flop_per_row(&workload);
        assert_eq!(more.get(), 6.0 * 32.0 * 2048.0 * 4096.0);
    }

    #[test]
    fn exact_and_estimated_flop_agree_within_a_tenth_for_a_short_sequence() {
        let workload = transformer("x", &gated(32, 4096, 32, 32, 11_008, 32_000), 2048);
        let ratio = model_flop_per_row(&workload) / six_nd(&workload);
        assert!((0.95..1.1).contains(&ratio), "{ratio}");
    }

    #[test]
    fn encoder_macs_agree_with_the_published_counting() {
        // Layers at 128, 384 and 512 rows: 39.46, 123.21 and 167.50 GMAC; heads of 20 and 80 predictions 0.65, 2.58.
        let shape = encoder(24, 1024, 16);
        for (rows, layers, head) in [(128, 39.46, 0.65), (512, 167.50, 2.58)] {
            let giga_macs = forward_macs(&transformer("x", &shape, rows)) * 1e-9;
            assert!((giga_macs - layers - head).abs() < 0.02, "{rows}: {giga_macs}");
        }
    }

    #[test]
    fn grouped_queries_shrink_the_projection_and_not_the_scores() {
        let full = transformer("x", &gated(1, 4096, 32, 32, 11_008, 32_000), 2048);
        let grouped = transformer("x", &gated(1, 4096, 32, 8, 11_008, 32_000), 2048);
        // Keys and values lose 24 heads of 128 each.
        let saved = forward_macs(&full) - forward_macs(&grouped);
        assert_eq!(saved, 2048.0 * 4096.0 * 2.0 * 24.0 * 128.0);
    }
}
