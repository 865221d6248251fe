//! Snapshots of what people read: help pages, first screens, errors, exports.
//!
//! Answers come from the invented providers of `tests/fixtures/catalog`, so that no shipped price moves them. They move with the
//! equations and with fitted coefficients; `INSTA_UPDATE=always cargo nextest run snapshots` accepts them after reading.

use crate::program::{advise, advise_in, stderr, stdout, succeeds, with, words};
use crate::source_text::root;

/// Flags that keep answers apart from shipped prices and from today.
fn on_fixtures(line: &str) -> (i32, String, String) {
    // A relative path is the same wherever the repository is, also in the commands that an answer suggests.
    let catalog = "./catalog";
    let output = advise_in(&root().join("tests/fixtures"), &with(&[&words(line), &["--catalog", catalog]]));
    let code = output.status.code().expect("an exit code");
    (code, stdout(&output), stderr(&output).replace(catalog, "CATALOG"))
}

/// The answer, with the hashes of the data blanked.
fn answer(code: i32, line: &str) -> String {
    let (found, out, err) = on_fixtures(line);
    assert_eq!(found, code, "{line}\n{out}{err}");
    let blank = |line: &str| match line.split_once("_hash\": \"") {
        Some((key, rest)) => format!("{key}_hash\": \"...{}\n", &rest[rest.find('"').unwrap_or(0)..]),
        None => format!("{line}\n"),
    };
    out.lines().map(blank).collect()
}

/// The message of a wrong line.
fn error(line: &str) -> String {
    let (code, out, err) = on_fixtures(line);
    assert!(out.is_empty(), "{line} wrote {out}");
    format!("$ gpu-advisor {line}\n{err}exit code {code}\n")
}

macro_rules! snapshot {
    ($name:expr, $text:expr) => {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($name, $text);
        });
    };
}

const JOB: &str = "--params 1B --tokens 10B --framework pytorch-ddp --as-of 2026-11-30";

fn recommend(more: &str) -> String {
    format!("recommend {JOB} --gpu mini-new,mini-old {more}")
}

#[test]
fn help_pages() {
    for page in [
        "",
        "recommend",
        "compare",
        "simulate",
        "catalog",
        "catalog list",
        "catalog show",
        "catalog check",
        "completions",
    ] {
        let output = advise(&with(&[&words(page), &["--help"]]));
        assert_eq!(output.status.code(), Some(0));
        let name =
            if page.is_empty() { "help".to_owned() } else { format!("help-{}", page.replace(' ', "-")) };
        snapshot!(name, stdout(&output));
    }
}

