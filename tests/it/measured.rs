//! The user's own number: it shows before and after, and transfers truthfully to other GPUs.

use gpu_advisor::catalog::Catalog;
use gpu_advisor::numeric::{Random, median};
use gpu_advisor::profile::{Profiles, TransferRule};
use gpu_advisor::validation::{
    Miss, SPLIT_SEED, Seen, TransferGroups, difference_spread, halves, miss_spread, shipped_runs,
    transfer_groups,
};

use crate::program::{advise_in, fails, json, stderr, stdout, with, words};

/// The 90 % quantile of the standard normal distribution.
const NORMAL_P90: f64 = 1.281_551_565_545;
const PAIRS: usize = 200;
const DRAWS: u32 = 25;

/// Measured runs of language models on two GPUs, and the shipped rule.
fn measured_groups(seen: Seen) -> (TransferGroups, TransferRule) {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the embedded profiles are valid");
    let mut runs = shipped_runs().expect("the shipped runs are valid");
    runs.retain(|r| r.file == "transformer.csv");
    (transfer_groups(&runs, &catalog, &profiles, seen), profiles.defaults.transfer)
}

/// What draws of 200 pairs show in the mean.
#[derive(Debug, Default)]
struct Drawn {
    /// Median miss with the anchor, without, and with the whole deviation carried over.
    median: [f64; 3],
    /// Mean miss, likewise.
    mean: [f64; 3],
    /// Share inside the 80 % interval, with the anchor and without.
    held: [f64; 2],
}

/// Draws a group, then two of its rows on different GPUs, so that every job counts alike.
fn draw(groups: &[&Vec<Miss>], random: &mut Random) -> (Miss, Miss) {
    loop {
        let rows = groups[random.below(groups.len())];
        let (a, b) = (&rows[random.below(rows.len())], &rows[random.below(rows.len())]);
        if a.gpu != b.gpu {
            return (a.clone(), b.clone());
        }
    }
}

fn drawn(groups: &TransferGroups, rule: &TransferRule) -> Drawn {
    let groups: Vec<&Vec<Miss>> = groups.values().collect();
    let mut random = Random::new(7);
    let mut found = Drawn::default();
    let each = 1.0 / f64::from(DRAWS);
    for _ in 0..DRAWS {
        let (mut misses, mut held) = ([const { Vec::new() }; 3], [0, 0]);
        for _ in 0..PAIRS {
            let (a, b) = draw(&groups, &mut random);
            let carried = rule.carried(-a.log_ratio, b.spread);
            let off = [b.log_ratio - carried.share * a.log_ratio, b.log_ratio, b.log_ratio - a.log_ratio];
            for (list, off) in misses.iter_mut().zip(off) {
                list.push(off.abs());
            }
            for (count, (off, sigma)) in held.iter_mut().zip([(off[0], carried.sigma), (off[1], b.spread)]) {
                *count += usize::from(off.abs() <= NORMAL_P90 * sigma);
            }
        }
        for (i, list) in misses.iter().enumerate() {
            found.median[i] += each * median(list.iter().copied()).expect("pairs");
            found.mean[i] += each * list.iter().sum::<f64>() / PAIRS as f64;
        }
        for (share, count) in found.held.iter_mut().zip(held) {
            *share += each * count as f64 / PAIRS as f64;
        }
    }
    found
}

#[test]
fn where_the_fit_has_seen_a_source_a_measurement_does_no_harm_and_its_interval_holds() {
    let (groups, rule) = measured_groups(Seen::Rows);
    let found = drawn(&groups, &rule);
    // What the predictions still miss there, two GPUs have not in common: the anchor must not put it in.
    let ([with, without, whole], [mean, plain, _]) = (found.median, found.mean);
    assert!(with < 1.05 * without && mean < plain && with < 0.7 * whole, "{found:?}");
    // The spread of stacks that several sources know covers what sources differ in: wide for rows that the fit has seen.
    assert!((0.75..=0.91).contains(&found.held[0]), "{found:?}");
}

