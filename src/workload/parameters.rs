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
