//! Chains of matrix multiply-adds on tensor cores, by the instruction each GPU has.
#![expect(unsafe_code, reason = "kernel arguments are addresses")]

use super::bench::{Bench, Launch, agree, words};
use super::driver::{Argument, Grid};
use super::kernels::{Kernels, MMA_PER_LOOP, WGMMA_SHARED, WMMA_PER_LOOP};
use crate::calibration::device::DeviceError;
use crate::calibration::measurement::Format;

/// Loops of one execution.
const LOOPS: u32 = 512;
/// Loops of the run that is checked: 8-bit operands accumulate in few bits, and a long sum loses them.
const LOOPS_CHECKED: u32 = 2;
const THREADS: u32 = 256;

/// How a GPU's tensor cores are fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instruction {
    /// 16 x 16 x 16 per warp, every GPU from 7.0.
    Wmma,
    /// 16 x 8 x 32 bytes per warp, from 8.0.
    Mma { unit: &'static str },
    /// 64 x 256 x 32 bytes per warp group, four a loop, 9.0.
    Wgmma,
}

/// A chain, its operations, and how to check it.
pub struct Chain {
    /// One execution.
    pub launch: Launch,
    /// Operations of one execution.
    pub work: f64,
    format: Format,
    instruction: Instruction,
    operands: (u64, u64),
}

/// Formats with tensor-core chains on a device.
pub fn formats(kernels: &Kernels) -> Vec<Format> {
    [Format::Bf16, Format::Fp16, Format::Tf32, Format::Fp8, Format::Int8]
        .into_iter()
        .filter(|&format| instruction(kernels, format).is_some())
        .collect()
}

/// The fastest instruction there is for a format.
fn instruction(kernels: &Kernels, format: Format) -> Option<(Instruction, &'static str)> {
    let wgmma = |name| kernels.has("wgmma_sm90a").then_some((Instruction::Wgmma, name));
    let mma = |unit, name| kernels.has(unit).then_some((Instruction::Mma { unit }, name));
    match format {
        Format::Fp16 => wgmma("wgmma_f16")
            .or_else(|| mma("mma_sm80", "mma_f16"))
            .or_else(|| kernels.has("wmma_sm70").then_some((Instruction::Wmma, "wmma_f16"))),
        Format::Bf16 => wgmma("wgmma_bf16").or_else(|| mma("mma_sm80", "mma_bf16")),
        Format::Fp8 => wgmma("wgmma_e4m3").or_else(|| mma("mma_sm89", "mma_e4m3")),
        Format::Tf32 => mma("mma_sm80", "mma_tf32"),
        Format::Int8 => mma("mma_sm80", "mma_s8"),
        Format::Fp64 | Format::Fp32 => None,
    }
}

/// The chain of a format.
///
/// # Errors
/// [`DeviceError::Unsupported`] where the GPU has none, memory, or the driver's failure.
pub fn chain(bench: &mut Bench, format: Format) -> Result<Chain, DeviceError> {
    let Some((instruction, name)) = instruction(&bench.kernels, format) else {
        let reason = format!("no tensor-core kernel in {} for this GPU", format.name());
        return Err(DeviceError::Unsupported { reason });
    };
    let (unit, blocks_each, shared) = match instruction {
        Instruction::Wmma => ("wmma_sm70", 4, 0),
        Instruction::Mma { unit } => (unit, 2, 0),
        Instruction::Wgmma => ("wgmma_sm90a", 1, WGMMA_SHARED),
    };
    let function = bench.kernels.function(unit, name)?;
    if shared > 0 {
        function.allow_shared(shared)?;
    }
    let grid = Grid { shared, ..bench.grid(blocks_each, THREADS) };
    let (first_bytes, all_bytes) = instruction.operand_bytes();
    let input = bench.input(format, all_bytes)?.at(0);
    let out = bench.output(grid.all_threads() * instruction.words_per_thread() * 4)?.at(0);
    let arguments = vec![
        Argument::Wide(input),
        Argument::Wide(input + first_bytes),
        Argument::Wide(out),
        Argument::Word(LOOPS),
    ];
    // SAFETY: (a, b, out, loops); the input holds both operands and the output all accumulators.
    let launch = unsafe { Launch::new(function, grid, arguments) };
    let work = grid.all_threads() as f64 * instruction.work_per_thread(format) * f64::from(LOOPS);
    let operands = (0, first_bytes / format.bytes());
    Ok(Chain { launch, work, format, instruction, operands })
}

