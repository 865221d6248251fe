//! What the main job must show, line by line: published results, feasibility, prices, places, determinism.

use serde_json::Value;

use crate::program::{advise, fails, json, program, stderr, stdout, succeeds, with, words};

/// The day of every question.
const AS_OF: &str = "--as-of 2026-11-30";
const SEVEN_B: &str = "recommend --params 7B --tokens 100B --as-of 2026-11-30";

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is no list in {value}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is no number in {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is no text in {value}"))
}

/// Bytes of an item of the memory table.
fn item(answer: &Value, name: &str) -> f64 {
    let items = list(&answer["memory"], "items");
    items.iter().filter(|i| i["name"] == name).map(|i| number(i, "bytes")).sum()
}

fn block<'a>(answer: &'a Value, name: &str) -> Vec<&'a Value> {
    list(answer, "candidates").iter().filter(|c| c["block"] == name).collect()
}

#[test]
fn one_sentence_gives_a_ranked_priced_and_plotted_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = format!("{SEVEN_B} --gpu a100,v100 --plot out.svg");
    let output = program(folder.path()).args(words(&line)).output().expect("the program starts");
    let screen = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for word in ["Job ", "Limits ", "Answer ", "Why ", "Trust ", "A  priced", "B  no price", "C  out", "P90"]
    {
        assert!(screen.contains(word), "{word:?} is missing in\n{screen}");
    }
    assert!(screen.contains("v100: no bf16, fp16") && screen.contains("no FlashAttention-2"), "{screen}");
    for row in screen.lines().filter(|l| l.contains(" v100-")).filter(|l| l.contains(" d ")) {
        assert!(row.contains("fp16") && !row.contains("bf16"), "{row}");
    }
    let plot = std::fs::read_to_string(folder.path().join("out.svg")).expect("the plot");
    assert!(plot.trim_start().starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
    assert!(stderr(&output).contains("out.svg"), "a remark says where the plot is");
    let quiet =
        program(folder.path()).args(words(&line)).arg("--quiet").output().expect("the program starts");
    assert!(quiet.stderr.is_empty(), "--quiet leaves no remark: {}", stderr(&quiet));
}

#[test]
fn v100_rows_are_fp16_and_what_is_gone_or_unpriced_is_never_ranked() {
    let (code, answer) = json(&format!("{SEVEN_B} --gpu a100,v100"));
    assert_eq!(code, 0);
    let (ranked, unpriced) = (block(&answer, "A"), block(&answer, "B"));
    assert!(ranked.len() > 20 && unpriced.len() > 20, "{} and {}", ranked.len(), unpriced.len());
    for candidate in ranked.iter().chain(&unpriced) {
        let expected = if text(candidate, "gpu").starts_with("v100") { "fp16" } else { "bf16" };
        assert_eq!(candidate["plan"]["precision"], expected, "{}", candidate["cluster"]);
        let status = text(candidate, "status");
        assert!(!["retired", "withdrawn"].contains(&status), "{} is {status}", candidate["cluster"]);
    }
    for candidate in &ranked {
        let cost: f64 = text(&candidate["cost"]["p50"], "amount").parse().expect("an amount");
        assert!(cost > 0.0 && text(candidate, "status") != "unverified", "{candidate}");
    }
    for gpu in ["a100", "v100"] {
        assert!(ranked.iter().any(|c| text(c, "gpu").starts_with(gpu)), "{gpu} is not ranked");
    }
    let out: f64 = list(&answer, "rejections").iter().map(|r| number(r, "count")).sum();
    assert_eq!(
        number(&answer, "considered"),
        number(&answer, "feasible") + out,
        "every candidate is in or out"
    );
    let gone = list(&answer, "rejections").iter().find(|r| r["reason"] == "gone").expect("some are retired");
    assert!(number(gone, "count") >= 1.0);
}

#[test]
fn two_offers_of_one_type_are_told_apart_by_region_and_country() {
    let (_, answer) = json(&format!("{SEVEN_B} --gpu a100,v100"));
    let ranked = block(&answer, "A");
    let mut clusters: Vec<String> =
        ranked.iter().map(|c| format!("{} {}", c["cluster"], c["place"])).collect();
    clusters.sort();
    let all = clusters.len();
    clusters.dedup();
    assert_eq!(clusters.len(), all, "two rows cannot be told apart");
    assert!(
        clusters.iter().any(|c| c.contains("@us-east-1") && c.contains("aws:us-east-1 (N. Virginia, US)"))
    );
}

