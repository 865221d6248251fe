//! The sentences of a recommendation.

use super::super::phrases::assumption::said;
use jiff::civil::Date;

use super::RecommendView;
use super::cells::{bound, cluster, cost_pair, gpu, place, plan, precisions, purchase, time};
use crate::advisor::rank::interval_cost;
use crate::advisor::{Candidate, Filling, Objective, Rejection, RejectionReason, Rejections};
use crate::catalog::Purchase;
use crate::profile::Grade;
use crate::report::phrases::recommend as say;
use crate::report::phrases::{section, simulation};
use crate::report::{names, sentences};
use crate::units::text;
use crate::workload::model_flop_per_row;

/// Inputs shown in the job line; the others are listed at the end.
const IN_JOB_LINE: [&str; 7] =
    ["model", "length", "sequence_length", "global_batch", "precision", "optimizer", "framework"];

fn star(view: &RecommendView<'_>, name: &str) -> &'static str {
    if view.request.job.assumed.iter().any(|a| a.name == name) { "*" } else { "" }
}

/// The job as understood; what the program chose carries a star.
pub(super) fn job(view: &RecommendView<'_>) -> String {
    let job = &view.request.job;
    let stack = view.stack().map_or(job.stack.as_str(), |s| s.name.as_str());
    sentences::job(job, stack, job.precision, view.language)
}

pub(super) fn limits(view: &RecommendView<'_>) -> String {
    limit_parts(view).join(" · ")
}

/// The limits in force, each a few words.
pub(super) fn limit_parts(view: &RecommendView<'_>) -> Vec<String> {
    let lang = view.language;
    let request = view.request;
    let mut parts = Vec::new();
    if !request.gpus.is_empty() {
        let names: Vec<&str> = view.recommendation.groups.iter().map(|g| g.group.as_str()).collect();
        parts.push(names.join(", "));
    }
    if let Some((limit, assumed)) = view.recommendation.deadline {
        let star = if assumed { "*" } else { "" };
        let within = say::LIMIT_DEADLINE.fill(lang, &[&format!("{}{star}", text::duration(limit, 3))]);
        parts
            .push(super::risks::chance(view).map_or(within.clone(), |chance| format!("{within} ({chance})")));
    }
    if let Some(budget) = request.budget {
        parts.push(say::LIMIT_BUDGET.fill(lang, &[&text::money(budget)]));
    }
    let gpus = format!("{}{}", request.max_gpus, star(view, "max_gpus"));
    parts.push(say::LIMIT_GPUS.fill(lang, &[&gpus]));
    let places = &request.places;
    let regions =
        places.regions.iter().map(|(p, r)| p.as_ref().map_or_else(|| r.clone(), |p| format!("{p}:{r}")));
    let named: Vec<String> =
        places.providers.iter().cloned().chain(places.countries.iter().cloned()).chain(regions).collect();
    if !named.is_empty() {
        parts.push(say::LIMIT_PLACES.fill(lang, &[&named.join(", ")]));
    }
    let names = |list: Vec<Purchase>| list.into_iter().map(|p| purchase(p).text(lang)).collect::<Vec<_>>();
    let asked = names(request.prices.requested_purchases()).join(", ");
    let asked = format!("{asked}{}", star(view, "purchase"));
    let all =
        [asked].into_iter().chain(names(request.prices.purchases_added()).into_iter().map(str::to_owned));
    parts.push(say::LIMIT_PURCHASE.fill(lang, &[&all.collect::<Vec<_>>().join(", ")]));
    parts.push(super::quota::limit(view));
    let objective = match request.objective {
        Objective::Cost => say::OBJECTIVE_COST,
        Objective::Time => say::OBJECTIVE_TIME,
        Objective::Balanced => say::OBJECTIVE_BALANCED,
        Objective::CostAtP90 => say::OBJECTIVE_COST_P90,
    };
    let interrupted = request.risk.is_some() && request.objective.is_of_time();
    let by = if interrupted { say::LIMIT_OBJECTIVE_INTERRUPTED } else { say::LIMIT_OBJECTIVE };
    parts.push(by.fill(lang, &[objective.text(lang)]));
    parts
}

/// The answer, then when it is done.
pub(super) fn answer(view: &RecommendView<'_>) -> Vec<String> {
    let done = leader(view).and_then(|c| super::done::calendar(view, c));
    [line(view)].into_iter().chain(done).collect()
}

/// The one line that answers.
fn line(view: &RecommendView<'_>) -> String {
    let lang = view.language;
    let quantiles = |c: &Candidate| (time(c.paid.p50, c.grade), time(c.paid.p90, c.grade));
    if let Some(winner) = view.recommendation.ranked.first() {
        let (p50, p90) = quantiles(winner);
        let (cost, cost_p90) = cost_pair(winner, view.request.prices.currency, lang);
        let gpus = winner.cluster.gpus().to_string();
        let cluster = cluster(view, winner);
        let place = place(winner);
        return say::ANSWER
            .fill(lang, &[&cluster, &place, &gpus, gpu(view, winner), &p50, &p90, &cost, &cost_p90]);
    }
    if let Some(first) = view.recommendation.unpriced.first() {
        let phrase = match (&view.request.quota, view.request.budget) {
            (Some(_), _) => say::ANSWER_BEYOND_QUOTA,
            (None, Some(_)) => say::ANSWER_OVER_BUDGET,
            (None, None) => say::ANSWER_UNPRICED,
        };
        let (p50, p90) = quantiles(first);
        let gpus = first.cluster.gpus().to_string();
        let hours = text::significant(first.gpu_hours, 3);
        let cluster = cluster(view, first);
        return phrase.fill(lang, &[&cluster, &gpus, gpu(view, first), &p50, &p90, &hours]);
    }
    say::NO_ANSWER.owned(lang)
}

/// Whether a time of the answer has interruptions in it, which times of the steps have not.
pub(super) fn is_interrupted(view: &RecommendView<'_>) -> bool {
    let answer = view.recommendation;
    answer.ranked.iter().chain(&answer.unpriced).any(|c| c.paid != c.time.total)
}

/// The first of the answer.
pub(super) fn leader<'a>(view: &RecommendView<'a>) -> Option<&'a Candidate> {
    view.recommendation.ranked.first().or_else(|| view.recommendation.unpriced.first())
}

