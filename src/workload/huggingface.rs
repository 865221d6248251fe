//! A transformer shape from a Hugging Face `config.json`.
//!
//! Accepted are the families whose `model_type` is one of [`ACCEPTED`]. Every problem of a file is reported at
//! once; a key that is absent takes the library's default only where that default follows from other keys or is
//! written here, and is then noted. What a family has beyond the counting formula (biases on some products, norms on
//! queries and keys, heads with a bias) comes as a number of extra parameters.

use super::config_fields::Fields;
use super::{huggingface_experts as experts, huggingface_gated as gated};
use super::{huggingface_other as other, huggingface_plain as plain};
use crate::catalog::{MASKED_SPANS, Position, TransformerKind, TransformerSpec};

/// Reads the keys of one family.
type Reader = fn(&mut Fields) -> Option<TransformerSpec>;

/// Accepted values of `model_type`, each with what reads it.
const ACCEPTED: [(&str, Reader); 43] = [
    ("llama", gated::llama),
    ("mistral", gated::llama),
    ("internlm", gated::internlm),
    ("baichuan", gated::baichuan),
    ("chatglm", gated::chatglm),
    ("Yi", gated::llama),
    ("qwen2", gated::qwen2),
    ("qwen3", gated::qwen3),
    ("gemma", gated::gemma),
    ("gemma2", gated::gemma2),
    ("gemma3_text", gated::gemma3),
    ("granite", gated::llama),
    ("olmo2", gated::olmo2),
    ("smollm3", gated::smollm3),
    ("phi3", gated::llama),
    ("mixtral", experts::mixtral),
    ("qwen2_moe", experts::qwen2_moe),
    ("qwen3_moe", experts::qwen3_moe),
    ("gpt_oss", experts::gpt_oss),
    ("deepseek_v2", experts::deepseek),
    ("deepseek_v3", experts::deepseek_v3),
    ("gpt2", plain::gpt2),
    ("gpt_bigcode", plain::gpt_bigcode),
    ("starcoder2", plain::starcoder2),
    ("gpt_neo", plain::gpt_neo),
    ("gptj", plain::gptj),
    ("gpt_neox", plain::gpt_neox),
    ("opt", plain::opt),
    ("bloom", plain::bloom),
    ("falcon", plain::falcon),
    ("mpt", plain::mpt),
    ("phi", plain::phi),
    ("bert", other::bert),
    ("distilbert", other::distilbert),
    ("roberta", other::bert),
    ("xlm-roberta", other::bert),
    ("camembert", other::bert),
    ("electra", other::electra),
    ("t5", other::t5),
    ("mt5", other::t5),
    ("bart", other::bart),
    ("vit", other::vit),
    ("deit", other::vit),
];

/// Deepest stack that is believed.
pub(super) const MAX_LAYERS: u32 = 10_000;
/// Widest vector, MLP and head count that are believed.
pub(super) const MAX_WIDTH: u32 = 1 << 20;
/// Largest vocabulary that is believed.
pub(super) const MAX_VOCABULARY: u32 = 1 << 24;
/// Longest sequence that is believed.
pub(super) const MAX_SEQUENCE: u32 = 1 << 27;

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
    let kind = fields.text("model_type");
    if fields.has("quantization_config") {
        fields.notes.push("quantization_config is left aside: weights are trained unquantized".to_owned());
    }
    let reader = kind.as_deref().and_then(|k| ACCEPTED.iter().find(|(name, _)| *name == k));
    let shape = match (reader, &kind) {
        (Some((_, read)), _) => read(&mut fields),
        (None, kind) => {
            let names = ACCEPTED.map(|(name, _)| name).join(", ");
            let message = match kind {
                Some(other) => format!("{other:?} is not supported; accepted: {names}"),
                None => format!("a text is needed; accepted: {names}"),
            };
            fields.find("model_type", &message);
            None
        }
    };
    match (shape, fields.findings.is_empty()) {
        (Some(shape), true) => Ok((shape, fields.notes)),
        _ => Err(fields.findings),
    }
}

/// The sizes that every family has, under its own keys.
pub(super) struct Sizes {
    /// Hidden size h.
    pub hidden: u32,
    /// Layers.
    pub layers: u32,
    /// Heads.
    pub heads: u32,
    /// Head dimension; h / heads unless `head_dim` says otherwise.
    pub head_dim: u32,
    /// Vocabulary.
    pub vocab: u32,
}