#[test]
fn gpt_3_on_1024_a100_takes_34_days_within_15_percent() {
    // Narayanan et al. 2021: 175B parameters, 300B tokens, 1024 A100, 34 days at 140 TFLOP/s per GPU.
    let (code, answer) = json(&format!(
        "simulate --model gpt3-175b --tokens 300B --gpu a100-sxm-80gb --gpus 1024 --tensor-parallel 8 \
         --pipeline-parallel 8 --global-batch 1536 --recompute full --precision fp16 --framework megatron {AS_OF}"
    ));
    assert_eq!(code, 0);
    let days = number(&answer["total_time_s"], "p50") / 86_400.0;
    assert!((days / 34.0 - 1.0).abs() < 0.15, "{days} days");
}

#[test]
fn seven_billion_parameters_on_eight_v100_fit_with_zero3_and_recompute_only() {
    let ladder = |sharding: &str, recompute: &str| {
        json(&format!(
            "simulate --params 7B --tokens 100B --gpu v100-sxm2-32gb --gpus 8 --sequence-length 2048 --micro-batch 1 \
             --framework deepspeed --sharding {sharding} --recompute {recompute} {AS_OF}"
        ))
    };
    for (sharding, recompute) in
        [("none", "none"), ("none", "full"), ("zero1", "full"), ("zero2", "full"), ("zero3", "none")]
    {
        let (code, answer) = ladder(sharding, recompute);
        assert_eq!((code, &answer["memory"]["verdict"]), (4, &"no".into()), "{sharding} {recompute}");
        assert!(!text(&answer["memory"], "breaking").is_empty());
        assert!(number(&answer["blocked"], "excess_share") > 0.0, "{sharding} {recompute}");
        assert!(number(&answer["memory"], "peak_bytes") > number(&answer["memory"], "usable_bytes"));
    }
    let (code, answer) = ladder("zero3", "full");
    assert_eq!((code, &answer["memory"]["verdict"]), (0, &"fits".into()));
    // 16 bytes per parameter without sharding; ZeRO-2 keeps 2 + 18/8 of them.
    let parameters = 6.738e9;
    let states = |answer: &Value| {
        ["weights", "gradients", "optimizer_states"].iter().map(|name| item(answer, name)).sum::<f64>()
    };
    assert!((states(&ladder("none", "full").1) / (16.0 * parameters) - 1.0).abs() < 0.01);
    assert!((states(&ladder("zero2", "full").1) / (4.25 * parameters) - 1.0).abs() < 0.01);
    assert!((states(&answer) / (2.0 * parameters) - 1.0).abs() < 0.01);
    let shown = advise(&words(&format!(
        "simulate --params 7B --tokens 100B --gpu v100-sxm2-32gb --gpus 8 --sharding zero1 --recompute full \
         --micro-batch 1 --sequence-length 2048 --framework deepspeed {AS_OF}"
    )));
    let shown = stdout(&shown);
    assert!(shown.contains("GiB too much") && shown.contains("passed with"), "{shown}");
}

#[test]
fn seventy_billion_parameters_have_1_10_terabytes_of_states() {
    let (code, answer) =
        json(&format!("simulate --params 70B --tokens 1T --gpu a100-sxm-80gb --gpus 512 {AS_OF}"));
    assert_eq!(code, 0);
    let each = &answer["memory"]["bytes_per_parameter"];
    let bytes: f64 = ["weights", "gradients", "optimizer_states"].iter().map(|k| number(each, k)).sum();
    let terabytes = bytes * number(&answer["job"], "parameters") / 1e12;
    assert!((terabytes / 1.10 - 1.0).abs() < 0.03, "{terabytes} TB");
}

#[test]
fn llama_3_8b_keeps_34_gigabytes_of_inputs_at_131072_tokens() {
    // 32 layers x 131,072 tokens x 4096 x 2 bytes = 34.36e9.
    let (_, answer) = json(&format!(
        "simulate --model llama3-8b --tokens 1B --gpu h100-sxm --gpus 8 --sequence-length 131072 --recompute full \
         --micro-batch 1 --tensor-parallel 1 --pipeline-parallel 1 --context-parallel 1 --global-batch 8 {AS_OF}"
    ));
    let inputs = item(&answer, "checkpointed_inputs") / 1e9;
    assert!((inputs - 34.36).abs() < 0.01, "{inputs} GB");
}

