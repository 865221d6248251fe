//! The user's own measurement in words: before, after, and how it came here.

use super::Language;
use super::phrases::simulation as say;
use super::recommend::cells::time;
use crate::advisor::{Anchored, Simulation};
use crate::profile::Grade;
use crate::units::text;

/// What was measured, what was predicted of it, and what that makes of the step here.
pub(super) fn sentence(anchored: &Anchored, simulation: &Simulation, lang: Language) -> String {
    let anchor = &anchored.anchor;
    let shown = |seconds: f64| time(seconds, Grade::A);
    let after = simulation.estimate().map_or(f64::NAN, |e| e.planned.step.total().get());
    let [measured, predicted] = [anchor.measured, anchor.predicted].map(|t| shown(t.get()));
    let [before, after] = [anchored.before.get(), after].map(shown);
    let (waits, factor) = (shown(anchor.waits().get()), text::significant(anchor.factor(), 3));
    let mut words = vec![measured.as_str(), &anchor.cluster, &predicted];
    let share = text::percent(anchored.share);
    let phrase = match (anchor.work.is_some(), anchor.waits().get() > 0.0, anchored.transferred) {
        (false, _, false) => {
            words.push(&waits);
            say::MEASURED_INPUT_HERE
        }
        (false, _, true) => say::MEASURED_INPUT_ELSEWHERE,
        (true, false, false) => {
            words.push(&factor);
            say::MEASURED_HERE
        }
        (true, true, false) => {
            words.extend([waits.as_str(), &factor]);
            say::MEASURED_WAITS_HERE
        }
        (true, false, true) => {
            words.extend([factor.as_str(), &share]);
            say::MEASURED_ELSEWHERE
        }
        (true, true, true) => {
            words.extend([waits.as_str(), &factor, &share]);
            say::MEASURED_WAITS_ELSEWHERE
        }
    };
    words.extend([before.as_str(), &after]);
    phrase.fill(lang, &words)
}
