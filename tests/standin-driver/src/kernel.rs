//! What each kernel does to memory, and how long it takes on the imagined GPU.

use std::ffi::c_void;

use crate::content::{Content, Fragment, Memory};
use crate::numbers::{Kind, Sequence, fold};
use crate::speed::Speed;

/// A launch as the driver sees it.
pub struct Call<'a> {
    pub name: &'a str,
    pub threads: u64,
    pub parameters: *mut *mut c_void,
}

impl Call<'_> {
    fn read<T: Copy>(&self, place: usize) -> T {
        // SAFETY: the caller of `cuLaunchKernel` gives one pointer per parameter of the kernel.
        unsafe { (*self.parameters.add(place)).cast::<T>().read_unaligned() }
    }

    fn wide(&self, place: usize) -> u64 {
        self.read(place)
    }

    fn word(&self, place: usize) -> u64 {
        u64::from(self.read::<u32>(place))
    }

    fn float(&self, place: usize) -> f32 {
        self.read(place)
    }
}

/// Error of a kernel that touches what is not allocated.
pub const ILLEGAL_ADDRESS: u32 = 700;

/// Runs a kernel: changes memory, gives seconds. `wrong` makes copies wrong.
pub fn run(call: &Call<'_>, memory: &mut Memory, speed: &Speed, wrong: bool) -> Result<f64, u32> {
    let name = call.name;
    match name {
        "empty" => Ok(0.0),
        _ if name.starts_with("fill_") => fill(call, memory, speed),
        _ if name.starts_with("stream_") => stream(call, memory, speed, wrong),
        "l2_read" => {
            let (input, out, count, passes) = (call.wide(0), call.wide(1), call.wide(2), call.word(3));
            within(memory, input, count * 16)?;
            within(memory, out, call.threads * 4)?;
            leave_fold(memory, input, out, count, call.threads);
            Ok((count * 16 * passes) as f64 / speed.l2)
        }
        _ if name.starts_with("verify_") || name == "expected_bits" => verify(call, memory, speed),
        _ if name.starts_with("fma_") => fma(call, memory, speed),
        _ if name.starts_with("intensity_") => intensity(call, memory, speed),
        _ if name.starts_with("wmma_") || name.starts_with("mma_") || name.starts_with("wgmma_") => {
            matrix(call, memory, speed)
        }
        _ if name.starts_with("gemm_") => gemm(call, memory, speed),
        _ => Err(ILLEGAL_ADDRESS),
    }
}

fn within(memory: &Memory, address: u64, bytes: u64) -> Result<(), u32> {
    if memory.holds(address, bytes) { Ok(()) } else { Err(ILLEGAL_ADDRESS) }
}

fn sequence(memory: &Memory, address: u64) -> Result<Sequence, u32> {
    memory.sequence(address).ok_or(ILLEGAL_ADDRESS)
}

fn fill(call: &Call<'_>, memory: &mut Memory, speed: &Speed) -> Result<f64, u32> {
    let kind = match call.name {
        "fill_f64" => Kind::F64,
        "fill_f32" => Kind::F32,
        "fill_f16" => Kind::F16,
        "fill_bf16" => Kind::Bf16,
        "fill_e4m3" => Kind::E4m3,
        _ => Kind::S8,
    };
    let (out, count, seed, unit) = (call.wide(0), call.wide(1), call.wide(2), call.float(3));
    let bytes = count * kind.bytes();
    within(memory, out, bytes)?;
    memory.write(out, bytes, Content::Generated(Sequence { kind, seed, unit, base: 0 }));
    Ok(bytes as f64 / speed.dram)
}

fn leave_fold(memory: &mut Memory, input: u64, out: u64, count: u64, threads: u64) {
    let folded = memory.sequence(input).map_or(0, |s| fold(s.seed, s.base, count * 4));
    memory.write(out, threads * 4, Content::Bytes(folded.to_le_bytes().to_vec()));
}

