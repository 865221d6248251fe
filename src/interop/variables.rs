//! The numbers and words of a plan and a model that an exporter may use.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::exporter::Condition;
use crate::catalog::{Position, TransformerSpec};
use crate::plan::{Plan, Sharding, StageLayers};
use crate::workload::Workload;

/// Vocabularies are padded to multiples of this times the tensor-parallel degree.
const VOCABULARY_MULTIPLE: u32 = 128;

/// Values by name; a name that a job lacks is 0 or false.
pub(super) struct Variables(BTreeMap<&'static str, Value>);

type Entry = (&'static str, Value);

fn of_plan(plan: &Plan, workload: &Workload) -> Vec<Entry> {
    let layers = StageLayers::of(plan, workload.layers());
    let zero_stage = match plan.sharding {
        Sharding::None => 0,
        Sharding::Zero1 => 1,
        Sharding::Zero2 | Sharding::ShardGradOp => 2,
        Sharding::Zero3 | Sharding::Hsdp => 3,
    };
    let half = match plan.precision.name() {
        // FP8 products lie over bfloat16 storage.
        "fp8" => "bf16",
        other => other,
    };
    vec![
        ("tensor_parallel", json!(plan.tensor_parallel)),
        ("pipeline_parallel", json!(plan.pipeline_parallel)),
        ("virtual_stages", json!(plan.virtual_stages)),
        ("layers_per_virtual_stage", json!(layers.in_chunk(0, 0))),
        ("uneven", json!(!layers.is_uniform())),
        ("pipeline_layout", json!(layout(layers))),
        ("data_parallel", json!(plan.data_parallel)),
        ("context_parallel", json!(plan.context_parallel)),
        ("expert_parallel", json!(plan.expert_parallel)),
        ("sharding", json!(plan.sharding.name())),
        ("zero_stage", json!(zero_stage)),
        ("sequence_parallel", json!(plan.sequence_parallel)),
        ("recompute", json!(plan.recompute.name())),
        ("micro_batch", json!(plan.micro_batch)),
        ("gradient_accumulation_steps", json!(plan.gradient_accumulation_steps)),
        ("global_batch", json!(plan.global_batch())),
        ("flash_attention", json!(plan.flash_attention)),
        ("optimizer_offload", json!(plan.optimizer_offload)),
        ("precision", json!(plan.precision.name())),
        ("half", json!(half)),
        ("sequence_length", json!(workload.rows_per_sample)),
        ("layers", json!(workload.layers())),
        ("kind", json!(workload.kind)),
    ]
}

/// The chunks of a pipeline in the order in which a micro-batch passes them: `Et*7|t*8|t*8|t*7L` has the embedding, 30
/// layers over four stages and the loss.
fn layout(layers: StageLayers) -> String {
    let stages = (0..layers.virtual_stages).flat_map(|chunk| (0..layers.stages).map(move |s| (s, chunk)));
    let chunks: Vec<String> = stages.map(|(s, chunk)| format!("t*{}", layers.in_chunk(s, chunk))).collect();
    format!("E{}L", chunks.join("|"))
}

fn of_model(plan: &Plan, shape: &TransformerSpec, rows: u32) -> Vec<Entry> {
    let multiple = VOCABULARY_MULTIPLE * plan.tensor_parallel;
    let latent = shape.latent;
    let experts = shape.experts;
    let position = match shape.position {
        Position::Learned => "learned",
        Position::Rotary => "rotary",
        Position::Alibi => "alibi",
        Position::Relative => "relative",
        Position::None => "none",
    };
    let expert_layers = experts.map_or(0, |e| shape.layers.saturating_sub(e.dense_layers));
    vec![
        ("hidden", json!(shape.hidden)),
        ("heads", json!(shape.heads)),
        ("kv_heads", json!(shape.kv_heads)),
        ("head_dim", json!(shape.head_dim)),
        ("own_head_dim", json!(shape.head_dim * shape.heads != shape.hidden)),
        ("ffn", json!(shape.ffn)),
        ("gated_mlp", json!(shape.gated_mlp)),
        ("rms_norm", json!(shape.rms_norm)),
        ("biases", json!(shape.biases)),
        ("tied_embeddings", json!(shape.tied_embeddings)),
        ("position", json!(position)),
        ("max_positions", json!(shape.max_sequence.max(rows))),
        ("vocab", json!(shape.vocab)),
        ("padded_vocab", json!(shape.vocab.next_multiple_of(multiple))),
        ("latent", json!(latent.is_some())),
        ("query_rank", json!(latent.and_then(|l| l.query_rank).unwrap_or(0))),
        ("kv_rank", json!(latent.map_or(0, |l| l.kv_rank))),
        ("plain_dim", json!(latent.map_or(0, |l| l.plain_dim))),
        ("rotary_dim", json!(latent.map_or(0, |l| l.rotary_dim))),
        ("value_dim", json!(latent.map_or(0, |l| l.value_dim))),
        ("experts", json!(experts.map_or(0, |e| e.routed))),
        ("experts_per_token", json!(experts.map_or(0, |e| e.per_token))),
        ("expert_ffn", json!(experts.map_or(0, |e| e.ffn))),
        ("shared_ffn", json!(experts.map_or(0, |e| e.shared * e.ffn))),
        ("dense_layers", json!(experts.map_or(0, |e| e.dense_layers))),
        ("expert_layers", json!(expert_layers)),
    ]
}

impl Variables {
    pub fn of(plan: &Plan, workload: &Workload) -> Self {
        let model = workload.shape.iter().flat_map(|shape| of_model(plan, shape, workload.rows_per_sample));
        Self(of_plan(plan, workload).into_iter().chain(model).collect())
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64).or_else(|| name.parse().ok())
    }

    fn word(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(word)) => word.clone(),
            Some(other) => other.to_string(),
            None => name.to_owned(),
        }
    }

    pub fn hold(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|c| self.holds(c))
    }

    fn holds(&self, condition: &str) -> bool {
        let sides = |by: &str| condition.split_once(by).map(|(a, b)| (a.trim(), b.trim()));
        if let Some((a, b)) = sides(">") {
            return self.number(a) > self.number(b);
        }
        if let Some((a, b)) = sides("<") {
            return self.number(a) < self.number(b);
        }
        sides("=").is_some_and(|(a, b)| self.word(a) == b)
    }

    pub fn fill(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for name in self.0.keys() {
            filled = filled.replace(&format!("{{{name}}}"), &self.word(name));
        }
        filled
    }

    /// A variable where the text is nothing but one, else the value as it is.
    pub fn value(&self, value: &toml::Value) -> Value {
        let name = value.as_str().and_then(|t| t.strip_prefix('{')).and_then(|t| t.strip_suffix('}'));
        match (name.and_then(|n| self.0.get(n)), value) {
            (Some(found), _) => found.clone(),
            (None, toml::Value::Boolean(flag)) => json!(flag),
            (None, toml::Value::Integer(number)) => json!(number),
            (None, toml::Value::Float(number)) => json!(number),
            (None, other) => json!(self.fill(other.as_str().unwrap_or_default())),
        }
    }
}
