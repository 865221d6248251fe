//! The command line as a user meets it: exit codes, messages, JSON, and no half-written files.

use std::path::Path;
use std::process::Command;

use crate::program::{advise, fails, stderr, stdout, succeeds, with};

/// A job and a cluster that are right, to which tests add something wrong.
const JOB: [&str; 5] = ["simulate", "--params", "7B", "--tokens", "10B"];
const CLUSTER: [&str; 4] = ["--gpu", "a100-sxm-80gb", "--gpus", "64"];

#[test]
fn a_wrong_value_is_usage_and_says_what_is_accepted() {
    for (arguments, word) in [
        (&["--global-batch", "0"][..], "global-batch"),
        (&["--global-batch", "-4"], "global-batch"),
        (&["--global-batch", "1e30"], "global-batch"),
        (&["--sequence-length", "0"], "sequence-length"),
        (&["--sequence-length", "17000000"], "sequence-length"),
        (&["--sequence-length", "2048.5"], "sequence-length"),
        (&["--precision", "bf61"], "did you mean \"bf16\"?"),
        (&["--optimizer", "adamv"], "did you mean \"adamw\"?"),
        (&["--method", "prefix"], "accepted are full, lora, qlora"),
        (&["--framework", "megatorn"], "did you mean \"megatron\"?"),
        (&["--network", "100 tcp"], "a bandwidth with its unit"),
        (&["--network", "100 Gb/s tpc"], "did you mean \"tcp\"?"),
        (&["--gpus-per-node", "0"], "gpus-per-node"),
        (&["--gpus-per-node", "7"], "no whole nodes of 7"),
        (&["--storage", "2"], "2.039 TB/s"),
        (&["--vcpus", "0"], "vcpus"),
        (&["--dataset", "imagnet-1k"], "imagenet-1k"),
        (&["--as-of", "yesterday"], "2026-11-28"),
        (&["--currency", "dollars"], "USD"),
        (&["--fx", "SGD=1.29"], "SGD=1.29@2026-11-28"),
        (&["--price", "nowhere/nothing=5USD/h"], "unknown provider \"nowhere\"; near: alibaba"),
        (&["--price", "aws/nothing=5USD/h"], "unknown instance type"),
        (&["--price", "aws/p4d.24xlarge=5"], "CNY/h"),
        (&["--price", "aws/p4d.24xlarge=-5USD/h"], "CNY/h"),
        (&["--tensor-parallel", "0"], "tensor-parallel"),
        (&["--virtual-stages", "99999999999"], "virtual-stages"),
        (&["--tokens"], "--tokens"),
        (&["--no-such-flag"], "--no-such-flag"),
    ] {
        let error = fails(2, &with(&[&JOB, &CLUSTER, arguments]));
        assert!(error.contains(word), "{arguments:?}: {error}");
    }
}

#[test]
fn a_length_is_needed_and_must_be_believable() {
    let simulate = |job: &[&str]| fails(2, &with(&[&["simulate"], job, &CLUSTER]));
    let missing = simulate(&["--params", "7B"]);
    for flag in ["--tokens", "--samples", "--epochs", "--dataset", "--steps"] {
        assert!(missing.contains(flag), "{missing}");
    }
    for job in [
        &["--params", "7B", "--tokens", "1e19"][..],
        &["--params", "7B", "--tokens", "-1"],
        &["--params", "7B", "--tokens", "ten"],
        &["--params", "7B", "--tokens", "nan"],
        &["--params", "7B", "--tokens", "10B", "--steps", "5"],
        &["--params", "7B", "--epochs", "3"],
        &["--params", "3", "--tokens", "10B"],
        &["--params", "1e15", "--tokens", "10B"],
        &["--params", "0", "--tokens", "10B"],
        &["--model", "resnet-50", "--tokens", "10B"],
        &["--model", "resnet-50", "--steps", "10", "--sequence-length", "5"],
        &["--tokens", "10B"],
    ] {
        simulate(job);
    }
    assert!(simulate(&["--model", "llama2-7", "--tokens", "1B"]).contains("llama2-7b"));
}

#[test]
fn a_cluster_must_be_known_unambiguous_and_of_believable_size() {
    let simulate = |cluster: &[&str]| fails(2, &with(&[&JOB, cluster]));
    for cluster in
        ["a100-sxm-80gb:0", "a100-sxm-80gb:-8", "a100-sxm-80gb:99999999999", "a100-sxm-80gb", ":", "*"]
    {
        simulate(&["--cluster", cluster]);
    }
    for cluster in ["aws/p4d.24xlarge:0", "aws/p4d.24xlarge:4000000000", "aws/p4d.24xlarge", "/:1"] {
        simulate(&["--cluster", cluster]);
    }
    assert!(simulate(&["--cluster", "a100:64"]).contains("a100-pcie-40gb, a100-pcie-80gb"));
    assert!(simulate(&["--cluster", "aws/p4d.24xlrge:4"]).contains("p4d.24xlarge"));
    assert!(simulate(&["--cluster", "aws/p4d.24xlarge@us-esat-1:4"]).contains("us-east-1"));
    assert!(simulate(&["--gpu", "h1000-sxm", "--gpus", "8"]).contains("h100-sxm"));
    assert!(simulate(&[]).contains("--cluster"));
    simulate(&["--gpu", "a100-sxm-80gb", "--gpus", "0"]);
}

