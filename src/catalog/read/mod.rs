//! From the text of catalog files to records: one reader per kind, no joins between records yet.

mod capability;
mod document;
mod gpu;
mod instance;
mod list;
mod model;
mod network;
mod network_sequence;
mod optimizer;
mod preset;
mod price;
mod provenance;
mod record;
mod software_name;

pub(super) use document::Document;
pub(super) use instance::UnjoinedInstance;
pub(super) use price::UnjoinedPrice;

use super::names::nearest;
use super::{
    Capability, Dataset, GpuSpec, ModelSpec, OptimizerSpec, Preset, Region, SoftwareName, SourceDocument,
};

/// Files that a catalog folder may hold, for messages.
const LAYOUT: &str = "gpus.toml, regions.toml, datasets.toml, optimizers.toml, capabilities.toml, presets.toml, software_names.toml, sources.toml, billing.toml, spot.toml, energy.toml, \
                      instances/*.toml, prices/*.toml, models/*.toml, unresolved/instances.toml or unresolved/prices.toml";

/// A record with the place it was read from.
pub(super) struct Located<T> {
    /// The record.
    pub(super) value: T,
    /// Index of its document.
    pub(super) document: usize,
    /// Byte offset in the document.
    pub(super) offset: usize,
    /// Name in messages, such as `price[3]`.
    pub(super) label: String,
}

/// All records of some files.
#[derive(Default)]
pub(super) struct Records {
    pub(super) gpus: Vec<Located<GpuSpec>>,
    pub(super) regions: Vec<Located<Region>>,
    pub(super) instances: Vec<Located<UnjoinedInstance>>,
    pub(super) prices: Vec<Located<UnjoinedPrice>>,
    pub(super) models: Vec<Located<ModelSpec>>,
    pub(super) datasets: Vec<Located<Dataset>>,
    pub(super) optimizers: Vec<Located<OptimizerSpec>>,
    pub(super) capabilities: Vec<Located<Capability>>,
    pub(super) presets: Vec<Located<Preset>>,
    pub(super) software_names: Vec<Located<SoftwareName>>,
    pub(super) sources: Vec<Located<SourceDocument>>,
    pub(super) unresolved_instances: usize,
    pub(super) unresolved_prices: usize,
}

fn located<T>(record: &record::Record<'_>, document: usize, value: T) -> Located<T> {
    Located { value, document, offset: record.start(), label: record.label() }
}

/// Reads one file into `records`; `path` is its place in the catalog folder.
pub(super) fn read_file(document: &Document<'_>, index: usize, path: &str, records: &mut Records) {
    let known = match path.split_once('/') {
        None => read_top(document, index, path, records),
        Some(("instances", _)) => {
            instance::read(document, index, records);
            true
        }
        Some(("prices", _)) => {
            price::read(document, index, records);
            true
        }
        Some(("models", _)) => {
            model::read(document, index, records);
            true
        }
        Some(("unresolved", "instances.toml")) => {
            count_unresolved(document, "instance", &mut records.unresolved_instances);
            true
        }
        Some(("unresolved", "prices.toml")) => {
            count_unresolved(document, "price", &mut records.unresolved_prices);
            true
        }
        Some(_) => false,
    };
    if !known {
        let names = [
            "gpus.toml",
            "regions.toml",
            "datasets.toml",
            "optimizers.toml",
            "capabilities.toml",
            "presets.toml",
            "software_names.toml",
            "sources.toml",
        ];
        let hint = nearest(path, names.into_iter())
            .first()
            .map_or(String::new(), |n| format!("; did you mean {n:?}?"));
        document.report(None, String::new(), format!("is not a catalog file; accepted are {LAYOUT}{hint}"));
    }
}

/// Reads a file that lies in the folder itself; false for one that no catalog has.
fn read_top(document: &Document<'_>, index: usize, name: &str, records: &mut Records) -> bool {
    match name {
        "gpus.toml" => gpu::read(document, index, records),
        "regions.toml" => instance::read_regions(document, index, records),
        "datasets.toml" => model::read_datasets(document, index, records),
        "optimizers.toml" => optimizer::read(document, index, records),
        "capabilities.toml" => capability::read(document, index, records),
        "presets.toml" => preset::read(document, index, records),
        "software_names.toml" => software_name::read(document, index, records),
        "sources.toml" => read_sources(document, index, records),
        // Checked by `cost::BillingTable`, which owns the rules of billing.
        "billing.toml" | "spot.toml" | "energy.toml" => {}
        _ => return false,
    }
    true
}

fn read_sources(document: &Document<'_>, index: usize, records: &mut Records) {
    let sources = &mut records.sources;
    document.read(
        &mut |_| {},
        &mut [("source", &mut |r| {
            let (id, what, location) = (r.text("id"), r.text("what"), r.text("location"));
            let (version, kind, trust) = (r.opt_text("version"), r.opt_text("kind"), r.opt_text("trust"));
            if let (Some(id), Some(what), Some(location)) = (id, what, location) {
                sources.push(located(r, index, SourceDocument { id, what, location, version, kind, trust }));
            }
        })],
    );
}

fn count_unresolved(document: &Document<'_>, kind: &'static str, count: &mut usize) {
    document.read(
        &mut |_| {},
        &mut [(kind, &mut |r| {
            for key in ["gpu", "notes", "source", "region", "purchase", "price_per_hour", "price_per_month"] {
                let _ = r.opt_text(key);
            }
            let _ = r.opt_integer::<u32>("gpu_count");
            if r.text("provider").is_some() & r.text("name").is_some() {
                *count += 1;
            }
        })],
    );
}
