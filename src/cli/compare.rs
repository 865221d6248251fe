//! `compare`: clusters side by side.

use rayon::prelude::*;

use super::args::CompareArgs;
use super::cluster::{self, Overrides};
use super::error::CliError;
use super::exit::ExitStatus;
use super::job;
use super::measured;
use super::problems::Problems;
use super::session::Session;
use super::simulate::simulate_named;
use super::view::{show, with_threads};
use crate::advisor::{Question, Simulation};
use crate::report::view_compare::{CompareView, document};
use crate::report::{wire, wire_compare};

/// Most clusters side by side.
const MOST_CLUSTERS: usize = 32;

/// Answers `compare`.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &CompareArgs) -> Result<ExitStatus, CliError> {
    let mut problems = Problems::default();
    if !(2..=MOST_CLUSTERS).contains(&args.clusters.len()) {
        let given = args.clusters.len();
        problems.usage(format!("--cluster: 2 to {MOST_CLUSTERS} clusters can be compared, {given} given"));
    }
    let session = Session::open(&args.common, &args.money, &mut problems)?;
    let resolved = job::resolve(&args.workload, &session.catalog, &session.profiles, &mut problems)?;
    let vcpus = resolved.as_ref().and_then(|r| r.vcpus);
    let overrides = Overrides::read(&args.generic, vcpus, &session.profiles, &mut problems);
    let mut clusters = Vec::new();
    for text in &args.clusters {
        match cluster::parse(text, &session, &overrides) {
            Ok(cluster) => clusters.push(cluster),
            Err(error) => problems.usage(format!("--cluster: {error}")),
        }
    }
    problems.check()?;
    let resolved = resolved.ok_or_else(|| CliError::usage("no job"))?;
    let constraints = args.plan.constraints();
    let resolved = resolved.suited(&constraints, &session.profiles);
    let job = &resolved.job;
    let given = args.workload.measured.as_deref();
    let anchor = measured::anchor(given, &session, &resolved, &constraints, &overrides)?;
    let question = Question {
        job,
        constraints: &constraints,
        anchor: anchor.as_ref(),
        storage: resolved.storage,
        prices: &session.prices,
    };
    let all = || clusters.into_par_iter().map(|c| simulate_named(&session, &question, c)).collect();
    let simulations: Vec<Simulation> = with_threads(args.common.threads, all)?;
    let stack = session.profiles.stack(&job.stack).map_or(job.stack.as_str(), |s| s.name.as_str());
    let catalog = &session.catalog;
    let view =
        CompareView { catalog, job, stack, simulations: &simulations, language: args.common.language() };
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    show(&document(&view), || wire_compare::compare(&view, origin), args.common.format)?;
    let any = simulations.iter().any(|s| s.outcome.is_ok());
    Ok(if any { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}
