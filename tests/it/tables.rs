//! Tables of embeddings that are updated row by row, and parts of a network that stay in 32 bits.

use std::path::Path;

use serde_json::Value;

use crate::program::{advise_in, stderr, stdout};

/// A million rows of 100 and a dense layer; `more` are further keys of the table, `layer` stands around the dense one.
fn network(folder: &Path, name: &str, more: &str, dense: &str) {
    let text = format!(
        "[[convolutional]]\nid = \"{name}\"\nchannels = 1\ninput = [1]\nlayers = [\n  {{ layer = \"embedding\", rows = 10000000, \
         width = 100, lookups = 10{more} }},\n  {dense},\n  {{ layer = \"linear\", out = 1 }},\n]\n"
    );
    std::fs::write(folder.join(format!("{name}.toml")), text).expect("a file");
}

const DENSE: &str = "{ layer = \"project\", out = 1000 }";

fn simulated(folder: &Path, name: &str, more: &str) -> Value {
    let batch = if more.contains("--global-batch") { "" } else { "--global-batch 8192" };
    let line = format!(
        "simulate --format json --quiet --model {name}.toml --samples 10M --optimizer sgd-plain --gpu \
         a100-sxm-80gb {batch} {more}"
    );
    let output = advise_in(folder, &line.split_whitespace().collect::<Vec<_>>());
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)))
}

fn term(answer: &Value, name: &str) -> f64 {
    let terms = answer["terms"].as_array().expect("terms");
    terms.iter().find(|t| t["name"] == name).map_or(0.0, |t| t["time_s"].as_f64().expect("a time"))
}

fn memory(answer: &Value, name: &str) -> f64 {
    let items = answer["memory"]["items"].as_array().expect("items");
    items.iter().find(|i| i["name"] == name).map_or(0.0, |i| i["bytes"].as_f64().expect("bytes"))
}

#[test]
fn split_tables_divide_memory_and_exchange_rows_in_place_of_gradients() {
    let folder = tempfile::tempdir().expect("a folder");
    network(folder.path(), "dense", "", DENSE);
    network(folder.path(), "split", ", update = \"split\"", DENSE);
    let of =
        |name: &str, gpus: u32| simulated(folder.path(), name, &format!("--gpus {gpus} --precision tf32"));
    let (dense, split, alone) = (of("dense", 8), of("split", 8), of("split", 1));
    // 1e9 parameters of 4 bytes on each GPU, or an eighth of them.
    assert!(memory(&dense, "weights") > 4e9 && memory(&split, "weights") < 0.51e9);
    assert!(memory(&dense, "gradients") > 4e9 && memory(&split, "gradients") < 0.01e9);
    assert!(term(&split, "table_exchange") > 0.0);
    assert_eq!(term(&alone, "table_exchange"), 0.0);
    assert_eq!(term(&dense, "table_exchange"), 0.0);
    assert!(term(&dense, "gradient_reduction") > 20.0 * term(&split, "gradient_reduction"));
    assert!(term(&dense, "optimizer") > 20.0 * term(&split, "optimizer"));
    // A checkpoint holds the tables of all GPUs.
    let checkpoint = |answer: &Value| answer["whole_job"]["checkpoint_bytes"].as_f64().expect("bytes");
    assert!(checkpoint(&split) > 4e9, "{}", checkpoint(&split));
}

#[test]
fn copied_tables_of_rows_cost_memory_but_no_gradient_of_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    network(folder.path(), "rows", ", update = \"rows\"", DENSE);
    let of = |gpus: u32| simulated(folder.path(), "rows", &format!("--gpus {gpus} --precision tf32"));
    let (one, eight) = (of(1), of(8));
    assert_eq!(memory(&one, "weights"), memory(&eight, "weights"));
    assert!(memory(&eight, "weights") > 4e9 && memory(&eight, "gradients") < 0.01e9);
    assert!(term(&eight, "table_exchange") > 0.0);
}

#[test]
fn layers_in_full_precision_cost_what_they_do_without_mixed_precision() {
    let folder = tempfile::tempdir().expect("a folder");
    network(folder.path(), "mixed", "", DENSE);
    let wrapped = format!("{{ layer = \"full-precision\", layers = [ {DENSE} ] }}");
    network(folder.path(), "wide", "", &wrapped);
    let products = |name: &str, precision: &str| {
        term(&simulated(folder.path(), name, &format!("--gpus 1 --precision {precision}")), "matrix_products")
    };
    assert_eq!(products("mixed", "tf32"), products("wide", "tf32"));
    assert!(products("wide", "bf16") > 1.2 * products("mixed", "bf16"));
    assert!(products("wide", "bf16") <= products("wide", "tf32"));
    let kept =
        |name: &str| memory(&simulated(folder.path(), name, "--gpus 1 --precision bf16"), "activations");
    assert!(kept("wide") > kept("mixed"));
}

