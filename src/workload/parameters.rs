//! How many parameters a transformer has, part by part.
//!
//! Symbols: h hidden, L layers, a heads, g key-value heads, d head dimension, f MLP width, V vocabulary, S longest
//! sequence; b is 1 when linear layers have biases.
//!
//! - token table V h, twice when the head has its own; position table S h when learned
//! - attention per layer: h a d + 2 h g d + a d h + b (a d + 2 g d + h)
//! - latent attention per layer, with query rank q, key-value rank c, head parts n and r, value width v:
//!   queries h q + q + q a (n + r), or h a (n + r) directly; keys and values h (c + r) + c + c a (n + v); output a v h.
//!   The lone q and c are the norms of the latents
//! - MLP per layer: 2 h f (3 h f when gated) + b (f + h)
//! - experts per layer: router h E, and 3 h f for each of the E routed and the shared ones
//! - norms: 2 h each (h for RMS norm), two per layer, one more at the end of a decoder and of each half of two
//! - a decoder of two halves has a second attention and a third norm in each layer
//! - images: patches 3 p p h + h, class token h, head h V + V for V classes
//!
//! What a family has beyond that (token types, pooler, norms on queries and keys, ...) comes as a number in the
//! shape's `extra_parameters`. Task heads of encoders (masked language model, next sentence) are not counted, as
//! published counts leave them out.

use super::layers::{LayerForm, Role, forms};
use crate::catalog::{Experts, Position, TransformerKind, TransformerSpec};

/// A count of parameters and the parts of it that parallelism divides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counted {
    /// All of them.
    pub parameters: f64,
    /// Weights and biases of column- and row-divided matrices and of the vocabulary table; experts included.
    pub divided: f64,
    /// Routed experts.
    pub experts: f64,
}

fn counted(parameters: i128, divided: i128, experts: i128) -> Counted {
    Counted {
        parameters: parameters as f64,
        divided: divided.min(parameters) as f64,
        experts: experts as f64,
    }
}

/// A count and the part of it that tensor parallelism divides.
#[derive(Clone, Copy)]
struct Part {
    all: i128,
    divided: i128,
}

fn norm(shape: &TransformerSpec) -> i128 {
    i128::from(shape.hidden) * if shape.rms_norm { 1 } else { 2 }
}

fn attention(shape: &TransformerSpec) -> Part {
    let [h, a, g, d] = [shape.hidden, shape.heads, shape.kv_heads, shape.head_dim].map(i128::from);
    if let Some(latent) = shape.latent {
        let [c, n, r, v] =
            [latent.kv_rank, latent.plain_dim, latent.rotary_dim, latent.value_dim].map(i128::from);
        let (down, up) = match latent.query_rank.map(i128::from) {
            Some(q) => (h * q + q, q * a * (n + r)),
            None => (0, h * a * (n + r)),
        };
        let divided = up + c * a * (n + v) + a * v * h;
        return Part { all: divided + down + h * (c + r) + c, divided };
    }
    let bias = i128::from(shape.biases);
    let divided = 2 * h * a * d + 2 * h * g * d + bias * (a * d + 2 * g * d);
    Part { all: divided + bias * h, divided }
}

fn mlp(shape: &TransformerSpec) -> Part {
    let [h, f] = [shape.hidden, shape.ffn].map(i128::from);
    let bias = i128::from(shape.biases);
    let matrices = if shape.gated_mlp { 3 } else { 2 };
    let divided = matrices * h * f + bias * f;
    Part { all: divided + bias * h, divided }
}

/// Parameters of one expert.
fn expert(shape: &TransformerSpec, experts: Experts) -> i128 {
    3 * i128::from(shape.hidden) * i128::from(experts.ffn)
}

fn layer(shape: &TransformerSpec, form: &LayerForm) -> (Part, i128) {
    let [h, a, g, d] = [shape.hidden, shape.heads, shape.kv_heads, shape.head_dim].map(i128::from);
    let own = attention(shape);
    let bias = i128::from(shape.biases);
    // Divided, and the bias of the output, which every GPU holds.
    let (cross, whole, norms) = match form.role {
        Role::Alone => (0, 0, 2),
        Role::Encoder => ((2 * h + 2 * bias) * g * d, 0, 2),
        Role::Decoder => ((2 * h + bias) * a * d, bias * h, 3),
    };
    let (mlp, routed) = match form.experts {
        None => (mlp(shape), 0),
        Some(experts) => {
            let one = expert(shape, experts);
            let routed = i128::from(experts.routed) * one;
            let divided = routed + i128::from(experts.shared) * one;
            (Part { all: divided + h * i128::from(experts.routed), divided }, routed)
        }
    };
    let divided = own.divided + cross + mlp.divided;
    let extra = i128::from(shape.extra_parameters_per_layer);
    (Part { all: own.all + cross + whole + mlp.all + norms * norm(shape) + extra, divided }, routed)
}

