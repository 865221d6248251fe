//! Memory: streams over arrays in DRAM, and reads that L2 serves.
#![expect(unsafe_code, reason = "kernel arguments are addresses")]

use super::bench::{Bench, Launch, none_wrong};
use super::driver::{Argument, Grid};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::{Format, Stream};

/// What is written, and what a triad multiplies by.
const SCALAR: f32 = 0.75;
/// Blocks per multiprocessor and threads of a block that are tried for streams.
const SHAPES: [(u32, u32); 8] =
    [(1, 256), (2, 256), (4, 256), (8, 256), (1, 512), (2, 512), (4, 512), (8, 512)];

/// Shapes a stream kernel is tried with.
pub fn shapes(bench: &Bench) -> Vec<Grid> {
    SHAPES.iter().map(|&(blocks, threads)| bench.grid(blocks, threads)).collect()
}

/// Launches of a stream kernel, one per place of the rotation.
///
/// # Errors
/// Sizes that are no multiple of 16, memory, or the driver's failure.
pub fn launches(bench: &mut Bench, kind: Stream, bytes: u64, grid: Grid) -> Result<Vec<Launch>, DeviceError> {
    multiple_of_16(bytes)?;
    let name = match kind {
        Stream::Read => "stream_read",
        Stream::Write => "stream_write",
        Stream::Copy => "stream_copy",
        Stream::Triad => "stream_triad",
    };
    let function = bench.kernels.function("stream", name)?;
    let inputs = if kind == Stream::Triad { 2 } else { 1 };
    let slots = bench.slots(bytes * kind.arrays());
    let input = bench.input(Format::Fp32, bytes * inputs * slots)?.at(0);
    // A read leaves one word per thread, which may be more than the array.
    let output = bench.output((bytes * slots).max(grid.all_threads() * 4))?.at(0);
    let (wide, count) = (Argument::Wide, Argument::Wide(bytes / 16));
    let launch = |slot: u64| {
        let a = input + slot * bytes * inputs;
        let out = output + slot * bytes;
        let arguments = match kind {
            Stream::Read => vec![wide(a), wide(output), count],
            Stream::Write => vec![wide(out), count, Argument::Float(SCALAR)],
            Stream::Copy => vec![wide(a), wide(out), count],
            Stream::Triad => vec![wide(a), wide(a + bytes), wide(out), count, Argument::Float(SCALAR)],
        };
        // SAFETY: arguments as the kernels declare them; every slot lies within the buffers, which the bench keeps
        // until the next item is prepared.
        unsafe { Launch::new(function.clone(), grid, arguments) }
    };
    Ok((0..slots).map(launch).collect())
}

/// Runs the first launch and compares all of its results.
///
/// # Errors
/// [`DeviceError::WrongResult`], or the driver's failure.
pub fn check(
    bench: &mut Bench,
    kind: Stream,
    bytes: u64,
    grid: Grid,
    first: &Launch,
) -> Result<(), DeviceError> {
    let output = bench.output(0)?.at(0);
    bench.clear_output()?;
    first.queue(&bench.stream)?;
    let generator = Bench::generator(Format::Fp32);
    let elements = bytes / 4;
    let (seed, unit) = (Argument::Wide(generator.seed), Argument::Float(generator.unit));
    let (count, base) = (Argument::Wide(elements), Argument::Wide);
    match kind {
        Stream::Read => same_bits(bench, elements, grid),
        Stream::Write => {
            none_wrong(bench.count("verify_write", output, &[count, Argument::Float(SCALAR)])?)
        }
        Stream::Copy => none_wrong(bench.count("verify_f32", output, &[count, base(0), seed, unit])?),
        Stream::Triad => {
            let rest = [count, base(0), base(elements), seed, unit, Argument::Float(SCALAR)];
            none_wrong(bench.count("verify_triad", output, &rest)?)
        }
    }
}

/// A launch that reads a set `passes` times (argument 3).
///
/// # Errors
/// Sizes that are no multiple of 16, memory, or the driver's failure.
pub fn l2_launch(bench: &mut Bench, bytes: u64) -> Result<(Launch, Grid), DeviceError> {
    multiple_of_16(bytes)?;
    let function = bench.kernels.function("stream", "l2_read")?;
    let grid = bench.grid(4, 512);
    let input = bench.input(Format::Fp32, bytes)?.at(0);
    let output = bench.output(grid.all_threads() * 4)?.at(0);
    let arguments =
        vec![Argument::Wide(input), Argument::Wide(output), Argument::Wide(bytes / 16), Argument::Word(1)];
    // SAFETY: (in, out, count, passes); the output has a word for every thread.
    Ok((unsafe { Launch::new(function, grid, arguments) }, grid))
}

/// Compares what a single read of the set left.
///
/// # Errors
/// [`DeviceError::WrongResult`], or the driver's failure.
pub fn check_l2(bench: &mut Bench, bytes: u64, grid: Grid, launch: &Launch) -> Result<(), DeviceError> {
    launch.queue(&bench.stream)?;
    same_bits(bench, bytes / 4, grid)
}

fn same_bits(bench: &mut Bench, elements: u64, grid: Grid) -> Result<(), DeviceError> {
    let threads = grid.all_threads();
    let found = bench.output_folded(threads)?;
    let generator = Bench::generator(Format::Fp32);
    let rest = [
        Argument::Wide(elements),
        Argument::Wide(0),
        Argument::Wide(generator.seed),
        Argument::Float(generator.unit),
    ];
    let expected = bench.count("expected_bits", 0, &rest)? as u32;
    if expected == found {
        return Ok(());
    }
    Err(DeviceError::WrongResult { expected: f64::from(expected), found: f64::from(found) })
}

fn multiple_of_16(bytes: u64) -> Result<(), DeviceError> {
    if bytes > 0 && bytes.is_multiple_of(16) {
        return Ok(());
    }
    Err(DeviceError::Unsupported { reason: format!("{bytes} bytes are no multiple of 16") })
}
