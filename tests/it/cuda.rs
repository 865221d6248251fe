//! The CUDA path on a driver without a GPU: a library that answers as `libcuda.so.1` does, with known speeds and
//! failures. Each case runs in a process of its own, because a driver is loaded once per process.
#![expect(clippy::print_stdout, reason = "the child tells the parent by what it prints")]

use std::path::Path;
use std::process::{Command, Output};

use gpu_advisor::calibration::cuda;
use gpu_advisor::calibration::device::{Device, DeviceError};
use gpu_advisor::calibration::measurement::{
    Collective, Cores, Direction, Format, HostMemory, Item, Launch, Layout, SWEEP, Shape, Stream,
};
use gpu_advisor::calibration::opening::{LibrarySearch, OpenError};

use crate::standin::{driver_folder, driver_without, folder_with};

/// Runs one of the child's tasks on the driver of a folder.
fn child(task: &str, folder: &Path, settings: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["cuda::a_task_for_a_process_of_its_own", "--exact", "--nocapture", "--test-threads=1"]);
    command.env("STANDIN_TASK", task).env("LD_LIBRARY_PATH", folder).envs(settings.iter().copied());
    command.env("STANDIN_REPORT", folder.join("report"));
    command.output().expect("the child runs")
}

fn text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("panicked"), "{text}\n{errors}");
    text
}

/// What the child says on one line after `key`.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let line = text.lines().find_map(|l| l.strip_prefix(key).and_then(|rest| rest.strip_prefix(": ")));
    line.unwrap_or_else(|| panic!("no {key} in\n{text}"))
}

fn seconds(text: &str, item: &Item) -> f64 {
    value(text, &item.to_string()).parse().unwrap_or_else(|e| panic!("{item}: {e}\n{text}"))
}

const MIB: u64 = 1 << 20;
const SQUARE: Shape = Shape { m: 512, n: 256, k: 384 };
/// Sides that are no multiple of anything.
const ODD: Shape = Shape { m: 131, n: 77, k: 53 };

/// One item of every kind, and every kernel.
fn all_items(device: &dyn Device) -> Vec<Item> {
    let facts = device.facts();
    let mut items: Vec<Item> = Launch::ALL.into_iter().map(Item::Launch).collect();
    items.extend(Stream::ALL.into_iter().map(|kind| Item::Stream { kind, bytes: 256 * MIB }));
    items.extend(Stream::ALL.into_iter().map(|kind| Item::Stream { kind, bytes: MIB }));
    items.push(Item::L2Read { bytes: MIB });
    items.extend(SWEEP.into_iter().map(|fma| Item::Intensity { fma, bytes: 64 * MIB }));
    items.extend(facts.vector.iter().map(|&format| Item::Ceiling { format, cores: Cores::Vector }));
    items.extend(facts.matrix.iter().map(|&format| Item::Ceiling { format, cores: Cores::Matrix }));
    for &format in &facts.products {
        for layout in Layout::ALL {
            items.extend([SQUARE, ODD].map(|shape| Item::Product { shape, format, layout }));
        }
    }
    items.push(Item::Sustained { shape: SQUARE, format: facts.products[0] });
    for memory in [HostMemory::Pinned, HostMemory::Pageable] {
        for direction in [Direction::H2d, Direction::D2h, Direction::Both] {
            items.push(Item::HostCopy { memory, direction, bytes: 4 * MIB });
        }
    }
    for &ranks in &facts.collective_ranks {
        for operation in Collective::ALL {
            items.push(Item::Collective { operation, ranks, bytes: MIB });
        }
    }
    for &to in &facts.peers {
        items.push(Item::PeerCopy { from: facts.ordinal, to, bytes: 64 * MIB });
    }
    items
}

