//! `compare`: clusters side by side.

use rayon::prelude::*;

use super::args::{CompareArgs, WorkloadArgs};
use super::cluster::{self, Overrides};
use super::error::CliError;
use super::exit::ExitStatus;
use super::job::{self, ResolvedJob};
use super::measured;
use super::problems::Problems;
use super::session::Session;
use super::simulate::simulate_named;
use super::view::{show, with_threads};
use crate::advisor::Simulation;
use crate::plan::Cluster;
use crate::report::view_compare::{CompareView, document};
use crate::report::{Language, view_workloads, wire, wire_compare, wire_workloads};

/// Most clusters side by side.
const MOST_CLUSTERS: usize = 32;

/// Most workloads in one table.
const MOST_WORKLOADS: usize = 64;

/// Answers `compare`: one job with its reasons, or several models in a table.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &CompareArgs) -> Result<ExitStatus, CliError> {
    let mut problems = Problems::default();
    if !(2..=MOST_CLUSTERS).contains(&args.clusters.len()) {
        let given = args.clusters.len();
        problems.usage(format!("--cluster: 2 to {MOST_CLUSTERS} clusters can be compared, {given} given"));
    }
    let models = models(args, &mut problems);
    let session = Session::open(&args.common, &args.money, &mut problems)?;
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    let language = args.common.language();
    if models.len() < 2 {
        let compared = compared(args, &args.workload, &session, problems)?;
        compared.remark_unused(&session);
        let view = view(&compared, &session, language);
        show(&document(&view), || wire_compare::compare(&view, origin), args.common.format)?;
        return Ok(status(std::slice::from_ref(&compared)));
    }
    let mut all = Vec::with_capacity(models.len());
    for model in models {
        let workload = WorkloadArgs { model: Some(model), ..args.workload.clone() };
        all.push(compared(args, &workload, &session, std::mem::take(&mut problems))?);
    }
    if let Some(first) = all.first() {
        first.remark_unused(&session);
    }
    let views: Vec<CompareView<'_>> = all.iter().map(|c| view(c, &session, language)).collect();
    let document = session.with_doubts(view_workloads::document(&views), language);
    show(&document, || wire_workloads::workloads(&views, origin), args.common.format)?;
    Ok(status(&all))
}

/// The models of a list, which is of one for a name without a comma.
fn models(args: &CompareArgs, problems: &mut Problems) -> Vec<String> {
    let given = args.workload.model.as_deref().unwrap_or_default();
    let models: Vec<String> =
        given.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if models.len() > MOST_WORKLOADS {
        problems
            .usage(format!("--model: up to {MOST_WORKLOADS} models fit one table, {} given", models.len()));
    }
    if models.len() > 1 && args.workload.measured.is_some() {
        problems.usage("--measured: belongs to one model; give one".to_owned());
    }
    models
}

/// A job with what comes of it on each cluster.
struct Compared {
    resolved: ResolvedJob,
    simulations: Vec<Simulation>,
}

impl Compared {
    /// Says which prices belong to none of the clusters.
    fn remark_unused(&self, session: &Session) {
        let clusters: Vec<&Cluster> = self.simulations.iter().map(|s| &s.cluster).collect();
        session.remark_unused_by(&clusters);
    }
}

fn compared(
    args: &CompareArgs,
    workload: &WorkloadArgs,
    session: &Session,
    mut problems: Problems,
) -> Result<Compared, CliError> {
    let resolved = job::resolve(workload, &session.catalog, &session.profiles, &mut problems)?;
    let vcpus = resolved.as_ref().and_then(|r| r.vcpus);
    let overrides = Overrides::read(&args.generic, vcpus, &session.profiles, &mut problems);
    let mut clusters = Vec::new();
    for text in &args.clusters {
        match cluster::parse(text, session, &overrides) {
            Ok(cluster) => clusters.push(cluster),
            Err(error) => problems.usage(format!("--cluster: {error}")),
        }
    }
    problems.check()?;
    let resolved = resolved.ok_or_else(|| CliError::usage("no job"))?;
    let constraints = args.plan.constraints();
    let resolved = resolved.suited(&constraints, &session.profiles);
    let given = workload.measured.as_deref();
    let anchor = measured::anchor(given, session, &resolved, &constraints, &overrides)?;
    let question = measured::question(&resolved, &constraints, anchor.as_ref(), &session.prices);
    let all = || clusters.into_par_iter().map(|c| simulate_named(session, &question, c)).collect();
    let simulations: Vec<Simulation> = with_threads(args.common.threads, all)?;
    Ok(Compared { resolved, simulations })
}

fn view<'a>(compared: &'a Compared, session: &'a Session, language: Language) -> CompareView<'a> {
    let job = &compared.resolved.job;
    let stack = session.profiles.stack(&job.stack).map_or(job.stack.as_str(), |s| s.name.as_str());
    CompareView { catalog: &session.catalog, job, stack, simulations: &compared.simulations, language }
}

fn status(all: &[Compared]) -> ExitStatus {
    let any = all.iter().flat_map(|c| &c.simulations).any(|s| s.outcome.is_ok());
    if any { ExitStatus::Success } else { ExitStatus::NothingFeasible }
}
