//! `quote`: from the answer to a document, and what happens to documents later.

use std::path::Path;

use super::args::{CommonArgs, Format, QuantileName, QuoteArgs, QuoteCommand, QuoteTarget};
use super::cluster::{self, NamedCluster, Overrides};
use super::elastic_input::{self, Asked, monthly_prices};
use super::error::CliError;
use super::exit::ExitStatus;
use super::job::{self, ResolvedJob};
use super::job_file::read_text;
use super::measured;
use super::offer::{cheapest_for, refuse_gone, sold, stated};
use super::output::{check_target, complain, print, remark, write_file};
use super::problems::Problems;
use super::quote_doubts;
use super::quote_input::{self as input, Other, ReadTerms};
use super::quote_lines::{Rental, compute_line, compute_quantiles, item_lines};
use super::quote_purchase::{monthly_hint, ways_to_buy};
use super::quote_schedule::{self, Setting};
use super::session::{Session, parse_date, today};
use super::simulate::simulate_named;
use super::view::render;
use crate::advisor::Simulation;
use crate::advisor::batch::adopt;
use crate::catalog::Finding;
use crate::cost::quote::{self as engine, Basis, Copy, Quote, QuoteInput, ReprintError};
use crate::cost::{Offer, PriceRules};
use crate::plan::Cluster;
use crate::report::{Language, html, markdown, pdf, quote as view, why_not};
use crate::units::Seconds;

/// Formats of quotes, by extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuoteFormat {
    Xlsx,
    Html,
    Pdf,
    Markdown,
    Json,
}

/// Answers `quote`.
///
/// # Errors
/// Wrong input, a quote that is refused, or one that cannot be written.
pub fn run(args: &QuoteArgs) -> Result<ExitStatus, CliError> {
    match &args.command {
        Some(QuoteCommand::Print { file, renew, as_of, target, common }) => {
            reprint(file, *renew, as_of.as_deref(), target, common)
        }
        Some(QuoteCommand::Diff { before, after, common }) => diff(before, after, common),
        None => draw_up(args),
    }
}

/// Who the quote is for.
fn customer(args: &QuoteArgs, problems: &mut Problems) -> Option<String> {
    let customer = args.terms.customer.clone().filter(|c| !c.trim().is_empty());
    if customer.is_none() {
        problems.usage("--customer: a quote is for somebody".to_owned());
    }
    customer
}

/// What is read before anything is asked.
struct Ready<'a> {
    args: &'a QuoteArgs,
    session: &'a Session,
    resolved: Option<&'a ResolvedJob>,
    overrides: &'a Overrides,
    others: Vec<Other>,
}

