//! Odd input, odd surroundings: a clear word and a documented exit code, never a panic.

use std::process::Stdio;

use crate::program::{advise, fails, program, stderr, stdout, words};

const JOB: &str = "recommend --params 7B --tokens 10B --gpu a100 --as-of 2026-11-30";

/// Runs a wrong line of words, to which one argument of any text is added.
fn wrong(code: i32, line: &str, argument: &str) -> String {
    let mut arguments = words(line);
    arguments.push(argument);
    fails(code, &arguments)
}

#[test]
fn an_empty_name_is_no_way_to_say_all() {
    for flag in ["--gpu", "--provider", "--region", "--country"] {
        for value in ["", ",", "  ", "a100,"] {
            let error = wrong(2, &format!("recommend --params 7B --tokens 10B {flag}"), value);
            assert!(error.contains("an empty name"), "{flag} {value:?}: {error}");
        }
    }
    for flag in ["--model", "--params", "--tokens"] {
        wrong(2, &format!("recommend {flag}"), "");
    }
    wrong(2, &format!("{JOB} --deadline"), "");
    wrong(2, &format!("{JOB} --budget"), "");
    wrong(2, "catalog show", "");
}

#[test]
fn names_in_any_script_are_unknown_and_not_fatal() {
    for name in ["华为云", "a100😀", "A\u{301}100", "\u{202e}001a", "a\u{1b}[31mred", "%s%n", "../../etc"]
    {
        for flag in ["--gpu", "--provider", "--region", "--country"] {
            let error = wrong(2, &format!("recommend --params 7B --tokens 10B {flag}"), name);
            assert!(
                !error.contains('\u{1b}') && !error.contains('\u{202e}'),
                "control characters are quoted: {error}"
            );
        }
        wrong(2, "recommend --tokens 1B --model", name);
        wrong(2, "catalog show", name);
        wrong(2, "simulate --params 7B --tokens 1B --cluster", &format!("{name}:8"));
    }
    assert!(wrong(2, "recommend --params 7B --tokens 1B --provider", "云").contains("huawei-cloud, "));
}

#[test]
fn huge_values_are_refused_in_a_few_words() {
    let long = "x".repeat(100_000);
    assert!(wrong(2, "recommend --tokens 1B --model", &long).chars().count() < 3000);
    for line in [
        "--deadline 1e300d",
        "--deadline 9999-12-31",
        "--max-gpus 99999999999999999999",
        "--top 0",
        "--top 99999",
        "--threads 0",
        "--threads 70000",
        "--budget 0USD",
        "--price aws/p4d.24xlarge=99999999999999999999999999USD/h",
    ] {
        fails(2, &words(&format!("{JOB} {line}")));
    }
    for cluster in
        ["aws/p4d.24xlarge:4:4", "aws/p4d.24xlarge@:4", "aws/p4d.24xlarge@us-east-1@x:4", "a100-sxm-80gb::8"]
    {
        fails(2, &words(&format!("simulate --params 7B --tokens 1B --cluster {cluster}")));
    }
    fails(2, &words("catalog list models --gpu v100"));
    fails(2, &words("catalog list gpus --provider aws"));
}

#[test]
fn a_currency_without_a_rate_is_remarked_upon() {
    let output = advise(&words(&format!("{JOB} --currency EUR")));
    assert!(stderr(&output).contains("no exchange rate for EUR") && stderr(&output).contains("--fx"));
    let rated = advise(&words(&format!("{JOB} --currency EUR --fx EUR=0.9@2026-11-28")));
    assert!(rated.stderr.is_empty() && stdout(&rated).contains(" EUR"), "{}", stderr(&rated));
}

#[test]
fn any_environment_gives_the_same_answer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let usual = program(folder.path()).args(words(JOB)).output().expect("the program starts");
    let bare = program(folder.path()).args(words(JOB)).env_clear().output().expect("the program starts");
    assert_eq!(bare.status.code(), Some(0), "{}", stderr(&bare));
    assert_eq!(usual.stdout, bare.stdout, "no HOME, no LANG");
    for (name, value) in
        [("LANG", "C"), ("LC_ALL", "zh_CN.GBK"), ("COLUMNS", "0"), ("COLUMNS", "x"), ("HOME", "")]
    {
        let output =
            program(folder.path()).args(words(JOB)).env(name, value).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{name}={value}: {}", stderr(&output));
        assert!(value == "0" || output.stdout == usual.stdout, "{name}={value}");
    }
    let narrow =
        program(folder.path()).args(words(JOB)).env("COLUMNS", "40").output().expect("the program starts");
    assert_eq!(narrow.status.code(), Some(0), "{}", stderr(&narrow));
    assert_ne!(narrow.stdout, usual.stdout, "a narrow terminal wraps");
}

#[test]
#[cfg(unix)]
fn an_endless_device_is_no_job_file() {
    for flag in ["--job", "--model", "--price-book", "--seller", "--profile"] {
        let job = if flag == "--model" { "recommend --tokens 1B" } else { JOB };
        wrong(3, &format!("{job} {flag}"), "/dev/zero");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_io_failure_and_a_closed_pipe_is_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let output = program(folder.path()).args(words(JOB)).stdout(full).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("standard output"), "{}", stderr(&output));
    for line in [JOB, "--help", "catalog list prices --format csv", "completions zsh"] {
        let mut child = program(folder.path())
            .args(words(line))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    }
    let unwritable = advise(&words(&format!("{JOB} --plot /proc/plot.svg")));
    assert_eq!(unwritable.status.code(), Some(1), "{}", stderr(&unwritable));
    assert!(unwritable.stdout.is_empty() && stderr(&unwritable).contains("/proc/plot.svg"));
}
