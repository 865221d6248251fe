//! A plan in the words of another tool.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::exporter::{Condition, Exporter, ExporterKind};
use crate::plan::{Plan, Sharding};
use crate::workload::{Base, Workload};

/// What comes out.
#[derive(Debug, Clone, PartialEq)]
pub struct Emission {
    /// Flags or JSON, ready to be copied.
    pub text: String,
    /// Remarks.
    pub notes: Vec<String>,
}

/// Why a plan cannot be written for a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tool} {version}: {}", .reasons.join("; "))]
pub struct EmitError {
    /// The tool.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// Every reason.
    pub reasons: Vec<String>,
}

/// Vocabularies are padded to multiples of this times the tensor-parallel degree.
const VOCABULARY_MULTIPLE: u32 = 128;

/// Writes a plan of a workload.
///
/// # Errors
/// All rules of the tool that the plan breaks, and all that the tool cannot express.
pub fn emit(exporter: &Exporter, plan: &Plan, workload: &Workload) -> Result<Emission, EmitError> {
    let variables = Variables::of(plan, workload);
    let reasons = refusals(exporter, plan, workload, &variables);
    if !reasons.is_empty() {
        let (tool, version) = (exporter.name.clone(), exporter.version.clone());
        return Err(EmitError { tool, version, reasons });
    }
    let mut notes = Vec::new();
    let mut note = |text: &Option<String>| notes.extend(text.as_ref().map(|t| variables.fill(t)));
    let text = match exporter.kind {
        ExporterKind::Flags => {
            let mut lines = Vec::new();
            for line in exporter.line.iter().filter(|l| variables.hold(&l.when)) {
                lines.push(variables.fill(&line.text));
                note(&line.note);
            }
            lines.join(" \\\n")
        }
        ExporterKind::Json => {
            let mut object = Map::new();
            for entry in exporter.entry.iter().filter(|e| variables.hold(&e.when)) {
                let path: Vec<&str> = entry.path.split('.').collect();
                insert(&mut object, &path, variables.value(&entry.value));
                note(&entry.note);
            }
            format!("{:#}", Value::Object(object))
        }
    };
    Ok(Emission { text, notes })
}

fn refusals(exporter: &Exporter, plan: &Plan, workload: &Workload, variables: &Variables) -> Vec<String> {
    let mut reasons = Vec::new();
    let level = plan.sharding.name();
    if !exporter.expresses.iter().any(|e| e == level) {
        reasons.push(format!("sharding {level} cannot be expressed; {} can", exporter.expresses.join(", ")));
    }
    if plan.optimizer_offload && !exporter.offload {
        reasons.push("optimizer states in host memory cannot be expressed".to_owned());
    }
    if workload.base != Base::Trained && !exporter.adapters {
        reasons.push("adapters beside frozen weights cannot be expressed".to_owned());
    }
    let refused = exporter.refuse.iter().filter(|r| variables.hold(&r.when));
    reasons.extend(refused.map(|r| r.why.clone()));
    for rule in exporter.rule.iter().filter(|r| variables.hold(&r.when)) {
        let whole = variables.number(&rule.whole).unwrap_or(0.0);
        let by: f64 = rule.by.iter().filter_map(|name| variables.number(name)).product();
        if by < 1.0 || whole % by != 0.0 {
            reasons.push(format!("{} {whole} is not divisible by {} {by}", rule.whole, rule.by.join(" x ")));
        }
    }
    reasons
}

