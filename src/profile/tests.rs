use std::borrow::Cow;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::catalog::{Confidence, Finding, GpuSpec, Peaks, Precision, Provenance};
use crate::units::{Bytes, BytesPerSecond, FlopRate, Seconds};

/// Datasheet figures: id, architecture, SMs, dense TFLOP/s of fp32, tf32, fp16, bf16, fp8, GB/s, PCIe generation.
type Row = (&'static str, &'static str, u32, [f64; 5], f64, u8);
const MEASURED: [Row; 14] = [
    ("v100-sxm2-16gb", "Volta", 80, [15.7, 0.0, 125.0, 0.0, 0.0], 900.0, 3),
    ("v100-sxm2-32gb", "Volta", 80, [15.7, 0.0, 125.0, 0.0, 0.0], 900.0, 3),
    ("v100-sxm3-32gb", "Volta", 80, [15.7, 0.0, 125.0, 0.0, 0.0], 900.0, 3),
    ("v100-pcie-16gb", "Volta", 80, [14.0, 0.0, 112.0, 0.0, 0.0], 900.0, 3),
    ("v100-pcie-32gb", "Volta", 80, [14.0, 0.0, 112.0, 0.0, 0.0], 900.0, 3),
    ("v100s-pcie-32gb", "Volta", 80, [16.4, 0.0, 130.0, 0.0, 0.0], 1134.0, 3),
    ("a100-sxm-40gb", "Ampere", 108, [19.5, 156.0, 312.0, 312.0, 0.0], 1555.0, 4),
    ("a100-sxm-80gb", "Ampere", 108, [19.5, 156.0, 312.0, 312.0, 0.0], 2039.0, 4),
    ("a100-pcie-40gb", "Ampere", 108, [19.5, 156.0, 312.0, 312.0, 0.0], 1555.0, 4),
    ("a100-pcie-80gb", "Ampere", 108, [19.5, 156.0, 312.0, 312.0, 0.0], 1935.0, 4),
    ("h100-sxm", "Hopper", 132, [67.0, 494.7, 989.4, 989.4, 1978.9], 3350.0, 5),
    ("h100-pcie", "Hopper", 114, [51.0, 378.0, 756.0, 756.0, 1513.0], 2000.0, 5),
    ("h200-sxm", "Hopper", 132, [67.0, 494.7, 989.4, 989.4, 1978.9], 4800.0, 5),
    ("t4", "Turing", 40, [8.1, 0.0, 65.0, 0.0, 0.0], 320.0, 3),
];

fn gpu((id, architecture, multiprocessors, tera, bandwidth, pcie): Row) -> GpuSpec {
    let [fp32, tf32, fp16_tensor, bf16, fp8] = tera.map(|t| (t > 0.0).then_some(FlopRate::from_tera(t)));
    GpuSpec {
        id: id.to_owned(),
        group: None,
        vendor: "NVIDIA".to_owned(),
        name: id.to_owned(),
        architecture: architecture.to_owned(),
        compute_capability: None,
        multiprocessors: Some(multiprocessors),
        boost_mhz: None,
        peaks: Peaks { fp32, tf32, fp16_tensor, bf16, fp8, ..Peaks::default() },
        memory_nominal: Bytes::from_gib(16.0),
        memory_usable: Bytes::from_gib(15.0),
        memory_bandwidth: BytesPerSecond::from_gb(bandwidth),
        l2: None,
        link_per_direction: None,
        link_name: None,
        default_node_link: "pcie3".to_owned(),
        pcie: Some((pcie, 16)),
        tdp: None,
        launch_year: None,
        flash_attention: 0,
        confidence: Confidence::High,
        provenance: Provenance { source: "test".to_owned(), as_of: None },
        notes: None,
    }
}

fn gpus() -> Vec<GpuSpec> {
    MEASURED.map(gpu).to_vec()
}

fn profiles() -> &'static Profiles {
    static PROFILES: LazyLock<Profiles> =
        LazyLock::new(|| Profiles::embedded(&gpus()).unwrap_or_else(|e| panic!("{e:#?}")));
    &PROFILES
}

fn profile(id: &str) -> HardwareProfile {
    profiles().hardware.iter().find(|h| h.gpu == id).unwrap().clone()
}