fn draw_up(args: &QuoteArgs) -> Result<ExitStatus, CliError> {
    let format = target_format(&args.target)?;
    let mut problems = Problems::default();
    let mut session = Session::open_for_one(&args.common, &args.money, &mut problems)?;
    session.prices.zone.clone_from(&args.terms.zone);
    // With a schedule, prices by the month are those of its baseline.
    let by_month = args.schedule.schedule.is_some().then(|| monthly_prices(&mut session));
    let session = session;
    let read = input::read_terms(&args.terms, &session, &mut problems);
    let has_job = args.workload.describes_a_job();
    let resolved = if has_job { job_of(args, &session, &mut problems)? } else { None };
    if let Err(message) = quote_schedule::check(args, has_job) {
        problems.usage(message.to_owned());
    }
    if !has_job {
        without_a_job(args, &mut problems);
    }
    let customer = customer(args, &mut problems);
    let vcpus = resolved.as_ref().and_then(|r| r.vcpus);
    let overrides = Overrides::read(&args.generic, vcpus, &session.profiles, &mut problems);
    let mut parse = |flag: &str, text: &str| {
        let parsed = cluster::parse(text, &session, &overrides);
        parsed.map_err(|e| problems.usage(format!("--{flag}: {e}"))).ok()
    };
    let chosen = args.cluster.as_deref().and_then(|text| parse("cluster", text));
    let mut other = |text: &str| {
        let (name, reason) = text.split_once('=').map_or((text, None), |(name, why)| (name, Some(why)));
        let reason = reason.map(|why| why.trim().to_owned()).filter(|why| !why.is_empty());
        Some((parse("alternative", name.trim())?, reason))
    };
    let others: Vec<Other> = args.alternatives.iter().filter_map(|text| other(text)).collect();
    let quoted = chosen.as_ref().filter(|_| by_month.is_none()).map(|c| c.cluster.label.as_str());
    if let Some(label) = quoted.filter(|label| others.iter().any(|(o, _)| o.cluster.label == *label)) {
        problems.usage(format!("--alternative: {label} is the quoted cluster itself; name another one"));
    }
    if args.cluster.is_none() {
        problems.usage("no cluster: add --cluster provider/instance@region:N".to_owned());
    }
    let asked = match (&by_month, &chosen) {
        (Some(_), Some(_)) => {
            let named = (args.cluster.as_deref(), None);
            elastic_input::asked(&args.schedule, named, &session, &overrides, &mut problems)?
        }
        _ => None,
    };
    problems.check()?;
    let (Some(named), Some(customer)) = (chosen, customer) else {
        return Err(CliError::usage("no cluster or no customer"));
    };
    let clusters: Vec<&Cluster> = others.iter().map(|(o, _)| o).chain([&named]).map(|n| &n.cluster).collect();
    session.remark_unused_by(&clusters);
    let mut wanted = input::frame(&args.terms, &read, customer, &session);
    let ready = Ready { args, session: &session, resolved: resolved.as_ref(), overrides: &overrides, others };
    let offer = match by_month.as_ref().zip(asked) {
        Some((by_month, asked)) => scheduled(&mut wanted, ready, by_month, asked)?,
        None => fixed(&mut wanted, ready, named, &read)?,
    };
    let mut problems = Problems::default();
    wanted.lines.extend(item_lines(&session, &offer, &read.items, &mut problems));
    problems.check()?;
    let own = std::mem::take(&mut wanted.conditions);
    wanted.conditions = input::conditions(&session, &offer, read.stock_checked);
    wanted.conditions.extend(own);
    quote_doubts::add(&mut wanted, &session, &offer);
    let quote = engine::draw_up(wanted)
        .map_err(|refusals| CliError::Usage(refusals.iter().map(ToString::to_string).collect()))?;
    quote_doubts::remark_loss(&quote, args.common.quiet);
    let copy = if args.target.internal { quote } else { quote.for_customer() };
    deliver(&copy, format, &args.target, &args.common)?;
    Ok(ExitStatus::Success)
}

/// The job that is priced.
fn job_of(
    args: &QuoteArgs,
    session: &Session,
    problems: &mut Problems,
) -> Result<Option<ResolvedJob>, CliError> {
    let job = job::resolve(&args.workload, &session.catalog, &session.profiles, problems)?;
    Ok(job.map(|job| job.suited(&args.plan.constraints(), &session.profiles)))
}

/// What a quote for a stated time needs and cannot have.
fn without_a_job(args: &QuoteArgs, problems: &mut Problems) {
    if args.terms.hours.is_none() {
        problems.usage("neither a job nor a time: describe the job, or add --hours".to_owned());
    }
    if !args.alternatives.is_empty() {
        problems.usage("--alternative: clusters are compared by the time of a job; describe one".to_owned());
    }
}

