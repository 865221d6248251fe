//! `calibrate` and `roofline` as a user runs them: the binary, its files and its exit codes.

use std::path::Path;
use std::process::{Command, Output};

use gpu_advisor::calibration::cpu::Cpu;
use gpu_advisor::calibration::measurement::{Item, Step};
use gpu_advisor::calibration::protocol::{Settings, run as measure};
use gpu_advisor::calibration::schedule::Effort;

/// Runs the program in a folder that is also the user's home.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"));
    command.args(arguments).current_dir(folder).env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    // No driver of this machine: what the tests say holds everywhere.
    command.env("LD_LIBRARY_PATH", "");
    command.output().expect("the program starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A simulated profile in `name`.toml, by a seed.
fn simulate(folder: &Path, name: &str, gpu: &str, more: &[&str]) {
    let file = format!("{name}.toml");
    let arguments = ["calibrate", "run", "--device", "simulated", "--gpu", gpu, "--output", &file];
    let output = run(folder, &[&arguments, more].concat());
    assert!(output.status.success(), "{}", err(&output));
}

/// A simulated profile dressed as a measurement of a real GPU, with a factor on the copy bandwidth.
fn dressed(folder: &Path, name: &str, copy: Option<&str>) {
    let path = folder.join(format!("{name}.toml"));
    let mut text = std::fs::read_to_string(&path).unwrap();
    text = text.replace("kind = \"simulated\"", "kind = \"cuda\"").replace("grade = \"D\"", "grade = \"A\"");
    if let Some(copy) = copy {
        let start = text.find("copy = \"").unwrap();
        let end = start + text[start..].find('\n').unwrap();
        text.replace_range(start..end, &format!("copy = \"{copy}\""));
    }
    std::fs::write(&path, text).unwrap();
}

#[test]
fn a_profile_a_trace_and_a_plot_come_out_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    simulate(folder.path(), "p", "a100-sxm-80gb", &[]);
    let shown = run(folder.path(), &["calibrate", "show", "p.toml"]);
    assert!(out(&shown).contains("copy bandwidth") && out(&shown).contains("nothing here was measured"));
    for plot in ["r.svg", "r.png"] {
        let drawn =
            run(folder.path(), &["roofline", "--profile", "p.toml", "--params", "7B", "--plot", plot]);
        assert!(drawn.status.success(), "{}", err(&drawn));
    }
    let svg = std::fs::read_to_string(folder.path().join("r.svg")).unwrap();
    assert!(svg.contains("DRAM") && svg.contains("bf16") && svg.contains("FLOP/byte"));
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["p.jsonl", "p.toml", "r.png", "r.svg"]);
}

#[test]
fn a_replayed_trace_gives_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    simulate(folder.path(), "p", "v100-sxm2-16gb", &[]);
    let again = run(folder.path(), &["calibrate", "run", "--replay", "p.jsonl", "--output", "q.toml"]);
    assert!(again.status.success(), "{}", err(&again));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("p.toml"), read("q.toml"));
}

#[test]
fn the_simulator_takes_a_measured_profile_from_the_flag_or_the_users_folder_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    simulate(folder.path(), "p", "a100-sxm-80gb", &[]);
    dressed(folder.path(), "p", Some("1000 GB/s"));
    let job = ["simulate", "--params", "7B", "--tokens", "1B", "--gpu", "a100-sxm-80gb", "--gpus", "64"];
    let shipped = run(folder.path(), &job);
    let flagged = run(folder.path(), &[&job[..], &["--profile", "p.toml"]].concat());
    assert!(flagged.status.success(), "{}", err(&flagged));
    assert_ne!(out(&shipped), out(&flagged));
    assert!(err(&flagged).contains("a100-sxm-80gb uses a measured profile (grade A)"), "{}", err(&flagged));
    let place = folder.path().join(".config/gpu-advisor/calibration/hardware");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::copy(folder.path().join("p.toml"), place.join("a100-sxm-80gb.toml")).unwrap();
    let placed = run(folder.path(), &job);
    assert_eq!(out(&placed), out(&flagged));
    assert!(err(&placed).contains("grade A"));
    let quiet = run(folder.path(), &[&job[..], &["--quiet"]].concat());
    assert_eq!(err(&quiet), "");
}

#[test]
fn the_profile_of_an_instance_type_comes_before_that_of_its_gpu() {
    let folder = tempfile::tempdir().unwrap();
    simulate(folder.path(), "p", "a100-sxm-40gb", &["--instance", "aws/p4d.24xlarge"]);
    dressed(folder.path(), "p", Some("1000 GB/s"));
    let place = folder.path().join(".config/gpu-advisor/calibration/instances/aws");
    let job = |cluster| ["simulate", "--params", "1B", "--tokens", "1B", "--cluster", cluster];
    let before =
        [run(folder.path(), &job("aws/p4d.24xlarge:1")), run(folder.path(), &job("a100-sxm-40gb:8"))];
    std::fs::create_dir_all(&place).unwrap();
    std::fs::copy(folder.path().join("p.toml"), place.join("p4d.24xlarge.toml")).unwrap();
    let after = [run(folder.path(), &job("aws/p4d.24xlarge:1")), run(folder.path(), &job("a100-sxm-40gb:8"))];
    assert!(after[0].status.success(), "{}", err(&after[0]));
    assert_ne!(out(&before[0]), out(&after[0]));
    let numbers =
        |o: &Output| out(o).lines().filter(|l| !l.contains("profile")).collect::<Vec<_>>().join("\n");
    assert_eq!(numbers(&before[1]), numbers(&after[1]));
    std::fs::rename(place.join("p4d.24xlarge.toml"), place.join("p3.2xlarge.toml")).unwrap();
    let wrong = run(folder.path(), &job("aws/p4d.24xlarge:1"));
    assert_eq!(wrong.status.code(), Some(3), "{}", err(&wrong));
}

