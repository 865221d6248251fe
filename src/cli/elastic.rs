//! `simulate --schedule`: a number of nodes that follows the clock.

use std::path::Path;

use jiff::civil::{DateTime, Time};

use super::args::SimulateArgs;
use super::cluster::{self, NamedCluster, Overrides};
use super::error::CliError;
use super::exit::ExitStatus;
use super::job_file::read_text;
use super::output::{draw, plot_format, remark};
use super::prepared::Prepared;
use super::problems::Problems;
use super::risk::duration;
use super::session::Session;
use super::simulate::{offer_under, simulate_named};
use super::view::{show, with_threads};
use crate::advisor::elastic::{ElasticTerms, elastic, running};
use crate::advisor::{Question, Simulation};
use crate::catalog::Purchase;
use crate::cost::{Offer, PriceRate, PriceRules, Schedule, UserPrice};
use crate::plan::Cluster;
use crate::report::picture_elastic::picture;
use crate::report::view_elastic::{ElasticView, document};
use crate::report::{view_simulate, wire, wire_elastic};

/// Most sizes of cluster in one schedule.
const MOST_SIZES: usize = 24;

/// Answers `simulate --schedule`.
///
/// # Errors
/// Wrong input, or an answer that cannot be written.
pub fn run(args: &SimulateArgs) -> Result<ExitStatus, CliError> {
    if let Some(path) = &args.plot {
        plot_format(path)?;
    }
    let (mut prepared, (schedule, start, change, sizes)) =
        Prepared::open(args, |session, overrides, problems| {
            let schedule = schedule(args, problems)?;
            let start = start(args, session, problems);
            let change =
                args.schedule.scale_cost.as_deref().and_then(|t| duration("scale-cost", t, true, problems));
            let levels = schedule.as_ref().map(Schedule::levels).unwrap_or_default();
            if levels.len() > MOST_SIZES {
                problems
                    .usage(format!("--schedule: {} numbers of nodes, at most {MOST_SIZES}", levels.len()));
            }
            if args.clusters.len() > 1 {
                problems.usage("--schedule: one --cluster is expected, whose nodes come and go");
            }
            let sizes: Vec<Option<NamedCluster>> =
                levels.iter().map(|&nodes| sized(args, session, overrides, nodes, problems)).collect();
            Ok((schedule, start, change, sizes.into_iter().flatten().collect::<Vec<_>>()))
        })?;
    let (Some(schedule), Some(start)) = (schedule, start) else {
        return Err(CliError::usage("no schedule"));
    };
    let by_month = monthly_prices(&mut prepared.session);
    let (session, question) = (&prepared.session, prepared.question());
    let simulations = simulated(session, &question, sizes, args.common.threads)?;
    let language = args.common.language();
    let origin =
        wire::Origin { catalog: &session.catalog, profiles: &session.profiles, prices: &session.prices };
    let estimates = match running(&simulations) {
        Ok(estimates) => estimates,
        Err(blocked) => return refused(args, &prepared, blocked, origin),
    };
    let (hourly, monthly) = priced(session, &by_month, &simulations[0].cluster);
    let provider = hourly.as_ref().or(monthly.as_ref()).map_or("", |o| o.place.provider.as_str());
    let price =
        |offer: &'_ Option<Offer>| offer.as_ref().and_then(|o| o.price.as_ref().map(|s| s.price.clone()));
    let (hour, month) = (price(&hourly), price(&monthly));
    let terms = ElasticTerms {
        schedule: &schedule,
        start: Schedule::minute_of(start),
        change,
        baseline: args.schedule.baseline,
        hourly: hour.as_ref(),
        monthly: month.as_ref(),
        rule: &session.billing.rule(provider),
    };
    let found = elastic(session.facts(), &terms, &estimates);
    let view = ElasticView {
        job: &prepared.job.job,
        stack: prepared.stack(),
        simulations: &simulations,
        terms: &terms,
        start,
        elastic: &found,
        language,
    };
    if let (Some(path), true) = (&args.plot, found.courses.is_some()) {
        draw(path, &picture(&view, origin), language)?;
        remark(args.common.quiet, &format!("the plot is in {}", path.display()));
    }
    show(&document(&view), || wire_elastic::schedule(&view, origin), args.common.format)?;
    Ok(if found.courses.is_some() { ExitStatus::Success } else { ExitStatus::NothingFeasible })
}