#[test]
fn a_precision_that_no_gpu_has_exits_with_four_and_names_the_alternatives() {
    for (precision, gpu, possible) in
        [("fp8", "a100", "fp32, tf32, fp16, bf16"), ("bf16", "v100", "fp32, fp16")]
    {
        let output = advise(&words(&format!("{SEVEN_B} --precision {precision} --gpu {gpu}")));
        let screen = stdout(&output);
        assert_eq!(output.status.code(), Some(4), "{screen}");
        let unwrapped = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unwrapped.contains(&format!("cannot do {precision} (it can do {possible})")), "{screen}");
        assert!(unwrapped.contains("Hint leave --precision out, or take another GPU"), "{screen}");
        let (code, answer) = json(&format!("{SEVEN_B} --precision {precision} --gpu {gpu}"));
        assert_eq!(code, 4);
        let names: Vec<&str> = possible.split(", ").collect();
        let reason = list(&answer, "rejections").iter().find(|r| r["reason"] == "precision");
        assert_eq!(reason.expect("a reason")["nearest"]["possible_precisions"], serde_json::json!(names));
        let one = if gpu == "a100" { "a100-sxm-80gb" } else { "v100-sxm2-32gb" };
        let line = format!("simulate --params 7B --tokens 100B --precision {precision} --gpu {one} --gpus 8");
        let simulated = stdout(&advise(&words(&line)));
        assert!(simulated.contains(&format!("it can do {possible}")), "{simulated}");
    }
}

#[test]
fn one_a100_node_against_one_v100_node_has_a_speed_up_and_a_break_even_ratio() {
    for job in
        ["--model bert-large-uncased --steps 100k", "--model resnet-50 --dataset imagenet-1k --epochs 90"]
    {
        let line =
            format!("compare {job} --cluster aws/p3dn.24xlarge:1 --cluster aws/p4d.24xlarge:1 {AS_OF}");
        let (code, answer) = json(&line);
        assert_eq!(code, 0);
        let ratio = &list(&answer, "ratios")[1];
        let speed_up = &ratio["speed_up"];
        let [p10, p50, p90] = ["p10", "p50", "p90"].map(|q| number(speed_up, q));
        assert!(1.2 < p50 && p50 < 5.0, "{job}: an A100 is {p50} times a V100");
        assert!(p10 < p50 && p50 < p90, "{job}: {p10} {p50} {p90}");
        // One node against one: the price ratio below which the A100 is the cheaper is the speed-up itself.
        assert!((number(ratio, "break_even_price_ratio") / p50 - 1.0).abs() < 1e-9);
        let screen = succeeds(&words(&line));
        assert!(screen.contains("speed-up") && screen.contains("Break-even price ratio"), "{screen}");
    }
}

#[test]
fn offers_without_a_price_are_in_block_b_and_cost_nothing_is_never_said() {
    let line = format!("{SEVEN_B} --provider huawei-cloud,otc");
    let (code, answer) = json(&line);
    assert_eq!(code, 0);
    let unpriced = block(&answer, "B");
    for name in ["huawei-cloud/p2s.", "huawei-cloud/p2v.", "otc/p2s.", "otc/p2v.", "otc/p3."] {
        let row = unpriced.iter().find(|c| text(c, "cluster").starts_with(name));
        let row = row.unwrap_or_else(|| panic!("{name} is not in block B"));
        assert!(row["cost"].is_null() && row["price"].is_null(), "{row}");
        assert!(number(row, "gpu_hours") > 0.0 && number(&row["total_time_s"], "p50") > 0.0);
        let wins: f64 = text(&row["break_even_price_per_node_hour"], "amount").parse().expect("an amount");
        assert!(wins > 0.0, "{row}");
    }
    let screen = succeeds(&words(&format!("{line} --details")));
    for word in ["p2s.", "p2v.", "p3.", "no price", "even at", "GPU-hours", "TCP"] {
        assert!(screen.contains(word), "{word} is missing in\n{screen}");
    }
    assert!(!screen.contains(" 0 USD") && !screen.contains("0.00 USD"), "{screen}");
    // A budget is no way into the ranking for what has no price.
    let (code, within) = json(&format!("{line} --budget 1000000USD"));
    assert_eq!(code, 4);
    assert_eq!(block(&within, "A").len(), block(&answer, "A").len());
    assert_eq!(block(&within, "B").len(), unpriced.len());
}

