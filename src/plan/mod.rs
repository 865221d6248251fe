//! On what and how split? Cluster, network, parallel degrees, sharding, recompute, precision.

mod cluster;
mod split;

pub use cluster::{Cluster, Network};
pub use split::{Plan, PlanError, Recompute, Sharding};
