//! Chains of multiply-adds on vector cores, and reads with a number of them per element.
//!
//! Every step is `x = 1 - x`, an FMA with the factor -1 that the kernel is given at run time: the host repeats it with
//! a subtraction, bit by bit.
#![expect(unsafe_code, reason = "kernel arguments are addresses")]

use super::bench::{Bench, Launch, words};
use super::data::{f16_bits, f16_of, f16_value};
use super::driver::{Argument, Grid};
use super::kernels::{FMA_CHAINS, FMA_UNROLLED};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::Format;

/// Loops of one execution: long enough that a launch does not matter.
const LOOPS: u32 = 256;
/// FP64 runs at a 32nd of the rate on most GPUs.
const LOOPS_FP64: u32 = 32;
const THREADS: u32 = 256;
const BLOCKS_EACH: u32 = 8;
/// `1.0` and `-1.0` twice in FP16.
const ONES: u32 = 0x3c00_3c00;
const MINUS_ONES: u32 = 0xbc00_bc00;

/// A chain, its floating-point operations, and how to check it.
pub struct Chain {
    /// One execution.
    pub launch: Launch,
    /// Operations of one execution.
    pub work: f64,
    format: Format,
    grid: Grid,
    loops: u32,
}

/// The chain of a format.
///
/// # Errors
/// [`DeviceError::Unsupported`] for other formats than FP64, FP32 and FP16, memory, or the driver's failure.
pub fn chain(bench: &mut Bench, format: Format) -> Result<Chain, DeviceError> {
    let (name, loops, per_step) = match format {
        Format::Fp32 => ("fma_f32", LOOPS, 1),
        Format::Fp64 => ("fma_f64", LOOPS_FP64, 1),
        Format::Fp16 => ("fma_f16x2", LOOPS, 2),
        _ => {
            let reason = format!("no vector arithmetic in {}", format.name());
            return Err(DeviceError::Unsupported { reason });
        }
    };
    let function = bench.kernels.function("arithmetic", name)?;
    let grid = bench.grid(BLOCKS_EACH, THREADS);
    let chains = grid.all_threads() * FMA_CHAINS;
    let out = bench.output(chains * if format == Format::Fp64 { 8 } else { 4 })?.at(0);
    let generator = Bench::generator(Format::Fp32);
    let mut arguments = vec![
        Argument::Wide(out),
        Argument::Word(loops),
        Argument::Wide(generator.seed),
        Argument::Float(generator.unit),
    ];
    arguments.extend(match format {
        Format::Fp64 => [Argument::Double(-1.0), Argument::Double(1.0)],
        Format::Fp16 => [Argument::Word(MINUS_ONES), Argument::Word(ONES)],
        _ => [Argument::Float(-1.0), Argument::Float(1.0)],
    });
    // SAFETY: (out, loops, seed, unit, factor, offset) in the format's types; the output holds every chain.
    let launch = unsafe { Launch::new(function, grid, arguments) };
    let steps = chains * FMA_UNROLLED * u64::from(loops);
    Ok(Chain { launch, work: 2.0 * (steps * per_step) as f64, format, grid, loops })
}

impl Chain {
    /// Runs it once and compares the chains of the first and the last thread with the host's.
    ///
    /// # Errors
    /// [`DeviceError::WrongResult`], or the driver's failure.
    pub fn check(&self, bench: &mut Bench) -> Result<(), DeviceError> {
        bench.clear_output()?;
        self.launch.queue(&bench.stream)?;
        let width = if self.format == Format::Fp64 { 8 } else { 4 };
        let steps = FMA_UNROLLED * u64::from(self.loops);
        for first in [0, (self.grid.all_threads() - 1) * FMA_CHAINS] {
            let bytes = bench.output_bytes(first * width, (FMA_CHAINS * width) as usize)?;
            for (place, found) in (first..).zip(bytes.chunks_exact(width as usize)) {
                self.compare(place, found, steps)?;
            }
        }
        Ok(())
    }

