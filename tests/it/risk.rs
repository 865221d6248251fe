//! Spot and deadlines, elastic schedules, nodes of several kinds: through the command line.

use crate::program::{advise, fails, json, stdout, succeeds, with, words};

fn near(value: &serde_json::Value, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!((value / expected - 1.0).abs() < tolerance, "{value} is not {expected}");
}

/// Spot at 30 % of list: 0.3 x 21.957642 USD/h.
const SPOT: &str = "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --purchase spot \
                    --price aws/p4d.24xlarge=6.5872926USD/h --interruptions-every 6h --checkpoint-write 60s \
                    --restart 5min --as-of 2026-11-30";

#[test]
fn spot_at_thirty_percent_with_an_interruption_every_six_hours_costs_a_third_of_list_and_nine_percent_of_time()
 {
    let (code, answer) = json(SPOT);
    assert_eq!(code, 0);
    let risk = &answer["risk"];
    // sqrt(2 x 60 x 21600) = 1610 s = 27 min.
    near(&risk["checkpoint_interval_s"], 1610.0, 0.001);
    let slower = risk["expected_time_s"].as_f64().unwrap() / risk["undisturbed_time_s"].as_f64().unwrap();
    assert!((slower - 1.09).abs() < 0.01, "{slower}");
    // 0.30 x 1.09 = 0.33 of list; on demand has failures of its own.
    near(&risk["against_on_demand"]["cost_ratio"], 0.327, 0.02);
    near(&risk["against_on_demand"]["time_ratio"], 1.09, 0.02);
    assert_eq!(risk["interruption_source"], "stated");
}

#[test]
fn twelve_hours_on_spot_without_checkpoints_are_expected_to_take_thirty_eight() {
    let line = "simulate --model resnet-50 --steps 100k --gpu a100-sxm-80gb --gpus 1 --interruptions-every 6h --restart 0s \
                --checkpoint-every none --as-of 2026-11-30";
    let (_, answer) = json(line);
    let (risk, whole) = (&answer["risk"], &answer["whole_job"]);
    let start_up = whole["start_up_s"].as_f64().unwrap();
    let work = risk["undisturbed_time_s"].as_f64().unwrap() - start_up;
    // Of this job's own length: (e^(W/6h) - 1) x 6 h.
    let expected = ((work / 21_600.0).exp() - 1.0) * 21_600.0;
    near(&risk["expected_time_without_checkpoints_s"], expected + start_up, 1e-9);
    near(&risk["expected_time_s"], expected + start_up, 1e-9);
    assert!(risk["checkpoint_interval_s"].is_null());
}

#[test]
fn a_deadline_has_a_probability_that_grows_with_it_and_a_seed_repeats() {
    let at = |deadline: &str, more: &str| {
        let line = format!(
            "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:4 --deadline {deadline} {more} --as-of 2026-11-30"
        );
        json(&line).1["risk"]["deadline_probability"].as_f64().unwrap()
    };
    let shares = ["12h", "20h", "22h", "40h"].map(|d| at(d, ""));
    assert!(shares.is_sorted() && shares[0] < 0.1 && shares[3] > 0.9, "{shares:?}");
    let line = format!("{SPOT} --deadline 3d --format json");
    let one = stdout(&advise(&with(&[&words(&line), &["--threads", "1"]])));
    let four = stdout(&advise(&with(&[&words(&line), &["--threads", "4"]])));
    assert_eq!(one, four);
    let other = stdout(&advise(&with(&[&words(&line), &["--seed", "2"]])));
    assert_ne!(one, other);
}

#[test]
fn spot_says_its_risk_unasked_and_on_demand_only_when_asked() {
    let job = "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --as-of 2026-11-30";
    assert!(json(job).1["risk"].is_null());
    let published = json(&format!("{job} --purchase spot")).1;
    assert_eq!(published["risk"]["interruption_source"], "published");
    let failures = json(&format!("{job} --risk")).1;
    assert_eq!(failures["risk"]["interruption_source"], "failures");
    assert!(failures["risk"]["against_on_demand"].is_null());
    let old = "simulate --params 7B --tokens 10B --cluster aws/p3dn.24xlarge@us-east-1:4 --purchase spot --as-of 2026-11-30";
    assert_eq!(json(old).1["risk"]["interruption_source"], "traces");
}

