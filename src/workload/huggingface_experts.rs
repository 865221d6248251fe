//! Decoders with experts, and with latent attention.

use super::config_fields::Fields;
use super::huggingface::{MAX_LAYERS, MAX_WIDTH};
use super::huggingface_gated::{llama, qwen2, qwen3};
use crate::catalog::{Experts, LatentAttention, TransformerSpec, Windowed};

/// Experts of a shape under the keys of their number and width.
fn with_experts(
    fields: &mut Fields,
    mut shape: TransformerSpec,
    [number, width]: [&str; 2],
    shared: u32,
    dense_layers: u32,
) -> Option<TransformerSpec> {
    let routed = fields.size(number, MAX_WIDTH);
    let per_token = fields.size("num_experts_per_tok", MAX_WIDTH);
    let ffn = fields.size(width, MAX_WIDTH);
    let (routed, per_token) = (routed?, per_token?);
    if per_token > routed {
        fields.find("num_experts_per_tok", &format!("{per_token} is more than {number} = {routed}"));
    }
    if dense_layers >= shape.layers {
        let layers = shape.layers;
        fields.find("first_k_dense_replace", &format!("{dense_layers} leaves none of the {layers} layers"));
    }
    shape.experts = Some(Experts { routed, per_token, shared, ffn: ffn?, dense_layers });
    Some(shape)
}

pub(super) fn mixtral(fields: &mut Fields) -> Option<TransformerSpec> {
    let shape = llama(fields)?;
    with_experts(fields, shape, ["num_local_experts", "intermediate_size"], 0, 0)
}

pub(super) fn qwen3_moe(fields: &mut Fields) -> Option<TransformerSpec> {
    sparse_everywhere(fields);
    let shape = qwen3(fields)?;
    with_experts(fields, shape, ["num_experts", "moe_intermediate_size"], 0, 0)
}

/// The shared expert has a width of its own, a whole number of routed ones, and a gate.
pub(super) fn qwen2_moe(fields: &mut Fields) -> Option<TransformerSpec> {
    sparse_everywhere(fields);
    let shared = fields.size("shared_expert_intermediate_size", MAX_WIDTH);
    let one = fields.size("moe_intermediate_size", MAX_WIDTH);
    let mut shape = qwen2(fields)?;
    let (shared, one) = (shared?, one?);
    if !shared.is_multiple_of(one) {
        let message = format!("{shared} is no multiple of moe_intermediate_size = {one}");
        fields.find("shared_expert_intermediate_size", &message);
    }
    shape.extra_parameters_per_layer += i64::from(shape.hidden);
    with_experts(fields, shape, ["num_experts", "moe_intermediate_size"], shared / one, 0)
}

/// Layers that keep a plain MLP between those with experts are not modelled.
fn sparse_everywhere(fields: &mut Fields) {
    if fields.optional_size("decoder_sparse_step", MAX_LAYERS).is_some_and(|step| step != 1) {
        fields.find("decoder_sparse_step", "only 1, experts in every layer, is supported");
    }
}

pub(super) fn deepseek(fields: &mut Fields) -> Option<TransformerSpec> {
    let mut shape = llama(fields)?;
    let query_rank = fields.optional_size("q_lora_rank", MAX_WIDTH);
    let [kv_rank, plain, rotary, value] =
        ["kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"]
            .map(|key| fields.size(key, MAX_WIDTH));
    let shared = fields.optional_size("n_shared_experts", MAX_WIDTH).unwrap_or(0);
    let dense = fields.optional_size_or_zero("first_k_dense_replace", MAX_LAYERS);
    let latent = LatentAttention {
        query_rank,
        kv_rank: kv_rank?,
        plain_dim: plain?,
        rotary_dim: rotary?,
        value_dim: value?,
    };
    shape.head_dim = latent.plain_dim + latent.rotary_dim;
    shape.kv_heads = shape.heads;
    shape.latent = Some(latent);
    with_experts(fields, shape, ["n_routed_experts", "moe_intermediate_size"], shared, dense)
}

/// The router has a bias for each expert.
pub(super) fn deepseek_v3(fields: &mut Fields) -> Option<TransformerSpec> {
    let mut shape = deepseek(fields)?;
    if let Some(experts) = shape.experts {
        let layers = i64::from(shape.layers.saturating_sub(experts.dense_layers));
        shape.extra_parameters += layers * i64::from(experts.routed);
    }
    Some(shape)
}

/// Biases of router and experts, a sink for each head, a window in every other layer.
pub(super) fn gpt_oss(fields: &mut Fields) -> Option<TransformerSpec> {
    if !fields.has("attention_bias") {
        fields.set_flag("attention_bias", true);
    }
    let shape = llama(fields)?;
    let mut shape = with_experts(fields, shape, ["num_local_experts", "intermediate_size"], 0, 0)?;
    let experts = shape.experts?;
    let [number, width, hidden, heads] =
        [experts.routed, experts.ffn, shape.hidden, shape.heads].map(i64::from);
    shape.extra_parameters_per_layer += number + number * (2 * width + hidden) + heads;
    if let Some(window) = &mut shape.window {
        window.layers = Windowed::OneIn(2);
    }
    Some(shape)
}
