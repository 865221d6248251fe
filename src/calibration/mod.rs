//! How fast is this machine, measured? Short kernels on a device become a profile with intervals.
//!
//! A [`device`] measures the [`items`](measurement::Item) of the protocol in rounds; statistics and fits turn the
//! trace into a profile that the simulator loads.

pub mod cuda;
pub mod device;
pub mod measurement;
pub mod opening;