/// What a child does; in the parent, nothing.
#[test]
fn a_task_for_a_process_of_its_own() {
    let Ok(task) = std::env::var("STANDIN_TASK") else { return };
    // The test runner has begun a line.
    println!();
    let search = LibrarySearch::default();
    if task == "probe" {
        let probe = cuda::probe(&search);
        for library in &probe.libraries {
            println!("library {}: {:?} {:?}", library.name, library.path, library.problem);
        }
        for device in &probe.devices {
            println!("device {}: {} ({}) {:?}", device.ordinal, device.name, device.details, device.problem);
        }
        println!("problem: {:?}", probe.problem);
        return;
    }
    let mut device = match cuda::open(0, &search) {
        Ok(device) => device,
        Err(error) => {
            println!("not opened: {error:?}");
            return;
        }
    };
    let facts = device.facts();
    println!("name: {}", facts.name);
    println!("matrix: {:?}", facts.matrix);
    println!("products: {:?} by {}", facts.products, facts.product_source);
    println!("notes: {:?}", facts.notes);
    println!(
        "libraries: {:?}",
        facts.libraries.iter().map(|l| format!("{} {}", l.name, l.version)).collect::<Vec<_>>()
    );
    println!("told: {:?} {:?} {:?} {:?}", facts.driver, facts.power_limit, facts.mig, facts.shared);
    let mut environment = None;
    for item in all_items(&*device) {
        // The first batch of a launch-bound item would only show the cost of its start.
        match device.prepare(&item).and_then(|()| device.measure(&item, 200)) {
            Ok(batch) => {
                assert!(batch.checked && batch.count >= 200, "{item}: {batch:?}");
                println!("{item}: {}", batch.each().get());
                println!("work {item}: {}", batch.work.get());
                environment = batch.environment;
            }
            Err(error) => {
                println!("{item}: {error:?}");
                if matches!(error, DeviceError::Lost { .. }) {
                    break;
                }
            }
        }
    }
    println!("environment: {environment:?}");
    device.release();
}

#[test]
fn every_item_is_measured_checked_and_given_back() {
    let folder = driver_folder();
    let output = child("measure", folder.path(), &[]);
    let text = text(&output);
    assert!(value(&text, "name").starts_with("FAKE GPU 0"));
    assert_eq!(value(&text, "products"), "[Bf16, Fp16, Tf32, Fp32] by builtin");
    assert_eq!(value(&text, "matrix"), "[Bf16, Fp16, Tf32, Int8]");
    assert!(!text.contains("WrongResult") && !text.contains("Unsupported"), "{text}");

    let near = |item: Item, expected: f64| {
        let found = seconds(&text, &item);
        assert!((found / expected - 1.0).abs() < 0.01, "{item}: {found}, expected {expected}");
    };
    // 1.35 TB/s: two arrays of 256 MiB.
    near(Item::Stream { kind: Stream::Copy, bytes: 256 * MIB }, 512.0 * 1_048_576.0 / 1.35e12);
    near(Item::Stream { kind: Stream::Triad, bytes: 256 * MIB }, 768.0 * 1_048_576.0 / 1.35e12);
    near(Item::L2Read { bytes: MIB }, 1_048_576.0 / 4.0e12);
    near(Item::Launch(Launch::Stream), 2.5e-6);
    // 200 kernels of 1.2 us and one launch of 2.5 us.
    near(Item::Launch(Launch::Graph), 1.2e-6 + 2.5e-6 / 200.0);
    near(
        Item::HostCopy { memory: HostMemory::Pinned, direction: Direction::H2d, bytes: 4 * MIB },
        8e-6 + 4.0 * 1_048_576.0 / 12e9,
    );
    let rate = |format: Format, cores| {
        let item = Item::Ceiling { format, cores };
        let work: f64 = value(&text, &format!("work {item}")).parse().expect("a number");
        work / seconds(&text, &item)
    };
    assert!((rate(Format::Fp32, Cores::Vector) / 19e12 - 1.0).abs() < 0.01);
    assert!((rate(Format::Bf16, Cores::Matrix) / 280e12 - 1.0).abs() < 0.01);
    assert!((rate(Format::Int8, Cores::Matrix) / 560e12 - 1.0).abs() < 0.01);

    let report = std::fs::read_to_string(folder.path().join("report")).expect("the driver's report");
    assert!(report.starts_with("open 0 bytes 0 "), "{report}");
}

#[test]
fn kernels_follow_the_compute_capability() {
    let folder = driver_folder();
    let matrix = |capability: &str| {
        let output = child("measure", folder.path(), &[("STANDIN_CAPABILITY", capability)]);
        let text = text(&output);
        assert!(!text.contains("WrongResult"), "{text}");
        value(&text, "matrix").to_owned()
    };
    assert_eq!(matrix("70"), "[Fp16]");
    assert_eq!(matrix("89"), "[Bf16, Fp16, Tf32, Fp8, Int8]");
    assert_eq!(matrix("90"), "[Bf16, Fp16, Tf32, Fp8, Int8]");
}

