//! Threads that stand for multiprocessors: one execution is one parallel region, its start the launch.

use std::time::Instant;

use rayon::prelude::*;

/// Runs `execution` so many times inside a pool; seconds.
pub(super) fn timed(
    pool: Option<&rayon::ThreadPool>,
    repetitions: u64,
    mut execution: impl FnMut() + Send,
) -> f64 {
    let mut all = || {
        let start = Instant::now();
        (0..repetitions).for_each(|_| execution());
        start.elapsed().as_secs_f64()
    };
    match pool {
        Some(pool) => pool.install(all),
        None => all(),
    }
}

/// Parallel regions that do nothing but wake every thread; seconds.
pub(super) fn wake_ups(pool: Option<&rayon::ThreadPool>, repetitions: u64, threads: usize) -> f64 {
    timed(pool, repetitions, || {
        (0..threads).into_par_iter().with_max_len(1).for_each(|i| {
            std::hint::black_box(i);
        });
    })
}
