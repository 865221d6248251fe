//! Flags of a command as they can be typed again, so that a suggested command asks what was asked.

use std::fmt::Write as _;

use clap::ValueEnum;

use super::args::{CommonArgs, MoneyArgs, PlanArgs, WorkloadArgs};
use super::job_file::flags;

/// The flags of the job, as they can be typed again.
pub fn workload_flags(args: &WorkloadArgs) -> String {
    let mut parts: Vec<String> =
        flags(args).into_iter().map(|(_, flag, value)| format!("--{flag} {}", quoted(value))).collect();
    if let Some(measured) = &args.measured {
        parts.push(format!("--measured {}", quoted(measured)));
    }
    if let Some(path) = &args.job {
        parts.push(format!("--job {}", quoted(&path.display().to_string())));
    }
    parts.join(" ")
}

/// The flags of plan, money, data and language, each with a blank before it. How nodes are bought is left out: it differs by candidate.
pub fn other_flags(plan: &PlanArgs, money: &MoneyArgs, common: &CommonArgs) -> String {
    let mut line = plan_flags(plan);
    let mut add = |flag: &str, value: &str| push(&mut line, flag, value);
    for price in &money.prices {
        add("price", price);
    }
    for rate in &money.fx {
        add("fx", rate);
    }
    let single = [("currency", &money.currency), ("as-of", &money.as_of)];
    for (flag, value) in single.into_iter().filter_map(|(flag, value)| Some((flag, value.as_ref()?))) {
        add(flag, value);
    }
    let files = [("price-book", money.price_book.iter()), ("profile", common.profile.iter())];
    for (flag, path) in files.into_iter().flat_map(|(flag, paths)| paths.map(move |path| (flag, path))) {
        add(flag, &path.display().to_string());
    }
    for folder in &common.catalogs {
        add("catalog", &folder.display().to_string());
    }
    if common.lang != "en" {
        add("lang", &common.lang);
    }
    line
}

/// The parts of the plan that were fixed.
fn plan_flags(plan: &PlanArgs) -> String {
    let mut line = String::new();
    let counts = [
        ("tensor-parallel", plan.tensor_parallel),
        ("pipeline-parallel", plan.pipeline_parallel),
        ("virtual-stages", plan.virtual_stages),
        ("context-parallel", plan.context_parallel),
        ("expert-parallel", plan.expert_parallel),
        ("micro-batch", plan.micro_batch),
    ];
    for (flag, count) in counts.into_iter().filter_map(|(flag, count)| Some((flag, count?))) {
        push(&mut line, flag, &count.to_string());
    }
    let named = [
        ("sharding", plan.sharding.map(name)),
        ("sequence-parallel", plan.sequence_parallel.map(name)),
        ("recompute", plan.recompute.map(name)),
        ("flash-attention", plan.flash_attention.map(name)),
    ];
    for (flag, value) in named.into_iter().filter_map(|(flag, value)| Some((flag, value?))) {
        push(&mut line, flag, &value);
    }
    let switches = [
        ("optimizer-offload", plan.optimizer_offload),
        ("whole-space", plan.whole_space),
        ("exhaustive", plan.exhaustive),
    ];
    for (flag, _) in switches.into_iter().filter(|(_, on)| *on) {
        line.push_str(" --");
        line.push_str(flag);
    }
    line
}

fn push(line: &mut String, flag: &str, value: &str) {
    // Writing to a text cannot fail.
    let _ = write!(line, " --{flag} {}", quoted(value));
}

/// The word of a value on the command line.
fn name(value: impl ValueEnum + Copy) -> String {
    value.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
}

/// Quotes for a shell where needed.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@=+,%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
