//! What the quota says: the limit, what is beyond it, and the answer after its increase.

use super::RecommendView;
use super::cells::{cluster, cost_pair, gpu, place, time};
use crate::advisor::Candidate;
use crate::cost::{Allowance, QuotaUnit};
use crate::report::Language;
use crate::report::phrases::quota as say;

/// The limit in a few words. Stock is in no file: nobody but the provider knows it.
pub(super) fn limit(view: &RecommendView<'_>) -> String {
    let lang = view.language;
    let Some(limit) = &view.request.quota else { return say::NOT_CHECKED.owned(lang) };
    match limit.quota.as_of() {
        Some(day) => say::LIMIT_OF.fill(lang, &[&day.to_string()]),
        None => say::LIMIT.owned(lang),
    }
}

/// What a cluster needs and what the quota holds.
pub(super) fn beyond(
    cluster: &str,
    (needed, held): (u32, u32),
    unit: QuotaUnit,
    language: Language,
) -> String {
    let phrase = match unit {
        QuotaUnit::Nodes => say::BEYOND_NODES,
        QuotaUnit::Gpus => say::BEYOND_GPUS,
    };
    phrase.fill(language, &[cluster, &needed.to_string(), &held.to_string()])
}

/// No line of the quota speaks of a candidate.
pub(super) fn not_checked(view: &RecommendView<'_>, candidate: &Candidate) -> bool {
    let (Some(limit), Some(offer)) = (&view.request.quota, &candidate.offer) else { return false };
    let instance = view.catalog.instance(offer.instance);
    limit.quota.allows(instance, &offer.place, candidate.cluster.nodes, limit.increased) == Allowance::Unknown
}

/// The answer if the increase arrives; `None` without a quota that is to grow.
pub(super) fn increase(view: &RecommendView<'_>) -> Option<String> {
    let lang = view.language;
    let quota = &view.request.quota.as_ref()?.quota;
    if !quota.expects_more() {
        return None;
    }
    let day = quota.expected_on().map_or_else(|| say::UNDATED.owned(lang), |day| day.to_string());
    let today = view.recommendation.ranked.first();
    let Some(then) = view.recommendation.increased.as_deref() else {
        return Some(say::INCREASE_NOTHING.fill(lang, &[&day]));
    };
    if today.is_some_and(|t| t.cluster.label == then.cluster.label) {
        return Some(say::INCREASE_SAME.fill(lang, &[&day]));
    }
    let (p50, p90) = (time(then.paid.p50, then.grade), time(then.paid.p90, then.grade));
    let (cost, cost_p90) = cost_pair(then, view.request.prices.currency, lang);
    let gpus = then.cluster.gpus().to_string();
    let (cluster, place) = (cluster(view, then), place(then));
    let parts = [&day, &cluster, &place, &gpus, gpu(view, then), &p50, &p90, &cost, &cost_p90];
    Some(say::INCREASE.fill(lang, &parts))
}
