//! A GPU as the protocol sees it: every item prepared, checked once, and timed between two events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::bench::{Bench, Launch};
use super::blas::Blas;
use super::driver::{Argument, Grid};
use super::group::Peers;
use super::launch_cost::LaunchCost;
use super::nvml::NvmlDevice;
use super::product::Product;
use super::transfer::HostCopy;
use super::{arithmetic, matrix, product, stream, transfer};
use crate::calibration::device::{Device, DeviceError, DeviceFacts};
use crate::calibration::measurement::{
    Batch, Collective, Cores, Environment, Format, Item, Layout, Shape, Stream as StreamKind,
};
use crate::units::{FlopCount, Seconds};

/// Passes of one L2 launch at most.
const MOST_PASSES: u64 = 255;
/// Argument of the L2 kernel that holds the passes.
const PASSES: usize = 3;

/// A GPU with everything that was opened for it.
pub(super) struct CudaDevice {
    pub(super) facts: DeviceFacts,
    pub(super) started: Instant,
    // Fields are dropped in this order: what is on the device before its stream and context.
    pub(super) current: Option<(Item, Prepared)>,
    pub(super) blas: Option<Blas>,
    pub(super) bench: Bench,
    pub(super) peers: Peers,
    pub(super) nvml: Option<NvmlDevice>,
    pub(super) checked: BTreeSet<Item>,
    pub(super) grids: BTreeMap<StreamKind, Grid>,
}

/// An item with its buffers, ready to be queued.
pub(super) enum Prepared {
    /// Launches taken in turn, and their work.
    Kernels { launches: Vec<Launch>, work: FlopCount },
    /// One launch of many passes.
    L2(Launch),
    /// A matrix product.
    Product(Product),
    /// Empty launches.
    Launch(LaunchCost),
    /// A host copy.
    HostCopy(HostCopy),
    /// A copy between two devices.
    Peer { from: u32, to: u32, bytes: u64 },
    /// A collective.
    Collective { operation: Collective, ranks: u32, bytes: u64 },
}

impl CudaDevice {
    fn build(&mut self, item: &Item) -> Result<Prepared, DeviceError> {
        let first = !self.checked.contains(item);
        let bench = &mut self.bench;
        match *item {
            Item::Stream { kind, bytes } => self.build_stream(kind, bytes, first),
            Item::L2Read { bytes } => {
                let (launch, grid) = stream::l2_launch(bench, bytes)?;
                if first {
                    stream::check_l2(bench, bytes, grid, &launch)?;
                }
                Ok(Prepared::L2(launch))
            }
            Item::Intensity { fma, bytes } => {
                let (launches, grid) = arithmetic::intensity(bench, fma, bytes)?;
                if first {
                    arithmetic::check_intensity(bench, fma, bytes, grid, &launches[0])?;
                }
                Ok(Prepared::Kernels { launches, work: item.work().unwrap_or(FlopCount::ZERO) })
            }
            Item::Ceiling { format, cores: Cores::Vector } => {
                let chain = arithmetic::chain(bench, format)?;
                if first {
                    chain.check(bench)?;
                }
                Ok(Prepared::Kernels { launches: vec![chain.launch], work: FlopCount::new(chain.work) })
            }
            Item::Ceiling { format, cores: Cores::Matrix } => {
                let chain = matrix::chain(bench, format)?;
                if first {
                    chain.check(bench)?;
                }
                Ok(Prepared::Kernels { launches: vec![chain.launch], work: FlopCount::new(chain.work) })
            }
            Item::Product { shape, format, layout } => self.build_product(shape, format, layout, first),
            Item::Sustained { shape, format } => {
                self.build_product(shape, format, format.first_layout(), first)
            }
            Item::Launch(kind) => Ok(Prepared::Launch(LaunchCost::new(bench, kind)?)),
            Item::HostCopy { memory, direction, bytes } => {
                let mut copy = HostCopy::new(bench, memory, direction, bytes)?;
                if first {
                    copy.check(bench)?;
                }
                Ok(Prepared::HostCopy(copy))
            }
            Item::PeerCopy { from, to, bytes } => {
                self.peers.pair(from, to, |a, b| {
                    transfer::prepare_peer(a, b, bytes)?;
                    if first { transfer::check_peer(a, b, bytes) } else { Ok(()) }
                })?;
                Ok(Prepared::Peer { from, to, bytes })
            }
            Item::Collective { operation, ranks, bytes } => {
                self.peers.prepare(operation, ranks, bytes)?;
                Ok(Prepared::Collective { operation, ranks, bytes })
            }
        }
    }

    fn build_stream(&mut self, kind: StreamKind, bytes: u64, first: bool) -> Result<Prepared, DeviceError> {
        let grid = if let Some(&grid) = self.grids.get(&kind) {
            grid
        } else {
            let grid = self.best_grid(kind, bytes)?;
            self.grids.insert(kind, grid);
            grid
        };
        let launches = stream::launches(&mut self.bench, kind, bytes, grid)?;
        if first {
            stream::check(&mut self.bench, kind, bytes, grid, &launches[0])?;
        }
        Ok(Prepared::Kernels { launches, work: FlopCount::ZERO })
    }

    /// The fastest of a few launch shapes: GPUs differ in how many threads fill their memory.
    fn best_grid(&mut self, kind: StreamKind, bytes: u64) -> Result<Grid, DeviceError> {
        let mut best: Option<(f64, Grid)> = None;
        for grid in stream::shapes(&self.bench) {
            let launches = stream::launches(&mut self.bench, kind, bytes, grid)?;
            let bench = &self.bench;
            launches[0].queue(&bench.stream)?;
            bench.start.record(&bench.stream)?;
            launches.iter().cycle().take(launches.len().max(3)).try_for_each(|l| l.queue(&bench.stream))?;
            bench.end.record(&bench.stream)?;
            bench.finish()?;
            let elapsed = bench.start.seconds_until(&bench.end)?;
            if best.is_none_or(|(least, _)| elapsed < least) {
                best = Some((elapsed, grid));
            }
        }
        Ok(best.map_or_else(|| self.bench.grid(4, 256), |(_, grid)| grid))
    }