/// 13B continued pre-training on 10 billion tokens, 2 nodes by day and 8 by night, with a made-up monthly price.
const ELASTIC: &str = "simulate --model llama2-13b --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:8 --start 2026-12-01T08:00 \
                       --price aws/p4d.24xlarge=9600USD/month --as-of 2026-11-30";
const WEEK: [&str; 2] = ["--schedule", "2 nodes 08:00-20:00, 8 nodes 20:00-08:00"];

fn elastic(more: &str) -> serde_json::Value {
    let output = advise(&with(&[&words(ELASTIC), &WEEK, &words(more), &["--format", "json"]]));
    let text = stdout(&output);
    crate::schema::check("schedule", &text);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn thirteen_billion_by_day_and_night_ends_between_two_nodes_and_eight_and_later_with_costlier_changes() {
    let answer = elastic("");
    let end = |a: &serde_json::Value| a["end_time_s"]["p50"].as_f64().unwrap();
    let alone: Vec<f64> =
        answer["sizes"].as_array().unwrap().iter().map(|s| s["whole_job_s"].as_f64().unwrap()).collect();
    assert!(alone[1] < end(&answer) && end(&answer) < alone[0], "{alone:?} {}", end(&answer));
    let hours = answer["hours"].as_array().unwrap();
    let done: f64 = hours.last().unwrap()["done_share"].as_f64().unwrap();
    assert!((done - 1.0).abs() < 1e-9);
    assert!(
        hours.iter().all(|h| h["to_s"].as_f64().unwrap() - h["from_s"].as_f64().unwrap() <= 3600.0 + 1e-6)
    );
    let ends: Vec<(f64, f64)> = ["0s", "10min", "30min", "2h"]
        .iter()
        .map(|cost| {
            let answer = elastic(&format!("--scale-cost {cost}"));
            let money: f64 = answer["cost"]["p50"]["amount"].as_str().unwrap().parse().unwrap();
            (end(&answer), money)
        })
        .collect();
    assert!(ends.windows(2).all(|w| w[1].0 > w[0].0 && w[1].1 >= w[0].1), "{ends:?}");
}

#[test]
fn the_cheapest_baseline_is_cheapest_among_those_shown_and_a_stated_one_holds() {
    let total = |b: &serde_json::Value| b["total"]["amount"].as_str().unwrap().parse::<f64>().unwrap();
    let answer = elastic("");
    let bills = answer["bills"].as_array().unwrap();
    let committed: Vec<u64> = bills.iter().map(|b| b["committed_nodes"].as_u64().unwrap()).collect();
    assert_eq!(committed, [0, 2, 8]);
    let least = bills.iter().min_by(|a, b| total(a).total_cmp(&total(b))).unwrap();
    assert_eq!(answer["baseline_nodes"], least["committed_nodes"]);
    let stated = elastic("--baseline 2");
    assert_eq!(stated["baseline_nodes"], 2);
    near(
        &serde_json::json!(total(&bills[1])),
        stated["cost"]["p50"]["amount"].as_str().unwrap().parse().unwrap(),
        1e-9,
    );
}

#[test]
fn a_schedule_is_told_in_both_languages_with_its_picture() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("timeline.svg");
    let target = picture.display().to_string();
    let shown = succeeds(&with(&[&words(ELASTIC), &WEEK, &["--lang", "zh", "--plot", &target]]));
    assert!(
        shown.contains("弹性伸缩") && shown.contains("包月基线") && shown.contains("启停损耗"),
        "{shown}"
    );
    assert!(std::fs::read_to_string(&picture).unwrap().contains("自启动起的时间"));
    let shown = succeeds(&with(&[&words(ELASTIC), &WEEK]));
    assert!(shown.contains("Elastic schedule") && shown.contains("Baselines"), "{shown}");
}

#[test]
fn a_schedule_file_says_what_the_line_says_and_its_findings_have_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("week.toml");
    let night = "[[window]]\nfrom = \"20:00\"\nto = \"08:00\"\nnodes = 8\n";
    let day = "[[window]]\nfrom = \"08:00\"\nto = \"20:00\"\nnodes = 2\n";
    std::fs::write(&path, format!("{day}{night}")).unwrap();
    let file = path.display().to_string();
    let of_file = succeeds(&with(&[&words(ELASTIC), &["--schedule", &file, "--format", "json"]]));
    let of_line = succeeds(&with(&[&words(ELASTIC), &WEEK, &["--format", "json"]]));
    assert_eq!(of_file, of_line);
    std::fs::write(&path, format!("{day}{night}{night}hours = 3\n")).unwrap();
    let error = fails(3, &with(&[&words(ELASTIC), &["--schedule", &file]]));
    assert!(error.contains("week.toml:13") && error.contains("hours"), "{error}");
}

