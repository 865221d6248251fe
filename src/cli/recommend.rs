//! `gpu-advisor recommend`: limits into a request, the answer into a document, JSON and a plot.

use std::path::Path;

use super::again;
use super::amount;
use super::args::{Format, LimitArgs, MoneyArgs, PlanArgs, RecommendArgs, RiskArgs, WorkloadArgs};
use super::ask;
use super::cluster::Overrides;
use super::cluster::{count, unknown_gpu};
use super::deadline::{deadline, remark_past, start};
use super::error::CliError;
use super::exit::ExitStatus;
use super::job;
use super::job_file::read_text;
use super::measured;
use super::open_length::opened;
use super::output::{draw, plot_format, print, remark};
use super::problems::Problems;
use super::quota_file;
use super::risk;
use super::sequence_flip::sequence_flip;
use super::session::Session;
use super::view::{render, width, with_threads};
use crate::advisor::risk::RiskTerms;
use crate::advisor::{Deadline, Objective, QuotaLimit, Request, longest, recommend_with_software};
use crate::catalog::{GpuId, Purchase};
use crate::cost::{PlaceFilter, PriceRules, SellerRules, offers};
use crate::report::recommend::{RecommendView, document, json, plot, risks, screen};
use crate::units::{Currency, Money, Seconds};
use crate::workload::{Assumption, JobLength};

/// Most GPUs of a cluster where the user gives none.
const MOST_GPUS: u32 = 512;

/// Deadline where the user gives none: without one the cheapest answer is the smallest cluster that fits, however
/// long it takes.
const USUAL_DEADLINE: Seconds = Seconds::from_days(30.0);

/// Runs the command.
///
/// # Errors
/// Wrong usage, invalid data, failures to read or write.
pub fn run(args: &RecommendArgs) -> Result<ExitStatus, CliError> {
    let mut problems = Problems::default();
    if let Some(result) = args.plot.as_deref().map(plot_format) {
        problems.absorb(result)?;
    }
    let mut session = Session::open(&args.common, &args.money, &mut problems)?;
    if args.ask {
        problems.check()?;
        return ask::run(args, session);
    }
    // Limits without a length ask for the most that they train.
    let limited = args.limits.deadline.is_some() || args.limits.budget.is_some();
    let open = if limited { opened(&args.workload) } else { None };
    let asked = Asked {
        workload: open.as_ref().unwrap_or(&args.workload),
        limits: &args.limits,
        risk: &args.risk,
        plan: &args.plan,
        money: &args.money,
    };
    let (mut request, groups) = request(&asked, &mut session, problems)?;
    let usual = request.job.stack.clone();
    quota_file::remark_old(&request, args.common.quiet);
    remark_unused(&session, &request);
    if let Ok(Some(day)) = start(&args.limits) {
        remark_past(day, &session, args.common.language(), args.common.quiet);
    }
    if open.is_some() {
        with_threads(args.common.threads, || lengthen(&session, &mut request, &groups))?;
    }
    let answer = with_threads(args.common.threads, || {
        let mut answer = recommend_with_software(session.facts(), &mut request, &groups);
        answer.flips.extend(sequence_flip(&asked, &mut session, &request, &answer));
        answer
    })?;
    let command = command(args, &request, &usual, open.is_some());
    let view = RecommendView {
        recommendation: &answer,
        request: &request,
        catalog: &session.catalog,
        profiles: &session.profiles,
        top: usize::from(args.limits.top),
        command: &command,
        start: start(&args.limits).ok().flatten(),
        doubts: &session.doubts,
        language: args.common.language(),
    };
    if let Some(path) = &args.plot {
        draw(path, &plot(&view), view.language)?;
        remark(args.common.quiet, &format!("the plot is in {}", path.display()));
    }
    let text = match args.common.format {
        Format::Json => json(&view).map_err(|e| CliError::Output(e.to_string()))?,
        Format::Table if !args.details => {
            let mut shown = screen(&view, width());
            // The chance of the deadline is on the screen; the table has room only below it.
            if risk::asked(&args.risk) {
                shown.blocks.extend(risks(&view));
            }
            render(&shown, Format::Table)?
        }
        other => render(&document(&view), other)?,
    };
    print(&text)?;
    // What has no price is within no budget, what is not checked within no quota.
    let strict = request.budget.is_some() || request.quota.is_some();
    let nothing = answer.ranked.is_empty() && (answer.unpriced.is_empty() || strict);
    Ok(if nothing { ExitStatus::NothingFeasible } else { ExitStatus::Success })
}

