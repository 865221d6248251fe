//! What all measurements on one GPU share: its stream, kernels, and memory with known random data.
#![expect(unsafe_code, reason = "launches of kernels on buffers of this bench")]

use std::rc::Rc;

use super::data::Generator;
use super::driver::{Argument, Buffer, Context, Event, Function, Grid, Stream};
use super::failure::Failure;
use super::kernels::Kernels;
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::Format;

/// Seed of all data on a device; part of the trace through the version of the program.
const SEED: u64 = 0x6b72_6e6c;
/// Rotated buffers together are that many times the L2 cache, so that it holds nothing useful.
const TIMES_L2: u64 = 8;
/// Not more slots than that: their addresses are kept one by one.
const MOST_SLOTS: u64 = 1000;

/// One launch, ready to be queued.
#[derive(Debug, Clone)]
pub struct Launch {
    function: Function,
    grid: Grid,
    arguments: Vec<Argument>,
}

impl Launch {
    /// A launch.
    ///
    /// # Safety
    /// As for [`Function::launch`], as long as the launch exists.
    pub unsafe fn new(function: Function, grid: Grid, arguments: Vec<Argument>) -> Self {
        Self { function, grid, arguments }
    }

    /// Queues it.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn queue(&self, stream: &Stream) -> Result<(), DeviceError> {
        Ok(self.queue_raw(stream)?)
    }

    /// Queues it, for callers that speak the driver's language.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn queue_raw(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: promised to `new`.
        unsafe { self.function.launch(stream, self.grid, &self.arguments) }
    }

    /// The argument at `place` replaced by another value of its type.
    pub fn set(&mut self, place: usize, value: Argument) {
        self.arguments[place] = value;
    }
}

/// One GPU with what is kept between items.
#[derive(Debug)]
pub struct Bench {
    /// Work in order.
    pub stream: Stream,
    /// Before a batch.
    pub start: Event,
    /// After a batch.
    pub end: Event,
    /// Kernels.
    pub kernels: Kernels,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of the L2 cache.
    pub l2: u64,
    input: Option<Buffer>,
    holds: Option<(Format, u64)>,
    output: Option<Buffer>,
    counter: Buffer,
}