fn insert(object: &mut Map<String, Value>, path: &[&str], value: Value) {
    match path {
        [] => {}
        [key] => {
            object.insert((*key).to_owned(), value);
        }
        [key, rest @ ..] => {
            let inner = object.entry((*key).to_owned()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

/// The numbers and words that an exporter may use.
struct Variables(BTreeMap<&'static str, Value>);

impl Variables {
    fn of(plan: &Plan, workload: &Workload) -> Self {
        let stages = plan.pipeline_parallel * plan.virtual_stages;
        let shape = workload.attention;
        let multiple = VOCABULARY_MULTIPLE * plan.tensor_parallel;
        let vocab = shape.map_or(0, |s| s.vocab);
        let zero_stage = match plan.sharding {
            Sharding::None => 0,
            Sharding::Zero1 => 1,
            Sharding::Zero2 | Sharding::ShardGradOp => 2,
            Sharding::Zero3 | Sharding::Hsdp => 3,
        };
        Self(BTreeMap::from([
            ("tensor_parallel", json!(plan.tensor_parallel)),
            ("pipeline_parallel", json!(plan.pipeline_parallel)),
            ("virtual_stages", json!(plan.virtual_stages)),
            ("layers_per_virtual_stage", json!(workload.layers() / stages.max(1))),
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
            ("sequence_length", json!(workload.rows_per_sample)),
            ("layers", json!(workload.layers())),
            ("hidden", json!(shape.map_or(0, |s| s.hidden))),
            ("heads", json!(shape.map_or(0, |s| s.heads))),
            ("kv_heads", json!(shape.map_or(0, |s| s.kv_heads))),
            ("vocab", json!(vocab)),
            ("padded_vocab", json!(vocab.next_multiple_of(multiple))),
            ("experts", json!(workload.experts)),
        ]))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64).or_else(|| name.parse().ok())
    }

    fn word(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(word)) => word.clone(),
            Some(other) => other.to_string(),
            None => name.to_owned(),
        }
    }

    fn hold(&self, conditions: &[Condition]) -> bool {
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

    fn fill(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for name in self.0.keys() {
            filled = filled.replace(&format!("{{{name}}}"), &self.word(name));
        }
        filled
    }

    /// A variable where the text is nothing but one, else the value as it is.
    fn value(&self, value: &toml::Value) -> Value {
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

#[cfg(test)]
mod tests {
    use super::super::exporter::exporter;
    use super::*;
    use crate::catalog::Precision;
    use crate::plan::Recompute;
    use crate::workload::{standard_decoder, transformer};

    fn workload() -> Workload {
        transformer("7B", &standard_decoder(7e9).unwrap().0, 2048)
    }

    fn plan() -> Plan {
        Plan {
            tensor_parallel: 4,
            pipeline_parallel: 4,
            virtual_stages: 2,
            data_parallel: 2,
            sharding: Sharding::Zero1,
            sequence_parallel: true,
            recompute: Recompute::Selective,
            micro_batch: 2,
            gradient_accumulation_steps: 8,
            ..Plan::single(Precision::Fp16, false)
        }
    }

    #[test]
    fn virtual_stages_sharding_recomputation_and_loss_scaling_have_their_flags() {
        let tool = exporter("megatron").unwrap();
        let out = emit(&tool, &plan(), &workload()).unwrap();
        // 32 layers over 4 stages of 2 virtual ones.
        for flags in [
            "--tensor-model-parallel-size 4 --pipeline-model-parallel-size 4",
            "--num-layers-per-virtual-pipeline-stage 4",
            "--micro-batch-size 2 --global-batch-size 32",
            "--use-distributed-optimizer",
            "--recompute-activations",
            "--sequence-parallel",
            "--fp16 --initial-loss-scale",
        ] {
            assert!(out.text.contains(flags), "{flags} is missing in\n{}", out.text);
        }
        assert!(!out.text.contains('{') && !out.text.contains("--use-flash-attn"), "{}", out.text);
        // 32000 is a multiple of 128, not of 4 x 128.
        assert_eq!(out.notes, ["vocabulary 32000 is padded to 32256"]);
    }

    #[test]
    fn every_broken_rule_and_everything_impossible_is_named() {
        let tool = exporter("megatron").unwrap();
        let bad =
            Plan { tensor_parallel: 5, gradient_accumulation_steps: 6, sharding: Sharding::Zero3, ..plan() };
        let reasons = emit(&tool, &bad, &workload()).unwrap_err().reasons;
        assert_eq!(reasons.len(), 4, "{reasons:?}");
        assert!(reasons[1].starts_with("heads 32 is not divisible by tensor_parallel 5"), "{reasons:?}");
    }

    #[test]
    fn a_sharded_plan_is_a_valid_json_configuration() {
        let sharded = Plan {
            data_parallel: 8,
            sharding: Sharding::Zero3,
            micro_batch: 4,
            gradient_accumulation_steps: 2,
            optimizer_offload: true,
            ..Plan::single(Precision::Bf16, true)
        };
        let out = emit(&exporter("deepspeed").unwrap(), &sharded, &workload()).unwrap();
        let value: Value = serde_json::from_str(&out.text).unwrap();
        assert_eq!(value["train_batch_size"], 64);
        assert_eq!(value["zero_optimization"]["stage"], 3);
        assert_eq!(value["zero_optimization"]["offload_optimizer"]["device"], "cpu");
        assert_eq!(value["bf16"]["enabled"], true);
        assert_eq!(value.get("fp16"), None);
        let hybrid = Plan { sharding: Sharding::Hsdp, optimizer_offload: false, ..sharded };
        let out = emit(&exporter("fsdp").unwrap(), &hybrid, &workload()).unwrap();
        let value: Value = serde_json::from_str(&out.text).unwrap();
        assert_eq!(value["fsdp"], "hybrid_shard auto_wrap");
        assert!(emit(&exporter("deepspeed").unwrap(), &hybrid, &workload()).is_err());
    }
}
