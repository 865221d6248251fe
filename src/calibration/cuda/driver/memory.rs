//! Memory of the device, and page-locked memory of the host.

use std::rc::Rc;

use cudarc::driver::sys::{self, CUresult};

use super::super::failure::Failure;
use super::{Context, Stream, check};
use crate::calibration::device::DeviceError;

/// Bytes on the device.
#[derive(Debug)]
pub struct Buffer {
    context: Rc<Context>,
    address: sys::CUdeviceptr,
    bytes: u64,
}

impl Buffer {
    /// Allocates.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] with the size, else the driver's failure.
    pub fn new(context: &Rc<Context>, bytes: u64) -> Result<Self, DeviceError> {
        context.bind()?;
        let mut address: sys::CUdeviceptr = 0;
        // Zero bytes are refused by the driver.
        let size = usize::try_from(bytes.max(16)).map_err(|_| DeviceError::OutOfMemory { wanted: bytes })?;
        // SAFETY: the pointer is valid for the call.
        match check("cuMemAlloc", unsafe { sys::cuMemAlloc_v2(&raw mut address, size) }) {
            Ok(()) => Ok(Self { context: Rc::clone(context), address, bytes }),
            Err(failure) if failure.is(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => {
                Err(DeviceError::OutOfMemory { wanted: bytes })
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// The address of byte `offset`.
    ///
    /// # Panics
    /// When the offset lies outside.
    pub fn at(&self, offset: u64) -> u64 {
        assert!(offset <= self.bytes, "offset {offset} of {} bytes", self.bytes);
        self.address + offset
    }

    /// Its size.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Queues zeros into all of it.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn clear(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: the range is this allocation.
        let code = unsafe { sys::cuMemsetD8Async(self.address, 0, self.bytes as usize, stream.handle()) };
        check("cuMemsetD8Async", code)
    }

    /// Queues a copy from the host.
    ///
    /// # Safety
    /// `from` stays valid and unchanged until the stream is synchronised.
    ///
    /// # Errors
    /// The driver's failure.
    ///
    /// # Panics
    /// When the data do not fit.
    pub unsafe fn queue_from(&self, offset: u64, from: &[u8], stream: &Stream) -> Result<(), Failure> {
        assert!(offset + from.len() as u64 <= self.bytes, "copy beyond the end");
        // SAFETY: source and target have the length; the caller keeps the source.
        check("cuMemcpyHtoDAsync", unsafe {
            sys::cuMemcpyHtoDAsync_v2(self.at(offset), from.as_ptr().cast(), from.len(), stream.handle())
        })
    }

    /// Queues a copy to the host.
    ///
    /// # Safety
    /// `to` stays valid, and nobody reads or writes it, until the stream is synchronised.
    ///
    /// # Errors
    /// The driver's failure.
    ///
    /// # Panics
    /// When more is asked for than there is.
    pub unsafe fn queue_to(&self, offset: u64, to: &mut [u8], stream: &Stream) -> Result<(), Failure> {
        assert!(offset + to.len() as u64 <= self.bytes, "copy beyond the end");
        // SAFETY: source and target have the length; the caller keeps the target.
        check("cuMemcpyDtoHAsync", unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), self.at(offset), to.len(), stream.handle())
        })
    }

    /// Copies `length` bytes to the host and waits.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn read(&self, offset: u64, length: usize, stream: &Stream) -> Result<Vec<u8>, Failure> {
        let mut bytes = vec![0; length];
        // SAFETY: synchronised before the vector is touched again.
        let queued = unsafe { self.queue_to(offset, &mut bytes, stream) };
        let done = stream.synchronise();
        queued.and(done)?;
        Ok(bytes)
    }

    /// Queues a copy of its first bytes to another buffer, maybe of another device.
    ///
    /// # Errors
    /// The driver's failure.
    ///
    /// # Panics
    /// When one of the buffers is shorter.
    pub fn queue_copy(&self, to: &Self, bytes: u64, stream: &Stream) -> Result<(), Failure> {
        assert!(bytes <= self.bytes && bytes <= to.bytes, "copy beyond the end");
        let (target, source) = (to.context.handle(), self.context.handle());
        // SAFETY: both ranges are allocated in the contexts that are named.
        check("cuMemcpyPeerAsync", unsafe {
            let length = bytes as usize;
            sys::cuMemcpyPeerAsync(to.address, target, self.address, source, length, stream.handle())
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: allocated by `new`; the driver waits for work that uses it.
        let _ = unsafe { sys::cuMemFree_v2(self.address) };
    }
}

/// Page-locked memory of the host, not write-combined: reads from it are fast, too.
#[derive(Debug)]
pub struct Pinned {
    context: Rc<Context>,
    address: *mut u8,
    bytes: usize,
}

impl Pinned {
    /// Allocates zeros.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] with the size, else the driver's failure.
    pub fn new(context: &Rc<Context>, bytes: usize) -> Result<Self, DeviceError> {
        context.bind()?;
        let mut address: *mut std::ffi::c_void = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        match check("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&raw mut address, bytes.max(16), 0) }) {
            Ok(()) => {}
            Err(failure) if failure.is(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => {
                return Err(DeviceError::OutOfMemory { wanted: bytes as u64 });
            }
            Err(failure) => return Err(failure.into()),
        }
        // SAFETY: the driver gave that many bytes.
        unsafe { std::ptr::write_bytes(address.cast::<u8>(), 0, bytes) };
        Ok(Self { context: Rc::clone(context), address: address.cast(), bytes })
    }

    /// The bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: allocated and initialised by `new`; borrowed as long as `self`.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: allocated by `new`.
        let _ = unsafe { sys::cuMemFreeHost(self.address.cast()) };
    }
}