fn layers(folder: &Path, name: &str, head: &str, layers: &str) {
    let text = format!(
        "[[convolutional]]\nid = \"{name}\"\nchannels = 8\n{head}\nlayers = [\n  {layers},\n  {{ layer = \"linear\", out = 1 }},\n]\n"
    );
    std::fs::write(folder.join(format!("{name}.toml")), text).expect("a file");
}

#[test]
fn waits_and_copies_take_host_time_and_a_pass_of_a_step_does_not_grow_with_the_batch() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernels = |more: &str| {
        format!("{{ layer = \"project\", out = 8 }}, {{ layer = \"kernels\", count = 1{more} }}")
    };
    for (name, more) in [
        ("none", ""),
        ("waits", ", waits_per_sample = 1"),
        ("pinned", ", copied_bytes = 10000"),
        ("unpinned", ", unpinned_bytes = 10000"),
        ("pass", ", step_elements = 1000000000"),
    ] {
        layers(folder.path(), name, "input = [1]", &kernels(more));
    }
    let step = |name: &str, more: &str| {
        simulated(folder.path(), name, &format!("--gpus 1 --precision tf32 {more}"))["step_time_s"]
            .as_f64()
            .expect("a time")
    };
    let added = |name: &str, more: &str| step(name, more) - step("none", more);
    // 8192 waits of some 20 us each, at least; 82 MB at 10 GB/s or more, and four times that.
    assert!(added("waits", "") > 0.05, "{}", added("waits", ""));
    assert!(added("pinned", "") > 1e-3 && (added("unpinned", "") / added("pinned", "") - 4.0).abs() < 0.2);
    let pass = added("pass", "");
    assert!(pass > 1e-3, "{pass}");
    assert!((added("pass", "--micro-batch 2048") / pass - 1.0).abs() < 0.1, "{pass}");
}

#[test]
fn groups_of_a_width_without_a_kernel_are_slow_with_channels_last_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, width) in [("known", 16), ("odd", 24)] {
        let channels = width * 8;
        let convolution = format!(
            "{{ layer = \"convolution\", out = {channels}, kernel = 1 }}, {{ layer = \"convolution\", out = {channels}, kernel = 3, groups = 8 }}"
        );
        layers(folder.path(), name, "input = [56, 56]", &convolution);
    }
    let time = |name: &str, more: &str| {
        let answer =
            simulated(folder.path(), name, &format!("--gpus 1 --global-batch 256 --precision fp16 {more}"));
        term(&answer, "convolutions")
    };
    let slower = |more: &str| time("odd", more) / time("known", more);
    assert!(slower("") > 2.0 * slower("--layout channels-first"), "{}", slower(""));
}

#[test]
fn a_teacher_beside_is_held_and_run_but_not_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let student = "{ layer = \"input\", channels = 8, size = [1] }, { layer = \"project\", out = 100 }";
    let teacher = |flag: &str| {
        format!(
            "{{ layer = \"frozen\"{flag}, layers = [ {{ layer = \"project\", out = 4000 }}, {{ layer = \"project\", out = 4000 }} ] }}, {student}"
        )
    };
    layers(folder.path(), "alone", "input = [1]", student);
    layers(folder.path(), "taught", "input = [1]", &teacher(", beside = true"));
    layers(folder.path(), "stacked", "input = [1]", &teacher(""));
    let of = |name: &str| simulated(folder.path(), name, "--gpus 1 --precision tf32");
    let (alone, taught, stacked) = (of("alone"), of("taught"), of("stacked"));
    assert_eq!(memory(&taught, "weights"), memory(&stacked, "weights"));
    assert!(term(&taught, "matrix_products") > 2.0 * term(&alone, "matrix_products"));
    let counted = |answer: &Value| answer["job"]["parameters"].as_f64().expect("parameters");
    assert_eq!(counted(&taught), counted(&alone));
    assert!(counted(&stacked) > 1e7);
}

#[test]
fn a_table_without_rows_is_a_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    layers(folder.path(), "empty", "input = [1]", "{ layer = \"embedding\", rows = 0, width = 8 }");
    let line = "simulate --model empty.toml --samples 10M --gpu a100-sxm-80gb --gpus 1";
    let output = advise_in(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("rows: is 0"), "{}", stderr(&output));
}

#[test]
fn an_update_that_is_none_is_a_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    network(folder.path(), "odd", ", update = \"lazy\"", DENSE);
    let output = advise_in(
        folder.path(),
        &["simulate", "--model", "odd.toml", "--samples", "10M", "--gpu", "a100-sxm-80gb", "--gpus", "1"],
    );
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("update"), "{}", stderr(&output));
}
