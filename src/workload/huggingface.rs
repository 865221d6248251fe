//! A transformer shape from a Hugging Face `config.json`.
//!
//! Accepted are dense decoders whose `model_type` is one of [`ACCEPTED`]. Every problem of a file is reported at
//! once; a key that is absent takes the library's default only where that default follows from other keys or is
//! written here, and is then noted.

use super::config_fields::Fields;
use crate::catalog::{Position, TransformerKind, TransformerSpec};

/// Accepted values of `model_type`.
const ACCEPTED: [&str; 4] = ["llama", "mistral", "qwen2", "gpt2"];

/// Deepest stack that is believed.
const MAX_LAYERS: u32 = 10_000;
/// Widest vector, MLP and head count that are believed.
const MAX_WIDTH: u32 = 1 << 20;
/// Largest vocabulary that is believed.
const MAX_VOCABULARY: u32 = 1 << 24;
/// Longest sequence that is believed.
const MAX_SEQUENCE: u32 = 1 << 27;

/// Reads a configuration; the second part of the result says what was assumed.
///
/// # Errors
/// Every problem found, each naming its key and what would be accepted.
///
/// ```
/// let (shape, _) = gpu_advisor::workload::from_hugging_face(
///     r#"{"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
///         "vocab_size": 50257}"#,
/// ).unwrap();
/// assert_eq!(gpu_advisor::workload::transformer_parameters(&shape), 124_439_808);
/// ```
pub fn from_hugging_face(json: &str) -> Result<(TransformerSpec, Vec<String>), Vec<String>> {
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| vec![format!("not a JSON document: {error}")])?;
    let serde_json::Value::Object(map) = value else {
        return Err(vec![
            "the document is not an object, such as {\"model_type\": \"llama\", ...}".to_owned(),
        ]);
    };
    let mut fields = Fields::new(map);
    let shape = match fields.text("model_type").as_deref() {
        Some("gpt2") => learned_positions(&mut fields),
        Some(kind) if ACCEPTED.contains(&kind) => rotary_positions(&mut fields, kind == "qwen2"),
        Some(other) => {
            fields.find(
                "model_type",
                &format!("{other:?} is not supported; accepted: {}", ACCEPTED.join(", ")),
            );
            None
        }
        None => {
            fields.find("model_type", &format!("a text is needed; accepted: {}", ACCEPTED.join(", ")));
            None
        }
    };
    match (shape, fields.findings.is_empty()) {
        (Some(shape), true) => Ok((shape, fields.notes)),
        _ => Err(fields.findings),
    }
}

/// The family of `n_embd`, `n_layer`, `n_head`.
fn learned_positions(fields: &mut Fields) -> Option<TransformerSpec> {
    let hidden = fields.size("n_embd", MAX_WIDTH);
    let layers = fields.size("n_layer", MAX_LAYERS);
    let heads = fields.size("n_head", MAX_WIDTH);
    let vocab = fields.size("vocab_size", MAX_VOCABULARY);
    let positions = fields.size("n_positions", MAX_SEQUENCE);
    let inner = fields.optional_size("n_inner", MAX_WIDTH);
    let tied_embeddings = fields.flag("tie_word_embeddings", true);
    if fields.flag("add_cross_attention", false) {
        fields.find("add_cross_attention", "cross attention is not supported; accepted: false");
    }
    let (hidden, layers, heads) = (hidden?, layers?, heads?);
    let head_dim = fields.head_dim("n_embd", hidden, "n_head", heads);
    Some(TransformerSpec {
        kind: TransformerKind::Decoder,
        layers,
        hidden,
        heads,
        kv_heads: heads,
        head_dim: head_dim?,
        ffn: inner.unwrap_or(4 * hidden),
        gated_mlp: false,
        vocab: vocab?,
        tied_embeddings,
        position: Position::Learned,
        max_sequence: positions?,
        rms_norm: false,
        biases: true,
        experts: None,
        latent: None,
        window: None,
        patch: None,
        extra_parameters: 0,
        extra_parameters_per_layer: 0,
    })
}

/// The family of `hidden_size`, `num_hidden_layers`, `num_attention_heads`.
fn rotary_positions(fields: &mut Fields, projection_biases: bool) -> Option<TransformerSpec> {
    let hidden = fields.size("hidden_size", MAX_WIDTH);
    let layers = fields.size("num_hidden_layers", MAX_LAYERS);
    let heads = fields.size("num_attention_heads", MAX_WIDTH);
    let kv_heads = fields.optional_size("num_key_value_heads", MAX_WIDTH);
    let head_dim = fields.optional_size("head_dim", MAX_WIDTH);
    let ffn = fields.size("intermediate_size", MAX_WIDTH);
    let vocab = fields.size("vocab_size", MAX_VOCABULARY);
    let positions = fields.size("max_position_embeddings", MAX_SEQUENCE);
    let tied_embeddings = fields.flag("tie_word_embeddings", false);
    let attention_bias = fields.flag("attention_bias", false);
    let mlp_bias = fields.flag("mlp_bias", false);
    sliding_window(fields);
    let (hidden, layers, heads) = (hidden?, layers?, heads?);
    let kv_heads = kv_heads.unwrap_or_else(|| {
        fields.notes.push(format!("num_key_value_heads is absent: as many as attention heads, {heads}"));
        heads
    });
    if !heads.is_multiple_of(kv_heads) {
        fields.find(
            "num_key_value_heads",
            &format!("{kv_heads} does not divide num_attention_heads = {heads}"),
        );
    }
    let head_dim = match head_dim {
        Some(dim) => dim,
        None => fields.head_dim("hidden_size", hidden, "num_attention_heads", heads)?,
    };
    let [a, g, d, h] = [heads, kv_heads, head_dim, hidden].map(i64::from);
    let ffn = ffn?;
    let mut biases = 0;
    if projection_biases || attention_bias {
        biases += a * d + 2 * g * d;
    }
    if attention_bias && !projection_biases {
        biases += h;
    }
    if mlp_bias {
        biases += 2 * i64::from(ffn) + h;
    }
    Some(TransformerSpec {
        kind: TransformerKind::Decoder,
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim,
        ffn,
        gated_mlp: true,
        vocab: vocab?,
        tied_embeddings,
        position: Position::Rotary,
        max_sequence: positions?,
        rms_norm: true,
        biases: false,
        experts: None,
        latent: None,
        window: None,
        patch: None,
        extra_parameters: 0,
        extra_parameters_per_layer: biases,
    })
}

