//! `whatif` and `diff`: what a change does, and what differs between two answers.

use serde_json::Value;

use crate::program::{advise, advise_in, fails, json, stdout, succeeds, with, words};
use crate::schema::check;

const JOB: &str = "--params 7B --tokens 100B --as-of 2026-11-30";
const ON: &str = "--cluster aws/p4d.24xlarge@us-east-1:8";

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number {path} in {value:#}"))
}

#[test]
fn a_price_ten_percent_lower_costs_nine_tenths_and_changes_no_time() {
    let (code, answer) = json(&format!("whatif {JOB} {ON} --set price=-10%"));
    assert_eq!(code, 0);
    assert!((number(&answer, "/ratios/cost") - 0.9).abs() < 1e-3, "{}", answer["ratios"]);
    assert_eq!(number(&answer, "/ratios/total_time"), 1.0);
    assert_eq!(answer["changes"][0]["value"], "-10%");
}

#[test]
fn twice_the_tokens_take_twice_the_time_and_a_relative_value_says_the_same() {
    for change in ["tokens=200B", "tokens=x2", "tokens=+100%"] {
        let (_, answer) = json(&format!("whatif {JOB} {ON} --set {change}"));
        assert!((number(&answer, "/ratios/total_time") - 2.0).abs() < 1e-3, "{change}");
        assert_eq!(number(&answer, "/ratios/step_time"), 1.0);
    }
}

#[test]
fn a_change_says_what_its_flag_says() {
    let (_, answer) = json(&format!("whatif {JOB} {ON} --set sequence_length=8192,recompute=full"));
    let (_, simulated) = json(&format!("simulate {JOB} {ON} --sequence-length 8192 --recompute full"));
    assert_eq!(answer["after"]["figures"]["total_time_s"], simulated["total_time_s"]);
    assert_eq!(answer["after"]["figures"]["plan"], simulated["plan"]);
    let (_, plain) = json(&format!("simulate {JOB} {ON}"));
    assert_eq!(answer["before"]["figures"]["total_time_s"], plain["total_time_s"]);
}

#[test]
fn a_network_over_samples_changes_its_recipe_compiler_layout_and_folds() {
    let job =
        "--model resnet-50 --dataset imagenet-1k --epochs 1 --precision fp16 --vcpus 256 --as-of 2026-11-30";
    let on = "--cluster aws/p3.16xlarge@us-east-1:1";
    let (_, plain) = json(&format!("simulate {job} {on}"));
    for (change, flag) in [
        ("layout=channels-first", "--layout channels-first"),
        ("recipe=typical-user", "--recipe typical-user"),
        ("compiler=xla", "--framework tensorflow --compiler xla"),
    ] {
        let framework = if change.starts_with("compiler") { "--framework tensorflow" } else { "" };
        let (code, answer) = json(&format!("whatif {job} {framework} {on} --set {change}"));
        let (_, simulated) = json(&format!("simulate {job} {on} {flag}"));
        assert_eq!(code, 0, "{answer}");
        assert_eq!(answer["after"]["figures"]["total_time_s"], simulated["total_time_s"], "{change}");
        assert_ne!(number(&answer, "/ratios/step_time"), 1.0, "{change}");
    }
    // A compiler is left out again.
    let (_, none) =
        json(&format!("whatif {job} --framework tensorflow --compiler xla {on} --set compiler=none"));
    let (_, without) = json(&format!("simulate {job} --framework tensorflow {on}"));
    assert_eq!(none["after"]["figures"]["total_time_s"], without["total_time_s"]);
    // Five jobs alike take the GPU-hours of five.
    for folds in ["folds=5", "folds=x5"] {
        let (_, answer) = json(&format!("whatif {job} {on} --set {folds}"));
        let hours = number(&answer, "/after/figures/gpu_hours") / number(&plain, "/gpu_hours");
        assert!((hours - 5.0).abs() < 1e-6, "{folds}: {hours}");
    }
    for (typo, meant) in
        [("layuot=channels-last", "layout"), ("recipie=typical-user", "recipe"), ("fold=5", "folds")]
    {
        let said = fails(2, &words(&format!("whatif {job} {on} --set {typo}")));
        assert!(said.contains(&format!("did you mean \"{meant}\"?")), "{said}");
    }
    let said = fails(2, &words(&format!("whatif {job} {on} --set layout=channels-frist")));
    assert!(said.contains("\"channels-first\"?"), "{said}");
}

