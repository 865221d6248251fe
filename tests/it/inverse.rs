//! Inverse questions with a goal, and the questions that an answer leaves open.

use serde_json::Value;

use crate::program::{fails, json, succeeds, words};
use crate::schema::check;

const JOB: &str = "--params 7B --as-of 2026-11-30";
const NODE: &str = "aws/p4d.24xlarge@us-east-1";

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path);
    found.and_then(Value::as_f64).unwrap_or_else(|| panic!("no number {path} in {value:#}"))
}

fn solved(line: &str) -> (f64, Value) {
    let (code, answer) = json(line);
    assert_eq!(code, 0, "{line}");
    check("simulate", &answer.to_string());
    (number(&answer, "/solved/value"), answer)
}

#[test]
fn the_fewest_nodes_meet_the_deadline_and_one_less_does_not() {
    let line =
        |more: &str| format!("simulate {JOB} --tokens 100B --cluster {NODE}:16 --deadline 5d --solve {more}");
    let (median, _) = solved(&line("deadline-nodes"));
    let days = |nodes: f64| {
        let at =
            format!("simulate {JOB} --tokens 100B --cluster {NODE}:16 --deadline 5d --solve deadline-nodes");
        let at = at.replace(":16", &format!(":{nodes}"));
        json(&at).1
    };
    assert_eq!(number(&days(median), "/solved/value"), median);
    assert!(days(median - 1.0)["solved"]["value"].is_null(), "{median} nodes");
    let (slow, answer) = solved(&line("deadline-nodes-p90"));
    assert!(slow >= median && number(&answer, "/total_time_s/p90") <= 5.0 * 86_400.0);
    assert!(
        fails(2, &words(&format!("simulate {JOB} --tokens 1B --cluster {NODE}:2 --solve deadline-nodes")))
            .contains("--deadline")
    );
}

#[test]
fn a_budget_and_a_time_limit_train_so_many_tokens_and_no_more() {
    let line = |tokens: &str| {
        format!("simulate {JOB} {tokens} --cluster {NODE}:1 --currency CNY --fx CNY=7.1@2026-11-28")
    };
    let (tokens, answer) =
        solved(&line("--tokens 1B --budget 30000CNY --deadline 7d --solve length").replace("  ", " "));
    let paid = |answer: &Value| {
        answer["cost"]["p50"]["amount"].as_str().expect("a cost").parse::<f64>().expect("a number")
    };
    assert!(paid(&answer) <= 30_000.0 && number(&answer, "/total_time_s/p50") <= 7.0 * 86_400.0);
    // 2 % more break one of the two limits.
    let (_, more) = json(&line(&format!("--tokens {:.0}", tokens * 1.02)));
    assert!(paid(&more) > 30_000.0 || number(&more, "/total_time_s/p50") > 7.0 * 86_400.0);
    let epochs = format!(
        "simulate --model resnet-50 --dataset imagenet-1k --epochs 1 --cluster {NODE}:1 --as-of 2026-11-30 --deadline 1d --solve length"
    );
    let (epochs, answer) = solved(&epochs);
    assert!(epochs >= 1.0 && epochs.fract() == 0.0 && number(&answer, "/total_time_s/p50") <= 86_400.0);
    assert!(fails(2, &words(&line("--tokens 1B --solve length"))).contains("needs --deadline"));
    let odd = format!("simulate {JOB} --tokens 1B --cluster {NODE}:1 --budget much --solve length");
    assert!(fails(2, &words(&odd)).contains("--budget"));
}

