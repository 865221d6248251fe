//! `gpus.toml`.

use super::super::{GpuSpec, Peaks};
use super::record::Record;
use super::{Document, Records, located};
use crate::units::{Bytes, BytesPerSecond, FlopRate, Watts};

/// FlashAttention generations with a training kernel; 0 is none.
const FLASH_ATTENTION: [u8; 3] = [0, 2, 3];

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let gpus = &mut records.gpus;
    document.read(
        &mut |_| {},
        &mut [("gpu", &mut |r| {
            if let Some(gpu) = read_gpu(r) {
                gpus.push(located(r, index, gpu));
            }
        })],
    );
}

fn read_peaks(r: &Record<'_>) -> Option<Peaks> {
    let rate = |key| r.opt_quantity::<FlopRate>(key);
    let peaks = Peaks {
        fp64: rate("fp64"),
        fp64_tensor: rate("fp64_tensor_dense"),
        fp32: rate("fp32"),
        tf32: rate("tf32_tensor_dense"),
        fp16: rate("fp16"),
        fp16_tensor: rate("fp16_tensor_dense"),
        bf16: rate("bf16_tensor_dense"),
        fp8: rate("fp8_tensor_dense"),
        int8: rate("int8_dense"),
    };
    let marker = r.opt_text("peaks");
    let trains = [peaks.fp32, peaks.tf32, peaks.fp16, peaks.fp16_tensor, peaks.bf16, peaks.fp8];
    match (marker.as_deref(), trains.iter().any(Option::is_some)) {
        (None, true) | (Some("unknown"), false) => Some(peaks),
        (Some("unknown"), true) => {
            r.wrong("peaks", "is \"unknown\" beside stated peaks; leave it out".to_owned());
            None
        }
        (Some(other), _) => {
            r.wrong("peaks", format!("is {other:?}; only \"unknown\" is accepted, or state the peaks"));
            None
        }
        (None, false) => {
            let example = "such as fp16_tensor_dense = \"312 TFLOP/s\"";
            r.wrong("peaks", format!("no peak is stated; state one, {example}, or peaks = \"unknown\""));
            None
        }
    }
}

pub(super) fn compute_capability(text: &str) -> Result<(u8, u8), String> {
    text.split_once('.')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        .ok_or_else(|| format!("{text:?} is not a compute capability; expected text such as \"8.0\""))
}

fn read_gpu(r: &Record<'_>) -> Option<GpuSpec> {
    let (id, group, vendor, name) = (r.text("id"), r.opt_text("group"), r.text("vendor"), r.text("name"));
    let architecture = r.text("architecture");
    let compute_capability = r.opt_parsed("compute_capability", "text such as \"8.0\"", compute_capability);
    let (multiprocessors, boost_mhz) = (r.opt_integer("multiprocessors"), r.opt_integer("boost_mhz"));
    let peaks = read_peaks(r);
    let matrix_unit_share = r.opt_float("matrix_unit_share").unwrap_or(1.0);
    if !(matrix_unit_share > 0.0 && matrix_unit_share <= 1.0) {
        r.wrong("matrix_unit_share", "is no share; expected a number above 0 and at most 1".to_owned());
    }
    let (nominal, memory_type) = (r.quantity::<Bytes>("memory"), r.opt_text("memory_type"));
    let (usable, basis) = (r.quantity::<Bytes>("memory_usable"), r.choice("memory_usable_basis"));
    let bandwidth = r.quantity_or_unknown::<BytesPerSecond>("memory_bandwidth");
    let (l2, link_name) = (r.opt_quantity::<Bytes>("l2"), r.opt_text("link"));
    let link_per_direction = r.opt_quantity::<BytesPerSecond>("link_per_direction");
    let default_node_link = r.text("default_node_link");
    let generation = r.opt_integer::<u8>("pcie_generation");
    let lanes = r.opt_integer::<u8>("pcie_lanes");
    let (tdp, launch_year) = (r.opt_quantity::<Watts>("tdp"), r.opt_integer("launch_year"));
    let flash_attention = r.integer::<u8>("flash_attention");
    let mig_instances = r.opt_integer::<u8>("mig_instances");
    let (confidence, provenance, notes) = (r.choice("confidence"), r.provenance(), r.opt_text("notes"));
    let flash_ok = flash_attention.is_none_or(|f| FLASH_ATTENTION.contains(&f));
    if !flash_ok {
        r.wrong("flash_attention", "is not a generation; expected 0 (none), 2 or 3".to_owned());
    }
    for (key, value) in [("memory", nominal), ("memory_usable", usable)] {
        if value.is_some_and(|v| v <= Bytes::ZERO) {
            r.wrong(key, "is zero; expected an amount above zero, such as \"80 GiB\"".to_owned());
        }
    }
    if let (Some(usable), Some(nominal)) = (usable, nominal)
        && usable > nominal
    {
        r.wrong("memory_usable", "exceeds memory; expected at most the nominal amount".to_owned());
        return None;
    }
    Some(GpuSpec {
        id: id?,
        group,
        vendor: vendor?,
        name: name?,
        architecture: architecture?,
        compute_capability,
        multiprocessors,
        boost_mhz,
        peaks: peaks?,
        matrix_unit_share,
        memory_nominal: nominal?,
        memory_type,
        memory_usable: usable?,
        memory_usable_basis: basis?,
        memory_bandwidth: bandwidth?.known(),
        l2,
        link_per_direction,
        link_name,
        default_node_link: default_node_link?,
        pcie: generation.zip(lanes),
        tdp,
        launch_year,
        flash_attention: flash_attention?,
        mig_instances,
        confidence: confidence?,
        provenance: provenance?.0,
        notes,
    })
}
