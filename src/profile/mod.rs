//! How fast is this hardware, this software? Types and interpolation of measured numbers.
//!
//! Hardware profiles hold what one GPU does alone, link and network profiles what GPUs do together, stack profiles
//! what the software adds. Files are described in `calibration/FORMAT.md`; where a GPU has no file, a profile is
//! derived from its datasheet with stated ratios, at grade D.

mod axis_order;
mod convolution;
mod datasheet;
mod defaults;
#[cfg(test)]
mod facts_for_tests;
mod grade;
mod hardware;
mod layer_rates;
mod links;
mod load;
mod read;
mod stack;
mod transfer;

pub use axis_order::AxisOrder;
pub use convolution::{ConvolutionPass, ConvolutionProfile, LoweredConvolution, RecurrentProfile};
pub use defaults::{
    ClusterRule, DatasheetRule, DefaultStacks, Defaults, HostRates, NetworkDefault, PcieProfile, Reliability,
    SpotRule, UsualBatch,
};
#[cfg(test)]
pub use facts_for_tests::embedded_facts;
pub use grade::Grade;
pub use hardware::{HardwareProfile, MatmulProfile};
pub use layer_rates::{LayerProfile, LayerRate, LayerRates, RateKey, RateScope, Way};
pub use links::{CollectiveTable, LinkProfile, NetworkProfile};
pub use load::{ProfileError, SourceFile, parse, software_files};
pub use stack::{ArchitectureRates, KernelKind, Method, StackProfile};
pub use transfer::{Carried, TransferRule};

use std::collections::BTreeMap;

use crate::catalog::{GpuId, GpuSpec};

/// All profiles in force.
#[derive(Debug, Clone)]
pub struct Profiles {
    /// By [`GpuId`]: one for every GPU of the catalog.
    pub hardware: Vec<HardwareProfile>,
    /// Of instance types that were measured themselves, by `provider/instance`.
    pub instances: BTreeMap<String, HardwareProfile>,
    /// Link classes inside a node, sorted by class.
    pub links: Vec<LinkProfile>,
    /// Network classes between nodes, sorted by class.
    pub networks: Vec<NetworkProfile>,
    /// Software stacks, sorted by id.
    pub stacks: Vec<StackProfile>,
    /// What software adds to networks over samples.
    pub layers: LayerProfile,
    /// Stated assumptions.
    pub defaults: Defaults,
    /// Hash of the files, for reports.
    pub content_hash: String,
}

impl Profiles {
    /// Profile of a GPU.
    pub fn gpu(&self, id: GpuId) -> &HardwareProfile {
        &self.hardware[id.0 as usize]
    }

    /// Profile of a GPU inside an instance type: that of the instance type where it was measured, else the GPU's.
    pub fn gpu_in(&self, id: GpuId, instance: Option<&str>) -> &HardwareProfile {
        let own = instance.and_then(|key| self.instances.get(key));
        own.filter(|p| p.gpu == self.gpu(id).gpu).unwrap_or_else(|| self.gpu(id))
    }

    /// Profile of a link class.
    pub fn link(&self, class: &str) -> Option<&LinkProfile> {
        self.links.binary_search_by(|l| l.class.as_str().cmp(class)).ok().map(|i| &self.links[i])
    }

    /// Profile of a network class.
    pub fn network(&self, class: &str) -> Option<&NetworkProfile> {
        self.networks.binary_search_by(|n| n.class.as_str().cmp(class)).ok().map(|i| &self.networks[i])
    }

    /// A stack with the coefficients of networks over samples, on a GPU, in the way that a job trains (`None` for other
    /// networks, which take the stack as it is).
    pub fn layered(&self, stack: &StackProfile, gpu: &GpuSpec, way: Option<Way<'_>>) -> Option<StackProfile> {
        way.map(|way| self.layers.stack(stack, &self.rate_key(stack, gpu, way)))
    }

    /// What decides the coefficients of a job over samples.
    pub fn rate_key<'k>(&'k self, stack: &'k StackProfile, gpu: &'k GpuSpec, way: Way<'k>) -> RateKey<'k> {
        let recipe = way.recipe.unwrap_or(&self.layers.recipe);
        let (stack, compiler) =
            (stack.relative_of.as_deref().unwrap_or(&stack.id), way.compiler.unwrap_or_default());
        RateKey {
            stack,
            recipe,
            compiler,
            synthetic: false,
            joins_norms: self.layers.joins_norms(stack, recipe, compiler),
            capability: gpu.compute_capability,
            order: self.layers.order(recipe, way.order),
        }
    }

    /// Profile of a software stack.
    pub fn stack(&self, id: &str) -> Option<&StackProfile> {
        self.stacks.binary_search_by(|s| s.id.as_str().cmp(id)).ok().map(|i| &self.stacks[i])
    }
}

#[cfg(test)]
mod tests;