#[test]
fn a_driver_that_refuses_newer_kernels_measures_with_the_older_ones() {
    let folder = driver_folder();
    // PTX 6.5: a driver of CUDA 10.2.
    let output = child("measure", folder.path(), &[("STANDIN_PTX", "65")]);
    let text = text(&output);
    assert_eq!(value(&text, "matrix"), "[Fp16]");
    let notes = value(&text, "notes");
    assert!(notes.contains("kernels mma_sm80 are left out: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"), "{notes}");
    assert!(notes.contains("current version is '6.5'"), "{notes}");
}

#[test]
fn each_failure_to_open_has_its_own_words() {
    let folder = driver_folder();
    let not_opened = |scenario: &str| {
        let output = child("measure", folder.path(), &[("STANDIN_SCENARIO", scenario)]);
        value(&text(&output), "not opened").to_owned()
    };
    assert_eq!(not_opened("no-device"), "NoDevice");
    assert!(not_opened("driver-mismatch").starts_with("DriverMismatch"));
    assert!(not_opened("ptx-refused").starts_with("KernelRefused"));
    assert!(not_opened("ptx-refused").contains("current version is '6.0'"));
    assert!(not_opened("old-gpu").contains("6.1 is below 7.0"));
    assert!(not_opened("stub-library").contains("CUDA driver is a stub library"));
}

#[test]
fn an_item_without_memory_is_left_out_and_the_others_are_measured() {
    let folder = driver_folder();
    let text = text(&child("measure", folder.path(), &[("STANDIN_SCENARIO", "out-of-memory")]));
    let large = Item::Stream { kind: Stream::Copy, bytes: 256 * MIB };
    assert!(value(&text, &large.to_string()).starts_with("OutOfMemory"), "{text}");
    assert!(seconds(&text, &Item::Launch(Launch::Stream)) > 0.0);
    assert!(seconds(&text, &Item::Ceiling { format: Format::Int8, cores: Cores::Matrix }) > 0.0);
}

#[test]
fn a_launch_failure_half_way_ends_the_run_as_a_lost_device() {
    let folder = driver_folder();
    let text = text(&child("measure", folder.path(), &[("STANDIN_SCENARIO", "launch-failure")]));
    let lost: Vec<&str> = text.lines().filter(|l| l.contains("Lost")).collect();
    assert_eq!(lost.len(), 1, "{text}");
    assert!(lost[0].contains("CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"), "{lost:?}");
    // What came before it was measured.
    assert!(seconds(&text, &Item::Launch(Launch::Stream)) > 0.0);
}

#[test]
fn wrong_results_are_no_measurement() {
    let folder = driver_folder();
    let text = text(&child("measure", folder.path(), &[("STANDIN_SCENARIO", "wrong-result")]));
    let copy = Item::Stream { kind: Stream::Copy, bytes: MIB };
    assert!(value(&text, &copy.to_string()).starts_with("WrongResult"), "{text}");
    assert!(seconds(&text, &Item::Stream { kind: Stream::Read, bytes: MIB }) > 0.0);
}

#[test]
fn two_devices_copy_to_each_other() {
    let folder = driver_folder();
    let text = text(&child("measure", folder.path(), &[("STANDIN_SCENARIO", "two-devices")]));
    let found = seconds(&text, &Item::PeerCopy { from: 0, to: 1, bytes: 64 * MIB });
    let expected = 8e-6 + 64.0 * 1_048_576.0 / 200e9;
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    assert!(value(&text, "notes").contains("no NCCL"), "{text}");
    let probe = child("probe", folder.path(), &[("STANDIN_SCENARIO", "two-devices")]);
    let probe = String::from_utf8_lossy(&probe.stdout).into_owned();
    assert!(value(&probe, "device 1").contains("compute capability 8.0, 2.0 GiB"), "{probe}");
    assert_eq!(value(&probe, "problem"), "None");
}

