//! Published configurations of every family, by the keys their files have, against the counts of the zoo.

use gpu_advisor::workload::{active_parameters, from_hugging_face, transformer_parameters};

/// Family, configuration, parameters.
const CONFIGURATIONS: [(&str, &str, u64); 36] = [
    (
        "mistral",
        r#"{"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 32768, "sliding_window": 4096,
        "tie_word_embeddings": false}"#,
        7_241_732_096,
    ),
    (
        "qwen3",
        r#"{"hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 12288, "vocab_size": 151936, "max_position_embeddings": 40960,
        "tie_word_embeddings": false, "attention_bias": false}"#,
        8_190_735_360,
    ),
    (
        "gemma",
        r#"{"hidden_size": 2048, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1,
        "head_dim": 256, "intermediate_size": 16384, "vocab_size": 256000, "max_position_embeddings": 8192}"#,
        2_506_172_416,
    ),
    (
        "gemma2",
        r#"{"hidden_size": 2304, "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4,
        "head_dim": 256, "intermediate_size": 9216, "vocab_size": 256000, "max_position_embeddings": 8192,
        "sliding_window": 4096}"#,
        2_614_341_888,
    ),
    (
        "gemma3_text",
        r#"{"hidden_size": 1152, "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
        "head_dim": 256, "intermediate_size": 6912, "vocab_size": 262144, "max_position_embeddings": 32768,
        "sliding_window": 512, "sliding_window_pattern": 6}"#,
        999_885_952,
    ),
    (
        "olmo2",
        r#"{"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
        "intermediate_size": 11008, "vocab_size": 100352, "max_position_embeddings": 4096, "attention_bias": false,
        "tie_word_embeddings": false}"#,
        7_298_617_344,
    ),
    (
        "smollm3",
        r#"{"hidden_size": 2048, "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 4,
        "intermediate_size": 11008, "vocab_size": 128256, "max_position_embeddings": 65536,
        "use_sliding_window": false, "sliding_window": null}"#,
        3_075_098_624,
    ),
    (
        "granite",
        r#"{"hidden_size": 2048, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 8192, "vocab_size": 49155, "max_position_embeddings": 131072, "attention_bias": false,
        "mlp_bias": false, "tie_word_embeddings": true}"#,
        2_533_531_648,
    ),
    (
        "gpt_oss",
        r#"{"hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8,
        "head_dim": 64, "intermediate_size": 2880, "vocab_size": 201088, "max_position_embeddings": 131072,
        "num_local_experts": 32, "num_experts_per_tok": 4, "sliding_window": 128, "attention_bias": true,
        "tie_word_embeddings": false}"#,
        20_914_757_184,
    ),
    (
        "distilbert",
        r#"{"dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072, "vocab_size": 30522,
        "max_position_embeddings": 512}"#,
        66_362_880,
    ),
    (
        "mt5",
        r#"{"d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_decoder_layers": 12, "num_heads": 12,
        "relative_attention_num_buckets": 32, "feed_forward_proj": "gated-gelu", "vocab_size": 250112,
        "tie_word_embeddings": false}"#,
        582_401_280,
    ),
    (
        "phi3",
        r#"{"hidden_size": 3072, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
        "intermediate_size": 8192, "vocab_size": 32064, "max_position_embeddings": 4096, "sliding_window": 2047,
        "tie_word_embeddings": false}"#,
        3_821_079_552,
    ),
    (
        "internlm",
        r#"{"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "bias": true,
        "intermediate_size": 11008, "vocab_size": 103168, "max_position_embeddings": 2048,
        "tie_word_embeddings": false}"#,
        7_321_948_160,
    ),
    (
        "mixtral",
        r#"{"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 32768, "sliding_window": null,
        "num_local_experts": 8, "num_experts_per_tok": 2, "tie_word_embeddings": false}"#,
        46_702_792_704,
    ),
    (
        "qwen3_moe",
        r#"{"hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768,
        "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1, "vocab_size": 151936,
        "max_position_embeddings": 40960, "tie_word_embeddings": false, "sliding_window": null}"#,
        30_532_122_624,
    ),
    (
        "deepseek_v2",
        r#"{"hidden_size": 2048, "num_hidden_layers": 27, "num_attention_heads": 16,
        "num_key_value_heads": 16, "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
        "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "q_lora_rank": null,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "vocab_size": 102400, "max_position_embeddings": 163840, "tie_word_embeddings": false}"#,
        15_706_484_224,
    ),
    (
        "deepseek_v3",
        r#"{"hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
        "num_key_value_heads": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048,
        "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "vocab_size": 129280, "max_position_embeddings": 163840, "tie_word_embeddings": false}"#,
        671_026_419_200,
    ),
    (
        "gpt_bigcode",
        r#"{"n_embd": 6144, "n_layer": 40, "n_head": 48, "n_inner": 24576, "n_positions": 8192,
        "vocab_size": 49152, "multi_query": true}"#,
        15_517_456_384,
    ),
    (
        "starcoder2",
        r#"{"hidden_size": 3072, "num_hidden_layers": 30, "num_attention_heads": 24, "num_key_value_heads": 2,
        "intermediate_size": 12288, "vocab_size": 49152, "max_position_embeddings": 16384, "sliding_window": 4096,
        "use_bias": true}"#,
        3_030_371_328,
    ),
    (
        "chatglm",
        r#"{"hidden_size": 4096, "num_layers": 28, "num_attention_heads": 32, "ffn_hidden_size": 13696,
        "multi_query_attention": true, "multi_query_group_num": 2, "padded_vocab_size": 65024, "seq_length": 32768,
        "kv_channels": 128, "add_qkv_bias": true, "rmsnorm": true}"#,
        6_243_584_000,
    ),
    (
        "gpt_neo",
        r#"{"hidden_size": 2048, "num_layers": 24, "num_heads": 16, "intermediate_size": null,
        "max_position_embeddings": 2048, "vocab_size": 50257, "window_size": 256}"#,
        1_315_575_808,
    ),
    (
        "gptj",
        r#"{"n_embd": 4096, "n_layer": 28, "n_head": 16, "n_inner": null, "n_positions": 2048,
        "vocab_size": 50400}"#,
        6_050_882_784,
    ),
    (
        "gpt_neox",
        r#"{"hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64,
        "intermediate_size": 24576, "vocab_size": 50432, "max_position_embeddings": 2048}"#,
        20_554_567_680,
    ),
    (
        "opt",
        r#"{"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "ffn_dim": 4096,
        "vocab_size": 50272, "max_position_embeddings": 2048, "word_embed_proj_dim": 512,
        "do_layer_norm_before": false}"#,
        331_196_416,
    ),
    (
        "bloom",
        r#"{"hidden_size": 4096, "n_layer": 30, "n_head": 32, "vocab_size": 250880, "seq_length": 2048}"#,
        7_069_016_064,
    ),
    (
        "falcon",
        r#"{"hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "multi_query": true,
        "parallel_attn": true, "new_decoder_architecture": false, "bias": false, "alibi": false,
        "vocab_size": 65024}"#,
        6_921_720_704,
    ),
    (
        "mpt",
        r#"{"d_model": 4096, "n_layers": 32, "n_heads": 32, "expansion_ratio": 4, "max_seq_len": 2048,
        "vocab_size": 50432, "no_bias": true, "attn_config": {"alibi": true}}"#,
        6_649_286_656,
    ),
    (
        "phi",
        r#"{"hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 10240,
        "vocab_size": 51200, "max_position_embeddings": 2048}"#,
        2_779_683_840,
    ),
    (
        "bert",
        r#"{"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
        "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2}"#,
        109_482_240,
    ),
    (
        "roberta",
        r#"{"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}"#,
        124_645_632,
    ),
    (
        "electra",
        r#"{"hidden_size": 768, "embedding_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2}"#,
        108_891_648,
    ),
    (
        "t5",
        r#"{"d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 12, "num_heads": 12, "vocab_size": 32128,
        "relative_attention_num_buckets": 32, "n_positions": 512}"#,
        222_903_552,
    ),
    (
        "t5",
        r#"{"d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 8, "num_decoder_layers": 8, "num_heads": 6,
        "vocab_size": 32128, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false}"#,
        76_961_152,
    ),
    (
        "bart",
        r#"{"d_model": 1024, "encoder_layers": 12, "decoder_layers": 12, "encoder_attention_heads": 16,
        "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096, "vocab_size": 50265,
        "max_position_embeddings": 1024}"#,
        406_291_456,
    ),
    (
        "vit",
        r#"{"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096,
        "image_size": 224, "patch_size": 16, "num_channels": 3, "qkv_bias": true}"#,
        304_326_632,
    ),
    (
        "deit",
        r#"{"hidden_size": 192, "num_hidden_layers": 12, "num_attention_heads": 3, "intermediate_size": 768,
        "image_size": 224, "patch_size": 16}"#,
        5_717_416,
    ),
];

