//! The speed of a training run from the log that its software wrote.
//!
//! Three line formats are read, by the words they use: an iteration time in milliseconds (`elapsed time per iteration
//! (ms): 9800.1`), samples per second (`CurrSamplesPerSec=41.2`), tokens per second (`throughput/tokens_per_sec:
//! 41000`). The median of the values counts, without the first tenth of them and at least the first, which start-up
//! slows.

/// What a log says about speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LogSpeed {
    /// Seconds of one step.
    StepSeconds(f64),
    /// Samples per second of all GPUs.
    SamplesPerSecond(f64),
    /// Tokens per second of all GPUs.
    TokensPerSecond(f64),
}

/// Words before a value, its factor to the unit, and what it is.
type LogFormat = (&'static str, f64, fn(f64) -> LogSpeed);

const FORMATS: [LogFormat; 3] = [
    ("elapsed time per iteration (ms):", 1e-3, LogSpeed::StepSeconds),
    ("CurrSamplesPerSec=", 1.0, LogSpeed::SamplesPerSecond),
    ("throughput/tokens_per_sec:", 1.0, LogSpeed::TokensPerSecond),
];

/// Share of the values at the head of a log that start-up slows.
const WARM_UP: usize = 10;

/// Reads a log; the second part is how many values were used.
///
/// # Errors
/// When no line has a speed, with what would be read.
///
/// ```
/// use gpu_advisor::validation::{LogSpeed, read_log};
/// let log = " iteration 1/ 9 | elapsed time per iteration (ms): 30000.0 | lm loss: 9.1\n \
///             iteration 2/ 9 | elapsed time per iteration (ms): 9800.0 | lm loss: 9.0\n \
///             iteration 3/ 9 | elapsed time per iteration (ms): 9900.0 |\n";
/// assert_eq!(read_log(log).unwrap(), (LogSpeed::StepSeconds(9.85), 2));
/// ```
pub fn read_log(text: &str) -> Result<(LogSpeed, usize), String> {
    for (words, factor, speed) in FORMATS {
        let mut values: Vec<f64> = text.lines().filter_map(|line| value_after(line, words)).collect();
        if values.is_empty() {
            continue;
        }
        let head = values.len().div_ceil(WARM_UP).min(values.len() - 1);
        values.drain(..head);
        let used = values.len();
        if let Some(median) = crate::numeric::median(values) {
            return Ok((speed(median * factor), used));
        }
    }
    let words: Vec<String> = FORMATS.iter().map(|(words, ..)| format!("{words:?}")).collect();
    Err(format!("no line has a speed; read are {}", words.join(", ")))
}

/// The positive number that follows some words in a line.
fn value_after(line: &str, words: &str) -> Option<f64> {
    let rest = line.split_once(words)?.1.trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ".eE+-".contains(c))).unwrap_or(rest.len());
    rest[..end].trim_end_matches(['.', ',']).parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_with_their_units() {
        let samples =
            "step=10 RunningAvgSamplesPerSec=38.1, CurrSamplesPerSec=40.0, MemAllocated=11.1GB\n".repeat(20);
        assert_eq!(read_log(&samples), Ok((LogSpeed::SamplesPerSecond(40.0), 18)));
        let tokens =
            "\t Train throughput/tokens_per_sec: 41000.5\n\t Train throughput/device/tokens_per_sec: 5125.1";
        assert_eq!(read_log(tokens), Ok((LogSpeed::TokensPerSecond(41_000.5), 1)));
    }

    #[test]
    fn a_log_without_a_speed_says_what_would_be_read() {
        for text in ["", "loss 3.1", "elapsed time per iteration (ms): none", "CurrSamplesPerSec=-4"] {
            assert!(read_log(text).unwrap_err().contains("elapsed time per iteration"), "{text}");
        }
    }
}
