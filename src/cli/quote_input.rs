//! From flags, price book and prediction to what a quote is made of.

use rust_decimal::Decimal;

use super::args::QuoteTerms;
use super::cluster::NamedCluster;
use super::job_file::near_clause;
use super::output::complain;
use super::problems::Problems;
use super::quote_lines::{Rental, compute_amount};
use super::session::{Session, parse_date};
use super::simulate::simulate_named;
use crate::advisor::{Estimate, Question, Simulation};
use crate::catalog::{Purchase, Status};
use crate::cost::purchase_advice::committed_months;
use crate::cost::quote::{
    Acceptance, AdapterNote, Alternative, Basis, Condition, Note, Prediction, Quantiles, QuoteInput, Tax,
    Verdict,
};
use crate::cost::{BookItem, Offer, Standing, parse_share};
use crate::report::recommend::plan_text;
use crate::simulator::Interval;
use crate::units::Seconds;
use crate::units::parse::parse_quantity;
use crate::workload::{Assumption, Job, JobLength, Method};

/// The flags of a quote, read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadTerms {
    /// The tax.
    pub tax: Option<Tax>,
    /// A rental time.
    pub hours: Option<Seconds>,
    /// Quantities by code.
    pub items: Vec<(String, Decimal)>,
    /// The day of the check.
    pub stock_checked: Option<jiff::civil::Date>,
}

/// Reads the flags; what is wrong goes to `problems`.
pub fn read_terms(terms: &QuoteTerms, session: &Session, problems: &mut Problems) -> ReadTerms {
    let book = &session.prices.price_book;
    let rate = match terms.tax.as_deref().map(parse_share) {
        Some(Ok(rate)) => Some(rate),
        Some(Err(error)) => {
            problems.usage(format!("--tax: {error}"));
            None
        }
        None => book.terms.tax,
    };
    let name = terms.tax_name.clone().or_else(|| book.terms.tax_name.clone());
    let hours = terms.hours.as_deref().and_then(|text| match parse_quantity::<Seconds>(text) {
        Ok(time) if time.get() > 0.0 => Some(time),
        Ok(_) => {
            problems.usage("--hours: must be above zero".to_owned());
            None
        }
        Err(error) => {
            problems.usage(format!("--hours: {error}"));
            None
        }
    });
    // Of a book that could not be read nothing is known; its own findings are enough.
    let read_whole = !problems.has_findings();
    let mut items = Vec::new();
    for text in &terms.items {
        match item(text, &book.items, read_whole) {
            Ok((code, _)) if items.iter().any(|(known, _)| *known == code) => {
                problems.usage(format!("--item: {code} is given twice; give its quantity once"));
            }
            Ok(item) => items.push(item),
            Err(error) => problems.usage(format!("--item: {error}")),
        }
    }
    let stock_checked = terms
        .stock_checked
        .as_deref()
        .and_then(|text| parse_date(text).map_err(|e| problems.usage(format!("--stock-checked: {e}"))).ok());
    if let Some(day) = stock_checked.filter(|day| *day > session.prices.as_of) {
        problems
            .usage(format!("--stock-checked: {day} is after the day of the quote, {}", session.prices.as_of));
    }
    ReadTerms {
        tax: rate.map(|rate| Tax { name: name.unwrap_or_else(|| "VAT".to_owned()), rate }),
        hours,
        items,
        stock_checked,
    }
}

fn item(text: &str, items: &[BookItem], read_whole: bool) -> Result<(String, Decimal), String> {
    let fail = || format!("{text:?} is no item with its quantity, such as \"storage=500\"");
    let (code, quantity) = text.split_once('=').ok_or_else(fail)?;
    let quantity: Decimal = quantity.trim().replace('_', "").parse().map_err(|_| fail())?;
    if quantity.is_sign_negative() {
        return Err(fail());
    }
    if read_whole && !items.iter().any(|i| i.code == code) {
        let near = near_clause(code, items.iter().map(|i| i.code.as_str()));
        return Err(format!("the price book has no item {code:?}{near}"));
    }
    Ok((code.to_owned(), quantity))
}

