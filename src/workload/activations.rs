//! What the backward pass of a transformer keeps from the forward pass.
//!
//! The list is that of Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models"
//! (arXiv:2205.05198), section 4, item by item. At 16 bits with dropout, a GELU MLP of 4 h and as many key-value
//! heads as heads, one layer keeps `s b h (34 + 5 a s / h)` bytes: attention 11 s b h + 5 a s² b, MLP 19 s b h, the
//! inputs of two norms 4 s b h. With tensor parallelism t the items outside the divided matrices (10 s b h) stay
//! whole unless sequence parallelism divides their rows.
//!
//! Grouped queries shrink keys and values; a gated MLP keeps two inputs of its activation, whose own intermediate
//! is taken to be recomputed by a fused kernel. FlashAttention keeps no score matrix but four bytes per head and
//! row (see [`SavedTensor::bytes_per_row`]); its output is the projection's input, kept anyway.

use super::layers::{LayerForm, Role};
use super::{Partition, SavedTensor};
use crate::catalog::{Experts, Position, TransformerKind, TransformerSpec};

/// Bytes of an FP32 number.
const FP32_BYTES: f64 = 4.0;

/// Whether the recipe is taken to use dropout.
///
/// Shapes do not say. Families with rotary or ALiBi positions or a gated MLP are pre-trained without; the earlier
/// ones (learned positions, plain MLP) with it.
pub(super) fn uses_dropout(shape: &TransformerSpec) -> bool {
    shape.kind != TransformerKind::Vision
        && !shape.gated_mlp
        && matches!(shape.position, Position::Learned | Position::None)
}

fn kept(name: &'static str, elements: f64, partition: Partition) -> SavedTensor {
    SavedTensor {
        name,
        elements,
        bytes: 0.0,
        elements_per_key: 0.0,
        bytes_per_key: 0.0,
        selective: false,
        partition,
    }
}

fn mask(name: &'static str, elements: f64) -> SavedTensor {
    SavedTensor { bytes: elements, ..kept(name, 0.0, Partition::Rows) }
}

fn scores(name: &'static str, elements_per_key: f64, bytes_per_key: f64) -> SavedTensor {
    SavedTensor { elements_per_key, bytes_per_key, selective: true, ..kept(name, 0.0, Partition::Column) }
}

/// Tensors kept by one layer.
pub(super) fn layer(shape: &TransformerSpec, form: &LayerForm) -> Vec<SavedTensor> {
    let mut saved = attention(shape, form);
    saved.push(kept("MLP norm input", f64::from(shape.hidden), Partition::Rows));
    saved.push(kept("MLP input", f64::from(shape.hidden), Partition::Rows));
    if let Some(experts) = form.experts {
        saved.extend(expert_tensors(shape, experts));
    } else {
        let f = f64::from(shape.ffn);
        let activation = if shape.gated_mlp { 2.0 * f } else { f };
        saved.push(kept("activation input", activation, Partition::Column));
        saved.push(kept("MLP down input", f, Partition::Column));
    }
    if uses_dropout(shape) {
        saved.push(mask("MLP dropout mask", f64::from(shape.hidden)));
    }
    saved
}

