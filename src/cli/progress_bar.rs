//! The progress of a measurement on standard error, for terminals only.

use std::io::IsTerminal as _;

use super::output::complain;
use crate::calibration::protocol::Progress;

/// Characters of the bar.
const WIDTH: usize = 30;

/// The progress of a run; silent when nobody watches.
#[derive(Debug)]
pub struct ProgressLine {
    shown: bool,
    last: String,
}

impl ProgressLine {
    /// A line that is shown when standard error is a terminal and the user wants remarks.
    pub fn new(quiet: bool) -> Self {
        Self { shown: !quiet && std::io::stderr().is_terminal(), last: String::new() }
    }

    /// Shows where a run stands.
    pub fn tell(&mut self, progress: &Progress) {
        if !self.shown {
            return;
        }
        let line = line(progress);
        if line != self.last {
            complain(&format!("\r{line}\x1b[K"));
            self.last = line;
        }
    }

    /// Removes the line.
    pub fn finish(&mut self) {
        if self.shown && !self.last.is_empty() {
            complain("\r\x1b[K");
            self.last.clear();
        }
    }
}

fn line(progress: &Progress) -> String {
    let share = progress.share.clamp(0.0, 1.0);
    let done = (share * WIDTH as f64) as usize;
    let bar: String = (0..WIDTH).map(|i| if i < done { '#' } else { '.' }).collect();
    format!("[{bar}] {:3.0} %  {}, at most {:.0} s left", share * 100.0, progress.step, progress.remaining_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_half_full_at_one_half() {
        let text = line(&Progress { step: "dram", share: 0.5, remaining_s: 21.4 });
        assert_eq!(text.matches('#').count(), WIDTH / 2);
        assert!(text.ends_with("50 %  dram, at most 21 s left"), "{text}");
    }
}
