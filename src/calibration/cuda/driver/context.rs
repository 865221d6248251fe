//! A device opened: its context, streams and events.

use std::rc::Rc;

use cudarc::driver::sys::{self, CUevent_flags, CUstream_flags};

use super::super::failure::Failure;
use super::{Gpu, check};

/// The primary context of a device, released when the last owner goes.
#[derive(Debug)]
pub struct Context {
    gpu: Gpu,
    handle: sys::CUcontext,
}

impl Context {
    /// Opens the device and makes it current.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn open(gpu: Gpu) -> Result<Rc<Self>, Failure> {
        let mut handle: sys::CUcontext = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call; the device handle came from the driver.
        check("cuDevicePrimaryCtxRetain", unsafe {
            sys::cuDevicePrimaryCtxRetain(&raw mut handle, gpu.handle)
        })?;
        let context = Rc::new(Self { gpu, handle });
        context.bind()?;
        Ok(context)
    }

    /// The device.
    pub fn gpu(&self) -> Gpu {
        self.gpu
    }

    /// The driver's handle.
    pub(super) fn handle(&self) -> sys::CUcontext {
        self.handle
    }

    /// Makes it current on this thread.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn bind(&self) -> Result<(), Failure> {
        // SAFETY: the context is retained.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.handle) })
    }

    /// Free and total bytes.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn memory(&self) -> Result<(u64, u64), Failure> {
        self.bind()?;
        let (mut free, mut total) = (0usize, 0usize);
        // SAFETY: the pointers are valid for the call.
        check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) })?;
        Ok((free as u64, total as u64))
    }

    /// Lets this device address the other's memory; having done so before is no failure.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn enable_peer(&self, other: &Self) -> Result<(), Failure> {
        self.bind()?;
        // SAFETY: both contexts are retained.
        let result = check("cuCtxEnablePeerAccess", unsafe { sys::cuCtxEnablePeerAccess(other.handle, 0) });
        let before = sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
        result.or_else(|failure| if failure.is(before) { Ok(()) } else { Err(failure) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, by `open`. A failure here has nobody left to hear it.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.gpu.handle) };
    }
}

/// Work in order.
#[derive(Debug)]
pub struct Stream {
    context: Rc<Context>,
    handle: sys::CUstream,
}

impl Stream {
    /// A stream that does not wait for the default one.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(context: &Rc<Context>) -> Result<Self, Failure> {
        context.bind()?;
        let mut handle: sys::CUstream = std::ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the pointer is valid for the call.
        check("cuStreamCreate", unsafe { sys::cuStreamCreate(&raw mut handle, flags) })?;
        Ok(Self { context: Rc::clone(context), handle })
    }

    /// Its context.
    pub fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// The driver's handle, for libraries that queue work on it.
    pub fn handle(&self) -> sys::CUstream {
        self.handle
    }

    /// Waits until all is done.
    ///
    /// # Errors
    /// The driver's failure, also of work queued before.
    pub fn synchronise(&self) -> Result<(), Failure> {
        // SAFETY: the stream exists.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.handle) })
    }

    /// What is queued after this waits for the event.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn wait_for(&self, event: &Event) -> Result<(), Failure> {
        // SAFETY: both exist.
        check("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(self.handle, event.handle, 0) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: made by `new`; the driver frees it when its work is done.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
    }
}

/// A point in a stream, with its time.
#[derive(Debug)]
pub struct Event {
    context: Rc<Context>,
    handle: sys::CUevent,
}

impl Event {
    /// An event with timing.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(context: &Rc<Context>) -> Result<Self, Failure> {
        context.bind()?;
        let mut handle: sys::CUevent = std::ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_DEFAULT as u32;
        // SAFETY: the pointer is valid for the call.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&raw mut handle, flags) })?;
        Ok(Self { context: Rc::clone(context), handle })
    }

    /// Queues it.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn record(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both exist and belong to one context.
        check("cuEventRecord", unsafe { sys::cuEventRecord(self.handle, stream.handle) })
    }

    /// Seconds from this event to a later one; both must have happened.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn seconds_until(&self, end: &Self) -> Result<f64, Failure> {
        let mut milliseconds = 0f32;
        // SAFETY: the pointer is valid for the call; both events exist.
        let code = unsafe { sys::cuEventElapsedTime(&raw mut milliseconds, self.handle, end.handle) };
        check("cuEventElapsedTime", code)?;
        Ok(f64::from(milliseconds) / 1000.0)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: made by `new`.
        let _ = unsafe { sys::cuEventDestroy_v2(self.handle) };
    }
}