/// A number with six digits: short enough to be the same again when it is read back.
pub fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// The quantiles of a predicted time, short enough to be read back the same.
pub fn quantiles(total: &Interval) -> Quantiles<f64> {
    Quantiles { p10: short(total.p10), p50: short(total.p50), p90: short(total.p90) }
}

/// What the job is predicted to take, without amounts.
pub fn prediction(session: &Session, job: &Job, simulation: &Simulation, estimate: &Estimate) -> Prediction {
    let (length, unit) = match job.length {
        JobLength::Tokens(n) => (n, "tokens"),
        JobLength::Samples(n) => (n, "samples"),
        JobLength::Epochs { epochs, .. } => (epochs, "epochs"),
        JobLength::Steps(n) => (n, "steps"),
    };
    let total = &estimate.paid;
    let cluster = &simulation.cluster;
    Prediction {
        model: job.workload.name.clone(),
        parameters: short(job.workload.parameters),
        length: short(length),
        length_unit: unit.to_owned(),
        jobs: (job.folds > 1).then_some(job.folds),
        global_batch: short(job.global_batch),
        sequence_length: (!job.workload.kind.is_image()).then_some(job.workload.rows_per_sample),
        adapters: adapters(job.method),
        precision: estimate.planned.plan.precision.name().to_owned(),
        software: session.profiles.stack(&job.stack).map_or(job.stack.clone(), |s| s.name.clone()),
        cluster: cluster.label.clone(),
        nodes: cluster.nodes,
        gpus_per_node: cluster.gpus_per_node,
        gpu: simulation.gpu_name.clone(),
        plan: plan_text(&estimate.planned.plan),
        step_time_s: short(estimate.time.step.get()),
        steps: short(estimate.time.steps),
        total_time_s: quantiles(total),
        compute: None,
        gpu_hours: short(estimate.gpu_hours),
        grade: estimate.grade.letter().to_owned(),
        schedule: None,
    }
}

fn adapters(method: Method) -> Option<AdapterNote> {
    let (Method::Lora(adapters) | Method::Qlora(adapters)) = method else { return None };
    Some(AdapterNote {
        method: method.name().to_owned(),
        rank: adapters.rank,
        targets: adapters.targets.name().to_owned(),
    })
}

/// The acceptance test: a step within the interval of the prediction.
pub fn acceptance(prediction: &Prediction) -> Acceptance {
    let q = &prediction.total_time_s;
    Acceptance { step_time_s: prediction.step_time_s, tolerance: short(q.p90 / q.p50 - 1.0) }
}

/// Assumptions as notes.
pub fn notes<'a>(assumed: impl Iterator<Item = &'a Assumption>) -> Vec<Note> {
    let note =
        |a: &Assumption| Note { name: a.name.clone(), value: a.value.clone(), reason: a.reason.clone() };
    assumed.map(note).collect()
}

/// What the quote depends on.
pub fn conditions(session: &Session, offer: &Offer, checked: Option<jiff::civil::Date>) -> Vec<Condition> {
    let rule = session.billing.rule(&offer.place.provider);
    let seconds = |time: Seconds| time.get().round() as u64;
    let mut conditions = vec![Condition::StockAndQuota { checked }];
    conditions.push(if offer.place.region.is_some() {
        Condition::Place { place: offer.place.to_string() }
    } else {
        Condition::PlaceUnstated
    });
    let sound = offer.status == Status::OnSale
        || (offer.on_sale == Standing::Sold && offer.status == Status::Unverified);
    if !sound {
        conditions.push(Condition::EndOfSale { status: offer.status.name().to_owned() });
    }
    conditions.push(Condition::ExportClearance);
    if offer.purchase != Purchase::Monthly {
        conditions.push(Condition::Billing {
            granularity_s: seconds(rule.granularity),
            minimum_s: seconds(rule.minimum),
            stopped: rule.stopped,
            known: rule.known,
        });
    }
    if offer.purchase == Purchase::Spot {
        conditions.push(Condition::SpotInterruptions { notice_s: rule.spot_notice.map(seconds) });
    }
    if matches!(offer.purchase, Purchase::Reserved1y | Purchase::Reserved3y) {
        conditions.push(Condition::Commitment { months: committed_months(offer.purchase) });
    }
    conditions
}