#[test]
fn wrong_schedules_and_durations_are_usage_errors_all_at_once() {
    let error = fails(
        2,
        &with(&[
            &words(ELASTIC),
            &["--schedule", "2 nodes 08:00-20:00, 8 nodes 19:00-08:00", "--scale-cost", "soon"],
        ]),
    );
    assert!(error.contains("overlaps") && error.contains("--scale-cost"), "{error}");
    let error =
        fails(2, &words("simulate --params 7B --tokens 1B --gpu t4 --gpus 8 --interruptions-every 0s"));
    assert!(error.contains("--interruptions-every"), "{error}");
}

#[test]
fn a_schedule_on_nodes_too_small_for_the_job_exits_with_the_reason() {
    let line = "simulate --params 70B --tokens 1B --cluster aws/p3.2xlarge@us-east-1:1 --schedule";
    let output = advise(&with(&[&words(line), &["1 node 08:00-20:00, 2 nodes 20:00-08:00"]]));
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("does not fit"), "{}", stdout(&output));
}

/// A convolutional network on an A100 node with a V100 node added.
const MIXED: &str = "simulate --model resnet-50 --dataset imagenet-1k --epochs 90 --cluster aws/p4d.24xlarge@us-east-1:1 \
                     --cluster aws/p3dn.24xlarge@us-east-1:1 --as-of 2026-11-30";

#[test]
fn a_slow_node_added_to_a_fast_one_gets_the_smaller_share_and_the_warning() {
    let (code, answer) = json(MIXED);
    assert_eq!(code, 0);
    crate::schema::check("mixed", &serde_json::to_string(&answer).unwrap());
    let (equal, best) = (&answer["equal"], &answer["by_speed"]);
    let step = |v: &serde_json::Value| v["step_time_s"].as_f64().unwrap();
    assert!(step(best) < step(equal));
    let shares: Vec<f64> = best["shares"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap()).collect();
    assert!(shares[0] > 0.55 && (shares[0] + shares[1] - 1.0).abs() < 1e-9, "{shares:?}");
    let shown = succeeds(&words(MIXED));
    assert!(shown.contains("split by speed"), "{shown}");
    let shown = succeeds(&with(&[&words(MIXED), &["--lang", "zh"]]));
    assert!(shown.contains("按速度切分"), "{shown}");
}

#[test]
fn nodes_of_two_providers_are_no_cluster() {
    let line = "simulate --params 1B --tokens 1B --cluster aws/p4d.24xlarge@us-east-1:1 --cluster gcp/a2-highgpu-8g@us-central1:1";
    assert!(fails(2, &words(line)).contains("share no network"));
}

#[test]
fn a_recommendation_with_spot_is_ranked_by_cost_with_interruptions_and_cost_at_p90_by_its_slow_end() {
    let job = "recommend --params 7B --tokens 100B --gpu a100,v100 --purchase spot --purchase on-demand --as-of 2026-11-30";
    for (objective, end) in [("cost", "p50"), ("cost-at-p90", "p90")] {
        let (code, answer) = json(&format!("{job} --objective {objective}"));
        assert_eq!(code, 0);
        crate::schema::check("recommend", &serde_json::to_string(&answer).unwrap());
        let risks = answer["risks"].as_array().unwrap();
        let cost = |r: &serde_json::Value| {
            r["risk"]["cost"][end]["amount"].as_str().map_or(f64::INFINITY, |a| a.parse::<f64>().unwrap())
        };
        let costs: Vec<f64> = risks.iter().map(cost).collect();
        assert!(costs.len() > 3 && costs.is_sorted(), "{objective}: {costs:?}");
        let first = &answer["candidates"][0];
        assert_eq!(first["cluster"], risks[0]["cluster"]);
    }
    assert!(succeeds(&words(&format!("{job} --risk"))).contains("Risk"));
    let plain = json("recommend --params 7B --tokens 100B --gpu a100,v100 --as-of 2026-11-30").1;
    assert_eq!(plain["risks"].as_array().unwrap().len(), 0);
}

