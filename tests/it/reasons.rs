//! What would flip the choice does flip it when it is asked for, and what a runner-up lacks adds up.

use serde_json::Value;

use crate::program::{fails, json, succeeds, words};

const DAY: &str = "--as-of 2026-11-30";

fn asked(question: &str) -> Value {
    let (code, answer) = json(&format!("recommend {question} {DAY}"));
    assert_eq!(code, 0, "{question}");
    answer
}

fn winner(answer: &Value) -> &str {
    answer["candidates"][0]["cluster"].as_str().expect("a winner")
}

fn flip<'a>(answer: &'a Value, kind: &str) -> &'a Value {
    let flips = answer["flips"].as_array().expect("flips");
    flips.iter().find(|f| f["kind"] == kind).unwrap_or_else(|| panic!("{kind}: {flips:?}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} of {value}"))
}

#[test]
fn the_price_cut_that_flips_the_choice_is_just_enough() {
    let question = "--params 30B --tokens 100B --gpu a100";
    let answer = asked(question);
    let flip = flip(&answer, "price");
    let cluster = flip["cluster"].as_str().expect("a cluster");
    let name = cluster.rsplit_once(':').expect("nodes").0;
    let row = answer["candidates"].as_array().expect("rows").iter().find(|c| c["cluster"] == cluster);
    let price = &row.expect("the runner-up is ranked")["price"]["per_node_hour"];
    let now: f64 = price["amount"].as_str().and_then(|a| a.parse().ok()).expect("a price");
    let change = number(flip, "price_change_share");
    for (extra, wins) in [(-0.005, true), (0.005, false)] {
        let price = now * (1.0 + change + extra);
        let then = asked(&format!("{question} --price {name}={price:.4}USD/h"));
        assert_eq!(winner(&then).starts_with(name), wins, "{name} at {price}: {}", winner(&then));
    }
}

#[test]
fn a_deadline_just_below_the_winners_time_makes_the_named_cluster_win() {
    let question = "--params 30B --tokens 100B --gpu a100";
    let flip = flip(&asked(question), "shorter_deadline").clone();
    let then = asked(&format!("{question} --deadline {}s", number(&flip, "below_s") - 1.0));
    assert_eq!(winner(&then), flip["cluster"]);
    let later = asked("--params 30B --tokens 100B --gpu a100 --deadline 200d");
    assert_eq!(winner(&later), self::flip(&asked(question), "longer_deadline")["cluster"]);
}

#[test]
fn twice_the_sequence_makes_the_named_cluster_win() {
    let question = "--params 7B --tokens 20B --gpu l4,v100";
    let flip = flip(&asked(question), "longer_sequence").clone();
    let then = asked(&format!("{question} --sequence-length {}", flip["to_tokens"]));
    assert_eq!(winner(&then), flip["cluster"]);
    assert_ne!(winner(&then), winner(&asked(question)));
}

#[test]
fn twice_the_network_makes_the_named_cluster_cheaper_than_the_winner() {
    let answer = asked("--params 70B --tokens 100B --gpu a100,v100");
    let flip = flip(&answer, "wider_network");
    let (cluster, gigabit) =
        (flip["cluster"].as_str().expect("a cluster"), number(flip, "to_bytes_per_s") * 8.0 / 1e9);
    let cost = |answer: &Value| -> f64 {
        answer["cost"]["p50"]["amount"].as_str().and_then(|a| a.parse().ok()).expect("a cost")
    };
    let change = format!("network_bandwidth={gigabit}Gb/s");
    let line = format!("whatif --params 70B --tokens 100B --cluster {cluster} --set {change} {DAY}");
    let (_, changed) = json(&line);
    let now = cost(&answer["candidates"][0]);
    let then = number(&changed["after"]["figures"]["cost"], "p50");
    assert!(then < now, "{then} against {now}");
    assert!((then / now / number(flip, "cost_ratio") - 1.0).abs() < 1e-3, "{then} {now} {flip}");
}

#[test]
fn a_cluster_on_an_unstated_network_flips_nothing_by_its_price_but_by_a_statement() {
    let answer = asked("--params 3B --tokens 50B --gpu v100");
    let stated = flip(&answer, "network_stated");
    assert!(number(stated, "cost_ratio") < 1.0);
    let unknown = |label: &Value| {
        let rows = answer["candidates"].as_array().expect("rows");
        rows.iter().any(|c| c["cluster"] == *label && c["network"]["known"] == false && c["nodes"] != 1)
    };
    for kind in ["price", "shorter_deadline", "wider_network"] {
        let found = answer["flips"].as_array().expect("flips").iter().find(|f| f["kind"] == kind);
        assert!(found.is_none_or(|f| !unknown(&f["cluster"])), "{found:?}");
    }
}

#[test]
fn what_a_runner_up_lacks_is_the_largest_of_factors_that_multiply_to_its_cost() {
    let answer = asked("--params 13B --tokens 50B --provider aws,azure,gcp");
    let lacking = answer["lacking"].as_array().expect("runners-up");
    assert!(lacking.len() >= 3, "{lacking:?}");
    for row in lacking {
        let product = number(row, "price_ratio") * number(row, "gpu_hours_ratio");
        assert!((product / number(row, "cost_ratio") - 1.0).abs() < 1e-9, "{row}");
        assert!(
            number(row, "network_doubled_ratio") >= 0.999 && number(row, "memory_doubled_ratio") >= 0.999
        );
        if row["lacks"] == "price" {
            assert!(number(row, "price_ratio") > 1.0, "{row}");
        }
    }
    let text =
        succeeds(&words(&format!("recommend --params 13B --tokens 50B --provider aws --details {DAY}")));
    assert!(text.contains("What the runners-up lack"), "{text}");
}

#[test]
fn the_calendar_time_is_longer_than_training_and_has_a_day_when_the_start_is_known() {
    let answer = asked("--params 7B --tokens 100B --gpu a100");
    let first = &answer["candidates"][0];
    let (training, calendar) =
        (number(&first["total_time_s"], "p50"), number(&first["calendar_time_s"], "p50"));
    assert!(calendar > training && calendar < training * 1.2, "{training} {calendar}");
    let line = format!("recommend --params 7B --tokens 100B --gpu a100 --start 2026-12-01 {DAY}");
    let text = succeeds(&words(&line)).split_whitespace().collect::<Vec<_>>().join(" ");
    let days = (calendar / 86_400.0).floor() as i64;
    let done = jiff::civil::date(2026, 12, 1).checked_add(jiff::Span::new().days(days)).expect("a day");
    assert!(text.contains(&format!("from 2026-12-01 to {done}")), "{text}");
}

#[test]
fn a_deadline_that_is_a_day_counts_from_the_stated_start() {
    let limit = |more: &str| {
        let line =
            format!("recommend --params 7B --tokens 100B --gpu a100 --deadline 2027-01-10 {more} {DAY}");
        number(&json(&line).1["limits"], "deadline_s") / 86_400.0
    };
    // 30 November to 10 January are 41 days; from 1 January they are 9.
    assert_eq!(limit(""), 41.0);
    assert_eq!(limit("--start 2027-01-01"), 9.0);
    let past = format!("recommend --params 7B --tokens 1B --deadline 2026-12-10 --start 2026-12-20 {DAY}");
    assert!(fails(2, &words(&past)).contains("2026-12-10 is not after 2026-12-20"));
    assert!(fails(2, &words(&past.replace("2026-12-20", "soon"))).contains("--start"));
}
