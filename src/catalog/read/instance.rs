//! `regions.toml` and `instances/<provider>.toml`.

use super::super::{GpuId, InstanceType, NetworkOffer, Region, RegionalStatus};
use super::record::Record;
use super::{Document, Records, located};

/// An instance type whose GPU is still a name.
pub(in crate::catalog) struct UnjoinedInstance {
    /// The record; its `gpu` is set when joined.
    pub(in crate::catalog) instance: InstanceType,
    /// GPU id as written.
    pub(in crate::catalog) gpu: String,
}

pub(super) fn read_regions(document: &Document<'_>, index: usize, records: &mut Records) {
    let regions = &mut records.regions;
    document.read(
        &mut |_| {},
        &mut [("region", &mut |r| {
            if let Some(region) = read_region(r) {
                regions.push(located(r, index, region));
            }
        })],
    );
}

fn read_region(r: &Record<'_>) -> Option<Region> {
    let (provider, operator, id) = (r.text("provider"), r.text("operator"), r.text("id"));
    let (city, country, source) = (r.text("city"), r.text("country"), r.text("source"));
    let country = country.filter(|c| {
        let valid = c.len() == 2 && c.bytes().all(|b| b.is_ascii_uppercase());
        if !valid {
            r.wrong("country", format!("{c:?} is not a country; expected two capitals, such as \"SG\""));
        }
        valid
    });
    Some(Region {
        provider: provider?,
        operator: operator?,
        id: id?,
        city: city?,
        country: country?,
        source: source?,
    })
}

pub(super) fn read(document: &Document<'_>, index: usize, records: &mut Records) {
    let mut found = vec![];
    let mut provider = None;
    document.read(
        &mut |top| provider = top.text("provider"),
        &mut [("instance", &mut |r| {
            if let Some(instance) = read_instance(r) {
                found.push(located(r, index, instance));
            }
        })],
    );
    let Some(provider) = provider else { return };
    for instance in &mut found {
        instance.value.instance.provider.clone_from(&provider);
    }
    records.instances.append(&mut found);
}

fn read_regional(r: &Record<'_>) -> Option<RegionalStatus> {
    let (region, status) = (r.text("region"), r.choice("status"));
    let (note, provenance) = (r.opt_text("note"), r.provenance());
    r.finish();
    Some(RegionalStatus { region: region?, status: status?, note, provenance: provenance?.0 })
}

fn read_instance(r: &Record<'_>) -> Option<UnjoinedInstance> {
    let (name, service, family) = (r.text("name"), r.text("service"), r.opt_text("family"));
    let (vcpus, memory) = (r.opt_integer("vcpus"), r.opt_quantity("memory"));
    let (gpu, gpu_count, node_link) = (r.text("gpu"), r.count("gpu_count"), r.opt_text("node_link"));
    let network = NetworkOffer {
        class: r.opt_text("network_class"),
        maximum: r.opt_quantity("network_maximum"),
        assured: r.opt_quantity("network_assured"),
    };
    let assured_fits = !network.assured.is_some_and(|a| network.maximum.is_none_or(|m| a > m));
    if !assured_fits {
        r.wrong("network_assured", "exceeds network_maximum, or that is missing".to_owned());
    }
    let local_nvme = r.opt_text("local_nvme");
    let (status, status_note) = (r.choice("status"), r.opt_text("status_note"));
    let regional: Vec<Option<RegionalStatus>> = r.children("regional").iter().map(read_regional).collect();
    let (confidence, provenance, notes) = (r.choice("confidence"), r.provenance(), r.opt_text("notes"));
    let instance = InstanceType {
        provider: String::new(),
        service: service?,
        family: family.unwrap_or_default(),
        name: name?,
        vcpus,
        memory,
        gpu: GpuId(0),
        gpu_count: gpu_count?,
        node_link,
        network,
        local_nvme,
        status: status?,
        status_note,
        regional: regional.into_iter().collect::<Option<_>>()?,
        confidence: confidence?,
        provenance: provenance?.0,
        notes,
    };
    Some(UnjoinedInstance { instance, gpu: gpu? })
}