#[test]
fn interruptible_offers_are_ranked_by_the_time_with_interruptions_which_simulate_counts_alike() {
    let job = "--params 7B --tokens 100B --purchase spot --as-of 2026-11-30";
    let asked = format!("recommend {job} --gpu a100-sxm-80gb --max-gpus 64 --provider aws");
    for objective in ["time", "balanced"] {
        let answer = json(&format!("{asked} --objective {objective}")).1;
        let (first, risk) = (&answer["candidates"][0], &answer["risks"][0]["risk"]);
        let elsewhere = json(&format!("{asked} --objective {objective} --region aws:eu-central-1")).1;
        // The same nodes, of which fewer are taken back.
        let calendar = |answer: &serde_json::Value| {
            let first = &answer["candidates"][0];
            first["calendar_time_s"]["p50"].as_f64().unwrap()
        };
        if objective == "time" {
            assert!(calendar(&answer) <= calendar(&elsewhere), "{first}");
        }
        let cluster = first["cluster"].as_str().unwrap();
        let alone = &json(&format!("simulate {job} --cluster {cluster}")).1["risk"];
        for key in ["interruptions", "expected_time_s", "between_interruptions_s"] {
            near(&alone[key], risk[key].as_f64().unwrap(), 1e-9);
        }
        near(
            &risk["interruptions"],
            risk["expected_time_s"].as_f64().unwrap() / risk["between_interruptions_s"].as_f64().unwrap(),
            1e-9,
        );
    }
    let page = succeeds(&words(&format!("{asked} --objective time --details")));
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("ranked by time, interruptions included"), "{page}");
}

#[test]
fn a_stated_deadline_has_its_chance_in_the_answer() {
    let line = "recommend --params 7B --tokens 100B --gpu a100 --deadline 20d --as-of 2026-11-30";
    assert!(succeeds(&words(line)).contains("(chance "));
    let share = json(line).1["risks"][0]["risk"]["deadline_probability"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&share));
}

/// P50 of the time with interruptions in hours, of the cost, and the nodes, of each row of a block.
fn rows(answer: &serde_json::Value, block: &str) -> Vec<(f64, f64, f64)> {
    let rows = answer["candidates"].as_array().unwrap().iter().filter(|c| c["block"] == block);
    let number = |v: &serde_json::Value| v.as_f64().unwrap();
    rows.map(|c| {
        let cost = c["cost"]["p50"]["amount"].as_str().map_or(f64::NAN, |a| a.parse().unwrap());
        (number(&c["calendar_time_s"]["p50"]) / 3600.0, cost, number(&c["nodes"]))
    })
    .collect()
}

/// Of a block.
fn price(candidate: &serde_json::Value) -> f64 {
    candidate["price"]["per_node_hour"]["amount"].as_str().unwrap().parse().unwrap()
}

#[test]
fn limits_hold_for_the_time_and_the_cost_with_interruptions() {
    let job = "recommend --params 7B --tokens 10B --gpu a100 --purchase spot --as-of 2026-11-30";
    let out = |answer: &serde_json::Value, reason: &str| {
        let all = answer["rejections"].as_array().unwrap();
        all.iter().find(|r| r["reason"] == reason).map_or(0, |r| r["count"].as_u64().unwrap())
    };
    let calm = json(&format!("{job} --deadline 30d --max-gpus 64")).1;
    let (code, stormy) = json(&format!("{job} --deadline 30d --max-gpus 64 --interruptions-every 5min"));
    assert_eq!(code, 0);
    assert!(out(&stormy, "deadline") > out(&calm, "deadline") + 50, "{}", stormy["rejections"]);
    let stormy_rows = rows(&stormy, "A");
    assert!(!stormy_rows.is_empty() && stormy_rows.iter().all(|(hours, ..)| *hours <= 720.0));
    // A restart of 12 min every 5 min: e^(12/5) = 11 times as long at least, and paid.
    for candidate in stormy["candidates"].as_array().unwrap().iter().filter(|c| c["block"] == "A") {
        let seconds = |key: &str| candidate[key]["p50"].as_f64().unwrap();
        assert!(seconds("calendar_time_s") > 11.0 * seconds("total_time_s"));
        let paid =
            price(candidate) * candidate["nodes"].as_f64().unwrap() * seconds("calendar_time_s") / 3600.0;
        near(
            &candidate["cost"]["p50"]["amount"].as_str().unwrap().parse::<f64>().unwrap().into(),
            paid,
            0.02,
        );
    }
    // What fits a budget undisturbed does not with interruptions every 5 min.
    let affordable = format!("{job} --budget 1000USD");
    assert_eq!(json(&affordable).0, 0);
    let (code, dear) = json(&format!("{affordable} --interruptions-every 5min"));
    assert_eq!(code, 4);
    assert!(out(&dear, "budget") > 100);
}

