//! Why something is out: reasons that add up, and changes that were tried and let it in.

use serde_json::Value;

use crate::program::{advise, json, stdout, succeeds, with, words};

fn counted(answer: &Value) -> (u64, u64, u64) {
    let number = |value: &Value| value.as_u64().expect("a count");
    let rejections = answer["rejections"].as_array().expect("rejections");
    let out = rejections.iter().map(|r| number(&r["count"])).sum();
    (number(&answer["considered"]), number(&answer["feasible"]), out)
}

#[test]
fn when_nothing_passes_the_reasons_add_up_to_the_number_of_candidates() {
    let questions = [
        "--params 175B --samples 1M --gpu v100,t4 --max-gpus 8",
        "--params 7B --tokens 100B --gpu a100 --budget 100USD",
        "--params 7B --tokens 100B --budget 1USD",
        "--params 7B --tokens 100B --gpu v100 --deadline 1h",
        "--params 7B --tokens 100B --gpu v100 --precision bf16",
        "--params 7B --tokens 100B --country SG --gpu a100 --budget 1000USD --purchase spot",
        "--params 70B --tokens 1B --gpu a100 --framework pytorch-ddp",
    ];
    for question in questions {
        let (code, answer) = json(&format!("recommend {question} --as-of 2026-11-30"));
        let (considered, feasible, out) = counted(&answer);
        assert_eq!(code, 4, "{question}");
        assert_eq!((feasible, out), (0, considered), "{question}");
        assert!(considered > 0, "{question}");
    }
}

#[test]
fn feasible_and_rejected_candidates_add_up_under_every_kind_of_limit() {
    let questions = [
        "--params 7B --tokens 100B --gpu a100,v100",
        "--params 7B --tokens 100B --gpu a100,v100 --budget 20000USD",
        "--params 7B --tokens 100B --country DE",
        "--model resnet-50 --dataset imagenet-1k --epochs 90 --deadline 1d --purchase spot",
    ];
    for question in questions {
        let (_, answer) = json(&format!("recommend {question} --as-of 2026-11-30"));
        let (considered, feasible, out) = counted(&answer);
        assert_eq!(feasible + out, considered, "{question}");
        assert!(feasible > 0, "{question}");
    }
}

/// The flag of a change, as it is typed.
fn flag(change: &Value, line: &str) -> String {
    let (key, value) =
        (change["change"].as_str().expect("a key"), change["value"].as_str().expect("a value"));
    match key {
        "nodes" => {
            let (before, after) = line.split_once(":1 ").expect("a cluster of one node");
            format!("{before}:{value} {after}")
        }
        "optimizer_offload" => format!("{line} --optimizer-offload"),
        _ => {
            let name = format!("--{}", key.replace('_', "-"));
            let mut parts = words(line);
            if let Some(at) = parts.iter().position(|p| *p == name) {
                parts.drain(at..at + 2);
            }
            format!("{} {name} {value}", parts.join(" "))
        }
    }
}

#[test]
fn a_job_that_does_not_fit_fits_with_each_change_that_is_named() {
    let lines = [
        "simulate --params 7B --steps 10 --cluster aws/p4d.24xlarge:1 --recompute none --micro-batch 16 --sharding zero3",
        "simulate --params 13B --steps 10 --cluster aws/p3.16xlarge:1 --framework deepspeed",
        "simulate --params 7B --steps 10 --global-batch 512 --cluster aws/p3dn.24xlarge:1 --flash-attention on",
        "simulate --params 7B --steps 10 --global-batch 500 --cluster aws/p4d.24xlarge:1 --sharding zero3",
    ];
    let mut named = 0;
    for line in lines {
        let (code, answer) = json(line);
        assert_eq!(code, 4, "{line}");
        for change in answer["blocked"]["cures"].as_array().expect("cures") {
            if change["change"] == "plan" {
                continue;
            }
            named += 1;
            let cured = flag(change, line);
            let (code, _) = json(&cured);
            assert_eq!(code, 0, "{line}: {change} does not help: {cured}");
        }
    }
    assert!(named >= 5, "{named}");
}