#[test]
fn changes_and_differences() {
    let cluster = "--cluster mini/quiet.8:1";
    snapshot!(
        "whatif-en",
        answer(0, &format!("whatif {JOB} {cluster} --set sequence_length=x2,global_batch=/2"))
    );
    snapshot!("whatif-zh", answer(0, &format!("whatif {JOB} {cluster} --set micro_batch=1 --lang zh")));
    snapshot!("whatif-sweep", answer(0, &format!("whatif {JOB} {cluster} --sweep nodes=1,2,4")));
    snapshot!(
        "whatif-markdown",
        answer(0, &format!("whatif {JOB} --gpu mini-new --set deadline=/2 --format markdown"))
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let saved = |name: &str, more: &str| {
        let path = folder.path().join(name);
        let (_, out, _) = on_fixtures(&recommend(&format!("{more} --format json")));
        std::fs::write(&path, out).expect("a file");
        path.display().to_string()
    };
    let (one, two) = (saved("a.json", ""), saved("b.json", "--sequence-length 4096"));
    for (name, more) in [("diff-en", ""), ("diff-zh", "--lang zh"), ("diff-markdown", "--format markdown")] {
        let text = succeeds(&with(&[&["diff", &one, &two], &words(more)]));
        snapshot!(name, text.replace(&folder.path().display().to_string(), "FOLDER"));
    }
}

#[test]
fn recommendations() {
    snapshot!("recommend-en", answer(0, &recommend("")));
    snapshot!("recommend-zh", answer(0, &recommend("--lang zh")));
    snapshot!(
        "recommend-spot-in-euro",
        answer(0, &recommend("--purchase spot --currency EUR --fx EUR=0.9@2026-11-28"))
    );
    snapshot!("recommend-own-price", answer(0, &recommend("--price mini/quiet.8=2USD/h")));
    snapshot!("recommend-nothing-fits", answer(4, &recommend("--precision fp8")));
    snapshot!("recommend-nothing-fits-zh", answer(4, &recommend("--deadline 1min --lang zh")));
}

#[test]
fn exports_of_a_recommendation() {
    let only = recommend("--max-gpus 16");
    snapshot!("recommend-csv", answer(0, &format!("{only} --format csv")));
    snapshot!("recommend-markdown", answer(0, &format!("{only} --format markdown")));
    snapshot!("recommend-json", answer(0, &format!("{only} --format json")));
}

#[test]
fn simulations() {
    let priced = format!("simulate {JOB} --cluster mini/new.8@west-1:4");
    snapshot!("simulate-en", answer(0, &format!("{priced} --explain")));
    snapshot!("simulate-zh", answer(0, &format!("{priced} --lang zh")));
    snapshot!("simulate-json", answer(0, &format!("{priced} --format json")));
    let blocked = "simulate --params 7B --tokens 10B --framework deepspeed --as-of 2026-11-30 --gpu mini-old --gpus 8 \
                   --sharding zero1 --micro-batch 1";
    snapshot!("simulate-does-not-fit", answer(4, blocked));
}

#[test]
fn comparisons() {
    let both = format!("compare {JOB} --cluster mini/old.8@west-1:1 --cluster mini/new.8@west-1:1");
    snapshot!("compare-en", answer(0, &both));
    snapshot!("compare-zh", answer(0, &format!("{both} --lang zh")));
    snapshot!("compare-csv", answer(0, &format!("{both} --format csv")));
    snapshot!("compare-markdown", answer(0, &format!("{both} --format markdown")));
}

#[test]
fn catalogs() {
    for (name, line) in [
        ("catalog-gpus", "catalog list gpus --gpu mini-new --gpu mini-old"),
        ("catalog-instances", "catalog list instances --provider mini --provider twin"),
        ("catalog-prices-zh", "catalog list prices --provider mini --lang zh"),
        ("catalog-prices-csv", "catalog list prices --provider mini --format csv"),
        ("catalog-regions", "catalog list regions --provider mini --provider twin"),
        ("catalog-show-gpu", "catalog show mini-new"),
        ("catalog-show-instance", "catalog show mini/new.8"),
        ("catalog-show-instance-json", "catalog show mini/old.8 --format json"),
    ] {
        snapshot!(name, answer(0, line));
    }
}

#[test]
fn errors() {
    for (name, line) in [
        ("error-unknown-gpu", "recommend --params 1B --tokens 1B --gpu mini-nwe"),
        ("error-unknown-instance", "simulate --params 1B --tokens 1B --cluster mini/nwe.8:1"),
        ("error-unknown-region", "recommend --params 1B --tokens 1B --region mini:wset-1"),
        ("error-ambiguous-region", "recommend --params 1B --tokens 1B --region west-1"),
        ("error-ambiguous-gpu", "simulate --params 1B --tokens 1B --gpu v100 --gpus 8"),
        (
            "error-unit-missing",
            "simulate --params 1B --tokens 1B --cluster mini/new.8:1 --price mini/new.8=5",
        ),
        (
            "error-absurd-values",
            "simulate --params 1B --tokens 1e30 --gpu mini-new --gpus 0 --sequence-length -1",
        ),
        ("error-no-length", "simulate --params 1B --gpu mini-new --gpus 8"),
        (
            "error-several",
            "recommend --params x --tokens y --precision z --budget 5 --deadline soon --currency dollars",
        ),
    ] {
        snapshot!(name, error(line));
    }
}

#[test]
fn findings_in_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let job = "parms = \"7B\"\ntokens = \"-5\"\nglobal_batch = \"many\"\nprecision = \"bf61\"\n";
    std::fs::write(folder.path().join("job.toml"), job).expect("a file");
    let book =
        "[[price]]\nprovider = \"mini\"\ninstance = \"new.8\"\nprice_per_hour = \"5\"\npurchase = \"rent\"\n";
    std::fs::write(folder.path().join("book.toml"), book).expect("a file");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, flag, file) in
        [("finding-job-file", "--job", "job.toml"), ("finding-price-book", "--price-book", "book.toml")]
    {
        let line = format!("simulate --params 1B --tokens 1B --cluster mini/new.8:1 {flag} {}", path(file));
        let message = error(&line).replace(&folder.path().display().to_string(), "FOLDER");
        snapshot!(name, message);
    }
}
