//! How many parameters a transformer has, part by part.
//!
//! Symbols: h hidden, L layers, a heads, g key-value heads, d head dimension, f MLP width, V vocabulary, S longest
//! sequence; b is 1 when linear layers have biases.
//!
//! - token table V h, twice when the head has its own; position table S h when learned
//! - attention per layer: h a d + 2 h g d + a d h + b (a d + 2 g d + h)
//! - MLP per layer: 2 h f (3 h f when gated) + b (f + h)
//! - norms: 2 h each (h for RMS norm), two per layer, one more at the end of a decoder
//!
//! What a family has beyond that (token types, pooler, norms on queries and keys, ...) comes as a number in the
//! shape's `extra_parameters`. Task heads of encoders (masked language model, next sentence) are not counted, as
//! published counts leave them out.

use crate::catalog::{Position, TransformerKind, TransformerSpec};

/// A count of parameters and the part of it that tensor parallelism divides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counted {
    /// All of them.
    pub parameters: f64,
    /// Weights and biases of column- and row-divided matrices and of the vocabulary table.
    pub divided: f64,
}

/// Signed parameters of the three parts, in exact integers.
struct Parts {
    input: i128,
    input_divided: i128,
    layer: i128,
    layer_divided: i128,
    head: i128,
    head_divided: i128,
}

fn parts(shape: &TransformerSpec) -> Parts {
    let [h, a, g, d, f, v] =
        [shape.hidden, shape.heads, shape.kv_heads, shape.head_dim, shape.ffn, shape.vocab].map(i128::from);
    let bias = i128::from(shape.biases);
    let norm = if shape.rms_norm { h } else { 2 * h };
    let matrices = if shape.gated_mlp { 3 } else { 2 };
    let table = v * h;
    let positions = if shape.position == Position::Learned { i128::from(shape.max_sequence) * h } else { 0 };
    let divided = 2 * h * a * d + 2 * h * g * d + matrices * h * f + bias * (a * d + 2 * g * d + f);
    let own_table = if shape.tied_embeddings { 0 } else { table };
    let final_norm = if shape.kind == TransformerKind::Decoder { norm } else { 0 };
    Parts {
        input: table + positions + i128::from(shape.extra_parameters),
        input_divided: table,
        layer: divided + 2 * bias * h + 2 * norm + i128::from(shape.extra_parameters_per_layer),
        layer_divided: divided,
        head: own_table + final_norm,
        head_divided: own_table,
    }
}

fn counted(parameters: i128, divided: i128) -> Counted {
    Counted { parameters: parameters as f64, divided: divided.min(parameters) as f64 }
}

/// Tables before the first layer, with the extras that occur once per model.
pub(super) fn input_parameters(shape: &TransformerSpec) -> Counted {
    let parts = parts(shape);
    counted(parts.input, parts.input_divided)
}

/// One layer.
pub(super) fn layer_parameters(shape: &TransformerSpec) -> Counted {
    let parts = parts(shape);
    counted(parts.layer, parts.layer_divided)
}

/// Final norm and, unless tied, the head's own table.
pub(super) fn head_parameters(shape: &TransformerSpec) -> Counted {
    let parts = parts(shape);
    counted(parts.head, parts.head_divided)
}

/// All parameters of a transformer by the formula of this module; 0 if negative extras exceed everything else.
///
/// ```
/// use gpu_advisor::catalog::{Position, TransformerKind, TransformerSpec};
/// let shape = TransformerSpec {
///     kind: TransformerKind::Decoder, layers: 1, hidden: 2, heads: 1, kv_heads: 1, head_dim: 2, ffn: 8,
///     gated_mlp: false, vocab: 10, tied_embeddings: true, position: Position::Rotary, max_sequence: 4,
///     rms_norm: true, biases: false, extra_parameters: 0, extra_parameters_per_layer: 0,
/// };
/// // Table 10 x 2, attention 4 x (2 x 2), MLP 2 x (2 x 8), three norms of 2.
/// assert_eq!(gpu_advisor::workload::transformer_parameters(&shape), 20 + 16 + 32 + 6);
/// ```
pub fn transformer_parameters(shape: &TransformerSpec) -> u64 {
    let parts = parts(shape);
    let total = parts.input + i128::from(shape.layers) * parts.layer + parts.head;
    u64::try_from(total.max(0)).unwrap_or(u64::MAX)
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
    fn matrices_are_divided_and_norms_and_row_biases_are_not() {
        let layer = layer_parameters(&plain(1, 64, 1, 100, 10));
        // Two norms of 2 h, the biases of the two matrices that end a pair.
        assert_eq!(layer.parameters - layer.divided, 4.0 * 64.0 + 2.0 * 64.0);
    }
}