fn stream(call: &Call<'_>, memory: &mut Memory, speed: &Speed, wrong: bool) -> Result<f64, u32> {
    let time =
        |count: u64, arrays: u64| (count * 16 * arrays) as f64 / speed.dram * speed.shape(call.threads);
    match call.name {
        "stream_read" => {
            let (input, out, count) = (call.wide(0), call.wide(1), call.wide(2));
            within(memory, input, count * 16)?;
            within(memory, out, call.threads * 4)?;
            leave_fold(memory, input, out, count, call.threads);
            Ok(time(count, 1))
        }
        "stream_copy" => {
            let (input, out, count) = (call.wide(0), call.wide(1), call.wide(2));
            within(memory, input, count * 16)?;
            within(memory, out, count * 16)?;
            let mut data = sequence(memory, input)?;
            data.base += u64::from(wrong);
            memory.write(out, count * 16, Content::Generated(data));
            Ok(time(count, 2))
        }
        "stream_triad" => {
            let (a, b, out, count) = (call.wide(0), call.wide(1), call.wide(2), call.wide(3));
            [a, b, out].into_iter().try_for_each(|at| within(memory, at, count * 16))?;
            let (a, b) = (sequence(memory, a)?, sequence(memory, b)?);
            memory.write(out, count * 16, Content::Triad { a, b, scalar: call.float(4) });
            Ok(time(count, 3))
        }
        _ => {
            let (out, count) = (call.wide(0), call.wide(1));
            within(memory, out, count * 16)?;
            memory.write(out, count * 16, Content::Constant(call.float(2)));
            Ok(time(count, 1))
        }
    }
}

fn verify(call: &Call<'_>, memory: &mut Memory, speed: &Speed) -> Result<f64, u32> {
    let float = |base: u64, seed: u64, unit: f32| Sequence { kind: Kind::F32, seed, unit, base };
    let (counter, count, value) = match call.name {
        "expected_bits" => {
            let count = call.wide(1);
            (call.wide(0), count, u64::from(fold(call.wide(3), call.wide(2), count)))
        }
        "verify_f32" => {
            let want = float(call.wide(3), call.wide(4), call.float(5));
            let right = match memory.at(call.wide(0)) {
                Some((Content::Generated(_), _)) => memory.sequence(call.wide(0)) == Some(want),
                Some((content @ Content::Bytes(_), offset)) => {
                    let mut first = [0; 1024];
                    content.read(offset, &mut first);
                    let mut expected = [0; 1024];
                    Content::Generated(want).read(0, &mut expected);
                    first == expected
                }
                _ => false,
            };
            (call.wide(1), call.wide(2), if right { 0 } else { call.wide(2) })
        }
        "verify_triad" => {
            let (seed, unit) = (call.wide(5), call.float(6));
            let want = (float(call.wide(3), seed, unit), float(call.wide(4), seed, unit), call.float(7));
            let right = match memory.at(call.wide(0)) {
                Some((Content::Triad { a, b, scalar }, 0)) => (*a, *b, *scalar) == want,
                _ => false,
            };
            (call.wide(1), call.wide(2), if right { 0 } else { call.wide(2) })
        }
        _ => {
            let right =
                matches!(memory.at(call.wide(0)), Some((Content::Constant(v), _)) if *v == call.float(3));
            (call.wide(1), call.wide(2), if right { 0 } else { call.wide(2) })
        }
    };
    within(memory, counter, 8)?;
    memory.write(counter, 8, Content::Bytes(value.to_le_bytes().to_vec()));
    Ok(count as f64 * 4.0 / speed.dram)
}