/// Says which prices of the command line belong to no offer that the limits let in.
fn remark_unused(session: &Session, request: &Request) {
    let all = offers(&session.catalog, &request.prices);
    let within = |gpu| request.gpus.is_empty() || request.gpus.contains(&gpu);
    session.remark_unused(|price| {
        within(session.catalog.instance(price.instance).gpu)
            && all.iter().any(|offer| {
                let here = price.region.is_none() || offer.place.region == price.region;
                offer.instance == price.instance && here && request.places.accepts(&offer.place)
            })
    });
}

/// The flags that ask the same again of one cluster: what the program found for them, too.
fn command(args: &RecommendArgs, request: &Request, usual: &str, open: bool) -> String {
    let mut line = again::workload_flags(&args.workload);
    if request.job.stack != usual {
        line += " --framework ";
        line += &request.job.stack;
    }
    if open {
        line.push_str(&length_flag(request.job.length));
    }
    let money = MoneyArgs {
        currency: Some(request.prices.currency.to_string()).filter(|c| *c != Currency::USD.to_string()),
        ..args.money.clone()
    };
    line + &again::other_flags(&args.plan, &money, &args.common)
}

/// GPUs by the names the user typed.
type Groups = Vec<(String, Vec<GpuId>)>;

/// The flags that make a question of `recommend`.
pub struct Asked<'a> {
    /// The job.
    pub workload: &'a WorkloadArgs,
    /// The limits.
    pub limits: &'a LimitArgs,
    /// What may go wrong.
    pub risk: &'a RiskArgs,
    /// The plan.
    pub plan: &'a PlanArgs,
    /// Prices, already read into the session.
    pub money: &'a MoneyArgs,
}

/// Reads the question, with the GPUs by the names the user typed.
///
/// # Errors
/// All that is wrong with it, together with `problems`.
pub fn request(
    asked: &Asked<'_>,
    session: &mut Session,
    mut problems: Problems,
) -> Result<(Request, Groups), CliError> {
    let resolved = job::resolve(asked.workload, &session.catalog, &session.profiles, &mut problems)?;
    let groups = gpu_groups(asked.limits, session, &mut problems);
    let places = places(asked.limits, session, &mut problems);
    adopt_currency(asked, session);
    let limits = limits(asked.limits, session, &mut problems);
    let limit = Some(limits.deadline).filter(|d| !d.assumed).map(|d| d.limit);
    let risk = risk::terms(asked.risk, limit, RiskTerms::DRAWS_OF_MANY, &mut problems);
    session.prices.seller = seller(asked.limits.seller.as_deref(), session, &mut problems)?;
    let quota = quota_file::read(asked.limits.quota.as_deref(), session, &mut problems)?;
    problems.check()?;
    let Some(resolved) = resolved else {
        return Err(CliError::Output("the job could not be resolved, and no reason was recorded".to_owned()));
    };
    let resolved = resolved.suited(&asked.plan.constraints(), &session.profiles);
    let given = asked.workload.measured.as_deref();
    let constraints = asked.plan.constraints();
    let overrides = Overrides::of_vcpus(resolved.vcpus);
    let anchor = measured::anchor(given, session, &resolved, &constraints, &overrides)?;
    let (storage, vcpus) = (resolved.storage, resolved.vcpus);
    let mut job = resolved.job;
    assume(&mut job.assumed, asked, limits.max_gpus);
    job.assumed.extend(vcpus.filter(|_| job.preparation_per_sample.is_some()).map(|stated| Assumption {
        name: "vcpus".to_owned(),
        value: stated.to_string(),
        reason: "as stated, on every node in place of what the instance types have".to_owned(),
    }));
    session.prices.asked_places = places.named_places(&session.catalog);
    let request = Request {
        job,
        gpus: groups.iter().flat_map(|(_, ids)| ids.iter().copied()).collect(),
        places,
        purchases: session.prices.requested_purchases(),
        prices: session.prices.clone(),
        deadline: Some(limits.deadline),
        budget: limits.budget,
        quota: quota.map(|quota| QuotaLimit { quota, increased: false }),
        max_gpus: limits.max_gpus,
        constraints,
        anchor,
        storage,
        vcpus,
        objective: asked.limits.objective.objective(),
        risk: Some(risk).filter(|_| limit.is_some() || risky(asked, &session.prices)),
    };
    Ok((request, groups))
}

