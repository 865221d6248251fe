//! `--measured "step=9.8s on CLUSTER"`: the user's own number.

use std::path::Path;

use super::args::WorkloadArgs;
use super::cluster::{self, Overrides};
use super::error::CliError;
use super::job::ResolvedJob;
use super::job_file::read_bytes;
use super::measured_slip::disbelief;
use super::output::remark;
use super::problems::Problems;
use super::session::Session;
use super::simulate::simulate_named;
use crate::advisor::risk::RiskTerms;
use crate::advisor::whole_job::step_of_epoch;
use crate::advisor::{Anchor, Estimate, PlanConstraints, Question};
use crate::cost::PriceRules;
use crate::units::Seconds;
use crate::units::parse::{parse_count, parse_quantity};
use crate::units::text::{duration, percent};
use crate::validation::{LogSpeed, LoggedBatch, TrainingLog, read_log};

/// Bytes of the longest log that is read.
const LONGEST_LOG: u64 = 1 << 28;

/// Share of a step that waits for data above which nothing is left for the GPUs.
const ALL_WAITING: f64 = 0.99;

const FORM: &str = "write \"step=9.8s on CLUSTER\", \"tokens/s=41k on CLUSTER\", \"samples/s=20 on CLUSTER\", \"epoch=200s on CLUSTER\" or \"FILE.log on CLUSTER\"";

/// Reads the flag and predicts the same run, with the plan parts that the user fixed; `None` without the flag.
///
/// # Errors
/// When the flag or its log is wrong, or the run is not possible by prediction.
pub fn anchor(
    text: Option<&str>,
    session: &Session,
    job: &ResolvedJob,
    plan: &PlanConstraints,
    overrides: &Overrides,
) -> Result<Option<Anchor>, CliError> {
    let Some(text) = text else { return Ok(None) };
    let mut problems = Problems::default();
    let anchor = read(text, session, job, plan, overrides, &mut problems)?;
    problems.check()?;
    Ok(anchor)
}

/// The same from the flags of a job.
///
/// # Errors
/// As [`anchor`].
pub fn of(
    args: &WorkloadArgs,
    session: &Session,
    job: &ResolvedJob,
    plan: &PlanConstraints,
    overrides: &Overrides,
) -> Result<Option<Anchor>, CliError> {
    anchor(args.measured.as_deref(), session, job, plan, overrides)
}

/// The question that a job with a measurement asks.
pub const fn question<'a>(
    job: &'a ResolvedJob,
    constraints: &'a PlanConstraints,
    anchor: Option<&'a Anchor>,
    prices: &'a PriceRules,
) -> Question<'a> {
    Question { job: &job.job, constraints, anchor, storage: job.storage, prices, terms: RiskTerms::USUAL }
}

fn read(
    text: &str,
    session: &Session,
    job: &ResolvedJob,
    plan: &PlanConstraints,
    overrides: &Overrides,
    problems: &mut Problems,
) -> Result<Option<Anchor>, CliError> {
    let Some((speed, place)) = text.rsplit_once(" on ") else {
        problems.usage(format!("--measured: {text:?} names no cluster; {FORM}"));
        return Ok(None);
    };
    let Some(log) = read_speed(speed.trim(), problems)? else { return Ok(None) };
    let TrainingLog { speed, global_batch, .. } = log;
    let cluster = match cluster::parse(place.trim(), session, overrides) {
        Ok(cluster) => cluster,
        Err(error) => {
            problems.usage(format!("--measured: {error}"));
            return Ok(None);
        }
    };
    let label = cluster.cluster.label.clone();
    let question = question(job, plan, None, &session.prices);
    let simulation = simulate_named(session, &question, cluster);
    let Some(estimate) = simulation.estimate() else {
        problems.usage(format!(
            "--measured: by prediction the job does not run on {label}; give the plan it ran with, such as \
             --micro-batch, --sharding and --recompute"
        ));
        return Ok(None);
    };
    let samples = estimate.planned.plan.global_batch() as f64;
    if let Some(logged) = global_batch.filter(|logged| !logged.may_be(samples)) {
        problems.usage(other_batch(logged, samples));
        return Ok(None);
    }
    let Some(measured) = step_seconds(speed, job, estimate, problems) else { return Ok(None) };
    if log.data_share.is_some_and(|share| share > ALL_WAITING) {
        problems.usage(
            "--measured: by its log the run did nothing but wait for data, which says nothing of the GPUs"
                .to_owned(),
        );
        return Ok(None);
    }
    if let Some(why) = disbelief((measured, log.data_share), speed, &job.job, &simulation) {
        problems.usage(why);
        return Ok(None);
    }
    if log.used > 1 {
        remark(session.quiet, &told(&log, measured));
    }
    let (label, measured) = (simulation.cluster.label.clone(), Seconds::new(measured));
    Ok(Some(Anchor::new(label, measured, &estimate.planned, log.data_share)))
}

