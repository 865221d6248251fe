//! What exists and what does it cost?
//!
//! Checked facts, each with its source and date: GPUs, regions, instance types, prices, models, datasets. A
//! [`Catalog`] can only be had through [`load`], which reports *all* findings of bad files at once. Text formats
//! are described in `catalog/FORMAT.md`. Nothing here computes performance.

mod assemble;
mod capability;
pub mod check;
pub mod gpu;
mod gpu_names;
mod implementation;
pub mod instance;
mod layer_choice;
pub mod load;
pub mod model;
mod model_names;
mod names;
pub mod network;
mod network_text;
pub mod optimizer;
pub mod preset;
pub mod price;
mod read;
pub mod region;
mod sample_kind;
pub mod software_name;
mod task;

pub use capability::{Capability, CapabilityKind};
pub use check::{CheckReport, CheckWarning, WarningKind};
pub use gpu::{Confidence, GpuId, GpuSpec, Peaks, Precision, UsableBasis};
pub use implementation::Implementation;
pub use instance::{InstanceId, InstanceType, NetworkOffer, RegionalStatus, Status};
pub use layer_choice::{Cell, Join, Norm, Padding, TableUpdate};
pub use load::{CatalogError, Finding};
pub use model::{
    Dataset, Experts, LatentAttention, MASKED_SPANS, ModelSpec, Position, TransformerKind, TransformerSpec,
    Window, Windowed,
};
pub use names::{NameKind, nearest};
pub use network::{ConvolutionUnit, ConvolutionalLayer, ConvolutionalSpec, KernelCount, Sides};
pub use optimizer::{OptimizerSpec, OptimizerUse};
pub use preset::{PRESET_KEYS, Preset};
pub use price::{DatePrecision, PriceQuality, PriceRecord, Purchase};
pub use region::{Place, Region};
pub use sample_kind::SampleKind;
pub use software_name::{SoftwareName, software_key};
pub use task::Task;

use jiff::civil::Date;

/// Where a fact is from and when it was true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Source id or text, as in the catalog file.
    pub source: String,
    /// The day the fact was read or dated; `None` when the source is undated.
    pub as_of: Option<Date>,
}

/// A document or data set that facts were taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceDocument {
    /// Id, such as the `source` keys name it.
    pub id: String,
    /// What it is.
    pub what: String,
    /// Where it is found.
    pub location: String,
    /// Version or date, as text.
    pub version: Option<String>,
    /// Kind of publisher.
    pub kind: Option<String>,
    /// How far it is trusted, as text.
    pub trust: Option<String>,
}

/// Rows that are known by name only: counted, never candidates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// Instance names without GPU, count or form.
    pub instances: usize,
    /// Prices that join to no instance.
    pub prices: usize,
}

/// All facts, checked and joined. Ids are indices into the vectors, in file order.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// GPUs by [`GpuId`].
    pub gpus: Vec<GpuSpec>,
    /// Regions of all providers.
    pub regions: Vec<Region>,
    /// Instance types by [`InstanceId`].
    pub instances: Vec<InstanceType>,
    /// Price records, joined to instances.
    pub prices: Vec<PriceRecord>,
    /// Model zoo.
    pub models: Vec<ModelSpec>,
    /// Training sets with their sizes.
    pub datasets: Vec<Dataset>,
    /// Optimizers.
    pub optimizers: Vec<OptimizerSpec>,
    /// Ways to compute that not every part has.
    pub capabilities: Vec<Capability>,
    /// Published training schedules.
    pub presets: Vec<Preset>,
    /// Names that people use for training software.
    pub software_names: Vec<SoftwareName>,
    /// Documents that the `source` texts name.
    pub sources: Vec<SourceDocument>,
    /// What could not be resolved.
    pub unresolved: Unresolved,
    /// Hash of every file that was read, for reports: 16 hex digits.
    pub content_hash: String,
}

impl Catalog {
    /// The GPU with this id.
    pub fn gpu(&self, id: GpuId) -> &GpuSpec {
        &self.gpus[id.0 as usize]
    }

    /// The instance type with this id.
    pub fn instance(&self, id: InstanceId) -> &InstanceType {
        &self.instances[id.0 as usize]
    }