const GOOD: &str = r#"schema = 1
gpu = "t4"
[dram]
copy = "256 GB/s"
grade = "D"
source = "s"
[launch]
floor = "2.6 us"
grade = "D"
source = "s"
[norm]
exponent = 3.2
grade = "D"
source = "s"
[host_to_device]
bandwidth = "12 GB/s"
grade = "C"
source = "s"
[matmul.fp16]
peak = "45 TFLOP/s"
m0 = 16
n0 = 16
k0 = 270
grade = "C"
source = "s"
"#;

/// Reads the embedded set with this text as the user's own profile.
fn with_overlay(text: &str) -> Result<Profiles, Vec<Finding>> {
    let gpus = gpus();
    let overlay = SourceFile { name: "mine.toml".to_owned(), text: Cow::Owned(text.to_owned()) };
    parse(&load::embedded_files(&gpus), Some(&overlay), &gpus)
}

/// Line, key and message of the findings in the user's own profile.
fn findings(text: &str) -> Vec<(usize, String, String)> {
    let findings = with_overlay(text).map(|_| ()).unwrap_err();
    findings.into_iter().map(|f| (f.line.unwrap(), f.key, f.message)).collect()
}

#[test]
fn every_embedded_file_reads_and_every_gpu_listed_here_is_measured_or_scaled_from_one() {
    let profiles = profiles();
    for (hardware, (id, ..)) in profiles.hardware.iter().zip(MEASURED) {
        assert_eq!(hardware.gpu, id);
        assert!(!hardware.source.starts_with("datasheet;"), "{id} has no file");
    }
    assert_eq!(profiles.stacks.len(), 11);
    assert_eq!(profiles.content_hash.len(), 16);
}

#[test]
fn numbers_are_positive_and_below_the_datasheet() {
    for (hardware, (id, _, _, tera, bandwidth, _)) in profiles().hardware.iter().zip(MEASURED) {
        assert!(hardware.dram.gb() > 0.5 * bandwidth && hardware.dram.gb() <= bandwidth, "{id}");
        assert!(hardware.launch > Seconds::ZERO && hardware.launch < Seconds::from_micros(10.0), "{id}");
        assert!(hardware.host_to_device.gb() > 5.0 && hardware.norm >= 1.0, "{id}");
        for precision in Precision::ALL {
            let limit = tera[precision as usize];
            let product = hardware.matmul(precision);
            assert_eq!(product.is_some(), limit > 0.0, "{id} {}", precision.name());
            if let Some(product) = product {
                assert!(product.peak.tera() > 0.4 * limit && product.peak.tera() <= 1.02 * limit, "{id}");
                assert!(product.m0 > 0.0 && product.n0 > 0.0 && product.k0 > 0.0, "{id}");
            }
        }
    }
}

#[test]
fn published_products_are_met_within_a_quarter() {
    // m, n, k in tokens, outputs, inputs and the measured TFLOP/s.
    let rows = [
        ("v100-sxm2-16gb", Precision::Fp16, 9124.0, 5124.0, 2560.0, 96.6),
        ("v100-sxm2-16gb", Precision::Fp16, 48_000.0, 3072.0, 1024.0, 95.33),
        ("v100-sxm2-16gb", Precision::Fp32, 7000.0, 4096.0, 4096.0, 14.78),
        ("t4", Precision::Fp16, 24_000.0, 6144.0, 2048.0, 38.88),
        ("t4", Precision::Fp32, 24_000.0, 1024.0, 2048.0, 4.59),
        ("a100-pcie-80gb", Precision::Bf16, 4096.0, 5120.0, 16_384.0, 233.8),
        ("a100-pcie-80gb", Precision::Bf16, 4096.0, 576.0, 5120.0, 155.0),
        ("a100-pcie-80gb", Precision::Bf16, 1536.0, 5120.0, 4096.0, 194.8),
        ("a100-sxm-80gb", Precision::Bf16, 8192.0, 8192.0, 8192.0, 258.0),
        ("a100-sxm-80gb", Precision::Tf32, 8192.0, 8192.0, 8192.0, 116.0),
        ("h200-sxm", Precision::Bf16, 8192.0, 8192.0, 8192.0, 788.0),
        ("h200-sxm", Precision::Fp8, 1280.0, 4096.0, 12_032.0, 1453.4),
    ];
    for (id, precision, m, n, k, measured) in rows {
        let hardware = profile(id);
        let time = hardware.launch + hardware.matrix_product(precision, m, n, k, 1.0);
        let error = 2.0 * m * n * k / time.get() / (measured * 1e12) - 1.0;
        assert!(error.abs() < 0.25, "{id} {} {m}x{n}x{k}: {error:+.3}", precision.name());
    }
}

