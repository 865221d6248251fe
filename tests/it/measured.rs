//! The user's own number: it shows before and after, and transfers truthfully to other GPUs.

use std::collections::BTreeMap;

use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::Profiles;
use gpu_advisor::validation::{Quality, Run, log_time_ratio, parse_runs, prepare};

use crate::program::{advise_in, fails, json, stderr, stdout, with, words};

/// A measured run with what the prediction misses of it: ln(predicted / measured time).
struct Row {
    gpu: String,
    miss: f64,
}

/// The 90 % quantile of the standard normal distribution.
const NORMAL_P90: f64 = 1.281_551_565_545;
const PAIRS: usize = 200;

/// Rows of one model and stack on clusters of one size.
type Groups = BTreeMap<(String, String, u32), Vec<Row>>;

fn rows() -> (Groups, f64) {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the embedded profiles are valid");
    let mut groups: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for file in ["transformer.csv", "vision.csv"] {
        let path = format!("{}/calibration/runs/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the measured runs");
        let runs = parse_runs(file, &text).expect("valid runs");
        for run in runs.iter().filter(|r| r.quality == Quality::Strong) {
            if let Some(miss) = miss(run, &catalog, &profiles) {
                let key = (run.model.clone(), run.stack.clone(), run.sequence_length.unwrap_or(0));
                groups.entry(key).or_default().push(Row { gpu: run.gpu.clone(), miss });
            }
        }
    }
    (groups, profiles.defaults.transfer_sigma)
}

fn miss(run: &Run, catalog: &Catalog, profiles: &Profiles) -> Option<f64> {
    let prepared = prepare(run, catalog, profiles).ok()?;
    log_time_ratio(&prepared, prepared.stack)
}

/// A fixed sequence of numbers in place of chance.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn an_anchored_transfer_is_nearer_than_a_prediction_and_its_interval_holds() {
    let (groups, sigma) = rows();
    let groups: Vec<&Vec<Row>> =
        groups.values().filter(|rows| rows.iter().any(|r| r.gpu != rows[0].gpu)).collect();
    let mut draws = Draws(7);
    let (mut anchored, mut plain, mut held) = (Vec::new(), Vec::new(), 0);
    while anchored.len() < PAIRS {
        // A group, then two of its rows on different GPUs: every model and stack counts alike.
        let rows = groups[draws.below(groups.len())];
        let (a, b) = (&rows[draws.below(rows.len())], &rows[draws.below(rows.len())]);
        if a.gpu == b.gpu {
            continue;
        }
        let off = (b.miss - a.miss).abs();
        held += usize::from(off <= NORMAL_P90 * sigma);
        anchored.push(off);
        plain.push(b.miss.abs());
    }
    let coverage = held as f64 / PAIRS as f64;
    let mut all = anchored.clone();
    all.sort_by(f64::total_cmp);
    let wanted = all[PAIRS * 81 / 100] / NORMAL_P90;
    let (with, without) = (median(anchored), median(plain));
    let seen = format!(
        "{} groups, {with:.3} with, {without:.3} without, {coverage:.3} held by {sigma}, {wanted:.3} would hold 81 %",
        groups.len()
    );
    assert!(with < without, "{seen}");
    assert!((0.75..=0.88).contains(&coverage), "{seen}");
}

const JOB: &str = "simulate --params 7B --tokens 10B --global-batch 512 --framework nemo";

#[test]
fn a_measured_step_shows_before_and_after_and_shrinks_the_interval() {
    let at = |more: &str| {
        let (code, answer) = json(&format!("{JOB} --cluster a100-sxm-80gb:64 {more}"));
        assert_eq!(code, 0);
        answer
    };
    let before = at("");
    let step = before["step_time_s"].as_f64().expect("a step");
    let folder = tempfile::tempdir().expect("a folder");
    let measured = format!("step={:.6}s on a100-sxm-80gb:64", step * 1.2);
    let simulate = |cluster: &str| {
        let mut arguments: Vec<&str> = JOB.split(' ').collect();
        arguments.extend(["--cluster", cluster, "--measured", &measured, "--format", "json"]);
        let output = advise_in(folder.path(), &arguments);
        let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        answer
    };
    let here = simulate("a100-sxm-80gb:64");
    let after = here["step_time_s"].as_f64().expect("a step");
    assert!((after / step - 1.2).abs() < 1e-6 && here["grade"] == "A", "{step} {after}");
    assert!((here["measured"]["step_time_before_s"].as_f64().expect("before") / step - 1.0).abs() < 1e-9);
    let width = |answer: &serde_json::Value| {
        let total = &answer["total_time_s"];
        total["p90"].as_f64().expect("p90") / total["p10"].as_f64().expect("p10")
    };
    assert!(width(&here) < width(&before));

    let (_, alone) = json(&format!("{JOB} --cluster h100-sxm:64"));
    let there = simulate("h100-sxm:64");
    let ratio =
        there["step_time_s"].as_f64().expect("a step") / alone["step_time_s"].as_f64().expect("a step");
    assert!((ratio - 1.2).abs() < 1e-6, "{ratio}");
    assert_eq!(there["measured"]["transferred"], true);
    assert!(width(&there) > width(&here));
}

