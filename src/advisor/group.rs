//! What became of the GPU groups asked for by name, and what would let the nearest misses in.

use super::candidate::{Candidate, Request};
use super::cure::Patient;
use super::machine::cluster_of_instance;
use super::recommend::{Facts, GroupOutcome};
use super::rejection::{Rejection, RejectionReason, Rejections};
use super::simulation::Question;
use crate::catalog::{GpuId, InstanceId};
use crate::cost::offers;
use crate::plan::Cluster;

/// The best candidate of each group, or the nearest miss.
pub(super) fn outcomes(
    facts: Facts<'_>,
    groups: &[(String, Vec<GpuId>)],
    ranked: &[Candidate],
    unpriced: &[Candidate],
    rejections: &[Rejection],
) -> Vec<GroupOutcome> {
    groups
        .iter()
        .map(|(group, gpus)| {
            let best = ranked.iter().chain(unpriced).find(|c| gpus.contains(&c.cluster.gpu)).cloned();
            let rejected = rejections
                .iter()
                .filter(|r| gpu_of(facts, &r.cluster).is_some_and(|g| gpus.contains(&g)))
                .filter(|r| !matches!(r.reason, RejectionReason::Place | RejectionReason::Gone))
                .min_by(|a, b| a.reason.miss().total_cmp(&b.reason.miss()))
                .cloned();
            GroupOutcome { group: group.clone(), best, rejected }
        })
        .collect()
}

/// Finds what would let the nearest miss of each reason in.
pub(super) fn treat(facts: Facts<'_>, request: &Request, groups: &mut [Rejections]) {
    let question = Question::from(request);
    for group in groups {
        let Some(cluster) = cluster_of(facts, &group.nearest.cluster) else { continue };
        let same = |o: &crate::cost::Offer| {
            Some(o.instance) == cluster.instance && Some(&o.place) == cluster.place.as_ref()
        };
        let all = match group.nearest.reason {
            RejectionReason::Budget { .. } => offers(facts.catalog, &request.prices),
            _ => Vec::new(),
        };
        let offer = all.iter().find(|o| same(o) && o.price.is_some());
        let patient = Patient { question: &question, cluster: &cluster, offer, budget: request.budget };
        group.cures = patient.cures(facts, &group.nearest.reason);
    }
}

/// Instance type, region and nodes of a label `provider/instance[@region]:N`.
fn parts<'a>(facts: Facts<'_>, label: &'a str) -> Option<(InstanceId, Option<&'a str>, u32)> {
    let (provider, rest) = label.split_once('/')?;
    let (name, nodes) = rest.rsplit_once(':')?;
    let (name, region) = name.split_once('@').map_or((name, None), |(n, r)| (n, Some(r)));
    Some((facts.catalog.find_instance(provider, name)?, region, nodes.parse().ok()?))
}

fn gpu_of(facts: Facts<'_>, label: &str) -> Option<GpuId> {
    parts(facts, label).map(|(id, ..)| facts.catalog.instance(id).gpu)
}

fn cluster_of(facts: Facts<'_>, label: &str) -> Option<Cluster> {
    let (id, region, nodes) = parts(facts, label)?;
    let place = facts.catalog.place(&facts.catalog.instance(id).provider, region);
    Some(cluster_of_instance(id, Some(place), nodes, facts.catalog, facts.profiles))
}
