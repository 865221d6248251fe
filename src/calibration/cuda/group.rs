//! The other GPUs of the host: copies between two, collectives over several.

use std::collections::BTreeMap;

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use super::bench::{Bench, agree, words};
use super::driver::{Context, Driver};
use super::kernels::Kernels;
use super::nccl::{Group, Nccl, Rank};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::{Collective, Format};

/// All GPUs that were needed so far, and the communicators over the first of them.
pub struct Peers {
    driver: Driver,
    count: u32,
    nccl: Option<Nccl>,
    // Dropped before the contexts it works in.
    group: Option<Group>,
    benches: BTreeMap<u32, Bench>,
}

impl Peers {
    /// Nothing is opened yet.
    pub const fn new(driver: Driver, count: u32, nccl: Option<Nccl>) -> Self {
        Self { driver, count, benches: BTreeMap::new(), nccl, group: None }
    }

    /// Group sizes that collectives can be measured over: powers of two, and all.
    pub fn group_sizes(&self) -> Vec<u32> {
        if self.nccl.is_none() || self.count < 2 {
            return Vec::new();
        }
        let powers = (1..).map(|power| 1u32 << power).take_while(|&size| size < self.count);
        powers.chain([self.count]).collect()
    }

    /// Frees memory, keeps contexts.
    pub fn release(&mut self) {
        self.benches.values_mut().for_each(Bench::release);
    }

    fn open(&mut self, ordinal: u32) -> Result<(), DeviceError> {
        if self.benches.contains_key(&ordinal) {
            return Ok(());
        }
        if ordinal >= self.count {
            let reason = format!("there is no device {ordinal}; the driver sees {}", self.count);
            return Err(DeviceError::Unsupported { reason });
        }
        let gpu = self.driver.device(ordinal)?;
        let number = |attribute| gpu.attribute(attribute).map_or(0, i32::unsigned_abs);
        let multiprocessors = number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).max(1);
        let l2 = u64::from(number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
        let context = Context::open(gpu)?;
        let kernels = Kernels::load_memory_only(&context)?;
        self.benches.insert(ordinal, Bench::new(&context, kernels, multiprocessors, l2)?);
        Ok(())
    }

    /// Runs `work` with two different devices, the first one's context being current.
    ///
    /// # Errors
    /// Unknown or equal ordinals, or what `work` fails with.
    pub fn pair<T>(
        &mut self,
        from: u32,
        to: u32,
        work: impl FnOnce(&mut Bench, &mut Bench) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        if from == to {
            return Err(DeviceError::Unsupported { reason: "a copy to the device itself".to_owned() });
        }
        self.open(from)?;
        self.open(to)?;
        let Some(mut sender) = self.benches.remove(&from) else { return Err(closed()) };
        let done = match self.benches.get_mut(&to) {
            Some(receiver) => {
                sender.context().bind().map_err(DeviceError::from).and_then(|()| work(&mut sender, receiver))
            }
            None => Err(closed()),
        };
        self.benches.insert(from, sender);
        done
    }

    /// Makes the first `ranks` devices ready for a collective, runs it once and compares one rank's results.
    ///
    /// # Errors
    /// No library, memory, or the driver's or the library's failure.
    pub fn prepare(&mut self, operation: Collective, ranks: u32, bytes: u64) -> Result<(), DeviceError> {
        let Some(nccl) = self.nccl else {
            return Err(DeviceError::Unsupported { reason: "no NCCL".to_owned() });
        };
        if !bytes.is_multiple_of(4 * u64::from(ranks.max(1))) || !(2..=self.count).contains(&ranks) {
            let reason = format!("{bytes} bytes over {ranks} of {} devices", self.count);
            return Err(DeviceError::Unsupported { reason });
        }
        for ordinal in 0..ranks {
            self.open(ordinal)?;
            let Some(bench) = self.benches.get_mut(&ordinal) else { return Err(closed()) };
            bench.context().bind()?;
            bench.input(Format::Fp32, bytes)?;
            bench.output(bytes)?;
            bench.clear_output()?;
            bench.finish()?;
        }
        if self.group.as_ref().is_none_or(|g| g.size() != ranks) {
            self.group = None;
            let devices: Vec<u32> = (0..ranks).collect();
            let group = Group::new(nccl, &devices).map_err(|reason| DeviceError::Launch { reason })?;
            self.group = Some(group);
        }
        self.queue(operation, ranks, bytes, 1)?;
        let last = ranks - 1;
        let Some(bench) = self.benches.get(&last) else { return Err(closed()) };
        bench.context().bind()?;
        check_rank(bench, operation, (last, ranks), bytes)
    }

