//! `simulate`: one cluster, term by term.

use std::path::Path;

use super::args::SimulateArgs;
use super::cluster::{self, NamedCluster, Overrides};
use super::cost_report;
use super::error::CliError;
use super::exit::ExitStatus;
use super::job;
use super::measured;
use super::output::{check_target, print, remark, write_file};
use super::problems::Problems;
use super::session::Session;
use super::solve::Puzzle;
use super::view::{show, with_threads};
use crate::advisor::simulation::scenario;
use crate::advisor::{Question, Simulation, simulate};
use crate::cost::{Offer, offers};
use crate::interop::{emit, exporter};
use crate::report::trace::trace;
use crate::report::view_simulate::{SimulateView, document};
use crate::report::wire;
use crate::simulator::explain::{Explanation, explain};
use crate::simulator::schedule::{passes, schedule};
use crate::workload::{Assumption, Job};

/// Answers `simulate`.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &SimulateArgs) -> Result<ExitStatus, CliError> {
    let mut problems = Problems::default();
    if let Some(path) = &args.trace {
        check_target("--trace", path)?;
    }
    let session = Session::open(&args.common, &args.money, &mut problems)?;
    let resolved = job::resolve(&args.workload, &session.catalog, &session.profiles, &mut problems)?;
    let vcpus = resolved.as_ref().and_then(|r| r.vcpus);
    let overrides = Overrides::read(&args.generic, vcpus, &session.profiles, &mut problems);
    let cluster = named(args, &session, &overrides, &mut problems);
    let target = args.report.as_deref().and_then(|path| cost_report::target(path, &mut problems));
    let energy = args.energy.as_deref().and_then(|text| cost_report::energy(text, &mut problems));
    problems.check()?;
    let (Some(resolved), Some(cluster)) = (resolved, cluster) else {
        return Err(CliError::usage("no job or no cluster"));
    };
    let constraints = args.plan.constraints();
    let resolved = resolved.suited(&constraints, &session.profiles);
    let given = args.workload.measured.as_deref();
    let anchor = measured::anchor(given, &session, &resolved, &constraints, &overrides)?;
    let question = Question {
        job: &resolved.job,
        constraints: &constraints,
        anchor: anchor.as_ref(),
        storage: resolved.storage,
        prices: &session.prices,
    };
    let solved = match args.solve {
        Some(unknown) => {
            let puzzle = Puzzle {
                args,
                session: &session,
                job: &resolved,
                cluster: &cluster,
                overrides: &overrides,
                anchor: anchor.as_ref(),
            };
            Some(with_threads(args.common.threads, || puzzle.solve(unknown))??)
        }
        None => None,
    };
    let (simulation, job, solution) = if let Some(s) = solved {
        (s.simulation, s.job.job, Some((s.unknown.name(), s.value)))
    } else {
        let simulation = with_threads(args.common.threads, || simulate_named(&session, &question, cluster))?;
        (simulation, resolved.job.clone(), None)
    };
    let job = &job;
    let stack = session.profiles.stack(&job.stack).map_or(job.stack.as_str(), |s| s.name.as_str());
    if let Some(tool) = &args.emit {
        return emitted(tool, &simulation, job, args.common.quiet);
    }
    if let Some(path) = &args.trace {
        write_trace(path, &session, &question, &simulation)?;
    }
    let explanation = if args.explain { explained(&session, &question, &simulation, job) } else { None };
    let view = SimulateView {
        job,
        stack,
        simulation: &simulation,
        solution,
        explanation: explanation.as_ref(),
        language: args.common.language(),
    };
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    if let Some(target) = &target {
        let quiet = args.common.quiet;
        let language = args.common.lang.parse().unwrap_or_default();
        cost_report::write(target, &session, job, &simulation, energy, (language, quiet))?;
    }
    show(&document(&view), || wire::simulate(job, &simulation, solution, origin), args.common.format)?;
    Ok(if simulation.outcome.is_ok() { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

/// The formulas of the terms with this job's numbers, where it runs.
fn explained<'a>(
    session: &'a Session,
    question: &Question<'a>,
    simulation: &Simulation,
    job: &Job,
) -> Option<Explanation<'a>> {
    let planned = &simulation.estimate()?.planned;
    let stack = session.profiles.stack(&job.stack)?;
    let scenario = scenario(session.facts(), question, &simulation.cluster, stack);
    Some(explain(&scenario, &planned.plan, &planned.step))
}

