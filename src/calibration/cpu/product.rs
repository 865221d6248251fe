//! Single-precision products of the host, through a library that picks its kernel by instruction set.

use rayon::prelude::*;

use super::super::measurement::{Layout, Shape};
use super::streams::Workers;
use super::threads::timed;
use crate::numeric::Random;

/// The operands of one product, row-major.
#[derive(Debug)]
pub(super) struct Operands {
    shape: Shape,
    layout: Layout,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
}

impl Operands {
    /// The operands at hand when they fit, else new ones.
    pub fn reuse(old: Option<Self>, shape: Shape, layout: Layout) -> Self {
        if let Some(old) = old
            && (old.shape, old.layout) == (shape, layout)
        {
            return old;
        }
        let [m, n, k] = [shape.m, shape.n, shape.k].map(|s| s as usize);
        let mut random = Random::new(3);
        let mut normals = |count: usize| -> Vec<f32> {
            let block: Vec<f32> = (0..4099).map(|_| random.normal() as f32).collect();
            block.iter().copied().cycle().take(count).collect()
        };
        Self { shape, layout, a: normals(m * k), b: normals(k * n), c: vec![0.0; m * n] }
    }

    /// Row and column strides of both operands.
    const fn strides(&self) -> [usize; 4] {
        let Shape { m, n, k } = self.shape;
        let (m, n, k) = (m as usize, n as usize, k as usize);
        match self.layout {
            Layout::Nn => [k, 1, n, 1],
            Layout::Nt => [k, 1, 1, k],
            Layout::Tn => [1, m, n, 1],
        }
    }

    /// Computes the product so many times, its rows shared by the threads; seconds.
    pub fn run(&mut self, repetitions: u64, workers: Workers<'_>) -> f64 {
        let [a_row, a_column, b_row, b_column] = self.strides();
        let [m, n, k] = [self.shape.m, self.shape.n, self.shape.k].map(|s| s as usize);
        let rows = m.div_ceil(workers.count).max(1);
        let (a, b) = (&self.a, &self.b);
        assert!(a.len() >= m * k && b.len() >= k * n && self.c.len() >= m * n, "operands match the shape");
        let c = &mut self.c;
        let block = |(place, part): (usize, &mut [f32])| {
            let from = &a[place * rows * a_row..];
            #[expect(unsafe_code, reason = "the library takes pointers; lengths are checked above")]
            // SAFETY: strides and sides describe `a`, `b` and this block of rows of `c`, whose lengths the assertion
            // above compared with the sides; `c` is divided into blocks that do not overlap.
            unsafe {
                matrixmultiply::sgemm(
                    part.len() / n,
                    k,
                    n,
                    1.0,
                    from.as_ptr(),
                    a_row as isize,
                    a_column as isize,
                    b.as_ptr(),
                    b_row as isize,
                    b_column as isize,
                    0.0,
                    part.as_mut_ptr(),
                    n as isize,
                    1,
                );
            }
        };
        timed(workers.pool, repetitions, || c.par_chunks_mut(rows * n).enumerate().for_each(block))
    }

    /// One element of the last product, and its value in double precision.
    pub fn known(&self) -> (f64, f64) {
        let [a_row, a_column, b_row, b_column] = self.strides();
        let [m, n, k] = [self.shape.m, self.shape.n, self.shape.k].map(|s| s as usize);
        let (i, j) = (m - 1, n / 2);
        let term = |l: usize| {
            f64::from(self.a[i * a_row + l * a_column]) * f64::from(self.b[l * b_row + j * b_column])
        };
        (f64::from(self.c[i * n + j]), (0..k).map(term).sum())
    }
}
