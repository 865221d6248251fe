//! Decoders with layer norms and a plain MLP.

use super::config_fields::Fields;
use super::huggingface::{MAX_SEQUENCE, MAX_WIDTH, Sizes, sequence_or_usual};
use super::huggingface_gated::window;
use crate::catalog::{Position, TransformerSpec, Window, Windowed};

const SHORT: [&str; 3] = ["n_embd", "n_layer", "n_head"];
const LONG: [&str; 3] = ["hidden_size", "num_hidden_layers", "num_attention_heads"];

pub(super) fn gpt2(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, SHORT);
    let positions = fields.size("n_positions", MAX_SEQUENCE);
    let inner = fields.optional_size("n_inner", MAX_WIDTH);
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    if fields.flag("add_cross_attention", false) {
        fields.find("add_cross_attention", "cross attention is not supported; accepted: false");
    }
    let plain = sizes?.decoder(positions?);
    Some(TransformerSpec {
        ffn: inner.unwrap_or(plain.ffn),
        tied_embeddings,
        position: Position::Learned,
        ..plain
    })
}

/// One key-value head for all queries.
pub(super) fn gpt_bigcode(fields: &mut Fields) -> Option<TransformerSpec> {
    let shared = fields.flag("multi_query", true);
    let mut shape = gpt2(fields)?;
    if shared {
        shape.kv_heads = 1;
    }
    Some(shape)
}

/// Grouped key-value heads, biases wherever the configuration does not forbid them, a window.
pub(super) fn starcoder2(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, LONG);
    let kv_heads = fields.size("num_key_value_heads", MAX_WIDTH);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let biases = fields.flag("use_bias", true);
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    let window = window(fields, Windowed::OneIn(1));
    let (plain, kv_heads) = (sizes?.decoder(positions?), kv_heads?);
    if !plain.heads.is_multiple_of(kv_heads) {
        fields.find("num_key_value_heads", &format!("{kv_heads} does not divide the {} heads", plain.heads));
    }
    Some(TransformerSpec { kv_heads, ffn: ffn?, biases, tied_embeddings, window, ..plain })
}

/// No biases on queries, keys and values; a window in every other layer.
pub(super) fn gpt_neo(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, ["hidden_size", "num_layers", "num_heads"]);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let inner = fields.optional_size("intermediate_size", MAX_WIDTH);
    let window = fields.optional_size("window_size", MAX_SEQUENCE);
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    let plain = sizes?.decoder(positions?);
    Some(TransformerSpec {
        ffn: inner.unwrap_or(plain.ffn),
        tied_embeddings,
        position: Position::Learned,
        window: window.map(|size| Window { size, layers: Windowed::OneIn(2) }),
        extra_parameters_per_layer: -3 * i64::from(plain.hidden),
        ..plain
    })
}

/// One norm, biases on the MLP only, a head with a bias.
pub(super) fn gptj(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, SHORT);
    let positions = fields.size("n_positions", MAX_SEQUENCE);
    let inner = fields.optional_size("n_inner", MAX_WIDTH);
    let plain = sizes?.decoder(positions?);
    let ffn = inner.unwrap_or(plain.ffn);
    let (h, f) = (i64::from(plain.hidden), i64::from(ffn));
    Some(TransformerSpec {
        ffn,
        biases: false,
        extra_parameters: i64::from(plain.vocab),
        extra_parameters_per_layer: f + h - 2 * h,
        ..plain
    })
}

pub(super) fn gpt_neox(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, LONG);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let tied_embeddings = fields.flag("tie_word_embeddings", false);
    Some(TransformerSpec { ffn: ffn?, tied_embeddings, ..sizes?.decoder(positions?) })
}

/// Two positions more than the sequence; a narrower table has projections to and from the width.
pub(super) fn opt(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, LONG);
    let ffn = fields.size("ffn_dim", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let table = fields.optional_size("word_embed_proj_dim", MAX_WIDTH);
    let norm_first = fields.flag("do_layer_norm_before", true);
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    let plain = sizes?.decoder(positions?);
    let (h, v) = (i64::from(plain.hidden), i64::from(plain.vocab));
    let narrow = table.map_or(0, i64::from);
    let table = if narrow == 0 || narrow == h { 0 } else { v * (narrow - h) + 2 * narrow * h };
    // Norms after the additions leave no norm at the end.
    let final_norm = if norm_first { 0 } else { -2 * h };
    Some(TransformerSpec {
        ffn: ffn?,
        tied_embeddings,
        position: Position::Learned,
        extra_parameters: 2 * h + table + final_norm,
        ..plain
    })
}

