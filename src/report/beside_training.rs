//! The time of a job that is no step: evaluation, checkpoints, start-up, failures.

use super::Language;
use super::phrases::simulation as say;
use super::recommend::cells::time;
use super::view_risk;
use crate::advisor::Estimate;
use crate::profile::Grade;
use crate::units::text;

/// Share of the total time from which what is no step is said.
const LEAST_AROUND: f64 = 0.005;

/// Calendar time with its interval.
pub(super) fn calendar(estimate: &Estimate, lang: Language) -> String {
    view_risk::interval(estimate.calendar, lang)
}

/// Seconds of the total time that are no steps, where they show: evaluation and the ends of epochs.
pub(super) fn around_steps(estimate: &Estimate) -> Option<f64> {
    let time = &estimate.time;
    let around = time.total.p50 - time.steps * time.step.get();
    (around > LEAST_AROUND * time.total.p50).then_some(around)
}

/// The lines after the training time.
pub(super) fn beside_training(estimate: &Estimate, lang: Language) -> String {
    let whole = &estimate.whole;
    let shown = |seconds: crate::units::Seconds| {
        if seconds < view_risk::CENTURY {
            time(seconds.get(), Grade::D)
        } else {
            view_risk::ending(seconds, lang)
        }
    };
    let evaluation = if around_steps(estimate).is_some() { say::EVALUATION_MORE } else { say::EVALUATION };
    let parts = [
        evaluation.fill(lang, &[&shown(whole.evaluation)]),
        say::CHECKPOINTS.fill(
            lang,
            &[
                &shown(whole.checkpoints),
                &text::memory(whole.checkpoint_bytes),
                &shown(whole.checkpoint_interval),
            ],
        ),
        say::START_UP.fill(lang, &[&shown(whole.start_up)]),
        say::FAILURES.fill(
            lang,
            &[&shown(whole.failures), &view_risk::interruptions(whole.calendar, whole.interruptions)],
        ),
    ];
    parts.join(", ")
}