impl Instruction {
    /// Bytes of the first operand, and of both.
    const fn operand_bytes(self) -> (u64, u64) {
        match self {
            Self::Wmma => (512, 2 * 512),
            Self::Mma { .. } => (4 * 32 * 4, 6 * 32 * 4),
            Self::Wgmma => (64 * 128, 320 * 128),
        }
    }

    /// Accumulators that a thread stores.
    const fn words_per_thread(self) -> u64 {
        match self {
            Self::Wmma => 8,
            Self::Mma { .. } => 4,
            Self::Wgmma => 128,
        }
    }

    /// Multiply-adds into one stored number, a loop.
    const fn per_loop(self) -> u64 {
        match self {
            Self::Wmma => WMMA_PER_LOOP,
            Self::Mma { .. } => MMA_PER_LOOP,
            Self::Wgmma => 1,
        }
    }

    /// Summed side of what one loop multiplies.
    const fn depth(self, format: Format) -> u64 {
        match self {
            Self::Wmma => 16,
            Self::Mma { .. } => 32 / format.bytes(),
            Self::Wgmma => 128 / format.bytes(),
        }
    }

    /// Operations of one thread, a loop: its stored numbers are what it computes.
    fn work_per_thread(self, format: Format) -> f64 {
        2.0 * (self.words_per_thread() * self.depth(format) * self.per_loop()) as f64
    }

    /// Row and column of a stored number: `word` in a warp's (a warp group's) part of the output.
    fn place(self, word: u64) -> (u64, u64) {
        match self {
            Self::Wmma => (word / 16, word % 16),
            Self::Mma { .. } => {
                let (register, lane) = (word / 32, word % 32);
                (lane / 4 + 8 * (register / 2), lane % 4 * 2 + register % 2)
            }
            Self::Wgmma => {
                let (register, thread) = (word / 128, word % 128);
                let row = thread / 32 * 16 + thread % 32 / 4 + 8 * (register / 2 % 2);
                (row, register / 4 * 8 + thread % 4 * 2 + register % 2)
            }
        }
    }

    /// Index of `a[row][k]` in the first operand.
    fn first(self, format: Format, row: u64, k: u64) -> u64 {
        match self {
            Self::Wmma => row * 16 + k,
            Self::Mma { .. } => {
                let each = 4 / format.bytes();
                let (high, lane_k) = (k / (4 * each), k % (4 * each));
                let (register, lane) = (row / 8 + 2 * high, row % 8 * 4 + lane_k / each);
                (register * 32 + lane) * each + lane_k % each
            }
            Self::Wgmma => row * self.depth(format) + k,
        }
    }

    /// Index of `b[k][col]` in the second operand.
    fn second(self, format: Format, k: u64, col: u64) -> u64 {
        match self {
            Self::Wmma => k * 16 + col,
            Self::Mma { .. } => {
                let each = 4 / format.bytes();
                let (register, lane_k) = (k / (4 * each), k % (4 * each));
                (register * 32 + col * 4 + lane_k / each) * each + lane_k % each
            }
            Self::Wgmma => col * self.depth(format) + k,
        }
    }
}