/// What binds the winner, how it is split, how full it is, and how the best of the other groups compares.
pub(super) fn why(view: &RecommendView<'_>) -> Option<Vec<String>> {
    let lang = view.language;
    let winner = leader(view)?;
    let planned = &winner.planned;
    let binding = planned.step.binding();
    let share = text::percent(planned.step.share(binding));
    let mut parts = vec![say::WHY_BINDS.fill(lang, &[bound(binding).text(lang), &share])];
    parts.push(say::WHY_PLAN.fill(lang, &[&plan(&planned.plan), planned.plan.precision.name()]));
    let (batch, usual) = (planned.plan.global_batch(), view.request.job.global_batch.round() as u64);
    if batch != usual {
        parts.push(say::WHY_BATCH.fill(lang, &[&batch.to_string(), &usual.to_string()]));
    }
    let memory = &planned.memory;
    parts.push(say::WHY_MEMORY.fill(lang, &[&text::memory(memory.peak()), &text::memory(memory.usable)]));
    if let Some(utilization) = utilization(view, winner) {
        parts.push(say::WHY_UTILIZATION.fill(lang, &[&text::percent(utilization)]));
    }
    let other = view.recommendation.groups.iter().filter_map(|g| g.best.as_ref()).find(|c| {
        let group = |c: &Candidate| view.catalog.gpu(c.cluster.gpu).group.clone();
        group(c) != group(winner) && interval_cost(c).is_some()
    });
    if let (Some(other), Some(cost)) = (other, interval_cost(winner)) {
        let time = text::percent(winner.paid.p50 / other.paid.p50);
        let other_cost = interval_cost(other).map_or(f64::NAN, |c| c.p50);
        let cost = text::percent(cost.p50 / other_cost);
        parts.push(say::WHY_AGAINST.fill(lang, &[&cluster(view, other), &time, &cost]));
    }
    Some(parts)
}

/// Model FLOP per second over the dense peak of all GPUs.
pub(super) fn utilization(view: &RecommendView<'_>, candidate: &Candidate) -> Option<f64> {
    let plan = &candidate.planned.plan;
    let peak = view.catalog.gpu(candidate.cluster.gpu).peak(plan.precision)?;
    let workload = &view.request.job.workload;
    let rows = plan.global_batch() as f64 * f64::from(workload.rows_per_sample);
    let flop = model_flop_per_row(workload) * rows;
    Some((flop / candidate.planned.step.total()) / (peak * f64::from(candidate.cluster.gpus())))
}

/// How far to trust the answer, and the cheapest step that would raise it.
pub(super) fn trust(view: &RecommendView<'_>) -> Option<[String; 2]> {
    let lang = view.language;
    let winner = leader(view)?;
    let meaning = match winner.grade {
        Grade::A => say::GRADE_A,
        Grade::B => say::GRADE_B,
        Grade::C => say::GRADE_C,
        Grade::D => say::GRADE_D,
    };
    let total = &winner.paid;
    let low = time(total.p10, winner.grade);
    let high = time(total.p90, winner.grade);
    let line = say::TRUST_LINE.fill(lang, &[winner.grade.letter(), meaning.text(lang), &low, &high]);
    Some([line, say::TRUST_RAISE.owned(lang)])
}

