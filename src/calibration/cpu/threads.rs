//! Work on several threads between two readings of the clock.

use std::sync::{Barrier, mpsc};
use std::time::Instant;

/// Runs each job on its own thread; seconds from the common start to the last end.
pub(super) fn timed<J: FnOnce() + Send>(jobs: Vec<J>) -> f64 {
    let barrier = Barrier::new(jobs.len() + 1);
    std::thread::scope(|scope| {
        let handles: Vec<_> = jobs
            .into_iter()
            .map(|job| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    job();
                    Instant::now()
                })
            })
            .collect();
        barrier.wait();
        let start = Instant::now();
        let ends = handles.into_iter().filter_map(|h| h.join().ok());
        ends.map(|end| end.saturating_duration_since(start).as_secs_f64()).fold(0.0, f64::max)
    })
}

/// Wakes a sleeping thread and waits for its answer, so many times; seconds.
pub(super) fn wake_ups(repetitions: u64) -> f64 {
    let (ask, asked) = mpsc::channel::<()>();
    let (answer, answered) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || while asked.recv().is_ok() && answer.send(()).is_ok() {});
        let start = Instant::now();
        for _ in 0..repetitions {
            if ask.send(()).is_err() || answered.recv().is_err() {
                break;
            }
        }
        let elapsed = start.elapsed().as_secs_f64();
        drop(ask);
        elapsed
    })
}
