//! A driver library without a GPU, for tests only.
//!
//! It exports the functions of `libcuda.so.1` that the program calls. Memory is a description of what kernels would have
//! left in it (`content`), so that gigabytes cost nothing and results are still right; time is computed from stated
//! speeds (`speed`). `STANDIN_SCENARIO` chooses what goes wrong. The device's name starts with `FAKE`, so that nothing it
//! gives is taken for a measurement. Under further names the same file stands for cuBLAS, cuBLASLt, NCCL and NVML: as hard
//! links, so that the loader maps it once and all share one state.
#![allow(
    clippy::missing_safety_doc,
    reason = "the functions are those of the driver, and so are their contracts"
)]

mod blas;
mod content;
mod device;
mod kernel;
mod memory;
mod nccl;
mod numbers;
mod ranks;
mod speed;
mod state;
mod work;

use std::ffi::c_void;

/// A handle made of a number from 1 on.
fn handle(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

/// The number of a handle.
fn number(handle: *mut c_void) -> usize {
    handle.addr()
}

/// Writes through a pointer of the caller, unless it is null.
unsafe fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: the caller of the driver gives a valid pointer.
        unsafe { to.write(value) };
    }
}
