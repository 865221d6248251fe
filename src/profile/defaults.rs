//! What is assumed where nothing is measured or stated; the numbers are data (`calibration/defaults.toml`).

use std::collections::BTreeMap;

use super::Grade;
use super::TransferRule;
use crate::catalog::{GpuSpec, Precision};
use crate::units::{BytesPerSecond, Seconds};

/// How a profile is derived from a datasheet, at grade D.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasheetRule {
    /// Share of the peak DRAM bandwidth that a copy reaches.
    pub dram: f64,
    /// Device-side floor of one kernel.
    pub launch: Seconds,
    /// Exponent of the p-norm.
    pub norm: f64,
    /// Multiprocessors of a part whose number is not known.
    pub multiprocessors: u32,
    /// PCIe generation of a part whose slot is not known.
    pub pcie_generation: u8,
    /// Share of the dense peak that a large product reaches, by [`Precision`] in declaration order.
    pub fraction: [f64; 5],
    /// The same for FP16 on parts without matrix units.
    pub fraction_fp16_vector: f64,
    /// Sustained share of the dense peak where matrix units are held back.
    pub fraction_capped: f64,
    /// Half-saturation size of m and n per multiprocessor, on matrix units.
    pub per_multiprocessor: f64,
    /// The same on ordinary cores.
    pub per_multiprocessor_vector: f64,
    /// Half-saturation size of k on matrix units.
    pub k0: f64,
    /// The same on ordinary cores.
    pub k0_vector: f64,
    /// Where the shares are from.
    pub source: String,
}

impl DatasheetRule {
    /// Share of the dense peak at a precision; `vector` on ordinary cores.
    pub const fn fraction(&self, precision: Precision, vector: bool) -> f64 {
        match (precision, vector) {
            (Precision::Fp16, true) => self.fraction_fp16_vector,
            _ => self.fraction[precision as usize],
        }
    }
}

/// One direction of a 16-lane PCIe slot.
#[derive(Debug, Clone, PartialEq)]
pub struct PcieProfile {
    /// Generation.
    pub generation: u8,
    /// Rate by specification.
    pub rate: BytesPerSecond,
    /// Large copies from pinned host memory.
    pub host_to_device: BytesPerSecond,
    /// Evidence of the copies.
    pub grade: Grade,
    /// Where from.
    pub source: String,
}

/// A network assumed where none is stated.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkDefault {
    /// Network class.
    pub class: String,
    /// Bandwidth per node and direction.
    pub bandwidth: BytesPerSecond,
}

/// The cluster meant by a GPU and a count alone.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterRule {
    /// GPUs in a node.
    pub gpus_per_node: u32,
    /// Network of parts that have their own GPU link.
    pub linked_gpu: NetworkDefault,
    /// Network of parts that have only PCIe.
    pub pcie_gpu: NetworkDefault,
    /// Network of an instance type that states none.
    pub unknown_network: NetworkDefault,
}

/// What the host of a node does for its GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostRates {
    /// Copies between one GPU and pinned host memory.
    pub copy: BytesPerSecond,
    /// Parameters that the processors of a node update in one second.
    pub updates_per_s: f64,
}

/// How often clusters fail, and what whole jobs do beside their steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// GPU-hours between unexpected interruptions, all causes.
    pub gpu_hours_per_interruption: f64,
    /// Detection and restart after one.
    pub restart: Seconds,
    /// From the start of the processes to the first step.
    pub start_up: Seconds,
    /// Evaluation as a share of the training time, where the evaluation set is not known.
    pub evaluation_share: f64,
    /// Checkpoint bandwidth of one node.
    pub checkpoint_rate: BytesPerSecond,
    /// Standard deviation of ln(GPU-hours between interruptions) over the reports.
    pub interruption_sigma: f64,
    /// Starting the loaders of an epoch anew.
    pub loaders: Seconds,
    /// Where from.
    pub source: String,
}

/// How interruptible capacity behaves where its provider publishes no rate.
#[derive(Debug, Clone, PartialEq)]
pub struct SpotRule {
    /// Time until a cluster loses a node; nodes of one pool go together.
    pub between: Seconds,
    /// Standard deviation of its logarithm over pools.
    pub sigma: f64,
    /// Standard deviation of ln(price) of one instance type in one region at two times.
    pub price_sigma: f64,
    /// Where from.
    pub source: String,
}

