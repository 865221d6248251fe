//! On what and how split? Cluster, network, parallel degrees, sharding, recompute, precision.

mod cluster;
mod space;
mod split;
mod stages;

pub use cluster::{Cluster, Network};
pub use space::{Degrees, PlanSpace, divisors};
pub use split::{Plan, PlanError, Recompute, Sharding};
pub use stages::StageLayers;
