//! The time that is paid: where nodes are interrupted, cost, GPU-hours and the times beside them are of the same time.

use crate::program::{advise, advise_in, json, stderr, stdout, words};

/// Five jobs on one GPU; a restart of half an hour every hour takes e^0.5 = 1.65 times as long at least.
const FOLDS: &str = "simulate --model nnunet-3d --epochs 1000 --steps-per-epoch 250 --global-batch 2 --folds 5 \
                     --cluster aws/p3.2xlarge@us-east-1:1 --purchase spot --price aws/p3.2xlarge=1USD/h \
                     --interruptions-every 1h --restart 30min --as-of 2026-11-30";

#[test]
fn all_folds_on_spot_take_the_hours_that_are_paid() {
    let hours = json(FOLDS).1["gpu_hours"].as_f64().expect("GPU-hours");
    let text = stdout(&advise(&words(FOLDS)));
    let (_, rest) = text.split_once("5 independent jobs: ").expect("all folds");
    let (days, _) = rest.split_once(" d one after the other").expect("days");
    let days: f64 = days.trim_start_matches('~').parse().expect("a number");
    assert!((days * 24.0 / hours - 1.0).abs() < 0.05, "{days} d is not {hours} h");
}

#[test]
fn the_report_of_a_job_on_spot_tells_the_calendar_time_and_its_energy() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!("{FOLDS} --report r.md --energy node=1kW,pue=1,grid=100");
    let output = advise_in(folder.path(), &words(&line));
    assert_eq!(output.status.code(), Some(0));
    let report = std::fs::read_to_string(folder.path().join("r.md")).expect("the report");
    // One node of 1 kW with one GPU: as many kWh as GPU-hours.
    let hours = json(FOLDS).1["gpu_hours"].as_f64().expect("GPU-hours");
    assert!(
        report.contains(&format!("{} kWh", gpu_advisor::units::text::significant(hours, 3))),
        "{hours} h in {report}"
    );
    assert!(report.contains("calendar time") && !report.contains("Training time"), "{report}");
}

#[test]
fn a_job_that_never_ends_on_spot_has_a_reason_and_no_number_of_seventy_digits() {
    let line = "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --purchase spot \
                --price aws/p4d.24xlarge=6.59USD/h --interruptions-every 5s --as-of 2026-11-30";
    let output = advise(&words(line));
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(
        text.contains("interrupted faster than it gets on") && text.contains("nodes on demand"),
        "{text}"
    );
    let digits = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
    assert!(digits < Some(20), "{text}");
    assert_eq!(json(line).0, 4);
}

#[test]
fn compare_and_quote_refuse_a_job_on_spot_that_never_ends() {
    let (on, spot) = ("--cluster aws/p4d.24xlarge@us-east-1:2", "--purchase spot --as-of 2026-11-30");
    let job = |tokens: &str, more: &str| format!("--params 7B --tokens {tokens} {on} {spot} {more}");
    let price = "--price aws/p4d.24xlarge=6.59USD/h";
    // Both take the usual rate of interruptions: centuries of training are never done on such nodes.
    let endless = advise(&words(&format!("compare {} {on}", job("1000T", price))));
    let said = stdout(&endless);
    assert_eq!(endless.status.code(), Some(4), "{said}");
    assert!(said.contains("interrupted faster than it gets on") && !said.contains("is 1.00 times"), "{said}");
    let quote = |tokens: &str| {
        advise(&words(&format!("quote {} --customer Example --budgetary", job(tokens, price))))
    };
    let refused = quote("1000T");
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("interrupted faster than it gets on"), "{}", stderr(&refused));
    assert_eq!(quote("10B").status.code(), Some(0));
}

#[test]
fn what_an_interruption_costs_changes_no_cost_on_demand_until_it_is_said_how_often_it_comes() {
    let job = "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --as-of 2026-11-30";
    let cost = |more: &str| {
        let answer = json(&format!("{job} {more}")).1;
        answer["cost"]["p50"]["amount"].as_str().expect("an amount").parse::<f64>().expect("a number")
    };
    let own = cost("");
    for more in ["--restart 1h", "--checkpoint-every 5min", "--checkpoint-write 60s"] {
        assert_eq!(cost(more).to_bits(), own.to_bits(), "{more}");
    }
    assert!(cost("--interruptions-every 6h --restart 1h") > own * 1.1);
}

#[test]
fn every_schema_with_gpu_hours_of_a_cluster_says_what_they_and_the_cost_are_of() {
    for command in ["recommend", "simulate", "compare"] {
        let path = format!("{}/schema/{command}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("the schema");
        let said = text.split("\"gpu_hours\": {").nth(1).is_some_and(|rest| {
            rest.split('}')
                .next()
                .is_some_and(|own| own.contains("interruptions are stated") && own.contains("so is cost"))
        });
        assert!(said, "{command}");
    }
}