/// The message for a log of another batch than the job's.
fn other_batch(logged: LoggedBatch, samples: f64) -> String {
    match logged {
        LoggedBatch::Stated(logged) => format!(
            "--measured: the log has {logged} samples a step, the job {samples}: give --global-batch {logged}, or \
             another log"
        ),
        LoggedBatch::About(logged) => format!(
            "--measured: the log has about {logged:.0} samples a step, the job {samples}: give the --global-batch of \
             that run, or another log"
        ),
    }
}

/// What was read in a log.
fn told(log: &TrainingLog, step: f64) -> String {
    let (used, step) = (log.used, duration(Seconds::new(step), 3));
    let waits = log
        .data_share
        .map_or_else(String::new, |share| format!(", {} of it waiting for data", percent(share)));
    format!(
        "--measured: a step of {step}{waits}, the median of {used} values of the log without its first tenth"
    )
}

/// Seconds of a step at a speed; what does not go with the job becomes a problem.
fn step_seconds(
    speed: LogSpeed,
    job: &ResolvedJob,
    estimate: &Estimate,
    problems: &mut Problems,
) -> Option<f64> {
    let samples = estimate.planned.plan.global_batch() as f64;
    let rows = samples * f64::from(job.job.workload.rows_per_sample);
    Some(match speed {
        LogSpeed::StepSeconds(seconds) => seconds,
        LogSpeed::SamplesPerSecond(rate) => samples / rate,
        LogSpeed::TokensPerSecond(_) if job.job.workload.kind.is_image() => {
            let why = job.job.workload.samples.without_tokens();
            problems.usage(format!("--measured: {why}; give samples/s"));
            return None;
        }
        LogSpeed::TokensPerSecond(rate) => rows / rate,
        LogSpeed::EpochSeconds(seconds) => {
            let step = step_of_epoch(Seconds::new(seconds), &job.job, &estimate.time, samples);
            if step.is_none() {
                problems.usage(format!(
                    "--measured: an epoch of {seconds} s needs a job of --epochs, and more than surrounds its steps"
                ));
            }
            step?.get()
        }
    })
}

fn read_speed(text: &str, problems: &mut Problems) -> Result<Option<TrainingLog>, CliError> {
    let told = |speed| TrainingLog { speed, used: 1, global_batch: None, data_share: None };
    let count = |value: &str| parse_count(value).map_err(|e| e.to_string());
    let parsed = match text.split_once('=') {
        Some(("step", value)) => parse_quantity::<Seconds>(value)
            .map(|s| told(LogSpeed::StepSeconds(s.get())))
            .map_err(|e| e.to_string()),
        Some(("epoch", value)) => parse_quantity::<Seconds>(value)
            .map(|s| told(LogSpeed::EpochSeconds(s.get())))
            .map_err(|e| e.to_string()),
        Some(("tokens/s", value)) => count(value).map(|v| told(LogSpeed::TokensPerSecond(v))),
        Some(("samples/s", value)) => count(value).map(|v| told(LogSpeed::SamplesPerSecond(v))),
        _ => {
            let Some(log) = problems.absorb(read_bytes(Path::new(text), LONGEST_LOG))? else {
                return Ok(None);
            };
            // A progress bar that was cut leaves half a letter.
            read_log(&String::from_utf8_lossy(&log))
        }
    };
    let positive = |log: &TrainingLog| match log.speed {
        LogSpeed::StepSeconds(v)
        | LogSpeed::EpochSeconds(v)
        | LogSpeed::SamplesPerSecond(v)
        | LogSpeed::TokensPerSecond(v) => v > 0.0,
    };
    match parsed {
        Ok(log) if positive(&log) => Ok(Some(log)),
        Ok(_) => {
            problems.usage(format!("--measured: {text}: more than 0 is expected; {FORM}"));
            Ok(None)
        }
        Err(error) => {
            problems.usage(format!("--measured: {text}: {error}; {FORM}"));
            Ok(None)
        }
    }
}