fn attention(shape: &TransformerSpec, form: &LayerForm) -> Vec<SavedTensor> {
    let [h, a, g, d] = [shape.hidden, shape.heads, shape.kv_heads, shape.head_dim].map(f64::from);
    let dropout = uses_dropout(shape);
    let mut saved =
        vec![kept("attention norm input", h, Partition::Rows), kept("QKV input", h, Partition::Rows)];
    let (mut keys, mut values) = (g * d, g * d);
    if let Some(latent) = shape.latent {
        let [c, r] = [latent.kv_rank, latent.rotary_dim].map(f64::from);
        let query = latent.query_rank.map_or(0.0, f64::from);
        saved.push(kept(
            "latents before and after their norms",
            2.0 * (query + c) + r,
            Partition::Replicated,
        ));
        keys = a * d;
        values = a * f64::from(latent.value_dim);
    }
    let output = if shape.latent.is_some() { values } else { a * d };
    saved.push(kept("queries", a * d, Partition::Column));
    saved.push(kept("keys", keys, Partition::Column));
    saved.push(kept("values", values, Partition::Column));
    scores_and_output(&mut saved, a, output, form.row_share, dropout);
    if dropout {
        saved.push(mask("attention dropout mask", h));
    }
    match form.role {
        Role::Alone => {}
        Role::Encoder => saved.push(kept("cross-attention keys and values", 2.0 * g * d, Partition::Column)),
        Role::Decoder => {
            saved.push(kept("cross-attention norm input", h, Partition::Rows));
            saved.push(kept("cross-attention input", h, Partition::Rows));
            saved.push(kept("cross-attention queries", a * d, Partition::Column));
            scores_and_output(&mut saved, a, a * d, 1.0, dropout);
        }
    }
    saved
}

/// The attention core and the input of the projection after it; keys are `key_share` of the sequence.
fn scores_and_output(saved: &mut Vec<SavedTensor>, heads: f64, output: f64, key_share: f64, dropout: bool) {
    saved.push(scores("softmax output", heads * key_share, 0.0));
    if dropout {
        saved.push(scores("softmax dropout mask", 0.0, heads * key_share));
        saved.push(scores("softmax dropout output", heads * key_share, 0.0));
    }
    saved.push(SavedTensor {
        bytes: FP32_BYTES * heads,
        selective: true,
        ..kept("log-sum-exp of the scores", 0.0, Partition::Column)
    });
    saved.push(kept("output projection input", output, Partition::Column));
}

/// Copies of the rows at their experts, before and after, and the experts' own tensors.
fn expert_tensors(shape: &TransformerSpec, experts: Experts) -> Vec<SavedTensor> {
    let [h, f, k] = [shape.hidden, experts.ffn, experts.per_token].map(f64::from);
    let through = k * f + f64::from(experts.shared) * f;
    vec![
        SavedTensor {
            bytes: FP32_BYTES * f64::from(experts.routed),
            ..kept("routing scores", 0.0, Partition::Rows)
        },
        kept("rows at experts", k * h, Partition::Rows),
        kept("activation input", 2.0 * through, Partition::Column),
        kept("MLP down input", through, Partition::Column),
        kept("expert outputs", k * h, Partition::Rows),
    ]
}

/// Tensors kept before the first layer.
pub(super) fn input(shape: &TransformerSpec) -> Vec<SavedTensor> {
    let h = f64::from(shape.hidden);
    let mut saved = Vec::new();
    if let Some(side) = shape.patch.map(f64::from) {
        saved.push(kept("patches", 3.0 * side * side, Partition::Rows));
    }
    if shape.kind == TransformerKind::Encoder {
        saved.push(kept("embedding norm input", h, Partition::Rows));
    }
    if uses_dropout(shape) {
        saved.push(mask("embedding dropout mask", h));
    }
    saved
}

