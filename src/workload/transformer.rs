//! The operators of a transformer.
//!
//! Symbols as in [`transformer_parameters`]. Element-wise counts are reads plus writes per row with one kernel for
//! each listed operator, biases inside it; a one-byte dropout mask is half an element. `kernels` is what eager
//! PyTorch launches for it. How far a real stack fuses is a coefficient of the stack, not of this list.

use super::activations::{self, uses_dropout};
use super::layers::{LayerForm, forms};
use super::parameters::{
    active_parameters, head_parameters, input_parameters, layer_parameters, transformer_parameters,
};
use super::{
    AttentionShape, Base, Block, CollectiveKind, Operator, Partition, Workload, WorkloadKind, attention,
    experts,
};
use crate::catalog::{Position, SampleKind, TableUpdate, TransformerKind, TransformerSpec};

/// Share of positions that a masked-language-model head predicts: 20 of 128, which is also 80 of 512.
pub const PREDICTED_SHARE: f64 = 20.0 / 128.0;

/// Elements per logit moved by the loss in one direction: a 16-bit and an FP32 access of the conversion, then one
/// read and one write of the (log-)softmax or of its gradient.
const LOSS_ACCESSES: f64 = 3.5;

/// Bytes per element of the loss.
const LOSS_BYTES: f64 = 4.0;

/// Half an element: one byte of mask beside two-byte elements.
const MASK: f64 = 0.5;

/// Builds the workload of a transformer at a sequence length.
///
/// Every collective listed is the forward one of a tensor-parallel group; the one after the embedding stands, in
/// its backward mirror, for the reduction of the output head's input gradient.
pub fn transformer(name: &str, shape: &TransformerSpec, sequence_length: u32) -> Workload {
    let parameters = transformer_parameters(shape) as f64;
    Workload {
        name: name.to_owned(),
        kind: match shape.kind {
            TransformerKind::Decoder => WorkloadKind::Decoder,
            TransformerKind::Encoder => WorkloadKind::Encoder,
            TransformerKind::EncoderDecoder => WorkloadKind::EncoderDecoder,
            TransformerKind::Vision => WorkloadKind::Vision,
        },
        sizes_vary: false,
        samples: if shape.kind == TransformerKind::Vision {
            SampleKind::Images
        } else {
            SampleKind::Sequences
        },
        rows_per_sample: sequence_length,
        tokens_per_sample: f64::from(sequence_length),
        input: input_block(shape),
        body: forms(shape, sequence_length).iter().map(|form| layer_block(shape, form)).collect(),
        head: head_block(shape, sequence_length),
        attention: Some(AttentionShape {
            hidden: shape.hidden,
            heads: shape.heads,
            kv_heads: shape.kv_heads,
            head_dim: shape.head_dim,
            vocab: shape.vocab,
        }),
        shape: Some(shape.clone()),
        tied_embeddings: shape.tied_embeddings,
        parameters,
        active_parameters: active_parameters(shape) as f64,
        experts: shape.experts.map_or(0, |e| e.routed),
        base: Base::Trained,
        assumptions: assumptions(shape, sequence_length),
    }
}

fn assumptions(shape: &TransformerSpec, sequence_length: u32) -> Vec<String> {
    let mut list = vec![if uses_dropout(shape) {
        "dropout is used, as usual with learned positions and a plain MLP".to_owned()
    } else if shape.kind == TransformerKind::Vision {
        "no dropout, as usual in training on images".to_owned()
    } else {
        "no dropout, as usual with rotary, ALiBi or relative positions or a gated MLP".to_owned()
    }];
    if shape.kind == TransformerKind::Encoder {
        list.push(format!(
            "the masked-language-model head predicts {:.3} % of the positions; its own transform is computed, but \
             published counts leave its parameters out",
            PREDICTED_SHARE * 100.0
        ));
    }
    if let Some(experts) = shape.experts {
        list.push(format!(
            "tokens are routed evenly over the {} experts; uneven routing makes the slowest GPU slower",
            experts.routed
        ));
    }
    if shape.kind == TransformerKind::EncoderDecoder {
        let basis = if shape.target_stated { "as stated" } else { "as in its pre-training" };
        let percent = (shape.target_share * 1e5).round() / 1e3;
        list.push(format!("the decoder has {percent} % of the encoder's tokens, {basis}"));
    }
    if shape.position == Position::Relative {
        list.push("fused attention needs a kernel that adds relative position biases".to_owned());
    }
    if shape.position == Position::Learned && sequence_length > shape.max_sequence {
        list.push(format!(
            "the sequence of {sequence_length} is longer than the {} learned positions, whose table is not enlarged",
            shape.max_sequence
        ));
    }
    list
}

pub(super) fn element_wise(
    name: &'static str,
    elements: f64,
    backward_elements: f64,
    kernels: f64,
    partition: Partition,
) -> Operator {
    Operator::ElementWise { name, elements, backward_elements, element_bytes: None, kernels, partition }
}