#[test]
fn for_a_source_that_the_fit_has_not_seen_a_measurement_helps_elsewhere() {
    let (groups, rule) = measured_groups(Seen::OtherSources);
    let [first, second] = halves(groups, SPLIT_SEED);
    let (difference, stranger) =
        (difference_spread(&first).expect("pairs"), miss_spread(&first).expect("rows"));
    let said =
        format!("difference {difference:.3}, stranger {stranger:.3} by the procedure, {rule:?} shipped");
    assert!(
        (difference - rule.difference).abs() < 0.006 && (stranger - rule.stranger).abs() < 0.006,
        "{said}"
    );
    let found = drawn(&second, &rule);
    let ([with, without, whole], [mean, plain, _]) = (found.median, found.mean);
    // All of the deviation would serve a stranger better still (`whole`), and a known source worse: the test above.
    assert!(with < 0.75 * without && whole < without && mean < 0.75 * plain, "{found:?}");
    // A prediction alone claims the spread of sources that the fit knows, and is wrong with it.
    assert!(found.held[0] > 1.5 * found.held[1] && found.held[0] > 0.55, "{found:?}");
}

const JOB: &str = "simulate --params 7B --tokens 10B --global-batch 512 --framework nemo";

#[test]
fn a_measured_step_shows_before_and_after_and_shrinks_the_interval() {
    let at = |more: &str| {
        let (code, answer) = json(&format!("{JOB} --cluster a100-sxm-80gb:64 {more}"));
        assert_eq!(code, 0);
        answer
    };
    let before = at("");
    let step = before["step_time_s"].as_f64().expect("a step");
    let folder = tempfile::tempdir().expect("a folder");
    let measured = format!("step={:.6}s on a100-sxm-80gb:64", step * 1.2);
    let simulate = |cluster: &str| {
        let mut arguments: Vec<&str> = JOB.split(' ').collect();
        arguments.extend(["--cluster", cluster, "--measured", &measured, "--format", "json"]);
        let output = advise_in(folder.path(), &arguments);
        let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        answer
    };
    let here = simulate("a100-sxm-80gb:64");
    let after = here["step_time_s"].as_f64().expect("a step");
    assert!((after / step - 1.2).abs() < 1e-6 && here["grade"] == "A", "{step} {after}");
    assert!((here["measured"]["step_time_before_s"].as_f64().expect("before") / step - 1.0).abs() < 1e-9);
    let width = |answer: &serde_json::Value| {
        let total = &answer["total_time_s"];
        total["p90"].as_f64().expect("p90") / total["p10"].as_f64().expect("p10")
    };
    assert!(width(&here) < width(&before));

    let (_, alone) = json(&format!("{JOB} --cluster h100-sxm:64"));
    let there = simulate("h100-sxm:64");
    let ratio =
        there["step_time_s"].as_f64().expect("a step") / alone["step_time_s"].as_f64().expect("a step");
    let share = there["measured"]["carried_share"].as_f64().expect("a share");
    assert!((ratio - 1.2f64.powf(share)).abs() < 1e-6 && (0.0..1.0).contains(&share), "{ratio} {share}");
    assert_eq!(there["measured"]["transferred"], true);
    assert!(width(&there) > width(&here));
    assert_eq!(here["measured"]["carried_share"], 1.0);
}

