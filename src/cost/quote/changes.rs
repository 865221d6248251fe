//! What differs between two quotes.

use serde_json::Value;

use super::Quote;

/// One difference: where, and what stood and stands there.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// Path of the value, such as `lines[1].net`.
    pub path: String,
    /// Before; absent when it is new.
    pub before: Option<String>,
    /// After; absent when it is gone.
    pub after: Option<String>,
}

/// Every difference, in the order of the quote.
pub fn changes(before: &Quote, after: &Quote) -> Vec<Change> {
    let value = |quote: &Quote| serde_json::to_value(quote).unwrap_or(Value::Null);
    let mut out = Vec::new();
    compare("", &value(before), &value(after), &mut out);
    out.retain(|change| change.path != "content_hash");
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

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
