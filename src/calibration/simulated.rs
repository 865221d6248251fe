//! A device with known parameters and disturbances: what the fit must find again. Deterministic by its seed.

use super::device::{Device, DeviceError, DeviceFacts, DeviceKind, Library};
use super::measurement::{
    Batch, Cores, Direction, Environment, Format, HostMemory, Item, Launch, Stream, Throttle,
};
use crate::catalog::{GpuSpec, Precision};
use crate::numeric::Random;
use crate::profile::HardwareProfile;
use crate::units::{BytesPerSecond, FlopCount, FlopRate, Seconds};

/// Products at one format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProductTruth {
    /// Format.
    pub format: Format,
    /// Rate of an infinite product.
    pub peak: FlopRate,
    /// Half-saturation size of m and n.
    pub m0: f64,
    /// Half-saturation size of k.
    pub k0: f64,
}

/// The parameters of a simulated machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Name it reports.
    pub name: String,
    /// Bandwidth of a copy; other streams follow from it.
    pub copy: BytesPerSecond,
    /// Period of empty kernels in a stream.
    pub floor: Seconds,
    /// Exponent of the knee.
    pub norm: f64,
    /// FP32 rate of the sweep and of the vector ceiling.
    pub vector: FlopRate,
    /// Products.
    pub products: Vec<ProductTruth>,
    /// Pinned copies from the host.
    pub host: BytesPerSecond,
    /// Start of a host copy.
    pub host_alpha: Seconds,
    /// Rate of long runs over that of short ones.
    pub sustained: f64,
    /// Size of L2.
    pub l2: u64,
    /// Memory.
    pub memory: u64,
    /// Start and bandwidth of collectives.
    pub link: (Seconds, BytesPerSecond),
}

impl Truth {
    /// The machine that a profile describes.
    pub fn of(gpu: &GpuSpec, profile: &HardwareProfile) -> Self {
        let order = [Precision::Bf16, Precision::Fp16, Precision::Fp32, Precision::Tf32, Precision::Fp8];
        let product = |p: Precision| {
            let m = profile.matmul(p)?;
            Some(ProductTruth { format: Format::of(p), peak: m.peak, m0: m.m0, k0: m.k0 })
        };
        let vector = profile.matmul(Precision::Fp32).map_or(FlopRate::from_tera(1.0), |m| m.peak);
        Self {
            name: format!("simulated {}", gpu.name),
            copy: profile.dram,
            floor: profile.launch,
            norm: profile.norm,
            vector: vector * 1.02,
            products: order.into_iter().filter_map(product).collect(),
            host: profile.host_to_device,
            host_alpha: Seconds::from_micros(8.0),
            sustained: 0.95,
            l2: gpu.l2.map_or(1 << 22, |b| b.get() as u64),
            memory: gpu.memory_nominal.get() as u64,
            link: (
                Seconds::from_micros(15.0),
                gpu.link_per_direction.unwrap_or(BytesPerSecond::from_gb(10.0)) * 0.8,
            ),
        }
    }

    /// Bandwidth of a stream kernel: a few per cent around that of a copy.
    pub fn stream(&self, kind: Stream) -> BytesPerSecond {
        self.copy
            * match kind {
                Stream::Read => 1.01,
                Stream::Write => 0.97,
                Stream::Copy => 1.0,
                Stream::Triad => 0.99,
            }
    }

    /// Bandwidth of L2 while the set stays in the near half.
    pub fn l2_rate(&self) -> BytesPerSecond {
        self.copy * 3.0
    }

    /// Period of empty kernels.
    pub fn launch(&self, kind: Launch) -> Seconds {
        self.floor
            * match kind {
                Launch::Stream => 1.0,
                Launch::Graph => 0.6,
                Launch::Synchronised => 4.0,
                Launch::HostCall => 0.8,
            }
    }

    /// Work of one execution.
    fn work(&self, item: &Item) -> FlopCount {
        item.work().unwrap_or(self.vector * Seconds::new(1e-4))
    }