    /// Finds a GPU by its exact name, such as the id in `gpus.toml`.
    pub fn find_gpu(&self, name: &str) -> Option<GpuId> {
        self.gpus.iter().position(|g| g.id == name).map(|i| GpuId(i as u16))
    }

    /// GPUs whose exact id or `group` alias is `name`, else those that people write so; empty when unknown.
    pub fn expand_gpu(&self, name: &str) -> Vec<GpuId> {
        if let Some(id) = self.find_gpu(name) {
            return vec![id];
        }
        let all = (0..self.gpus.len() as u16).map(GpuId);
        let group: Vec<GpuId> = all.filter(|&id| self.gpu(id).group.as_deref() == Some(name)).collect();
        if group.is_empty() { self.gpus_written(name) } else { group }
    }

    /// Finds a name of software that is no stack's own, without regard to case, blanks and hyphens.
    pub fn find_software_name(&self, name: &str) -> Option<&SoftwareName> {
        let wanted = software_key(name);
        self.software_names.iter().find(|n| software_key(&n.name) == wanted)
    }

    /// Finds an instance type by provider and name.
    pub fn find_instance(&self, provider: &str, name: &str) -> Option<InstanceId> {
        self.instances
            .iter()
            .position(|i| i.provider == provider && i.name == name)
            .map(|i| InstanceId(i as u32))
    }

    /// All price records of an instance type, superseded and suspect ones included.
    pub fn prices_of(&self, id: InstanceId) -> impl Iterator<Item = &PriceRecord> {
        self.prices.iter().filter(move |p| p.instance == id)
    }

    /// The place of an offer: its region with city and country where the region table has it.
    pub fn place(&self, provider: &str, region: Option<&str>) -> Place {
        Place {
            provider: provider.to_owned(),
            region: region.map(str::to_owned),
            city_country: region
                .and_then(|id| self.find_region(provider, id))
                .map(|r| (r.city.clone(), r.country.clone())),
        }
    }

    /// Finds a dataset by its id, else by an alias, else as people write either.
    pub fn find_dataset(&self, name: &str) -> Option<&Dataset> {
        let exact = self.datasets.iter().find(|d| d.id == name);
        exact.or_else(|| self.dataset_written(name))
    }

    /// Finds a training schedule by its id.
    pub fn find_preset(&self, name: &str) -> Option<&Preset> {
        self.presets.iter().find(|p| p.id == name)
    }

    /// Finds an optimizer by its id.
    pub fn find_optimizer(&self, name: &str) -> Option<&OptimizerSpec> {
        self.optimizers.iter().find(|o| o.id == name)
    }

    /// The optimizer that is taken for a kind of training.
    pub fn usual_optimizer(&self, what: OptimizerUse) -> Option<&OptimizerSpec> {
        self.optimizers.iter().find(|o| o.usual_for == Some(what))
    }

    /// Finds a region by provider and id.
    pub fn find_region(&self, provider: &str, id: &str) -> Option<&Region> {
        self.regions.iter().find(|r| r.provider == provider && r.id == id)
    }

    /// The record that tells how a stack builds a network, in a precision where one is stated, if that is another way than the
    /// usual one.
    pub fn implementation<'c>(
        &'c self,
        usual: &'c ModelSpec,
        stack: &str,
        precision: Option<Precision>,
    ) -> &'c ModelSpec {
        let own = self.models.iter().filter_map(|model| match model {
            ModelSpec::Convolutional { recipe, .. } => {
                let own = recipe.implements.as_ref().filter(|i| i.is_of(usual.id(), stack, precision))?;
                Some((own.precisions.is_empty(), model))
            }
            ModelSpec::Transformer { .. } => None,
        });
        // A record for this precision is nearer than one for all.
        own.min_by_key(|(general, _)| *general).map_or(usual, |(_, model)| model)
    }

    /// Finds a model by its id, else by an alias, else as people write either.
    pub fn find_model(&self, name: &str) -> Option<&ModelSpec> {
        let exact = self.models.iter().find(|m| m.id() == name);
        exact.or_else(|| self.models.iter().find(|m| m.is_named(name))).or_else(|| self.model_written(name))
    }
}