/// A fixed number of nodes, for the predicted time or a stated one; gives the offer that is sold.
fn fixed(
    wanted: &mut QuoteInput,
    ready: Ready<'_>,
    named: NamedCluster,
    read: &ReadTerms,
) -> Result<Offer, CliError> {
    let Ready { args, session, resolved, overrides, others } = ready;
    let cluster = named.cluster.clone();
    let (offer, time, jobs) = if let Some(resolved) = resolved {
        let constraints = args.plan.constraints();
        let anchor = measured::of(&args.workload, session, resolved, &constraints, overrides)?;
        let question = measured::question(resolved, &constraints, anchor.as_ref(), &session.prices);
        let mut simulation = simulate_named(session, &question, named);
        let mut job = resolved.job.clone();
        adopt(&mut job, &mut simulation);
        quote_doubts::add_porting(wanted, &simulation);
        let offer = match read.hours {
            Some(time) => cheapest_for(session, &cluster, stated(time)),
            None => simulation.offer.clone(),
        };
        let offer = sold(&cluster, offer)?;
        let at = predicted(wanted, session, &job, &simulation, &offer, args.terms.at)?;
        if read.hours.is_some() {
            wanted.basis = Basis::Stated;
        }
        input::compared(wanted, session, &question, others, args.common.quiet);
        read.hours.map_or((offer.clone(), at, resolved.job.folds), |hours| (offer, hours, 1))
    } else {
        let Some(time) = read.hours else { return Err(CliError::usage("no time to price")) };
        (sold(&cluster, cheapest_for(session, &cluster, stated(time)))?, time, 1)
    };
    if let Some(hours) = read.hours {
        wanted.basis = Basis::Stated;
        wanted.doubts.extend(quote_doubts::too_few(hours, wanted.prediction.as_ref(), args.common.quiet));
    }
    let rental = Rental { nodes: cluster.nodes, time, jobs };
    wanted.lines.extend(compute_line(session, &offer, rental));
    wanted.ways_to_buy = ways_to_buy(session, &offer, rental);
    wanted.conditions.extend(monthly_hint(session, &offer, rental.whole(), &wanted.ways_to_buy));
    Ok(offer)
}

/// A number of nodes that follows the clock; gives the offer by the hour.
fn scheduled(
    wanted: &mut QuoteInput,
    ready: Ready<'_>,
    by_month: &PriceRules,
    asked: Asked,
) -> Result<Offer, CliError> {
    let Ready { args, session, resolved, overrides, others } = ready;
    let resolved = resolved.ok_or_else(|| CliError::usage("no job"))?;
    let constraints = args.plan.constraints();
    let anchor = measured::of(&args.workload, session, resolved, &constraints, overrides)?;
    let question = measured::question(resolved, &constraints, anchor.as_ref(), &session.prices);
    let offer = quote_schedule::fill(wanted, &Setting { session, by_month, question, args }, asked)?;
    refuse_gone(&offer, args.cluster.as_deref().unwrap_or_default())?;
    input::compared(wanted, session, &question, others, args.common.quiet);
    Ok(offer)
}

/// Puts the prediction into the quote; gives the time to price.
fn predicted(
    wanted: &mut QuoteInput,
    session: &Session,
    job: &crate::workload::Job,
    simulation: &Simulation,
    offer: &Offer,
    at: QuantileName,
) -> Result<Seconds, CliError> {
    let estimate = simulation.outcome.as_ref().map_err(|blocked| {
        let why = why_not(&blocked.reason, Language::English);
        let name = &simulation.cluster.label;
        CliError::usage(format!(
            "the job does not run on {name}: {why}; `simulate` with the same flags says more"
        ))
    })?;
    let mut prediction = input::prediction(session, job, simulation, estimate);
    prediction.compute =
        compute_quantiles(session, offer, (simulation.cluster.nodes, job.folds), &prediction.total_time_s);
    let total = prediction.total_time_s;
    wanted.basis = at.basis();
    wanted.acceptance = Some(input::acceptance(&prediction));
    wanted.assumptions = input::notes(job.assumed.iter().chain(&simulation.assumed));
    wanted.prediction = Some(prediction);
    Ok(Seconds::new(total.at(at.basis())))
}

/// Checks where the quote goes before any work starts.
fn target_format(target: &QuoteTarget) -> Result<Option<QuoteFormat>, CliError> {
    let Some(path) = &target.out else { return Ok(None) };
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let format = match extension.as_deref() {
        Some("xlsx") => QuoteFormat::Xlsx,
        Some("html" | "htm") => QuoteFormat::Html,
        Some("pdf") => QuoteFormat::Pdf,
        Some("md") => QuoteFormat::Markdown,
        Some("json") => QuoteFormat::Json,
        _ => {
            let shown = path.display();
            return Err(CliError::usage(format!(
                "--out: {shown} must end in .xlsx, .html, .pdf, .md or .json"
            )));
        }
    };
    check_target("--out", path)?;
    Ok(Some(format))
}