    /// Time of one execution without disturbance, and the share of it that follows the core clock.
    fn time(&self, item: &Item) -> Result<(f64, f64), DeviceError> {
        let bytes = item.traffic();
        let join = |work: f64, traffic: f64| {
            let largest = work.max(traffic);
            let sum = (work / largest).powf(self.norm) + (traffic / largest).powf(self.norm);
            (self.floor.get() + largest * sum.powf(1.0 / self.norm), if work > traffic { 1.0 } else { 0.0 })
        };
        Ok(match item {
            Item::Stream { kind, .. } => (self.floor.get() + (bytes / self.stream(*kind)).get(), 0.0),
            Item::L2Read { bytes: set } => {
                let near = if *set * 2 > self.l2 { 0.75 } else { 1.0 };
                ((bytes / self.l2_rate()).get() / near, 1.0)
            }
            Item::Intensity { .. } => {
                join((self.work(item) / self.vector).get(), (bytes / self.stream(Stream::Read)).get())
            }
            Item::Ceiling { format, cores } => {
                let rate = match cores {
                    Cores::Vector => self.vector,
                    Cores::Matrix => self.product(*format)?.peak * 1.03,
                };
                ((self.work(item) / rate).get(), 1.0)
            }
            Item::Product { shape, format, .. } | Item::Sustained { shape, format } => {
                let truth = self.product(*format)?;
                let saturation = (1.0 + truth.m0 / f64::from(shape.m))
                    * (1.0 + truth.m0 / f64::from(shape.n))
                    * (1.0 + truth.k0 / f64::from(shape.k));
                let work = (shape.work() / truth.peak).get() * saturation;
                let long = if matches!(item, Item::Sustained { .. }) { self.sustained } else { 1.0 };
                let (time, share) = join(work / long, (bytes / self.copy).get());
                (time, share)
            }
            Item::Launch(kind) => (self.launch(*kind).get(), 0.5),
            Item::HostCopy { memory, direction, .. } => {
                let share = if *memory == HostMemory::Pinned { 1.0 } else { 0.45 };
                let both = if *direction == Direction::Both { 0.8 } else { 1.0 };
                (self.host_alpha.get() + (bytes / (self.host * (share * both))).get(), 0.0)
            }
            Item::PeerCopy { .. } => (self.link.0.get() + (bytes / self.link.1).get(), 0.0),
            Item::Collective { operation, ranks, .. } => {
                let bus = bytes * operation.bus_factor(*ranks);
                (self.link.0.get() * f64::from(*ranks) + (bus / self.link.1).get(), 0.0)
            }
        })
    }

    fn product(&self, format: Format) -> Result<&ProductTruth, DeviceError> {
        self.products
            .iter()
            .find(|p| p.format == format)
            .ok_or_else(|| DeviceError::Unsupported { reason: format!("no {} products", format.name()) })
    }

    fn facts(&self) -> DeviceFacts {
        let formats: Vec<Format> = self.products.iter().map(|p| p.format).collect();
        DeviceFacts {
            l2: Some(self.l2),
            memory: Some(self.memory),
            memory_free: Some(self.memory),
            libraries: vec![Library { name: "simulation".to_owned(), version: "1".to_owned() }],
            vector: vec![Format::Fp32],
            matrix: formats.iter().copied().filter(|f| *f != Format::Fp32).collect(),
            products: formats,
            product_source: "simulation".to_owned(),
            l2_read: true,
            launch_kinds: true,
            host_copies: true,
            ..DeviceFacts::new(DeviceKind::Simulated, &self.name)
        }
    }
}

/// What keeps a simulated device from being perfect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disturbance {
    /// Seed of all of it.
    pub seed: u64,
    /// Relative deviation of batches inside a round.
    pub within: f64,
    /// Relative deviation of a round.
    pub between: f64,
    /// Slow-down from round to round.
    pub drift: f64,
    /// Share of batches that take three times as long.
    pub outliers: f64,
    /// Second from which on the core clock falls by a fifth.
    pub throttle_after: Option<f64>,
    /// Other programs that want the machine: after every turn of [`TURN`] seconds it is theirs for as long as so many turns,
    /// exponentially distributed.
    pub busy: f64,
    /// Resolution of the clock, in seconds.
    pub tick: f64,
}

