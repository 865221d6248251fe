//! `simulate --emit`: the plan in the words of another tool.

use super::args::SimulateArgs;
use super::cluster::NamedCluster;
use super::error::CliError;
use super::exit::ExitStatus;
use super::job::ResolvedJob;
use super::output::{print, remark};
use super::prepared::Prepared;
use super::simulate::simulate_named;
use super::view::with_threads;
use crate::advisor::{PlanConstraints, Question, Simulation};
use crate::interop::{Emission, EmitError, Exporter, emit, exporter};
use crate::plan::{Plan, Recompute, Sharding};
use crate::profile::Profiles;
use crate::units::text::percent;
use crate::workload::Job;

/// The exporter of `--emit`.
///
/// # Errors
/// When there is none of that name.
pub fn tool(name: Option<&str>) -> Result<Option<Exporter>, CliError> {
    name.map(exporter).transpose().map_err(|e| CliError::usage(format!("--emit: {e}")))
}

/// The job with the software that the tool's plans are predicted with, where nobody named one.
pub fn suited(mut job: ResolvedJob, exporter: Option<&Exporter>, profiles: &Profiles) -> ResolvedJob {
    let known = exporter.filter(|tool| profiles.stack(&tool.stack).is_some());
    let assumed = job.job.assumed.iter_mut().find(|a| a.name == "framework");
    if let (Some(tool), Some(assumed)) = (known, assumed) {
        assumed.value.clone_from(&tool.stack);
        assumed.reason = format!("the plan is written for {}", tool.name);
        job.job.stack.clone_from(&tool.stack);
    }
    job
}

/// Prints the plan of a job, where `--emit` asks for it. Where the tool lacks the sharding of the fastest plan and nobody
/// fixed it or asked an inverse question, it is the fastest plan on the cluster with a sharding that the tool has. `None`
/// where nothing is printed: not asked for, or the job does not run and there is no plan.
///
/// # Errors
/// An unknown tool, every rule of it that the plan breaks, and all that it cannot express.
pub fn write(
    args: &SimulateArgs,
    prepared: &Prepared,
    (job, simulation): (&Job, &Simulation),
    cluster: &NamedCluster,
) -> Result<Option<ExitStatus>, CliError> {
    let Some(exporter) = &tool(args.emit.as_deref())? else { return Ok(None) };
    let quiet = args.common.quiet;
    let Some(estimate) = simulation.estimate() else {
        remark(quiet, "the job does not run here: there is no plan to write");
        return Ok(None);
    };
    let plan = &estimate.planned.plan;
    let emission = match emit(exporter, plan, &job.workload) {
        Err(error) if args.solve.is_none() => {
            let others = with_threads(args.common.threads, || others(exporter, prepared, plan, cluster))?;
            let step = |s: &Simulation| s.estimate().map_or(f64::INFINITY, |e| e.planned.step.total().get());
            let best = others.into_iter().min_by(|a, b| step(&a.0).total_cmp(&step(&b.0)));
            let Some((other, emission)) = best else { return Err(refused(&error)) };
            let longer = step(&other) / step(simulation) - 1.0;
            let than = format!("{} {}", percent(longer.abs()), if longer < 0.0 { "less" } else { "longer" });
            let (reasons, recompute) =
                (error.reasons.join("; "), plan_of(&other).map(|p| p.recompute.name()));
            let which = match recompute.filter(|_| prepared.constraints.recompute.is_some()) {
                Some(recompute) => format!(
                    "not the plan asked for, of which: {reasons}; this one has recompute {recompute} and"
                ),
                None => format!("not the fastest plan, of which: {reasons}; this one"),
            };
            let told = format!("{which} takes {than}");
            remark(quiet, &told);
            emission
        }
        outcome => outcome.map_err(|error| refused(&error))?,
    };
    print(&format!("{}\n", emission.text))?;
    remark(quiet, &format!("written for {} {}", exporter.name, exporter.version));
    emission.notes.iter().for_each(|note| remark(quiet, note));
    Ok(Some(ExitStatus::Success))
}

fn refused(error: &EmitError) -> CliError {
    CliError::usage(format!("--emit: {error}"))
}

fn plan_of(simulation: &Simulation) -> Option<&Plan> {
    simulation.estimate().map(|e| &e.planned.plan)
}

/// The best plan with each level of sharding that the tool has, where none is fixed; with whole layers or nothing computed
/// again where the plan drops the attention alone, which a tool may lack.
fn others(
    exporter: &Exporter,
    prepared: &Prepared,
    plan: &Plan,
    cluster: &NamedCluster,
) -> Vec<(Simulation, Emission)> {
    let fixed = prepared.constraints;
    let levels = Sharding::ALL.into_iter().filter(|s| fixed.sharding.is_none_or(|f| f == *s));
    let levels = levels.filter(|s| exporter.expresses.iter().any(|e| e == s.name()));
    let recomputes = match plan.recompute {
        Recompute::Selective => vec![Some(Recompute::None), Some(Recompute::Full)],
        _ => vec![fixed.recompute],
    };
    levels
        .flat_map(|level| recomputes.iter().map(move |recompute| (level, *recompute)))
        .filter_map(|(level, recompute)| {
            let constraints = PlanConstraints { sharding: Some(level), recompute, ..fixed };
            let question = Question { constraints: &constraints, ..prepared.question() };
            let simulation = simulate_named(&prepared.session, &question, cluster.clone());
            let emission = emit(exporter, plan_of(&simulation)?, &question.job.workload).ok()?;
            Some((simulation, emission))
        })
        .collect()
}
