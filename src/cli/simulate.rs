//! `simulate`: one cluster, term by term.

use std::path::Path;

use super::args::SimulateArgs;
use super::cluster::{self, NamedCluster, Overrides};
use super::cost_report;
use super::elastic;
use super::emitted;
use super::error::CliError;
use super::exit::ExitStatus;
use super::mixed;
use super::offer::{cheapest_for, offers_under};
use super::open_length::opened;
use super::output::{check_target, draw, plot_format, remark, write_file};
use super::prepared::Prepared;
use super::problems::Problems;
use super::risk;
use super::session::Session;
use super::solve::{Puzzle, Unknown};
use super::solve_goal::{Goal, budget_of};
use super::view::{show, with_threads};
use crate::advisor::batch::adopt;
use crate::advisor::simulation::scenario;
use crate::advisor::{Estimate, Patient, Question, Simulation, simulate};
use crate::cost::{JobTimes, Offer};
use crate::report::picture_simulate::pictures;
use crate::report::plot::PlotModel;
use crate::report::trace::trace;
use crate::report::view_risk::RiskView;
use crate::report::view_simulate::{SimulateView, document};
use crate::report::wire;
use crate::simulator::MemoryEstimate;
use crate::simulator::explain::{Explanation, explain};
use crate::simulator::memory::stage_memory;
use crate::simulator::schedule::{passes, schedule};
use crate::workload::{Assumption, Job};

