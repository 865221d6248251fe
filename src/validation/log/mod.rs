//! The speed of a training run from the log that its software wrote.
//!
//! Line formats are read by the words they use: an iteration time (`elapsed time per iteration (ms): 9800.1`, or in
//! seconds; `time: 0.35  data_time: 0.01`), samples per second (`CurrSamplesPerSec=41.2`, `throughput/samples_per_sec: 41.2`), tokens per
//! second (`throughput/tokens_per_sec: 41000`), the time of an epoch (`Epoch time: 85.96 s`), the summary of a run
//! (`'train_steps_per_second': 2.9`, or a whole `trainer_state.json`), a progress bar (`20/44 [00:10<00:12,  2.00it/s`). The median of the
//! values counts, without the first tenth of them and at least the first, which start-up slows. A log that also states its batch
//! (`global batch size: 512`) says which job it is of.

mod bar;
mod iteration;
mod summary;

/// What a log says about speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LogSpeed {
    /// Seconds of one step.
    StepSeconds(f64),
    /// Samples per second of all GPUs.
    SamplesPerSecond(f64),
    /// Tokens per second of all GPUs.
    TokensPerSecond(f64),
    /// Seconds of an epoch with what surrounds its steps.
    EpochSeconds(f64),
}

/// A log that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingLog {
    /// Its speed.
    pub speed: LogSpeed,
    /// Values that the speed is the median of.
    pub used: usize,
    /// Samples of a step, where the log states them; the last ones, since a run may grow its batch.
    pub global_batch: Option<LoggedBatch>,
    /// Share of an iteration that waits for data, where the log tells it.
    pub data_share: Option<f64>,
}

/// Samples of a step as a log has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoggedBatch {
    /// Stated.
    Stated(f64),
    /// From samples and steps of a whole run, whose last batches may have been cut short.
    About(f64),
}

/// A batch that follows from a whole run is that of a job within this share.
const CUT_SHORT: f64 = 0.2;

impl LoggedBatch {
    /// The number.
    pub const fn samples(self) -> f64 {
        match self {
            Self::Stated(samples) | Self::About(samples) => samples,
        }
    }

    /// True when a job of so many samples a step may be the logged one.
    pub fn may_be(self, samples: f64) -> bool {
        match self {
            Self::Stated(stated) => stated == samples,
            Self::About(about) => (about / samples - 1.0).abs() <= CUT_SHORT,
        }
    }
}

/// Words before a value, its factor to the unit, and what it is.
type LogFormat = (&'static str, f64, fn(f64) -> LogSpeed);

/// Best first: a log may have several, and tokens tell more than samples where samples were packed.
const FORMATS: [LogFormat; 7] = [
    ("elapsed time per iteration (ms):", 1e-3, LogSpeed::StepSeconds),
    ("elapsed time per iteration (s):", 1.0, LogSpeed::StepSeconds),
    ("CurrSamplesPerSec=", 1.0, LogSpeed::SamplesPerSecond),
    ("throughput/tokens_per_sec:", 1.0, LogSpeed::TokensPerSecond),
    ("throughput/samples_per_sec:", 1.0, LogSpeed::SamplesPerSecond),
    ("Epoch time:", 1.0, LogSpeed::EpochSeconds),
    ("This epoch took", 1.0, LogSpeed::EpochSeconds),
];

/// What else is read, for those whose log is not.
const OTHERS: [&str; 4] = [
    "\"time: 0.35 data_time: 0.01\"",
    "\"'train_steps_per_second': 2.9\"",
    "\"20/44 [00:10<00:12, 2.00it/s\"",
    "trainer_state.json",
];

/// Words before the batch.
const BATCH: &str = "global batch size:";

/// Share of the values at the head of a log that start-up slows.
const WARM_UP: usize = 10;

/// Reads a log.
///
/// # Errors
/// When no line has a speed, with what would be read.
///
/// ```
/// use gpu_advisor::validation::{LogSpeed, LoggedBatch, read_log};
/// let log = " iteration 1/ 9 | elapsed time per iteration (ms): 30000.0 | global batch size: 256 | lm loss: 9.1\n \
///             iteration 2/ 9 | elapsed time per iteration (ms): 9800.0 | global batch size: 256 | lm loss: 9.0\n \
///             iteration 3/ 9 | elapsed time per iteration (ms): 9900.0 | global batch size: 256 |\n";
/// let read = read_log(log).unwrap();
/// assert_eq!((read.speed, read.used), (LogSpeed::StepSeconds(9.85), 2));
/// assert_eq!(read.global_batch, Some(LoggedBatch::Stated(256.0)));
/// ```
pub fn read_log(text: &str) -> Result<TrainingLog, String> {
    if let Some(read) = summary::of_state(text) {
        return read;
    }
    let iterations: Vec<_> = iteration::all(text);
    if let Some((seconds, used)) = typical(iterations.iter().map(|i| i.seconds).collect()) {
        let shares: Vec<f64> = iterations.iter().filter_map(iteration::Iteration::share).collect();
        if 2 * shares.len() < iterations.len() {
            return Err("its waits for data are longer than the iterations that they are part of".to_owned());
        }
        let data_share = typical(shares);
        let (speed, data_share) = (LogSpeed::StepSeconds(seconds), data_share.map(|(share, _)| share));
        return Ok(TrainingLog { speed, used, global_batch: None, data_share });
    }
    let batch = lines(text).filter_map(|line| value_after(line, BATCH)).next_back().map(LoggedBatch::Stated);
    for (words, factor, speed) in FORMATS {
        let values = lines(text).filter_map(|line| value_after(line, words)).collect();
        if let Some((median, used)) = typical(values) {
            let speed = speed(median * factor);
            return Ok(TrainingLog { speed, used, global_batch: batch, data_share: None });
        }
    }
    let summary = summary::of_console(text);
    let bars = typical(bar::seconds(text)).map(|(seconds, used)| {
        let (speed, global_batch) = (LogSpeed::StepSeconds(seconds), summary.and_then(|s| s.global_batch));
        TrainingLog { speed, used, global_batch, data_share: None }
    });
    // A whole run has its start-up in it: many bars tell more than its summary.
    let steady = bars.filter(|bars| bars.used >= WARM_UP);
    steady.or(summary).or(bars).ok_or_else(|| {
        let words: Vec<String> = FORMATS.iter().map(|(words, ..)| format!("{words:?}")).collect();
        format!("no line has a speed; read are {}, {}", words.join(", "), OTHERS.join(", "))
    })
}

/// The lines of a log; a progress bar returns to the head of its line.
fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(['\n', '\r'])
}