    fn build_product(
        &mut self,
        shape: Shape,
        format: Format,
        layout: Layout,
        first: bool,
    ) -> Result<Prepared, DeviceError> {
        let blas = self.blas.as_ref();
        let product = product::prepare(&mut self.bench, blas, shape, format, layout)?;
        if first {
            product.check(&mut self.bench, blas)?;
        } else {
            product.queue(&self.bench, blas, 0)?;
            self.bench.finish()?;
        }
        Ok(Prepared::Product(product))
    }

    /// Runs the item in the middle of its batch: the readings are taken while the device works.
    fn time(&mut self, prepared: &mut Prepared, repetitions: u64) -> Result<Timed, DeviceError> {
        let count = match prepared {
            Prepared::Launch(cost) => {
                let count = cost.count(repetitions);
                if let Some(elapsed) = cost.host_time(&self.bench, count)? {
                    return Ok(Timed { elapsed, count, environment: self.environment() });
                }
                count
            }
            Prepared::L2(_) => repetitions.next_multiple_of(repetitions.min(MOST_PASSES)),
            Prepared::Peer { from, to, bytes } => {
                let (from, to, bytes) = (*from, *to, *bytes);
                let elapsed = self.peers.pair(from, to, |a, b| {
                    a.start.record(&a.stream)?;
                    (0..repetitions).try_for_each(|_| transfer::queue_peer(a, b, bytes))?;
                    a.end.record(&a.stream)?;
                    a.finish()?;
                    Ok(a.start.seconds_until(&a.end)?)
                });
                self.bench.context().bind()?;
                return Ok(Timed { elapsed: elapsed?, count: repetitions, environment: self.environment() });
            }
            Prepared::Collective { operation, ranks, bytes } => {
                let elapsed = self.peers.measure(*operation, *ranks, *bytes, repetitions);
                self.bench.context().bind()?;
                return Ok(Timed { elapsed: elapsed?, count: repetitions, environment: self.environment() });
            }
            _ => repetitions,
        };
        self.bench.start.record(&self.bench.stream)?;
        self.queue(prepared, count)?;
        self.bench.end.record(&self.bench.stream)?;
        let environment = self.environment();
        self.bench.finish()?;
        let elapsed = self.bench.start.seconds_until(&self.bench.end)?;
        Ok(Timed { elapsed, count, environment })
    }

    fn queue(&mut self, prepared: &mut Prepared, count: u64) -> Result<(), DeviceError> {
        let bench = &mut self.bench;
        match prepared {
            Prepared::Kernels { launches, .. } => {
                let mut in_turn = launches.iter().cycle().take(count as usize);
                in_turn.try_for_each(|launch| launch.queue(&bench.stream))
            }
            Prepared::L2(launch) => {
                let passes = count.min(MOST_PASSES);
                launch.set(PASSES, Argument::Word(passes as u32));
                (0..count / passes).try_for_each(|_| launch.queue(&bench.stream))
            }
            Prepared::Product(product) => {
                (0..count).try_for_each(|turn| product.queue(bench, self.blas.as_ref(), turn))
            }
            Prepared::Launch(cost) => cost.queue(bench, count),
            Prepared::HostCopy(copy) => {
                copy.begin(bench)?;
                (0..count).try_for_each(|_| copy.queue(bench))?;
                copy.end(bench)
            }
            Prepared::Peer { .. } | Prepared::Collective { .. } => Ok(()),
        }
    }
}

/// Outcome of one batch.
struct Timed {
    elapsed: f64,
    count: u64,
    environment: Option<Environment>,
}

impl Device for CudaDevice {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn now(&self) -> Seconds {
        Seconds::new(self.started.elapsed().as_secs_f64())
    }

    fn prepare(&mut self, item: &Item) -> Result<(), DeviceError> {
        if self.current.as_ref().is_some_and(|(current, _)| current == item) {
            return Ok(());
        }
        self.current = None;
        self.bench.context().bind()?;
        let built = self.build(item);
        // Whatever is still queued must not outlive the buffers it works on.
        let finished =
            self.bench.context().bind().map_err(DeviceError::from).and_then(|()| self.bench.finish());
        let prepared = built?;
        finished?;
        self.checked.insert(*item);
        self.current = Some((*item, prepared));
        Ok(())
    }

    fn measure(&mut self, item: &Item, repetitions: u64) -> Result<Batch, DeviceError> {
        self.prepare(item)?;
        let Some((current, mut prepared)) = self.current.take() else {
            return Err(DeviceError::Unsupported { reason: "the item was not prepared".to_owned() });
        };
        let timed = self.time(&mut prepared, repetitions.max(1));
        if timed.is_err() {
            // As in `prepare`: wait before the buffers go. The failure itself is what is reported.
            let _ = self.bench.finish();
        }
        let Timed { elapsed, count, environment } = timed?;
        let work = match &prepared {
            Prepared::Kernels { work, .. } => *work,
            _ => item.work().unwrap_or(FlopCount::ZERO),
        };
        self.current = Some((current, prepared));
        Ok(Batch { elapsed: Seconds::new(elapsed), count, work, checked: true, environment })
    }

    fn environment(&mut self) -> Option<Environment> {
        self.nvml.as_mut().map(NvmlDevice::environment)
    }

    fn release(&mut self) {
        self.current = None;
        self.bench.release();
        self.peers.release();
    }
}
