//! The summary of a whole run, with its start-up in it: `{'train_runtime': 20.4, 'train_samples_per_second': 93.3,
//! 'train_steps_per_second': 2.939, ...}` on the console, or the history in a `trainer_state.json`. Evaluations between steps
//! (`eval_runtime`) are taken out; one after the end is not within the run's time and is not.

use serde_json::Value;

use super::{LogSpeed, LoggedBatch, TrainingLog, lines, number};

/// Below this many steps a second, three decimals of them are no measure, and samples a second are taken.
const FEWEST_STEPS: f64 = 0.2;

/// A history; `None` when the text is none.
pub(super) fn of_state(text: &str) -> Option<Result<TrainingLog, String>> {
    let state: Value = serde_json::from_str(text.trim_start().starts_with('{').then_some(text)?).ok()?;
    let history = state.get("log_history")?.as_array()?;
    let last = |key: &str| history.iter().rev().find_map(|entry| positive(entry, key));
    let Some(runtime) = last("train_runtime") else {
        let why = "the history has no train_runtime, which a run writes at its end; give its console's log";
        return Some(Err(why.to_owned()));
    };
    let end = history.iter().rposition(|entry| positive(entry, "train_runtime").is_some())?;
    let Some(steps) = positive(&history[end], "step").or_else(|| positive(&state, "global_step")) else {
        return Some(Err("the history does not say how many steps were done (step)".to_owned()));
    };
    let evaluations: f64 = history[..end].iter().filter_map(|entry| positive(entry, "eval_runtime")).sum();
    let training = if evaluations < runtime { runtime - evaluations } else { runtime };
    let batch = last("train_samples_per_second").map(|rate| LoggedBatch::About(rate * runtime / steps));
    let speed = LogSpeed::StepSeconds(training / steps);
    Some(Ok(TrainingLog { speed, used: 1, global_batch: batch, data_share: None }))
}

fn positive(entry: &Value, key: &str) -> Option<f64> {
    entry.get(key)?.as_f64().filter(|v| v.is_finite() && *v > 0.0)
}

/// The last summary among the lines of a console.
pub(super) fn of_console(text: &str) -> Option<TrainingLog> {
    let last = |key: &str| lines(text).filter_map(|line| after(line, key)).next_back();
    let steps = last("train_steps_per_second")?;
    let samples = last("train_samples_per_second");
    // What stands from the summary on is no part of its time.
    let (of_run, _) = text.rsplit_once("train_runtime").unwrap_or((text, ""));
    let evaluations: f64 = lines(of_run).filter_map(|line| after(line, "eval_runtime")).sum();
    let training = last("train_runtime").map_or(1.0, |runtime| 1.0 - evaluations / runtime);
    let training = if training > 0.0 { training } else { 1.0 };
    let speed = match samples {
        Some(samples) if steps < FEWEST_STEPS => LogSpeed::SamplesPerSecond(samples / training),
        _ => LogSpeed::StepSeconds(training / steps),
    };
    let batch = samples.filter(|_| steps >= FEWEST_STEPS).map(|samples| LoggedBatch::About(samples / steps));
    Some(TrainingLog { speed, used: 1, global_batch: batch, data_share: None })
}

/// The number of a key in the braces of a printed record, or after `***** train metrics *****`, where `=` stands.
fn after(line: &str, key: &str) -> Option<f64> {
    let (_, rest) = line.split_once(key)?;
    number(rest.trim_start_matches(['\'', '"', ' ']).strip_prefix([':', '='])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r#"{"global_step": 60, "log_history": [
        {"epoch": 1.5, "loss": 0.69, "step": 30},
        {"epoch": 1.5, "eval_runtime": 5.0, "step": 30},
        {"epoch": 3.0, "step": 60, "train_runtime": 35.0, "train_samples_per_second": 54.857, "train_steps_per_second": 1.714}
    ], "train_batch_size": 8}"#;

    #[test]
    fn a_history_gives_the_time_of_a_step_without_the_evaluations() {
        // 35 s, 5 of them evaluation, for 60 steps: half a second. 54.857 samples/s x 35 s / 60 steps = 32.
        let read = of_state(STATE).unwrap().unwrap();
        assert_eq!(read.speed, LogSpeed::StepSeconds(0.5));
        let batch = read.global_batch.unwrap();
        assert!(batch.may_be(32.0) && !batch.may_be(64.0), "{batch:?}");
    }

    #[test]
    fn an_evaluation_after_the_end_of_a_history_is_no_part_of_its_time() {
        let state =
            STATE.replace("1.714}\n", "1.714},\n{\"epoch\": 3.0, \"eval_runtime\": 15.0, \"step\": 60}\n");
        assert_ne!(state, STATE);
        assert_eq!(of_state(&state).unwrap().unwrap().speed, LogSpeed::StepSeconds(0.5));
    }

    #[test]
    fn a_history_of_a_run_that_is_not_over_is_refused() {
        let open = of_state(r#"{"log_history": [{"step": 10, "loss": 1.0}]}"#).unwrap().unwrap_err();
        assert!(open.contains("train_runtime"), "{open}");
        assert!(of_state("{\"a\": 1}").is_none() && of_state("{'train_runtime': 3}").is_none());
    }

    #[test]
    fn the_last_line_of_a_console_gives_steps_or_where_they_are_few_samples() {
        let line = "{'train_runtime': 30.0, 'train_samples_per_second': 64.0, 'train_steps_per_second': 2.0, 'epoch': 3.0}";
        let read = of_console(line).unwrap();
        assert_eq!(
            (read.speed, read.global_batch),
            (LogSpeed::StepSeconds(0.5), Some(LoggedBatch::About(32.0)))
        );
        let evaluated = format!("{{'eval_loss': 1.0, 'eval_runtime': '15.0', 'epoch': 1.5}}\n{line}\n");
        assert_eq!(of_console(&evaluated).unwrap().speed, LogSpeed::StepSeconds(0.25));
        // The usual evaluation after the end is not within the 30 seconds.
        let ended = format!("{line}\n{{'eval_loss': 1.0, 'eval_runtime': '15.0', 'epoch': 3.0}}\n");
        assert_eq!(of_console(&ended).unwrap().speed, LogSpeed::StepSeconds(0.5));
        let slow = "{'train_runtime': '642.3', 'train_samples_per_second': '0.249', 'train_steps_per_second': '0.016'}";
        assert_eq!(of_console(slow).unwrap().speed, LogSpeed::SamplesPerSecond(0.249));
        let table = "***** train metrics *****\n  train_samples_per_second =     64.0\n  train_steps_per_second   =      2.0\n";
        assert_eq!(of_console(table).unwrap().speed, LogSpeed::StepSeconds(0.5));
    }
}