/// The median without the head that start-up slows, and how many values it is of.
fn typical(mut values: Vec<f64>) -> Option<(f64, usize)> {
    if values.is_empty() {
        return None;
    }
    let head = values.len().div_ceil(WARM_UP).min(values.len() - 1);
    values.drain(..head);
    let used = values.len();
    crate::numeric::median(values).map(|median| (median, used))
}

/// The positive number that follows some words in a line.
fn value_after(line: &str, words: &str) -> Option<f64> {
    number(line.split_once(words)?.1)
}

/// The positive number at the head of a text, quoted or not.
fn number(text: &str) -> Option<f64> {
    let rest = text.trim_start_matches([' ', '\t', '"', '\'']);
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ".eE+-".contains(c))).unwrap_or(rest.len());
    rest[..end].trim_end_matches(['.', ',']).parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(text: &str) -> (LogSpeed, usize) {
        let read = read_log(text).unwrap();
        (read.speed, read.used)
    }

    #[test]
    fn lines_as_the_tools_write_them_are_read_with_their_units() {
        // One rank's prefix, seconds in place of milliseconds, the batch in the middle of the line.
        let seconds = "[default7]: iteration    94768/  115311 | consumed samples:    177927088 | consumed tokens: \
                       364394676224 | elapsed time per iteration (s): 215.82 | learning rate: 7.610E-06 | global batch \
                       size:  2048 | lm loss: 1.943883E+00 | samples per second: 9.490 | TFLOPs: 145.31 |\n";
        assert_eq!(speed(seconds), (LogSpeed::StepSeconds(215.82), 1));
        assert_eq!(read_log(seconds).unwrap().global_batch, Some(LoggedBatch::Stated(2048.0)));
        // Two tools in one log: the time of a step tells most.
        let both = "[2024-03-07 15:27:02,646] [INFO] [timer.py:260:stop] epoch=0/micro_step=199/global_step=199, \
                    RunningAvgSamplesPerSec=58.73, CurrSamplesPerSec=61.353, MemAllocated=6.01GB\n iteration      199/  \
                    317892 | consumed samples:       152832 | elapsed time per iteration (ms): 14287.5 | learning rate: \
                    2.407E-04 | global batch size:   768 |\n";
        assert_eq!(speed(both), (LogSpeed::StepSeconds(14.2875), 1));
        let samples =
            "epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=38.1, CurrSamplesPerSec=40.0, \
             MemAllocated=11.1GB\n"
                .repeat(20);
        assert_eq!(speed(&samples), (LogSpeed::SamplesPerSecond(40.0), 18));
        let tokens = "\t Train throughput/samples_per_sec: 2.7330\n\t Train throughput/device/tokens_per_sec: \
                      5125.1\n\t Train memory/peak_reserved_mem: 7.8895    Train throughput/tokens_per_sec: 41000.5\n";
        assert_eq!(speed(tokens), (LogSpeed::TokensPerSecond(41_000.5), 1));
        let images =
            "\t Train throughput/samples_per_sec: 2733.0\n\t Train throughput/device/samples_per_sec: 341.6";
        assert_eq!(speed(images), (LogSpeed::SamplesPerSecond(2733.0), 1));
        let epochs = "2024-05-01 10:11:12.131415: Epoch 7\n2024-05-01 10:12:38.091415: Epoch time: 85.96 s\n";
        assert_eq!(speed(epochs), (LogSpeed::EpochSeconds(85.96), 1));
        assert_eq!(speed("This epoch took 205.383 s\n"), (LogSpeed::EpochSeconds(205.383), 1));
    }

    #[test]
    fn a_log_without_a_speed_says_what_would_be_read() {
        for text in ["", "loss 3.1", "elapsed time per iteration (ms): none", "CurrSamplesPerSec=-4"] {
            assert!(read_log(text).unwrap_err().contains("elapsed time per iteration"), "{text}");
        }
    }
}