impl Chain {
    /// Runs a short chain and compares what one warp (one warp group) stored with the host's product.
    ///
    /// # Errors
    /// [`DeviceError::WrongResult`], or the driver's failure.
    pub fn check(&self, bench: &mut Bench) -> Result<(), DeviceError> {
        bench.clear_output()?;
        let mut short = self.launch.clone();
        short.set(3, Argument::Word(LOOPS_CHECKED));
        short.queue(&bench.stream)?;
        let group = if self.instruction == Instruction::Wgmma { 128 } else { 32 };
        let count = self.instruction.words_per_thread() * group;
        let depth = self.instruction.depth(self.format);
        let sums = f64::from(LOOPS_CHECKED) * self.instruction.per_loop() as f64;
        let deviation = if self.format == Format::Int8 { 32.0 * 32.0 } else { 1.0 };
        let tolerance = 0.02 * (depth as f64).sqrt() * deviation * sums;
        // All of a warp's numbers; of a warp group's many, a stride that meets every row, column and thread.
        let stride = if self.instruction == Instruction::Wgmma { 31 } else { 1 };
        for word in (0..count).step_by(stride) {
            let bytes = bench.output_bytes(word * 4, 4)?;
            let bits = words(&bytes).next().unwrap_or(0);
            let (row, col) = self.instruction.place(word);
            let expected = sums * self.product(row, col);
            let exact = self.format == Format::Int8;
            let found = if exact { f64::from(bits as i32) } else { f64::from(f32::from_bits(bits)) };
            agree(expected, found, if exact { 0.0 } else { tolerance })?;
        }
        Ok(())
    }

    fn product(&self, row: u64, col: u64) -> f64 {
        let generator = Bench::generator(self.format);
        let value = |index| generator.stored(self.format, index);
        let term = |k| {
            let a = self.operands.0 + self.instruction.first(self.format, row, k);
            let b = self.operands.1 + self.instruction.second(self.format, k, col);
            value(a) * value(b)
        };
        (0..self.instruction.depth(self.format)).map(term).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const MMA: Instruction = Instruction::Mma { unit: "mma_sm80" };

    #[test]
    fn operands_and_results_fill_their_places_once() {
        let cases = [
            (Instruction::Wmma, Format::Fp16, 16, 16, 16),
            (MMA, Format::Fp16, 16, 8, 16),
            (MMA, Format::Tf32, 16, 8, 8),
            (MMA, Format::Int8, 16, 8, 32),
            (Instruction::Wgmma, Format::Bf16, 64, 256, 64),
            (Instruction::Wgmma, Format::Fp8, 64, 256, 128),
        ];
        for (instruction, format, m, n, k) in cases {
            assert_eq!(instruction.depth(format), k);
            let (first_bytes, all_bytes) = instruction.operand_bytes();
            assert_eq!(first_bytes, m * k * format.bytes());
            assert_eq!(all_bytes - first_bytes, n * k * format.bytes());
            let pairs = |rows: u64, cols: u64| (0..rows).flat_map(move |r| (0..cols).map(move |c| (r, c)));
            let a: BTreeSet<u64> = pairs(m, k).map(|(r, c)| instruction.first(format, r, c)).collect();
            assert_eq!(a, (0..m * k).collect());
            let b: BTreeSet<u64> = pairs(k, n).map(|(r, c)| instruction.second(format, r, c)).collect();
            assert_eq!(b, (0..n * k).collect());
            let c: BTreeSet<(u64, u64)> = (0..m * n).map(|word| instruction.place(word)).collect();
            assert_eq!(c, pairs(m, n).collect());
        }
    }

    #[test]
    fn work_is_two_m_n_k_per_group() {
        // A warp of 32 threads: 16 x 8 x 16, 32 times a loop.
        assert_eq!(32.0 * MMA.work_per_thread(Format::Bf16), 2.0 * 16.0 * 8.0 * 16.0 * 32.0);
        assert_eq!(32.0 * Instruction::Wmma.work_per_thread(Format::Fp16), 2.0 * 4096.0 * 16.0);
        assert_eq!(128.0 * Instruction::Wgmma.work_per_thread(Format::Bf16), 2.0 * 64.0 * 256.0 * 64.0);
    }
}
