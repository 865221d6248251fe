//! Streams and the intensity sweep over arrays of the host's memory.

use std::hint::black_box;

use rayon::prelude::*;

use super::super::measurement::Stream;
use super::threads::timed;
use crate::numeric::Random;

/// Bytes of an element.
const ELEMENT: usize = 4;
/// Elements worked on together: independent chains for the compiler to put into vectors.
const LANES: usize = 64;
/// Factor of the triad.
const FACTOR: f32 = 0.5;

/// Three arrays, as long as the longest item so far.
#[derive(Debug, Default)]
pub(super) struct Arrays {
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
    /// Sum of the last read.
    sum: f64,
}

/// The threads of an execution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Workers<'a> {
    pub pool: Option<&'a rayon::ThreadPool>,
    pub count: usize,
}

fn elements(bytes: u64) -> usize {
    (bytes as usize / ELEMENT).max(1)
}

fn normals(seed: u64, count: usize) -> Vec<f32> {
    // A block of random numbers, repeated: filling gigabytes by the generator would take longer than measuring.
    let mut random = Random::new(seed);
    let block: Vec<f32> = (0..8191).map(|_| random.normal() as f32).collect();
    block.iter().copied().cycle().take(count).collect()
}

impl Arrays {
    fn grow(&mut self, count: usize, arrays: usize) {
        for (place, array) in [&mut self.a, &mut self.b, &mut self.c].into_iter().enumerate().take(arrays) {
            if array.len() < count {
                *array = normals(place as u64, count);
            }
        }
    }

    /// One stream kernel over arrays of `bytes`; seconds.
    pub fn stream(&mut self, kind: Stream, bytes: u64, repetitions: u64, workers: Workers<'_>) -> f64 {
        let count = elements(bytes);
        let share = count.div_ceil(workers.count);
        self.grow(count, if kind == Stream::Triad { 3 } else { 2 });
        let (a, b, c) = (&mut self.a[..count], &self.b[..count], &self.c);
        match kind {
            Stream::Read => self.read(bytes, repetitions, workers),
            Stream::Write => timed(workers.pool, repetitions, || {
                a.par_chunks_mut(share).for_each(|to| black_box(to).fill(1.0));
            }),
            Stream::Copy => timed(workers.pool, repetitions, || {
                let pairs = a.par_chunks_mut(share).zip(b.par_chunks(share));
                pairs.for_each(|(to, from)| black_box(to).copy_from_slice(black_box(from)));
            }),
            Stream::Triad => timed(workers.pool, repetitions, || {
                let sources = b.par_chunks(share).zip(c[..count].par_chunks(share));
                a.par_chunks_mut(share).zip(sources).for_each(|(to, (b, c))| {
                    for ((to, b), c) in black_box(to).iter_mut().zip(b).zip(c) {
                        *to = b + FACTOR * c;
                    }
                });
            }),
        }
    }

    /// Reads and sums one array; seconds.
    pub fn read(&mut self, bytes: u64, repetitions: u64, workers: Workers<'_>) -> f64 {
        let count = elements(bytes);
        self.grow(count, 2);
        let share = count.div_ceil(workers.count);
        let (b, sum) = (&self.b[..count], &mut self.sum);
        timed(workers.pool, repetitions, || {
            *sum = b.par_chunks(share).map(|part| lanes(black_box(part), 0)).sum();
        })
    }

    /// Reads a set many times inside one parallel region; seconds.
    pub fn read_often(&mut self, bytes: u64, repetitions: u64, workers: Workers<'_>) -> f64 {
        let count = elements(bytes);
        self.grow(count, 2);
        let share = count.div_ceil(workers.count);
        let b = &self.b[..count];
        timed(workers.pool, 1, || {
            b.par_chunks(share).for_each(|part| {
                for _ in 0..repetitions {
                    black_box(lanes(black_box(part), 0));
                }
            });
        })
    }

    /// Reads one array and works on each element; seconds.
    pub fn sweep(&mut self, fma: u32, bytes: u64, repetitions: u64, workers: Workers<'_>) -> f64 {
        let count = elements(bytes);
        self.grow(count, 2);
        let share = count.div_ceil(workers.count);
        let b = &self.b[..count];
        timed(workers.pool, repetitions, || {
            b.par_chunks(share).for_each(|part| {
                black_box(lanes(black_box(part), fma));
            });
        })
    }

    /// A number of the last execution and what it must be.
    pub fn known(&self, kind: Stream, bytes: u64) -> (f64, f64) {
        let count = elements(bytes);
        let at = count / 2;
        match kind {
            Stream::Read => (self.sum, self.b[..count].iter().map(|x| f64::from(*x)).sum()),
            Stream::Write => (f64::from(self.a[at]), 1.0),
            Stream::Copy => (f64::from(self.a[at]), f64::from(self.b[at])),
            Stream::Triad => (f64::from(self.a[at]), f64::from(self.b[at] + FACTOR * self.c[at])),
        }
    }
}

/// Sum over all elements after `fma` steps `x = 0.5 x + 1` on each, in independent lanes.
fn lanes(part: &[f32], fma: u32) -> f64 {
    let (blocks, rest) = part.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    let mut total = 0.0_f64;
    for (place, block) in blocks.iter().enumerate() {
        let mut x = *block;
        for _ in 0..fma {
            for x in &mut x {
                *x = *x * FACTOR + 1.0;
            }
        }
        for (sum, x) in sums.iter_mut().zip(&x) {
            *sum += x;
        }
        // Single-precision sums stay short, so that they stay exact enough to check.
        if place % 64 == 63 {
            total += sums.iter().map(|s| f64::from(*s)).sum::<f64>();
            sums = [0.0; LANES];
        }
    }
    total + sums.iter().map(|s| f64::from(*s)).sum::<f64>() + rest.iter().map(|x| f64::from(*x)).sum::<f64>()
}
