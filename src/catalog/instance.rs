//! Instance types: what one node of a provider holds.

use super::{Confidence, GpuId, Provenance};
use crate::units::{Bytes, BytesPerSecond};

/// Index of an instance type in [`Catalog::instances`](super::Catalog::instances).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub u32);

/// Whether it can be bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Stated to be on sale.
    OnSale,
    /// On sale by ticket or to selected customers.
    Restricted,
    /// Existing customers only.
    NoNewCapacity,
    /// Switched off by the provider.
    Retired,
    /// Taken out of the offer.
    Withdrawn,
    /// Old generation, still running.
    Legacy,
    /// Name read, sale not confirmed.
    Unverified,
}

impl Status {
    /// Retired and withdrawn types can never be recommended.
    pub const fn is_gone(self) -> bool {
        matches!(self, Self::Retired | Self::Withdrawn)
    }

    /// The name in files and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnSale => "on_sale",
            Self::Restricted => "restricted",
            Self::NoNewCapacity => "no_new_capacity",
            Self::Retired => "retired",
            Self::Withdrawn => "withdrawn",
            Self::Legacy => "legacy",
            Self::Unverified => "unverified",
        }
    }
}

/// Network of one node as the provider states it.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkOffer {
    /// Class, a key of `networks.toml` (`tcp`, `roce`, `infiniband`, `efa`, ...); `None` when not stated.
    pub class: Option<String>,
    /// Highest bandwidth per node and direction.
    pub maximum: Option<BytesPerSecond>,
    /// Assured bandwidth per node and direction, where it differs.
    pub assured: Option<BytesPerSecond>,
}

/// Sale status stated for one region.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionalStatus {
    /// Region id of the instance's provider.
    pub region: String,
    /// Status there.
    pub status: Status,
    /// Why, in the source's words summarised.
    pub note: Option<String>,
    /// Source and date.
    pub provenance: Provenance,
}

/// One instance type of one provider.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceType {
    /// Provider id.
    pub provider: String,
    /// Product line, such as elastic server or bare metal.
    pub service: String,
    /// Family within the service.
    pub family: String,
    /// Name; unique within the provider.
    pub name: String,
    /// Virtual CPUs.
    pub vcpus: Option<u32>,
    /// Host memory.
    pub memory: Option<Bytes>,
    /// GPU model.
    pub gpu: GpuId,
    /// GPUs in the node, at least one.
    pub gpu_count: u32,
    /// Link class between the GPUs of the node (a key of `networks.toml`); `None` when not stated.
    pub node_link: Option<String>,
    /// Network between nodes.
    pub network: NetworkOffer,
    /// Local disks as stated.
    pub local_nvme: Option<String>,
    /// Sale status where no region says otherwise.
    pub status: Status,
    /// Why.
    pub status_note: Option<String>,
    /// Status stated for single regions; also names regions where it exists without a price.
    pub regional: Vec<RegionalStatus>,
    /// Trust.
    pub confidence: Confidence,
    /// Source and date.
    pub provenance: Provenance,
    /// Remarks.
    pub notes: Option<String>,
}

impl InstanceType {
    /// The key people type: `provider/name`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.provider, self.name)
    }

    /// Status in a region, or the general one.
    pub fn status_in(&self, region: Option<&str>) -> Status {
        region.and_then(|r| self.regional.iter().find(|s| s.region == r)).map_or(self.status, |s| s.status)
    }
}
