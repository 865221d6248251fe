//! The attention half of a layer.

use super::layers::{LayerForm, Role};
use super::transformer::{all_reduce, element_wise, norm, product, residual};
use super::{Operator, Partition};
use crate::catalog::{LatentAttention, Position, TransformerKind, TransformerSpec};

/// Accesses of one rotated element: read and write.
const ROTATED: f64 = 2.0;

/// Operators of the attention of one layer.
pub(super) fn operators(shape: &TransformerSpec, form: &LayerForm) -> Vec<Operator> {
    let h = f64::from(shape.hidden);
    let mut operators = vec![norm("attention norm", h)];
    match shape.latent {
        Some(latent) => latent_operators(shape, form, latent, &mut operators),
        None => plain_operators(shape, form, &mut operators),
    }
    operators.push(all_reduce(shape));
    operators.push(residual("attention residual", shape));
    match form.role {
        Role::Alone => {}
        Role::Encoder => operators.push(cross_keys(shape)),
        Role::Decoder => operators.extend(cross_attention(shape)),
    }
    operators
}

fn core(form: &LayerForm, heads: f64, kv_heads: f64, head_dim: f64, causal: bool) -> Operator {
    let key_share = form.row_share;
    Operator::Attention { heads, kv_heads, head_dim, causal, window: form.window.map(f64::from), key_share }
}

/// The half of the network that sees only the past.
fn is_causal(shape: &TransformerSpec, form: &LayerForm) -> bool {
    shape.kind == TransformerKind::Decoder || form.role == Role::Decoder
}

fn plain_operators(shape: &TransformerSpec, form: &LayerForm, operators: &mut Vec<Operator>) {
    let [h, a, g, d] = [shape.hidden, shape.heads, shape.kv_heads, shape.head_dim].map(f64::from);
    operators.push(product("QKV projection", h, (a + 2.0 * g) * d, Partition::Column));
    if shape.position == Position::Rotary {
        let moved = ROTATED * (a + g) * d;
        operators.push(element_wise("rotary positions", moved, moved, 4.0, Partition::Column));
    }
    operators.push(core(form, a, g, d, is_causal(shape, form)));
    operators.push(product("output projection", a * d, h, Partition::Row));
}

/// The narrow projections and their norms are done by every GPU of a tensor-parallel group. Scores take head parts
/// of n + r, values those of v: their mean is the head dimension of the core.
fn latent_operators(
    shape: &TransformerSpec,
    form: &LayerForm,
    latent: LatentAttention,
    operators: &mut Vec<Operator>,
) {
    let [h, a] = [shape.hidden, shape.heads].map(f64::from);
    let [c, n, r, v] = [latent.kv_rank, latent.plain_dim, latent.rotary_dim, latent.value_dim].map(f64::from);
    let queries = a * (n + r);
    match latent.query_rank.map(f64::from) {
        Some(q) => operators.extend([
            product("query down projection", h, q, Partition::Replicated),
            norm("query latent norm", q),
            product("query up projection", q, queries, Partition::Column),
        ]),
        None => operators.push(product("query projection", h, queries, Partition::Column)),
    }
    operators.extend([
        product("key-value down projection", h, c + r, Partition::Replicated),
        norm("key-value latent norm", c),
        product("key-value up projection", c, a * (n + v), Partition::Column),
    ]);
    let moved = ROTATED * (a + 1.0) * r;
    operators.push(element_wise("rotary positions", moved, moved, 4.0, Partition::Column));
    operators.push(core(form, a, a, f64::midpoint(n + r, v), is_causal(shape, form)));
    operators.push(product("output projection", a * v, h, Partition::Row));
}

/// Keys and values that the decoder makes of the encoder's rows.
fn cross_keys(shape: &TransformerSpec) -> Operator {
    let [h, g, d] = [shape.hidden, shape.kv_heads, shape.head_dim].map(f64::from);
    product("cross-attention keys and values", h, 2.0 * g * d, Partition::Column)
}

/// Queries of the target's rows meet the keys of all encoder rows.
fn cross_attention(shape: &TransformerSpec) -> [Operator; 6] {
    let [h, a, g, d] = [shape.hidden, shape.heads, shape.kv_heads, shape.head_dim].map(f64::from);
    [
        norm("cross-attention norm", h),
        product("cross-attention queries", h, a * d, Partition::Column),
        Operator::Attention {
            heads: a,
            kv_heads: g,
            head_dim: d,
            causal: false,
            window: None,
            key_share: 1.0,
        },
        product("cross-attention output", a * d, h, Partition::Row),
        all_reduce(shape),
        residual("cross-attention residual", shape),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::shapes_for_tests::{encoder_decoder, with_experts};
    use crate::workload::transformer;

    #[test]
    fn the_target_has_114_rows_of_512_and_meets_512_keys_across() {
        let workload = transformer("x", &encoder_decoder(), 512);
        let decoder = &workload.body[1];
        assert_eq!(decoder.row_share * 512.0, 114.0);
        let keys: Vec<f64> = decoder
            .operators
            .iter()
            .filter_map(|o| match o {
                Operator::Attention { key_share, .. } => Some(key_share * 512.0),
                _ => None,
            })
            .collect();
        assert_eq!(keys, [114.0, 512.0]);
    }

    #[test]
    fn a_latent_core_has_the_mean_of_key_and_value_widths() {
        let workload = transformer("x", &with_experts(), 4096);
        let dims = workload.body[0].operators.iter().find_map(|o| match o {
            Operator::Attention { head_dim, .. } => Some(*head_dim),
            _ => None,
        });
        // (128 + 64 + 128) / 2.
        assert_eq!(dims, Some(160.0));
    }
}
