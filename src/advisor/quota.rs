//! What may be started: clusters beyond the quota, and the answer once it has grown.

use super::candidate::{Candidate, QuotaLimit, Request};
use super::recommend::{Facts, gather};
use super::rejection::{Rejection, RejectionReason};
use crate::cost::Allowance;

/// Whether the quota lets a candidate in; `None` where none is stated.
pub(super) fn allowance(facts: Facts<'_>, request: &Request, candidate: &Candidate) -> Option<Allowance> {
    let limit = request.quota.as_ref()?;
    let offer = candidate.offer.as_ref()?;
    let instance = facts.catalog.instance(offer.instance);
    Some(limit.quota.allows(instance, &offer.place, candidate.cluster.nodes, limit.increased))
}

/// The reason where a candidate needs more than the quota holds.
pub(super) fn over_quota(
    facts: Facts<'_>,
    request: &Request,
    candidate: &Candidate,
) -> Option<RejectionReason> {
    match allowance(facts, request, candidate)? {
        Allowance::Over { needed, held, unit } => Some(RejectionReason::Quota { needed, held, unit }),
        Allowance::Within | Allowance::Unknown => None,
    }
}

/// What a budget or a quota does not let in, though block B shows it for information: what has no price or is not known to be
/// on sale is within no budget, what no line speaks of is within no quota.
pub(super) fn shown_though_out(facts: Facts<'_>, request: &Request, outside: &[Candidate]) -> Vec<Rejection> {
    let reason = |c: &Candidate| {
        if allowance(facts, request, c) == Some(Allowance::Unknown) {
            return Some(RejectionReason::NotChecked);
        }
        request.budget?;
        Some(match c.cost.as_ref().and_then(|cost| cost.comparable()) {
            None => RejectionReason::NoPrice,
            Some(_) if c.offer.as_ref().is_some_and(|o| !o.sold_by_user) => RejectionReason::NotSold,
            Some(_) => RejectionReason::Unconfirmed,
        })
    };
    let out = |c: &Candidate| Some(Rejection { cluster: c.cluster.label.clone(), reason: reason(c)? });
    outside.iter().filter_map(out).collect()
}

/// The best candidate when the quota has grown as expected.
pub(super) fn after_increase(facts: Facts<'_>, request: &Request) -> Option<Box<Candidate>> {
    let limit = request.quota.as_ref().filter(|l| l.quota.expects_more() && !l.increased)?;
    let quota = Some(QuotaLimit { increased: true, ..limit.clone() });
    let then = Request { quota, ..request.clone() };
    gather(facts, &then).winner(facts, &then).0.map(Box::new)
}