#[test]
fn a_sweep_over_two_keys_has_every_pair_and_more_nodes_are_never_slower() {
    let line = format!("whatif {JOB} {ON} --sweep nodes=2..8x2 --sweep sequence_length=2048,4096");
    let (code, answer) = json(&line);
    assert_eq!(code, 0);
    check("whatif", &answer.to_string());
    let points = answer["sweep"]["points"].as_array().expect("points");
    // 3 numbers of nodes times 2 lengths.
    assert_eq!(points.len(), 6);
    for of_length in points.chunks(3) {
        let times: Vec<f64> =
            of_length.iter().map(|p| number(p, "/outcome/figures/total_time_s/p50")).collect();
        assert!(times[0] > times[1] && times[1] > times[2], "{times:?}");
    }
}

#[test]
fn a_measurement_is_of_the_job_before_the_change_and_carries_over_to_the_job_after_it() {
    let line = format!("whatif {JOB} {ON}");
    let measured = ["--measured", "step=9.8s on aws/p4d.24xlarge@us-east-1:8"];
    let ratio = |flag: &[&str], change: &str| {
        let answer = succeeds(&with(&[&words(&line), flag, &["--set", change, "--format", "json"]]));
        let answer: Value = serde_json::from_str(&answer).expect("an answer");
        (number(&answer, "/ratios/step_time"), number(&answer, "/before/figures/step_time_s"))
    };
    for change in ["global_batch=2048", "sequence_length=8192", "recompute=full"] {
        let (with, before) = ratio(&measured, change);
        let (without, _) = ratio(&[], change);
        assert!((before - 9.8).abs() < 1e-6, "{before}");
        // On the same nodes the whole deviation holds, for every job: nothing is won by a change itself.
        assert!((with / without - 1.0).abs() < 1e-6, "{change}: {with} with, {without} without");
    }
    // A longer job and another price have the measured step.
    for change in ["tokens=x2", "price=-10%"] {
        assert_eq!(ratio(&measured, change).0, 1.0, "{change}");
    }
}

#[test]
fn without_a_cluster_the_best_is_chosen_anew() {
    // Three days need more GPUs than thirty.
    let (code, answer) = json(&format!("whatif {JOB} --gpu a100 --set deadline=3d"));
    assert_eq!(code, 0);
    let gpus = |side: &str| number(&answer, &format!("/{side}/figures/gpus"));
    assert!(gpus("after") > gpus("before"), "{answer:#}");
    assert!(number(&answer, "/ratios/cost") > 1.0);
    // An hour is too short for any: the reason stands in place of figures.
    let (code, none) = json(&format!("whatif {JOB} --gpu a100 --set deadline=1h"));
    assert_eq!((code, &none["after"]["reason"]), (4, &Value::from("deadline")));
    check("whatif", &none.to_string());
}

#[test]
fn the_table_is_readable_in_both_languages_and_the_plot_is_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (language, word) in [("en", "after / before"), ("zh", "改动后")] {
        let line =
            format!("whatif {JOB} {ON} --set price=-10% --sweep nodes=1..8x2 --lang {language} --plot p.svg");
        let output = advise_in(folder.path(), &words(&line));
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        assert!(text.contains(word) && text.contains("price = -10%"), "{text}");
        let plot = std::fs::read_to_string(folder.path().join("p.svg")).expect("the plot");
        assert!(plot.trim_end().ends_with("</svg>") && plot.matches("nodes").count() >= 2);
    }
    let png = format!("whatif {JOB} {ON} --sweep global_batch=256..2048x2 --plot p.png");
    assert_eq!(advise_in(folder.path(), &words(&png)).status.code(), Some(0));
    assert!(std::fs::read(folder.path().join("p.png")).expect("the plot").starts_with(b"\x89PNG"));
    let csv = succeeds(&words(&format!("whatif {JOB} {ON} --set price=-10% --format csv")));
    assert!(csv.starts_with("quantity,before,after,ratio"), "{csv}");
}

