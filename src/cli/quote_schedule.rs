//! `quote --schedule`: a job whose number of nodes follows the clock, sold as a subscribed baseline and hours beyond it.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::args::QuoteArgs;
use super::elastic_input::{Asked, Charges, simulated};
use super::error::CliError;
use super::quote_input as input;
use super::quote_lines::{Rental, burst_line, compute_line, line_amount};
use super::session::Session;
use crate::advisor::elastic::{Courses, Elastic, FixedSize, baseline_of, cheapest, elastic, running};
use crate::advisor::{Estimate, Question, Simulation};
use crate::cost::quote::{
    Alternative, Basis, Condition, LineInput, Note, Prediction, ProductRole, Quantiles, QuoteInput,
    ScheduleNote, ScheduleSize, Verdict, WayToBuy,
};
use crate::cost::{ElasticBill, Offer, PriceRules, Timeline, bills, whole_months};
use crate::report::recommend::plan_text;
use crate::units::Money;

/// What a schedule is priced with.
pub struct Setting<'a> {
    /// Facts, and prices by the hour.
    pub session: &'a Session,
    /// Prices by the month.
    pub by_month: &'a PriceRules,
    /// The question about each size.
    pub question: Question<'a>,
    /// The flags.
    pub args: &'a QuoteArgs,
}

/// A schedule with its offers.
struct Priced<'a> {
    session: &'a Session,
    hourly: &'a Offer,
    monthly: Option<&'a Offer>,
    jobs: u32,
}

impl Priced<'_> {
    /// The lines of a bill over a course.
    fn lines(&self, bill: &ElasticBill, course: &Timeline) -> Option<Vec<LineInput>> {
        let mut lines = Vec::new();
        if bill.committed.nodes > 0 {
            let mut line = compute_line(
                self.session,
                self.monthly?,
                Rental { nodes: bill.committed.nodes, time: course.end(), jobs: 1 },
            )?;
            line.product.role = Some(ProductRole::Baseline);
            lines.push(line);
        }
        if bill.burst_billed_hours > Decimal::ZERO {
            lines.push(burst_line(self.session, self.hourly, bill.burst_billed_hours)?);
        }
        // The course is of all jobs.
        for line in &mut lines {
            line.product.jobs = (self.jobs > 1).then_some(self.jobs);
        }
        Some(lines)
    }

    /// What those lines amount to, net.
    fn amount(&self, bill: &ElasticBill, course: &Timeline) -> Option<Decimal> {
        self.lines(bill, course)?.iter().map(|line| line_amount(self.session, line)).sum()
    }

    /// An amount in the currency of the quote, rounded as its lines are.
    fn converted(&self, money: Money) -> Option<Decimal> {
        let prices = &self.session.prices;
        let money = prices.fx.convert(money, prices.currency).ok()?;
        let rounding = prices.price_book.terms.rounding.unwrap_or_default();
        Some(rounding.round(money.amount, prices.currency.decimals()))
    }
}

/// Puts the lines, the prediction, what else was considered and the conditions of a schedule into a quote; gives the offer
/// by the hour.
///
/// # Errors
/// When the job does not run on one of the sizes or never ends, or a price is missing.
pub fn fill(wanted: &mut QuoteInput, setting: &Setting<'_>, mut asked: Asked) -> Result<Offer, CliError> {
    let (session, args) = (setting.session, setting.args);
    let sizes = std::mem::take(&mut asked.sizes);
    let simulations = simulated(session, &setting.question, sizes, args.common.threads)?;
    let estimates = running(&simulations).map_err(|blocked| {
        let name = &blocked.cluster.label;
        CliError::usage(format!("the job does not run on {name}: `simulate` with the same flags says why"))
    })?;
    let (Some(largest), Some(&(_, estimate))) = (simulations.last(), estimates.last()) else {
        return Err(CliError::usage("--schedule: no nodes"));
    };
    let charges = Charges::of(session, setting.by_month, &largest.cluster);
    let Some(hourly) = &charges.hourly else {
        let name = &largest.cluster.label;
        let advice = "nobody states a price by the hour; add --price or a price book";
        return Err(CliError::usage(format!("{name}: {advice}")));
    };
    let terms = charges.terms(&asked, args.schedule.baseline, setting.question.job.folds);
    let found = elastic(session.facts(), &terms, &estimates);
    let never = || CliError::usage("--schedule: the work never ends, or its cost has no amount");
    let courses = found.courses.as_ref().ok_or_else(never)?;
    let basis = args.terms.at.basis();
    let course = Quantiles { p10: &courses.p10, p50: &courses.p50, p90: &courses.p90 }.at(basis);
    let billed = |course: &Timeline| bills(course, terms.hourly?, terms.monthly, terms.rule);
    let all = billed(course).unwrap_or_default();
    let bill = match args.schedule.baseline {
        Some(nodes) => baseline_of(&all, nodes),
        None => cheapest(&all),
    };
    let bill = bill.ok_or_else(never)?;
    let priced = Priced { session, hourly, monthly: charges.monthly.as_ref(), jobs: terms.jobs };
    let too_large = || CliError::usage("--schedule: the amount is too large, or has no exchange rate");
    wanted.basis = basis;
    wanted.lines.extend(priced.lines(&bill, course).ok_or_else(too_large)?);
    let mut prediction = input::prediction(session, setting.question.job, largest, estimate);
    wanted.acceptance = Some(input::acceptance(&prediction));
    // The same baseline at every speed.
    let amount =
        |course: &Timeline| priced.amount(&baseline_of(&billed(course)?, bill.committed.nodes)?, course);
    let [p10, p50, p90] = [&courses.p10, &courses.p50, &courses.p90].map(amount);
    prediction.compute = p10.zip(p50).zip(p90).map(|((p10, p50), p90)| Quantiles { p10, p50, p90 });
    over_schedule(&mut prediction, courses, &estimates);
    prediction.schedule = Some(ScheduleNote {
        text: asked.schedule.to_string(),
        start: asked.start.strftime("%Y-%m-%d %H:%M").to_string(),
        baseline_nodes: bill.committed.nodes,
        changes: courses.p50.changes() as u32,
        change_s: input::short(found.change.get()),
        sizes: estimates.iter().map(|&(nodes, e)| size(nodes, e)).collect(),
    });
    wanted.ways_to_buy = ways(&priced, &all, &bill, course);
    wanted.assumptions = assumptions(setting, &simulations);
    wanted.prediction = Some(prediction);
    let own = input::own(wanted);
    wanted.alternatives.extend(fixed_sizes(&priced, &found, &simulations, (own, basis)));
    wanted.conditions.push(Condition::ElasticNodes {
        most: largest.cluster.nodes,
        changes: courses.p50.changes() as u32,
        change_s: found.change.get().round() as u64,
    });
    Ok(hourly.clone())
}

