//! Device memory without memory: what each range holds is a description, and numbers are made when they are read.

use std::collections::BTreeMap;

use crate::numbers::{Kind, Sequence, half, half_value};

/// What a range of device memory holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// Bytes, and zeros after them.
    Bytes(Vec<u8>),
    /// Generated data.
    Generated(Sequence),
    /// One float again and again.
    Constant(f32),
    /// a + scalar * b.
    Triad { a: Sequence, b: Sequence, scalar: f32 },
    /// x = 1 - x, `steps` times, from generated floats; pairs of FP16 take two.
    Chain { start: Sequence, kind: Kind, steps: u64 },
    /// What an intensity kernel leaves.
    Swept { data: Sequence, fma: u64, count: u64, threads: u64 },
    /// Sums of a product of fragments.
    Fragments { shape: Fragment, a: Sequence, b: Sequence, sums: u64 },
    /// A row-major product; strides of row and k in `a`, of k and column in `b`.
    Product {
        a: Sequence,
        b: Sequence,
        n: u64,
        k: u64,
        a_strides: (u64, u64),
        b_strides: (u64, u64),
        result: Kind,
    },
}

/// How fragments of a matrix instruction lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fragment {
    Wmma,
    Mma,
    Wgmma,
}

fn chain<T: Copy + PartialEq>(start: T, steps: u64, step: impl Fn(T) -> T) -> T {
    let (mut x, mut left) = (start, steps);
    while left > 0 {
        let next = step(x);
        left -= 1;
        // Two steps later the same: only the parity of what is left matters.
        if step(next) == x {
            return if left.is_multiple_of(2) { next } else { x };
        }
        x = next;
    }
    x
}

impl Content {
    /// Bytes of one element.
    fn element_bytes(&self) -> u64 {
        match self {
            Content::Bytes(_) => 1,
            Content::Generated(s) => s.kind.bytes(),
            Content::Chain { kind: Kind::F64, .. } => 8,
            Content::Product { result, .. } => result.bytes(),
            _ => 4,
        }
    }

    /// One element.
    fn element(&self, i: u64) -> Vec<u8> {
        let float = |x: f32| x.to_le_bytes().to_vec();
        match self {
            Content::Bytes(bytes) => vec![bytes.get(i as usize).copied().unwrap_or(0)],
            Content::Generated(s) => s.kind.encode(f64::from(s.raw(i))),
            Content::Constant(value) => float(*value),
            Content::Triad { a, b, scalar } => float(scalar.mul_add(b.raw(i), a.raw(i))),
            Content::Chain { start, kind, steps } => match kind {
                Kind::F64 => chain(f64::from(start.raw(i)), *steps, |x| 1.0 - x).to_le_bytes().to_vec(),
                Kind::F16 => {
                    let one = |j| chain(half(f64::from(start.raw(j))), *steps, |x| half(1.0 - half_value(x)));
                    [one(2 * i).to_le_bytes(), one(2 * i + 1).to_le_bytes()].concat()
                }
                _ => float(chain(start.raw(i), *steps, |x| 1.0 - x)),
            },
            Content::Swept { data, fma, count, threads } => float(swept(data, *fma, *count, i, *threads)),
            Content::Fragments { shape, a, b, sums } => {
                let value = *sums as f64 * fragment(*shape, a, b, i);
                if a.kind == Kind::S8 { (value as i32).to_le_bytes().to_vec() } else { float(value as f32) }
            }
            Content::Product { a, b, n, k, a_strides, b_strides, result } => {
                let (row, col) = (i / n, i % n);
                let term = |at: u64| {
                    a.stored(row * a_strides.0 + at * a_strides.1)
                        * b.stored(at * b_strides.0 + col * b_strides.1)
                };
                result.encode((0..*k).map(term).sum())
            }
        }
    }

    /// Fills `to` with what lies from byte `offset` on. Of a read above 64 KiB only the first, a middle and the last part
    /// are made: nobody checks more, and a gigabyte takes long.
    pub fn read(&self, offset: u64, to: &mut [u8]) {
        const PART: usize = 4096;
        const WHOLE: usize = 65_536;
        let length = to.len();
        let ends = [(0, PART), (length / 2 / PART * PART, PART), (length.saturating_sub(PART), PART)];
        let parts = if length <= WHOLE { &[(0, WHOLE)][..] } else { &ends[..] };
        for &(start, size) in parts {
            let end = (start + size).min(length);
            let each = self.element_bytes();
            let mut at = start as u64 + offset;
            while at < end as u64 + offset {
                let (element, skip) = (at / each, at % each);
                for byte in &self.element(element)[skip as usize..] {
                    if at < end as u64 + offset {
                        to[(at - offset) as usize] = *byte;
                        at += 1;
                    }
                }
            }
        }
    }
}

