//! What may be started: the answer within the quota of today, and the one after its increase.

use std::path::Path;

use serde_json::Value;

use crate::program::{advise_in, fails, stderr, stdout, with, words};

const QUOTA: &str = "as_of = \"2026-11-28\"\n[[quota]]\nprovider = \"aws\"\nregion = \"us-east-1\"\nfamily = \"p4d\"\nnodes = 2\n\
    expected = 8\nexpected_on = \"2026-12-10\"\n";
const CSV: &str =
    "provider,region,family,nodes,expected,expected_on,as_of\naws,us-east-1,p4d,2,8,2026-12-10,2026-11-28\n";

/// Asks with a quota file in a folder of its own.
fn asked(file: &str, text: &str, more: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(file), text).expect("a file");
    let line = format!("recommend --params 7B --tokens 100B --as-of 2026-11-30 --quota {file} {more}");
    let output = advise_in(Path::new(folder.path()), &words(&line));
    (output.status.code().expect("a code"), stdout(&output), stderr(&output))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn today_two_nodes_are_the_answer_and_eight_after_the_increase() {
    let (code, text, _) = asked("quota.toml", QUOTA, "--objective time --format json");
    assert_eq!(code, 0);
    let answer = json(&text);
    let quota = &answer["quota"];
    assert_eq!(quota["today"], "aws/p4d.24xlarge@us-east-1:2");
    assert_eq!(quota["increased"]["cluster"], "aws/p4d.24xlarge@us-east-1:8");
    assert_eq!(quota["expected_on"], "2026-12-10");
    let a: Vec<&Value> =
        answer["candidates"].as_array().expect("candidates").iter().filter(|c| c["block"] == "A").collect();
    assert!(a.iter().all(|c| c["cluster"].as_str().is_some_and(|l| l.contains("p4d.24xlarge@us-east-1"))));
}

#[test]
fn a_table_of_commas_gives_the_same_answer() {
    let answers = [("quota.toml", QUOTA), ("quota.csv", CSV)].map(|(file, text)| {
        let (code, text, error) = asked(file, text, "--format json");
        assert_eq!(code, 0, "{error}");
        json(&text)["quota"].clone()
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn what_no_line_speaks_of_is_not_checked_and_never_ranked() {
    let (_, text, _) = asked("quota.toml", QUOTA, "--gpu h100 --format json");
    let answer = json(&text);
    assert!(answer["candidates"].as_array().expect("candidates").iter().all(|c| c["block"] == "B"));
    let (code, screen, _) = asked("quota.toml", QUOTA, "--gpu h100");
    assert_eq!(code, 4);
    assert!(screen.contains("quota not checked") && screen.contains("quota of 2026-11-28"), "{screen}");
    // Without a file nothing is checked, and the answer says so.
    let output = crate::program::succeeds(&words("recommend --params 7B --tokens 100B --as-of 2026-11-30"));
    assert!(output.contains("quota and stock not checked"), "{output}");
}

#[test]
fn a_deadline_that_needs_more_than_the_quota_exits_with_four_and_names_the_increase() {
    let (code, text, _) = asked("quota.toml", QUOTA, "--deadline 10d --format json");
    assert_eq!(code, 4);
    let answer = json(&text);
    let counts = answer["rejections"].as_array().expect("rejections").iter();
    let out: u64 = counts.map(|r| r["count"].as_u64().expect("a count")).sum();
    assert_eq!(Some(out), answer["considered"].as_u64());
    let (_, screen, _) = asked("quota.toml", QUOTA, "--deadline 10d");
    assert!(screen.contains("if the increase arrives (2026-12-10): aws/p4d.24xlarge:"), "{screen}");
}

#[test]
fn a_wrong_quota_is_refused_with_every_finding_and_its_line() {
    let text = "[[quota]]\nprovider = \"aws\"\nfamly = \"p4d\"\nnodes = \"two\"\n";
    let (code, _, error) = asked("quota.toml", text, "");
    assert_eq!(code, 3, "{error}");
    for part in ["quota.toml:3", "unknown key", "quota.toml:4", "no whole number", "family or a gpu"] {
        assert!(error.contains(part), "{part}\n{error}");
    }
    let missing = with(&[&words("recommend --params 7B --tokens 100B --quota nowhere.toml")]);
    assert!(fails(2, &missing).contains("nowhere.toml"));
}
