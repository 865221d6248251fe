use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::catalog::{Finding, Precision};

const GOOD: &str = r#"schema = 1
gpu = "t4"
[dram]
copy = "256 GB/s"
grade = "D"
source = "s"
[launch]
floor = "2.6 us"
grade = "D"
source = "s"
[norm]
exponent = 3.2
grade = "D"
source = "s"
[host_to_device]
bandwidth = "12 GB/s"
grade = "C"
source = "s"
[matmul.fp16]
peak = "45 TFLOP/s"
m0 = 16
n0 = 16
k0 = 270
grade = "C"
source = "s"
"#;

/// Reads the embedded set with this text as the user's own profile.
fn with_overlay(text: &str) -> Result<Profiles, Vec<Finding>> {
    let gpus = gpus();
    let overlay = SourceFile { name: "mine.toml".to_owned(), text: Cow::Owned(text.to_owned()) };
    parse(&load::embedded_files(&gpus), Some(&overlay), &gpus)
}

/// Line, key and message of the findings in the user's own profile.
fn findings(text: &str) -> Vec<(usize, String, String)> {
    let findings = with_overlay(text).map(|_| ()).unwrap_err();
    findings.into_iter().map(|f| (f.line.unwrap(), f.key, f.message)).collect()
}

#[test]
fn the_users_profile_replaces_that_of_its_gpu_alone_and_changes_the_hash() {
    let (before, after) = (profiles(), with_overlay(GOOD).unwrap());
    let changed: Vec<_> =
        before.hardware.iter().zip(&after.hardware).filter(|(b, a)| b != a).map(|(b, _)| &b.gpu).collect();
    assert_eq!(changed, ["t4"]);
    assert_eq!(after.hardware[13].matmul(Precision::Fp16).unwrap().peak, FlopRate::from_tera(45.0));
    assert_eq!(after.hardware[13].matmul(Precision::Fp32).unwrap().grade, Grade::D, "from the datasheet");
    assert_ne!(before.content_hash, after.content_hash);
}

#[test]
fn a_misspelt_key_is_found_with_its_line_and_the_near_one() {
    let found = findings(&GOOD.replace("exponent", "exponnent"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[0].0, found[0].1.as_str()), (11, "norm.exponent"));
    assert!(found[0].2.contains("is missing"), "{found:?}");
    assert_eq!((found[1].0, found[1].1.as_str()), (12, "norm.exponnent"));
    assert!(found[1].2.contains("did you mean \"exponent\"?"), "{found:?}");
}

#[test]
fn all_findings_of_a_file_come_at_once() {
    let text = GOOD
        .replace("\"256 GB/s\"", "256")
        .replace("\"2.6 us\"", "\"2.6 GB\"")
        .replace("k0 = 270", "k0 = -1")
        .replace("grade = \"C\"\nsource = \"s\"\n[matmul", "grade = \"E\"\nsource = \"s\"\n[matmul");
    let found = findings(&text);
    let lines: Vec<_> = found.iter().map(|(line, key, _)| (*line, key.as_str())).collect();
    assert_eq!(
        lines,
        [(4, "dram.copy"), (8, "launch.floor"), (17, "host_to_device.grade"), (23, "matmul.fp16.k0")]
    );
    assert!(found[0].2.contains("400 Gb/s"), "says what would be accepted: {found:?}");
}

#[test]
fn what_the_datasheet_excludes_is_refused() {
    let found = findings(&GOOD.replace("45 TFLOP/s", "67 TFLOP/s"));
    assert!(found[0].2.contains("65 TFLOP/s"), "{found:?}");
    let found = findings(&GOOD.replace("matmul.fp16", "matmul.bf16"));
    assert!(found[0].2.contains("no bf16 peak"), "{found:?}");
    let found = findings(&GOOD.replace("256 GB/s", "330 GB/s"));
    assert!(found[0].2.contains("320 GB/s"), "{found:?}");
    let found = findings(&GOOD.replace("\"t4\"", "\"t5\""));
    assert_eq!((found.len(), found[0].0), (1, 2));
    assert!(found[0].2.contains("did you mean \"t4\"?"), "{found:?}");
    let found = findings("schema = 1\ngpu = \n");
    assert_eq!((found.len(), found[0].0), (1, 2));
}

/// Reads the embedded set with a text of one file exchanged.
fn exchanged(name: &str, from: &str, to: &str) -> Result<Profiles, Vec<Finding>> {
    let gpus = gpus();
    let mut files = load::embedded_files(&gpus);
    let file = files.iter_mut().find(|f| f.name == name).unwrap();
    assert!(file.text.contains(from), "{name} has no {from:?}");
    file.text = Cow::Owned(file.text.replacen(from, to, 1));
    parse(&files, None, &gpus)
}

