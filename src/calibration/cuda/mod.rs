//! GPUs through the CUDA driver.

use super::device::Device;
use super::opening::{LibrarySearch, OpenError, Probe};

/// Looks for the driver, the libraries and the devices; opens nothing for long and never panics.
pub fn probe(_search: &LibrarySearch) -> Probe {
    Probe { problem: Some(OpenError::NoDriver { tried: Vec::new() }), ..Probe::default() }
}

/// Opens one device.
///
/// # Errors
/// As in [`OpenError`].
pub fn open(_ordinal: u32, _search: &LibrarySearch) -> Result<Box<dyn Device>, OpenError> {
    Err(OpenError::NoDriver { tried: Vec::new() })
}
