//! How long does a step take, how much memory does it need, what binds? Pure arithmetic.
//!
//! [`memory`](memory::memory) is cheap and is asked first; [`step_time`] evaluates the operators
//! of one micro-batch on one pipeline stage ([`roofline`]), the collectives ([`communication`]) and the schedule.
//! Both allocate nothing: a plan search calls them millions of times. Results are arrays of named terms that sum
//! to the total by construction.

mod adapted;
pub mod communication;
mod convolution;
mod evidence;
mod exchange;
pub mod explain;
mod interruption;
pub mod job;
pub mod memory;
mod memory_item;
pub mod network_part;
mod parameters;
mod recurrent;
mod resident;
mod retained;
pub mod roofline;
mod samples;
pub mod schedule;
pub mod stage_time;
pub mod step;
mod step_end;
mod tables;
pub mod term;
mod uncertainty;
mod whole_job;

pub use interruption::{Checkpoints, Interruptions};
pub use job::{Interval, JobTime, evaluation_steps, job_time};
pub use memory::{MemoryEstimate, MemoryItem, Verdict, memory};
pub use parameters::StageParameters;
pub use resident::Resident;
pub use retained::{Retained, SavedBytes};
pub use stage_time::{BlockPass, StageTimes, transfer, whole_pass};
pub use step::{StepEstimate, fixed, step_time, step_work};
pub use step_end::EndTime;
pub use term::{Bound, Term, TermKind};
pub use uncertainty::{may_skip_padding, uncertainty};
pub use whole_job::{Calendar, WholeJob, checkpoint_interval};

use crate::catalog::{GpuSpec, OptimizerSpec};
use crate::plan::Plan;
use crate::profile::{Grade, HardwareProfile, HostRates, LinkProfile, NetworkProfile, StackProfile};
use crate::units::{BytesPerSecond, Seconds};
use crate::workload::{Base, Workload, WorkloadKind};

/// Whether attention is fused unless somebody says otherwise: the stack does it, the GPU has a kernel for it, and no
/// padding mask stands in the way. Encoders train on padded batches, and the usual fused kernels take no such mask.
pub fn usually_fused_attention(workload: &Workload, gpu: &GpuSpec, stack: &StackProfile) -> bool {
    let padded = matches!(workload.kind, WorkloadKind::Encoder | WorkloadKind::EncoderDecoder);
    stack.flash_attention && gpu.flash_attention >= 2 && !padded
}

/// A cluster with the profiles that describe it.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'a> {
    /// GPU facts.
    pub gpu: &'a GpuSpec,
    /// GPU profile.
    pub hardware: &'a HardwareProfile,
    /// Links inside a node.
    pub link: &'a LinkProfile,
    /// Network between nodes.
    pub network: &'a NetworkProfile,
    /// Rate of the path between two GPUs of a node, per direction: their own link, or the slot.
    pub link_rate: BytesPerSecond,
    /// GPUs per node.
    pub gpus_per_node: u32,
    /// Nodes.
    pub nodes: u32,
    /// Network bandwidth per node and direction that this estimate uses.
    pub network_bandwidth: BytesPerSecond,
    /// The network is stated; otherwise its terms are grade D.
    pub network_known: bool,
    /// Copies to host memory, and updates done there.
    pub host: HostRates,
}

impl Machine<'_> {
    /// All GPUs.
    pub const fn gpus(&self) -> u32 {
        self.gpus_per_node * self.nodes
    }
}

/// One question to the simulator, without the plan.
#[derive(Debug, Clone, Copy)]
pub struct Scenario<'a> {
    /// What is computed.
    pub workload: &'a Workload,
    /// The optimizer.
    pub optimizer: &'a OptimizerSpec,
    /// On what.
    pub machine: Machine<'a>,
    /// With which software.
    pub stack: &'a StackProfile,
    /// Stored bytes of one sample and the bandwidth they arrive with, for all nodes together.
    pub input: Option<InputRate>,
}

/// What the input pipeline must deliver and can deliver.
#[derive(Debug, Clone, Copy)]
pub struct InputRate {
    /// Stored bytes of one sample, and the storage bandwidth for the whole job.
    pub storage: Option<(crate::units::Bytes, BytesPerSecond)>,
    /// Host time that decoding and augmenting one sample takes on one vCPU, and the vCPUs of the whole job.
    pub preparation: Option<(Seconds, f64)>,
    /// Preparing the samples takes known time on a host that nobody describes: it may be what binds, and is not in the
    /// time.
    pub host_unknown: bool,
}

impl InputRate {
    /// Time in which the samples of a step arrive: the slower of storage and host.
    pub fn time(&self, samples: f64) -> Seconds {
        let stored = self.storage.map(|(bytes, rate)| bytes * samples / rate);
        let prepared = self.preparation.map(|(each, vcpus)| each * (samples / vcpus));
        stored.unwrap_or(Seconds::ZERO).max(prepared.unwrap_or(Seconds::ZERO))
    }
}

impl Scenario<'_> {
    /// Evidence behind the compute terms: B where the stack was fitted on this GPU, else the hardware profile's. Frozen
    /// weights beside adapters are in no published run that the fits have seen: at best C. Where the host must prepare
    /// samples and is unknown, the time without it is an assumption: D.
    pub fn compute_grade(&self, plan: &Plan) -> Grade {
        if self.input.is_some_and(|input| input.host_unknown) {
            return Grade::D;
        }
        let hardware = self.machine.hardware.grade(plan.precision);
        if self.stack.fitted_gpus.contains(&self.machine.gpu.id) {
            if self.workload.base == Base::Trained {
                self.stack.grade
            } else {
                self.stack.grade.max(Grade::C)
            }
        } else {
            hardware.max(Grade::C).max(if self.stack.relative_of.is_some() { Grade::D } else { Grade::C })
        }
    }
}
