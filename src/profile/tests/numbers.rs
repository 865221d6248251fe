use proptest::prelude::*;

use super::*;
use crate::catalog::Precision;
use crate::units::{FlopCount, Fraction, Seconds};

#[test]
fn every_embedded_file_reads_and_every_gpu_listed_here_is_measured_or_scaled_from_one() {
    let profiles = profiles();
    for (hardware, (id, ..)) in profiles.hardware.iter().zip(MEASURED) {
        assert_eq!(hardware.gpu, id);
        assert!(!hardware.source.starts_with("datasheet;"), "{id} has no file");
    }
    assert_eq!(profiles.stacks.len(), 12);
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
fn units_held_back_to_half_reach_more_than_half_of_what_their_sibling_does() {
    let whole = gpu(("whole", "Ampere", 80, [40.0, 80.0, 160.0, 160.0, 0.0], 900.0, 4));
    let mut half = gpu(("half", "Ampere", 80, [40.0, 40.0, 80.0, 80.0, 0.0], 900.0, 4));
    half.matrix_unit_share = 0.5;
    let profiles = Profiles::embedded(&[whole, half]).unwrap();
    let [whole, mut half] =
        ["whole", "half"].map(|id| profiles.hardware.iter().find(|h| h.gpu == id).unwrap().clone());
    let product = *half.matmul(Precision::Fp16).unwrap();
    assert_eq!((product.peak.tera(), product.cap), (80.0, 0.625), "all of 80; fed at 0.8 x 160 = 80 / 0.625");
    assert_eq!(half.matmul(Precision::Fp32).unwrap().cap, 1.0, "ordinary cores are not held back");
    let time = |h: &HardwareProfile, efficiency| {
        h.matrix_product(Precision::Fp16, 8192.0, 8192.0, 8192.0, efficiency).get()
    };
    // Software at its best leaves the units to decide; at a third of the peak, the sibling's pace.
    assert!(
        (1.6..2.0).contains(&(time(&half, 1.0) / time(&whole, 1.0))),
        "{}",
        time(&half, 1.0) / time(&whole, 1.0)
    );
    assert!((1.0..1.06).contains(&(time(&half, 0.33) / time(&whole, 0.33))));
    // 2 s of feeding times 0.625 beside 1 s of the units at exponent 2: sqrt(1.25^2 + 1^2).
    half.norm = 2.0;
    let flop = FlopCount::new(80e12);
    assert!((half.arithmetic(&product, flop, 2.0, 1.0).get() - 1.600_781).abs() < 1e-6);
    let uncapped = MatmulProfile { cap: 1.0, ..product };
    assert!((half.arithmetic(&uncapped, flop, 2.0, 1.0).get() - 2.0).abs() < 1e-12);
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
fn fused_attention_written_for_one_architecture_is_slower_on_the_next() {
    let on = |id: &str| profile(id).fused_attention;
    // (0.35 / 0.81) / (0.615 / 0.85): shares of the peaks, each over that of products.
    assert_eq!(
        [on("h100-sxm"), on("h100-pcie"), on("a100-sxm-80gb"), on("v100-sxm2-16gb")],
        [0.6, 0.6, 1.0, 1.0]
    );
}

#[test]
fn half_the_lanes_carry_half_the_rate() {
    let mut narrow = gpus().remove(0);
    narrow.pcie = Some((4, 8));
    let (rate, copies) = profiles().defaults.slot(&narrow);
    assert_eq!((rate, copies), (BytesPerSecond::from_gb(15.5), BytesPerSecond::from_gb(13.0)));
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
        efficiency: Fraction::new(0.5),
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