#[test]
fn a_gpu_without_a_file_gets_the_stated_shares_of_its_datasheet() {
    let new = gpu(("new", "Hopper", 100, [50.0, 0.0, 500.0, 0.0, 0.0], 1000.0, 4));
    let profiles = Profiles::embedded(std::slice::from_ref(&new)).unwrap();
    let hardware = &profiles.hardware[0];
    let product = hardware.matmul(Precision::Fp16).unwrap();
    assert!((product.peak.tera() - 400.0).abs() < 1e-9, "0.8 x 500");
    assert!((product.m0 - 135.0).abs() < 1e-9, "1.35 x 100");
    assert!((hardware.dram.gb() - 890.0).abs() < 1e-9, "0.89 x 1000");
    assert_eq!(hardware.host_to_device, BytesPerSecond::from_gb(26.0));
    assert_eq!(hardware.grade(Precision::Fp16), Grade::D);
    assert!(hardware.matmul(Precision::Bf16).is_none(), "the datasheet has none");
    assert_eq!(profiles.defaults.reference_network(&new).bandwidth, BytesPerSecond::from_gigabit(3200.0));
}

#[test]
fn three_and_four_join_to_five_at_exponent_two_and_to_seven_at_one() {
    let mut hardware = profile("t4");
    for (norm, expected) in [(2.0, 5.0), (1.0, 7.0), (16.0, 4.0)] {
        hardware.norm = norm;
        let time = hardware.join(Seconds::new(3.0), Seconds::new(4.0)).get();
        assert!((time - expected).abs() < 0.01, "{norm}: {time}");
    }
    hardware.norm = 1.0;
    assert!((hardware.join(Seconds::new(0.01), Seconds::new(1.0)).get() - 1.01).abs() < 1e-12);
}

#[test]
fn half_the_lanes_carry_half_the_rate() {
    let mut narrow = gpus().remove(0);
    narrow.pcie = Some((4, 8));
    let (rate, copies) = profiles().defaults.slot(&narrow);
    assert_eq!((rate, copies), (BytesPerSecond::from_gb(15.5), BytesPerSecond::from_gb(13.0)));
}

#[test]
fn the_users_profile_replaces_that_of_its_gpu_alone_and_changes_the_hash() {
    let (before, after) = (profiles(), with_overlay(GOOD).unwrap());
    let changed: Vec<_> =
        before.hardware.iter().zip(&after.hardware).filter(|(b, a)| b != a).map(|(b, _)| &b.gpu).collect();
    assert_eq!(changed, ["t4"]);
    assert_eq!(after.hardware[13].matmul(Precision::Fp16).unwrap().peak, FlopRate::from_tera(45.0));
    assert_eq!(after.hardware[13].matmul(Precision::Fp32).unwrap().grade, Grade::D, "from the datasheet");
    assert_ne!(before.content_hash, after.content_hash);
}

