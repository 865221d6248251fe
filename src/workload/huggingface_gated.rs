//! Decoders with rotary positions, RMS norms and a gated MLP.

use super::config_fields::Fields;
use super::huggingface::{MAX_LAYERS, MAX_SEQUENCE, MAX_VOCABULARY, MAX_WIDTH, Sizes};
use crate::catalog::{Position, TransformerSpec, Window, Windowed};

const KEYS: [&str; 3] = ["hidden_size", "num_hidden_layers", "num_attention_heads"];

/// Which products have biases beside what the configuration says.
#[derive(Clone, Copy, PartialEq)]
enum Biases {
    AsStated,
    Projections,
}

/// What all of these share; `tied` where the configuration does not say.
fn base(fields: &mut Fields, biases: Biases, tied: bool) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, KEYS);
    let kv_heads = fields.optional_size("num_key_value_heads", MAX_WIDTH);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let tied_embeddings = fields.flag("tie_word_embeddings", tied);
    let attention_bias = fields.flag("attention_bias", false);
    let mlp_bias = fields.flag("mlp_bias", false);
    let window = window(fields, Windowed::OneIn(1));
    let sizes = sizes?;
    let kv_heads = kv_heads.unwrap_or_else(|| {
        let heads = sizes.heads;
        fields.notes.push(format!("num_key_value_heads is absent: as many as attention heads, {heads}"));
        heads
    });
    if !sizes.heads.is_multiple_of(kv_heads) {
        let heads = sizes.heads;
        let message = format!("{kv_heads} does not divide num_attention_heads = {heads}");
        fields.find("num_key_value_heads", &message);
    }
    let [a, g, d, h] = [sizes.heads, kv_heads, sizes.head_dim, sizes.hidden].map(i64::from);
    let ffn = ffn?;
    let mut extra = 0;
    if biases == Biases::Projections || attention_bias {
        extra += a * d + 2 * g * d;
    }
    if attention_bias && biases == Biases::AsStated {
        extra += h;
    }
    if mlp_bias {
        extra += 2 * i64::from(ffn) + h;
    }
    Some(TransformerSpec {
        kv_heads,
        ffn,
        gated_mlp: true,
        tied_embeddings,
        rms_norm: true,
        biases: false,
        window,
        extra_parameters_per_layer: extra,
        ..sizes.decoder(positions?)
    })
}

/// The window, unless it is switched off or absent.
pub(super) fn window(fields: &mut Fields, layers: Windowed) -> Option<Window> {
    let switched_on = fields.flag("use_sliding_window", true);
    let size = fields.optional_size("sliding_window", MAX_SEQUENCE);
    size.filter(|_| switched_on).map(|size| Window { size, layers })
}

pub(super) fn llama(fields: &mut Fields) -> Option<TransformerSpec> {
    base(fields, Biases::AsStated, false)
}

pub(super) fn qwen2(fields: &mut Fields) -> Option<TransformerSpec> {
    base(fields, Biases::Projections, false)
}

/// Norms on queries and keys.
pub(super) fn qwen3(fields: &mut Fields) -> Option<TransformerSpec> {
    let mut shape = llama(fields)?;
    shape.extra_parameters_per_layer += 2 * i64::from(shape.head_dim);
    Some(shape)
}

/// `bias` speaks of all four products of the attention.
pub(super) fn internlm(fields: &mut Fields) -> Option<TransformerSpec> {
    let bias = fields.flag("bias", true);
    let mut shape = llama(fields)?;
    if bias {
        let [a, d, h] = [shape.heads, shape.head_dim, shape.hidden].map(i64::from);
        shape.extra_parameters_per_layer += 3 * a * d + h;
    }
    Some(shape)
}

/// Larger ones have linear biases in place of rotary positions.
pub(super) fn baichuan(fields: &mut Fields) -> Option<TransformerSpec> {
    if fields.has("model_max_length") && !fields.has("max_position_embeddings") {
        fields.copy("model_max_length", "max_position_embeddings");
        let mut shape = llama(fields)?;
        shape.position = Position::Alibi;
        return Some(shape);
    }
    llama(fields)
}

/// The second and third generation, whose files have names of their own for the same sizes.
pub(super) fn chatglm(fields: &mut Fields) -> Option<TransformerSpec> {
    const NAMES: [(&str, &str, u32); 4] = [
        ("num_layers", "num_hidden_layers", MAX_LAYERS),
        ("ffn_hidden_size", "intermediate_size", MAX_WIDTH),
        ("padded_vocab_size", "vocab_size", MAX_VOCABULARY),
        ("seq_length", "max_position_embeddings", MAX_SEQUENCE),
    ];
    // All of them are looked at, so that what is missing is told by the file's own names.
    let there = NAMES.map(|(own, _, most)| fields.size(own, most).is_some());
    for (own, usual, _) in NAMES {
        fields.copy(own, usual);
    }
    fields.copy("kv_channels", "head_dim");
    if fields.flag("multi_query_attention", false) {
        fields.copy("multi_query_group_num", "num_key_value_heads");
    }
    let biases = if fields.flag("add_qkv_bias", false) { Biases::Projections } else { Biases::AsStated };
    if there.contains(&false) {
        return None;
    }
    base(fields, biases, false)
}

pub(super) fn gemma(fields: &mut Fields) -> Option<TransformerSpec> {
    base(fields, Biases::AsStated, true)
}

/// Norms after each half as well, and a window in every other layer.
pub(super) fn gemma2(fields: &mut Fields) -> Option<TransformerSpec> {
    let mut shape = gemma(fields)?;
    shape.extra_parameters_per_layer += 2 * i64::from(shape.hidden);
    if let Some(window) = &mut shape.window {
        window.layers = Windowed::OneIn(2);
    }
    Some(shape)
}

/// Norms on queries and keys besides, and everything seen in one layer of six.
pub(super) fn gemma3(fields: &mut Fields) -> Option<TransformerSpec> {
    const USUAL: u32 = 6;
    let every = fields.optional_size("sliding_window_pattern", MAX_LAYERS).unwrap_or(USUAL);
    let mut shape = gemma2(fields)?;
    shape.extra_parameters_per_layer += 2 * i64::from(shape.head_dim);
    if let Some(window) = &mut shape.window {
        window.layers = Windowed::AllButOneIn(every);
    }
    Some(shape)
}

/// Norms over all queries and all keys.
pub(super) fn olmo2(fields: &mut Fields) -> Option<TransformerSpec> {
    let mut shape = llama(fields)?;
    shape.extra_parameters_per_layer += i64::from(shape.heads + shape.kv_heads) * i64::from(shape.head_dim);
    Some(shape)
}

/// Input and output table are one where the file says nothing.
pub(super) fn smollm3(fields: &mut Fields) -> Option<TransformerSpec> {
    base(fields, Biases::AsStated, true)
}