/// Another cluster, with the seller's reason against it.
pub type Other = (NamedCluster, Option<String>);

/// Adds the clusters that were considered.
pub fn compared(
    wanted: &mut QuoteInput,
    session: &Session,
    question: &Question<'_>,
    others: Vec<Other>,
    quiet: bool,
) {
    let own = own(wanted);
    for (other, reason) in others {
        let other = simulate_named(session, question, other);
        let alternative = alternative(session, (&other, reason), own, wanted.basis);
        if alternative.verdict == Verdict::Better && alternative.reason.is_none() {
            let advice = "the customer will ask why it is not quoted: --alternative CLUSTER=REASON says it";
            let what = "costs no more than the quoted cluster and takes no longer";
            if !quiet {
                complain(&format!("warning: {} {what}; {advice}\n", alternative.name));
            }
        }
        wanted.alternatives.push(alternative);
    }
}

/// A cluster that was considered, against the chosen one.
pub fn alternative(
    session: &Session,
    (other, reason): (&Simulation, Option<String>),
    chosen: Option<(f64, Decimal)>,
    basis: Basis,
) -> Alternative {
    let estimate = other.estimate();
    let time_s = estimate.map(|e| quantiles(&e.paid).at(basis));
    let compute = time_s.zip(other.offer.as_ref()).and_then(|(time, offer)| {
        let jobs = estimate.map_or(1, |e| e.jobs);
        compute_amount(session, offer, Rental { nodes: other.cluster.nodes, time: Seconds::new(time), jobs })
    });
    let standing = other.offer.as_ref().map(|o| o.on_sale);
    let verdict = match (time_s, compute) {
        (None, _) => Verdict::DoesNotRun,
        (_, Some(_)) if standing.is_some_and(|s| s != Standing::Sold) => Verdict::NotKnownToBeSold,
        (Some(time), compute) => against(time, compute, chosen),
    };
    Alternative {
        name: other.cluster.label.clone(),
        time_s,
        compute,
        at: beside_median(basis),
        verdict,
        reason,
    }
}

/// The quantile of alternatives, where it is not the median.
pub fn beside_median(basis: Basis) -> Option<Basis> {
    (basis == Basis::P90).then_some(basis)
}

/// Time and amount of what is quoted, at the quantile that alternatives are compared at.
pub fn own(wanted: &QuoteInput) -> Option<(f64, Decimal)> {
    let prediction = wanted.prediction.as_ref()?;
    Some((prediction.total_time_s.at(wanted.basis), prediction.compute?.at(wanted.basis)))
}

/// How a time and an amount compare with those that are quoted.
pub fn against(time_s: f64, compute: Option<Decimal>, chosen: Option<(f64, Decimal)>) -> Verdict {
    match (compute, chosen) {
        (None, _) => Verdict::NoPrice,
        (Some(cost), Some((_, own))) if cost > own => Verdict::Dearer,
        (_, Some((own, _))) if time_s > own => Verdict::Slower,
        _ => Verdict::Better,
    }
}

/// The frame of a quote: everything that flags and price book say about it.
pub fn frame(terms: &QuoteTerms, read: &ReadTerms, customer: String, session: &Session) -> QuoteInput {
    let book = &session.prices.price_book.terms;
    QuoteInput {
        customer,
        seller: terms.issuer.clone().or_else(|| book.seller.clone()),
        number: terms.number.clone(),
        issued: session.prices.as_of,
        valid_days: terms.valid_days.or(book.valid_days).unwrap_or(30),
        currency: session.prices.currency,
        rounding: book.rounding.unwrap_or_default(),
        tax: read.tax.clone(),
        basis: Basis::Stated,
        lines: Vec::new(),
        prediction: None,
        assumptions: Vec::new(),
        alternatives: Vec::new(),
        ways_to_buy: Vec::new(),
        conditions: Vec::new(),
        acceptance: None,
        doubts: Vec::new(),
        budgetary: terms.budgetary,
        sample: book.sample,
        fx: session.prices.fx.clone(),
    }
}
