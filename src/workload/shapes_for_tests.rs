//! Shapes of published models, written by hand for unit tests.

use crate::catalog::{Position, TransformerKind, TransformerSpec};

/// 96 layers of 12288 with 96 heads, a GELU MLP of 4 h, learned positions, tied head.
pub fn plain_decoder() -> TransformerSpec {
    plain(96, 12_288, 96, 50_257, 2048)
}

/// A decoder with learned positions, GELU MLP of 4 h and a tied head.
pub fn plain(layers: u32, hidden: u32, heads: u32, vocab: u32, max_sequence: u32) -> TransformerSpec {
    TransformerSpec {
        kind: TransformerKind::Decoder,
        layers,
        hidden,
        heads,
        kv_heads: heads,
        head_dim: hidden / heads,
        ffn: 4 * hidden,
        gated_mlp: false,
        vocab,
        tied_embeddings: true,
        position: Position::Learned,
        max_sequence,
        rms_norm: false,
        biases: true,
        extra_parameters: 0,
        extra_parameters_per_layer: 0,
    }
}

/// A decoder with rotary positions, RMS norms, a gated MLP and its own head.
pub fn gated(layers: u32, hidden: u32, heads: u32, kv_heads: u32, ffn: u32, vocab: u32) -> TransformerSpec {
    TransformerSpec {
        kv_heads,
        ffn,
        gated_mlp: true,
        tied_embeddings: false,
        position: Position::Rotary,
        rms_norm: true,
        biases: false,
        ..plain(layers, hidden, heads, vocab, 4096)
    }
}

/// An encoder whose extras are two token types, an embedding norm and a pooler.
pub fn encoder(layers: u32, hidden: u32, heads: u32) -> TransformerSpec {
    let h = i64::from(hidden);
    TransformerSpec {
        kind: TransformerKind::Encoder,
        extra_parameters: 2 * h + 2 * h + h * h + h,
        ..plain(layers, hidden, heads, 30_522, 512)
    }
}
