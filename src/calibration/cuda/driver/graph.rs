//! Work recorded once and launched as one.

use std::rc::Rc;

use cudarc::driver::sys::{self, CUstreamCaptureMode};

use super::super::failure::Failure;
use super::{Context, Stream, check};

/// A graph, ready to launch.
#[derive(Debug)]
pub struct Graph {
    context: Rc<Context>,
    recorded: sys::CUgraph,
    executable: sys::CUgraphExec,
}

impl Graph {
    /// Records what `queue` puts on the stream, and makes it ready.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn record(stream: &Stream, queue: impl FnOnce() -> Result<(), Failure>) -> Result<Self, Failure> {
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream exists.
        check("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(stream.handle(), mode) })?;
        let queued = queue();
        let mut graph: sys::CUgraph = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call; capture ends even where queueing failed.
        let code = unsafe { sys::cuStreamEndCapture(stream.handle(), &raw mut graph) };
        let ended = check("cuStreamEndCapture", code);
        let mut made =
            Self { context: Rc::clone(stream.context()), recorded: graph, executable: std::ptr::null_mut() };
        queued.and(ended)?;
        // SAFETY: the graph was just captured.
        let code = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut made.executable, graph, 0) };
        check("cuGraphInstantiateWithFlags", code)?;
        Ok(made)
    }

    /// Queues the whole graph.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn launch(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: the executable graph exists.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, stream.handle()) })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _ = self.context.bind();
        // SAFETY: made by `record`, each maybe null where it failed.
        unsafe {
            if !self.executable.is_null() {
                let _ = sys::cuGraphExecDestroy(self.executable);
            }
            if !self.recorded.is_null() {
                let _ = sys::cuGraphDestroy(self.recorded);
            }
        }
    }
}