/// Writes the quote to its file, or prints it.
fn deliver(
    quote: &Quote,
    format: Option<QuoteFormat>,
    target: &QuoteTarget,
    common: &CommonArgs,
) -> Result<(), CliError> {
    let (Some(format), Some(path)) = (format, &target.out) else {
        let text = match common.format {
            Format::Json => json(quote)?,
            other => render(&view::document(quote, common.language()), other)?,
        };
        return print(&text);
    };
    let language: Language = common.lang.parse().unwrap_or_default();
    write_file(path, &bytes(quote, format, language)?)?;
    remark(common.quiet, &format!("{} written to {}", quote.number, path.display()));
    Ok(())
}

fn bytes(quote: &Quote, format: QuoteFormat, language: Language) -> Result<Vec<u8>, CliError> {
    let failed = |e: &dyn std::fmt::Display| CliError::Output(format!("cannot write the quote: {e}"));
    let document = || view::document(quote, language);
    Ok(match format {
        QuoteFormat::Xlsx => view::workbook(quote, language).map_err(|e| failed(&e))?,
        QuoteFormat::Html => html::render(&document(), language).map_err(|e| failed(&e))?.into_bytes(),
        QuoteFormat::Pdf => {
            let document = document();
            // Said even when the user wants quiet: the customer would see it first.
            let missing: String = pdf::missing(&document).map_err(|e| failed(&e))?.into_iter().collect();
            if !missing.is_empty() {
                let advice = "the HTML and XLSX copies show them";
                complain(&format!(
                    "warning: the PDF shows ? for characters its font lacks: {missing}; {advice}\n"
                ));
            }
            pdf::render(&document, language).map_err(|e| failed(&e))?
        }
        QuoteFormat::Markdown => markdown::render(&document()).into_bytes(),
        QuoteFormat::Json => json(quote)?.into_bytes(),
    })
}

fn json(quote: &Quote) -> Result<String, CliError> {
    let text = serde_json::to_string_pretty(quote);
    text.map(|t| format!("{t}\n")).map_err(|e| CliError::Output(format!("cannot write JSON: {e}")))
}

/// A record that was written earlier.
fn record(path: &Path) -> Result<Quote, CliError> {
    engine::read(&read_text(path)?).map_err(|error| {
        let file = path.display().to_string();
        CliError::invalid(vec![Finding {
            file,
            line: None,
            key: "quote".to_owned(),
            message: error.to_string(),
        }])
    })
}

fn reprint(
    file: &Path,
    renew: bool,
    as_of: Option<&str>,
    target: &QuoteTarget,
    common: &CommonArgs,
) -> Result<ExitStatus, CliError> {
    let format = target_format(target)?;
    let day = match as_of.map(parse_date) {
        Some(Ok(day)) => day,
        Some(Err(error)) => return Err(CliError::usage(format!("--as-of: {error}"))),
        None => today(),
    };
    let copy = if target.internal { Copy::Internal } else { Copy::Customer };
    let quote = engine::reprint(record(file)?, copy, renew, day).map_err(|error| match error {
        ReprintError::Expired { .. } | ReprintError::PriceEnded { .. } | ReprintError::NoInternal => {
            CliError::usage(format!("{}: {error}", file.display()))
        }
        other => CliError::Output(other.to_string()),
    })?;
    deliver(&quote, format, target, common)?;
    Ok(ExitStatus::Success)
}

fn diff(before: &Path, after: &Path, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    let (before, after) = (record(before)?, record(after)?);
    let changes = engine::changes(&before, &after);
    let text = match common.format {
        Format::Json => serde_json::to_string_pretty(&changes)
            .map(|t| format!("{t}\n"))
            .map_err(|e| CliError::Output(e.to_string()))?,
        other => render(&view::changes(&before, &after, common.language()), other)?,
    };
    print(&text)?;
    if changes.is_empty() {
        complain("note: the two quotes are the same\n");
    }
    Ok(ExitStatus::Success)
}