#[test]
fn wrong_stacks_links_and_defaults_are_found_where_they_are() {
    let cases = [
        (
            "software/common.toml",
            "collective_efficiency = ",
            "collective_efficency = ",
            "collective_efficency",
        ),
        ("software/caffe.toml", "\"pytorch-ddp\"", "\"pytorch-dpd\"", "did you mean \"pytorch-ddp\"?"),
        ("software/nemo.toml", "\"zero1\"", "\"zero4\"", "did you mean"),
        ("networks.toml", "ranks = 2", "ranks = 1", "expected 2 to 1000"),
        ("networks.toml", "share = [0.0791,", "share = [0.2791,", "not physical"),
        ("networks.toml", "\"50 us\"", "\"50\"", "a duration with its unit"),
        ("defaults.toml", "decoder = \"pytorch-fsdp\"", "decoder = \"pytorch-fspd\"", "no stack"),
        ("defaults.toml", "C = 0.30", "C = 0.0", "expected 0.001 to 2"),
    ];
    for (file, from, to, expected) in cases {
        let found = exchanged(file, from, to).map(|_| ()).unwrap_err();
        assert!(
            found
                .iter()
                .any(|f| f.file == file && (f.message.contains(expected) || f.key.contains(expected))),
            "{file} {to}: {found:#?}"
        );
        assert!(found.windows(2).all(|w| w[0] != w[1]), "a shared value is reported once: {found:#?}");
    }
}

#[test]
fn missing_files_are_findings() {
    let found = parse(&[], None, &gpus()).map(|_| ()).unwrap_err();
    let files: std::collections::BTreeSet<_> = found.iter().map(|f| f.file.as_str()).collect();
    assert_eq!(
        files.into_iter().collect::<Vec<_>>(),
        ["defaults.toml", "layers.toml", "networks.toml", "software/common.toml"]
    );
}

#[test]
fn what_joins_the_norms_is_refused_where_it_would_not_be_followed() {
    for table in ["[compiler.\"xla\"]", "[capability.\"8.0\"]"] {
        let found =
            exchanged("layers.toml", table, &format!("{table}\njoins_norms = true")).map(|_| ()).unwrap_err();
        assert!(found.iter().any(|f| f.file == "layers.toml" && f.key.contains("joins_norms")), "{found:#?}");
    }
    for table in ["[stack.\"tensorflow\"]", "[recipe.\"tuned-reference\"]"] {
        assert!(exchanged("layers.toml", table, &format!("{table}\njoins_norms = true")).is_ok(), "{table}");
    }
}

#[test]
fn a_stack_takes_what_it_does_not_state_from_its_relative_then_from_common() {
    let profiles = exchanged("software/pytorch-ddp.toml", "score_passes = ", "score_passes = 7 # ").unwrap();
    let (caffe, ddp) = (profiles.stack("caffe").unwrap(), profiles.stack("pytorch-ddp").unwrap());
    assert_eq!((ddp.score_passes, caffe.score_passes), (7.0, 7.0));
    assert_eq!(caffe.matmul_efficiency, ddp.matmul_efficiency);
    assert_eq!(caffe.relative_of.as_deref(), Some("pytorch-ddp"));
    assert!(caffe.trains_in(Precision::Fp32) && !caffe.trains_in(Precision::Fp16));
    assert!(caffe.residual > ddp.residual && caffe.grade == Grade::D);
    assert!(!ddp.supports(Method::Zero3) && profiles.stack("pytorch-fsdp").unwrap().supports(Method::Zero3));
}

#[test]
fn classes_and_stacks_are_found_by_name() {
    let profiles = profiles();
    for class in
        ["nvswitch", "nvlink2-mesh", "nvswitch5", "nvlink-bridge-pairs", "nvlink", "hccs", "c2c", "pcie3"]
    {
        assert_eq!(profiles.link(class).unwrap().class, class);
    }
    for class in ["tcp", "roce", "infiniband", "efa", "gpudirect-tcp", "rdma", "unknown"] {
        assert_eq!(profiles.network(class).unwrap().class, class);
    }
    assert!(profiles.link("token-ring").is_none() && profiles.stack("").is_none());
}

proptest! {
    #[test]
    fn no_text_makes_the_loader_panic(text in ".{0,200}", at in 0..400usize, cut in 0..40usize) {
        let _ = with_overlay(&text);
        let start = at.min(GOOD.len());
        let end = (start + cut).min(GOOD.len());
        let damaged = [&GOOD[..start], text.as_str(), &GOOD[end..]].concat();
        if let Err(found) = with_overlay(&damaged) {
            prop_assert!(found.iter().all(|f| f.file == "mine.toml" && f.line.is_some() && !f.message.is_empty()));
        }
    }
}
