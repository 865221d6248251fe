//! How sure time and cost are: the part of an answer about interruptions, the deadline and checkpoints.

use super::phrases::{risk as say, verdict};
use super::recommend::cells::{money, time};
use super::{Block, Language};
use crate::advisor::risk::{RateSource, Risk};
use crate::cost::{CostOutcome, JobCost};
use crate::profile::Grade;
use crate::simulator::{Checkpoints, Interval};
use crate::units::{Seconds, text};

/// A risk to show.
#[derive(Debug, Clone, Copy)]
pub struct RiskView<'a> {
    /// The risk.
    pub risk: &'a Risk,
    /// That of the same nodes on demand, where they are bought otherwise.
    pub steady: Option<&'a Risk>,
    /// Language of the text.
    pub language: Language,
}

/// Times rest on published rates of other clusters.
const GRADE: Grade = Grade::D;

impl RiskView<'_> {
    /// Heading, fields and how they were found.
    pub fn blocks(&self) -> Vec<Block> {
        let lang = self.language;
        let (count, seed) = self.risk.draws;
        let how = say::HOW.fill(lang, &[&text::grouped(&count.to_string()), &seed.to_string()]);
        vec![Block::heading(3, say::RISK.text(lang)), Block::Fields(self.fields()), Block::paragraph(how)]
    }

    fn fields(&self) -> Vec<(String, String)> {
        let (lang, risk) = (self.language, self.risk);
        let mut fields = vec![
            (say::INTERRUPTIONS.owned(lang), self.interruptions()),
            (say::CHECKPOINT.owned(lang), self.checkpoints()),
            (say::EXPECTED.owned(lang), self.expected()),
            (say::TIME_WITH.owned(lang), interval(risk.outcomes.time, lang)),
        ];
        fields.extend(self.cost().map(|text| (say::COST_WITH.owned(lang), text)));
        if let (Some(limit), Some(share)) = (risk.deadline, risk.outcomes.on_time) {
            let count = text::grouped(&risk.draws.0.to_string());
            let words = [&text::duration(limit, 3), &text::percent(share), &count];
            fields.push((say::DEADLINE.owned(lang), say::ON_TIME.fill(lang, &words.map(String::as_str))));
        }
        fields.extend(self.ratios().map(|(cost, time)| {
            let words = [text::percent(cost), text::signed_percent(time - 1.0)];
            let words = say::RATIOS.fill(lang, &[&words[0], &words[1]]);
            (say::AGAINST_ON_DEMAND.owned(lang), words)
        }));
        fields
    }

    /// Median cost and time over those on demand.
    pub(super) fn ratios(&self) -> Option<(f64, f64)> {
        let steady = self.steady?;
        let cost = |risk: &Risk| Some(priced(risk)?.p50.as_f64());
        let ratio = cost(self.risk)? / cost(steady)?;
        Some((ratio, self.risk.outcomes.time.p50 / steady.outcomes.time.p50))
    }

    fn interruptions(&self) -> String {
        let (lang, risk) = (self.language, self.risk);
        if !risk.interruptions.between.is_finite() {
            return say::NO_INTERRUPTIONS.owned(lang);
        }
        let source = match risk.source {
            RateSource::Stated => say::STATED,
            RateSource::Published => say::PUBLISHED,
            RateSource::Traces => say::TRACES,
            RateSource::Failures => say::FAILURES_ALONE,
        };
        let words = [
            text::duration(risk.interruptions.between, 2),
            source.owned(lang),
            interruptions(risk.expected, risk.expected_interruptions()),
            text::duration(risk.interruptions.restart, 2),
        ];
        say::ONE_IN.fill(lang, &words.each_ref().map(String::as_str))
    }

    fn checkpoints(&self) -> String {
        let (lang, risk) = (self.language, self.risk);
        if risk.interruptions.checkpoints == Checkpoints::Never {
            return say::NO_CHECKPOINTS.owned(lang);
        }
        let words = [text::duration(risk.interval, 2), text::duration(risk.interruptions.write, 2)];
        say::EVERY.fill(lang, &[&words[0], &words[1]])
    }

    fn expected(&self) -> String {
        let (lang, risk) = (self.language, self.risk);
        let words = [
            ending(risk.expected, lang),
            ending(risk.undisturbed, lang),
            text::signed_percent(risk.expected / risk.undisturbed - 1.0),
            ending(risk.expected_without_checkpoints, lang),
        ];
        say::EXPECTED_OF.fill(lang, &words.each_ref().map(String::as_str))
    }

    fn cost(&self) -> Option<String> {
        let lang = self.language;
        match &self.risk.cost {
            Some(CostOutcome::Priced(_) | CostOutcome::Unconvertible { .. }) => {
                let cost = priced(self.risk)?;
                let [p50, p10, p90] =
                    [cost.p50, cost.p10, cost.p90].map(|m| money(m.as_f64(), m.currency, Grade::C));
                Some(super::phrases::simulation::P10_TO_P90.fill(lang, &[&p50, &p10, &p90]))
            }
            Some(CostOutcome::NoPrice) => Some(verdict::NO_PRICE.owned(lang)),
            // Amounts that never end.
            Some(CostOutcome::NotRepresentable) => Some(say::NEVER.owned(lang)),
            None => None,
        }
    }
}

/// The cost in the currency asked for, or in its own.
pub(super) const fn priced(risk: &Risk) -> Option<&JobCost> {
    match &risk.cost {
        Some(CostOutcome::Priced(cost) | CostOutcome::Unconvertible { own: cost, .. }) => Some(cost),
        _ => None,
    }
}

/// Longer than this nobody waits: a century.
pub(super) const CENTURY: Seconds = Seconds::from_days(36_525.0);

/// How many interruptions are expected within so long, at the median rate.
pub(super) fn interruptions(time: Seconds, count: f64) -> String {
    if time < CENTURY { text::significant(count, 2) } else { "∞".to_owned() }
}

/// A time, or that it never comes.
pub(super) fn ending(time: Seconds, lang: Language) -> String {
    if time < CENTURY { text::duration(time, 3) } else { say::NEVER.owned(lang) }
}

pub(super) fn interval(times: Interval, lang: Language) -> String {
    let [p50, p10, p90] = [times.p50, times.p10, times.p90]
        .map(|seconds| if seconds < CENTURY.get() { time(seconds, GRADE) } else { say::NEVER.owned(lang) });
    super::phrases::simulation::P10_TO_P90.fill(lang, &[&p50, &p10, &p90])
}
