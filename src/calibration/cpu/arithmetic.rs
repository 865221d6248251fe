//! Chains of multiply-adds from registers.

use std::hint::black_box;

use rayon::prelude::*;

use super::super::measurement::Format;
use super::streams::Workers;
use super::threads::timed;

/// Independent chains: enough for two vector units with the latency of a multiply and an add.
const CHAINS: usize = 64;
/// Steps of one execution.
const STEPS: usize = 20_000;

macro_rules! chain {
    ($name:ident, $number:ty) => {
        fn $name() {
            let (factor, term): ($number, $number) = black_box((0.999, 0.001));
            let mut x: [$number; CHAINS] = black_box([1.0; CHAINS]);
            for _ in 0..STEPS {
                for x in &mut x {
                    *x = *x * factor + term;
                }
            }
            black_box(x);
        }
    };
}
chain!(single, f32);
chain!(double, f64);

/// Runs chains on every thread; seconds, `None` for formats without ordinary arithmetic.
pub(super) fn chains(format: Format, repetitions: u64, workers: Workers<'_>) -> Option<f64> {
    let run = match format {
        Format::Fp32 => single,
        Format::Fp64 => double,
        _ => return None,
    };
    Some(timed(workers.pool, repetitions, || {
        (0..workers.count).into_par_iter().with_max_len(1).for_each(|_| run());
    }))
}

/// Floating-point operations of one execution on all threads.
pub(super) fn work(threads: usize) -> f64 {
    2.0 * (CHAINS * STEPS * threads) as f64
}
