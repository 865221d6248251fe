//! Networks as software builds them, and what their samples are like.

use std::path::Path;

use serde_json::Value;

use crate::program::{advise, advise_in, stdout};

const JOB: [&str; 8] =
    ["--samples", "100k", "--global-batch", "512", "--precision", "fp16", "--gpu", "v100-sxm2-16gb"];

fn simulated(folder: &Path, more: &[&str]) -> Value {
    let all: Vec<&str> = [&["simulate", "--format", "json", "--quiet"][..], &JOB, more].concat();
    let output = advise_in(folder, &all);
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|e| panic!("{more:?}: {e}"))
}

fn implementation(answer: &Value) -> Option<String> {
    let assumed = answer["assumptions"].as_array().expect("assumptions");
    let own = assumed.iter().find(|a| a["name"] == "implementation")?;
    own["value"].as_str().map(ToOwned::to_owned)
}

#[test]
fn software_builds_a_named_network_in_its_own_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = ["--gpus", "1", "--model", "alexnet", "--framework"];
    let of = |stack: &str| implementation(&simulated(folder.path(), &[&one[..], &[stack]].concat()));
    assert_eq!(of("tensorflow2").as_deref(), Some("alexnet-tf"));
    assert_eq!(of("pytorch-ddp"), None);
}

fn network(id: &str, more: &str) -> String {
    format!(
        "[[convolutional]]\nid = \"{id}\"\nchannels = 3\ninput = [64, 64]\n{more}layers = [\n  {{ layer = \"convolution\", out = 64, \
         kernel = 3 }},\n  {{ layer = \"global-average-pool\" }},\n  {{ layer = \"linear\", out = 10 }},\n]\n"
    )
}

#[test]
fn a_network_of_ones_own_is_never_another() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("own.toml"), network("alexnet", "")).expect("a file");
    let answer =
        simulated(folder.path(), &["--gpus", "1", "--model", "own.toml", "--framework", "tensorflow2"]);
    assert_eq!(implementation(&answer), None);
}

#[test]
fn replicas_wait_longer_where_samples_differ_in_size() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, varies) in [("even", false), ("uneven", true)] {
        let text = network(name, &format!("sizes_vary = {varies}\n"));
        std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("a file");
    }
    let step = |name: &str, gpus: &str| {
        let answer = simulated(folder.path(), &["--gpus", gpus, "--model", &format!("{name}.toml")]);
        answer["step_time_s"].as_f64().expect("a time")
    };
    assert_eq!(step("even", "1"), step("uneven", "1"));
    assert!(step("even", "8") < step("uneven", "8"));
}

#[test]
fn an_implementation_of_nothing_is_a_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = folder.path().join("models");
    std::fs::create_dir(&models).expect("a folder");
    let records = [
        ("lost", "no-such-network", "tensorflow"),
        ("odd", "gpt2", "tensorflow"),
        ("elsewhere", "resnet50", "no-such-software"),
        ("again", "alexnet", "tensorflow"),
        ("chain", "alexnet-tf", "mxnet"),
    ];
    let head = "family = \"own\"\n\n[defaults]\nas_of = \"2026-11-30\"\n\n".to_owned();
    let text: String = records
        .iter()
        .map(|(id, of, stack)| {
            network(id, &format!("source = \"own\"\nimplements = \"{of}\"\nstacks = [\"{stack}\"]\n"))
        })
        .collect();
    std::fs::write(models.join("own.toml"), head + &text).expect("a file");
    let output = advise(&["catalog", "check", "--catalog", &folder.path().display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    for id in ["no-such-network", "gpt2", "no-such-software", "builds \"alexnet\"", "alexnet-tf"] {
        assert!(said.contains(id), "{id}: {said}");
    }
}
