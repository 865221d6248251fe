//! What a launch costs: an empty kernel in a stream, in a graph, with a wait, and the host's call alone.
#![expect(unsafe_code, reason = "launches of a kernel without arguments")]

use std::time::{Duration, Instant};

use super::bench::{Bench, Launch};
use super::driver::{Graph, Grid};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement;

/// Kernels in the graph.
const IN_GRAPH: u64 = 200;
/// Calls between two waits when only the call is timed: fewer than a driver queues before it blocks.
const QUEUED: u64 = 128;

/// Empty launches, ready to be timed.
pub struct LaunchCost {
    kind: measurement::Launch,
    empty: Launch,
    graph: Option<Graph>,
}

impl LaunchCost {
    /// Prepares one kind.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(bench: &mut Bench, kind: measurement::Launch) -> Result<Self, DeviceError> {
        let function = bench.kernels.function("stream", "empty")?;
        // SAFETY: the kernel has no parameters.
        let empty = unsafe { Launch::new(function, Grid::row(1, 32), Vec::new()) };
        let graph = match kind {
            measurement::Launch::Graph => Some(Graph::record(&bench.stream, || {
                (0..IN_GRAPH).try_for_each(|_| empty.queue_raw(&bench.stream))
            })?),
            _ => None,
        };
        let cost = Self { kind, empty, graph };
        cost.empty.queue(&bench.stream)?;
        if let Some(graph) = &cost.graph {
            graph.launch(&bench.stream)?;
        }
        bench.finish()?;
        Ok(cost)
    }

    /// Executions that `repetitions` are rounded up to.
    pub fn count(&self, repetitions: u64) -> u64 {
        if self.graph.is_some() { repetitions.div_ceil(IN_GRAPH) * IN_GRAPH } else { repetitions }
    }

    /// Time by the host's clock, for the kinds that are about the host.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn host_time(&self, bench: &Bench, repetitions: u64) -> Result<Option<f64>, DeviceError> {
        match self.kind {
            measurement::Launch::Stream | measurement::Launch::Graph => Ok(None),
            measurement::Launch::Synchronised => {
                let start = Instant::now();
                for _ in 0..repetitions {
                    self.empty.queue(&bench.stream)?;
                    bench.finish()?;
                }
                Ok(Some(start.elapsed().as_secs_f64()))
            }
            measurement::Launch::HostCall => {
                let mut calls = Duration::ZERO;
                let mut left = repetitions;
                while left > 0 {
                    let now = left.min(QUEUED);
                    let start = Instant::now();
                    for _ in 0..now {
                        self.empty.queue(&bench.stream)?;
                    }
                    calls += start.elapsed();
                    bench.finish()?;
                    left -= now;
                }
                Ok(Some(calls.as_secs_f64()))
            }
        }
    }

    /// Queues `count` executions between two events.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn queue(&self, bench: &Bench, count: u64) -> Result<(), DeviceError> {
        if let Some(graph) = &self.graph {
            return Ok((0..count / IN_GRAPH).try_for_each(|_| graph.launch(&bench.stream))?);
        }
        (0..count).try_for_each(|_| self.empty.queue(&bench.stream))
    }
}