impl Disturbance {
    /// A quiet machine: 0.5 % inside a round, 1 % between rounds.
    pub const fn quiet(seed: u64) -> Self {
        Self {
            seed,
            within: 0.005,
            between: 0.01,
            drift: 0.0,
            outliers: 0.0,
            throttle_after: None,
            busy: 0.0,
            tick: 0.5e-6,
        }
    }
}

/// Clock of a simulated device in MHz.
const CLOCK: f64 = 1500.0;
/// Seconds for which a program has the machine before another one's turn comes.
pub const TURN: f64 = 3e-3;
/// Share of the clock that is left under throttling.
const THROTTLED: f64 = 0.8;

/// A simulated device.
#[derive(Debug, Clone)]
pub struct Simulated {
    truth: Truth,
    facts: DeviceFacts,
    disturbance: Disturbance,
    random: Random,
    /// Factors of time of this round: core clock and memory.
    round: (f64, f64),
    now: f64,
}

impl Simulated {
    /// A device with these parameters.
    pub fn new(truth: Truth, disturbance: Disturbance) -> Self {
        let facts = DeviceFacts { clock_resolution: disturbance.tick, ..truth.facts() };
        let random = Random::new(disturbance.seed);
        Self { truth, facts, disturbance, random, round: (1.0, 1.0), now: 0.0 }
    }

    fn throttled(&self) -> bool {
        self.disturbance.throttle_after.is_some_and(|second| self.now > second)
    }

    /// Seconds that other programs add to what runs for so many.
    fn waits(&mut self, seconds: f64) -> f64 {
        if self.disturbance.busy == 0.0 {
            return 0.0;
        }
        let turns = (seconds / TURN + self.random.uniform()) as u64;
        let mean = self.disturbance.busy * TURN;
        (0..turns).map(|_| -mean * (-self.random.uniform()).ln_1p()).sum()
    }
}

impl Device for Simulated {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn now(&self) -> Seconds {
        Seconds::new(self.now)
    }

    fn prepare(&mut self, item: &Item) -> Result<(), DeviceError> {
        let (each, _) = self.truth.time(item)?;
        self.now += each + self.waits(each) + 1e-4;
        Ok(())
    }

    fn measure(&mut self, item: &Item, repetitions: u64) -> Result<Batch, DeviceError> {
        let (each, core) = self.truth.time(item)?;
        let throttled = self.throttled();
        let clock = if throttled { 1.0 / THROTTLED } else { 1.0 };
        let factor = core * self.round.0 * clock + (1.0 - core) * self.round.1;
        let noise = 1.0 + self.disturbance.within * self.random.normal();
        let outlier = if self.random.uniform() < self.disturbance.outliers { 3.0 } else { 1.0 };
        let alone = each * repetitions as f64 * factor * noise.max(0.5) * outlier;
        let exact = alone + self.waits(alone);
        let tick = self.facts.clock_resolution;
        let elapsed = ((exact / tick).round() * tick).max(tick);
        self.now += exact + 2e-5;
        Ok(Batch {
            elapsed: Seconds::new(elapsed),
            count: repetitions,
            work: self.truth.work(item),
            checked: true,
            environment: self.environment(),
        })
    }

    fn environment(&mut self) -> Option<Environment> {
        let throttled = self.throttled();
        Some(Environment {
            clock_mhz: Some(CLOCK * if throttled { THROTTLED } else { 1.0 }),
            memory_mhz: None,
            watts: Some(300.0),
            celsius: Some(60.0),
            throttle: Some(if throttled { vec![Throttle::Thermal] } else { Vec::new() }),
        })
    }

    fn begin_round(&mut self, round: u32) {
        let drift = 1.0 + self.disturbance.drift * f64::from(round);
        let mut factor = || (1.0 + self.disturbance.between * self.random.normal()).max(0.5) * drift;
        self.round = (factor(), factor());
    }
}
