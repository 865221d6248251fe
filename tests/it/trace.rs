//! `simulate --trace`: the time line agrees with the step it draws.

use std::collections::BTreeMap;

use crate::program::{fails, succeeds};
use serde_json::Value;

/// Start and length in microseconds, and name, of the events of each stage.
type Stages = BTreeMap<u64, Vec<(f64, f64, String)>>;

/// Complete events by stage, in the order of their start, and the step time.
fn trace(arguments: &[&str]) -> (Stages, f64, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.json").display().to_string();
    let answer = succeeds(&[&["simulate", "--format", "json", "--trace", &path], arguments].concat());
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let text = std::fs::read_to_string(&path).expect("the trace");
    let trace: Value = serde_json::from_str(&text).expect("the trace is JSON");
    let mut stages = Stages::new();
    for event in trace["traceEvents"].as_array().expect("events").iter().filter(|e| e["ph"] == "X") {
        let number = |key: &str| event[key].as_f64().expect("a number");
        let name = event["name"].as_str().expect("a name").to_owned();
        let stage = event["tid"].as_u64().expect("a stage");
        stages.entry(stage).or_default().push((number("ts"), number("dur"), name));
    }
    let scale = trace["otherData"]["scale_of_passes"].as_f64().expect("a factor");
    (stages, answer["step_time_s"].as_f64().expect("a step"), scale)
}

const JOB: [&str; 12] = [
    "--params",
    "13B",
    "--steps",
    "10",
    "--sequence-length",
    "2048",
    "--gpu",
    "a100-sxm-80gb",
    "--gpus",
    "32",
    "--framework",
    "megatron",
];

#[test]
fn slices_of_a_stage_follow_each_other_and_add_up_to_the_step() {
    let plans: [(&[&str], u64); 4] = [
        (&["--pipeline-parallel", "1", "--tensor-parallel", "4", "--global-batch", "256"], 1),
        (&["--pipeline-parallel", "4", "--tensor-parallel", "8", "--global-batch", "64"], 4),
        (
            &[
                "--pipeline-parallel",
                "4",
                "--tensor-parallel",
                "4",
                "--virtual-stages",
                "2",
                "--global-batch",
                "64",
            ],
            4,
        ),
        (
            &[
                "--pipeline-parallel",
                "8",
                "--tensor-parallel",
                "4",
                "--global-batch",
                "8",
                "--micro-batch",
                "1",
            ],
            8,
        ),
    ];
    for (plan, count) in plans {
        let (stages, step, scale) = trace(&[&JOB[..], plan].concat());
        assert_eq!(stages.len() as u64, count, "{plan:?}");
        for (stage, slices) in &stages {
            let mut end = 0.0;
            for (start, duration, name) in slices {
                assert!(
                    (start - end).abs() < 0.01,
                    "{plan:?}: {name} of stage {stage} at {start}, not {end} us"
                );
                end = start + duration;
            }
            let seconds = end / 1e6;
            assert!(
                (seconds / step - 1.0).abs() < 0.02,
                "{plan:?}: stage {stage} ends at {seconds}, step {step}"
            );
        }
        assert!((0.9..1.1).contains(&scale), "{plan:?}: passes were scaled by {scale}");
    }
}

#[test]
fn every_micro_batch_has_a_forward_and_a_backward_pass_on_every_stage() {
    let plan = [
        "--pipeline-parallel",
        "4",
        "--tensor-parallel",
        "8",
        "--global-batch",
        "12",
        "--virtual-stages",
        "1",
    ];
    let (stages, ..) = trace(&[&JOB[..], &plan].concat());
    for (stage, slices) in &stages {
        let of = |wanted: &str| slices.iter().filter(|(.., name)| name == wanted).count();
        assert_eq!((of("forward"), of("backward")), (12, 12), "stage {stage}");
        assert!(of("bubble") > 0 && of("pipeline_transfer") > 0, "stage {stage}");
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_refused_before_any_work() {
    fails(2, &[&["simulate", "--trace", "no/such/folder/t.json"], &JOB[..]].concat());
}

#[test]
fn an_explanation_fills_in_the_symbols_and_names_its_sources() {
    let plan = [
        "--pipeline-parallel",
        "4",
        "--tensor-parallel",
        "8",
        "--virtual-stages",
        "1",
        "--global-batch",
        "12",
    ];
    let arguments = [&["simulate", "--explain", "--format", "markdown"], &JOB[..], &plan].concat();
    let text = succeeds(&arguments);
    for part in [
        "passes x 12 micro-batches, 2mnk = ",
        "8 GPUs on 1 nodes, 12 x ",
        "4 stages, 1 virtual stages each, 12 micro-batches: (p - 1) / (v m) = 25 %",
        "### Sources of the numbers",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}