#[test]
fn without_a_gpu_the_program_ends_with_code_5_and_one_paragraph() {
    let folder = tempfile::tempdir().unwrap();
    let checked = run(folder.path(), &["calibrate", "check"]);
    if checked.status.success() {
        // A machine with a GPU: the stand-in driver has its own tests.
        return;
    }
    assert_eq!(checked.status.code(), Some(5));
    let failed = run(folder.path(), &["calibrate", "run"]);
    assert_eq!(failed.status.code(), Some(5));
    let text = err(&failed);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("driver") && text.contains("--device cpu"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_sick_machine_is_named_and_a_healthy_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    simulate(folder.path(), "healthy", "v100-sxm2-16gb", &["--seed", "1"]);
    simulate(folder.path(), "other", "v100-sxm2-16gb", &["--seed", "2"]);
    let same = run(folder.path(), &["calibrate", "compare", "other.toml", "--with", "healthy.toml"]);
    assert_eq!(same.status.code(), Some(0), "{}", out(&same));
    // A copy that is 11 % slower in the trace of the sick one.
    let path = folder.path().join("other.jsonl");
    let slow: Vec<String> = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| {
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            if value["item"].as_str().is_some_and(|i| i.starts_with("stream copy")) {
                let elapsed = value["elapsed_s"].as_f64().unwrap();
                value["elapsed_s"] = (elapsed / 0.89).into();
            }
            value.to_string()
        })
        .collect();
    std::fs::write(&path, slow.join("\n")).unwrap();
    let replayed =
        run(folder.path(), &["calibrate", "run", "--replay", "other.jsonl", "--output", "sick.toml"]);
    assert!(replayed.status.success(), "{}", err(&replayed));
    let sick = run(folder.path(), &["calibrate", "compare", "sick.toml", "--with", "healthy.toml"]);
    assert_eq!(sick.status.code(), Some(6));
    let text = out(&sick);
    assert!(text.contains("copy bandwidth 1") && text.contains("below, outside its interval"), "{text}");
}

#[test]
fn merging_names_the_node_that_stands_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (node, seed) in [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")] {
        simulate(folder.path(), node, "v100-sxm2-16gb", &["--seed", seed, "--node", node]);
    }
    let path = folder.path().join("d.toml");
    let mut table: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
    for product in table["measured"]["product"].as_array_mut().unwrap() {
        let value = product["tflop_per_s"]["value"].as_float().unwrap();
        product["tflop_per_s"]["value"] = toml::Value::Float(value * 0.8);
    }
    std::fs::write(&path, table.to_string()).unwrap();
    let arguments = ["calibrate", "merge", "a.toml", "b.toml", "c.toml", "d.toml", "--output", "all.toml"];
    let merged = run(folder.path(), &arguments);
    assert!(merged.status.success(), "{}", err(&merged));
    let text = out(&merged);
    let outlier = text.lines().find(|l| l.contains("fp16 product peak") && l.contains("worse")).unwrap();
    assert!(outlier.contains("d:"), "{outlier}");
    assert!(!text.lines().any(|l| l.contains("worse") && !l.contains("d:")), "{text}");
    let file = std::fs::read_to_string(folder.path().join("all.toml")).unwrap();
    assert!(file.contains("median of 4 profiles") && file.contains("merged_from"));
    simulate(folder.path(), "x", "t4", &[]);
    let mixed = run(folder.path(), &["calibrate", "merge", "a.toml", "x.toml", "--output", "y.toml"]);
    assert_eq!(mixed.status.code(), Some(2));
    assert!(!folder.path().join("y.toml").exists());
}

#[test]
fn wrong_names_are_told_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 5] = [
        &["calibrate", "run", "--device", "simulated"],
        &["calibrate", "run", "--device", "cpu", "--instance", "aws/none"],
        &["calibrate", "run", "--device", "cpu", "--output", "none/p.toml"],
        &["roofline", "--gpu", "a100"],
        &["roofline"],
    ];
    for arguments in cases {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
    }
    std::fs::write(folder.path().join("p.toml"), "schema = 1\ngpu = \"t4\"\n").unwrap();
    let shown = run(folder.path(), &["calibrate", "show", "p.toml"]);
    assert_eq!(shown.status.code(), Some(3), "{}", err(&shown));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_cpu_is_measured_for_real_and_every_result_is_checked() {
    let settings = Settings {
        rounds: 1,
        batches: 1,
        sustained_s: 0.1,
        // More than it takes without optimisation: every step is to be seen.
        budget_s: 60.0,
        longest_s: 0.05,
        ..Settings::new(Effort::Minimal)
    };
    let mut steps = Vec::new();
    let trace = measure(&mut Cpu::open(Some(2)), &settings, &mut |p| steps.push(p.step)).unwrap();
    let measured = |step: Step| {
        let of = |s: &&gpu_advisor::calibration::trace::Sample| {
            s.item.parse::<Item>().is_ok_and(|item| item.step() == step)
        };
        trace.samples.iter().filter(of).count()
    };
    for step in [Step::Launch, Step::Dram, Step::Knee, Step::Ceiling, Step::Product, Step::Sustained] {
        assert!(measured(step) > 0, "{step:?}: {:?}", trace.gaps);
        assert!(steps.contains(&step.name()));
    }
    assert!(trace.samples.iter().all(|s| s.checked && s.elapsed_s > 0.0));
    assert!(trace.gaps.iter().all(|g| !g.reason.contains("wrong result")), "{:?}", trace.gaps);
}