fn input(shape: &TransformerSpec) -> Part {
    let h = i128::from(shape.hidden);
    let learned = shape.position == Position::Learned;
    let positions = if learned { i128::from(shape.max_sequence) * h } else { 0 };
    let (table, divided) = match (shape.kind, shape.patch) {
        (TransformerKind::Vision, patch) => {
            let side = i128::from(patch.unwrap_or(0));
            (3 * side * side * h + 2 * h, 0)
        }
        _ => (i128::from(shape.vocab) * h, i128::from(shape.vocab) * h),
    };
    Part { all: table + positions + i128::from(shape.extra_parameters), divided }
}

fn head(shape: &TransformerSpec) -> Part {
    let [h, v] = [shape.hidden, shape.vocab].map(i128::from);
    let table = match shape.kind {
        TransformerKind::Vision => h * v + v,
        _ if shape.tied_embeddings => 0,
        _ => v * h,
    };
    let norms = match shape.kind {
        TransformerKind::Decoder | TransformerKind::Vision => 1,
        TransformerKind::Encoder => 0,
        TransformerKind::EncoderDecoder => 2,
    };
    Part { all: table + norms * norm(shape), divided: table }
}

/// Tables before the first layer, with the extras that occur once per model.
pub(super) fn input_parameters(shape: &TransformerSpec) -> Counted {
    let part = input(shape);
    counted(part.all, part.divided, 0)
}

/// One layer of a run.
pub(super) fn layer_parameters(shape: &TransformerSpec, form: &LayerForm) -> Counted {
    let (part, experts) = layer(shape, form);
    counted(part.all, part.divided, experts)
}

/// Final norm and, unless tied, the head's own table.
pub(super) fn head_parameters(shape: &TransformerSpec) -> Counted {
    let part = head(shape);
    counted(part.all, part.divided, 0)
}

/// All parameters of a transformer by the formula of this module; 0 if negative extras exceed everything else.
///
/// ```
/// use gpu_advisor::catalog::{Position, TransformerKind, TransformerSpec};
/// let shape = TransformerSpec {
///     kind: TransformerKind::Decoder, layers: 1, hidden: 2, heads: 1, kv_heads: 1, head_dim: 2, ffn: 8,
///     gated_mlp: false, vocab: 10, tied_embeddings: true, position: Position::Rotary, max_sequence: 4,
///     rms_norm: true, biases: false, experts: None, latent: None, window: None, patch: None,
///     extra_parameters: 0, extra_parameters_per_layer: 0, target_share: 1.0, target_stated: false,
/// };
/// // Table 10 x 2, attention 4 x (2 x 2), MLP 2 x (2 x 8), three norms of 2.
/// assert_eq!(gpu_advisor::workload::transformer_parameters(&shape), 20 + 16 + 32 + 6);
/// ```
pub fn transformer_parameters(shape: &TransformerSpec) -> u64 {
    let body: i128 =
        forms(shape, 0).iter().map(|form| i128::from(form.repeat) * layer(shape, form).0.all).sum();
    let total = input(shape).all + body + head(shape).all;
    u64::try_from(total.max(0)).unwrap_or(u64::MAX)
}

