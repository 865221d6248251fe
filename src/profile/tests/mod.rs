use std::sync::LazyLock;

use super::*;
use crate::catalog::{Confidence, GpuSpec, Peaks, Provenance};
use crate::units::{Bytes, BytesPerSecond, FlopRate};

mod findings;
mod numbers;

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
        matrix_unit_share: 1.0,
        memory_nominal: Bytes::from_gib(16.0),
        memory_usable: Bytes::from_gib(15.0),
        memory_bandwidth: Some(BytesPerSecond::from_gb(bandwidth)),
        memory_type: None,
        memory_usable_basis: crate::catalog::gpu::UsableBasis::Derived,
        l2: None,
        link_per_direction: None,
        link_name: None,
        default_node_link: "pcie3".to_owned(),
        pcie: Some((pcie, 16)),
        tdp: None,
        launch_year: None,
        flash_attention: 0,
        mig_instances: None,
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
