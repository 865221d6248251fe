//! Lines of single iterations, or of means over a few, with the time that each took and the part of it that waited for data:
//! `iter: 19  time: 0.1136  data_time: 0.0048`, `time: 0.23 (0.25)  data: 0.01`, or one JSON object a line.

use super::{lines, number};

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Iteration {
    /// Seconds it took.
    pub seconds: f64,
    /// Seconds of them that waited for data.
    pub waiting: f64,
}

impl Iteration {
    /// Share that waited for data; `None` where that cannot be a part.
    pub fn share(&self) -> Option<f64> {
        Some(self.waiting / self.seconds).filter(|share| (0.0..=1.0).contains(share))
    }
}

/// Marks of lines that are not of training.
const OTHERWISE: [&str; 5] = ["(val)", "(test)", "Test:", "\"mode\": \"val\"", "\"mode\": \"test\""];

/// All iterations of training, in the order of the log.
pub(super) fn all(text: &str) -> Vec<Iteration> {
    lines(text).filter(|line| !OTHERWISE.iter().any(|mark| line.contains(mark))).filter_map(one).collect()
}

fn one(line: &str) -> Option<Iteration> {
    let seconds = keyed(line, &["time", "iter_time"]).filter(|&s| s > 0.0)?;
    Some(Iteration { seconds, waiting: keyed(line, &["data_time", "data"])? })
}

/// The number after `key:` for one of the keys, which stands alone as a word.
fn keyed(line: &str, keys: &[&str]) -> Option<f64> {
    line.match_indices(':').find_map(|(at, _)| {
        let before = line[..at].trim_end_matches(['"', '\'']);
        let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |i| i + 1);
        let after = &line[at + 1..];
        let zero = || after.trim_start_matches([' ', '"', '\'']).starts_with("0.0").then_some(0.0);
        keys.contains(&&before[start..]).then(|| number(after).or_else(zero)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_waits_are_read_from_lines_of_several_tools() {
        let of = |line: &str| all(line).first().map(|i| (i.seconds, i.waiting));
        for line in [
            "2026/08/22 15:51:56 - tool - INFO - Epoch(train) [1][20/1563]  lr: 1.0e-03  eta: 0:11:29  time: 0.25  \
             data_time: 0.05  memory: 392  loss: 2.7",
            "2026-08-22 15:51:56 - INFO - Epoch [1][20/1563]\tlr: 1.000e-03, eta: 0:11:29, time: 0.25, data_time: 0.05, \
             memory: 392, loss: 2.7",
            "[11/14 20:41:39 d2.utils.events]:  eta: 0:01:51  iter: 19  total_loss: 1.589  time: 0.25  data_time: 0.05  \
             lr: 4.9e-06  max_mem: 2030M",
            "Epoch: [0]  [  10/1250]  eta: 0:05:12  lr: 0.1  loss: 6.9 (6.9)  time: 0.25 (0.31)  data: 0.05 (0.11)  max \
             mem: 8000",
            "epoch: 1/300, iter: 10/14786, mem: 584Mb, iter_time: 0.25s, data_time: 0.05s, total_loss: 14.6, ETA: 11 days",
            "{\"lr\": 0.001, \"data_time\": 0.05, \"loss\": 5.3, \"epoch\": 1, \"iter\": 10, \"time\": 0.25, \"step\": 10}",
        ] {
            assert_eq!(of(line), Some((0.25, 0.05)), "{line}");
        }
        // Validation is not training; a line without the wait may be of anything.
        assert_eq!(of("Epoch(val) [2][50/1843]  eta: 0:01:45  time: 0.0588  data_time: 0.0022"), None);
        assert_eq!(of("Test:  [ 0/100]  eta: 0:00:50  time: 0.5  data: 0.4  max mem: 8000"), None);
        assert_eq!(of("time: 0.25"), None);
        assert_eq!(of("iter: 1 time: 0.25 data_time: 0.0000"), Some((0.25, 0.0)));
    }

    #[test]
    fn a_wait_longer_than_the_iteration_is_no_share() {
        assert_eq!(Iteration { seconds: 0.5, waiting: 0.1 }.share(), Some(0.2));
        assert_eq!(Iteration { seconds: 0.5, waiting: 0.6 }.share(), None);
    }
}