impl Sizes {
    /// Reads them; `keys` are those of hidden size, layers and heads.
    pub fn read(fields: &mut Fields, keys: [&'static str; 3]) -> Option<Self> {
        let [hidden_key, layers_key, heads_key] = keys;
        let hidden = fields.size(hidden_key, MAX_WIDTH);
        let layers = fields.size(layers_key, MAX_LAYERS);
        let heads = fields.size(heads_key, MAX_WIDTH);
        let vocab = fields.size("vocab_size", MAX_VOCABULARY);
        let own = fields.optional_size("head_dim", MAX_WIDTH);
        let (hidden, heads) = (hidden?, heads?);
        let head_dim = match own {
            Some(dim) => Some(dim),
            None => fields.head_dim(hidden_key, hidden, heads_key, heads),
        };
        // What does not divide is a finding already; the rest is still looked at.
        Some(Self { hidden, layers: layers?, heads, head_dim: head_dim.unwrap_or(1), vocab: vocab? })
    }

    /// A decoder of these sizes with rotary positions, biases, two layer norms, a plain MLP of 4 h and its own head.
    pub fn decoder(&self, max_sequence: u32) -> TransformerSpec {
        TransformerSpec {
            kind: TransformerKind::Decoder,
            layers: self.layers,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: self.heads,
            head_dim: self.head_dim,
            ffn: self.hidden.saturating_mul(4),
            gated_mlp: false,
            vocab: self.vocab,
            tied_embeddings: false,
            position: Position::Rotary,
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
}

/// The longest sequence under a key, or 2048 where positions need no table.
pub(super) fn sequence_or_usual(fields: &mut Fields, key: &str) -> u32 {
    const USUAL: u32 = 2048;
    fields.optional_size(key, MAX_SEQUENCE).unwrap_or_else(|| {
        fields.notes.push(format!("{key} is absent: a longest sequence of {USUAL} is taken"));
        USUAL
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Window, Windowed};
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
    fn a_window_is_read_unless_it_is_switched_off() {
        let json = LLAMA_2_70B.replace("llama", "mistral");
        assert_eq!(from_hugging_face(&json).unwrap().0.window, None);
        let windowed = json.replace("\"tie_word_embeddings\": false", "\"sliding_window\": 4096");
        let window = from_hugging_face(&windowed).unwrap().0.window;
        assert_eq!(window, Some(Window { size: 4096, layers: Windowed::OneIn(1) }));
        let off = windowed.replace("4096}", "4096, \"use_sliding_window\": false}");
        assert_eq!(from_hugging_face(&off).unwrap().0.window, None);
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
                "vocab_size",
                "num_key_value_heads",
                "intermediate_size",
                "max_position_embeddings",
                "tie_word_embeddings",
            ]
        );
    }

    #[test]
    fn heads_must_divide() {
        let found = findings(&LLAMA_2_70B.replace(": 64,", ": 60,"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("60 does not divide hidden_size = 8192"));
        assert!(found[1].contains("8 does not divide num_attention_heads = 60"));
    }

    #[test]
    fn an_unknown_model_type_lists_the_accepted_ones() {
        for json in [r#"{"model_type": "rwkv"}"#, r#"{"model_type": 7}"#, "{}"] {
            let found = findings(json);
            assert!(found[0].contains("accepted: llama, mistral,"), "{found:?}");
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
            kind in prop::sample::select(ACCEPTED.map(|(name, _)| name).to_vec()),
            keys in prop::collection::vec((
                prop::sample::select(vec![
                    "hidden_size", "n_embd", "n_head", "n_layer", "num_hidden_layers", "num_attention_heads",
                    "num_key_value_heads", "head_dim", "intermediate_size", "vocab_size", "n_positions", "n_inner",
                    "max_position_embeddings", "sliding_window", "attention_bias", "mlp_bias", "num_experts",
                    "num_experts_per_tok", "moe_intermediate_size", "kv_lora_rank", "d_model", "d_ff", "num_heads",
                    "patch_size", "image_size", "first_k_dense_replace", "expansion_ratio", "embedding_size",
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