/// Totals are in the currency of the budget where none was asked for and a rate leads there.
fn adopt_currency(asked: &Asked<'_>, session: &mut Session) {
    let budget = asked.limits.budget.as_deref().and_then(|text| amount::money(text).ok());
    let Some(budget) = budget.filter(|_| asked.money.currency.is_none()) else { return };
    let unit = Money::new(1.into(), session.prices.currency);
    if session.prices.fx.convert(unit, budget.currency).is_ok() {
        session.prices.currency = budget.currency;
    }
}

/// Whether the order must reckon with interruptions: asked for, interruptible, or ranked by the P90 of the cost.
fn risky(asked: &Asked<'_>, prices: &PriceRules) -> bool {
    risk::asked(asked.risk)
        || asked.limits.objective.objective() == Objective::CostAtP90
        || prices.requested_purchases().contains(&Purchase::Spot)
}

/// Values of a flag that may be repeated or hold several, separated by commas.
fn listed<'a>(flag: &str, values: &'a [String], problems: &mut Problems) -> Vec<&'a str> {
    let all = values.iter().flat_map(|v| v.split(',')).map(str::trim);
    let (named, empty): (Vec<&str>, Vec<&str>) = all.partition(|v| !v.is_empty());
    if !empty.is_empty() {
        problems.usage(format!("--{flag}: an empty name; leave the flag out to allow all"));
    }
    named
}

/// The GPUs allowed, by the names the user typed.
fn gpu_groups(args: &LimitArgs, session: &Session, problems: &mut Problems) -> Vec<(String, Vec<GpuId>)> {
    let mut groups = Vec::new();
    for name in listed("gpu", &args.gpus, problems) {
        let ids = session.catalog.expand_gpu(name);
        if ids.is_empty() {
            problems.usage(format!("--gpu: {}", unknown_gpu(name, &session.catalog)));
        } else {
            groups.push((name.to_owned(), ids));
        }
    }
    groups
}

fn places(args: &LimitArgs, session: &Session, problems: &mut Problems) -> PlaceFilter {
    let catalog = &session.catalog;
    let mut filter = PlaceFilter::default();
    for text in listed("provider", &args.providers, problems) {
        match PlaceFilter::parse_provider(text, catalog) {
            Ok(provider) => filter.providers.push(provider),
            Err(error) => problems.usage(format!("--provider: {error}")),
        }
    }
    for text in listed("country", &args.countries, problems) {
        match PlaceFilter::parse_country(text, catalog) {
            Ok(country) => filter.countries.push(country),
            Err(error) => problems.usage(format!("--country: {error}")),
        }
    }
    for text in listed("region", &args.regions, problems) {
        match PlaceFilter::parse_region_of(text, &filter.providers, catalog) {
            Ok(region) => filter.regions.push(region),
            Err(error) => problems.usage(format!("--region: {error}")),
        }
    }
    filter
}

