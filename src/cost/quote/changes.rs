//! What differs between two quotes.

use serde_json::Value;

use super::Quote;

/// One difference: where, and what stood and stands there.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// Path of the value, such as `lines[storage].net`.
    pub path: String,
    /// Before; absent when it is new.
    pub before: Option<String>,
    /// After; absent when it is gone.
    pub after: Option<String>,
}

/// Every difference, in the order of the quote; lines are matched by flavor, place and purchase.
pub fn changes(before: &Quote, after: &Quote) -> Vec<Change> {
    let value = |quote: &Quote| serde_json::to_value(quote).unwrap_or(Value::Null);
    let mut out = Vec::new();
    compare("", &value(before), &value(after), &mut out);
    out.retain(|change| change.path != "content_hash");
    out
}

/// Every difference of two answers. Items of a list that have a name of their own, such as a cluster, are compared with
/// the item of that name wherever it stands; one without a counterpart is one difference.
pub fn differences(before: &Value, after: &Value) -> Vec<Change> {
    let mut out = Vec::new();
    compare("", before, after, &mut out);
    out
}

fn compare(path: &str, before: &Value, after: &Value, out: &mut Vec<Change>) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                compare(&path, &of(a), &of(b), out);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            if let Some((first, second)) = names(a).zip(names(b)) {
                return compare_named(path, (a, &first), (b, &second), out);
            }
            for i in 0..a.len().max(b.len()) {
                let of = |list: &[Value]| list.get(i).cloned().unwrap_or(Value::Null);
                compare(&format!("{path}[{i}]"), &of(a), &of(b), out);
            }
        }
        (a, b) if a != b => {
            out.push(Change { path: path.to_owned(), before: shown(a), after: shown(b) });
        }
        _ => {}
    }
}

/// The name of each item, if all have one and no two the same.
fn names(list: &[Value]) -> Option<Vec<String>> {
    let names: Vec<String> = list.iter().map(name).collect::<Option<_>>()?;
    let unique = names.iter().enumerate().all(|(i, name)| !names[..i].contains(name));
    unique.then_some(names)
}

/// What tells an item of an answer from its neighbours.
fn name(item: &Value) -> Option<String> {
    let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str);
    if text("/code").is_some() {
        let parts = ["/code", "/place", "/purchase", "/role"].into_iter().filter_map(text);
        return Some(parts.collect::<Vec<_>>().join(" "));
    }
    let cluster = ["/cluster", "/cluster/label"].into_iter().find_map(text);
    if let Some(cluster) = cluster {
        return Some(
            text("/price/purchase").map_or_else(|| cluster.to_owned(), |p| format!("{cluster} {p}")),
        );
    }
    if let Some(value) =
        item.get("value").and_then(Value::as_str).filter(|_| text("/name") == Some("model_details"))
    {
        return Some(format!("model_details: {value}"));
    }
    ["/name", "/reason", "/key", "/kind", "/condition", "/purchase", "/currency"]
        .into_iter()
        .find_map(text)
        .map(str::to_owned)
}

fn compare_named(path: &str, a: (&[Value], &[String]), b: (&[Value], &[String]), out: &mut Vec<Change>) {
    let item = |(list, names): (&[Value], &[String]), name: &String| {
        names.iter().position(|n| n == name).map(|at| list[at].clone())
    };
    for name in a.1.iter().chain(b.1.iter().filter(|n| !a.1.contains(n))) {
        let path = format!("{path}[{name}]");
        match (item(a, name), item(b, name)) {
            (Some(before), Some(after)) => compare(&path, &before, &after, out),
            (before, after) => {
                let short = |value: Option<Value>| value.map(|v| summary(&v));
                out.push(Change { path, before: short(before), after: short(after) });
            }
        }
    }
}

/// An item in a few words: its rank, its value, or that it is there.
fn summary(item: &Value) -> String {
    let rank = item
        .get("rank")
        .map(|rank| format!("{}{rank}", item.get("block").and_then(Value::as_str).unwrap_or_default()));
    let word = ["value", "count", "time_s", "bytes", "total", "paid"]
        .into_iter()
        .find_map(|key| shown(item.get(key)?));
    rank.or(word).unwrap_or_else(|| "+".to_owned())
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
