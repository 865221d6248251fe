//! A run: warm-up, a pilot that sizes batches, rounds in random order, the sustained product, a trace.
//!
//! The time is a hard limit for each part: on a machine that is busy with other work there are fewer rounds and shorter batches,
//! what was seen once counts as a first round, and whatever was cut short says so. Only one execution that was begun may
//! outlast it.

use super::device::{Device, DeviceError};
use super::measurement::{Batch, Cores, Format, Item, Shape};
use super::pilot::Planned;
use super::schedule::{Effort, items};
use super::trace::{Gap, RunFacts, SCHEMA, Sample, Trace};
use crate::numeric::Random;

/// How to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How much.
    pub effort: Effort,
    /// Seed of the order.
    pub seed: u64,
    /// Rounds.
    pub rounds: u32,
    /// Seconds for everything; nothing is begun when they are over.
    pub budget_s: f64,
    /// Seconds of the sustained product.
    pub sustained_s: f64,
    /// Batches of one item in one round, at most.
    pub batches: u32,
    /// Shapes of the user's model.
    pub shapes: Vec<Shape>,
    /// Products that would take longer are left out.
    pub longest_s: f64,
    /// Catalog id of the GPU, where known.
    pub gpu: Option<String>,
    /// `provider/name`, where known.
    pub instance: Option<String>,
    /// Node of a fleet.
    pub node: Option<String>,
    /// Day, where known.
    pub date: Option<String>,
    /// CPU model, where known.
    pub host_cpu: Option<String>,
}

impl Settings {
    /// The protocol of an effort: 5 rounds in 50 s with 10 s sustained, so that a minute holds the fit too, or 15 rounds in 5
    /// minutes with 60 s.
    pub const fn new(effort: Effort) -> Self {
        let (rounds, budget_s, sustained_s, batches) = match effort {
            Effort::Minimal => (3, 30.0, 0.5, 2),
            Effort::Quick => (5, 50.0, 10.0, 5),
            Effort::Thorough => (15, 300.0, 60.0, 7),
        };
        Self {
            effort,
            seed: 1,
            rounds,
            budget_s,
            sustained_s,
            batches,
            shapes: Vec::new(),
            longest_s: 0.04,
            gpu: None,
            instance: None,
            node: None,
            date: None,
            host_cpu: None,
        }
    }
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What is being measured.
    pub step: &'static str,
    /// Share that is done, from 0 to 1.
    pub share: f64,
    /// Seconds left, at most.
    pub remaining_s: f64,
}

/// Why a run gave no trace.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunError {
    /// The device answers no more.
    #[error("the device was lost while measuring {item}: {reason}")]
    Lost {
        /// The item.
        item: String,
        /// The driver's words.
        reason: String,
    },
    /// No item could be measured.
    #[error("nothing could be measured; {item}: {reason}")]
    Nothing {
        /// The first item that failed.
        item: String,
        /// Why.
        reason: String,
    },
}

/// Most executions in a batch.
pub(super) const MOST_REPETITIONS: u64 = 1 << 20;
/// Longest warm-up, and its batches.
const WARM_UP: f64 = 3.0;
const WARM_UP_BATCH: f64 = 0.1;
/// Clocks or times that differ by less are steady.
const STEADY: f64 = 0.01;
/// Share of the time that the pilot leaves for the rounds.
const PILOT_REST: f64 = 0.3;
/// Batches of the sustained product.
const SUSTAINED_BATCH: f64 = 0.05;
/// Share of that time which one product may take, so that a rate over time shows.
const LONGEST_SHARE: f64 = 0.1;
/// Least share of the planned time in which a sustained rate shows.
const LEAST_SUSTAINED: f64 = 0.2;

pub(super) struct Run<'a> {
    pub device: &'a mut dyn Device,
    pub settings: &'a Settings,
    progress: &'a mut dyn FnMut(&Progress),
    samples: Vec<Sample>,
    pub gaps: Vec<Gap>,
    /// Seconds at which the pilot, the rounds and everything end.
    pub ends: Ends,
}

/// When the parts of a run end, in seconds of the device's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub pilot: f64,
    pub rounds: f64,
    pub all: f64,
}

impl Ends {
    fn of(start: f64, settings: &Settings) -> Self {
        let all = start + settings.budget_s;
        let rounds = all - settings.sustained_s;
        Self { pilot: rounds - PILOT_REST * settings.budget_s, rounds, all }
    }
}