#[test]
fn wrong_changes_are_refused_all_at_once() {
    let ask = |more: &str| fails(2, &words(&format!("whatif {JOB} {ON} {more}")));
    let several = ask("--set prise=1,nodes=2,nodes=3 --sweep gpus=8");
    for word in ["did you mean \"price\"", "2 to 200 are accepted"] {
        assert!(several.contains(word), "{word}: {several}");
    }
    assert!(ask("").contains("nothing changes"));
    assert!(ask("--set gpus=12").contains("no whole nodes of 8"));
    assert!(ask("--set price=soon").contains("12.5USD/h"));
    assert!(ask("--set deadline=3d").contains("leave --cluster out"));
    assert!(ask("--sweep precision=fp16,bf16 --plot p.svg").contains("no numbers"));
    assert!(fails(2, &words(&format!("whatif {JOB} --set nodes=2"))).contains("needs --cluster"));
}

/// Saves an answer and returns its path.
fn saved(folder: &std::path::Path, name: &str, line: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, succeeds(&with(&[&words(line), &["--format", "json"]]))).expect("a file");
    path.display().to_string()
}

#[test]
fn two_answers_differ_in_what_was_changed_and_what_follows_from_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = saved(folder.path(), "a.json", &format!("recommend {JOB} --gpu a100"));
    let two = saved(folder.path(), "b.json", &format!("recommend {JOB} --gpu a100 --sequence-length 4096"));
    let (code, answer) = json(&format!("diff {one} {two}"));
    assert_eq!((code, &answer["kind"]), (0, &Value::from("recommend")));
    check("diff", &answer.to_string());
    let of =
        |path: &str| answer["differences"].as_array().expect("a list").iter().find(|d| d["path"] == path);
    let rows = of("job.rows_per_sample").expect("the sequence length");
    assert_eq!((&rows["before"], &rows["after"]), (&Value::from("2048"), &Value::from("4096")));
    let gone = of("assumptions[sequence_length]").expect("it is no assumption any more");
    assert!(gone["after"].is_null() && !gone["before"].is_null(), "{gone}");
    let text = succeeds(&["diff", &one, &two]);
    let all = answer["differences"].as_array().expect("a list");
    let timed = |d: &Value| d["path"].as_str().is_some_and(|path| path.ends_with("total_time_s.p50"));
    assert!(all.iter().any(timed) && text.contains(" %"), "{text}");
    assert!(succeeds(&["diff", &one, &one, "--lang", "zh"]).contains("两份答案一致"));
}

#[test]
fn what_is_no_answer_or_another_kind_of_answer_is_invalid_data() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = saved(folder.path(), "a.json", &format!("recommend {JOB} --gpu t4 --max-gpus 64"));
    let other = saved(folder.path(), "b.json", &format!("simulate {JOB} {ON}"));
    assert!(fails(3, &["diff", &one, &other]).contains("is an answer of `simulate`"));
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let broken = write("broken.json", "{\n\"a\": }");
    assert!(fails(3, &["diff", &one, &broken]).contains("broken.json:2: is not JSON"));
    let foreign = write("foreign.json", "{\"lines\": []}");
    let both = fails(3, &["diff", &foreign, &broken]);
    assert!(both.contains("is no answer") && both.contains("is not JSON"), "{both}");
    let future = write("future.json", "{\"schema_version\": 99, \"candidates\": []}");
    assert!(fails(3, &["diff", &future, &one]).contains("version 99 is not known"));
    assert_eq!(advise(&["diff", &one, "absent.json"]).status.code(), Some(2));
}