/// What to change when nothing passes: what was tried and lets the nearest miss in, else the way round the reason that
/// rejects most of what may be had at all.
pub(super) fn hint(view: &RecommendView<'_>) -> Option<Vec<String>> {
    let recommendation = view.recommendation;
    if !recommendation.ranked.is_empty() {
        return None;
    }
    if view.request.budget.is_some() && !recommendation.unpriced.is_empty() {
        return Some(tried(view).into_iter().chain([say::HINT_BUDGET.owned(view.language)]).collect());
    }
    if !recommendation.unpriced.is_empty() {
        return None;
    }
    if let Some(tried) = tried(view) {
        return Some(vec![tried]);
    }
    let first = first_reason(view);
    let phrase = match first.map(|group| group.reason) {
        Some("precision") => simulation::HINT_PRECISION,
        Some("memory") => sentences::memory_hint(Filling::of(&view.request.job.workload)),
        Some("no_valid_plan") => simulation::HINT_PLAN,
        Some("deadline") => say::HINT_DEADLINE,
        Some("budget") => say::HINT_BUDGET,
        Some("stack") => say::HINT_STACK,
        Some("no_kernel") => say::HINT_NO_KERNEL,
        _ => say::HINT_PLACE,
    };
    // What comes nearest says how far off all of that reason are.
    let nearest = first.filter(|group| group.nearest.reason.miss().is_finite());
    Some(
        nearest
            .map(|group| rejection(view, &group.nearest))
            .into_iter()
            .chain([phrase.owned(view.language)])
            .collect(),
    )
}

/// The reason that keeps out most of what may be had at all.
fn first_reason<'a>(view: &RecommendView<'a>) -> Option<&'a Rejections> {
    const FILTERS: [&str; 6] = ["place", "gone", "not_sold", "no_price", "unconfirmed", "quota_not_checked"];
    view.recommendation.rejections.iter().find(|group| !FILTERS.contains(&group.reason))
}

/// The nearest miss of the first reason that a single change lets in, with that change.
fn tried(view: &RecommendView<'_>) -> Option<String> {
    let nearest = first_reason(view).filter(|group| !group.cures.is_empty())?;
    let cures = sentences::cures(&nearest.cures, nearest.reason == "memory", view.language)?;
    Some(format!("{} {cures}", nearest.nearest.cluster))
}

/// The GPU groups asked for that have no row in a table, with the reason: they stay visible even if they are out.
pub(super) fn absent_groups(view: &RecommendView<'_>) -> Vec<(String, String)> {
    let lang = view.language;
    let absent = view.recommendation.groups.iter().filter(|g| g.best.is_none());
    absent
        .map(|g| {
            let text = g.rejected.as_ref().map_or_else(
                || say::BEST_ABSENT.owned(lang),
                |rejected| say::BEST_OUT.fill(lang, &[&rejection(view, rejected)]),
            );
            (g.group.clone(), text)
        })
        .collect()
}

/// What this GPU cannot do that the reader may expect.
pub(super) fn capability_notes(view: &RecommendView<'_>, candidate: &Candidate) -> Vec<String> {
    let lang = view.language;
    let gpu = view.catalog.gpu(candidate.cluster.gpu);
    let plan = &candidate.planned.plan;
    let mut notes = Vec::new();
    if gpu.peak(crate::catalog::Precision::Bf16).is_none() {
        notes.push(say::CAPABILITY_NO_BF16.fill(lang, &[plan.precision.name()]));
    }
    if gpu.flash_attention < 2 && view.request.job.workload.attention.is_some() {
        notes.push(say::CAPABILITY_NO_FLASH.owned(lang));
    }
    notes
}

/// How far off, with two digits.
fn over(reason: &RejectionReason) -> String {
    format!("{} %", text::significant(reason.miss() * 100.0, 2))
}

