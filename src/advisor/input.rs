//! What the input pipeline of a job must deliver and can deliver, on one cluster.

use super::plan_search::Planned;
use crate::plan::Cluster;
use crate::simulator::{InputRate, TermKind};
use crate::units::{Bytes, BytesPerSecond, Seconds};
use crate::workload::Job;

/// Storage and host of a job on a cluster; `None` when nothing about them is known.
pub(super) fn input_rate(job: &Job, storage: Option<BytesPerSecond>, cluster: &Cluster) -> Option<InputRate> {
    let storage = job.bytes_per_sample.zip(storage).map(|(bytes, rate)| (Bytes::new(bytes), rate));
    let vcpus = cluster.vcpus.map(|per_node| f64::from(per_node) * f64::from(cluster.nodes));
    let preparation = job.preparation_per_sample.zip(vcpus).map(|(s, vcpus)| (Seconds::new(s), vcpus));
    let host_unknown = has_unknown_host(job, cluster);
    let known = storage.is_some() || preparation.is_some() || host_unknown;
    known.then_some(InputRate { storage, preparation, host_unknown })
}

/// Whether samples must be prepared on a host of which nobody states the virtual CPUs.
pub(super) fn has_unknown_host(job: &Job, cluster: &Cluster) -> bool {
    job.preparation_per_sample.is_some() && cluster.vcpus.is_none()
}

/// What the input pipeline must deliver so that the GPUs never wait for it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct InputNeed {
    /// Bandwidth of the storage, for the whole cluster, where the stored size of a sample is known.
    #[serde(rename = "storage_bytes_per_s")]
    pub storage: Option<BytesPerSecond>,
    /// Virtual CPUs of a node that do nothing but prepare samples, where that cost is known.
    #[serde(rename = "vcpus_per_node")]
    pub vcpus: Option<f64>,
}

/// The need of a job of so many samples a step on so many nodes: what it would work off if it never waited for input.
pub(super) fn input_need(job: &Job, planned: &Planned, batch: f64, nodes: u32) -> Option<InputNeed> {
    let samples_per_s = batch / (planned.step.total() - planned.step.time(TermKind::Input)).get();
    let storage = job.bytes_per_sample.map(|bytes| BytesPerSecond::new(bytes * samples_per_s));
    let vcpus = job.preparation_per_sample.map(|seconds| seconds * samples_per_s / f64::from(nodes));
    (storage.is_some() || vcpus.is_some()).then_some(InputNeed { storage, vcpus })
}