impl Bench {
    /// A bench on a context.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn new(
        context: &Rc<Context>,
        kernels: Kernels,
        multiprocessors: u32,
        l2: u64,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            stream: Stream::new(context)?,
            start: Event::new(context)?,
            end: Event::new(context)?,
            kernels,
            multiprocessors,
            l2,
            input: None,
            holds: None,
            output: None,
            counter: Buffer::new(context, 64)?,
        })
    }

    /// The context.
    pub fn context(&self) -> &Rc<Context> {
        self.stream.context()
    }

    /// Blocks times the multiprocessors.
    pub fn grid(&self, blocks_each: u32, threads: u32) -> Grid {
        Grid::row(self.multiprocessors * blocks_each, threads)
    }

    /// The generator behind [`Bench::input`].
    pub const fn generator(format: Format) -> Generator {
        Generator::of(format, SEED)
    }

    /// Random data of a format, at least `bytes` of it, from element 0 of the generator on.
    ///
    /// # Errors
    /// Memory, or the driver's failure.
    pub fn input(&mut self, format: Format, bytes: u64) -> Result<&Buffer, DeviceError> {
        if self.input.as_ref().is_none_or(|b| b.bytes() < bytes) {
            (self.input, self.holds) = (None, None);
            self.input = Some(Buffer::new(self.stream.context(), bytes)?);
        }
        let elements = bytes / format.bytes();
        if self.holds.is_none_or(|(held, count)| held != format || count < elements) {
            self.holds = None;
            self.fill(format, elements)?;
            self.holds = Some((format, elements));
        }
        self.input.as_ref().ok_or(DeviceError::OutOfMemory { wanted: bytes })
    }

    /// Memory for results, at least `bytes` of it.
    ///
    /// # Errors
    /// Memory, or the driver's failure.
    pub fn output(&mut self, bytes: u64) -> Result<&Buffer, DeviceError> {
        if self.output.as_ref().is_none_or(|b| b.bytes() < bytes) {
            self.output = None;
            self.output = Some(Buffer::new(self.stream.context(), bytes)?);
        }
        self.output.as_ref().ok_or(DeviceError::OutOfMemory { wanted: bytes })
    }

    /// Frees both.
    pub fn release(&mut self) {
        (self.input, self.holds, self.output) = (None, None, None);
    }

    /// How many places of `bytes` to rotate through, so that the L2 cache holds nothing useful.
    pub fn slots(&self, bytes: u64) -> u64 {
        let wanted = (self.l2 * TIMES_L2).div_ceil(bytes.max(1));
        wanted.clamp(1, MOST_SLOTS)
    }

    /// Waits for all that is queued.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn finish(&self) -> Result<(), DeviceError> {
        Ok(self.stream.synchronise()?)
    }

    /// Runs a kernel that adds to a counter, and gives what it counted.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn count(&mut self, name: &str, source: u64, rest: &[Argument]) -> Result<u64, DeviceError> {
        let function = self.kernels.function("stream", name)?;
        self.counter.clear(&self.stream)?;
        let mut arguments = vec![Argument::Wide(self.counter.at(0))];
        if source != 0 {
            arguments.insert(0, Argument::Wide(source));
        }
        arguments.extend(rest);
        let grid = self.grid(4, 256);
        // SAFETY: the counting kernels take an address, the counter's address and the rest, which the callers in
        // this module's siblings write as the kernels declare it; the counter lives as long as the bench.
        unsafe { function.launch(&self.stream, grid, &arguments) }?;
        let bytes = self.counter.read(0, 8, &self.stream)?;
        Ok(u64::from_le_bytes(bytes.try_into().unwrap_or([0; 8])))
    }

    /// Exclusive-or of the words a kernel left for its threads in the output.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn output_folded(&mut self, threads: u64) -> Result<u32, DeviceError> {
        self.output(threads * 4)?;
        let bytes = self.output_bytes(0, threads as usize * 4)?;
        Ok(words(&bytes).fold(0, |all, word| all ^ word))
    }

    /// Bytes of the output, once all that is queued has run.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn output_bytes(&self, offset: u64, length: usize) -> Result<Vec<u8>, DeviceError> {
        match &self.output {
            Some(buffer) => Ok(buffer.read(offset, length, &self.stream)?),
            None => Ok(Vec::new()),
        }
    }

    /// Zeros into all of the output.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn clear_output(&self) -> Result<(), DeviceError> {
        match &self.output {
            Some(buffer) => Ok(buffer.clear(&self.stream)?),
            None => Ok(()),
        }
    }

    /// Queues a copy of host memory into the output.
    ///
    /// # Safety
    /// The host memory stays valid and unchanged until the stream is synchronised.
    ///
    /// # Errors
    /// The driver's failure.
    pub unsafe fn queue_to_output(&self, from: &[u8]) -> Result<(), DeviceError> {
        match &self.output {
            // SAFETY: the caller keeps the memory.
            Some(buffer) => Ok(unsafe { buffer.queue_from(0, from, &self.stream) }?),
            None => Ok(()),
        }
    }

    /// Queues a copy of the input into host memory, on another stream of this context if one is given.
    ///
    /// # Safety
    /// The host memory stays valid, and nobody else touches it, until the stream is synchronised.
    ///
    /// # Errors
    /// The driver's failure.
    pub unsafe fn queue_from_input(&self, to: &mut [u8], stream: Option<&Stream>) -> Result<(), DeviceError> {
        match &self.input {
            // SAFETY: the caller keeps the memory.
            Some(buffer) => Ok(unsafe { buffer.queue_to(0, to, stream.unwrap_or(&self.stream)) }?),
            None => Ok(()),
        }
    }

    /// Queues a copy of the input's first bytes to a buffer, maybe of another device.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn queue_input_to(&self, to: &Buffer, bytes: u64) -> Result<(), DeviceError> {
        match &self.input {
            Some(buffer) => Ok(buffer.queue_copy(to, bytes, &self.stream)?),
            None => Ok(()),
        }
    }

    /// Writes random data, and compares the first and the last of it with the host's.
    fn fill(&mut self, format: Format, elements: u64) -> Result<(), DeviceError> {
        let name = match format {
            Format::Fp64 => "fill_f64",
            Format::Fp32 | Format::Tf32 => "fill_f32",
            Format::Fp16 => "fill_f16",
            Format::Bf16 => "fill_bf16",
            Format::Fp8 => "fill_e4m3",
            Format::Int8 => "fill_s8",
        };
        let function = self.kernels.function("stream", name)?;
        let Some(buffer) = &self.input else { return Ok(()) };
        let generator = Self::generator(format);
        let arguments = [
            Argument::Wide(buffer.at(0)),
            Argument::Wide(elements),
            Argument::Wide(generator.seed),
            Argument::Float(generator.unit),
        ];
        let grid = Grid::row(self.multiprocessors * 8, 256);
        // SAFETY: (out, count, seed, unit), and the buffer holds that many elements of the format.
        unsafe { function.launch(&self.stream, grid, &arguments) }?;
        for first in [0, elements.saturating_sub(64)] {
            let bytes = buffer.read(
                first * format.bytes(),
                64.min(elements) as usize * format.bytes() as usize,
                &self.stream,
            )?;
            for (place, element) in (first..).zip(bytes.chunks_exact(format.bytes() as usize)) {
                let (expected, found) = (generator.stored(format, place), stored_value(format, element));
                if expected.to_bits() != found.to_bits() && expected != found {
                    return Err(DeviceError::WrongResult { expected, found });
                }
            }
        }
        Ok(())
    }
}

/// Little-endian 32-bit words.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
}

/// The number that the bytes of one element stand for; 0 for a wrong count of bytes.
pub fn stored_value(format: Format, bytes: &[u8]) -> f64 {
    use super::data::{bf16_value, e4m3_value, f16_value};
    match (format, bytes) {
        (Format::Fp64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
        (Format::Fp32 | Format::Tf32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
        (Format::Fp16, &[a, b]) => f64::from(f16_value(u16::from_le_bytes([a, b]))),
        (Format::Bf16, &[a, b]) => f64::from(bf16_value(u16::from_le_bytes([a, b]))),
        (Format::Fp8, &[a]) => f64::from(e4m3_value(a)),
        (Format::Int8, &[a]) => f64::from(a as i8),
        _ => 0.0,
    }
}

/// Fails unless the numbers agree; one that is no number agrees with nothing.
pub fn agree(expected: f64, found: f64, tolerance: f64) -> Result<(), DeviceError> {
    if (found - expected).abs() <= tolerance {
        Ok(())
    } else {
        Err(DeviceError::WrongResult { expected, found })
    }
}

/// Fails unless nothing was found wrong.
pub fn none_wrong(wrong: u64) -> Result<(), DeviceError> {
    if wrong == 0 { Ok(()) } else { Err(DeviceError::WrongResult { expected: 0.0, found: wrong as f64 }) }
}