#[test]
fn rates_and_logs_anchor_like_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = " iteration 1/ 9 | elapsed time per iteration (ms): 90000.0 |\n iteration 2/ 9 | elapsed time per \
               iteration (ms): 8000.0 |\n";
    std::fs::write(folder.path().join("run.log"), log).expect("the log");
    // 512 sequences of 2048 tokens in 8 s: 64 samples/s, 131072 tokens/s.
    for measured in ["step=8s", "samples/s=64", "tokens/s=131072", "run.log"] {
        let text = format!("{measured} on a100-sxm-80gb:64");
        let mut arguments: Vec<&str> = JOB.split(' ').collect();
        arguments.extend(["--cluster", "a100-sxm-80gb:64", "--measured", &text, "--format", "json"]);
        let answer: serde_json::Value =
            serde_json::from_str(&stdout(&advise_in(folder.path(), &arguments))).expect("JSON");
        let step = answer["step_time_s"].as_f64().expect("a step");
        assert!((step - 8.0).abs() < 1e-9, "{measured}: {step}");
    }
    std::fs::write(
        folder.path().join("other.log"),
        log.replace("8000.0 |", "8000.0 | global batch size:  256 |"),
    )
    .expect("the log");
    let other = ["--cluster", "a100-sxm-80gb:64", "--measured", "other.log on a100-sxm-80gb:64"];
    let output = advise_in(folder.path(), &with(&[&words(JOB), &other]));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("256 samples a step, the job 512"), "{}", stderr(&output));
    for wrong in
        ["9.8s", "step=9.8 on a100-sxm-80gb:64", "step=0s on a100-sxm-80gb:64", "step=9s on nowhere:3"]
    {
        let mut arguments: Vec<&str> = JOB.split(' ').collect();
        arguments.extend(["--cluster", "a100-sxm-80gb:64", "--measured", wrong]);
        assert!(fails(2, &arguments).contains("--measured"), "{wrong}");
    }
}

#[test]
fn every_log_line_of_the_first_page_is_read_as_its_words_say() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let (_, section) = page.split_once("## Your own measurement").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("its end");
    let rows =
        section.lines().filter(|l| l.starts_with("| ") && !l.contains("---") && !l.contains("| line |"));
    let lines = rows.map(|row| row.replace("\\|", "|").split('`').collect::<Vec<_>>().join("`"));
    let mut read = 0;
    for row in lines {
        // The last cell begins with the line; the first may have a file's name in the same quotes.
        let cell = row.rsplit_once(" | `").map(|(_, cell)| cell).expect("a line");
        let line = cell.split('`').next().expect("text");
        let log = gpu_advisor::validation::read_log(line);
        assert!(log.is_ok(), "{line}: {log:?}");
        read += 1;
    }
    assert_eq!(read, 8);
}

#[test]
fn logs_of_several_trainers_anchor_and_say_what_was_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("the log");
    // A step of 8 s; the first line, of a start, is dropped.
    let line = |t: f64| {
        format!("05/01 10:00:00 - INFO - Epoch(train) [1][10/90]  lr: 0.1  time: {t}  data_time: 2.0\n")
    };
    let iterations = [80.0, 8.0, 8.0].map(line).concat();
    write("iterations.log", &iterations);
    let bars =
        "Epoch 0:  1%|#  | 1/90 [01:20<9:99, 80.00s/it]\rEpoch 0: 2%|# | 2/90 [01:28<9:99,  8.00s/it]\n";
    write("bars.log", bars);
    write(
        "trainer_state.json",
        r#"{"log_history": [{"eval_runtime": 20.0, "step": 10},
            {"step": 10, "train_runtime": 100.0, "train_samples_per_second": 51.2}]}"#,
    );
    write(
        "console.log",
        "{'train_runtime': 80.0, 'train_samples_per_second': 64.0, 'train_steps_per_second': 0.125}\n",
    );
    let run = |name: &str, more: &str| {
        let measured = format!("{name} on a100-sxm-80gb:64");
        let line = format!("{JOB} --cluster a100-sxm-80gb:64 {more}");
        advise_in(folder.path(), &with(&[&words(&line), &["--measured", &measured]]))
    };
    for name in ["iterations.log", "bars.log", "trainer_state.json", "console.log"] {
        let output = run(name, "--format json");
        let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let step = answer["step_time_s"].as_f64().expect("a step");
        assert!((step - 8.0).abs() < 1e-9, "{name}: {step}");
    }
    let told = stderr(&run("iterations.log", ""));
    assert!(told.contains("a step of 8.00 s, 25 % of it waiting for data, the median of 2 values"), "{told}");
    let chinese = stderr(&run("iterations.log", "--lang zh"));
    assert!(chinese.contains("25 % 在等待数据"), "{chinese}");
    assert!(stderr(&run("iterations.log", "--quiet")).is_empty());
    // 51.2 samples/s for 100 s are 5120 samples in 10 steps: 512 a step, not 128.
    let other = {
        let line = JOB.replace("512", "128") + " --cluster a100-sxm-80gb:64";
        let measured = ["--measured", "trainer_state.json on a100-sxm-80gb:64"];
        advise_in(folder.path(), &with(&[&words(&line), &measured]))
    };
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("about 512 samples a step, the job 128"), "{}", stderr(&other));
    write("trainer_state.json", r#"{"log_history": [{"step": 10, "loss": 2.0}]}"#);
    assert!(stderr(&run("trainer_state.json", "")).contains("no train_runtime"));
}

