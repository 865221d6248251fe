//! The host CPU, measured for real with the same list of items: threads stand for multiprocessors, the last cache
//! for L2, waking a thread for a launch, a copy between arrays for a host copy.

mod arithmetic;
mod host;
mod product;
mod streams;
mod threads;

pub use host::{cpu_name, facts};

use std::time::Instant;

use super::device::{Device, DeviceError, DeviceFacts};
use super::measurement::{Batch, Cores, Environment, Format, HostMemory, Item, Launch};
use crate::units::{FlopCount, Seconds};

/// The host CPU as a device.
#[derive(Debug)]
pub struct Cpu {
    facts: DeviceFacts,
    opened: Instant,
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    arrays: streams::Arrays,
    product: Option<product::Operands>,
    checked: std::collections::BTreeSet<Item>,
}

impl Cpu {
    /// Opens it with all cores, or fewer.
    pub fn open(threads: Option<usize>) -> Self {
        let facts = facts();
        let cores = facts.multiprocessors.unwrap_or(1) as usize;
        let threads = threads.unwrap_or(cores).max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        Self {
            facts,
            pool,
            opened: Instant::now(),
            threads,
            arrays: streams::Arrays::default(),
            product: None,
            checked: std::collections::BTreeSet::new(),
        }
    }

    /// Runs an item so many times.
    fn execute(&mut self, item: &Item, repetitions: u64) -> Result<f64, DeviceError> {
        let workers = streams::Workers { pool: self.pool.as_ref(), count: self.threads };
        match *item {
            Item::Stream { kind, bytes } => Ok(self.arrays.stream(kind, bytes, repetitions, workers)),
            Item::L2Read { bytes } => Ok(self.arrays.read_often(bytes, repetitions, workers)),
            Item::Intensity { fma, bytes } => Ok(self.arrays.sweep(fma, bytes, repetitions, workers)),
            Item::Ceiling { format, cores: Cores::Vector } => {
                arithmetic::chains(format, repetitions, workers).ok_or_else(|| unsupported("this format"))
            }
            Item::Product { shape, format: Format::Fp32, layout } => {
                let operands = product::Operands::reuse(self.product.take(), shape, layout);
                Ok(self.product.insert(operands).run(repetitions, workers))
            }
            Item::Sustained { shape, format: Format::Fp32 } => {
                let layout = super::measurement::Layout::Nn;
                let operands = product::Operands::reuse(self.product.take(), shape, layout);
                Ok(self.product.insert(operands).run(repetitions, workers))
            }
            Item::Launch(Launch::Stream) => Ok(threads::wake_ups(workers.pool, repetitions, workers.count)),
            Item::HostCopy { memory: HostMemory::Pageable, bytes, .. } => {
                let one = streams::Workers { count: 1, ..workers };
                Ok(self.arrays.stream(super::measurement::Stream::Copy, bytes, repetitions, one))
            }
            _ => Err(unsupported("the CPU has no such thing")),
        }
    }

    /// Compares the results of the last execution with known ones.
    fn check(&self, item: &Item) -> Result<(), DeviceError> {
        let (found, expected) = match *item {
            Item::Stream { kind, bytes } => self.arrays.known(kind, bytes),
            Item::Product { .. } | Item::Sustained { .. } => match &self.product {
                Some(operands) => operands.known(),
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        if (found - expected).abs() <= 1e-3 * expected.abs().max(1.0) {
            return Ok(());
        }
        Err(DeviceError::WrongResult { expected, found })
    }
}

fn unsupported(reason: &str) -> DeviceError {
    DeviceError::Unsupported { reason: reason.to_owned() }
}

impl Device for Cpu {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn now(&self) -> Seconds {
        Seconds::new(self.opened.elapsed().as_secs_f64())
    }

    fn prepare(&mut self, item: &Item) -> Result<(), DeviceError> {
        self.execute(item, 1)?;
        if !self.checked.contains(item) {
            self.check(item)?;
            self.checked.insert(*item);
        }
        Ok(())
    }

    fn measure(&mut self, item: &Item, repetitions: u64) -> Result<Batch, DeviceError> {
        let elapsed = self.execute(item, repetitions)?;
        let chain = || arithmetic::work(self.threads);
        Ok(Batch {
            elapsed: Seconds::new(elapsed.max(self.facts.clock_resolution)),
            count: repetitions,
            work: item.work().unwrap_or_else(|| FlopCount::new(chain())),
            checked: self.checked.contains(item),
            environment: self.environment(),
        })
    }

    fn environment(&mut self) -> Option<Environment> {
        None
    }

    fn release(&mut self) {
        self.arrays = streams::Arrays::default();
        self.product = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::{Layout, Shape, Stream};
    use super::*;

    #[test]
    fn streams_and_products_of_the_cpu_give_the_known_results() {
        let mut cpu = Cpu::open(Some(2));
        for kind in Stream::ALL {
            cpu.prepare(&Item::Stream { kind, bytes: 4096 * 3 + 8 }).unwrap();
        }
        for layout in Layout::ALL {
            let shape = Shape { m: 33, n: 17, k: 65 };
            let item = Item::Product { shape, format: Format::Fp32, layout };
            cpu.prepare(&item).unwrap();
            assert!(cpu.measure(&item, 2).unwrap().checked);
        }
    }

    #[test]
    fn what_a_cpu_lacks_is_an_error_and_no_number() {
        let mut cpu = Cpu::open(Some(1));
        let item = Item::Ceiling { format: Format::Fp16, cores: Cores::Matrix };
        assert!(matches!(cpu.measure(&item, 1), Err(DeviceError::Unsupported { .. })));
    }
}