#[test]
fn interrupted_faster_than_it_restarts_a_job_never_ends_and_passes_no_limit() {
    let line = "recommend --params 7B --tokens 10B --gpu a100 --purchase spot --interruptions-every 5s --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 4);
    assert_eq!(answer["candidates"].as_array().unwrap().len(), 0);
    assert_eq!(answer["rejections"][0]["reason"], "never_ends");
    assert!(advise(&words(line)).stdout.starts_with(b"Job"));
}

#[test]
fn the_most_that_a_week_on_spot_trains_is_less_with_interruptions() {
    let most = |more: &str| {
        let line = format!(
            "recommend --params 7B --gpu a100 --purchase spot --deadline 7d --max-gpus 64 {more} --as-of 2026-11-30"
        );
        json(&line).1["job"]["length"]["tokens"].as_f64().unwrap()
    };
    // e^(12/60) of restarts alone.
    assert!(most("--interruptions-every 1h") < most("") / 1.22);
}

#[test]
fn the_balance_orders_by_cost_times_time_which_is_neither_order_alone() {
    let line = "recommend --params 7B --tokens 100B --gpu a100,v100,h100 --purchase spot --objective balanced --as-of 2026-11-30";
    let answer = json(line).1;
    let risks = answer["risks"].as_array().unwrap();
    let of = |r: &serde_json::Value| {
        let cost: f64 = r["risk"]["cost"]["p50"]["amount"].as_str().unwrap().parse().unwrap();
        (cost, r["risk"]["time_s"]["p50"].as_f64().unwrap())
    };
    // What stands on an unknown network comes after the known, whatever it takes.
    let known = |r: &&serde_json::Value| {
        let row = answer["candidates"].as_array().unwrap().iter().find(|c| c["cluster"] == r["cluster"]);
        row.is_some_and(|c| c["nodes"] == 1 || c["network"]["known"] == true)
    };
    let values: Vec<(f64, f64)> = risks.iter().filter(known).map(of).collect();
    assert!(values.len() > 3);
    let products: Vec<f64> = values.iter().map(|(cost, time)| cost * time).collect();
    assert!(products.is_sorted(), "{products:?}");
    assert!(!values.iter().map(|v| v.0).is_sorted(), "in the order of cost: {values:?}");
    assert!(!values.iter().map(|v| v.1).is_sorted(), "in the order of time: {values:?}");
}

#[test]
fn the_balanced_break_even_price_counts_the_interruptions_of_both() {
    let line = "recommend --params 7B --tokens 100B --gpu a100 --purchase spot --interruptions-every 1h --objective balanced \
                --as-of 2026-11-30";
    let answer = json(line).1;
    let (hours, cost, _) = rows(&answer, "A")[0];
    let unpriced = answer["candidates"].as_array().unwrap().iter().filter(|c| c["block"] == "B");
    let mut seen = 0;
    for candidate in unpriced.filter(|c| !c["break_even_price_per_node_hour"].is_null()) {
        let even: f64 =
            candidate["break_even_price_per_node_hour"]["amount"].as_str().unwrap().parse().unwrap();
        let number = |key: &str| candidate[key].as_f64().unwrap();
        // Stated interruptions are paid by all: price x node-hours x hours is the winner's cost x hours.
        let own = number("gpu_hours") * number("nodes") / number("gpus");
        let calendar = candidate["calendar_time_s"]["p50"].as_f64().unwrap() / 3600.0;
        near(&(own / number("nodes")).into(), calendar, 1e-9);
        near(&(even * own * calendar).into(), cost * hours, 0.02);
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}