const PICTURES: &str =
    "simulate --model resnet-50 --dataset imagenet-1k --epochs 90 --global-batch 2048 --vcpus 32";

#[test]
fn what_waited_for_data_is_no_time_of_the_gpus_and_the_need_for_input_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "05/01 10:00:00 - INFO - Epoch(train) [1][10/90]  lr: 0.1  time: 0.4  data_time: 0.2\n";
    std::fs::write(folder.path().join("waits.log"), line).expect("the log");
    let at = |gpus: &str, more: &str, measured: &str| {
        let told = format!("{measured} on a100-sxm-80gb:8");
        let flag: &[&str] = if measured.is_empty() { &[] } else { &["--measured", &told] };
        let line = format!("{PICTURES} --cluster {gpus}:8 {more} --format json");
        let output = advise_in(folder.path(), &with(&[&words(&line), flag]));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let number = |value: &serde_json::Value| value.as_f64().expect("a number");
        let input = answer["terms"].as_array().expect("terms").iter().find(|t| t["name"] == "input");
        let input = input.map_or(0.0, |t| number(&t["time_s"]));
        let step = number(&answer["step_time_s"]);
        (step, step - input, number(&answer["input_needed"]["vcpus_per_node"]), answer["measured"].clone())
    };
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
    let (step, work, need, _) = at("a100-sxm-80gb", "", "");
    assert!(step > 1.2 * work, "it waits for its input by prediction: {step} {work}");
    // A step between its work and twice its wait tells how long the input took: the GPUs and their need stay.
    let (slow, same, stays, told) = at("a100-sxm-80gb", "", "step=0.4s");
    assert!(near(slow, 0.4) && near(same, work) && near(stays, need) && told["factor"] == 1.0, "{told}");
    assert!(near(told["measured_wait_s"].as_f64().expect("a wait"), 0.4 - work), "{told}");
    // Nothing of it is carried to other GPUs, not even a narrower interval.
    assert!(near(at("v100-sxm2-32gb", "", "step=0.4s").0, at("v100-sxm2-32gb", "", "").0));
    // A log that tells of 0.2 s without data: those are the GPUs', there and in part elsewhere.
    let (slow, gpus, needs, told) = at("a100-sxm-80gb", "", "waits.log");
    assert!(near(slow, 0.4) && near(gpus, 0.2) && near(needs, need * work / 0.2), "{gpus} {needs}");
    assert!(near(told["factor"].as_f64().expect("a factor"), 0.2 / work), "{told}");
    let (_, before, ..) = at("v100-sxm2-32gb", "", "");
    let (_, after, _, told) = at("v100-sxm2-32gb", "", "waits.log");
    let share = told["carried_share"].as_f64().expect("a share");
    assert!(near(after, before * (0.2 / work).powf(share)), "{before} {after}");
}

/// A log that is all waiting says nothing of the GPUs, and one whose waits are longer than its iterations nothing at all.
#[test]
fn a_log_of_nothing_but_waits_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (waits, wanted) in [("0.2", "nothing but wait"), ("0.3", "longer than the iterations")] {
        let line = format!(
            "05/01 10:00:00 - INFO - Epoch(train) [1][10/90]  lr: 0.1  time: 0.2  data_time: {waits}\n"
        );
        std::fs::write(folder.path().join("run.log"), line.repeat(20)).expect("the log");
        let mut arguments =
            words("simulate --model resnet50 --epochs 90 --dataset imagenet-1k --cluster aws/p4d.24xlarge:1");
        arguments.extend(["--measured", "run.log on aws/p4d.24xlarge:1"]);
        let output = advise_in(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
    }
}