/// Eight chains over the elements of one thread, summed.
fn swept(data: &Sequence, fma: u64, count: u64, thread: u64, threads: u64) -> f32 {
    let mut x = [0f32; 8];
    let mut i = thread;
    while i < count {
        for (lane, x) in x.iter_mut().enumerate() {
            let word = if lane < 4 { i } else { i + threads };
            let element = if word < count { data.raw(word * 4 + lane as u64 % 4) } else { 0.0 };
            *x = chain(element - *x, fma - 1, |x| 1.0 - x);
        }
        i += 2 * threads;
    }
    ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))
}

/// Element `i` of what a warp, or a warp group, stores of one product.
fn fragment(shape: Fragment, a: &Sequence, b: &Sequence, i: u64) -> f64 {
    let per_word = 4 / a.kind.bytes();
    match shape {
        Fragment::Wmma => {
            let (row, col) = (i % 256 / 16, i % 16);
            (0..16).map(|k| a.stored(row * 16 + k) * b.stored(k * 16 + col)).sum()
        }
        Fragment::Mma => {
            let (register, lane) = (i / 32 % 4, i % 32);
            let (row, col) = (lane / 4 + register / 2 * 8, lane % 4 * 2 + register % 2);
            let mut sum = 0.0;
            // Registers hold K in halves; within one, four lanes hold neighbouring words.
            for (half, quad, part) in triples(2, 4, per_word) {
                let a_word = (row / 8 + half * 2) * 32 + row % 8 * 4 + quad;
                let b_word = half * 32 + col * 4 + quad;
                sum += a.stored(a_word * per_word + part) * b.stored(b_word * per_word + part);
            }
            sum
        }
        Fragment::Wgmma => {
            let depth = 128 / a.kind.bytes();
            let (register, thread) = (i / 128 % 128, i % 128);
            let row = thread / 32 * 16 + thread % 32 / 4 + if register & 2 == 0 { 0 } else { 8 };
            let col = register / 4 * 8 + thread % 4 * 2 + (register & 1);
            (0..depth).map(|k| a.stored(row * depth + k) * b.stored(col * depth + k)).sum()
        }
    }
}

fn triples(a: u64, b: u64, c: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    (0..a * b * c).map(move |i| (i / (b * c), i / c % b, i % c))
}

/// Allocations, and what was last written where.
#[derive(Default)]
pub struct Memory {
    allocations: BTreeMap<u64, u64>,
    written: BTreeMap<u64, (u64, Content)>,
    next: u64,
    /// Bytes allocated.
    pub used: u64,
}

impl Memory {
    /// Takes bytes and gives their address.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let address = self.next.max(1 << 32);
        self.next = (address + bytes).next_multiple_of(1 << 20) + (1 << 20);
        self.allocations.insert(address, bytes);
        self.used += bytes;
        address
    }

    /// Gives them back; false for an address that was not given out.
    pub fn free(&mut self, address: u64) -> bool {
        let Some(bytes) = self.allocations.remove(&address) else { return false };
        self.used -= bytes;
        self.written.retain(|&start, _| start < address || start >= address + bytes);
        true
    }

    /// True when the range lies in one allocation.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        let below = self.allocations.range(..=address).next_back();
        below.is_some_and(|(&start, &size)| address + bytes <= start + size)
    }

    /// Replaces what a range holds.
    pub fn write(&mut self, address: u64, bytes: u64, content: Content) {
        let inside: Vec<u64> =
            self.written.range(address..address + bytes.max(1)).map(|(&start, _)| start).collect();
        for start in inside {
            self.written.remove(&start);
        }
        self.written.insert(address, (bytes, content));
    }

    /// What lies at an address, and how far into it the address is.
    pub fn at(&self, address: u64) -> Option<(&Content, u64)> {
        let (&start, (bytes, content)) = self.written.range(..=address).next_back()?;
        (address < start + bytes).then_some((content, address - start))
    }

    /// Generated data that start at an address.
    pub fn sequence(&self, address: u64) -> Option<Sequence> {
        match self.at(address)? {
            (Content::Generated(s), offset) => {
                Some(Sequence { base: s.base + offset / s.kind.bytes(), ..*s })
            }
            _ => None,
        }
    }
}
