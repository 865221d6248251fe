//! `defaults.toml`.

use std::collections::BTreeMap;

use super::Reader;
use crate::catalog::Precision;
use crate::profile::{
    ClusterRule, DatasheetRule, DefaultStacks, Defaults, Grade, NetworkDefault, PcieProfile, Reliability,
    SpotRule, TransferRule, UsualBatch,
};

/// Reads the defaults; `None` when anything is missing.
pub(in super::super) fn defaults(reader: &Reader<'_>) -> Option<Defaults> {
    reader.schema();
    let datasheet = reader.child("datasheet").and_then(|t| datasheet(&t));
    let pcie = reader.child("pcie").map(|t| pcie(&t));
    let cluster = reader.child("cluster").and_then(|t| cluster(&t));
    let reference = reader.child("reference_network");
    let reference_network: Option<BTreeMap<_, _>> = reference.map(|table| {
        let entries = table.entries().into_iter();
        entries.filter_map(|(architecture, entry)| Some((architecture, network(&entry)?))).collect()
    });
    let attention = reader.child("fused_attention");
    let fused_attention: Option<BTreeMap<_, _>> = attention.map(|table| {
        let entries = table.entries().into_iter();
        entries.filter_map(|(architecture, entry)| Some((architecture, fused_attention(&entry)?))).collect()
    });
    let sigmas = reader.child("interval").map(|table| {
        let sigmas = Grade::ALL.map(|g| table.number(g.letter(), 0.001..=2.0));
        let more = ["other_source", "padding"].map(|key| table.number(key, 0.0..=2.0));
        table.finish();
        (sigmas, more)
    });
    let host = reader.child("host").map(|table| {
        let updates = table.number("updates_per_s", 1e6..=1e15);
        let source = table.text("source");
        table.finish();
        source.and(updates)
    });
    let transfer = reader.child("transfer").map(|table| {
        let [difference, stranger] = ["difference", "stranger"].map(|key| table.number(key, 0.001..=2.0));
        let doubt = table.number("doubt", 0.001..=0.999);
        let source = table.text("source");
        table.finish();
        source.and(Some(TransferRule { difference: difference?, stranger: stranger?, doubt: doubt? }))
    });
    let reliability = reader.child("reliability").and_then(|t| reliability(&t));
    let spot = reader.child("spot").and_then(|t| spot(&t));
    let stacks = reader.child("default_stack").map(|table| {
        let names = ["decoder", "encoder", "convolutional", "adapters"].map(|key| table.text(key));
        table.finish();
        names
    });
    let batch = reader.child("usual_batch").and_then(|t| usual_batch(&t));
    reader.finish();
    let ([a, b, c, d], [other_source, padding]) = sigmas?;
    let [decoder, encoder, convolutional, adapters] = stacks?;
    Some(Defaults {
        datasheet: datasheet?,
        pcie: pcie?,
        cluster: cluster?,
        reference_network: reference_network?,
        fused_attention: fused_attention?,
        sigmas: [a?, b?, c?, d?],
        other_source_sigma: other_source?,
        padding_sigma: padding?,
        host_updates_per_s: host??,
        transfer: transfer??,
        reliability: reliability?,
        spot: spot?,
        stack: DefaultStacks {
            decoder: decoder?,
            encoder: encoder?,
            convolutional: convolutional?,
            adapters: adapters?,
        },
        batch: batch?,
    })
}

fn usual_batch(table: &Reader<'_>) -> Option<UsualBatch> {
    let [adapters, samples, records] =
        ["adapters", "samples", "records"].map(|key| table.whole(key, 1..=10_000_000).map(f64::from));
    let source = table.text("source");
    table.finish();
    Some(UsualBatch { adapters: adapters?, samples: samples?, records: records?, source: source? })
}

fn reliability(table: &Reader<'_>) -> Option<Reliability> {
    let gpu_hours = table.number("gpu_hours_per_interruption", 1.0..=1e13);
    let (restart, start_up) = (table.quantity("restart"), table.quantity("start_up"));
    let evaluation_share = table.number("evaluation_share", 0.0..=1.0);
    let (checkpoint_rate, source) = (table.quantity("checkpoint_rate"), table.text("source"));
    let (interruption_sigma, loaders) =
        (table.number("interruption_sigma", 0.0..=3.0), table.quantity("loaders"));
    table.finish();
    Some(Reliability {
        gpu_hours_per_interruption: gpu_hours?,
        restart: restart?,
        start_up: start_up?,
        evaluation_share: evaluation_share?,
        checkpoint_rate: checkpoint_rate?,
        interruption_sigma: interruption_sigma?,
        loaders: loaders?,
        source: source?,
    })
}

