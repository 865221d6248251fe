//! What the input pipeline of a job must deliver and can deliver, on one cluster.

use crate::plan::Cluster;
use crate::simulator::InputRate;
use crate::units::{Bytes, BytesPerSecond, Seconds};
use crate::workload::Job;

/// Storage and host of a job on a cluster; `None` when nothing about them is known.
pub(super) fn input_rate(job: &Job, storage: Option<BytesPerSecond>, cluster: &Cluster) -> Option<InputRate> {
    let storage = job.bytes_per_sample.zip(storage).map(|(bytes, rate)| (Bytes::new(bytes), rate));
    let vcpus = cluster.vcpus.map(|per_node| f64::from(per_node) * f64::from(cluster.nodes));
    let preparation = job.preparation_per_sample.zip(vcpus).map(|(s, vcpus)| (Seconds::new(s), vcpus));
    (storage.is_some() || preparation.is_some()).then_some(InputRate { storage, preparation })
}
