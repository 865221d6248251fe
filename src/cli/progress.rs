//! A line of progress on standard error, where that is a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts up on one line that is overwritten; silent where nobody watches.
#[derive(Debug)]
pub struct Counter {
    what: &'static str,
    shown: bool,
    most: AtomicUsize,
}

impl Counter {
    /// A counter of `what`.
    pub fn new(what: &'static str, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        Self { what, shown, most: AtomicUsize::new(0) }
    }

    /// Shows how many of how many are done; an older count that comes late is dropped.
    pub fn show(&self, done: usize, all: usize) {
        if self.shown && self.most.fetch_max(done, Ordering::Relaxed) < done {
            let _ = write!(std::io::stderr().lock(), "\r{done} of {all} {}", self.what);
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.shown && self.most.load(Ordering::Relaxed) > 0 {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