#[test]
fn libraries_are_used_where_they_are_found() {
    let files = ["libnvidia-ml.so.1", "libcublas.so.12", "libcublasLt.so.12", "libnccl.so.2"];
    let folder = folder_with(&files);
    let settings = [
        ("STANDIN_SCENARIO", "two-devices"),
        ("STANDIN_CAPABILITY", "90"),
        ("STANDIN_THROTTLE", "4"),
        ("STANDIN_MEMORY_USED", "500000000"),
    ];
    let text = text(&child("measure", folder.path(), &settings));
    assert!(!text.contains("WrongResult") && !text.contains("Launch {"), "{text}");
    assert_eq!(value(&text, "products"), "[Bf16, Fp16, Tf32, Fp8, Fp32] by cublas 12.4.2");
    assert_eq!(value(&text, "libraries"), r#"["cublas 12.4.2", "nccl 2.21.5"]"#);
    assert_eq!(value(&text, "told"), r#"Some("550.54.15 (CUDA 12.4)") Some(400.0) Some(false) Some(true)"#);
    let environment = value(&text, "environment");
    for part in ["clock_mhz: Some(1410.0)", "watts: Some(312.5)", "celsius: Some(55.0)", "Some([Power])"] {
        assert!(environment.contains(part), "{environment}");
    }
    // FP8 exists in one layout, with sides that are multiples of 16.
    let fp8 = |layout, shape| Item::Product { shape, format: Format::Fp8, layout };
    assert!(seconds(&text, &fp8(Layout::Tn, SQUARE)) > 0.0);
    assert!(value(&text, &fp8(Layout::Nn, SQUARE).to_string()).starts_with("Unsupported"), "{text}");
    for operation in Collective::ALL {
        let item = Item::Collective { operation, ranks: 2, bytes: MIB };
        assert!(seconds(&text, &item) > 20e-6, "{item}");
    }
    let report = std::fs::read_to_string(folder.path().join("report")).expect("the driver's report");
    assert!(report.starts_with("open 0 bytes 0 "), "{report}");
}

#[test]
fn a_library_that_will_not_do_is_named_with_its_reason() {
    let folder = folder_with(&["libcublas.so.13", "libnvidia-ml.so.1"]);
    let output = child("probe", folder.path(), &[("STANDIN_NVML_STATUS", "9")]);
    let text = text(&output);
    assert!(
        value(&text, "library nvidia-ml").contains("libnvidia-ml.so.1: nvmlInit gives status 9"),
        "{text}"
    );
    let cublas = value(&text, "library cublas");
    assert!(cublas.contains("libcublas.so.13: is for CUDA 13, and the driver serves 12.4"), "{cublas}");
    assert!(value(&text, "library nccl").contains("not found"), "{text}");
}

#[test]
fn a_driver_without_a_function_is_named_with_it_and_never_called() {
    for symbol in ["cuInit", "cuGraphInstantiateWithFlags", "cuEventElapsedTime"] {
        let folder = driver_without(symbol);
        let text = text(&child("measure", folder.path(), &[]));
        assert_eq!(value(&text, "not opened"), format!("MissingSymbol {{ symbol: \"{symbol}\" }}"));
        let probe = text_of_probe(folder.path());
        assert!(value(&probe, "library cuda").contains(&format!("the driver lacks {symbol}")), "{probe}");
    }
}

fn text_of_probe(folder: &Path) -> String {
    text(&child("probe", folder, &[]))
}

#[test]
fn without_a_driver_every_place_that_was_looked_at_is_named() {
    let nothing = tempfile::tempdir().expect("a folder");
    let search = LibrarySearch { folder: Some(nothing.path().to_owned()) };
    let Err(OpenError::NoDriver { tried }) = cuda::open(0, &search) else {
        // A machine with a driver cannot show this.
        println!("not run: this machine has a driver");
        return;
    };
    let own = nothing.path().join("libcuda.so.1").display().to_string();
    assert_eq!(tried[..2], [own, "libcuda.so.1 on the loader's path".to_owned()]);
    let probe = cuda::probe(&search);
    assert!(matches!(probe.problem, Some(OpenError::NoDriver { .. })));
    let names: Vec<&str> = probe.libraries.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["cuda", "nvidia-ml", "cublas", "cublasLt", "nccl"]);
    assert!(probe.libraries.iter().all(|l| l.problem.is_some() && !l.tried.is_empty()));
}