/// The answer where the job does not run on one of the sizes: that of the size.
fn refused(
    args: &SimulateArgs,
    prepared: &Prepared,
    blocked: &Simulation,
    origin: wire::Origin<'_>,
) -> Result<ExitStatus, CliError> {
    let job = &prepared.job.job;
    let view = view_simulate::SimulateView {
        job,
        stack: prepared.stack(),
        simulation: blocked,
        solution: None,
        explanation: None,
        language: args.common.language(),
    };
    let answer = || wire::simulate(job, blocked, None, None, origin);
    show(&view_simulate::document(&view), answer, args.common.format)?;
    Ok(ExitStatus::NothingFeasible)
}

fn simulated(
    session: &Session,
    question: &Question<'_>,
    sizes: Vec<NamedCluster>,
    threads: Option<u16>,
) -> Result<Vec<Simulation>, CliError> {
    use rayon::prelude::*;
    with_threads(threads, || sizes.into_par_iter().map(|s| simulate_named(session, question, s)).collect())
}

/// The schedule, from its text or its file.
fn schedule(args: &SimulateArgs, problems: &mut Problems) -> Result<Option<Schedule>, CliError> {
    let Some(text) = args.schedule.schedule.as_deref() else { return Ok(None) };
    let path = Path::new(text);
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
        let Some(content) = problems.absorb(read_text(path))? else { return Ok(None) };
        return match Schedule::read(text, &content) {
            Ok(schedule) => Ok(Some(schedule)),
            Err(findings) => {
                for finding in findings {
                    problems.finding(finding);
                }
                Ok(None)
            }
        };
    }
    Ok(Schedule::parse(text).map_err(|e| problems.usage(format!("--schedule: {e}"))).ok())
}

/// When the job starts.
fn start(args: &SimulateArgs, session: &Session, problems: &mut Problems) -> Option<DateTime> {
    let Some(text) = args.schedule.start.as_deref() else {
        return Some(session.prices.as_of.to_datetime(Time::midnight()));
    };
    let message = || format!("--start: {text:?} is no moment, such as 2026-12-01T08:00");
    text.trim().parse().map_err(|_| problems.usage(message())).ok()
}

/// The cluster with another number of nodes.
fn sized(
    args: &SimulateArgs,
    session: &Session,
    overrides: &Overrides,
    nodes: u32,
    problems: &mut Problems,
) -> Option<NamedCluster> {
    let generic = |gpu: &str| {
        let per_node = overrides.gpus_per_node.unwrap_or(session.profiles.defaults.cluster.gpus_per_node);
        let gpus = nodes.saturating_mul(per_node);
        cluster::generic(gpu, gpus, &session.catalog, &session.profiles, overrides)
    };
    let found = match (args.clusters.first(), &args.gpu) {
        (Some(text), _) => {
            let name = text.rsplit_once(['*', ':']).map_or(text.as_str(), |(name, _)| name);
            let named = if name.contains('/') {
                cluster::parse(&format!("{name}:{nodes}"), session, overrides)
            } else {
                generic(name)
            };
            named.map_err(|e| format!("--cluster: {e}"))
        }
        (None, Some(gpu)) => generic(gpu).map_err(|e| format!("--gpu: {e}")),
        (None, None) => Err("no cluster: add --cluster provider/instance, or --gpu GPU --gpus N".to_owned()),
    };
    found.map_err(|message| problems.usage(message)).ok()
}

/// The offers of these nodes by the hour and by the month. By the hour: on demand, or what the user asks for instead.
fn priced(session: &Session, monthly: &PriceRules, cluster: &Cluster) -> (Option<Offer>, Option<Offer>) {
    let under = |prices: &PriceRules, purchase: Purchase| {
        let prices = PriceRules { purchases: vec![purchase], ..prices.clone() };
        offer_under(&session.catalog, &prices, cluster)
            .filter(|o| o.purchase == purchase && o.price.is_some())
    };
    let asked = session.prices.requested_purchases();
    let hourly = asked.iter().copied().find(|p| *p != Purchase::Monthly).unwrap_or(Purchase::OnDemand);
    (under(&session.prices, hourly), under(monthly, Purchase::Monthly))
}

/// Takes the prices by the month out of the session's; returned are the rules with them and none by the hour.
fn monthly_prices(session: &mut Session) -> PriceRules {
    let is_monthly = |p: &UserPrice| matches!(p.rate, PriceRate::PerMonth(_));
    let mut monthly = session.prices.clone();
    monthly.user_prices.retain(is_monthly);
    session.prices.user_prices.retain(|p| !is_monthly(p));
    session.prices.purchases.retain(|p| *p != Purchase::Monthly);
    monthly
}
