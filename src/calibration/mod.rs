//! How fast is this machine, measured? Short kernels on a device become a profile with intervals.
//!
//! A [`device`] measures the [`items`](measurement::Item) of the protocol in rounds; statistics and fits turn the
//! trace into a profile that the simulator loads.

pub mod across;
pub mod collectives;
pub mod comparison;
pub mod cpu;
pub mod cuda;
pub mod device;
pub mod fit;
pub mod fit_curve;
mod fit_intervals;
pub mod fit_knee;
pub mod fit_link;
pub mod fit_product;
mod fit_transfers;
pub mod fleet;
pub mod identify;
mod item_text;
pub mod measured;
pub mod measurement;
pub mod merging;
pub mod opening;
mod pilot;
pub mod placed;
pub mod profile_file;
pub mod protocol;
pub mod schedule;
pub mod simulated;
pub mod statistics;
pub mod trace;
mod vocabulary;
pub mod world;