#[test]
fn the_network_found_keeps_nine_tenths_of_linear_scaling() {
    let line = |nodes: u32, more: &str| {
        format!(
            "simulate {JOB} --tokens 100B --sequence-length 2048 --gpu a100-sxm-80gb --gpus {} {more}",
            8 * nodes
        )
    };
    let (gigabits, answer) = solved(&line(8, "--solve network-bandwidth"));
    let one = number(&json(&line(1, "")).1, "/samples_per_s");
    let scaling = |gigabits: f64| {
        let network = format!("{gigabits}Gb/s infiniband");
        let line = line(8, "");
        let arguments: Vec<&str> =
            words(&line).into_iter().chain(["--network", &network, "--format", "json"]).collect();
        let answer: Value = serde_json::from_str(&succeeds(&arguments)).expect("JSON");
        number(&answer, "/samples_per_s") / (8.0 * one)
    };
    assert!(scaling(gigabits) >= 0.9, "{gigabits}");
    assert!(gigabits == 1.0 || scaling(gigabits - 1.0) < 0.9, "{gigabits}");
    assert_eq!(number(&answer, "/cluster/network_maximum_bytes_per_s"), gigabits * 1e9 / 8.0);
}

#[test]
fn at_the_winning_price_the_cluster_costs_what_the_cheapest_other_costs() {
    let line = format!("simulate {JOB} --tokens 100B --cluster {NODE}:4 --solve winning-price");
    let (price, _) = solved(&line);
    let (_, paid) =
        json(&format!("simulate {JOB} --tokens 100B --cluster {NODE}:4 --price {NODE}={price}USD/h"));
    let cost = |v: &Value, path: &str| {
        v.pointer(path).and_then(Value::as_str).expect("a cost").parse::<f64>().expect("a number")
    };
    let own = cost(&paid, "/cost/p50/amount");
    let (_, answer) = json(&format!("recommend {JOB} --tokens 100B --deadline 3650d"));
    let best = answer["candidates"].as_array().expect("a list").iter().filter(|c| c["block"] == "A");
    let best = best.map(|c| cost(c, "/cost/p50/amount")).fold(f64::INFINITY, f64::min);
    assert!((own / best - 1.0).abs() < 0.01, "{own} against {best}");
}

#[test]
fn open_questions_are_ranked_by_what_their_answers_move() {
    let line = format!("recommend {JOB} --tokens 100B --gpu a100,v100 --ask");
    let (code, answer) = json(&line);
    assert_eq!(code, 0);
    check("ask", &answer.to_string());
    let questions = answer["questions"].as_array().expect("a list");
    assert!((1..=3).contains(&questions.len()), "{questions:?}");
    let effects = answer["effects"].as_array().expect("a list");
    assert_eq!(effects[0]["name"], questions[0]);
    // The effect is that of asking again.
    let sequence = effects.iter().find(|e| e["name"] == "sequence_length").expect("it was assumed");
    let (_, again) = json(&format!("whatif {JOB} --tokens 100B --gpu a100,v100 --set sequence_length=x2"));
    assert_eq!(sequence["time_ratio"], again["ratios"]["total_time"]);
    assert_eq!(sequence["cost_ratio"], again["ratios"]["cost"]);
    // What is given is no question.
    let (_, given) = json(&format!("{line} --sequence-length 2048 --deadline 30d"));
    let names = |v: &Value| {
        v["effects"].as_array().expect("a list").iter().map(|e| e["name"].clone()).collect::<Vec<_>>()
    };
    for name in ["sequence_length", "deadline"] {
        assert!(
            names(&answer).contains(&Value::from(name)) && !names(&given).contains(&Value::from(name)),
            "{name}"
        );
    }
    // Hardly anybody trains in FP32, however much that would move.
    assert!(!questions.contains(&Value::from("precision")), "{questions:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("tornado.svg").display().to_string();
    let mut arguments = words(&line);
    arguments.extend(["--plot", &picture]);
    succeeds(&arguments);
    let drawn = std::fs::read_to_string(&picture).expect("a picture");
    assert!(drawn.contains("What each assumed input moves") && drawn.contains("sequence length"));
    let chinese = succeeds(&words(&format!("{line} --lang zh")));
    assert!(chinese.contains("假设项") && chinese.contains('？'), "{chinese}");
}