/// A window narrower than the sequence is no full attention; one that is switched off or absent is fine.
fn sliding_window(fields: &mut Fields) {
    let switched_on = fields.flag("use_sliding_window", true);
    let window = fields.optional_size("sliding_window", MAX_SEQUENCE);
    if let (true, Some(window)) = (switched_on, window) {
        fields.find(
            "sliding_window",
            &format!(
                "a window of {window} is not supported; accepted: null, or \"use_sliding_window\": false"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::transformer_parameters;
    use proptest::prelude::*;

    const LLAMA_2_70B: &str = r#"{"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
        "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 32000,
        "max_position_embeddings": 4096, "tie_word_embeddings": false}"#;

    fn findings(json: &str) -> Vec<String> {
        from_hugging_face(json).unwrap_err()
    }

    #[test]
    fn llama_2_70b_has_its_published_count() {
        let (shape, notes) = from_hugging_face(LLAMA_2_70B).unwrap();
        assert_eq!(transformer_parameters(&shape), 68_976_648_192);
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn qwen2_has_biases_on_queries_keys_and_values() {
        let (shape, _) = from_hugging_face(
            r#"{"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
            "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
            "max_position_embeddings": 131072, "use_sliding_window": false, "sliding_window": 131072}"#,
        )
        .unwrap();
        assert_eq!(transformer_parameters(&shape), 7_615_616_512);
    }

    #[test]
    fn absent_key_value_heads_are_noted() {
        let json = LLAMA_2_70B.replace("\"num_key_value_heads\": 8,", "");
        let (shape, notes) = from_hugging_face(&json).unwrap();
        assert_eq!(shape.kv_heads, 64);
        assert_eq!(notes, ["num_key_value_heads is absent: as many as attention heads, 64"]);
    }

    #[test]
    fn a_mistral_without_window_is_read_and_one_with_window_refused() {
        let json = LLAMA_2_70B.replace("llama", "mistral");
        assert!(from_hugging_face(&json).is_ok());
        let windowed = json.replace("\"tie_word_embeddings\": false", "\"sliding_window\": 4096");
        let found = findings(&windowed);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("sliding_window: a window of 4096"), "{found:?}");
    }

    #[test]
    fn every_problem_is_found_at_once() {
        let found = findings(
            r#"{"model_type": "llama", "hidden_size": -1, "intermediate_size": 0, "num_hidden_layers": "80",
            "num_attention_heads": 64.5, "num_key_value_heads": 1e300, "vocab_size": 99999999999,
            "tie_word_embeddings": "yes"}"#,
        );
        let keys: Vec<&str> = found.iter().filter_map(|f| f.split(':').next()).collect();
        assert_eq!(
            keys,
            [
                "hidden_size",
                "num_hidden_layers",
                "num_attention_heads",
                "num_key_value_heads",
                "intermediate_size",
                "vocab_size",
                "max_position_embeddings",
                "tie_word_embeddings",
            ]
        );
    }

    #[test]
    fn heads_must_divide() {
        let found = findings(&LLAMA_2_70B.replace(": 64,", ": 60,"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("8 does not divide num_attention_heads = 60"));
        assert!(found[1].contains("60 does not divide hidden_size = 8192"));
    }

    #[test]
    fn an_unknown_model_type_lists_the_accepted_ones() {
        for json in [r#"{"model_type": "mixtral"}"#, r#"{"model_type": 7}"#, "{}"] {
            let found = findings(json);
            assert!(found[0].contains("accepted: llama, mistral, qwen2, gpt2"), "{found:?}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for json in ["", "[]", "null", "{\"model_type\": ", "3"] {
            assert_eq!(findings(json).len(), 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_text_and_no_value_panics(
            text in ".{0,40}",
            kind in prop::sample::select(ACCEPTED.to_vec()),
            keys in prop::collection::vec((
                prop::sample::select(vec![
                    "hidden_size", "n_embd", "n_head", "n_layer", "num_hidden_layers", "num_attention_heads",
                    "num_key_value_heads", "head_dim", "intermediate_size", "vocab_size", "n_positions", "n_inner",
                    "max_position_embeddings", "sliding_window", "attention_bias", "mlp_bias",
                ]),
                prop::sample::select(vec!["0", "1", "-3", "8", "4294967296", "1e400", "0.5", "null", "true", "{}"]),
            ), 0..12),
        ) {
            let _ = from_hugging_face(&text);
            let pairs: Vec<String> = keys.iter().map(|(key, value)| format!(", \"{key}\": {value}")).collect();
            let body = pairs.concat();
            if let Ok((shape, _)) = from_hugging_face(&format!("{{\"model_type\": \"{kind}\"{body}}}")) {
                prop_assert!(transformer_parameters(&shape) > 0);
            }
        }
    }
}