#[test]
fn a_price_of_the_user_moves_an_offer_to_the_ranking() {
    let line = format!("{SEVEN_B} --provider huawei-cloud,otc");
    let (code, answer) = json(&format!("{line} --price huawei-cloud/p2s.8xlarge.8=5USD/h"));
    assert_eq!(code, 0);
    let ranked = block(&answer, "A");
    assert!(!ranked.is_empty());
    for row in ranked {
        assert!(text(row, "cluster").starts_with("huawei-cloud/p2s.8xlarge.8"), "{row}");
        assert_eq!(
            (&row["price"]["origin"], &row["price"]["per_node_hour"]["amount"]),
            (&"user".into(), &"5".into())
        );
    }
}

#[test]
fn a_country_keeps_what_is_there_and_drops_namesakes_and_unstated_places() {
    let (code, answer) = json(&format!("{SEVEN_B} --gpu a100,v100 --country SG"));
    assert_eq!(code, 0);
    let candidates = list(&answer, "candidates");
    for candidate in candidates {
        assert!(text(candidate, "place").ends_with("(Singapore, SG)"), "{candidate}");
        assert!(!text(candidate, "place").starts_with("aws:ap-southeast-3"));
    }
    for place in ["aws:ap-southeast-1", "huawei-cloud:ap-southeast-3"] {
        assert!(candidates.iter().any(|c| text(c, "place").starts_with(place)), "{place} is missing");
    }
    let error = fails(2, &words(&format!("{SEVEN_B} --region ap-southeast-3")));
    assert!(error.contains("aws:ap-southeast-3 (Jakarta, ID)"), "{error}");
    assert!(error.contains("huawei-cloud:ap-southeast-3 (Singapore, SG)"), "{error}");
}

#[test]
fn the_same_command_gives_the_same_bytes_at_any_thread_count() {
    for line in [
        format!("{SEVEN_B} --gpu a100,v100 --format json --plot out.svg"),
        format!(
            "compare --params 7B --tokens 10B --cluster aws/p4d.24xlarge:4 --cluster v100-sxm2-32gb:64 {AS_OF}"
        ),
        format!("simulate --params 7B --tokens 10B --gpu a100-sxm-80gb --gpus 64 --format json {AS_OF}"),
    ] {
        let answers: Vec<(Vec<u8>, Option<Vec<u8>>)> = ["1", "2", "1", "2"]
            .iter()
            .map(|threads| {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let output = program(folder.path()).args(words(&line)).args(["--threads", threads]).output();
                (
                    output.expect("the program starts").stdout,
                    std::fs::read(folder.path().join("out.svg")).ok(),
                )
            })
            .collect();
        assert!(answers[0].0.len() > 500, "{line}");
        assert!(answers.iter().all(|a| *a == answers[0]), "{line}");
    }
}

#[test]
fn a_hundred_megabytes_of_garbage_are_refused_with_a_word() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("garbage.toml");
    std::fs::write(&path, vec![b'#'; 100_000_000]).expect("the file is written");
    let path = path.display().to_string();
    for flag in ["--job", "--price-book", "--profile"] {
        let output =
            advise(&with(&[&words("simulate --params 7B --tokens 1B --gpu t4 --gpus 8"), &[flag, &path]]));
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{flag}: {error}");
        assert!(
            !error.contains("panicked") && error.contains("garbage.toml") && error.len() < 10_000,
            "{flag}"
        );
    }
}

#[test]
fn a_seller_sees_what_he_sells_first_and_breaks_even_against_the_market() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("seller.toml"), "sells = [\"huawei-cloud\"]\n").expect("the file");
    let line = format!("{SEVEN_B} --gpu a100,v100 --seller seller.toml --format json");
    let output = program(folder.path()).args(words(&line)).output().expect("the program starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(block(&answer, "A").is_empty(), "nothing of huawei-cloud has a price");
    let unpriced = block(&answer, "B");
    let own = unpriced.iter().take_while(|c| text(c, "cluster").starts_with("huawei-cloud/")).count();
    let all = unpriced.iter().filter(|c| text(c, "cluster").starts_with("huawei-cloud/")).count();
    assert!(own > 3 && own == all, "{own} of {all} come first");
    assert!(unpriced.iter().all(|c| !c["break_even_price_per_node_hour"].is_null()));
}