#[test]
fn a_measured_wait_of_input_that_nobody_describes_stays_on_the_same_nodes() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "05/01 10:00:00 - INFO - Epoch(train) [1][10/90]  lr: 0.1  time: 8.0  data_time: 2.0\n";
    std::fs::write(folder.path().join("waits.log"), line).expect("the log");
    let told = ["--measured", "waits.log on a100-sxm-80gb:64", "--format", "json"];
    let job = JOB.replace("simulate", "whatif") + " --cluster a100-sxm-80gb:64 --set global_batch=1024";
    let output = advise_in(folder.path(), &with(&[&words(&job), &told]));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // Samples come as fast as before: a step of twice as many takes no less than twice the 8 s.
    let [before, after] =
        ["before", "after"].map(|at| answer[at]["figures"]["step_time_s"].as_f64().expect("a step"));
    assert!((before - 8.0).abs() < 1e-9 && (after - 16.0).abs() < 1e-9, "{before} {after}");
}

#[test]
fn a_measurement_far_from_the_prediction_is_refused_with_the_likely_slip() {
    let job = [&words(JOB)[..], &["--cluster", "a100-sxm-80gb:64"]].concat();
    let refused = |measured: &str| {
        let text = format!("{measured} on a100-sxm-80gb:64");
        fails(2, &with(&[&job, &["--measured", &text]]))
    };
    // About 3.2 s are predicted: 512 sequences of 2048 tokens, 159 samples or 326 thousand tokens a second.
    for (measured, way, slip) in [
        ("step=3220s", "slower", "milliseconds written as seconds"),
        ("step=3.2ms", "faster", "seconds written as milliseconds"),
        ("step=6.3ms", "faster", "the time of one sample"),
        ("tokens/s=326", "slower", "thousands of tokens a second"),
        ("tokens/s=159", "slower", "samples a second, not tokens"),
        ("tokens/s=5090", "slower", "the rate of one GPU"),
        ("samples/s=326k", "faster", "tokens a second, not samples"),
    ] {
        let said = refused(measured);
        assert!(
            said.contains(way) && said.contains(slip) && said.contains("predicted"),
            "{measured}: {said}"
        );
    }
    // Ten times slower may be a slow disk or a debugger.
    let slow = with(&[&job, &["--measured", "step=32s on a100-sxm-80gb:64"]]);
    assert_eq!(crate::program::advise(&slow).status.code(), Some(0));
}

#[test]
fn inverse_questions_find_the_edge() {
    let solved = |line: &str| {
        let (code, answer) = json(line);
        assert_eq!(code, 0, "{line}");
        answer["solved"]["value"].as_u64().expect("a number")
    };
    let plan = "--framework pytorch-fsdp --sharding zero3 --recompute full";
    let base =
        format!("simulate --model llama2-7b --steps 10 --sequence-length 2048 {plan} --gpu a100-sxm-80gb");
    let largest = solved(&format!("{base} --gpus 8 --solve micro-batch"));
    let runs = |micro: u64| {
        let batch = micro * 8;
        json(&format!("{base} --gpus 8 --micro-batch {micro} --global-batch {batch}")).1["memory"]["peak_bytes"]
            .as_f64()
            .expect("a peak")
    };
    let usable = 0.92 * 79.15 * 1024f64.powi(3);
    assert!(runs(largest) <= usable * 1.09 && runs(largest * 2) > usable, "{largest}");
    let longest = solved(&format!("{base} --gpus 8 --micro-batch 1 --solve sequence-length"));
    assert!(longest % 128 == 0 && longest > 8192, "{longest}");
    // S11 the other way round: 208 GB of states need four cards of 80 GB.
    let fewest = solved(&format!(
        "simulate --model llama-13b --steps 10 --sequence-length 2048 {plan} --gpu a100-sxm-80gb --gpus 64 \
         --gpus-per-node 8 --solve gpus"
    ));
    assert_eq!(fewest, 4);
}
