//! Checks JSON answers against `schema/`: the part of JSON Schema that those files use, and no more.

use serde_json::Value;

use crate::program::{advise, stdout, words};

/// Panics with every place where an answer leaves its schema.
pub fn check(name: &str, answer: &str) {
    let path = crate::source_text::root().join(format!("schema/{name}.schema.json"));
    let schema = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let root: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let answer: Value = serde_json::from_str(answer).expect("the answer is JSON");
    let mut wrong = Vec::new();
    follow(&root, &root, &answer, "answer", &mut wrong);
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}

fn follow(root: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        let target = root.pointer(target.trim_start_matches('#')).unwrap_or_else(|| panic!("no {target}"));
        return follow(root, target, value, at, wrong);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let fits = |choice: &Value| {
            let mut found = Vec::new();
            follow(root, choice, value, at, &mut found);
            found
        };
        let tries: Vec<Vec<String>> = choices.iter().map(fits).collect();
        if !tries.iter().any(Vec::is_empty) {
            wrong.extend(tries.into_iter().flatten());
        }
        return;
    }
    if let Some(list) = schema["enum"].as_array()
        && !list.contains(value)
    {
        wrong.push(format!("{at}: {value} is not one of {list:?}"));
    }
    if schema.get("const").is_some_and(|c| c != value) {
        wrong.push(format!("{at}: {value} is not {}", schema["const"]));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|t| has_type(value, t)) {
        wrong.push(format!("{at}: {value} is no {types:?}"));
        return;
    }
    if let (Some(properties), Some(object)) = (schema["properties"].as_object(), value.as_object()) {
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(key) {
                wrong.push(format!("{at}: {key} is missing"));
            }
        }
        for (key, inner) in object {
            match properties.get(key) {
                Some(schema) => follow(root, schema, inner, &format!("{at}.{key}"), wrong),
                None => wrong.push(format!("{at}: {key} is not in the schema")),
            }
        }
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for (i, inner) in list.iter().enumerate() {
            follow(root, items, inner, &format!("{at}[{i}]"), wrong);
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema uses type {other:?}, which this check does not know"),
    }
}

/// Runs a line with `--format json`, checks the exit code, and the answer against the schema of its command.
fn follows(code: i32, line: &str) {
    let mut arguments = words(line);
    arguments.extend(["--format", "json", "--as-of", "2026-11-30"]);
    let output = advise(&arguments);
    assert_eq!(output.status.code(), Some(code), "{line}");
    check(arguments[0], &stdout(&output));
}

#[test]
fn recommendations_follow_their_schema() {
    let job = "recommend --params 7B --tokens 100B";
    follows(0, &format!("{job} --gpu a100,v100"));
    follows(4, &format!("{job} --provider huawei-cloud --budget 500000USD --deadline 60d --objective time"));
    follows(0, &format!("{job} --provider aws --budget 500000USD --deadline 60d --objective time"));
    follows(0, &format!("{job} --country SG --currency CNY --fx CNY=7.1@2026-11-28 --objective cost-at-p90"));
    follows(0, "recommend --model resnet-50 --dataset imagenet-1k --epochs 90 --gpu t4 --purchase spot");
    follows(
        0,
        &format!(
            "{job} --gpu a100 --price aws/p4d.24xlarge=9USD/h --purchase on-demand --purchase reserved-1y"
        ),
    );
    follows(4, &format!("{job} --precision fp8 --gpu v100"));
    follows(4, "recommend --params 175B --samples 1M --gpu v100 --max-gpus 8");
    follows(4, &format!("{job} --gpu a100 --deadline 1h"));
}

#[test]
fn simulations_follow_their_schema() {
    let job = "simulate --params 7B --tokens 10B";
    follows(0, &format!("{job} --gpu a100-sxm-80gb --gpus 64"));
    follows(0, &format!("{job} --cluster aws/p4d.24xlarge:4"));
    follows(0, &format!("{job} --cluster otc/p2v.16xlarge.8:8 --explain"));
    follows(0, "simulate --model bert-large-uncased --samples 1M --gpu t4 --gpus 4 --precision fp32");
    follows(
        0,
        "simulate --model resnet-50 --dataset imagenet-1k --epochs 90 --gpu v100-sxm2-16gb --gpus 8 --storage 1GB/s",
    );
    follows(4, &format!("{job} --gpu v100-sxm2-16gb --gpus 8 --micro-batch 64"));
    follows(4, &format!("{job} --gpu v100-sxm2-16gb --gpus 8 --precision bf16"));
    follows(4, &format!("{job} --gpu a100-sxm-80gb --gpus 8 --tensor-parallel 7"));
}

#[test]
fn comparisons_follow_their_schema() {
    let job = "compare --params 7B --epochs 1 --samples 1M";
    let clusters = "--cluster aws/p4d.24xlarge:8 --cluster a100-sxm-80gb:64 --cluster t4:8";
    follows(0, &format!("{job} {clusters}"));
    follows(
        0,
        "compare --model resnet-50 --steps 1k --cluster aws/p3dn.24xlarge:1 --cluster otc/p3.16xlarge.8:1",
    );
    follows(4, &format!("{job} --precision fp8 --cluster v100-sxm2-16gb:8 --cluster t4:8"));
}

#[test]
fn types_that_schemas_share_are_the_same() {
    let read = |name: &str| -> Value {
        let path = crate::source_text::root().join(format!("schema/{name}.schema.json"));
        serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON")
    };
    let (simulate, compare, recommend) = (read("simulate"), read("compare"), read("recommend"));
    for kind in ["plan", "interval", "money", "price", "cost", "assumption", "provenance"] {
        assert!(simulate["$defs"][kind].is_object(), "{kind}");
        for other in [&compare, &recommend] {
            assert_eq!(simulate["$defs"][kind], other["$defs"][kind], "{kind}");
        }
    }
}
