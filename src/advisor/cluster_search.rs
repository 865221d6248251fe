//! The best plan on every node count of one kind of machine.

use std::sync::Arc;

use super::anchor::{apply, slower_step};
use super::batch::search_batches;
use super::candidate::Request;
use super::plan_axes::plan_space;
use super::plan_counts::PlanCounts;
use super::plan_parts::PartCache;
use super::plan_search::{PlanConstraints, Planned, search_space};
use super::precision::{no_kernel, resolve_precision};
use super::question::Question;
use super::recommend::Facts;
use super::rejection::RejectionReason;
use super::simulation::scenario;
use super::support::{unsupported, way};
use crate::plan::Cluster;
use crate::simulator::{Machine, Scenario, usually_fused_attention};
use crate::units::Seconds;

/// What a search on one cluster found: the plan, its step time on the assured network where that is slower, its spread.
pub type Searched = Result<(Arc<Planned>, Option<Seconds>, f64), RejectionReason>;

/// The best plan on every cluster of one kind of machine, each with what was looked at.
pub fn search_group(
    facts: Facts<'_>,
    request: &Request,
    clusters: &[Cluster],
) -> Vec<(Searched, PlanCounts)> {
    let mut cache = PartCache::default();
    let one = |cluster| {
        let mut counts = PlanCounts::default();
        (search(facts, request, cluster, &mut cache, &mut counts), counts)
    };
    clusters.iter().map(one).collect()
}

fn search(
    facts: Facts<'_>,
    request: &Request,
    cluster: &Cluster,
    cache: &mut PartCache,
    counts: &mut PlanCounts,
) -> Searched {
    let gpu = facts.catalog.gpu(cluster.gpu);
    let Some(stack) = facts.profiles.stack(&request.job.stack) else {
        return Err(RejectionReason::Stack { why: format!("no profile of {}", request.job.stack) });
    };
    let layered = facts.profiles.layered(stack, gpu, way(&request.job));
    let stack = layered.as_ref().unwrap_or(stack);
    let unsupported = unsupported(&request.constraints, request.job.method, stack);
    if let Some(reason) = unsupported.or_else(|| no_kernel(request.constraints.flash_attention, gpu)) {
        return Err(reason);
    }
    let (precision, _) = resolve_precision(&request.job, gpu, stack)?;
    let scenario = scenario(facts, &Question::from(request), cluster, stack);
    let flash = usually_fused_attention(scenario.workload, gpu, stack);
    let given = PlanConstraints { precision_given: request.job.precision.is_some(), ..request.constraints };
    let found = search_batches(&request.job, &given, cluster.gpus(), |batch| {
        let space = plan_space(&scenario, batch, precision, flash, &given);
        search_space(cache, &scenario, &space, &given)
    });
    *counts = found.counts;
    let mut planned = found.best?;
    let (mut spread, mut anchored) = (planned.uncertainty(&scenario, &facts.profiles.defaults), None);
    if let Some(anchor) = &request.anchor {
        let here = (cluster.label.as_str(), &scenario);
        let (done, own) = apply(anchor, here, &mut planned, spread, &facts.profiles.defaults);
        (spread, anchored) = (own, Some(done));
    }
    let assured = cluster.network.assured;
    let slow = (cluster.nodes > 1 && assured < cluster.network.maximum).then(|| {
        let machine = Machine { network_bandwidth: assured, ..scenario.machine };
        slower_step(&Scenario { machine, ..scenario }, &planned.plan, anchored.as_ref())
    });
    Ok((Arc::new(planned), slow, spread))
}