struct Limits {
    deadline: Deadline,
    budget: Option<Money>,
    max_gpus: u32,
}

fn limits(args: &LimitArgs, session: &Session, problems: &mut Problems) -> Limits {
    let start = start(args).map_err(|e| problems.usage(format!("--start: {e}"))).ok().flatten();
    let from = start.unwrap_or(session.prices.as_of);
    let given = args
        .deadline
        .as_deref()
        .and_then(|text| deadline(text, from).map_err(|e| problems.usage(format!("--deadline: {e}"))).ok());
    let budget = args.budget.as_deref().and_then(|text| match amount::money(text) {
        Ok(money) if money.amount.is_zero() => {
            problems.usage("--budget: nothing costs nothing; give an amount above zero");
            None
        }
        Ok(money) => {
            if let Err(error) = session.prices.fx.convert(money, session.prices.currency) {
                problems.usage(format!("--budget: {error}"));
            }
            Some(money)
        }
        Err(error) => {
            problems.usage(format!("--budget: {error}"));
            None
        }
    });
    let max_gpus = args.max_gpus.as_deref().and_then(|text| {
        count(text, "GPUs", 100_000).map_err(|e| problems.usage(format!("--max-gpus: {e}"))).ok()
    });
    Limits {
        deadline: given.map_or(Deadline { limit: USUAL_DEADLINE, assumed: true }, |limit| Deadline {
            limit,
            assumed: false,
        }),
        budget,
        max_gpus: max_gpus.unwrap_or(MOST_GPUS),
    }
}

fn seller(
    path: Option<&Path>,
    session: &Session,
    problems: &mut Problems,
) -> Result<Option<SellerRules>, CliError> {
    let Some(path) = path else { return Ok(None) };
    let Some(text) = problems.absorb(read_text(path))? else { return Ok(None) };
    match SellerRules::parse(&path.display().to_string(), &text, &session.catalog) {
        Ok(rules) => Ok(Some(rules)),
        Err(findings) => {
            for finding in findings {
                problems.finding(finding);
            }
            Ok(None)
        }
    }
}

/// Records what the program chose for limits that were not given.
fn assume(assumed: &mut Vec<Assumption>, args: &Asked<'_>, max_gpus: u32) {
    let mut add = |name: &str, value: String, reason: &str| {
        assumed.push(Assumption { name: name.to_owned(), value, reason: reason.to_owned() });
    };
    if args.limits.deadline.is_none() {
        add("deadline", "30 d".to_owned(), "none given; what takes longer comes last, marked");
    }
    if args.limits.max_gpus.is_none() {
        add("max_gpus", max_gpus.to_string(), "no limit given");
    }
    if args.money.purchases.is_empty() {
        add("purchase", "on_demand".to_owned(), "the usual way to start");
    }
}

/// Gives the job the longest length that the limits allow somewhere; one that they allow nowhere stays a single step.
fn lengthen(session: &Session, request: &mut Request, groups: &Groups) {
    // A deadline that the program assumed limits nothing that was asked.
    if request.deadline.is_some_and(|d| d.assumed) {
        request.deadline = None;
    }
    if let Some(length) = longest(session.facts(), request, groups) {
        request.job.length = length;
    }
    request.job.assumed.retain(|a| a.name != "deadline");
    request.job.assumed.push(Assumption {
        name: "length".to_owned(),
        value: length_flag(request.job.length).trim().to_owned(),
        reason: "the most that the limits train".to_owned(),
    });
}

/// A length as its flag.
fn length_flag(length: JobLength) -> String {
    match length {
        JobLength::Tokens(n) => format!(" --tokens {n}"),
        JobLength::Samples(n) => format!(" --samples {n}"),
        JobLength::Epochs { epochs, .. } => format!(" --epochs {epochs}"),
        JobLength::Steps(n) => format!(" --steps {n}"),
    }
}