/// Read and write; backward reads input and gradient, writes one, and passes once more for the weight.
pub(super) fn norm(name: &'static str, width: f64) -> Operator {
    element_wise(name, 2.0 * width, 4.0 * width, 1.0, Partition::Rows)
}

/// Addition to the residual stream, after dropout where there is one.
pub(super) fn residual(name: &'static str, shape: &TransformerSpec) -> Operator {
    let h = f64::from(shape.hidden);
    let bias = f64::from(u8::from(shape.biases));
    let dropout = f64::from(u8::from(uses_dropout(shape)));
    let add = 3.0 + dropout * (2.0 + MASK);
    element_wise(name, add * h, (add + bias) * h, 1.0 + dropout + bias, Partition::Rows)
}

pub(super) fn all_reduce(shape: &TransformerSpec) -> Operator {
    Operator::TensorCollective { kind: CollectiveKind::AllReduce, elements: f64::from(shape.hidden) }
}

pub(super) fn product(name: &'static str, inputs: f64, outputs: f64, partition: Partition) -> Operator {
    Operator::MatrixProduct { name, inputs, outputs, partition }
}

fn mlp_operators(shape: &TransformerSpec) -> Vec<Operator> {
    let [h, f] = [shape.hidden, shape.ffn].map(f64::from);
    let bias = if shape.biases { f } else { 0.0 };
    let (up, activation) = if shape.gated_mlp {
        // Reads gate and up, writes their product; backward reads both and a gradient, writes two gradients.
        let gated = element_wise("gated activation", 3.0 * f, 5.0 * f + bias, 2.0, Partition::Column);
        (product("MLP gate and up", h, 2.0 * f, Partition::Column), gated)
    } else {
        let plain = element_wise("activation", 2.0 * f, 3.0 * f + bias, 1.0, Partition::Column);
        (product("MLP up", h, f, Partition::Column), plain)
    };
    vec![
        norm("MLP norm", h),
        up,
        activation,
        product("MLP down", f, h, Partition::Row),
        all_reduce(shape),
        residual("MLP residual", shape),
    ]
}

fn layer_block(shape: &TransformerSpec, form: &LayerForm) -> Block {
    let counted = layer_parameters(shape, form);
    let mut operators = attention::operators(shape, form);
    operators.extend(match form.experts {
        Some(own) => experts::operators(shape, own),
        None => mlp_operators(shape),
    });
    Block {
        repeat: form.repeat,
        operators,
        parameters: counted.parameters,
        divided_parameters: counted.divided,
        expert_parameters: counted.experts,
        saved: activations::layer(shape, form),
        input_elements: f64::from(shape.hidden),
        row_share: form.row_share,
        ..Block::empty(form.name)
    }
}

fn input_block(shape: &TransformerSpec) -> Block {
    let h = f64::from(shape.hidden);
    let counted = input_parameters(shape);
    let mut operators = match shape.patch.map(f64::from) {
        Some(side) => vec![product("patch embedding", 3.0 * side * side, h, Partition::Replicated)],
        None => vec![
            Operator::Embedding {
                table_rows: f64::from(shape.vocab),
                row: h,
                // Both halves look their rows up.
                width: h * if shape.kind == TransformerKind::EncoderDecoder {
                    1.0 + shape.target_share
                } else {
                    1.0
                },
                partition: Partition::Column,
                update: TableUpdate::Dense,
            },
            all_reduce(shape),
        ],
    };
    if shape.position == Position::Learned {
        operators.push(element_wise("position addition", 3.0 * h, 2.0 * h, 2.0, Partition::Rows));
    }
    if shape.kind == TransformerKind::Encoder {
        operators.push(element_wise("token type addition", 3.0 * h, 2.0 * h, 2.0, Partition::Rows));
        operators.push(norm("embedding norm", h));
    }
    if uses_dropout(shape) {
        let moved = (2.0 + MASK) * h;
        operators.push(element_wise("embedding dropout", moved, moved, 1.0, Partition::Rows));
    }
    Block {
        repeat: 1,
        operators,
        parameters: counted.parameters,
        divided_parameters: counted.divided,
        saved: activations::input(shape),
        ..Block::empty("embedding")
    }
}

/// Share of a sample's rows that reach the output head.
fn head_share(shape: &TransformerSpec, sequence_length: u32) -> f64 {
    match shape.kind {
        TransformerKind::Decoder => 1.0,
        TransformerKind::Encoder => PREDICTED_SHARE,
        TransformerKind::EncoderDecoder => shape.target_share,
        // The class token alone.
        TransformerKind::Vision => 1.0 / f64::from(sequence_length.max(1)),
    }
}