/// A norm after the table.
pub(super) fn bloom(fields: &mut Fields) -> Option<TransformerSpec> {
    let long = fields.has("num_attention_heads") && !fields.has("n_head");
    let width = if fields.has("n_embed") && !fields.has("hidden_size") { "n_embed" } else { "hidden_size" };
    let sizes = Sizes::read(fields, [width, "n_layer", if long { "num_attention_heads" } else { "n_head" }]);
    let positions = sequence_or_usual(fields, "seq_length");
    let plain = sizes?.decoder(positions);
    Some(TransformerSpec {
        tied_embeddings: true,
        position: Position::Alibi,
        extra_parameters: 2 * i64::from(plain.hidden),
        ..plain
    })
}

/// One norm where attention and MLP run in parallel from the same input, two in the newer architecture.
pub(super) fn falcon(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, LONG);
    let newer = fields.flag("new_decoder_architecture", false);
    let parallel = fields.flag("parallel_attn", true);
    let multi_query = fields.flag("multi_query", true);
    let biases = fields.flag("bias", false);
    let alibi = fields.flag("alibi", false);
    let kv_heads = fields.optional_size("num_kv_heads", MAX_WIDTH);
    let ffn = fields.optional_size("ffn_hidden_size", MAX_WIDTH);
    let positions = sequence_or_usual(fields, "max_position_embeddings");
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    let plain = sizes?.decoder(positions);
    let kv_heads = match (newer, multi_query) {
        (true, _) => kv_heads.unwrap_or(plain.heads),
        (false, true) => 1,
        (false, false) => plain.heads,
    };
    if !plain.heads.is_multiple_of(kv_heads) {
        fields.find("num_kv_heads", &format!("{kv_heads} does not divide the {} heads", plain.heads));
    }
    let one_norm = parallel && !newer;
    Some(TransformerSpec {
        kv_heads,
        ffn: ffn.unwrap_or(plain.ffn),
        biases,
        tied_embeddings,
        position: if alibi { Position::Alibi } else { Position::Rotary },
        extra_parameters_per_layer: if one_norm { -2 * i64::from(plain.hidden) } else { 0 },
        ..plain
    })
}

/// No biases anywhere, norms included.
pub(super) fn mpt(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, ["d_model", "n_layers", "n_heads"]);
    let expansion = fields.optional_size("expansion_ratio", MAX_WIDTH).unwrap_or(4);
    let positions = fields.size("max_seq_len", MAX_SEQUENCE);
    let no_bias = fields.flag("no_bias", true);
    let alibi = fields.inner_flag("attn_config", "alibi").unwrap_or(true);
    let plain = sizes?.decoder(positions?);
    let h = i64::from(plain.hidden);
    Some(TransformerSpec {
        ffn: plain.hidden.saturating_mul(expansion),
        biases: !no_bias,
        tied_embeddings: true,
        position: if alibi { Position::Alibi } else { Position::Learned },
        extra_parameters: if no_bias { -h } else { 0 },
        extra_parameters_per_layer: if no_bias { -2 * h } else { 0 },
        ..plain
    })
}

/// One norm, a head with a bias.
pub(super) fn phi(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, LONG);
    let kv_heads = fields.optional_size("num_key_value_heads", MAX_WIDTH);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let plain = sizes?.decoder(positions?);
    let kv_heads = kv_heads.unwrap_or(plain.heads);
    if !plain.heads.is_multiple_of(kv_heads) {
        fields.find("num_key_value_heads", &format!("{kv_heads} does not divide the {} heads", plain.heads));
    }
    Some(TransformerSpec {
        kv_heads,
        ffn: ffn?,
        extra_parameters: i64::from(plain.vocab),
        extra_parameters_per_layer: -2 * i64::from(plain.hidden),
        ..plain
    })
}
