//! The answer of `recommend` fits one screen, with the answer first.

use unicode_width::UnicodeWidthStr as _;

use crate::program::{advise, stdout, succeeds, with, words};

const DAY: [&str; 2] = ["--as-of", "2026-11-30"];

/// Questions with few and many things to say, and the exit code of each.
const QUESTIONS: [(&str, i32); 9] = [
    ("--params 7B --tokens 100B --gpu a100,v100", 0),
    ("--params 7B --tokens 100B --gpu a100,v100 --lang zh", 0),
    ("--params 7B --tokens 100B", 0),
    ("--params 7B --tokens 100B --lang zh", 0),
    ("--params 7B --tokens 100B --gpu a100,v100,h100,t4,l4 --purchase spot --purchase on-demand --top 9", 0),
    ("--params 175B --samples 1M --gpu v100,t4 --max-gpus 8", 4),
    ("--params 70B --tokens 100B --gpu a100,v100 --precision bf16", 0),
    ("--model resnet-50 --dataset imagenet-1k --epochs 90 --provider huawei-cloud", 0),
    ("--model bert-large-uncased --steps 100k --gpu a100,v100 --country SG --objective time", 0),
];

#[test]
fn every_answer_fits_24_lines_of_120_columns() {
    for (question, code) in QUESTIONS {
        let output = advise(&with(&[&["recommend"], &words(question), &DAY]));
        assert_eq!(output.status.code(), Some(code), "{question}");
        let text = stdout(&output);
        let lines: usize = text.lines().map(|line| line.width().div_ceil(120).max(1)).sum();
        assert!(lines <= 24, "{question}: {lines} lines\n{text}");
        // Commands are copied whole, so that a terminal may wrap them.
        for line in text.lines().filter(|line| !line.starts_with("  gpu-advisor ")) {
            assert!(line.width() <= 120, "{question}: {line}");
        }
    }
}

#[test]
fn the_answer_comes_before_the_reasons_and_both_generations_stay_visible() {
    let text = succeeds(&with(&[&["recommend"], &words(QUESTIONS[0].0), &DAY]));
    let at = |start: &str| {
        text.lines().position(|l| l.starts_with(start)).unwrap_or_else(|| panic!("{start}\n{text}"))
    };
    let order = ["Job", "Limits", "Answer", "Why", "Trust", "A  ", "B  ", "C  out", "Flips", "Ask"].map(at);
    assert!(order.is_sorted() && order[2] <= 4, "{order:?}");
    let block_a = || text.lines().take(order[6]).skip(order[5]);
    for generation in ["a100-sxm", "v100-sxm2"] {
        assert!(block_a().any(|line| line.contains(generation)), "{generation}\n{text}");
    }
}

#[test]
fn details_have_more_than_the_first_screen_and_json_does_not_depend_on_them() {
    let ask = |more: &[&str]| succeeds(&with(&[&["recommend"], &words(QUESTIONS[0].0), &DAY, more]));
    let (screen, details) = (ask(&[]), ask(&["--details"]));
    assert!(details.lines().count() > screen.lines().count());
    assert!(details.contains("* assumed: ") && !screen.contains("* assumed: "));
    assert_eq!(ask(&["--format", "json"]), ask(&["--format", "json", "--details"]));
}

#[test]
fn what_has_no_price_is_within_no_budget() {
    // 100 USD buy no training of 7B: only offers without a price are left, and none of them is an answer.
    let line = "recommend --params 7B --tokens 100B --gpu a100 --budget 100USD";
    let output = advise(&with(&[&words(line), &DAY]));
    assert_eq!(output.status.code(), Some(4));
    let text = stdout(&output);
    assert!(text.contains("lets no unpriced offer pass") && text.contains("--budget"), "{text}");
}
