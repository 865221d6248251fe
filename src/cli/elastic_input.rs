//! What is asked about a schedule, read from the command line, and the prices that it needs.

use std::path::Path;

use jiff::civil::{DateTime, Time};

use super::args::ScheduleArgs;
use super::cluster::{self, NamedCluster, Overrides};
use super::error::CliError;
use super::job_file::read_text;
use super::offer::offer_under;
use super::problems::Problems;
use super::risk::duration;
use super::session::Session;
use super::simulate::simulate_named;
use super::view::with_threads;
use crate::advisor::elastic::ElasticTerms;
use crate::advisor::{Question, Simulation};
use crate::catalog::Purchase;
use crate::cost::{BillingRule, Offer, PriceRate, PriceRules, Schedule, UserPrice};
use crate::plan::Cluster;
use crate::units::Seconds;

/// Most sizes of cluster in one schedule.
const MOST_SIZES: usize = 24;

/// A schedule with its clusters.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Nodes over the week.
    pub schedule: Schedule,
    /// When the job starts.
    pub start: DateTime,
    /// What a change costs, where it is stated.
    pub change: Option<Seconds>,
    /// The cluster at each number of nodes, ascending.
    pub sizes: Vec<NamedCluster>,
}

/// Reads the flags, for a cluster or a generic GPU; `None` without a schedule or after a problem.
///
/// # Errors
/// Failures that are not about the input.
pub fn asked(
    args: &ScheduleArgs,
    named: (Option<&str>, Option<&str>),
    session: &Session,
    overrides: &Overrides,
    problems: &mut Problems,
) -> Result<Option<Asked>, CliError> {
    let schedule = schedule(args, problems)?;
    let start = start(args, session, problems);
    let change = args.scale_cost.as_deref().and_then(|t| duration("scale-cost", t, true, problems));
    let levels = schedule.as_ref().map(Schedule::levels).unwrap_or_default();
    if levels.len() > MOST_SIZES {
        problems.usage(format!("--schedule: {} numbers of nodes, at most {MOST_SIZES}", levels.len()));
    }
    let sizes: Vec<NamedCluster> =
        levels.iter().filter_map(|&nodes| sized(named, session, overrides, nodes, problems)).collect();
    let (Some(schedule), Some(start)) = (schedule, start) else { return Ok(None) };
    Ok(Some(Asked { schedule, start, change, sizes }))
}

/// The schedule, from its text or its file.
fn schedule(args: &ScheduleArgs, problems: &mut Problems) -> Result<Option<Schedule>, CliError> {
    let Some(text) = args.schedule.as_deref() else { return Ok(None) };
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
fn start(args: &ScheduleArgs, session: &Session, problems: &mut Problems) -> Option<DateTime> {
    let Some(text) = args.start.as_deref() else {
        return Some(session.prices.as_of.to_datetime(Time::midnight()));
    };
    let message = || format!("--start: {text:?} is no moment, such as 2026-12-01T08:00");
    text.trim().parse().map_err(|_| problems.usage(message())).ok()
}

/// The cluster with another number of nodes.
fn sized(
    (cluster, gpu): (Option<&str>, Option<&str>),
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
    let found = match (cluster, gpu) {
        (Some(text), _) => {
            let name = text.rsplit_once(['*', ':']).map_or(text, |(name, _)| name);
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

/// What the nodes of a schedule cost, and how that is billed.
#[derive(Debug, Clone)]
pub struct Charges {
    /// The offer by the hour: on demand, or what the user asks for instead.
    pub hourly: Option<Offer>,
    /// The offer by the month.
    pub monthly: Option<Offer>,
    /// The provider's billing.
    pub rule: BillingRule,
}

impl Charges {
    /// Those of a cluster; `monthly` are the rules with prices by the month, as [`monthly_prices`] takes them out.
    pub fn of(session: &Session, monthly: &PriceRules, cluster: &Cluster) -> Self {
        let (hourly, monthly) = priced(session, monthly, cluster);
        let provider = hourly.as_ref().or(monthly.as_ref()).map_or("", |o| o.place.provider.as_str());
        let rule = session.billing.rule(provider);
        Self { hourly, monthly, rule }
    }

    /// The terms of a schedule under them; `baseline` nodes are paid by the month where the user states a number.
    /// `jobs` alike run one after the other.
    pub fn terms<'a>(&'a self, asked: &'a Asked, baseline: Option<u32>, jobs: u32) -> ElasticTerms<'a> {
        let price = |offer: &'a Option<Offer>| Some(&offer.as_ref()?.price.as_ref()?.price);
        ElasticTerms {
            schedule: &asked.schedule,
            start: Schedule::minute_of(asked.start),
            change: asked.change,
            baseline,
            hourly: price(&self.hourly),
            monthly: price(&self.monthly),
            rule: &self.rule,
            jobs,
        }
    }
}

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
pub fn monthly_prices(session: &mut Session) -> PriceRules {
    let is_monthly = |p: &UserPrice| matches!(p.rate, PriceRate::PerMonth(_));
    let mut monthly = session.prices.clone();
    monthly.user_prices.retain(is_monthly);
    session.prices.user_prices.retain(|p| !is_monthly(p));
    session.prices.purchases.retain(|p| *p != Purchase::Monthly);
    monthly
}

/// Simulates every size.
///
/// # Errors
/// When the threads cannot be had.
pub fn simulated(
    session: &Session,
    question: &Question<'_>,
    sizes: Vec<NamedCluster>,
    threads: Option<u16>,
) -> Result<Vec<Simulation>, CliError> {
    use rayon::prelude::*;
    with_threads(threads, || sizes.into_par_iter().map(|s| simulate_named(session, question, s)).collect())
}
