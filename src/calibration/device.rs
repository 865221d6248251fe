//! The machine that measures: a GPU, the host CPU, a simulation or a recorded trace.

use super::measurement::{Batch, Environment, Format, Item};
use crate::units::{Bytes, Seconds, Watts};

/// What kind of machine answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A GPU through the CUDA driver.
    Cuda,
    /// The host CPU.
    Cpu,
    /// Known parameters with noise.
    Simulated,
}

impl DeviceKind {
    /// The name in profiles and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Cpu => "cpu",
            Self::Simulated => "simulated",
        }
    }
}

/// A library in use.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub struct Library {
    /// Name without prefix and suffix: `cublas`.
    pub name: String,
    /// Version it reports.
    pub version: String,
}

/// What is known of a device before anything is timed; `None` where nobody tells.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct DeviceFacts {
    /// Kind.
    pub kind: DeviceKind,
    /// Ordinal on this host.
    pub ordinal: u32,
    /// Name the driver gives. A name that starts with `FAKE` never becomes a measured profile.
    pub name: String,
    /// Hash of the unique id, so that a node can be named without naming the part.
    pub uuid_hash: Option<String>,
    /// Compute capability.
    pub compute_capability: Option<(u32, u32)>,
    /// Multiprocessors, or cores of a CPU.
    pub multiprocessors: Option<u32>,
    /// Last-level cache shared by all multiprocessors.
    pub l2: Option<u64>,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Free memory in bytes when it was opened.
    pub memory_free: Option<u64>,
    /// Error correction is on.
    pub ecc: Option<bool>,
    /// The device is a slice of a GPU.
    pub mig: Option<bool>,
    /// Another process uses the device.
    pub shared: Option<bool>,
    /// Power limit in watts.
    pub power_limit: Option<f64>,
    /// PCIe generation and lanes as trained.
    pub pcie: Option<(u32, u32)>,
    /// Driver version.
    pub driver: Option<String>,
    /// Libraries in use.
    pub libraries: Vec<Library>,
    /// Resolution of the clock behind [`Batch::elapsed`], in seconds.
    pub clock_resolution: f64,
    /// Formats with a ceiling on vector cores.
    pub vector: Vec<Format>,
    /// Formats with a ceiling on matrix units.
    pub matrix: Vec<Format>,
    /// Formats with products, those that matter most first.
    pub products: Vec<Format>,
    /// What computes the products: `cublas 12.9`, or `builtin`.
    pub product_source: String,
    /// L2 reads can be measured.
    pub l2_read: bool,
    /// Launches inside graphs, with a wait, and of the host can be measured.
    pub launch_kinds: bool,
    /// Host copies can be measured.
    pub host_copies: bool,
    /// Ordinals this device can copy to.
    pub peers: Vec<u32>,
    /// Group sizes collectives can be measured over; empty without a library.
    pub collective_ranks: Vec<u32>,
    /// Remarks: what was looked for and is missing.
    pub notes: Vec<String>,
}

impl DeviceFacts {
    /// Facts of a device that can do only what is required.
    pub fn new(kind: DeviceKind, name: &str) -> Self {
        Self {
            kind,
            ordinal: 0,
            name: name.to_owned(),
            uuid_hash: None,
            compute_capability: None,
            multiprocessors: None,
            l2: None,
            memory: None,
            memory_free: None,
            ecc: None,
            mig: None,
            shared: None,
            power_limit: None,
            pcie: None,
            driver: None,
            libraries: Vec::new(),
            clock_resolution: 0.5e-6,
            vector: vec![Format::Fp32],
            matrix: Vec::new(),
            products: vec![Format::Fp32],
            product_source: "builtin".to_owned(),
            l2_read: false,
            launch_kinds: false,
            host_copies: false,
            peers: Vec::new(),
            collective_ranks: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Power limit, typed.
    pub fn power_limit(&self) -> Option<Watts> {
        self.power_limit.map(Watts::new)
    }

    /// Memory that a measurement may take: what is free, else all, else nothing known.
    pub fn usable_memory(&self) -> Option<Bytes> {
        self.memory_free.or(self.memory).map(|b| Bytes::new(b as f64))
    }
}

/// Why one item could not be measured. Only [`DeviceError::Lost`] ends the run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// The device has no such thing; the profile will lack it.
    #[error("not available: {reason}")]
    Unsupported {
        /// What is missing.
        reason: String,
    },
    /// Memory did not suffice; the item is left out.
    #[error("out of memory: {wanted} bytes wanted")]
    OutOfMemory {
        /// Bytes wanted.
        wanted: u64,
    },
    /// The driver refused the kernels.
    #[error("kernel refused by the driver: {reason}")]
    KernelRefused {
        /// The driver's words.
        reason: String,
    },
    /// A launch or a wait failed; the item is left out.
    #[error("launch failed: {reason}")]
    Launch {
        /// The driver's words.
        reason: String,
    },
    /// The results are wrong; the item is left out.
    #[error("wrong result: {found} where {expected} was expected")]
    WrongResult {
        /// Expected value.
        expected: f64,
        /// Found value.
        found: f64,
    },
    /// The device answers no more; nothing else can be measured.
    #[error("device lost: {reason}")]
    Lost {
        /// The driver's words.
        reason: String,
    },
}

/// A machine that measures.
///
/// Inputs are pseudo-random normal data: zeros draw less power and report up to 14 % more. The protocol calls
/// `prepare` before an item's batches of a round, in any order of items; a device keeps between calls what it can
/// afford (kernels, buffers, handles).
pub trait Device {
    /// What is known of it.
    fn facts(&self) -> &DeviceFacts;

    /// Seconds since it was opened, monotonic: the protocol's clock for time budgets.
    fn now(&self) -> Seconds;

    /// Allocates and fills what the item needs, runs it once untimed and, the first time, compares its results with
    /// known ones.
    ///
    /// # Errors
    /// As in [`DeviceError`]; the item is then left out of the run.
    fn prepare(&mut self, item: &Item) -> Result<(), DeviceError>;

    /// Times `repetitions` executions back to back between two events; the item was prepared.
    ///
    /// # Errors
    /// As in [`DeviceError`].
    fn measure(&mut self, item: &Item, repetitions: u64) -> Result<Batch, DeviceError>;

    /// State of the device now; `None` where nobody tells.
    fn environment(&mut self) -> Option<Environment>;

    /// A round begins: for devices whose state changes between rounds. Nothing to do for real ones.
    fn begin_round(&mut self, _round: u32) {}

    /// Frees what was kept between items; called when memory ran out and at the end.
    fn release(&mut self) {}
}
