//! `calibrate` on the driver without a GPU: exit codes, and files that are whole or not there.

use std::path::Path;
use std::process::{Command, Output};

use crate::standin::{driver_folder, driver_without, folder_with};

/// Runs the program in a folder of its own, with the libraries of another.
fn advisor(libraries: &Path, folder: &Path, scenario: &str, arguments: &[&str]) -> Output {
    advisor_with(libraries, folder, &[("STANDIN_SCENARIO", scenario)], arguments)
}

/// The same with other settings of the driver.
fn advisor_with(libraries: &Path, folder: &Path, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"));
    command.current_dir(folder).env("LD_LIBRARY_PATH", libraries).envs(settings.iter().copied());
    let output = command.arg("calibrate").args(arguments).output().expect("the program runs");
    assert!(!errors(&output).contains("panicked"), "{}", errors(&output));
    output
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A run as short as there is. The stand-in's name is no GPU's, so one must be named.
const RUN: [&str; 5] = ["run", "--minimal", "--quiet", "--gpu", "a100-sxm-40gb"];

#[test]
fn a_run_on_the_drivers_path_writes_both_files_and_is_no_measurement() {
    let libraries = folder_with(&["libnvidia-ml.so.1"]);
    let folder = tempfile::tempdir().expect("a folder");
    let output = advisor(libraries.path(), folder.path(), "", &RUN);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(files(folder.path()), ["profile.jsonl", "profile.toml"]);
    let said = said(&output);
    assert!(said.contains("nothing here was measured on hardware"), "{said}");
    // The speeds of the stand-in: 19 and 280 TFLOP/s.
    let value = |name: &str| -> f64 {
        let row =
            said.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_else(|| panic!("{name} in\n{said}"));
        row.split_whitespace()
            .next()
            .and_then(|v| v.parse().ok())
            .unwrap_or_else(|| panic!("{name} in\n{said}"))
    };
    for (name, expected) in [("fp32 vector ceiling", 19.0), ("bf16 matrix ceiling", 280.0)] {
        let found = value(name);
        assert!((found / expected - 1.0).abs() < 0.01, "{name}: {found}, expected {expected}");
    }

    let replayed =
        ["run", "--replay", "profile.jsonl", "--output", "again.toml", "--quiet", "--gpu", "a100-sxm-40gb"];
    let output = advisor(libraries.path(), folder.path(), "no-device", &replayed);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a profile");
    assert_eq!(read("profile.toml"), read("again.toml"));
}

#[test]
fn every_way_to_have_no_gpu_is_exit_code_5_with_one_paragraph_and_no_file() {
    let libraries = driver_folder();
    let cases = [
        ("no-device", "the driver sees no device"),
        ("driver-mismatch", "does not fit the kernel module: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        ("ptx-refused", "the driver refused the kernels: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
        ("old-gpu", "compute capability 6.1 is below 7.0"),
        ("stub-library", "CUDA driver is a stub library"),
    ];
    for (scenario, words) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let output = advisor(libraries.path(), folder.path(), scenario, &RUN);
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(5), "{scenario}: {errors}");
        assert!(errors.contains(words) && errors.contains("--device cpu"), "{scenario}: {errors}");
        assert_eq!(errors.trim_end().lines().count(), 1, "{errors}");
        assert!(said(&output).is_empty() && files(folder.path()).is_empty(), "{scenario}");
        let check = advisor(libraries.path(), folder.path(), scenario, &["check"]);
        let ready = scenario == "ptx-refused";
        assert_eq!(check.status.code(), Some(if ready { 0 } else { 5 }), "{scenario}: {}", said(&check));
    }
}

#[test]
fn a_driver_that_is_too_old_is_named_with_the_function_it_lacks() {
    let (libraries, folder) =
        (driver_without("cuGraphInstantiateWithFlags"), tempfile::tempdir().expect("a folder"));
    let output = advisor(libraries.path(), folder.path(), "", &RUN);
    assert_eq!(output.status.code(), Some(5));
    assert!(errors(&output).contains("the driver lacks cuGraphInstantiateWithFlags"), "{}", errors(&output));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_device_lost_half_way_leaves_nothing() {
    let (libraries, folder) = (driver_folder(), tempfile::tempdir().expect("a folder"));
    let output = advisor(libraries.path(), folder.path(), "launch-failure", &RUN);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("CUDA_ERROR_LAUNCH_FAILED"), "{}", errors(&output));
    assert!(files(folder.path()).is_empty(), "{:?}", files(folder.path()));
}

