//! Encoders, encoder-decoders, image transformers.

use super::config_fields::Fields;
use super::huggingface::{MAX_LAYERS, MAX_SEQUENCE, MAX_WIDTH, Sizes};
use crate::catalog::{Position, TransformerKind, TransformerSpec};

const LONG: [&str; 3] = ["hidden_size", "num_hidden_layers", "num_attention_heads"];
/// Classes of the usual image set, where the configuration names none.
const USUAL_CLASSES: u32 = 1000;
/// Distances that have a bias of their own, where the configuration does not say.
const USUAL_BUCKETS: u32 = 32;
/// Rows that a table of positions has before the first position.
const BART_OFFSET: i64 = 2;

fn encoder(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, LONG);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let types = fields.optional_size("type_vocab_size", MAX_WIDTH).unwrap_or(0);
    let plain = sizes?.decoder(positions?);
    let h = i64::from(plain.hidden);
    Some(TransformerSpec {
        kind: TransformerKind::Encoder,
        ffn: ffn?,
        tied_embeddings: true,
        position: Position::Learned,
        // Token types and the norm after the tables.
        extra_parameters: i64::from(types) * h + 2 * h,
        ..plain
    })
}

/// With a pooler, as published counts have it.
pub(super) fn bert(fields: &mut Fields) -> Option<TransformerSpec> {
    let mut shape = encoder(fields)?;
    let h = i64::from(shape.hidden);
    shape.extra_parameters += h * h + h;
    Some(shape)
}

/// Without a pooler and token types, under names of its own.
pub(super) fn distilbert(fields: &mut Fields) -> Option<TransformerSpec> {
    for (own, usual) in [
        ("dim", "hidden_size"),
        ("n_layers", "num_hidden_layers"),
        ("n_heads", "num_attention_heads"),
        ("hidden_dim", "intermediate_size"),
    ] {
        fields.copy(own, usual);
    }
    encoder(fields)
}

/// Without a pooler; tables may be narrower than the layers.
pub(super) fn electra(fields: &mut Fields) -> Option<TransformerSpec> {
    let narrow = fields.optional_size("embedding_size", MAX_WIDTH);
    let mut shape = encoder(fields)?;
    let [h, v, s] = [shape.hidden, shape.vocab, shape.max_sequence].map(i64::from);
    let e = narrow.map_or(h, i64::from);
    if e != h {
        let types = (shape.extra_parameters - 2 * h) / h;
        shape.extra_parameters += (v + s + types + 2) * (e - h) + e * h + h;
    }
    Some(shape)
}

/// Stacks of the same depth with a shared table of position biases each.
pub(super) fn t5(fields: &mut Fields) -> Option<TransformerSpec> {
    fields.copy("d_kv", "head_dim");
    let sizes = Sizes::read(fields, ["d_model", "num_layers", "num_heads"]);
    let ffn = fields.size("d_ff", MAX_WIDTH);
    let decoder_layers = fields.optional_size("num_decoder_layers", MAX_LAYERS);
    let buckets = fields.optional_size("relative_attention_num_buckets", MAX_WIDTH).unwrap_or(USUAL_BUCKETS);
    let positions = fields.optional_size("n_positions", MAX_SEQUENCE).unwrap_or(512);
    let projection = fields.text("feed_forward_proj").unwrap_or_default();
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    let plain = sizes?.decoder(positions);
    if decoder_layers.is_some_and(|layers| layers != plain.layers) {
        let layers = plain.layers;
        fields.find("num_decoder_layers", &format!("only as many as num_layers = {layers} are supported"));
    }
    Some(TransformerSpec {
        kind: TransformerKind::EncoderDecoder,
        ffn: ffn?,
        gated_mlp: projection.starts_with("gated"),
        tied_embeddings,
        position: Position::Relative,
        rms_norm: true,
        biases: false,
        extra_parameters: 2 * i64::from(buckets) * i64::from(plain.heads),
        ..plain
    })
}

/// Stacks of the same depth with a table of positions each, two rows longer than the positions.
pub(super) fn bart(fields: &mut Fields) -> Option<TransformerSpec> {
    let sizes = Sizes::read(fields, ["d_model", "encoder_layers", "encoder_attention_heads"]);
    let ffn = fields.size("encoder_ffn_dim", MAX_WIDTH);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let plain = sizes?.decoder(positions?);
    let same = [
        ("decoder_layers", plain.layers),
        ("decoder_attention_heads", plain.heads),
        ("decoder_ffn_dim", ffn?),
    ];
    for (key, expected) in same {
        if fields.optional_size(key, MAX_WIDTH).is_some_and(|found| found != expected) {
            fields.find(key, &format!("only that of the encoder, {expected}, is supported"));
        }
    }
    let h = i64::from(plain.hidden);
    Some(TransformerSpec {
        kind: TransformerKind::EncoderDecoder,
        ffn: ffn?,
        tied_embeddings: fields.flag("tie_word_embeddings", true),
        position: Position::Learned,
        // The whole text is restored.
        target_share: 1.0,
        extra_parameters: (i64::from(plain.max_sequence) + 2 * BART_OFFSET) * h,
        ..plain
    })
}

pub(super) fn vit(fields: &mut Fields) -> Option<TransformerSpec> {
    // The classes stand where others have a vocabulary.
    let classes = fields.entries("id2label");
    if let Some(classes) = classes.filter(|&n| n > 0) {
        fields.set_size("vocab_size", classes);
    } else {
        fields.notes.push(format!("id2label is absent: {USUAL_CLASSES} classes are taken"));
        fields.set_size("vocab_size", USUAL_CLASSES);
    }
    let sizes = Sizes::read(fields, LONG);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let image = fields.size("image_size", MAX_WIDTH);
    let patch = fields.size("patch_size", MAX_WIDTH);
    let channels = fields.optional_size("num_channels", MAX_WIDTH).unwrap_or(3);
    if channels != 3 {
        fields.find("num_channels", "only 3 is supported");
    }
    if !fields.flag("qkv_bias", true) {
        fields.find("qkv_bias", "only true is supported");
    }
    let (image, patch) = (image?, patch?);
    if !image.is_multiple_of(patch) {
        fields.find("patch_size", &format!("{patch} does not divide image_size = {image}"));
    }
    let side = u64::from(image / patch);
    let Some(positions) = u32::try_from(side * side + 1).ok().filter(|&p| p <= MAX_SEQUENCE) else {
        fields.find("image_size", &format!("{image} gives more than {MAX_SEQUENCE} patches"));
        return None;
    };
    Some(TransformerSpec {
        kind: TransformerKind::Vision,
        ffn: ffn?,
        position: Position::Learned,
        patch: Some(patch),
        ..sizes?.decoder(positions)
    })
}