#[test]
fn rates_and_logs_anchor_like_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = " iteration 1/ 9 | elapsed time per iteration (ms): 90000.0 |\n iteration 2/ 9 | elapsed time per \
               iteration (ms): 8000.0 |\n";
    std::fs::write(folder.path().join("run.log"), log).expect("the log");
    // 512 sequences of 2048 tokens in 8 s: 64 samples/s, 131072 tokens/s.
    for measured in ["step=8s", "samples/s=64", "tokens/s=131072", "run.log"] {
        let text = format!("{measured} on a100-sxm-80gb:64");
        let mut arguments: Vec<&str> = JOB.split(' ').collect();
        arguments.extend(["--cluster", "a100-sxm-80gb:64", "--measured", &text, "--format", "json"]);
        let answer: serde_json::Value =
            serde_json::from_str(&stdout(&advise_in(folder.path(), &arguments))).expect("JSON");
        let step = answer["step_time_s"].as_f64().expect("a step");
        assert!((step - 8.0).abs() < 1e-9, "{measured}: {step}");
    }
    std::fs::write(
        folder.path().join("other.log"),
        log.replace("8000.0 |", "8000.0 | global batch size:  256 |"),
    )
    .expect("the log");
    let other = ["--cluster", "a100-sxm-80gb:64", "--measured", "other.log on a100-sxm-80gb:64"];
    let output = advise_in(folder.path(), &with(&[&words(JOB), &other]));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("256 samples a step, the job 512"), "{}", stderr(&output));
    for wrong in
        ["9.8s", "step=9.8 on a100-sxm-80gb:64", "step=0s on a100-sxm-80gb:64", "step=9s on nowhere:3"]
    {
        let mut arguments: Vec<&str> = JOB.split(' ').collect();
        arguments.extend(["--cluster", "a100-sxm-80gb:64", "--measured", wrong]);
        assert!(fails(2, &arguments).contains("--measured"), "{wrong}");
    }
}

#[test]
fn inverse_questions_find_the_edge() {
    let solved = |line: &str| {
        let (code, answer) = json(line);
        assert_eq!(code, 0, "{line}");
        answer["solved"]["value"].as_u64().expect("a number")
    };
    let plan = "--framework pytorch-fsdp --sharding zero3 --recompute full";
    let base =
        format!("simulate --model llama2-7b --steps 10 --sequence-length 2048 {plan} --gpu a100-sxm-80gb");
    let largest = solved(&format!("{base} --gpus 8 --solve micro-batch"));
    let runs = |micro: u64| {
        let batch = micro * 8;
        json(&format!("{base} --gpus 8 --micro-batch {micro} --global-batch {batch}")).1["memory"]["peak_bytes"]
            .as_f64()
            .expect("a peak")
    };
    let usable = 0.92 * 79.15 * 1024f64.powi(3);
    assert!(runs(largest) <= usable * 1.09 && runs(largest * 2) > usable, "{largest}");
    let longest = solved(&format!("{base} --gpus 8 --micro-batch 1 --solve sequence-length"));
    assert!(longest % 128 == 0 && longest > 8192, "{longest}");
    // S11 the other way round: 208 GB of states need four cards of 80 GB.
    let fewest = solved(&format!(
        "simulate --model llama-13b --steps 10 --sequence-length 2048 {plan} --gpu a100-sxm-80gb --gpus 64 \
         --gpus-per-node 8 --solve gpus"
    ));
    assert_eq!(fewest, 4);
}