/// Times and GPU-hours of the course in the place of one size's.
fn over_schedule(prediction: &mut Prediction, courses: &Courses, estimates: &[(u32, &Estimate)]) {
    let end = |course: &Timeline| input::short(course.end().get());
    prediction.total_time_s =
        Quantiles { p10: end(&courses.p10), p50: end(&courses.p50), p90: end(&courses.p90) };
    prediction.gpu_hours = input::short(courses.p50.node_hours() * f64::from(prediction.gpus_per_node));
    let worst = estimates.iter().map(|(_, e)| e.grade).max();
    prediction.grade = worst.map_or_else(|| prediction.grade.clone(), |grade| grade.letter().to_owned());
}

fn size(nodes: u32, estimate: &Estimate) -> ScheduleSize {
    ScheduleSize {
        nodes,
        step_time_s: input::short(estimate.time.step.get()),
        plan: plan_text(&estimate.planned.plan),
    }
}

/// Each number of nodes by itself, against the schedule.
fn fixed_sizes(
    priced: &Priced<'_>,
    found: &Elastic,
    simulations: &[Simulation],
    (own, basis): (Option<(f64, Decimal)>, Basis),
) -> Vec<Alternative> {
    let alternative = |(fixed, simulation): (&FixedSize, &Simulation)| {
        let time = input::short(fixed.whole.get());
        let compute = fixed.bill.and_then(|bill| priced.converted(bill.total));
        Alternative {
            name: simulation.cluster.label.clone(),
            time_s: Some(time),
            compute,
            at: input::beside_median(basis),
            verdict: input::against(time, compute, own),
            reason: None,
        }
    };
    let fixed = if basis == Basis::P90 { &found.fixed_p90 } else { &found.fixed };
    fixed.iter().zip(simulations).map(alternative).collect()
}

/// Every size of baseline over the course that is quoted, cheapest first.
fn ways(priced: &Priced<'_>, all: &[ElasticBill], quoted: &ElasticBill, course: &Timeline) -> Vec<WayToBuy> {
    let months = whole_months(course.end(), &priced.session.billing.rule(&priced.hourly.place.provider))
        .and_then(|m| m.to_u32());
    let own = priced.converted(quoted.total);
    let way = |bill: &ElasticBill| {
        let nodes = bill.committed.nodes;
        let paid = priced.converted(bill.total)?;
        let unused = bill.used.map_or(Decimal::ZERO, |used| {
            Decimal::try_from((1.0 - used).max(0.0)).unwrap_or_default() * bill.committed.cost.amount
        });
        let unused = Money::new(unused, bill.committed.cost.currency);
        let verdict = if own.is_some_and(|own| paid > own) { Verdict::Dearer } else { Verdict::Better };
        Some(WayToBuy {
            purchase: if nodes == 0 { "on_demand" } else { "monthly_and_on_demand" }.to_owned(),
            paid,
            unused: priced.converted(unused)?,
            committed_months: if nodes == 0 { 0 } else { months? },
            node_months: if nodes == 0 { None } else { Some(months?.saturating_mul(nodes)) },
            break_even_hours: None,
            break_even_utilization: None,
            verdict: (nodes != quoted.committed.nodes).then_some(verdict),
        })
    };
    let mut ways: Vec<WayToBuy> = all.iter().filter_map(way).collect();
    ways.sort_by_key(|w| (w.paid, w.node_months));
    ways
}

/// What was assumed about the job and every size, once.
fn assumptions(setting: &Setting<'_>, simulations: &[Simulation]) -> Vec<Note> {
    let of_sizes = simulations.iter().flat_map(|s| &s.assumed).filter(|a| a.name != "plan");
    let mut notes = input::notes(setting.question.job.assumed.iter().chain(of_sizes));
    let mut seen = std::collections::BTreeSet::new();
    notes.retain(|note| seen.insert((note.name.clone(), note.value.clone())));
    notes
}

/// A schedule needs a job: its time is what is asked.
pub fn check(args: &QuoteArgs, has_job: bool) -> Result<(), &'static str> {
    if args.schedule.schedule.is_none() {
        return Ok(());
    }
    if args.terms.hours.is_some() {
        return Err("--schedule: a schedule has its own hours; leave --hours out");
    }
    if has_job { Ok(()) } else { Err("--schedule: describe the job whose nodes come and go") }
}