/// Software stack assumed by class of model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultStacks {
    /// Causal language models.
    pub decoder: String,
    /// Bidirectional encoders.
    pub encoder: String,
    /// Convolutional networks.
    pub convolutional: String,
    /// Adapters beside frozen weights, whatever the model.
    pub adapters: String,
}

/// All stated assumptions.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// GPUs without measurements.
    pub datasheet: DatasheetRule,
    /// PCIe slots, ascending in generation; never empty.
    pub pcie: Vec<PcieProfile>,
    /// Generic clusters.
    pub cluster: ClusterRule,
    /// Network per node of measured runs that state none, by architecture of the GPU.
    pub reference_network: BTreeMap<String, NetworkDefault>,
    /// By architecture: rate of fused attention against matrix products, relative to the one its kernels were written for.
    pub fused_attention: BTreeMap<String, f64>,
    /// Standard deviation of ln(time), by [`Grade`] in declaration order.
    pub sigmas: [f64; 4],
    /// Spread of ln(time) between sources of runs on one stack, added in squares where the fit has not seen a source.
    pub other_source_sigma: f64,
    /// The same where padding may be skipped, and nobody says whether it is.
    pub padding_sigma: f64,
    /// Parameters that the processors of a node update in one second.
    pub host_updates_per_s: f64,
    /// What a measured time says of another cluster.
    pub transfer: TransferRule,
    /// Failures and the rest of whole jobs.
    pub reliability: Reliability,
    /// Interruptible capacity.
    pub spot: SpotRule,
    /// Software when the user names none.
    pub stack: DefaultStacks,
    /// Samples of a step when the user gives none.
    pub batch: UsualBatch,
}

/// Samples of a step when the user gives none, beside language models, whose batch follows their size.
#[derive(Debug, Clone, PartialEq)]
pub struct UsualBatch {
    /// Sequences where adapters are trained.
    pub adapters: f64,
    /// Sequences of an encoder, images of 224 x 224, samples of a network that is not over pictures.
    pub samples: f64,
    /// Rows of a network without space or sequence, as recommenders are.
    pub records: f64,
    /// Where these are from.
    pub source: String,
}

impl Defaults {
    /// Standard deviation of ln(time) of a prediction with this grade.
    pub const fn sigma(&self, grade: Grade) -> f64 {
        self.sigmas[grade as usize]
    }

    /// The slot of this generation, or the newest known one below it, or the oldest.
    pub fn pcie(&self, generation: u8) -> &PcieProfile {
        self.pcie.iter().rev().find(|p| p.generation <= generation).unwrap_or(&self.pcie[0])
    }

    /// Rate of a GPU's slot per direction, by specification, and of copies from pinned host memory.
    ///
    /// The width counts in proportion to 16 lanes; an unknown slot is that of the datasheet rule.
    pub fn slot(&self, gpu: &GpuSpec) -> (BytesPerSecond, BytesPerSecond) {
        let (generation, lanes) = gpu.pcie.unwrap_or((self.datasheet.pcie_generation, 16));
        let slot = self.pcie(generation);
        let width = f64::from(lanes) / 16.0;
        (slot.rate * width, slot.host_to_device * width)
    }

    /// Copies and updates of the host of this GPU.
    pub fn host(&self, gpu: &GpuSpec) -> HostRates {
        HostRates { copy: self.slot(gpu).1, updates_per_s: self.host_updates_per_s }
    }

    /// The network of a generic cluster of this GPU.
    pub const fn generic_network(&self, gpu: &GpuSpec) -> &NetworkDefault {
        if gpu.link_per_direction.is_some() { &self.cluster.linked_gpu } else { &self.cluster.pcie_gpu }
    }

    /// Rate of fused attention against matrix products on an architecture, relative to the one its kernels were written for.
    pub fn fused_attention(&self, architecture: &str) -> f64 {
        self.fused_attention.get(architecture).copied().unwrap_or(1.0)
    }

    /// The network of a measured run on this GPU that states none.
    pub fn reference_network(&self, gpu: &GpuSpec) -> &NetworkDefault {
        self.reference_network.get(&gpu.architecture).unwrap_or_else(|| self.generic_network(gpu))
    }
}