fn spot(table: &Reader<'_>) -> Option<SpotRule> {
    let (between, source) = (table.quantity("between_interruptions"), table.text("source"));
    let [sigma, price_sigma] = ["sigma", "price_sigma"].map(|key| table.number(key, 0.0..=3.0));
    table.finish();
    Some(SpotRule { between: between?, sigma: sigma?, price_sigma: price_sigma?, source: source? })
}

fn datasheet(table: &Reader<'_>) -> Option<DatasheetRule> {
    let dram = table.number("dram", 0.01..=1.0);
    let launch = table.quantity("launch");
    let norm = table.number("norm", 1.0..=16.0);
    let multiprocessors = table.whole("multiprocessors", 1..=10_000);
    let pcie_generation = table.whole("pcie_generation", 1..=9);
    let source = table.text("source");
    let fraction = table.child("fraction")?;
    let fractions = Precision::ALL.map(|p| fraction.number(p.name(), 0.01..=1.0));
    let fraction_fp16_vector = fraction.number("fp16_vector", 0.01..=1.0);
    let fraction_capped = fraction.number("capped", 0.01..=1.0);
    fraction.finish();
    let sizes = table.child("saturation")?;
    let [per_multiprocessor, per_multiprocessor_vector, k0, k0_vector] =
        ["per_multiprocessor", "per_multiprocessor_vector", "k0", "k0_vector"]
            .map(|key| sizes.number(key, 0.0..=5000.0));
    sizes.finish();
    table.finish();
    let [fp32, tf32, fp16, bf16, fp8] = fractions;
    Some(DatasheetRule {
        dram: dram?,
        launch: launch?,
        norm: norm?,
        multiprocessors: multiprocessors?,
        pcie_generation: pcie_generation? as u8,
        fraction: [fp32?, tf32?, fp16?, bf16?, fp8?],
        fraction_fp16_vector: fraction_fp16_vector?,
        fraction_capped: fraction_capped?,
        per_multiprocessor: per_multiprocessor?,
        per_multiprocessor_vector: per_multiprocessor_vector?,
        k0: k0?,
        k0_vector: k0_vector?,
        source: source?,
    })
}

/// Reads the slots, ascending in generation.
fn pcie(table: &Reader<'_>) -> Vec<PcieProfile> {
    let mut slots = Vec::new();
    for (name, entry) in table.entries() {
        let generation = name.parse::<u8>().ok();
        if generation.is_none() {
            table.fail(&name, "is no PCIe generation; expected a table such as [pcie.4]");
        }
        let (rate, host_to_device) = (entry.quantity("rate"), entry.quantity("host_to_device"));
        let (grade, source) = (entry.grade(), entry.text("source"));
        entry.finish();
        let slot = || {
            Some(PcieProfile {
                generation: generation?,
                rate: rate?,
                host_to_device: host_to_device?,
                grade: grade?,
                source: source?,
            })
        };
        slots.extend(slot());
    }
    if slots.is_empty() {
        table.fail("", "has no usable generation; expected tables such as [pcie.4]");
    }
    slots.sort_by_key(|s| s.generation);
    slots
}

fn cluster(table: &Reader<'_>) -> Option<ClusterRule> {
    let gpus_per_node = table.whole("gpus_per_node", 1..=1000);
    let [linked, pcie, unknown] = ["linked_gpu", "pcie_gpu", "unknown_network"]
        .map(|key| table.child(key).and_then(|entry| network(&entry)));
    table.finish();
    Some(ClusterRule {
        gpus_per_node: gpus_per_node?,
        linked_gpu: linked?,
        pcie_gpu: pcie?,
        unknown_network: unknown?,
    })
}

fn fused_attention(entry: &Reader<'_>) -> Option<f64> {
    let relative = entry.number("relative", 0.1..=2.0);
    entry.grade();
    entry.text("source");
    entry.finish();
    relative
}

fn network(entry: &Reader<'_>) -> Option<NetworkDefault> {
    let (class, bandwidth) = (entry.text("class"), entry.quantity("bandwidth"));
    entry.finish();
    Some(NetworkDefault { class: class?, bandwidth: bandwidth? })
}