#[test]
fn all_wrong_flags_are_reported_at_once() {
    let error = fails(
        2,
        &["simulate", "--params", "x", "--tokens", "y", "--precision", "z", "--gpu", "a100", "--gpus", "8"],
    );
    for word in ["--params", "--tokens", "--precision", "--gpu:"] {
        assert!(error.contains(word), "{word} is missing in {error}");
    }
}

fn job_file(folder: &Path, text: &[u8]) -> String {
    let path = folder.join("job.toml");
    std::fs::write(&path, text).expect("the job file is written");
    path.display().to_string()
}

#[test]
fn a_job_file_with_errors_is_invalid_data_with_every_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |text: &[u8]| {
        let path = job_file(folder.path(), text);
        fails(3, &with(&[&["simulate", "--job", &path], &CLUSTER]))
    };
    let error = run(b"parms = \"7B\"\ntokens = \"-5\"\nglobal_batch = \"many\"\n");
    assert!(error.contains("job.toml:1: parms") && error.contains("did you mean \"params\"?"), "{error}");
    assert!(error.contains("job.toml:2: tokens") && error.contains("job.toml:3: global_batch"), "{error}");
    run(b"");
    run(b"# only a remark\n");
    run(b"= [[ nothing ]\n");
    run(b"tokens = [1, 2]\nparams = \"7B\"\n");
    run(&[0xff, 0xfe, 0x00, 0x9f]);
    run(&[0; 64]);
}

#[test]
fn flags_win_over_the_job_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = job_file(folder.path(), b"params = \"13B\"\nsteps = 7\nglobal_batch = 512\n");
    let json = succeeds(&with(&[
        &["simulate", "--job", &path, "--model", "llama2-7b", "--tokens", "1B", "--format", "json"],
        &CLUSTER,
    ]));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["job"]["model"], "llama2-7b");
    assert_eq!(value["job"]["length"]["tokens"], 1e9);
    assert_eq!(value["job"]["global_batch_samples"], 512.0);
}

#[test]
fn a_path_that_cannot_be_read_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (here, none) =
        (folder.path().display().to_string(), folder.path().join("none").display().to_string());
    for flag in ["--job", "--price-book", "--profile"] {
        assert!(fails(2, &with(&[&JOB, &CLUSTER, &[flag, &here]])).contains("folder"), "{flag}");
        assert!(fails(2, &with(&[&JOB, &CLUSTER, &[flag, &none]])).contains("does not exist"), "{flag}");
    }
    fails(2, &with(&[&JOB, &CLUSTER, &["--catalog", &none]]));
    let file = job_file(folder.path(), b"tokens = 1");
    fails(2, &with(&[&JOB, &CLUSTER, &["--catalog", &file]]));
    let config = folder.path().join("config.json").display().to_string();
    fails(2, &with(&[&["simulate", "--model", &config, "--tokens", "1B"], &CLUSTER]));
}

#[test]
fn garbage_in_any_data_file_is_invalid_data() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for text in [&b""[..], b"garbage", b"{\"a\": [", &[0xff, 0x00], b"[[price]]\ninstance = 3\n"] {
        let path = folder.path().join("file.json");
        std::fs::write(&path, text).expect("the file is written");
        let path = path.display().to_string();
        fails(3, &with(&[&["simulate", "--model", &path, "--tokens", "1B"], &CLUSTER]));
        fails(3, &with(&[&JOB, &CLUSTER, &["--profile", &path]]));
        if !text.is_empty() {
            fails(3, &with(&[&JOB, &CLUSTER, &["--price-book", &path]]));
        }
    }
    let catalog = folder.path().join("catalog");
    std::fs::create_dir(&catalog).expect("a folder");
    std::fs::write(catalog.join("gpus.toml"), "[[gpu]]\nid = 5\nmemry = \"80\"\n").expect("a file");
    let shown = catalog.display().to_string();
    let error = fails(3, &["catalog", "check", "--catalog", &shown]);
    assert!(error.contains("gpus.toml:2") && error.contains("memry"), "{error}");
}

#[test]
fn a_plot_is_refused_before_any_work_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recommend = ["recommend", "--params", "7B", "--tokens", "10B", "--gpu", "a100"];
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["plot.pdf", "plot", "none/plot.svg"] {
        fails(2, &with(&[&recommend, &["--plot", &path(name)]]));
    }
    std::fs::create_dir(folder.path().join("d.png")).expect("a folder");
    fails(2, &with(&[&recommend, &["--plot", &path("d.png")]]));
    fails(2, &with(&[&recommend, &["--plot", &path("a.svg"), "--deadline", "soon"]]));
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").flatten().collect();
    assert_eq!(left.len(), 1, "only the folder d.png may be left: {left:?}");
}