    fn compare(&self, place: u64, found: &[u8], steps: u64) -> Result<(), DeviceError> {
        let generator = Bench::generator(Format::Fp32);
        let same = |expected: f64, found: f64| {
            if expected == found { Ok(()) } else { Err(DeviceError::WrongResult { expected, found }) }
        };
        match (self.format, found) {
            (Format::Fp64, &[a, b, c, d, e, f, g, h]) => {
                let x = repeat(f64::from(generator.value(place)), steps, |x| 1.0 - x);
                same(x, f64::from_le_bytes([a, b, c, d, e, f, g, h]))
            }
            (Format::Fp16, &[a, b, c, d]) => {
                for (half, bits) in [(0, [a, b]), (1, [c, d])] {
                    let start = f16_bits(generator.value(place * 2 + half));
                    let x = repeat(start, steps, |x| f16_of(1.0 - f64::from(f16_value(x))));
                    same(f64::from(f16_value(x)), f64::from(f16_value(u16::from_le_bytes(bits))))?;
                }
                Ok(())
            }
            (_, &[a, b, c, d]) => {
                let x = repeat(generator.value(place), steps, |x| 1.0 - x);
                same(f64::from(x), f64::from(f32::from_le_bytes([a, b, c, d])))
            }
            _ => Ok(()),
        }
    }
}

fn repeat<T>(start: T, steps: u64, step: impl Fn(T) -> T) -> T {
    (0..steps).fold(start, |x, _| step(x))
}

/// The launches of one point of the sweep, one per place of the rotation, and the grid.
///
/// # Errors
/// Sizes that are no multiple of 16, steps without a kernel, memory, or the driver's failure.
pub fn intensity(bench: &mut Bench, fma: u32, bytes: u64) -> Result<(Vec<Launch>, Grid), DeviceError> {
    if !bytes.is_multiple_of(16) || bytes == 0 {
        return Err(DeviceError::Unsupported { reason: format!("{bytes} bytes are no multiple of 16") });
    }
    let function = bench.kernels.function("arithmetic", &format!("intensity_{fma}"))?;
    let grid = bench.grid(BLOCKS_EACH, THREADS);
    let slots = bench.slots(bytes);
    let input = bench.input(Format::Fp32, bytes * slots)?.at(0);
    let out = bench.output(grid.all_threads() * 4)?.at(0);
    let launch = |slot: u64| {
        let arguments = vec![
            Argument::Wide(input + slot * bytes),
            Argument::Wide(out),
            Argument::Wide(bytes / 16),
            Argument::Float(-1.0),
            Argument::Float(1.0),
        ];
        // SAFETY: (in, out, count, factor, offset); every slot lies within the input, and the output holds a word
        // for every thread.
        unsafe { Launch::new(function.clone(), grid, arguments) }
    };
    Ok(((0..slots).map(launch).collect(), grid))
}

/// Runs the first launch and compares the sums of the first and the last thread with the host's.
///
/// # Errors
/// [`DeviceError::WrongResult`], or the driver's failure.
pub fn check_intensity(
    bench: &mut Bench,
    fma: u32,
    bytes: u64,
    grid: Grid,
    first: &Launch,
) -> Result<(), DeviceError> {
    first.queue(&bench.stream)?;
    let threads = grid.all_threads();
    for thread in [0, threads - 1] {
        let found = words(&bench.output_bytes(thread * 4, 4)?).next().unwrap_or(0);
        let expected = swept(fma, bytes / 16, thread, threads);
        if expected.to_bits() != found {
            let (expected, found) = (f64::from(expected), f64::from(f32::from_bits(found)));
            return Err(DeviceError::WrongResult { expected, found });
        }
    }
    Ok(())
}

/// What one thread of an intensity kernel leaves: eight chains over its elements, summed in the kernel's order.
fn swept(fma: u32, count: u64, thread: u64, threads: u64) -> f32 {
    let generator = Bench::generator(Format::Fp32);
    let mut chains = [0f32; 8];
    let mut at = thread;
    while at < count {
        for half in 0..2 {
            let place = at + half * threads;
            for part in 0..4u64 {
                let chain = &mut chains[(half * 4 + part) as usize];
                let element = if place < count { generator.value(place * 4 + part) } else { 0.0 };
                *chain = repeat(element - *chain, u64::from(fma) - 1, |x| 1.0 - x);
            }
        }
        at += 2 * threads;
    }
    let [a, b, c, d, e, f, g, h] = chains;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
