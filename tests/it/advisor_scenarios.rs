//! Questions of customers with an answer that can be checked by hand, as the advisor answers them.

use serde_json::Value;

use crate::program::{advise_in, json, stderr, succeeds, words};

fn winner(answer: &Value) -> (String, String) {
    let first = &answer["candidates"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&first["cluster"]), text(&first["price"]["purchase"]))
}

/// Hours of a job as the answer has them.
fn hours(answer: &Value) -> f64 {
    answer["candidates"][0]["total_time_s"]["p50"].as_f64().expect("a time") / 3600.0
}

#[test]
fn a_month_is_cheaper_than_the_hour_from_exactly_360_hours_on() {
    // S25: 30 per hour or 10,800 per month break even at 360 h. A measured step of 36 s makes the hours: 100 steps each.
    let folder = tempfile::tempdir().expect("a folder");
    let price = |purchase: &str, price: &str| {
        format!(
            "[[price]]\ninstance = \"aws/p4d.24xlarge\"\npurchase = \"{purchase}\"\n{price}\nas_of = \"2026-11-28\"\nsource = \"list\"\n"
        )
    };
    let book = price("on_demand", "price_per_hour = \"30 USD/h\"")
        + &price("monthly", "price_per_month = \"10800 USD/month\"");
    std::fs::write(folder.path().join("book.toml"), book).expect("a price book");
    let asked = |steps: u32| {
        let line = format!(
            "recommend --params 7B --steps {steps} --provider aws --gpu a100-sxm-40gb --max-gpus 8 --purchase on-demand --purchase \
             monthly --price-book book.toml --as-of 2026-11-30 --format json"
        );
        let mut arguments = words(&line);
        arguments.extend(["--measured", "step=36s on aws/p4d.24xlarge:1"]);
        let output = advise_in(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let (before, after) = (asked(35_900), asked(36_100));
    assert!((hours(&before) - 359.0).abs() < 0.01 && (hours(&after) - 361.0).abs() < 0.01);
    assert_eq!(winner(&before).1, "on_demand");
    assert_eq!(winner(&after).1, "monthly");
}

#[test]
fn seven_billion_on_140_billion_tokens_in_seven_days_need_nine_nodes_at_45_percent() {
    // S27: 6 x 6.74e9 x 140e9 FLOP on 64 A100 at 45 % of 312 TFLOP/s take 7.29 d, on 72 6.48 d. At that utilization a step of
    // 1024 x 2048 tokens takes 9.44 s on 64. The batch is the usual one and adapts to each number of nodes: 1152 on nine.
    let line = |more: &str| {
        format!(
            "simulate --params 7B --tokens 140B --sequence-length 2048 --cluster aws/p4de.24xlarge:{more} \
             --as-of 2026-11-30 --format json"
        )
    };
    let asked = |more: &str| {
        let line = line(more);
        let mut arguments = words(&line);
        arguments.extend(["--measured", "step=9.44s on aws/p4de.24xlarge:8"]);
        serde_json::from_str::<Value>(&succeeds(&arguments)).expect("JSON")
    };
    let days = asked("8")["total_time_s"]["p50"].as_f64().expect("a time") / 86_400.0;
    assert!((days - 7.29).abs() < 0.02, "{days}");
    let nodes = |unknown: &str| {
        asked(&format!("16 --deadline 7d --solve {unknown}"))["solved"]["value"].as_f64().expect("a number")
    };
    let (median, slow_end) = (nodes("deadline-nodes"), nodes("deadline-nodes-p90"));
    assert!(median == 9.0 && slow_end >= median, "{median} {slow_end}");
}

#[test]
fn a_deadline_of_seven_days_is_met_by_the_fewest_nodes_that_the_search_tries() {
    // S27 as a search: the cheapest that meets it, and one size less does not.
    let line = "recommend --params 7B --tokens 140B --gpu a100-sxm-80gb --provider aws --deadline 7d --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 0);
    assert!(hours(&answer) <= 7.0 * 24.0);
    let gpus = answer["candidates"][0]["gpus"].as_u64().expect("GPUs");
    let late =
        answer["rejections"].as_array().expect("rejections").iter().find(|r| r["reason"] == "deadline");
    let late = &late.expect("a smaller cluster is too slow")["nearest"];
    assert!(late["cluster"].as_str().is_some_and(|c| c.starts_with("aws/p4de.24xlarge")), "{late}");
    let nodes: u64 =
        late["cluster"].as_str().and_then(|c| c.rsplit_once(':')?.1.parse().ok()).expect("nodes");
    assert!(nodes * 8 < gpus, "{nodes} {gpus}");
}

#[test]
fn thirty_thousand_yuan_and_seven_days_train_so_many_tokens_and_no_more_anywhere() {
    let money = "--currency CNY --fx CNY=7.1@2026-11-28 --as-of 2026-11-30";
    let line = format!("recommend --params 7B --gpu a100 --budget 30000CNY --deadline 7d {money}");
    let (code, answer) = json(&line);
    assert_eq!(code, 0);
    let tokens = answer["job"]["length"]["tokens"].as_f64().expect("tokens");
    let first = &answer["candidates"][0];
    let cost: f64 = first["cost"]["p50"]["amount"].as_str().and_then(|a| a.parse().ok()).expect("a cost");
    assert!(cost <= 30_000.0 && hours(&answer) <= 7.0 * 24.0, "{cost} {}", hours(&answer));
    // One of the two limits is used up, and 2 % more pass nowhere.
    assert!(cost > 29_500.0 || hours(&answer) > 6.9 * 24.0, "{cost} {}", hours(&answer));
    let more = format!("{line} --tokens {:.0}", tokens * 1.02);
    let (_, more) = json(&more);
    assert!(more["candidates"].as_array().expect("rows").iter().all(|c| c["block"] == "B"));
    let text = succeeds(&words(&line));
    assert!(text.contains("tokens* ") && text.contains("--tokens "), "{text}");
}

#[test]
fn a_week_trains_whole_epochs_of_a_data_set() {
    let line = "recommend --model resnet-50 --dataset imagenet-1k --gpu v100 --max-gpus 8 --deadline 1d --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 0);
    let epochs = answer["job"]["length"]["epochs"]["epochs"].as_f64().expect("epochs");
    assert!(epochs >= 1.0 && epochs.fract() == 0.0 && hours(&answer) <= 24.0, "{epochs}");
    let (code, _) = json(&format!("{line} --epochs {}", epochs + 1.0));
    // One epoch more takes longer than a day on everything on sale.
    let rows = json(&format!("{line} --epochs {}", epochs + 1.0)).1;
    let rows = rows["candidates"].as_array().expect("rows").clone();
    assert!(code == 4 || rows.iter().all(|c| c["block"] == "B"), "{code}");
}

#[test]
fn a_longest_training_needs_no_placeholder_length() {
    let line = "simulate --params 7B --cluster aws/p4d.24xlarge@us-east-1:2 --deadline 3d --solve length --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 0);
    let (_, given) = json(&line.replace("--params 7B", "--params 7B --tokens 1B"));
    assert_eq!(answer["solved"], given["solved"]);
    assert!(answer["job"]["length"]["tokens"].as_f64().is_some_and(|t| t > 1e9), "{}", answer["job"]);
}