/// A rejection with its cluster and margin.
pub(super) fn rejection(view: &RecommendView<'_>, rejected: &Rejection) -> String {
    let lang = view.language;
    let cluster = rejected.cluster.as_str();
    match &rejected.reason {
        RejectionReason::NoKernel => say::REJECTED_NO_KERNEL.fill(lang, &[cluster]),
        RejectionReason::Precision { possible, .. } if possible.is_empty() => {
            say::REJECTED_NO_PEAK.fill(lang, &[cluster])
        }
        RejectionReason::Precision { asked, possible, .. } => {
            say::REJECTED_PRECISION.fill(lang, &[cluster, asked.name(), &precisions(possible)])
        }
        RejectionReason::Stack { why } | RejectionReason::NoValidPlan { why } => {
            say::REJECTED_STACK.fill(lang, &[cluster, &said(why, lang)])
        }
        RejectionReason::Memory { needed, allowed, item, .. } => {
            let over = over(&rejected.reason);
            let (needed, allowed) = (text::memory(*needed), text::memory(*allowed));
            say::REJECTED_MEMORY
                .fill(lang, &[cluster, &needed, &allowed, &over, names::item(*item).text(lang)])
        }
        RejectionReason::Deadline { time, .. } => {
            let over = over(&rejected.reason);
            say::REJECTED_DEADLINE.fill(lang, &[cluster, &text::duration(*time, 3), &over])
        }
        RejectionReason::Budget { .. } => {
            say::REJECTED_BUDGET.fill(lang, &[cluster, &over(&rejected.reason)])
        }
        RejectionReason::Quota { needed, held, unit } => {
            super::quota::beyond(cluster, (*needed, *held), *unit, lang)
        }
        RejectionReason::Gone
        | RejectionReason::NeverEnds
        | RejectionReason::Place
        | RejectionReason::NotSold
        | RejectionReason::NoPrice
        | RejectionReason::NotChecked
        | RejectionReason::Unconfirmed => cluster.to_owned(),
    }
}

/// Most questions to ask.
const QUESTIONS: usize = 3;

/// The unanswered questions, in the order in which their answers usually move cost and time.
pub(super) fn questions(view: &RecommendView<'_>) -> Vec<String> {
    let request = view.request;
    let assumed = |name: &str| request.job.assumed.iter().any(|a| a.name == name);
    let deadline = view.recommendation.deadline.is_none_or(|(_, assumed)| assumed);
    let places = &request.places;
    let open_place = places.providers.is_empty() && places.countries.is_empty() && places.regions.is_empty();
    let candidates = [
        (deadline && request.budget.is_none(), say::ASK_DEADLINE),
        (open_place, say::ASK_PLACE),
        (assumed("sequence_length"), say::ASK_SEQUENCE),
        (assumed("purchase"), say::ASK_PURCHASE),
        (assumed("global_batch"), say::ASK_BATCH),
        (assumed("precision"), say::ASK_PRECISION),
        (assumed("framework"), say::ASK_FRAMEWORK),
    ];
    candidates
        .into_iter()
        .filter(|(open, _)| *open)
        .take(QUESTIONS)
        .map(|(_, phrase)| phrase.owned(view.language))
        .collect()
}

/// Assumed inputs that the job line does not show.
pub(super) fn assumed(view: &RecommendView<'_>) -> Option<String> {
    let list: Vec<String> = view
        .request
        .job
        .assumed
        .iter()
        .map(|a| {
            if IN_JOB_LINE.contains(&a.name.as_str()) {
                let [name, reason] = [&a.name, &a.reason].map(|text| said(text, view.language));
                format!("{name} ({reason})")
            } else {
                sentences::assumption(&a.name, &a.value, &a.reason, view.language)
            }
        })
        .collect();
    if list.is_empty() {
        return None;
    }
    Some(say::ASSUMED_LIST.fill(view.language, &[&list.join("; ")]))
}

/// Of the prices shown: the oldest date of one that is stale, and whether one has no date.
pub(super) fn stale_prices(view: &RecommendView<'_>) -> (Option<Date>, bool) {
    let today = view.request.prices.as_of;
    let shown = view.recommendation.ranked.iter().take(view.top);
    let prices = shown.filter_map(|c| Some(&c.offer.as_ref()?.price.as_ref()?.price));
    let stale: Vec<_> = prices.filter(|p| p.is_stale(today)).map(|p| p.as_of).collect();
    (stale.iter().flatten().min().copied(), stale.contains(&None))
}

/// What the reader must know about the age of the prices shown: once per answer, not per row.
pub(super) fn price_age(view: &RecommendView<'_>) -> Option<String> {
    let lang = view.language;
    let (oldest, undated) = stale_prices(view);
    let oldest = oldest.map(|day| say::PRICES_OLDEST.fill(lang, &[&day.to_string()]));
    let undated = undated.then(|| say::PRICES_UNDATED.owned(lang));
    let parts: Vec<String> = oldest.into_iter().chain(undated).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Parallel plans that the searches looked at.
pub(super) fn plans(view: &RecommendView<'_>) -> String {
    let counts = view.recommendation.plans;
    let numbers = [counts.plans(), counts.memory_evaluated, counts.timed, counts.pruned];
    let [all, evaluated, timed, pruned] = numbers.map(|n| n.to_string());
    section::PLANS_LOOKED_AT.fill(view.language, &[&all, &evaluated, &timed, &pruned])
}

/// Title of block C with its counts.
pub(super) fn considered(view: &RecommendView<'_>) -> String {
    let feasible = view.recommendation.feasible;
    section::CANDIDATES_CONSIDERED
        .fill(view.language, &[&view.recommendation.considered.to_string(), &feasible.to_string()])
}
