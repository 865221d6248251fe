//! Small texts shared by the sentences and tables of a recommendation.

use super::RecommendView;
use crate::advisor::Candidate;
use crate::advisor::rank::interval_cost;
use crate::catalog::{Precision, Purchase};
use crate::plan::Plan;
use crate::profile::Grade;
use crate::report::phrases::{column, quota, recommend as say, verdict};
use crate::report::{Language, Phrase};
use crate::simulator::Bound;
use crate::units::{Currency, Money, Seconds, text};

/// Digits that an estimate of this grade deserves.
pub(in crate::report) const fn digits(grade: Grade) -> usize {
    if matches!(grade, Grade::D) { 2 } else { 3 }
}

/// Mark of an estimate at grade D.
pub(in crate::report) const fn about(grade: Grade) -> &'static str {
    if matches!(grade, Grade::D) { "~" } else { "" }
}

pub(in crate::report) fn time(seconds: f64, grade: Grade) -> String {
    format!("{}{}", about(grade), text::duration(Seconds::new(seconds), digits(grade)))
}

/// Rounded money without its currency, for columns that name it.
pub(in crate::report) fn amount(value: f64, grade: Grade) -> String {
    let digits = if value < 100.0 { digits(grade) } else { digits(grade).max(3) };
    format!("{}{}", about(grade), text::significant(value, digits))
}

pub(in crate::report) fn money(value: f64, currency: Currency, grade: Grade) -> String {
    format!("{} {currency}", amount(value, grade))
}

/// `provider/instance:N` without the region, which has a column of its own.
pub(super) fn cluster(view: &RecommendView<'_>, candidate: &Candidate) -> String {
    match candidate.cluster.instance {
        Some(id) => format!("{}:{}", view.catalog.instance(id).key(), candidate.cluster.nodes),
        None => candidate.cluster.label.clone(),
    }
}

pub(super) fn place(candidate: &Candidate) -> String {
    candidate.cluster.place.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string)
}

/// Region and country without the provider and city, for rows that name the provider already.
pub(super) fn short_place(candidate: &Candidate) -> String {
    let Some(place) = &candidate.cluster.place else { return "?".to_owned() };
    match (&place.region, &place.city_country) {
        (Some(region), Some((_, country))) => format!("{region}, {country}"),
        (Some(region), None) => region.clone(),
        (None, _) => "?".to_owned(),
    }
}

/// The resource that binds in one word.
pub(super) const fn short_bound(bound: Bound) -> Phrase {
    match bound {
        Bound::Compute => column::COMPUTE,
        Bound::Memory => column::BANDWIDTH,
        Bound::Communication => column::NETWORK_SHORT,
        Bound::Launch => column::LAUNCH,
        Bound::Bubble => column::BUBBLE,
        Bound::Input => column::INPUT,
    }
}

pub(in crate::report) const fn purchase(purchase: Purchase) -> Phrase {
    match purchase {
        Purchase::OnDemand => verdict::ON_DEMAND,
        Purchase::Spot => verdict::SPOT,
        Purchase::Reserved1y => verdict::RESERVED_1Y,
        Purchase::Reserved3y => verdict::RESERVED_3Y,
        Purchase::Monthly => verdict::MONTHLY,
    }
}

pub(super) fn gpu<'a>(view: &RecommendView<'a>, candidate: &Candidate) -> &'a str {
    &view.catalog.gpu(candidate.cluster.gpu).id
}

/// The plan in a few letters: `t2 p1 d4 zero1 full mb4 x16`.
pub fn plan(plan: &Plan) -> String {
    let mut parts = Vec::new();
    for (letter, degree) in [
        ('t', plan.tensor_parallel),
        ('p', plan.pipeline_parallel),
        ('v', plan.virtual_stages),
        ('c', plan.context_parallel),
        ('e', plan.expert_parallel),
        ('d', plan.data_parallel),
    ] {
        if degree > 1 {
            parts.push(format!("{letter}{degree}"));
        }
    }
    if parts.is_empty() {
        parts.push("1 GPU".to_owned());
    }
    if plan.sharding != crate::plan::Sharding::None {
        parts.push(plan.sharding.name().to_owned());
    }
    if plan.optimizer_offload {
        parts.push("host optimizer".to_owned());
    }
    if plan.recompute != crate::plan::Recompute::None {
        parts.push(format!("recompute {}", plan.recompute.name()));
    }
    parts.push(format!("micro-batch {} x {}", plan.micro_batch, plan.gradient_accumulation_steps));
    parts.join(" ")
}

pub(in crate::report) const fn bound(bound: Bound) -> Phrase {
    match bound {
        Bound::Compute => verdict::COMPUTE_BOUND,
        Bound::Memory => verdict::MEMORY_BOUND,
        Bound::Communication => verdict::COMMUNICATION_BOUND,
        Bound::Launch => verdict::LAUNCH_BOUND,
        Bound::Bubble => verdict::PIPELINE_BUBBLE,
        Bound::Input => verdict::INPUT_BOUND,
    }
}

pub(in crate::report) fn precisions(list: &[Precision]) -> String {
    list.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ")
}

/// P50 and P90 cost with currency, or "no price".
pub(super) fn cost_pair(candidate: &Candidate, currency: Currency, language: Language) -> (String, String) {
    match interval_cost(candidate) {
        Some(c) => (money(c.p50, currency, candidate.grade), money(c.p90, currency, candidate.grade)),
        None => (verdict::NO_PRICE.owned(language), verdict::NO_PRICE.owned(language)),
    }
}

/// A node-hour price as stated: cents matter.
pub(in crate::report) fn rate(money: Money) -> String {
    text::money(money.rounded(2))
}

/// A reason of rejection by its unlocalised name.
pub(in crate::report) fn reason(name: &str) -> Phrase {
    match name {
        "precision" => say::NAME_PRECISION,
        "no_kernel" => say::NAME_NO_KERNEL,
        "stack" => say::NAME_STACK,
        "memory" => say::NAME_MEMORY,
        "no_valid_plan" => say::NAME_PLAN,
        "deadline" => say::NAME_DEADLINE,
        "budget" => say::NAME_BUDGET,
        "never_ends" => say::NAME_NEVER_ENDS,
        "gone" => say::NAME_GONE,
        "place" => say::NAME_PLACE,
        "quota" => quota::NAME_QUOTA,
        "quota_not_checked" => quota::NAME_UNKNOWN,
        "no_price" => say::NAME_NO_PRICE,
        "unconfirmed" => say::NAME_UNCONFIRMED,
        _ => say::STATUS_REFERENCE,
    }
}
