//! Changes as people type them: `KEY=VALUE`, relative values, ranges.

use super::job_file::near_clause;
use crate::units::parse::parse_count;
use crate::units::text;

/// Keys of the job; one of the same line excludes the others.
pub const JOB: [&[&str]; 20] = [
    &["model", "params"],
    &["tokens", "samples", "epochs", "steps"],
    &["steps_per_epoch"],
    &["folds"],
    &["dataset"],
    &["sequence_length"],
    &["target_share"],
    &["global_batch"],
    &["precision"],
    &["method"],
    &["lora_rank"],
    &["lora_alpha"],
    &["lora_targets"],
    &["optimizer"],
    &["framework"],
    &["recipe"],
    &["compiler"],
    &["layout"],
    &["storage"],
    &["vcpus"],
];

/// Keys of plan, cluster, limits and money.
const OTHERS: [&str; 23] = [
    "tensor_parallel",
    "pipeline_parallel",
    "virtual_stages",
    "context_parallel",
    "expert_parallel",
    "sharding",
    "sequence_parallel",
    "recompute",
    "micro_batch",
    "flash_attention",
    "optimizer_offload",
    "cluster",
    "gpus",
    "nodes",
    "gpus_per_node",
    "network",
    "network_bandwidth",
    "price",
    "purchase",
    "deadline",
    "budget",
    "max_gpus",
    "objective",
];

/// A key with its new value as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// One of the known keys.
    pub key: &'static str,
    /// The value.
    pub value: String,
}

/// Every key.
pub fn keys() -> Vec<&'static str> {
    JOB.iter().flat_map(|group| group.iter().copied()).chain(OTHERS).collect()
}

/// The known key of a name, with `-` for `_` where one likes.
pub fn key(name: &str) -> Result<&'static str, String> {
    let wanted = name.trim().replace('-', "_");
    let keys = keys();
    keys.iter().find(|k| **k == wanted).copied().ok_or_else(|| {
        let near = near_clause(&wanted, keys.iter().copied());
        format!("unknown key {name:?}{near}; accepted are {}", keys.join(", "))
    })
}

/// A relative value as a factor: `-10%`, `+5%`, `x2`, `/4`.
pub fn factor(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
    if let Some(times) = text.strip_prefix('x') {
        return number(times);
    }
    if let Some(by) = text.strip_prefix('/') {
        return number(by).map(|n| 1.0 / n);
    }
    let sign = match text.chars().next()? {
        '+' => 1.0,
        '-' => -1.0,
        _ => return None,
    };
    let share = number(text.get(1..)?.strip_suffix('%')?)? / 100.0;
    Some(1.0 + sign * share).filter(|f| *f > 0.0)
}

/// Reads `KEY=VALUE,KEY=VALUE`; a piece without `=` belongs to the value before it.
pub fn read(text: &str) -> Result<Vec<Change>, String> {
    text.split(',')
        .map(|piece| {
            let (name, value) = piece
                .split_once('=')
                .ok_or_else(|| format!("{piece:?} is not KEY=VALUE, such as price=-10%"))?;
            if value.trim().is_empty() {
                return Err(format!("{piece:?} has no value"));
            }
            Ok(Change { key: key(name)?, value: value.trim().to_owned() })
        })
        .collect()
}

/// Most values of one sweep.
pub const MOST_VALUES: usize = 200;

/// Reads `KEY=V1,V2`, `KEY=8..256x2` or `KEY=1024..4096+1024`.
pub fn read_sweep(text: &str) -> Result<Vec<Change>, String> {
    let (name, values) =
        text.split_once('=').ok_or_else(|| format!("{text:?} is not KEY=VALUES, such as gpus=8..256x2"))?;
    let key = key(name)?;
    let values = match values.split_once("..") {
        Some((from, rest)) => range(from, rest).ok_or_else(|| {
            format!("{values:?} is no range with at most {MOST_VALUES} values, such as 8..256x2 or 1024..4096+1024")
        })?,
        None => values.split(',').map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()).collect(),
    };
    if !(2..=MOST_VALUES).contains(&values.len()) {
        return Err(format!("{text:?} has {} values; 2 to {MOST_VALUES} are accepted", values.len()));
    }
    Ok(values.into_iter().map(|value| Change { key, value }).collect())
}

fn range(from: &str, rest: &str) -> Option<Vec<String>> {
    let at = rest.find(['x', '+'])?;
    let (from, to, step) =
        (parse_count(from).ok()?, parse_count(&rest[..at]).ok()?, parse_count(&rest[at + 1..]).ok()?);
    let times = rest.as_bytes()[at] == b'x';
    if from <= 0.0 || to < from || step <= if times { 1.0 } else { 0.0 } {
        return None;
    }
    let mut values = Vec::new();
    let mut value = from;
    while value <= to * (1.0 + 1e-9) {
        if values.len() > MOST_VALUES {
            return None;
        }
        values.push(if value.fract() == 0.0 {
            format!("{value:.0}")
        } else {
            text::significant(value, 6).replace(',', "")
        });
        value = if times { value * step } else { value + step };
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_values_are_factors() {
        assert_eq!(factor("-10%"), Some(0.9));
        assert_eq!(factor("+50%"), Some(1.5));
        assert_eq!((factor("x2"), factor("/4")), (Some(2.0), Some(0.25)));
        for absolute in ["8192", "12USD/h", "-100%", "x0", "-5", "x", "+%"] {
            assert_eq!(factor(absolute), None, "{absolute}");
        }
    }

    #[test]
    fn ranges_multiply_or_add_and_end_with_their_end() {
        let values =
            |text: &str| read_sweep(text).map(|c| c.into_iter().map(|c| c.value).collect::<Vec<_>>());
        assert_eq!(values("gpus=8..64x2").unwrap(), ["8", "16", "32", "64"]);
        assert_eq!(values("sequence-length=1k..3k+1k").unwrap(), ["1000", "2000", "3000"]);
        assert_eq!(values("precision=fp16,bf16").unwrap(), ["fp16", "bf16"]);
        for wrong in
            ["gpus=8..64", "gpus=64..8x2", "gpus=8..64x1", "gpus=8", "gpus", "gpus=1..1e9+1", "x=1,2"]
        {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_keys_name_the_near_ones() {
        let error = read("sequence_lenght=1").unwrap_err();
        assert!(error.contains("did you mean \"sequence_length\"?"), "{error}");
        assert_eq!(read("price=-10%,sequence-length=8192").unwrap()[1].key, "sequence_length");
    }
}