fn head_block(shape: &TransformerSpec, sequence_length: u32) -> Block {
    let [h, v] = [shape.hidden, shape.vocab].map(f64::from);
    let counted = head_parameters(shape);
    let mut operators = Vec::new();
    if shape.kind == TransformerKind::Encoder {
        operators.push(product("head transform", h, h, Partition::Replicated));
        operators.push(element_wise("head activation", 2.0 * h, 3.0 * h, 1.0, Partition::Replicated));
    }
    operators.push(norm("final norm", h));
    operators.push(product("output head", h, v, Partition::Column));
    operators.push(Operator::ElementWise {
        name: "cross-entropy loss",
        elements: LOSS_ACCESSES * v,
        backward_elements: LOSS_ACCESSES * v,
        element_bytes: Some(LOSS_BYTES),
        kernels: 3.0,
        partition: Partition::Column,
    });
    Block {
        repeat: 1,
        operators,
        parameters: counted.parameters,
        divided_parameters: counted.divided,
        saved: activations::head(shape),
        input_elements: h,
        row_share: head_share(shape, sequence_length),
        ..Block::empty("head")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::shapes_for_tests::{encoder, gated, plain, plain_decoder};

    fn sum_of_blocks(workload: &Workload) -> f64 {
        let body: f64 = workload.body.iter().map(|b| f64::from(b.repeat) * b.parameters).sum();
        workload.input.parameters + body + workload.head.parameters
    }

    fn product_named(block: &Block, wanted: &str) -> Option<(f64, f64)> {
        block.operators.iter().find_map(|operator| match *operator {
            Operator::MatrixProduct { name, inputs, outputs, .. } if name == wanted => {
                Some((inputs, outputs))
            }
            _ => None,
        })
    }

    #[test]
    fn the_parameters_of_the_blocks_sum_to_the_total() {
        for shape in [
            plain_decoder(),
            gated(32, 4096, 32, 8, 14_336, 128_256),
            encoder(24, 1024, 16),
            TransformerSpec { extra_parameters: -1000, extra_parameters_per_layer: 7, ..plain_decoder() },
        ] {
            let workload = transformer("x", &shape, 512);
            assert_eq!(sum_of_blocks(&workload), workload.parameters);
            assert_eq!(workload.parameters, transformer_parameters(&shape) as f64);
        }
    }

    #[test]
    fn a_tied_head_has_no_table_but_keeps_its_matrix_product() {
        let tied = transformer("x", &plain(12, 768, 12, 50_257, 1024), 1024);
        assert_eq!(tied.head.parameters, 2.0 * 768.0);
        assert_eq!(product_named(&tied.head, "output head"), Some((768.0, 50_257.0)));
        let own = transformer("x", &gated(32, 4096, 32, 32, 11_008, 32_000), 1024);
        assert_eq!(own.head.parameters, 4096.0 * 32_000.0 + 4096.0);
        assert_eq!(own.head.divided_parameters, 4096.0 * 32_000.0);
    }

    #[test]
    fn grouped_queries_size_the_fused_projection_by_their_key_value_heads() {
        let workload = transformer("x", &gated(32, 4096, 32, 8, 14_336, 128_256), 8192);
        assert_eq!(product_named(&workload.body[0], "QKV projection"), Some((4096.0, (32.0 + 16.0) * 128.0)));
        assert_eq!(product_named(&workload.body[0], "MLP gate and up"), Some((4096.0, 2.0 * 14_336.0)));
    }

    #[test]
    fn weights_of_the_products_are_the_divided_parameters_of_a_layer_without_biases() {
        let workload = transformer("x", &gated(32, 4096, 32, 8, 14_336, 128_256), 8192);
        let weights: f64 = workload.body[0]
            .operators
            .iter()
            .map(|operator| match *operator {
                Operator::MatrixProduct { inputs, outputs, .. } => inputs * outputs,
                _ => 0.0,
            })
            .sum();
        assert_eq!(weights, workload.body[0].divided_parameters);
    }

    #[test]
    fn two_collectives_of_h_follow_the_two_row_divided_products_of_a_layer() {
        let workload = transformer("x", &plain_decoder(), 2048);
        let collectives: Vec<f64> = workload.body[0]
            .operators
            .iter()
            .filter_map(|operator| match *operator {
                Operator::TensorCollective { elements, .. } => Some(elements),
                _ => None,
            })
            .collect();
        assert_eq!(collectives, [12_288.0, 12_288.0]);
    }

    #[test]
    fn an_encoder_is_bidirectional_and_its_head_sees_20_of_128_rows() {
        let workload = transformer("x", &encoder(24, 1024, 16), 128);
        assert_eq!(workload.head.row_share * 128.0, 20.0);
        assert_eq!(workload.head.row_share * 512.0, 80.0);
        let causal =
            |b: &Block| b.operators.iter().any(|o| matches!(o, Operator::Attention { causal: true, .. }));
        assert!(!causal(&workload.body[0]));
        assert!(causal(&transformer("x", &plain_decoder(), 128).body[0]));
    }

    #[test]
    fn a_sequence_beyond_the_learned_positions_is_said() {
        let shape = plain(12, 768, 12, 50_257, 1024);
        let said = |s: u32| {
            transformer("x", &shape, s).assumptions.iter().any(|a| a.contains("longer than the 1024"))
        };
        assert!(said(2048));
        assert!(!said(1024));
    }
}
