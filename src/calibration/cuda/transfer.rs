//! Copies: between host and device, and between devices.
#![expect(unsafe_code, reason = "copies that go on while the host continues")]

use super::bench::{Bench, none_wrong};
use super::data::Generator;
use super::driver::{Argument, Event, Pinned, Stream};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::{Direction, Format, HostMemory};

/// Host memory on one side of a copy.
enum Side {
    Pinned(Pinned),
    Pageable(Vec<u8>),
}

impl Side {
    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Pinned(memory) => memory.bytes_mut(),
            Self::Pageable(memory) => memory,
        }
    }
}

/// A copy between host and device, ready to be queued.
pub struct HostCopy {
    direction: Direction,
    bytes: u64,
    /// Sent to the device; random.
    source: Side,
    /// Received from it.
    target: Side,
    /// For the way back when both go at once, with an event that joins it to the first.
    back: Option<(Stream, Event)>,
}

impl HostCopy {
    /// Allocates and fills both sides.
    ///
    /// # Errors
    /// Memory, or the driver's failure.
    pub fn new(
        bench: &mut Bench,
        memory: HostMemory,
        direction: Direction,
        bytes: u64,
    ) -> Result<Self, DeviceError> {
        if !bytes.is_multiple_of(4) || bytes == 0 {
            return Err(DeviceError::Unsupported { reason: format!("{bytes} bytes are no whole floats") });
        }
        bench.input(Format::Fp32, bytes)?;
        bench.output(bytes)?;
        let context = bench.context().clone();
        let side = |used: bool| -> Result<Side, DeviceError> {
            let bytes = if used { bytes as usize } else { 0 };
            Ok(match memory {
                HostMemory::Pinned => Side::Pinned(Pinned::new(&context, bytes)?),
                HostMemory::Pageable => Side::Pageable(vec![0; bytes]),
            })
        };
        let mut source = side(direction != Direction::D2h)?;
        let target = side(direction != Direction::H2d)?;
        repeat_random(source.bytes_mut());
        let back = match direction {
            Direction::Both => Some((Stream::new(&context)?, Event::new(&context)?)),
            _ => None,
        };
        Ok(Self { direction, bytes, source, target, back })
    }

    /// Queues one copy each way that is asked for.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn queue(&mut self, bench: &mut Bench) -> Result<(), DeviceError> {
        if self.direction != Direction::D2h {
            // SAFETY: both sides live as long as this copy, which the device drops only after its batch was waited
            // for; nothing on the host touches them before.
            unsafe { bench.queue_to_output(self.source.bytes_mut()) }?;
        }
        if self.direction != Direction::H2d {
            let stream = self.back.as_ref().map(|(stream, _)| stream);
            // SAFETY: as above.
            unsafe { bench.queue_from_input(self.target.bytes_mut(), stream) }?;
        }
        Ok(())
    }

    /// What is queued on the way back starts after the first event of a batch.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn begin(&self, bench: &Bench) -> Result<(), DeviceError> {
        if let Some((back, _)) = &self.back {
            back.wait_for(&bench.start)?;
        }
        Ok(())
    }

    /// The batch ends when both ways have.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn end(&self, bench: &Bench) -> Result<(), DeviceError> {
        if let Some((back, event)) = &self.back {
            event.record(back)?;
            bench.stream.wait_for(event)?;
        }
        Ok(())
    }

    /// Copies once and compares what arrived.
    ///
    /// # Errors
    /// [`DeviceError::WrongResult`], or the driver's failure.
    pub fn check(&mut self, bench: &mut Bench) -> Result<(), DeviceError> {
        bench.clear_output()?;
        self.queue(bench)?;
        if let Some((back, _)) = &self.back {
            back.synchronise()?;
        }
        bench.finish()?;
        if self.direction != Direction::D2h {
            let period = PERIOD.min(self.bytes / 4);
            let sent = Generator::new(0);
            let rest = [
                Argument::Wide(period),
                Argument::Wide(0),
                Argument::Wide(sent.seed),
                Argument::Float(sent.unit),
            ];
            let output = bench.output(self.bytes)?.at(0);
            none_wrong(bench.count("verify_f32", output, &rest)?)?;
        }
        if self.direction != Direction::H2d {
            let generator = Bench::generator(Format::Fp32);
            let elements = self.bytes / 4;
            let received = self.target.bytes_mut();
            for place in [0, elements / 2, elements - 1] {
                let at = place as usize * 4;
                let found = received[at..at + 4].try_into().map_or(0.0, f32::from_le_bytes);
                let expected = generator.value(place);
                if found.to_bits() != expected.to_bits() {
                    let (expected, found) = (f64::from(expected), f64::from(found));
                    return Err(DeviceError::WrongResult { expected, found });
                }
            }
        }
        Ok(())
    }
}

/// Floats after which the host's data repeat: making more would take longer than copying them.
const PERIOD: u64 = 1 << 14;

fn repeat_random(bytes: &mut [u8]) {
    let count = PERIOD.min(bytes.len() as u64 / 4);
    let pattern = Generator::new(0).bytes(Format::Fp32, count);
    if pattern.is_empty() {
        return;
    }
    for chunk in bytes.chunks_mut(pattern.len()) {
        chunk.copy_from_slice(&pattern[..chunk.len()]);
    }
}

/// Makes two devices ready for copies from the first to the second.
///
/// # Errors
/// Memory, or the driver's failure.
pub fn prepare_peer(from: &mut Bench, to: &mut Bench, bytes: u64) -> Result<(), DeviceError> {
    if !bytes.is_multiple_of(4) || bytes == 0 {
        return Err(DeviceError::Unsupported { reason: format!("{bytes} bytes are no whole floats") });
    }
    let (source, target) = (from.context().clone(), to.context().clone());
    if source.gpu().can_access(target.gpu())? {
        source.enable_peer(&target)?;
    }
    to.context().bind()?;
    to.output(bytes)?;
    to.clear_output()?;
    to.finish()?;
    source.bind()?;
    from.input(Format::Fp32, bytes)?;
    from.finish()
}

/// Queues a copy on the sender's stream.
///
/// # Errors
/// The driver's failure.
pub fn queue_peer(from: &mut Bench, to: &mut Bench, bytes: u64) -> Result<(), DeviceError> {
    let target = to.output(bytes)?;
    from.queue_input_to(target, bytes)
}

/// Copies once and compares all that arrived.
///
/// # Errors
/// [`DeviceError::WrongResult`], or the driver's failure.
pub fn check_peer(from: &mut Bench, to: &mut Bench, bytes: u64) -> Result<(), DeviceError> {
    queue_peer(from, to, bytes)?;
    from.finish()?;
    to.context().bind()?;
    let generator = Bench::generator(Format::Fp32);
    let rest = [
        Argument::Wide(bytes / 4),
        Argument::Wide(0),
        Argument::Wide(generator.seed),
        Argument::Float(generator.unit),
    ];
    let output = to.output(bytes)?.at(0);
    let wrong = to.count("verify_f32", output, &rest);
    from.context().bind()?;
    none_wrong(wrong?)
}