/// The parameters that one token passes: all, but only `per_token` of the routed experts.
///
/// Both tables count, as in [`transformer_parameters`]; some publishers leave the input table out.
pub fn active_parameters(shape: &TransformerSpec) -> u64 {
    let idle = shape.experts.map_or(0, |experts| {
        let layers = i128::from(shape.layers.saturating_sub(experts.dense_layers));
        layers * i128::from(experts.routed.saturating_sub(experts.per_token)) * expert(shape, experts)
    });
    let all = i128::from(transformer_parameters(shape));
    u64::try_from((all - idle).max(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::shapes_for_tests::{encoder, gated, plain};

    #[test]
    fn plain_decoders_have_their_published_counts() {
        for (shape, published) in [
            (plain(12, 768, 12, 50_257, 1024), 124_439_808),
            (plain(24, 1024, 16, 50_257, 1024), 354_823_168),
            (plain(36, 1280, 20, 50_257, 1024), 774_030_080),
            (plain(48, 1600, 25, 50_257, 1024), 1_557_611_200),
            (plain(48, 7168, 56, 50_368, 2048), 29_975_214_080),
        ] {
            assert_eq!(transformer_parameters(&shape), published);
        }
    }

    #[test]
    fn plain_decoders_published_as_round_figures_agree_within_half_a_per_cent() {
        for (shape, published) in [
            (plain(24, 1536, 16, 50_257, 2048), 760e6),
            (plain(24, 2048, 16, 50_257, 2048), 1.32e9),
            (plain(32, 4096, 32, 50_257, 2048), 6.66e9),
            (plain(40, 5120, 40, 50_257, 2048), 12.85e9),
            (plain(96, 12_288, 96, 50_257, 2048), 174.6e9),
            (plain(36, 4096, 32, 51_200, 2048), 7.5e9),
            (plain(60, 10_240, 80, 51_200, 2048), 76.1e9),
            (plain(105, 20_480, 128, 51_200, 2048), 529.6e9),
            (plain(128, 25_600, 160, 51_200, 2048), 1008e9),
        ] {
            let count = transformer_parameters(&shape) as f64;
            assert!((count / published - 1.0).abs() < 0.005, "{count:e} for {published:e}");
        }
    }

    #[test]
    fn gated_decoders_have_their_published_counts() {
        for (shape, published) in [
            (gated(32, 4096, 32, 32, 11_008, 32_000), 6_738_415_616),
            (gated(40, 5120, 40, 40, 13_824, 32_000), 13_015_864_320),
            (gated(60, 6656, 52, 52, 17_920, 32_000), 32_528_943_616),
            (gated(80, 8192, 64, 64, 22_016, 32_000), 65_285_660_672),
            (gated(80, 8192, 64, 8, 28_672, 32_000), 68_976_648_192),
            (gated(32, 4096, 32, 8, 14_336, 128_256), 8_030_261_248),
            (gated(126, 16_384, 128, 8, 53_248, 128_256), 405_853_388_800),
            (gated(60, 7168, 56, 8, 20_480, 64_000), 34_388_917_248),
        ] {
            assert_eq!(transformer_parameters(&shape), published);
        }
    }

    #[test]
    fn encoders_have_their_published_counts() {
        assert_eq!(transformer_parameters(&encoder(12, 768, 12)), 109_482_240);
        assert_eq!(transformer_parameters(&encoder(24, 1024, 16)), 335_141_888);
    }

    #[test]
    fn extras_are_counted_once_per_model_or_once_per_layer() {
        let shape = plain(12, 768, 12, 50_257, 1024);
        let more = TransformerSpec { extra_parameters: -5, extra_parameters_per_layer: 3, ..shape.clone() };
        assert_eq!(transformer_parameters(&more), transformer_parameters(&shape) - 5 + 12 * 3);
    }

    #[test]
    fn extras_that_exceed_everything_leave_nothing() {
        let shape = TransformerSpec { extra_parameters: i64::MIN, ..plain(12, 768, 12, 50_257, 1024) };
        assert_eq!(transformer_parameters(&shape), 0);
    }

    #[test]
    fn experts_two_halves_and_images_have_their_published_counts() {
        use crate::workload::shapes_for_tests::{encoder_decoder, vision, with_experts};
        for (shape, published) in
            [(with_experts(), 15_706_484_224), (encoder_decoder(), 60_506_624), (vision(), 86_567_656)]
        {
            assert_eq!(transformer_parameters(&shape), published);
        }
        assert_eq!(active_parameters(&with_experts()), 2_661_150_208);
        assert_eq!(active_parameters(&vision()), 86_567_656);
    }

    #[test]
    fn matrices_are_divided_and_norms_and_row_biases_are_not() {
        let layer = layer_parameters(&plain(1, 64, 1, 100, 10), &forms(&plain(1, 64, 1, 100, 10), 0)[0]);
        // Two norms of 2 h, the biases of the two matrices that end a pair.
        assert_eq!(layer.parameters - layer.divided, 4.0 * 64.0 + 2.0 * 64.0);
    }
}
