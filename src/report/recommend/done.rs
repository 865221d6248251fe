//! When the job is done: the calendar time, and the day where the start is known.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::RecommendView;
use super::cells::time;
use crate::advisor::Candidate;
use crate::report::phrases::recommend as say;
use crate::units::Seconds;

/// Calendar time of a candidate at the median and at the slow end.
pub(super) fn calendar(view: &RecommendView<'_>, candidate: &Candidate) -> Option<String> {
    let lang = view.language;
    let whole = candidate.calendar.as_ref()?;
    if view.start.is_none() && *whole == candidate.paid {
        // The time in the answer is that already.
        return None;
    }
    let shown = |seconds: f64| time(seconds, candidate.grade);
    let (p50, p90) = (shown(whole.p50), shown(whole.p90));
    let days = |start: Date| Some((after(start, whole.p50)?, after(start, whole.p90)?));
    Some(match view.start.and_then(|start| Some((start, days(start)?))) {
        Some((start, (done, late))) => {
            let [start, done, late] = [start, done, late].map(|day| day.to_string());
            say::CALENDAR_FROM.fill(lang, &[&p50, &p90, &start, &done, &late])
        }
        None => say::CALENDAR.fill(lang, &[&p50, &p90]),
    })
}

/// The day on which something ends that begins in the morning of a day.
fn after(start: Date, seconds: f64) -> Option<Date> {
    let days = Seconds::new(seconds).days().floor();
    // Beyond the calendar there is no day.
    if !days.is_finite() || days > 4e6 {
        return None;
    }
    start.checked_add((days as i64).days()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_half_from_the_first_ends_on_the_second() {
        let start = jiff::civil::date(2026, 12, 1);
        let at = |days: f64| after(start, Seconds::from_days(days).get());
        assert_eq!(at(1.5), Some(jiff::civil::date(2026, 12, 2)));
        assert_eq!(at(0.9), Some(start));
        assert_eq!(at(f64::INFINITY), None);
    }
}
