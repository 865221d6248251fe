//! A fleet: the emitted jobs run with a launcher that is a script, and ranks in several processes on the stand-in driver.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::standin::folder_with;

/// The program in a folder that is also the user's home, with libraries from another.
fn program(folder: &Path, libraries: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"));
    command.args(arguments).current_dir(folder).env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    command.env("LD_LIBRARY_PATH", libraries).env("STANDIN_SCENARIO", "two-devices");
    command
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn emitted(folder: &Path, arguments: &[&str]) -> String {
    let arguments = [&["calibrate", "emit"], arguments].concat();
    out(&program(folder, folder, &arguments).output().expect("the program starts"))
}

/// Starts a command once for every task, as `srun` does: nodes 1, 2 ... with as many tasks each as were asked for.
const SRUN: &str = r#"#!/bin/bash
while [[ "$1" == --* ]]; do
  case "$1" in
    --ntasks=*) all="${1#*=}" ;;
    --ntasks-per-node=*) each="${1#*=}" ;;
  esac
  shift
done
export SLURM_NTASKS=$all SLURM_NTASKS_PER_NODE=$each
failed=0
for ((task = 0; task < all; task++)); do
  SLURM_PROCID=$task SLURM_LOCALID=$((task % each)) SLURMD_NODENAME=node$((task / each + 1)) "$@" &
done
for ((task = 0; task < all; task++)); do wait -n || failed=1; done
exit $failed
"#;

/// Runs an emitted batch script.
fn run_job(folder: &Path, libraries: &Path, script: &str) -> Output {
    std::fs::write(folder.join("job.sh"), script).expect("a script");
    let srun = folder.join("srun");
    std::fs::write(&srun, SRUN).expect("a launcher");
    std::fs::set_permissions(&srun, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    let mut job = Command::new("bash");
    job.arg("job.sh").current_dir(folder).env("PATH", path).env("HOME", folder).env("SLURM_JOB_ID", "7");
    job.env("GPU_ADVISOR", env!("CARGO_BIN_EXE_gpu-advisor"));
    job.env("LD_LIBRARY_PATH", libraries).env("STANDIN_SCENARIO", "two-devices");
    job.output().expect("bash starts")
}

#[test]
fn the_slurm_script_measures_every_node_and_all_together_and_merges_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = folder_with(&["libnccl.so.2"]);
    let arguments = ["slurm", "--nodes", "2", "--gpus-per-node", "2", "--folder", "shared"];
    let more = ["--gpu", "v100-sxm2-16gb", "--", "--device", "simulated"];
    let script = emitted(folder.path(), &[&arguments[..], &more[..]].concat());
    assert!(script.starts_with("#!/bin/bash\n#SBATCH") && script.contains("#SBATCH --nodes=2"), "{script}");
    let job = run_job(folder.path(), libraries.path(), &script);
    assert!(job.status.success() && !err(&job).contains("no collectives"), "{}", err(&job));
    let merged = std::fs::read_to_string(folder.path().join("shared/7/merged.toml")).expect("a profile");
    assert!(merged.contains("merged_from = [\"node1\", \"node2\"]"), "{}", &merged[..600]);
    assert!(out(&job).contains("Merged profile of 2 nodes"));
    let merged: toml::Table = merged.parse().expect("TOML");
    let transfers = merged["measured"]["transfer"].as_array().expect("transfers");
    let across: Vec<_> = transfers.iter().filter(|t| t.get("nodes").is_some()).collect();
    assert_eq!(across.len(), 5, "{across:?}");
    for transfer in across {
        assert_eq!((transfer["nodes"].as_integer(), transfer["ranks"].as_integer()), (Some(2), Some(4)));
        assert_eq!(transfer["bytes"].as_array().map(Vec::len), Some(10));
        if transfer["operation"].as_str() == Some("all-reduce") {
            // The stand-in takes 50 us and 20 GB/s, and its slowest rank a third longer: that one counts.
            let us = |place: usize| transfer["us"][place].as_float().expect("a time");
            assert!((us(0) / (50.05 * 1.3) - 1.0).abs() < 0.01, "{}", us(0));
            let seconds = 50e-6 + f64::from(1 << 28) / 20e9;
            assert!((us(9) / (seconds * 1.3 * 1e6) - 1.0).abs() < 0.01, "{}", us(9));
        }
    }
    let left: Vec<_> = std::fs::read_dir(folder.path().join("shared/7"))
        .expect("the folder")
        .map(|f| f.expect("a file").file_name().into_string().expect("a name"))
        .filter(|name| name.starts_with("rendezvous"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn without_the_library_of_collectives_the_profiles_are_merged_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = folder_with(&[]);
    let arguments = ["slurm", "--nodes", "2", "--gpus-per-node", "1", "--folder", "shared"];
    let more = ["--gpu", "v100-sxm2-16gb", "--", "--device", "simulated"];
    let job = run_job(
        folder.path(),
        libraries.path(),
        &emitted(folder.path(), &[&arguments[..], &more[..]].concat()),
    );
    assert!(job.status.success(), "{}", err(&job));
    let said = err(&job);
    assert!(said.contains("NCCL") && said.contains("no collectives between nodes"), "{said}");
    assert!(folder.path().join("shared/7/merged.toml").is_file());
    assert!(!folder.path().join("shared/7/collectives.toml").exists());
}

/// One rank of two, on nodes of one.
fn rank(folder: &Path, libraries: &Path, number: &str, more: &[&str]) -> Command {
    let place = ["--rank", number, "--world-size", "2", "--local-rank", "0", "--ranks-per-node", "1"];
    let rest = ["--gpu", "a100-sxm-40gb", "--rendezvous", "id"];
    program(folder, libraries, &[&["calibrate", "collectives"], &place[..], &rest[..], more].concat())
}

#[test]
fn two_processes_measure_together_and_one_of_them_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = folder_with(&["libnccl.so.2"]);
    let other = rank(folder.path(), libraries.path(), "1", &[])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the second rank starts");
    let first =
        rank(folder.path(), libraries.path(), "0", &["--format", "json"]).output().expect("the first");
    let other = other.wait_with_output().expect("the second ends");
    assert!(first.status.success() && other.status.success(), "{}", err(&first));
    assert_eq!(out(&other), "");
    let told: serde_json::Value = serde_json::from_str(&out(&first)).expect("JSON");
    assert_eq!((&told["nodes"], &told["ranks_per_node"]), (&2.into(), &1.into()));
    assert_eq!(told["transfer"].as_array().map(Vec::len), Some(5));
    let trace = std::fs::read_to_string(folder.path().join("collectives.jsonl")).expect("a trace");
    // Five operations of ten sizes in three rounds, a first and a last line.
    assert_eq!(trace.lines().count(), 5 * 10 * 3 + 2);
    let shown = program(folder.path(), folder.path(), &["calibrate", "show", "collectives.toml"]).output();
    let shown = out(&shown.expect("the program starts"));
    assert!(
        shown.contains("Collectives of 2 GPUs on 2 nodes") && shown.contains("nothing here was measured")
    );
}

#[test]
fn ranks_that_cannot_meet_end_with_words_and_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let libraries = folder_with(&["libnccl.so.2"]);
    let code =
        |output: &Output| (output.status.code(), std::fs::read_dir(folder.path()).expect("it").count());
    let alone = rank(folder.path(), libraries.path(), "1", &["--wait", "0"]);
    let alone = { alone }.output().expect("it starts");
    assert_eq!(code(&alone), (Some(1), 0), "{}", err(&alone));
    assert!(err(&alone).contains("do all nodes share the folder"), "{}", err(&alone));
    let no_gpu =
        rank(folder.path(), folder.path(), "1", &[]).env("STANDIN_SCENARIO", "").output().expect("it");
    assert_eq!(code(&no_gpu), (Some(5), 0), "{}", err(&no_gpu));
    let lost = program(folder.path(), libraries.path(), &["calibrate", "collectives", "--rank", "0"]);
    let lost = { lost }.env_remove("SLURM_NTASKS").output().expect("it starts");
    assert_eq!(code(&lost), (Some(2), 0));
    let said = err(&lost);
    assert!(said.contains("--world-size (or SLURM_NTASKS") && said.contains("calibrate emit"), "{said}");
}