fn fma(call: &Call<'_>, memory: &mut Memory, speed: &Speed) -> Result<f64, u32> {
    let (kind, bytes, rate) = match call.name {
        "fma_f64" => (Kind::F64, 8, speed.fp64),
        "fma_f16x2" => (Kind::F16, 4, speed.fp32 * 4.0),
        _ => (Kind::F32, 4, speed.fp32),
    };
    let (out, loops, seed, unit) = (call.wide(0), call.word(1), call.wide(2), call.float(3));
    let (chains, steps) = (call.threads * 8, loops * 16);
    within(memory, out, chains * bytes)?;
    let start = Sequence { kind: Kind::F32, seed, unit, base: 0 };
    memory.write(out, chains * bytes, Content::Chain { start, kind, steps });
    let pairs = if kind == Kind::F16 { 2.0 } else { 1.0 };
    Ok(2.0 * pairs * (chains * steps) as f64 / rate)
}

fn intensity(call: &Call<'_>, memory: &mut Memory, speed: &Speed) -> Result<f64, u32> {
    let fma: u64 = call.name.trim_start_matches("intensity_").parse().map_err(|_| ILLEGAL_ADDRESS)?;
    let (input, out, count) = (call.wide(0), call.wide(1), call.wide(2));
    within(memory, input, count * 16)?;
    within(memory, out, call.threads * 4)?;
    let data = sequence(memory, input)?;
    memory.write(out, call.threads * 4, Content::Swept { data, fma, count, threads: call.threads });
    let work = (count * 4 * fma * 2) as f64 / speed.fp32;
    let moved = (count * 16) as f64 / speed.dram;
    Ok((work.powf(4.0) + moved.powf(4.0)).powf(0.25))
}

fn matrix(call: &Call<'_>, memory: &mut Memory, speed: &Speed) -> Result<f64, u32> {
    let (a, b, out, loops) = (call.wide(0), call.wide(1), call.wide(2), call.word(3));
    let (shape, words, per_loop) = match call.name.split('_').next() {
        Some("wmma") => (Fragment::Wmma, 8, 16),
        Some("mma") => (Fragment::Mma, 4, 32),
        _ => (Fragment::Wgmma, 128, 1),
    };
    within(memory, out, call.threads * words * 4)?;
    let (a, b) = (sequence(memory, a)?, sequence(memory, b)?);
    let depth = match shape {
        Fragment::Wmma => 16,
        Fragment::Mma => 32 / a.kind.bytes(),
        Fragment::Wgmma => 128 / a.kind.bytes(),
    };
    let content = Content::Fragments { shape, a, b, sums: loops * per_loop };
    memory.write(out, call.threads * words * 4, content);
    let work = 2.0 * (call.threads * words * depth * per_loop * loops) as f64;
    Ok(work / (speed.matrix * 2.0 / a.kind.bytes() as f64))
}

fn gemm(call: &Call<'_>, memory: &mut Memory, speed: &Speed) -> Result<f64, u32> {
    let (a_at, b_at, out) = (call.wide(0), call.wide(1), call.wide(2));
    let (m, n, k) = (call.word(3), call.word(4), call.word(5));
    let (a, b) = (sequence(memory, a_at)?, sequence(memory, b_at)?);
    let (a_strides, b_strides) = if call.name == "gemm_f32" {
        ((call.word(6), call.word(7)), (call.word(8), call.word(9)))
    } else {
        let transposed_a = call.name.ends_with("tn");
        let transposed_b = call.name.ends_with("nt");
        (if transposed_a { (1, m) } else { (k, 1) }, if transposed_b { (1, k) } else { (n, 1) })
    };
    let bytes = a.kind.bytes();
    for (at, elements) in [(a_at, m * k), (b_at, k * n), (out, m * n)] {
        within(memory, at, elements * bytes)?;
    }
    memory.write(out, m * n * bytes, Content::Product { a, b, n, k, a_strides, b_strides, result: a.kind });
    let rate = if call.name == "gemm_f32" { speed.fp32 } else { speed.matrix * 2.0 / bytes as f64 };
    let (m, n, k) = (m as f64, n as f64, k as f64);
    let work = 2.0 * m * n * k / (0.8 * rate) * (1.0 + 64.0 / m) * (1.0 + 64.0 / n) * (1.0 + 128.0 / k);
    let moved = (m * k + k * n + m * n) * bytes as f64 / speed.dram;
    Ok(work.max(moved))
}