#[test]
fn a_misspelt_key_is_found_with_its_line_and_the_near_one() {
    let found = findings(&GOOD.replace("exponent", "exponnent"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((found[0].0, found[0].1.as_str()), (11, "norm.exponent"));
    assert!(found[0].2.contains("is missing"), "{found:?}");
    assert_eq!((found[1].0, found[1].1.as_str()), (12, "norm.exponnent"));
    assert!(found[1].2.contains("did you mean \"exponent\"?"), "{found:?}");
}

#[test]
fn all_findings_of_a_file_come_at_once() {
    let text = GOOD
        .replace("\"256 GB/s\"", "256")
        .replace("\"2.6 us\"", "\"2.6 GB\"")
        .replace("k0 = 270", "k0 = -1")
        .replace("grade = \"C\"\nsource = \"s\"\n[matmul", "grade = \"E\"\nsource = \"s\"\n[matmul");
    let found = findings(&text);
    let lines: Vec<_> = found.iter().map(|(line, key, _)| (*line, key.as_str())).collect();
    assert_eq!(
        lines,
        [(4, "dram.copy"), (8, "launch.floor"), (17, "host_to_device.grade"), (23, "matmul.fp16.k0")]
    );
    assert!(found[0].2.contains("400 Gb/s"), "says what would be accepted: {found:?}");
}

#[test]
fn what_the_datasheet_excludes_is_refused() {
    let found = findings(&GOOD.replace("45 TFLOP/s", "67 TFLOP/s"));
    assert!(found[0].2.contains("65 TFLOP/s"), "{found:?}");
    let found = findings(&GOOD.replace("matmul.fp16", "matmul.bf16"));
    assert!(found[0].2.contains("no bf16 peak"), "{found:?}");
    let found = findings(&GOOD.replace("256 GB/s", "330 GB/s"));
    assert!(found[0].2.contains("320 GB/s"), "{found:?}");
    let found = findings(&GOOD.replace("\"t4\"", "\"t5\""));
    assert_eq!((found.len(), found[0].0), (1, 2));
    assert!(found[0].2.contains("did you mean \"t4\"?"), "{found:?}");
    let found = findings("schema = 1\ngpu = \n");
    assert_eq!((found.len(), found[0].0), (1, 2));
}

/// Reads the embedded set with a text of one file exchanged.
fn exchanged(name: &str, from: &str, to: &str) -> Result<Profiles, Vec<Finding>> {
    let gpus = gpus();
    let mut files = load::embedded_files(&gpus);
    let file = files.iter_mut().find(|f| f.name == name).unwrap();
    assert!(file.text.contains(from), "{name} has no {from:?}");
    file.text = Cow::Owned(file.text.replacen(from, to, 1));
    parse(&files, None, &gpus)
}

#[test]
fn wrong_stacks_links_and_defaults_are_found_where_they_are() {
    let cases = [
        (
            "software/common.toml",
            "collective_efficiency = 0.",
            "collective_efficency = 0.",
            "collective_efficency",
        ),
        ("software/caffe.toml", "\"pytorch-ddp\"", "\"pytorch-dpd\"", "did you mean \"pytorch-ddp\"?"),
        ("software/megatron.toml", "\"zero1\"", "\"zero4\"", "did you mean"),
        ("networks.toml", "ranks = 2", "ranks = 1", "expected 2 to 1024"),
        ("networks.toml", "share = [0.0791,", "share = [0.2791,", "not physical"),
        ("networks.toml", "\"50 us\"", "\"50\"", "a duration with its unit"),
        ("defaults.toml", "decoder = \"megatron\"", "decoder = \"megatrom\"", "no stack"),
        ("defaults.toml", "C = 0.20", "C = 0.0", "expected 0.001 to 2"),
    ];
    for (file, from, to, expected) in cases {
        let found = exchanged(file, from, to).map(|_| ()).unwrap_err();
        assert!(
            found
                .iter()
                .any(|f| f.file == file && (f.message.contains(expected) || f.key.contains(expected))),
            "{file} {to}: {found:#?}"
        );
        assert!(found.windows(2).all(|w| w[0] != w[1]), "a shared value is reported once: {found:#?}");
    }
}

#[test]
fn missing_files_are_findings() {
    let found = parse(&[], None, &gpus()).map(|_| ()).unwrap_err();
    let files: std::collections::BTreeSet<_> = found.iter().map(|f| f.file.as_str()).collect();
    assert_eq!(
        files.into_iter().collect::<Vec<_>>(),
        ["defaults.toml", "networks.toml", "software/common.toml"]
    );
}

#[test]
fn a_stack_takes_what_it_does_not_state_from_its_relative_then_from_common() {
    let profiles =
        exchanged("software/pytorch-ddp.toml", "supports = []", "supports = []\nscore_passes = 7").unwrap();
    let (caffe, ddp) = (profiles.stack("caffe").unwrap(), profiles.stack("pytorch-ddp").unwrap());
    assert_eq!((ddp.score_passes, caffe.score_passes), (7.0, 7.0));
    assert_eq!(caffe.matmul_efficiency, ddp.matmul_efficiency);
    assert_eq!(caffe.relative_of.as_deref(), Some("pytorch-ddp"));
    assert!(caffe.trains_in(Precision::Fp32) && !caffe.trains_in(Precision::Fp16));
    assert!(caffe.residual > ddp.residual && caffe.grade == Grade::D);
    assert!(!ddp.supports(Method::Zero3) && profiles.stack("pytorch-fsdp").unwrap().supports(Method::Zero3));
}

#[test]
fn classes_and_stacks_are_found_by_name() {
    let profiles = profiles();
    for class in
        ["nvswitch", "nvlink2-mesh", "nvswitch5", "nvlink-bridge-pairs", "nvlink", "hccs", "c2c", "pcie3"]
    {
        assert_eq!(profiles.link(class).unwrap().class, class);
    }
    for class in ["tcp", "roce", "infiniband", "efa", "gpudirect-tcp", "rdma", "unknown"] {
        assert_eq!(profiles.network(class).unwrap().class, class);
    }
    assert!(profiles.link("token-ring").is_none() && profiles.stack("").is_none());
}

#[test]
fn a_table_point_is_returned_as_measured_and_interpolated_between() {
    let profiles = profiles();
    let (link, rate) = (profiles.link("nvswitch").unwrap(), BytesPerSecond::from_gb(300.0));
    let at = |mib: f64| link.bus_bandwidth(8, Bytes::from_gib(mib / 1024.0), rate).gb();
    assert!((at(1024.0) - 229.35).abs() < 0.05, "the A100 table's last row: {}", at(1024.0));
    assert!((at(4096.0) - at(1024.0)).abs() < 1e-9, "flat beyond");
    let between = at(2f64.sqrt());
    assert!((between - (at(1.0) * at(2.0)).sqrt()).abs() < 1e-6, "geometric mean half-way");
    let hopper = link.bus_bandwidth(8, Bytes::from_gib(1.0), BytesPerSecond::from_gb(450.0)).gb();
    assert!((hopper - 441.81).abs() < 0.05, "the table of the nearest link rate: {hopper}");
}

#[test]
fn two_latency_steps_and_two_seconds_of_traffic_add_up() {
    let link = LinkProfile {
        class: "test".to_owned(),
        efficiency: crate::units::Fraction::new(0.5),
        latency: Seconds::new(1.0),
        tables: Vec::new(),
        over_pcie: true,
        grade: Grade::D,
        source: String::new(),
    };
    // Two ranks: 2 steps of 1 s, and 10 B at 0.5 x 10 B/s take 2 s.
    let bandwidth = link.bus_bandwidth(2, Bytes::new(10.0), BytesPerSecond::new(10.0));
    assert_eq!(bandwidth, BytesPerSecond::new(2.5));
}

proptest! {
    #[test]
    fn more_bandwidth_or_more_peak_is_never_slower(
        m in 1.0..1e5f64, n in 1.0..1e5f64, k in 1.0..1e5f64, gain in 1.0..10.0f64, row in 0..14usize,
    ) {
        let base = profiles().hardware[row].clone();
        let mut faster = base.clone();
        faster.dram = base.dram * gain;
        let mut stronger = base.clone();
        for product in stronger.matmul.iter_mut().flatten() {
            product.peak = product.peak * gain;
        }
        for precision in Precision::ALL {
            let time = |p: &HardwareProfile| p.matrix_product(precision, m, n, k, 0.9).get();
            prop_assert!(time(&faster) <= time(&base) * (1.0 + 1e-9));
            prop_assert!(time(&stronger) <= time(&base) * (1.0 + 1e-9));
        }
    }

    #[test]
    fn more_bytes_never_give_less_bandwidth_nor_take_less_time_nor_beat_the_link(
        exponent in 0.0..36.0f64, factor in 1.0..8.0f64, ranks in 2..64u32, rate in 10.0..900.0f64,
    ) {
        let rate = BytesPerSecond::from_gb(rate);
        let (small, large) = (Bytes::new(exponent.exp2()), Bytes::new(exponent.exp2() * factor));
        for link in &profiles().links {
            let of = |bytes| link.bus_bandwidth(ranks, bytes, rate);
            prop_assert!(of(small).get() > 0.0, "{}", link.class);
            prop_assert!(of(small) <= of(large) * (1.0 + 1e-9), "{}", link.class);
            prop_assert!(of(large) <= rate * (1.0 + 1e-9), "{}", link.class);
            prop_assert!((small / of(small)).get() <= (large / of(large)).get() * (1.0 + 1e-9), "{}", link.class);
        }
    }
}
