//! A plan in the words of another tool.

use serde_json::{Map, Value};

use super::exporter::{Exporter, ExporterKind};
use super::variables::Variables;
use crate::plan::Plan;
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
    if workload.base != Base::Trained {
        notes.push(
            "adapters, and the precision of the frozen weights, are set where the model is made".to_owned(),
        );
    }
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

#[cfg(test)]
mod tests {
    use super::super::exporter::exporter;
    use super::*;
    use crate::catalog::Precision;
    use crate::plan::{Recompute, Sharding};
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
            "--tensor-model-parallel-size 4 \\\n--pipeline-model-parallel-size 4",
            "--num-layers-per-virtual-pipeline-stage 4",
            "--micro-batch-size 2 --global-batch-size 32",
            "--use-distributed-optimizer",
            "--recompute-granularity selective",
            "--sequence-parallel",
            "--fp16 --initial-loss-scale",
            "--ffn-hidden-size 11008 \\\n--swiglu \\\n--normalization RMSNorm \\\n--disable-bias-linear",
            "--seq-length 2048 --max-position-embeddings",
            "--attention-backend unfused",
        ] {
            assert!(out.text.contains(flags), "{flags} is missing in\n{}", out.text);
        }
        assert!(!out.text.contains('{') && !out.text.contains("layout"), "{}", out.text);
        // 32000 is a multiple of 128, not of 4 x 128.
        assert!(out.notes.contains(&"vocabulary 32000 is padded to 32256".to_owned()), "{:?}", out.notes);
    }

    /// Flags that were read in the tool's own files; another one is a mistake.
    const CHECKED: &str = "num-layers hidden-size num-attention-heads ffn-hidden-size swiglu normalization \
        disable-bias-linear untie-embeddings-and-output-weights group-query-attention num-query-groups kv-channels \
        multi-latent-attention kv-lora-rank q-lora-rank qk-head-dim qk-pos-emb-head-dim v-head-dim seq-length \
        max-position-embeddings position-embedding-type micro-batch-size global-batch-size tensor-model-parallel-size \
        pipeline-model-parallel-size num-layers-per-virtual-pipeline-stage pipeline-model-parallel-layout \
        context-parallel-size expert-model-parallel-size moe-token-dispatcher-type num-experts moe-router-topk \
        moe-ffn-hidden-size moe-shared-expert-intermediate-size moe-layer-freq moe-grouped-gemm sequence-parallel \
        use-distributed-optimizer overlap-grad-reduce overlap-param-gather optimizer-cpu-offload \
        use-precision-aware-optimizer recompute-granularity recompute-method recompute-num-layers attention-backend \
        bf16 fp8-format fp16 initial-loss-scale loss-scale-window hysteresis min-loss-scale \
        make-vocab-size-divisible-by optimizer";

    #[test]
    fn every_model_of_the_zoo_comes_out_in_flags_that_the_tool_has_or_is_refused() {
        let catalog = crate::catalog::Catalog::embedded().unwrap();
        let tool = exporter("megatron").unwrap();
        let checked: Vec<&str> = CHECKED.split_whitespace().collect();
        let (mut written, mut refused) = (0, 0);
        for model in &catalog.models {
            let crate::catalog::ModelSpec::Transformer { id, shape, .. } = model else { continue };
            let plan =
                Plan { data_parallel: 8, sharding: Sharding::Zero1, ..Plan::single(Precision::Bf16, true) };
            let Ok(out) = emit(&tool, &plan, &transformer(id, shape, 512)) else {
                refused += 1;
                continue;
            };
            written += 1;
            assert!(!out.text.contains(['{', '}']), "{id}: {}", out.text);
            for word in out.text.split_whitespace().filter_map(|w| w.strip_prefix("--")) {
                assert!(checked.contains(&word), "{id}: --{word}");
            }
        }
        // Two halves, images and ALiBi have other scripts or no flag.
        assert!(written > 110 && refused > 5, "{written} {refused}");
    }

    #[test]
    fn experts_and_latent_attention_have_their_flags() {
        let catalog = crate::catalog::Catalog::embedded().unwrap();
        let Some(crate::catalog::ModelSpec::Transformer { shape, .. }) = catalog.find_model("deepseek-v3")
        else {
            panic!("not in the zoo")
        };
        let plan = Plan {
            data_parallel: 64,
            expert_parallel: 64,
            sharding: Sharding::Zero1,
            ..Plan::single(Precision::Fp8, true)
        };
        let out = emit(&exporter("megatron").unwrap(), &plan, &transformer("x", shape, 4096)).unwrap();
        for flags in [
            "--multi-latent-attention --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128",
            "--q-lora-rank 1536",
            "--expert-model-parallel-size 64 --moe-token-dispatcher-type alltoall",
            "--num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048",
            "--moe-shared-expert-intermediate-size 2048",
            "--moe-layer-freq \"([0]*3+[1]*58)\"",
            "--bf16 \\\n--fp8-format hybrid",
        ] {
            assert!(out.text.contains(flags), "{flags} is missing in\n{}", out.text);
        }
        let half = Plan { precision: Precision::Fp16, ..plan };
        let error = emit(&exporter("megatron").unwrap(), &half, &transformer("x", shape, 4096)).unwrap_err();
        assert!(error.to_string().contains("not possible in fp16"), "{error}");
    }

    #[test]
    fn every_broken_rule_and_everything_impossible_is_named() {
        let tool = exporter("megatron").unwrap();
        let bad =
            Plan { tensor_parallel: 5, gradient_accumulation_steps: 6, sharding: Sharding::Zero3, ..plan() };
        let reasons = emit(&tool, &bad, &workload()).unwrap_err().reasons;
        assert_eq!(reasons.len(), 6, "{reasons:?}");
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