    /// Time of `repetitions` in a row: the slowest rank's, by its own events.
    ///
    /// # Errors
    /// The driver's or the library's failure.
    pub fn measure(
        &mut self,
        operation: Collective,
        ranks: u32,
        bytes: u64,
        repetitions: u64,
    ) -> Result<f64, DeviceError> {
        self.queue(operation, ranks, bytes, repetitions)?;
        let mut slowest = 0f64;
        for bench in self.benches.range(0..ranks).map(|(_, bench)| bench) {
            bench.context().bind()?;
            slowest = slowest.max(bench.start.seconds_until(&bench.end)?);
        }
        Ok(slowest)
    }

    fn queue(
        &mut self,
        operation: Collective,
        ranks: u32,
        bytes: u64,
        repetitions: u64,
    ) -> Result<(), DeviceError> {
        let Some(group) = &self.group else { return Err(closed()) };
        let mut addresses = Vec::new();
        for bench in self.benches.range_mut(0..ranks).map(|(_, bench)| bench) {
            bench.context().bind()?;
            addresses.push((bench.input(Format::Fp32, bytes)?.at(0), bench.output(bytes)?.at(0)));
            bench.start.record(&bench.stream)?;
        }
        let parts: Vec<Rank<'_>> = self
            .benches
            .range(0..ranks)
            .zip(&addresses)
            .map(|((_, bench), &(send, receive))| Rank { stream: &bench.stream, send, receive })
            .collect();
        for _ in 0..repetitions {
            group.queue(operation, bytes, &parts).map_err(|reason| DeviceError::Launch { reason })?;
        }
        for bench in self.benches.range(0..ranks).map(|(_, bench)| bench) {
            bench.context().bind()?;
            bench.end.record(&bench.stream)?;
            bench.finish()?;
        }
        Ok(())
    }
}

/// Compares what rank number `rank.0` of `rank.1` received. Every rank holds the same data: a sum is that many times
/// the element, a copy the element itself.
///
/// # Errors
/// [`DeviceError::WrongResult`], or the driver's failure.
pub fn check_rank(
    bench: &Bench,
    operation: Collective,
    rank: (u32, u32),
    bytes: u64,
) -> Result<(), DeviceError> {
    let (own, ranks) = rank;
    let share = bytes / 4 / u64::from(ranks);
    let times = match operation {
        Collective::AllReduce | Collective::ReduceScatter => f64::from(ranks),
        _ => 1.0,
    };
    for place in [0, share - 1] {
        // A rank gets its own share of a reduce-scatter, and of every all-to-all sender.
        let source = match operation {
            Collective::ReduceScatter | Collective::AllToAll => place + u64::from(own) * share,
            _ => place,
        };
        let expected = times * f64::from(Bench::generator(Format::Fp32).value(source));
        let found =
            words(&bench.output_bytes(place * 4, 4)?).next().map_or(0.0, |w| f64::from(f32::from_bits(w)));
        agree(expected, found, 1e-4 * expected.abs() + 1e-6)?;
    }
    Ok(())
}

fn closed() -> DeviceError {
    DeviceError::Unsupported { reason: "the devices were not prepared".to_owned() }
}
