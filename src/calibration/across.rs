//! Collectives between the ranks of a launcher, on one node or on many.
//!
//! All ranks run this code with the same settings and so call the same operations in the same order. What one rank
//! alone knows (that its memory was short, how long it took) becomes common by a vote, the greatest number that any
//! rank says; no rank ever leaves out an operation that the others wait in.

use super::device::{DeviceError, DeviceFacts};
use super::measurement::{Batch, Collective, Item};
use super::schedule::collective_bytes;
use super::trace::{Gap, Sample};
use super::world::{ID_BYTES, MeetingError, Rendezvous, World};
use crate::numeric::Random;
use crate::units::{FlopCount, Seconds};

/// Untimed and timed executions, as nccl-tests has them.
const WARM_UP: u64 = 5;
const TIMED: u64 = 20;
/// Seconds of a batch from which on fewer executions do.
const LONG: f64 = 0.2;
/// Longest single operation that is worth its time, in seconds.
const LONGEST: f64 = 2.0;

/// One rank's device.
pub trait Member {
    /// What is known of it.
    fn facts(&self) -> &DeviceFacts;

    /// Seconds since it was opened.
    fn now(&self) -> Seconds;

    /// A new id for a group, made by rank 0.
    ///
    /// # Errors
    /// The library's words.
    fn id(&self) -> Result<[u8; ID_BYTES], DeviceError>;

    /// Joins the group of the first `ranks` ranks; returns when all have.
    ///
    /// # Errors
    /// The library's words.
    fn join(&mut self, ranks: u32, id: &[u8; ID_BYTES]) -> Result<(), DeviceError>;

    /// Takes and fills memory for an operation; no other rank is waited for.
    ///
    /// # Errors
    /// Memory, or the driver's failure.
    fn reserve(&mut self, bytes: u64) -> Result<(), DeviceError>;

    /// Runs an operation once, with all others, and compares this rank's results with known ones.
    ///
    /// # Errors
    /// [`DeviceError::WrongResult`], or a failure after which the group is lost.
    fn once(&mut self, operation: Collective, bytes: u64) -> Result<(), DeviceError>;

    /// Seconds of `repetitions` in a row, by this rank's clock.
    ///
    /// # Errors
    /// A failure after which the group is lost.
    fn time(&mut self, operation: Collective, bytes: u64, repetitions: u64) -> Result<f64, DeviceError>;

    /// The greatest of what all ranks say.
    ///
    /// # Errors
    /// A failure after which the group is lost.
    fn greatest(&mut self, own: f64) -> Result<f64, DeviceError>;

