//! GPUs through the CUDA driver.
//!
//! [`probe`] looks for libraries and devices; [`open`] gives a [`Device`](super::device::Device). The driver is called through cudarc, whose
//! panics on missing libraries and functions cannot happen after the checks of `driver`. cuBLAS, NCCL and NVML have
//! small loaders of their own, and none of them is required. Kernels are embedded as PTX (`kernels`), data are known to
//! the host (`data`), and every item's results are compared with it before a number is taken.

#[cfg(feature = "cuda")]
mod arithmetic;
#[cfg(feature = "cuda")]
mod bench;
#[cfg(feature = "cuda")]
mod blas;
#[cfg(feature = "cuda")]
mod blas_lt;
#[cfg(feature = "cuda")]
mod data;
#[cfg(feature = "cuda")]
mod device;
#[cfg(feature = "cuda")]
mod driver;
#[cfg(feature = "cuda")]
mod facts;
#[cfg(feature = "cuda")]
mod failure;
#[cfg(feature = "cuda")]
mod group;
#[cfg(feature = "cuda")]
mod kernels;
#[cfg(feature = "cuda")]
mod launch_cost;
#[cfg(feature = "cuda")]
mod library;
#[cfg(feature = "cuda")]
mod matrix;
#[cfg(feature = "cuda")]
mod member;
#[cfg(feature = "cuda")]
mod nccl;
#[cfg(feature = "cuda")]
mod nvml;
#[cfg(feature = "cuda")]
mod product;
#[cfg(feature = "cuda")]
mod stream;
#[cfg(feature = "cuda")]
mod transfer;

#[cfg(feature = "cuda")]
mod opened;
#[cfg(feature = "cuda")]
pub use opened::{join, open, probe};

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(not(feature = "cuda"))]
pub use absent::{join, open, probe};