/// Answers `simulate`.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &SimulateArgs) -> Result<ExitStatus, CliError> {
    if args.schedule.schedule.is_some() {
        return elastic::run(args);
    }
    if args.clusters.len() > 1 {
        return mixed::run(args);
    }
    check_targets(args)?;
    let lengthened = open_length(args);
    let args = lengthened.as_ref().unwrap_or(args);
    let (prepared, (cluster, target, energy, budget)) =
        Prepared::open(args, |session, overrides, problems| {
            let cluster = named(args, session, overrides, problems);
            let target = args.report.as_deref().and_then(|path| cost_report::target(path, problems));
            let energy = args.energy.as_deref().and_then(|text| cost_report::energy(text, problems));
            let budget = budget_of(args, session, problems);
            Ok((cluster, target, energy, budget))
        })?;
    let cluster = cluster.ok_or_else(|| CliError::usage("no cluster"))?;
    prepared.session.remark_unused_by(&[&cluster.cluster]);
    let (session, resolved, anchor) = (&prepared.session, &prepared.job, prepared.anchor.as_ref());
    let question = prepared.question();
    let solved = match args.solve {
        Some(unknown) => {
            let (cluster, overrides) = (&cluster, &prepared.overrides);
            let goal = Goal { deadline: prepared.terms.deadline, budget };
            let terms = prepared.terms;
            let puzzle = Puzzle { args, session, job: resolved, cluster, overrides, anchor, goal, terms };
            Some(with_threads(args.common.threads, || puzzle.solve(unknown))??)
        }
        None => None,
    };
    let (mut simulation, mut job, solution) = if let Some(s) = solved {
        (s.simulation, s.job.job, Some((s.unknown.name(), s.value)))
    } else {
        let simulation = with_threads(args.common.threads, || treated(session, &question, cluster.clone()))?;
        (simulation, resolved.job.clone(), None)
    };
    adopt(&mut job, &mut simulation);
    let job = &job;
    if let Some(status) = emitted::write(args, &prepared, (job, &simulation), &cluster)? {
        return Ok(status);
    }
    if let Some(path) = &args.trace {
        write_trace(path, session, &question, &simulation)?;
    }
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    let language = args.common.language();
    let picture = painted(args, session, &question, (&simulation, job), origin)?;
    let explanation = if args.explain { explained(session, &question, &simulation, job) } else { None };
    let risk = risk::assess(args, session, &simulation, &prepared.terms);
    let risk = risk.as_ref().map(|(risk, steady)| RiskView { risk, steady: steady.as_ref(), language });
    let view = SimulateView {
        job,
        stack: prepared.stack(),
        simulation: &simulation,
        solution,
        currency: session.prices.currency,
        explanation: explanation.as_ref(),
        language,
    };
    if let Some(target) = &target {
        let language = args.common.lang.parse().unwrap_or_default();
        let how = (language, args.common.quiet);
        cost_report::write(target, session, job, &simulation, energy, picture, how)?;
    }
    let mut shown = document(&view);
    shown.blocks.extend(risk.iter().flat_map(RiskView::blocks));
    show(&shown, || wire::simulate(job, &simulation, solution, risk.as_ref(), origin), args.common.format)?;
    Ok(if simulation.outcome.is_ok() { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

/// Refuses files that cannot be written before the work begins.
fn check_targets(args: &SimulateArgs) -> Result<(), CliError> {
    if let Some(path) = &args.trace {
        check_target("--trace", path)?;
    }
    if let Some(path) = &args.plot {
        plot_format(path)?;
    }
    Ok(())
}

/// The plots of a job that runs, drawn into a file where one is asked for.
fn painted(
    args: &SimulateArgs,
    session: &Session,
    question: &Question<'_>,
    (simulation, job): (&Simulation, &Job),
    origin: wire::Origin<'_>,
) -> Result<Option<PlotModel>, CliError> {
    let Some(estimate) = simulation.estimate() else { return Ok(None) };
    let language = args.common.language();
    let memories = stage_memories(session, question, simulation, estimate);
    let picture = pictures(job, simulation, &memories, origin, language);
    if let Some(path) = &args.plot {
        draw(path, &picture, language)?;
        remark(args.common.quiet, &format!("the plot is in {}", path.display()));
    }
    Ok(Some(picture))
}

/// The same question with a length to begin from, where the length is what is asked for and none is given.
fn open_length(args: &SimulateArgs) -> Option<SimulateArgs> {
    let asked = args.solve == Some(Unknown::Length);
    let workload = if asked { opened(&args.workload)? } else { return None };
    Some(SimulateArgs { workload, ..args.clone() })
}

/// A simulation, with what would let a job run that does not.
fn treated(session: &Session, question: &Question<'_>, cluster: NamedCluster) -> Simulation {
    let mut simulation = simulate_named(session, question, cluster);
    if let Err(blocked) = &mut simulation.outcome {
        let (cluster, offer) = (&simulation.cluster, simulation.offer.as_ref());
        let patient = Patient { question, cluster, offer, budget: None };
        blocked.cures = patient.cures(session.facts(), &blocked.reason);
    }
    simulation
}

/// The memory of every pipeline stage of the plan.
fn stage_memories(
    session: &Session,
    question: &Question<'_>,
    simulation: &Simulation,
    estimate: &Estimate,
) -> Vec<MemoryEstimate> {
    let Some(stack) = session.profiles.stack(&question.job.stack) else { return Vec::new() };
    let scenario = scenario(session.facts(), question, &simulation.cluster, stack);
    let plan = &estimate.planned.plan;
    (0..plan.pipeline_parallel).map(|stage| stage_memory(&scenario, plan, stage)).collect()
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
    let result = match (args.clusters.first(), &args.gpu, &args.gpus) {
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

/// Simulates a named cluster under the offer that is cheapest for its predicted time.
pub fn simulate_named(session: &Session, question: &Question<'_>, named: NamedCluster) -> Simulation {
    let found = offers_under(&session.catalog, &session.prices, &named.cluster);
    let several = found.iter().any(|o| o.purchase != found[0].purchase);
    let simulation = simulate_under(session, question, named.clone(), found.into_iter().next());
    let Some(estimate) = simulation.estimate().filter(|_| several) else { return simulation };
    let cheapest = cheapest_for(session, &named.cluster, JobTimes::of(estimate.jobs, estimate.paid));
    if cheapest == simulation.offer { simulation } else { simulate_under(session, question, named, cheapest) }
}

fn simulate_under(
    session: &Session,
    question: &Question<'_>,
    named: NamedCluster,
    offer: Option<Offer>,
) -> Simulation {
    let NamedCluster { mut cluster, mut assumed } = named;
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