    /// Frees what was kept between operations.
    fn release(&mut self);
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcrossSettings {
    /// Seed of the order; the same on all ranks.
    pub seed: u64,
    /// Rounds.
    pub rounds: u32,
    /// Seconds after which no further batch begins.
    pub budget_s: f64,
}

/// Why there are no numbers.
#[derive(Debug, thiserror::Error)]
pub enum AcrossError {
    /// The ranks did not meet.
    #[error(transparent)]
    Meeting(#[from] MeetingError),
    /// The device or the library failed.
    #[error("{ranks} ranks: {source}")]
    Device {
        /// Size of the group.
        ranks: u32,
        /// The failure.
        source: DeviceError,
    },
}

/// What rank 0 keeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AcrossSamples {
    /// Samples in the order they were taken; the time is the slowest rank's.
    pub samples: Vec<Sample>,
    /// What is missing.
    pub gaps: Vec<Gap>,
}

/// One operation at one size, and the executions of its batches.
struct Planned {
    operation: Collective,
    bytes: u64,
    repetitions: u64,
}

/// Measures every group this rank belongs to.
///
/// # Errors
/// When the ranks do not meet, or a device or the library fails.
pub fn measure(
    member: &mut dyn Member,
    world: World,
    meeting: &Rendezvous,
    settings: &AcrossSettings,
) -> Result<AcrossSamples, AcrossError> {
    let mut found = AcrossSamples::default();
    for ranks in world.groups().into_iter().filter(|&ranks| world.rank() < ranks) {
        let failed = |source| AcrossError::Device { ranks, source };
        let id = if world.rank() == 0 {
            let id = member.id().map_err(failed)?;
            meeting.publish(ranks, &id)?;
            id
        } else {
            meeting.wait(ranks)?
        };
        member.join(ranks, &id).map_err(failed)?;
        if world.rank() == 0 {
            meeting.clear(ranks);
        }
        group(member, ranks, settings, &mut found).map_err(failed)?;
    }
    member.release();
    Ok(found)
}

fn group(
    member: &mut dyn Member,
    ranks: u32,
    settings: &AcrossSettings,
    found: &mut AcrossSamples,
) -> Result<(), DeviceError> {
    let mut planned = Vec::new();
    for operation in Collective::ALL {
        for bytes in collective_bytes(ranks) {
            match pilot(member, operation, bytes)? {
                Ok(repetitions) => planned.push(Planned { operation, bytes, repetitions }),
                Err(reason) => {
                    let item = Item::Collective { operation, ranks, bytes }.to_string();
                    found.gaps.push(Gap { item, truncated: false, reason });
                }
            }
        }
    }
    let mut random = Random::new(settings.seed);
    let mut order: Vec<usize> = (0..planned.len()).collect();
    for round in 0..settings.rounds {
        random.shuffle(&mut order);
        for plan in order.iter().map(|&index| &planned[index]) {
            let item = Item::Collective { operation: plan.operation, ranks, bytes: plan.bytes };
            if round > 0 && member.greatest(member.now().get())? > settings.budget_s {
                let reason = format!("time budget: {round} of {} rounds", settings.rounds);
                found.gaps.push(Gap { item: item.to_string(), truncated: true, reason });
                return Ok(());
            }
            let batch = batch(member, &item, plan)?;
            found.samples.push(Sample {
                item: item.to_string(),
                round,
                at_s: member.now().get(),
                elapsed_s: batch.elapsed.get(),
                count: batch.count,
                work: batch.work.get(),
                checked: batch.checked,
                environment: None,
            });
        }
    }
    Ok(())
}

/// Runs an operation for the first time: how many executions make a batch, or why it is left out, the same on all ranks.
fn pilot(
    member: &mut dyn Member,
    operation: Collective,
    bytes: u64,
) -> Result<Result<u64, String>, DeviceError> {
    let reserved = member.reserve(bytes);
    if let Some(reason) = common(member, reserved)? {
        member.release();
        return Ok(Err(reason));
    }
    let checked = match member.once(operation, bytes) {
        Err(error) if !matches!(error, DeviceError::WrongResult { .. }) => return Err(error),
        checked => checked,
    };
    if let Some(reason) = common(member, checked)? {
        return Ok(Err(reason));
    }
    let own = member.time(operation, bytes, 1)?;
    let each = member.greatest(own)?;
    if each > LONGEST {
        return Ok(Err(format!("takes {each:.3} s; the limit is {LONGEST:.3} s")));
    }
    Ok(Ok(((LONG / each) as u64).clamp(1, TIMED)))
}

/// Whether some rank failed, and its own words where it was this one.
fn common(member: &mut dyn Member, outcome: Result<(), DeviceError>) -> Result<Option<String>, DeviceError> {
    if let Err(error @ DeviceError::Lost { .. }) = outcome {
        return Err(error);
    }
    let failed = member.greatest(if outcome.is_err() { 1.0 } else { 0.0 })? > 0.0;
    let words = || outcome.err().map_or_else(|| "another rank failed".to_owned(), |e| e.to_string());
    Ok(failed.then(words))
}

fn batch(member: &mut dyn Member, item: &Item, plan: &Planned) -> Result<Batch, DeviceError> {
    member.reserve(plan.bytes)?;
    member.time(plan.operation, plan.bytes, WARM_UP.min(plan.repetitions))?;
    let own = member.time(plan.operation, plan.bytes, plan.repetitions)?;
    Ok(Batch {
        elapsed: Seconds::new(member.greatest(own)?),
        count: plan.repetitions,
        work: item.work().unwrap_or(FlopCount::ZERO),
        checked: true,
        environment: None,
    })
}