#[test]
fn without_memory_or_with_wrong_results_there_is_a_trace_and_no_profile() {
    let libraries = driver_folder();
    for (scenario, words) in [("out-of-memory", "out of memory"), ("wrong-result", "wrong result")] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = advisor(libraries.path(), folder.path(), scenario, &RUN);
        assert_eq!(output.status.code(), Some(6), "{scenario}: {}", errors(&output));
        assert!(errors(&output).contains(words), "{}", errors(&output));
        assert_eq!(files(folder.path()), ["profile.jsonl"], "{scenario}");
    }
}

#[test]
fn every_gpu_of_a_host_gets_a_profile() {
    let libraries =
        folder_with(&["libnvidia-ml.so.1", "libcublas.so.12", "libcublasLt.so.12", "libnccl.so.2"]);
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = [RUN.as_slice(), &["--all"]].concat();
    let output = advisor(libraries.path(), folder.path(), "two-devices", &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let expected = ["profile-0.jsonl", "profile-0.toml", "profile-1.jsonl", "profile-1.toml"];
    assert_eq!(files(folder.path()), expected);
    let profile = std::fs::read_to_string(folder.path().join("profile-1.toml")).expect("a profile");
    for part in ["cublas 12.4.2", "all-reduce", "nccl"] {
        assert!(profile.contains(part), "{part} in\n{profile}");
    }
}

#[test]
fn products_of_8_bit_floats_are_measured_in_the_one_layout_they_have() {
    let libraries = folder_with(&["libcublas.so.12", "libcublasLt.so.12"]);
    let folder = tempfile::tempdir().expect("a folder");
    let run = ["run", "--minimal", "--quiet", "--gpu", "h200-sxm"];
    let output = advisor_with(libraries.path(), folder.path(), &[("STANDIN_CAPABILITY", "90")], &run);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let text = std::fs::read_to_string(folder.path().join("profile.toml")).expect("a profile");
    let profile: toml::Table = text.parse().expect("TOML");
    assert!(profile["matmul"].get("fp8").is_some(), "{text}");
    let products = profile["measured"]["product"].as_array().expect("products");
    let fp8 = products.iter().find(|p| p["format"].as_str() == Some("fp8")).expect("8-bit products");
    let points = fp8["points"].as_array().expect("points");
    assert!(points.len() >= 4 && points.iter().all(|p| p["layout"].as_str() == Some("TN")), "{points:?}");
    // Nothing was asked for that does not exist.
    assert!(!text.contains("FP8 products exist in layout TN"), "{text}");
}

#[test]
fn check_shows_paths_reasons_and_devices() {
    let libraries = folder_with(&["libcublas.so.13"]);
    let folder = tempfile::tempdir().expect("a folder");
    let given = ["check", "--library-folder", libraries.path().to_str().expect("a path"), "--format", "json"];
    // Nothing on the loader's path: the folder alone must do.
    let output = advisor(folder.path(), folder.path(), "", &given);
    assert_eq!(output.status.code(), Some(0), "{}\n{}", said(&output), errors(&output));
    let answer: serde_json::Value = serde_json::from_str(&said(&output)).expect("JSON");
    let library = |name: &str| {
        let all = answer["libraries"].as_array().expect("libraries");
        all.iter().find(|l| l["name"] == name).expect("the library").clone()
    };
    let path = libraries.path().join("libcuda.so.1").display().to_string();
    assert_eq!(library("cuda")["path"], path);
    assert_eq!(library("cuda")["version"], "12.4");
    assert!(library("cublas")["problem"].as_str().is_some_and(|p| p.contains("is for CUDA 13")), "{answer}");
    assert_eq!(library("nccl")["problem"], "not found");
    assert_eq!(answer["devices"][0]["name"], "FAKE GPU 0 of the stand-in driver");
}
