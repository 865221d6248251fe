//! `simulate --cluster A:1 --cluster B:1`: one job on nodes of several kinds.

use super::args::SimulateArgs;
use super::cluster::{self, NamedCluster};
use super::error::CliError;
use super::exit::ExitStatus;
use super::offer::cheapest_for;
use super::prepared::Prepared;
use super::simulate::simulate_named;
use super::view::{show, with_threads};
use crate::advisor::mixed::{common_precision, mixed};
use crate::advisor::{Question, Simulation};
use crate::cost::{CostOutcome, JobTimes, job_cost};
use crate::plan::Cluster;
use crate::report::view_mixed::{MixedView, document};
use crate::report::{wire, wire_mixed};
use crate::simulator::Interval;
use crate::workload::Job;

/// Most kinds of nodes in one job.
const MOST_KINDS: usize = 4;

/// Answers `simulate` with several clusters.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &SimulateArgs) -> Result<ExitStatus, CliError> {
    let (prepared, named) = Prepared::open(args, |session, overrides, problems| {
        if args.clusters.len() > MOST_KINDS {
            let given = args.clusters.len();
            problems
                .usage(format!("--cluster: one job on at most {MOST_KINDS} kinds of nodes, {given} given"));
        }
        for (given, flag) in [
            (args.solve.is_some(), "--solve"),
            (args.emit.is_some(), "--emit"),
            (args.trace.is_some(), "--trace"),
            (args.report.is_some(), "--report"),
            (args.plot.is_some(), "--plot"),
            (args.risk.risk, "--risk"),
        ] {
            if given {
                problems.usage(format!("{flag} needs one --cluster"));
            }
        }
        let mut named: Vec<NamedCluster> = Vec::new();
        for text in &args.clusters {
            match cluster::parse(text, session, overrides) {
                Ok(cluster) => named.push(cluster),
                Err(error) => problems.usage(format!("--cluster: {error}")),
            }
        }
        if let Some(message) = apart(named.iter().map(|n| &n.cluster)) {
            problems.usage(message);
        }
        Ok(named)
    })?;
    let session = &prepared.session;
    let clusters: Vec<Cluster> = named.iter().map(|n| n.cluster.clone()).collect();
    session.remark_unused_by(&clusters.iter().collect::<Vec<_>>());
    let own = prepared.question();
    let precision =
        common_precision(session.facts(), own.job, &clusters).unwrap_or(crate::catalog::Precision::Fp32);
    let job = Job { precision: Some(precision), ..own.job.clone() };
    let question = Question { job: &job, ..own };
    let (found, alone) = with_threads(args.common.threads, || {
        let alone: Vec<Simulation> =
            named.into_iter().map(|n| simulate_named(session, &question, n)).collect();
        (mixed(session.facts(), &question, precision, &clusters), alone)
    })?;
    let costs = [&found.equal, &found.by_speed]
        .map(|split| split.as_ref().ok().and_then(|s| together(&prepared, &clusters, s.total)));
    let alone_costs: Vec<Option<[f64; 3]>> = alone
        .iter()
        .map(|s| together(&prepared, std::slice::from_ref(&s.cluster), s.estimate()?.time.total))
        .collect();
    let view = MixedView {
        job: &job,
        stack: prepared.stack(),
        alone: &alone,
        mixed: &found,
        costs,
        alone_costs: &alone_costs,
        language: args.common.language(),
    };
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    show(&document(&view), || wire_mixed::mixed(&view, origin), args.common.format)?;
    let any = found.equal.is_ok() || found.by_speed.is_ok();
    Ok(if any { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

/// Why nodes cannot be in one cluster: two providers, or two regions.
fn apart<'a>(clusters: impl Iterator<Item = &'a Cluster>) -> Option<String> {
    let places: Vec<(&str, &Option<String>)> =
        clusters.filter_map(|c| c.place.as_ref()).map(|p| (p.provider.as_str(), &p.region)).collect();
    let first = places.first()?;
    let other = places.iter().find(|p| *p != first)?;
    let name = |(provider, region): &(&str, &Option<String>)| match region {
        Some(region) => format!("{provider}:{region}"),
        None => (*provider).to_owned(),
    };
    Some(format!("--cluster: {} and {} share no network; name nodes of one region", name(first), name(other)))
}

/// What all nodes together cost for so long, in the currency asked for; `None` when any has no such price.
fn together(prepared: &Prepared, clusters: &[Cluster], total: Interval) -> Option<[f64; 3]> {
    let session = &prepared.session;
    let mut sum = [0.0; 3];
    for cluster in clusters {
        let times = JobTimes::of(prepared.job.job.folds, total);
        let offer = cheapest_for(session, cluster, times)?;
        let rule = session.billing.rule(&offer.place.provider);
        let price = offer.price.as_ref().map(|s| &s.price);
        let prices = &session.prices;
        let CostOutcome::Priced(cost) =
            job_cost(price, cluster.nodes, times, &rule, &prices.fx, prices.currency)
        else {
            return None;
        };
        for (total, money) in sum.iter_mut().zip([cost.p10, cost.p50, cost.p90]) {
            *total += money.as_f64();
        }
    }
    Some(sum)
}