/// Runs the protocol.
///
/// # Errors
/// When the device is lost or nothing can be measured; single items that fail are gaps of the trace.
pub fn run(
    device: &mut dyn Device,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Trace, RunError> {
    let list = items(device.facts(), settings.effort, &settings.shapes);
    let ends = Ends::of(device.now().get(), settings);
    let mut run = Run { device, settings, progress, samples: Vec::new(), gaps: Vec::new(), ends };
    run.warm_up(&list)?;
    let mut planned = run.pilot(&list)?;
    run.rounds(&mut planned)?;
    run.keep_pilot(&mut planned);
    run.sustained(&planned)?;
    run.device.release();
    for plan in planned.iter().filter(|p| p.rounds < settings.rounds) {
        let reason = format!("time budget: {} of {} rounds", plan.rounds, settings.rounds);
        run.gaps.push(Gap { item: plan.item.to_string(), truncated: true, reason });
    }
    let device = run.device.facts().clone();
    let facts = RunFacts {
        schema: SCHEMA,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        date: settings.date.clone(),
        effort: settings.effort.name().to_owned(),
        seed: settings.seed,
        rounds: settings.rounds,
        gpu: settings.gpu.clone(),
        instance: settings.instance.clone(),
        node: settings.node.clone(),
        host_cpu: settings.host_cpu.clone(),
        device,
    };
    Ok(Trace { run: facts, samples: run.samples, gaps: run.gaps, duration_s: run.device.now().get() })
}

impl Run<'_> {
    pub(super) fn now(&self) -> f64 {
        self.device.now().get()
    }

    pub(super) fn tell(&mut self, step: &'static str, share: f64) {
        let remaining_s = (self.ends.all - self.now()).max(0.0);
        (self.progress)(&Progress { step, share, remaining_s });
    }

    /// Notes why an item is missing.
    pub(super) fn failed(&mut self, item: &Item, error: DeviceError) -> Result<(), RunError> {
        let reason = error.to_string();
        match error {
            DeviceError::Lost { reason } => return Err(RunError::Lost { item: item.to_string(), reason }),
            DeviceError::OutOfMemory { .. } => self.device.release(),
            _ => {}
        }
        self.gaps.push(Gap { item: item.to_string(), truncated: false, reason });
        Ok(())
    }

    /// Runs arithmetic until the clock, or where that is unknown the time of a batch, is steady.
    fn warm_up(&mut self, list: &[Item]) -> Result<(), RunError> {
        let heaviest = list.iter().rfind(|i| matches!(i, Item::Ceiling { cores: Cores::Matrix, .. }));
        let vector = Item::Ceiling { format: Format::Fp32, cores: Cores::Vector };
        let item = *heaviest.unwrap_or(&vector);
        self.tell("warm-up", 0.0);
        if let Err(error) = self.device.prepare(&item) {
            return self.failed(&item, error);
        }
        let limit = if self.settings.effort == Effort::Minimal { WARM_UP / 10.0 } else { WARM_UP };
        let (start, mut readings, mut repetitions) = (self.now(), Vec::new(), 1);
        while self.now() - start < limit {
            let batch = match self.device.measure(&item, repetitions) {
                Ok(batch) => batch,
                Err(error) => return self.failed(&item, error),
            };
            let each = batch.each().get();
            repetitions = ((WARM_UP_BATCH / each) as u64).clamp(1, MOST_REPETITIONS);
            let clock = batch.environment.and_then(|e| e.clock_mhz);
            readings.push(clock.unwrap_or(1.0 / each));
            if let [.., a, b, c] = readings[..]
                && readings.len() > 3
                && (a / b - 1.0).abs() < STEADY
                && (b / c - 1.0).abs() < STEADY
            {
                break;
            }
        }
        Ok(())
    }

    fn rounds(&mut self, planned: &mut [Planned]) -> Result<(), RunError> {
        let mut random = Random::new(self.settings.seed);
        let visits = planned.len() * self.settings.rounds as usize;
        let mut done = 0;
        let mut order: Vec<usize> = (0..planned.len()).collect();
        for round in 0..self.settings.rounds {
            self.device.begin_round(round);
            random.shuffle(&mut order);
            for &index in &order {
                let plan = &planned[index];
                let left = self.ends.rounds - self.now();
                if left <= 0.0 {
                    return Ok(());
                }
                // What missed a round is not measured again, and what would outlast the time is not begun.
                if plan.rounds < round || plan.visit_s() > left {
                    done += 1;
                    continue;
                }
                let allowed = left / (visits - done).max(1) as f64;
                let (item, repetitions) = (plan.item, plan.repetitions);
                self.tell(item.step().name(), 0.25 + 0.6 * done as f64 / visits as f64);
                match self.visit(&item, repetitions, round, allowed) {
                    Ok(()) => planned[index].rounds += 1,
                    Err(error) => {
                        planned[index].seen = None;
                        self.failed(&item, error)?;
                    }
                }
                done += 1;
            }
        }
        Ok(())
    }

    /// What the pilot saw stands for the first round of items for which the rounds had no time.
    fn keep_pilot(&mut self, planned: &mut [Planned]) {
        for plan in planned.iter_mut().filter(|p| p.rounds == 0) {
            if let Some(seen) = plan.seen.take() {
                self.samples.push(seen);
                plan.rounds = 1;
            }
        }
        self.samples.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
    }

    /// Batches of one item in one round: as many as its share of the time allows, at least one.
    fn visit(&mut self, item: &Item, repetitions: u64, round: u32, allowed: f64) -> Result<(), DeviceError> {
        let start = self.now();
        self.device.prepare(item)?;
        for _ in 0..self.settings.batches {
            let batch = self.device.measure(item, repetitions)?;
            let (at_s, elapsed_s) = self.record(item, round, batch);
            if at_s - start + elapsed_s > allowed {
                break;
            }
        }
        Ok(())
    }

    /// Keeps a batch as a sample; when it ended and how long it took, in seconds.
    fn record(&mut self, item: &Item, round: u32, batch: Batch) -> (f64, f64) {
        let sample = self.sample(item, round, batch);
        let (at_s, elapsed_s) = (sample.at_s, sample.elapsed_s);
        self.samples.push(sample);
        (at_s, elapsed_s)
    }

    /// A batch that has just ended, as a sample.
    pub(super) fn sample(&self, item: &Item, round: u32, batch: Batch) -> Sample {
        Sample {
            item: item.to_string(),
            round,
            at_s: self.now(),
            elapsed_s: batch.elapsed.get(),
            count: batch.count,
            work: batch.work.get(),
            checked: batch.checked,
            environment: batch.environment,
        }
    }

    /// The best 16-bit product, or the best of the first format, without pause: as long as planned, or until the time is over.
    fn sustained(&mut self, planned: &[Planned]) -> Result<(), RunError> {
        let seconds = self.settings.sustained_s.min(self.ends.all - self.now());
        let Some((shape, format)) = self.largest_product(planned, seconds * LONGEST_SHARE) else {
            return Ok(());
        };
        let item = Item::Sustained { shape, format };
        if seconds < LEAST_SUSTAINED * self.settings.sustained_s {
            let reason = "no time was left after the other items".to_owned();
            self.gaps.push(Gap { item: item.to_string(), truncated: false, reason });
            return Ok(());
        }
        self.tell(item.step().name(), 0.85);
        if let Err(error) = self.device.prepare(&item) {
            return self.failed(&item, error);
        }
        let start = self.now();
        let (mut repetitions, mut round) = (1, 0);
        while self.now() - start < seconds {
            // A tenth of the time is a round: their order shows how the rate falls.
            let tenth = ((self.now() - start) / seconds * 10.0) as u32;
            if tenth > round {
                round = tenth;
                self.tell(item.step().name(), 0.85 + 0.015 * f64::from(tenth));
            }
            if let Err(error) = self.visit_once(&item, &mut repetitions, round) {
                return self.failed(&item, error);
            }
        }
        Ok(())
    }

    fn visit_once(&mut self, item: &Item, repetitions: &mut u64, round: u32) -> Result<(), DeviceError> {
        let batch = self.device.measure(item, *repetitions)?;
        *repetitions = ((SUSTAINED_BATCH / batch.each().get()) as u64).clamp(1, MOST_REPETITIONS);
        self.record(item, round, batch);
        Ok(())
    }

    /// The product with most work at the first format that takes no longer than so many seconds: long products draw most power.
    fn largest_product(&self, planned: &[Planned], longest_s: f64) -> Option<(Shape, Format)> {
        let first = *self.device.facts().products.first()?;
        let shapes = planned.iter().filter(|p| p.each <= longest_s).filter_map(|p| match p.item {
            Item::Product { shape, format, layout } if format == first && layout == first.first_layout() => {
                Some(shape)
            }
            _ => None,
        });
        let largest = shapes.max_by(|a, b| a.work().get().total_cmp(&b.work().get()))?;
        Some((largest, first))
    }
}