/// Tensors kept after the last layer; the logits are held in FP32 whatever the storage precision.
pub(super) fn head(shape: &TransformerSpec) -> Vec<SavedTensor> {
    let h = f64::from(shape.hidden);
    let mut saved = Vec::new();
    if shape.kind == TransformerKind::Encoder {
        saved.push(kept("head transform input", h, Partition::Rows));
        saved.push(kept("head activation input", h, Partition::Rows));
    }
    saved.push(kept("final norm input", h, Partition::Rows));
    saved.push(kept("output head input", h, Partition::Rows));
    saved.push(SavedTensor {
        bytes: FP32_BYTES * f64::from(shape.vocab),
        ..kept("FP32 logits", 0.0, Partition::Column)
    });
    saved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::layers::forms;
    use crate::workload::shapes_for_tests::plain_decoder;

    const ROWS: f64 = 2048.0;

    /// Bytes of a layer for one sample of 2048 rows at 16 bits, under tensor parallelism.
    fn layer_bytes(shape: &TransformerSpec, tensor: f64, sequence_parallel: bool, flash: bool) -> f64 {
        layer(shape, &forms(shape, 0)[0])
            .iter()
            .map(|tensor_kept| {
                let divided = match tensor_kept.partition {
                    Partition::Column | Partition::Row => tensor,
                    Partition::Rows if sequence_parallel => tensor,
                    Partition::Rows | Partition::Replicated => 1.0,
                };
                ROWS * tensor_kept.bytes_per_row(2.0, ROWS, flash) / divided
            })
            .sum()
    }

    #[test]
    fn one_layer_keeps_34_sbh_and_5_as2b_bytes() {
        let shape = plain_decoder();
        let (s, h, a) = (ROWS, f64::from(shape.hidden), f64::from(shape.heads));
        assert_eq!(layer_bytes(&shape, 1.0, false, false), 34.0 * s * h + 5.0 * a * s * s);
    }

    #[test]
    fn attention_keeps_11_mlp_19_and_norms_4() {
        let shape = plain_decoder();
        let h = f64::from(shape.hidden);
        let part = |names: &[&str]| -> f64 {
            layer(&shape, &forms(&shape, 0)[0])
                .iter()
                .filter(|t| names.contains(&t.name))
                .map(|t| t.bytes_per_row(2.0, 0.0, false) / h)
                .sum()
        };
        let attention =
            ["QKV input", "queries", "keys", "values", "output projection input", "attention dropout mask"];
        let mlp = ["MLP input", "activation input", "MLP down input", "MLP dropout mask"];
        assert_eq!(part(&attention), 11.0);
        assert_eq!(part(&mlp), 19.0);
        assert_eq!(part(&["attention norm input", "MLP norm input"]), 4.0);
    }

    #[test]
    fn tensor_parallelism_leaves_10_sbh_whole_and_sequence_parallelism_divides_them() {
        let shape = plain_decoder();
        let (s, h, a, t) = (ROWS, f64::from(shape.hidden), f64::from(shape.heads), 8.0);
        let without = s * h * (10.0 + 24.0 / t + 5.0 * a * s / (h * t));
        assert_eq!(layer_bytes(&shape, t, false, false), without);
        assert_eq!(layer_bytes(&shape, t, true, false), s * h / t * (34.0 + 5.0 * a * s / h));
    }

    #[test]
    fn flash_attention_keeps_34_sbh_and_four_bytes_per_head() {
        let shape = plain_decoder();
        let (s, h, a) = (ROWS, f64::from(shape.hidden), f64::from(shape.heads));
        assert_eq!(layer_bytes(&shape, 1.0, false, true), 34.0 * s * h + 4.0 * a * s);
    }

    #[test]
    fn selective_recomputation_leaves_34_sbh() {
        let shape = plain_decoder();
        let left: f64 = layer(&shape, &forms(&shape, 0)[0])
            .iter()
            .filter(|t| !t.selective)
            .map(|t| t.bytes_per_row(2.0, ROWS, false))
            .sum();
        assert_eq!(left, 34.0 * f64::from(shape.hidden));
    }

    #[test]
    fn a_gated_rotary_layer_keeps_no_masks() {
        let shape = TransformerSpec { gated_mlp: true, position: Position::Rotary, ..plain_decoder() };
        let saved = layer(&shape, &forms(&shape, 0)[0]);
        assert!(saved.iter().all(|t| t.bytes_per_key == 0.0 && !t.name.contains("mask")));
        // Norms 2 x 2h, QKV input 2h, queries to projection 8h, MLP input 2h, gate and up 16h, product 8h.
        let h = f64::from(shape.hidden);
        let kept: f64 = saved.iter().map(|t| t.elements * 2.0).sum();
        assert_eq!(kept, (4.0 + 2.0 + 8.0 + 2.0 + 16.0 + 8.0) * h);
    }
}