#[test]
fn the_nearest_miss_says_how_much_is_too_much_and_what_lets_it_in() {
    let line = "recommend --params 7B --tokens 10B --gpu v100 --max-gpus 8 --as-of 2026-11-30";
    let text = stdout(&advise(&with(&[&words(line), &["--details"]])));
    let out = text.split("C  out").nth(1).expect("block C").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains("% too much") && out.contains("fits "), "{out}");
    let chinese = stdout(&advise(&with(&[&words(line), &["--details", "--lang", "zh"]])));
    assert!(chinese.split_whitespace().collect::<String>().contains("即可放下"), "{chinese}");
}

#[test]
fn a_job_that_misses_the_deadline_names_the_nodes_that_meet_it() {
    let line = "recommend --params 7B --tokens 100B --provider aws --gpu v100 --max-gpus 8 --deadline 30d --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 4);
    let late =
        answer["rejections"].as_array().expect("rejections").iter().find(|r| r["reason"] == "deadline");
    let nearest = &late.expect("some are late")["nearest"];
    let cure = &nearest["cures"][0];
    assert_eq!(cure["change"], "nodes", "{nearest}");
    let label = nearest["cluster"].as_str().expect("a cluster");
    let (name, _) = label.rsplit_once(':').expect("a number of nodes");
    let nodes: u32 = cure["value"].as_str().and_then(|v| v.parse().ok()).expect("a number");
    let time = |nodes: u32| {
        let line = format!("simulate --params 7B --tokens 100B --cluster {name}:{nodes} --as-of 2026-11-30");
        let text = succeeds(&with(&[&words(&line), &["--format", "json"]]));
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        answer["total_time_s"]["p50"].as_f64().expect("a time") / 86400.0
    };
    assert!(time(nodes) <= 30.0 && time(nodes / 2) > 30.0, "{nodes}");
}

#[test]
fn an_assumed_deadline_puts_what_takes_longer_last_and_a_stated_one_rejects_it() {
    let question = "recommend --params 7B --tokens 100B --gpu a100 --as-of 2026-11-30";
    let (_, open) = json(question);
    let priced: Vec<&Value> = rows(&open).filter(|c| c["block"] == "A").collect();
    let late = |row: &&Value| row["beyond_assumed_deadline"] == true;
    let first = priced.iter().position(late).expect("a row beyond the assumed 30 days");
    assert!(first > 0 && priced[first..].iter().all(late), "what takes longer comes last");
    for row in &priced {
        let days = row["total_time_s"]["p50"].as_f64().unwrap() / 86_400.0;
        assert_eq!(late(row), days > 30.0, "{row}");
    }
    let reasons = |answer: &Value| -> Vec<String> {
        answer["rejections"].as_array().unwrap().iter().map(|r| r["reason"].to_string()).collect()
    };
    assert!(!reasons(&open).contains(&"\"deadline\"".to_owned()), "an assumption rejects nothing");
    let screen = succeeds(&words(question));
    assert!(screen.contains("> 30 d*"), "what would win if it might take longer is on the screen: {screen}");
    let (_, stated) = json(&format!("{question} --deadline 30d"));
    assert!(rows(&stated).all(|row| row["beyond_assumed_deadline"] == false));
    assert!(reasons(&stated).contains(&"\"deadline\"".to_owned()));
    let winner = |answer: &Value| answer["candidates"][0]["cluster"].clone();
    assert_eq!(winner(&open), winner(&stated), "the winner is the same");
}

/// Candidates of an answer.
fn rows(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["candidates"].as_array().unwrap().iter()
}

#[test]
fn a_gpu_whose_peaks_nobody_states_is_told_so_and_not_what_it_can_do() {
    let output = advise(&words("simulate --params 13B --tokens 1B --gpu ascend-910b --gpus 8"));
    assert_eq!(output.status.code(), Some(4));
    let told = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("no peak of this GPU is known") && told.contains("fp16_tensor_dense"), "{told}");
    assert!(!told.contains("can do"), "{told}");
}
