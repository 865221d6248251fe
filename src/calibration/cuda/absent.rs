//! A build without CUDA.

use crate::calibration::across::Member;
use crate::calibration::device::Device;
use crate::calibration::opening::{LibrarySearch, OpenError, Probe};

fn absent() -> OpenError {
    OpenError::Other { reason: "this binary was built without the feature `cuda`".to_owned() }
}

/// Says that this binary knows no GPUs.
pub fn probe(_search: &LibrarySearch) -> Probe {
    Probe { problem: Some(absent()), ..Probe::default() }
}

/// Opens nothing.
///
/// # Errors
/// Always.
pub fn open(_ordinal: u32, _search: &LibrarySearch) -> Result<Box<dyn Device>, OpenError> {
    Err(absent())
}

/// Joins nothing.
///
/// # Errors
/// Always.
pub fn join(_ordinal: u32, _rank: u32, _search: &LibrarySearch) -> Result<Box<dyn Member>, OpenError> {
    Err(absent())
}
