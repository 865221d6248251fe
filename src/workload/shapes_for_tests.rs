//! Shapes of published models, written by hand for unit tests.

use crate::catalog::{Experts, LatentAttention, MASKED_SPANS, Position, TransformerKind, TransformerSpec};

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
        experts: None,
        latent: None,
        window: None,
        patch: None,
        extra_parameters: 0,
        extra_parameters_per_layer: 0,
        target_share: MASKED_SPANS,
        target_stated: false,
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

/// 27 layers of 64 experts, 6 for each token beside 2 shared ones, the first layer without; latent attention.
pub fn with_experts() -> TransformerSpec {
    TransformerSpec {
        experts: Some(Experts { routed: 64, per_token: 6, shared: 2, ffn: 1408, dense_layers: 1 }),
        latent: Some(LatentAttention {
            query_rank: None,
            kv_rank: 512,
            plain_dim: 128,
            rotary_dim: 64,
            value_dim: 128,
        }),
        ..gated(27, 2048, 16, 16, 10_944, 102_400)
    }
}

/// Six layers each of encoder and decoder, tied tables, relative positions.
pub fn encoder_decoder() -> TransformerSpec {
    TransformerSpec {
        kind: TransformerKind::EncoderDecoder,
        gated_mlp: false,
        ffn: 2048,
        head_dim: 64,
        tied_embeddings: true,
        position: Position::Relative,
        max_sequence: 512,
        extra_parameters: 2 * 32 * 8,
        ..gated(6, 512, 8, 8, 2048, 32_128)
    }
}

/// Patches of 16 pixels, 196 of them and a class token, twelve layers, 1000 classes.
pub fn vision() -> TransformerSpec {
    TransformerSpec {
        kind: TransformerKind::Vision,
        tied_embeddings: false,
        patch: Some(16),
        ..plain(12, 768, 12, 1000, 197)
    }
}
