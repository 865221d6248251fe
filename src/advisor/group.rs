//! What became of the GPU groups asked for by name, and what would let the nearest misses in.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::candidate::{Candidate, Request};
use super::cure::Patient;
use super::machine::cluster_of_instance;
use super::question::Question;
use super::recommend::{Facts, GroupOutcome};
use super::rejection::{Rejection, RejectionReason, Rejections, count};
use crate::catalog::GpuId;
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
    // Of thousands of rejections each is looked up once, and only where somebody asks.
    let instances = facts.catalog.instances.iter().filter(|_| !groups.is_empty());
    let known: BTreeMap<(&str, &str), GpuId> =
        instances.map(|i| ((i.provider.as_str(), i.name.as_str()), i.gpu)).collect();
    let gpu_of = |label: &str| known.get(&key(label)?).copied();
    groups
        .iter()
        .map(|(group, gpus)| {
            let best = ranked.iter().chain(unpriced).find(|c| gpus.contains(&c.cluster.gpu)).cloned();
            let own = rejections
                .iter()
                .filter(|r| gpu_of(&r.cluster).is_some_and(|g| gpus.contains(&g)))
                .filter(|r| !matches!(r.reason, RejectionReason::Place | RejectionReason::Gone));
            // The nearest miss of the reason that keeps most of them out.
            let rejected = count(own.cloned().collect()).into_iter().next().map(|first| first.nearest);
            GroupOutcome { group: group.clone(), best, rejected }
        })
        .collect()
}

/// Finds what would let the nearest miss of each reason in.
pub(super) fn treat(facts: Facts<'_>, request: &Request, groups: &mut [Rejections]) {
    let question = Question::from(request);
    groups.par_iter_mut().for_each(|group| {
        let Some(cluster) = cluster_of(facts, &group.nearest.cluster) else { return };
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
    });
}

/// Provider and instance type of a label `provider/instance[@region]:N`.
fn key(label: &str) -> Option<(&str, &str)> {
    let (provider, rest) = label.split_once('/')?;
    let (name, _) = rest.rsplit_once(':')?;
    Some((provider, name.split_once('@').map_or(name, |(name, _)| name)))
}

fn cluster_of(facts: Facts<'_>, label: &str) -> Option<Cluster> {
    let (provider, name) = key(label)?;
    let (rest, nodes) = label.rsplit_once(':')?;
    let region = rest.split_once('@').map(|(_, region)| region);
    let id = facts.catalog.find_instance(provider, name)?;
    let place = facts.catalog.place(provider, region);
    Some(cluster_of_instance(id, Some(place), nodes.parse().ok()?, facts.catalog, facts.profiles))
}
