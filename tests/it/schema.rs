//! Checks JSON answers against `schema/`: the part of JSON Schema that those files use, and no more.

use serde_json::Value;

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