/// Prints the plan in the words of another tool; remarks go to standard error.
fn emitted(tool: &str, simulation: &Simulation, job: &Job, quiet: bool) -> Result<ExitStatus, CliError> {
    let exporter = exporter(tool).map_err(|e| CliError::usage(format!("--emit: {e}")))?;
    let Some(estimate) = simulation.estimate() else {
        remark(quiet, "the job does not run here: there is no plan to write");
        return Ok(ExitStatus::NothingFeasible);
    };
    let emission = emit(&exporter, &estimate.planned.plan, &job.workload)
        .map_err(|e| CliError::usage(format!("--emit: {e}")))?;
    print(&format!("{}\n", emission.text))?;
    remark(quiet, &format!("written for {} {}", exporter.name, exporter.version));
    emission.notes.iter().for_each(|note| remark(quiet, note));
    Ok(ExitStatus::Success)
}

/// Longer traces open in no viewer.
const MOST_PASSES: u64 = 1_000_000;

/// Writes the trace of a job that runs; one that does not has no step.
fn write_trace(
    path: &Path,
    session: &Session,
    question: &Question<'_>,
    simulation: &Simulation,
) -> Result<(), CliError> {
    let Some(estimate) = simulation.estimate() else { return Ok(()) };
    let plan = &estimate.planned.plan;
    if passes(plan) > MOST_PASSES {
        let message = format!(
            "--trace: {} forward and backward passes are too many to draw, at most {MOST_PASSES}; use a larger \
             --micro-batch or a smaller --global-batch",
            passes(plan)
        );
        return Err(CliError::usage(message));
    }
    let Some(stack) = session.profiles.stack(&question.job.stack) else { return Ok(()) };
    let scenario = scenario(session.facts(), question, &simulation.cluster, stack);
    let about = format!("{} on {}", question.job.workload.name, simulation.cluster.label);
    let text = trace(&schedule(&scenario, plan, &estimate.planned.step), &about)
        .map_err(|e| CliError::Output(format!("cannot write JSON: {e}")))?;
    write_file(path, text.as_bytes())
}

fn named(
    args: &SimulateArgs,
    session: &Session,
    overrides: &Overrides,
    problems: &mut Problems,
) -> Option<NamedCluster> {
    let result = match (&args.cluster, &args.gpu, &args.gpus) {
        (Some(text), ..) => cluster::parse(text, session, overrides).map_err(|e| format!("--cluster: {e}")),
        (None, Some(gpu), Some(gpus)) => match cluster::count(gpus, "GPUs", 1_000_000) {
            Ok(gpus) => cluster::generic(gpu, gpus, &session.catalog, &session.profiles, overrides)
                .map_err(|e| format!("--gpu: {e}")),
            Err(error) => Err(format!("--gpus: {error}")),
        },
        _ => Err("no cluster: add --cluster provider/instance:N, or --gpu GPU --gpus N".to_owned()),
    };
    result.map_err(|message| problems.usage(message)).ok()
}

/// Simulates a named cluster under the price that holds for it.
pub fn simulate_named(session: &Session, question: &Question<'_>, named: NamedCluster) -> Simulation {
    let NamedCluster { mut cluster, mut assumed } = named;
    let offer = offer_of(session, &cluster);
    if let (Some(offer), None) = (&offer, &cluster.place)
        && offer.place.region.is_some()
    {
        assumed.push(Assumption {
            name: "place".to_owned(),
            value: offer.place.to_string(),
            reason: "no region given: the lowest price; @REGION after the instance type fixes it".to_owned(),
        });
        cluster.place = Some(offer.place.clone());
    }
    simulate(session.facts(), question, cluster, offer, assumed)
}

/// The offer of a cluster's instance type in its region, or the cheapest one where no region is given.
pub fn offer_of(session: &Session, cluster: &crate::plan::Cluster) -> Option<Offer> {
    let id = cluster.instance?;
    let region = cluster.place.as_ref().map(|p| &p.region);
    let prices = &session.prices;
    let per_hour = |offer: &Offer| {
        let price = &offer.price.as_ref()?.price;
        prices.fx.convert(price.per_hour, prices.currency).ok().map(|m| m.rounded(2).amount)
    };
    let mut found: Vec<(Offer, _)> = offers(&session.catalog, prices)
        .into_iter()
        .filter(|o| o.instance == id && region.is_none_or(|r| *r == o.place.region))
        .map(|o| {
            let rate = per_hour(&o);
            (o, rate)
        })
        .collect();
    // On sale before unknown before gone, priced before unpriced, then cheapest to the cent, then newest; ties in the
    // order of the catalog.
    let date = |o: &Offer| o.price.as_ref().and_then(|s| s.price.as_of);
    found.sort_by_key(|(o, rate)| {
        (o.on_sale, rate.is_none(), *rate, o.price.is_none(), std::cmp::Reverse(date(o)))
    });
    found.into_iter().next().map(|(offer, _)| offer)
}