#[test]
fn the_kubernetes_manifest_asks_for_one_pod_a_node_and_one_process_a_gpu() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["kubernetes", "--nodes", "4", "--gpus-per-node", "8", "--instance", "aws/p4d.24xlarge"];
    let manifest: serde_json::Value =
        serde_json::from_str(&emitted(folder.path(), &arguments)).expect("a manifest");
    let job = &manifest["items"][0];
    assert_eq!(job["spec"]["completions"], 4);
    let pod = &job["spec"]["template"]["spec"];
    assert_eq!(pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"], 8);
    let script = pod["containers"][0]["command"][2].as_str().expect("a script");
    assert!(script.contains("calibrate run") && script.contains("--instance aws/p4d.24xlarge"), "{script}");
    assert!(script.contains("--rank $((JOB_COMPLETION_INDEX * 8 + local)) --world-size 32"), "{script}");
    assert!(script.contains("\"$folder/rendezvous-$RUN_ID\""), "{script}");
    let merge = manifest["items"][1]["spec"]["template"]["spec"]["containers"][0]["command"][2].as_str();
    // Four profiles and one file of collectives.
    assert!(merge.is_some_and(|m| m.contains("calibrate merge") && m.contains("-lt 5")), "{merge:?}");
    // A shell takes both.
    for script in [script, merge.expect("a script")] {
        let checked = Command::new("sh").args(["-n", "-c", script]).output().expect("a shell");
        assert!(checked.status.success(), "{}", err(&checked));
    }
}
