//! By when a job must be done, and from which day that counts.

use jiff::civil::Date;

use super::args::{LimitArgs, WhatIfArgs};
use super::output::remark;
use super::problems::Problems;
use super::session::{Session, parse_date};
use crate::report::Language;
use crate::report::phrases::recommend as say;
use crate::units::Seconds;
use crate::units::parse::parse_quantity;

/// The latest deadline that is believed.
const LATEST_DEADLINE: Seconds = Seconds::from_days(36_525.0);

/// The day on which the job would start, where one is stated.
///
/// # Errors
/// When it is no day.
pub fn start(args: &LimitArgs) -> Result<Option<Date>, String> {
    args.start.as_deref().map(parse_date).transpose()
}

/// A duration, or the time from the day of the start to a day.
///
/// # Errors
/// When it is neither, not after the start, or not believed.
pub fn deadline(text: &str, from: Date) -> Result<Seconds, String> {
    if let Ok(duration) = parse_quantity::<Seconds>(text) {
        if duration.get() <= 0.0 {
            return Err("a deadline of nothing leaves no time; give a duration above zero".to_owned());
        }
        if duration > LATEST_DEADLINE {
            return Err(format!("{text:?} is not believed; at most 100 years are accepted"));
        }
        return Ok(duration);
    }
    let day = parse_date(text)
        .map_err(|_| format!("{text:?} is neither a duration, such as 30d, nor a day, such as 2026-12-31"))?;
    let span = day.since(from).map_err(|e| e.to_string())?;
    let days = f64::from(span.get_days());
    if days <= 0.0 {
        return Err(format!("{day} is not after {from}"));
    }
    let left = Seconds::from_days(days);
    if left > LATEST_DEADLINE {
        return Err(format!("{day} is not believed; at most 100 years are accepted"));
    }
    Ok(left)
}

/// Says that a job would start before the day of the question.
pub fn remark_past(start: Date, session: &Session, language: Language, quiet: bool) {
    let today = session.prices.as_of;
    if start < today {
        remark(quiet, &say::START_PAST.fill(language, &[&start.to_string(), &today.to_string()]));
    }
}

/// Limits of a search that a `whatif` over one named cluster, or without a deadline, passes over.
pub fn idle_limits(args: &WhatIfArgs, changes_deadline: bool, problems: &mut Problems) {
    let limits = &args.limits;
    if args.cluster.is_some() || args.gpu_count.is_some() {
        let given = [
            ("provider", !limits.providers.is_empty()),
            ("region", !limits.regions.is_empty()),
            ("country", !limits.countries.is_empty()),
            ("deadline", limits.deadline.is_some()),
            ("start", limits.start.is_some()),
            ("budget", limits.budget.is_some()),
            ("max-gpus", limits.max_gpus.is_some()),
            ("quota", limits.quota.is_some()),
        ];
        for (flag, _) in given.into_iter().filter(|(_, given)| *given) {
            problems
                .usage(format!("--{flag}: limits a search, and one cluster is named; leave one of them out"));
        }
    } else if limits.start.is_some() && limits.deadline.is_none() && !changes_deadline {
        problems
            .usage("--start: a deadline that is a day counts from it; add --deadline DAY, or leave it out");
    }
}