#[test]
fn a_plan_that_does_not_fit_prints_its_memory_and_exits_with_four() {
    let arguments = with(&[
        &["simulate", "--params", "70B", "--tokens", "1B", "--gpu", "v100-sxm2-16gb", "--gpus", "8"],
        &["--sharding", "none", "--recompute", "full", "--micro-batch", "1", "--tensor-parallel", "8"],
        &["--pipeline-parallel", "1"],
    ]);
    let output = advise(&arguments);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(4), "{text}{}", stderr(&output));
    assert!(text.contains("does not fit") && text.contains("too much"), "{text}");
    assert!(text.contains("2 bytes per parameter"), "{text}");
    let json = advise(&with(&[&arguments, &["--format", "json"]]));
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!((&value["feasible"], &value["memory"]["verdict"]), (&false.into(), &"no".into()));
    assert_eq!(value["blocked"]["reason"], "memory");
    assert_eq!(value["plan"]["tensor_parallel"], 8);
}

#[test]
fn a_precision_that_the_gpu_lacks_blocks_one_cluster_and_not_the_comparison() {
    let job = ["--params", "1.3B", "--tokens", "1B", "--precision", "bf16"];
    let both = ["--cluster", "a100-sxm-80gb:8", "--cluster", "v100-sxm2-32gb:8"];
    let text = succeeds(&with(&[&["compare"], &job, &both]));
    assert!(text.contains("bf16 is not possible on this GPU; it can do fp32, fp16"), "{text}");
    let none = ["--cluster", "v100-sxm2-32gb:8", "--cluster", "v100-sxm2-16gb:8"];
    assert_eq!(advise(&with(&[&["compare"], &job, &none])).status.code(), Some(4));
    fails(2, &with(&[&["compare"], &job, &["--cluster", "a100-sxm-80gb:8"]]));
}

#[test]
fn capability_warnings_come_from_the_data() {
    let warnings = |gpu: &str| {
        let json = succeeds(&with(&[&JOB, &["--gpu", gpu, "--gpus", "64", "--format", "json"]]));
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        value["warnings"].to_string()
    };
    let old = warnings("v100-sxm2-32gb");
    assert!(old.contains("loss_scaling") && old.contains("no_flash_attention"), "{old}");
    let new = warnings("a100-sxm-80gb");
    assert!(!new.contains("loss_scaling") && !new.contains("no_flash_attention"), "{new}");
    assert!(warnings("a100-pcie-80gb").contains("pcie_only"));
}

#[test]
fn terms_sum_to_the_step_and_items_to_the_peak() {
    let json = succeeds(&with(&[&JOB, &CLUSTER, &["--format", "json"]]));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let sum = |list: &serde_json::Value, key: &str| -> f64 {
        list.as_array().expect("a list").iter().map(|t| t[key].as_f64().expect("a number")).sum()
    };
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    assert!(close(sum(&value["terms"], "time_s"), value["step_time_s"].as_f64().expect("a time")));
    assert!(close(
        sum(&value["memory"]["items"], "bytes"),
        value["memory"]["peak_bytes"].as_f64().expect("bytes")
    ));
}

#[test]
fn help_reads_like_a_manual_and_offers_only_what_exists() {
    let help = succeeds(&["--help"]);
    for word in ["Examples:", "Exit codes:", "recommend", "compare", "simulate", "catalog", "completions"] {
        assert!(help.contains(word), "{word} is missing in\n{help}");
    }
    for command in ["recommend", "compare", "simulate", "whatif"] {
        let help = succeeds(&[command, "--help"]);
        assert!(help.contains("Examples:") && help.contains("--sequence-length") && help.contains("--price"));
    }
    assert!(succeeds(&["completions", "bash"]).contains("gpu-advisor"));
}

#[test]
fn the_catalog_can_be_listed_shown_and_checked() {
    for kind in ["gpus", "instances", "prices", "models", "regions", "datasets"] {
        for format in ["table", "csv", "markdown", "json"] {
            assert!(succeeds(&["catalog", "list", kind, "--format", format]).len() > 200, "{kind} {format}");
        }
    }
    let listed =
        succeeds(&["catalog", "list", "instances", "--gpu", "v100", "--provider", "aws", "--format", "csv"]);
    let rows: Vec<&str> = listed.lines().skip(1).collect();
    assert!(!rows.is_empty() && rows.iter().all(|r| r.starts_with("aws/") && r.contains("v100")), "{listed}");
    for name in ["a100-sxm-80gb", "aws/p4d.24xlarge", "llama2-7b", "resnet-50", "imagenet-1k", "a100"] {
        assert!(succeeds(&["catalog", "show", name]).contains(name), "{name}");
    }
    assert!(fails(2, &["catalog", "show", "a100-smx-80gb"]).contains("a100-sxm-80gb"));
    assert!(fails(2, &["catalog", "list", "instances", "--gpu", "v1000"]).contains("v100"));
    assert!(succeeds(&["catalog", "check"]).contains("instances"));
    assert!(succeeds(&["catalog", "check", "--details", "--lang", "zh"]).contains("目录"));
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_success() {
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"))
        .args(["catalog", "list", "prices"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