#[test]
fn configurations_of_every_family_have_the_counts_of_the_zoo() {
    let mut wrong = Vec::new();
    for (family, keys, parameters) in CONFIGURATIONS {
        let json = keys.replacen('{', &format!("{{\"model_type\": \"{family}\", "), 1);
        match from_hugging_face(&json) {
            Ok((shape, _)) => {
                let counted = transformer_parameters(&shape);
                if counted != parameters {
                    let missing = i128::from(counted) - i128::from(parameters);
                    wrong.push(format!("{family}: {counted}, {missing:+} beside {parameters}"));
                }
            }
            Err(findings) => wrong.push(format!("{family}: {findings:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_configuration_lacks_is_told_by_the_names_of_its_family() {
    let missing = from_hugging_face(r#"{"model_type": "chatglm", "hidden_size": 4096, "num_layers": 28}"#);
    let findings = missing.expect_err("three sizes are missing");
    let keys: Vec<&str> = findings.iter().filter_map(|f| f.split(':').next()).collect();
    assert_eq!(keys, ["ffn_hidden_size", "padded_vocab_size", "seq_length"]);
    let odd = from_hugging_face(
        r#"{"model_type": "starcoder2", "hidden_size": 3072, "num_hidden_layers": 30, "num_attention_heads": 24,
        "num_key_value_heads": 5, "intermediate_size": 12288, "vocab_size": 49152, "max_position_embeddings": 16384}"#,
    );
    assert_eq!(odd.expect_err("5 heads"), ["num_key_value_heads: 5 does not divide the 24 heads"]);
}

#[test]
fn experts_of_a_configuration_count_once_per_token_that_passes_them() {
    let (family, keys, _) = *CONFIGURATIONS.iter().find(|c| c.0 == "mixtral").expect("a family with experts");
    let json = keys.replacen('{', &format!("{{\"model_type\": \"{family}\", "), 1);
    let (shape, _) = from_hugging_face(&json).expect("read");
    assert_eq!(active_parameters(&shape), 12_879_925_248);
}
