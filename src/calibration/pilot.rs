//! The pilot of a run: every item once, to find how many executions make a batch, within its share of the time.
//!
//! What a profile cannot lack comes first, so that a machine that is slow or busy still gives one.

use super::device::DeviceError;
use super::measurement::{Format, Item};
use super::protocol::{MOST_REPETITIONS, Run, RunError};
use super::schedule::essentials;
use super::trace::{Gap, Sample};

/// Shortest batch: short against no clock in use.
const SHORTEST_BATCH: f64 = 1e-3;
/// A batch holds so many ticks of the clock, so that its resolution is 0.05 % at most.
const TICKS: f64 = 2000.0;
/// Fewest ticks where the time allows no more: 2 %.
const LEAST_TICKS: f64 = 50.0;

/// One item and the executions of its batches.
#[derive(Debug)]
pub(super) struct Planned {
    pub item: Item,
    pub repetitions: u64,
    pub rounds: u32,
    /// The pilot's last batch; `None` once it is of no use.
    pub seen: Option<Sample>,
    /// Seconds of one execution in it.
    pub each: f64,
}

impl Planned {
    /// Seconds that the shortest visit takes: one execution untimed, and one batch.
    pub fn visit_s(&self) -> f64 {
        self.each * (self.repetitions as f64 + 1.0)
    }
}

impl Run<'_> {
    /// Runs every item once, those that no profile can lack first.
    pub(super) fn pilot(&mut self, list: &[Item]) -> Result<Vec<Planned>, RunError> {
        let needed = essentials(list);
        let (first, rest): (Vec<&Item>, Vec<&Item>) = list.iter().partition(|i| needed.contains(i));
        let shortest = self.shortest(list.len());
        let mut planned = Vec::new();
        let mut rates: Vec<(Format, f64)> = Vec::new();
        for (place, &item) in first.iter().chain(&rest).enumerate() {
            self.tell(item.step().name(), 0.25 * place as f64 / list.len() as f64);
            let needed = place < first.len();
            if let Some(reason) = self.too_long(item, &rates, needed) {
                self.gaps.push(Gap { item: item.to_string(), truncated: false, reason });
                continue;
            }
            match self.size(item, shortest) {
                Ok((repetitions, seen)) => {
                    let each = seen.each();
                    if let Item::Product { shape, format, .. } = item {
                        rates.push((*format, shape.work().get() / each));
                    }
                    planned.push(Planned { item: *item, repetitions, rounds: 0, seen: Some(seen), each });
                }
                Err(error) => self.failed(item, error)?,
            }
        }
        match (planned.is_empty(), self.gaps.first()) {
            (true, Some(gap)) => {
                Err(RunError::Nothing { item: gap.item.clone(), reason: gap.reason.clone() })
            }
            _ => Ok(planned),
        }
    }

    /// Shortest batch on this device's clock, where each of so many items gets no more than its share of the time.
    fn shortest(&self, items: usize) -> f64 {
        let tick = self.device.facts().clock_resolution;
        let visits = items as f64 * (f64::from(self.settings.rounds) + 1.0);
        let share = (self.ends.rounds - self.now()) / visits;
        SHORTEST_BATCH.max(TICKS * tick).min(share.max(LEAST_TICKS * tick))
    }

    /// Why an item is left out unmeasured: the time is over, or its product would take too long at the best rate so far. What is
    /// needed may take all the time there is.
    fn too_long(&self, item: &Item, rates: &[(Format, f64)], needed: bool) -> Option<String> {
        let left = if needed { self.ends.rounds } else { self.ends.pilot } - self.now();
        if left <= 0.0 {
            return Some("no time was left: the machine is slow or busy with other work".to_owned());
        }
        let Item::Product { shape, format, .. } = item else { return None };
        let rate = rates.iter().filter(|(f, _)| f == format).map(|(_, r)| *r).fold(0.0, f64::max);
        let (predicted, limit) = (shape.work().get() / rate, self.settings.longest_s);
        if rate > 0.0 && !needed && predicted > limit {
            return Some(format!("would take {predicted:.3} s; the limit is {limit:.3} s"));
        }
        // One execution untimed and one timed.
        (rate > 0.0 && 2.0 * predicted > left)
            .then(|| format!("would take {predicted:.3} s; {left:.3} s are left"))
    }

    /// Executions of a batch of `target` seconds, and the last batch of the search for it.
    fn size(&mut self, item: &Item, target: f64) -> Result<(u64, Sample), DeviceError> {
        self.device.prepare(item)?;
        let mut repetitions = 1;
        loop {
            let batch = self.device.measure(item, repetitions)?;
            let (elapsed, each) = (batch.elapsed.get(), batch.each().get());
            if elapsed >= target || repetitions == MOST_REPETITIONS {
                return Ok((repetitions, self.sample(item, 0, batch)));
            }
            let wanted = (1.2 * target / each.max(1e-12)).ceil() as u64;
            repetitions = wanted.clamp(repetitions * 2, repetitions.saturating_mul(64)).min(MOST_REPETITIONS);
        }
    }
}
