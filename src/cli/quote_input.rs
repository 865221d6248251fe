//! From flags, price book and prediction to what a quote is made of.

use rust_decimal::Decimal;

use super::args::QuoteTerms;
use super::job_file::near_clause;
use super::problems::Problems;
use super::session::{Session, parse_date};
use crate::advisor::{Estimate, Simulation};
use crate::catalog::{Purchase, Status};
use crate::cost::purchase_advice::{PurchaseOption, committed_months, purchase_advice};
use crate::cost::quote::{
    Acceptance, Alternative, Basis, Condition, LineInput, Note, Prediction, Quantiles, QuoteInput, Tax,
    Verdict,
};
use crate::cost::{
    BookItem, NetPrice, Offer, Price, PriceOrigin, PriceRules, ProductKind, SaleUnit, Standing, Subject,
    net_price, offers, parse_percent, whole_months,
};
use crate::plan::Cluster;
use crate::report::recommend::plan_text;
use crate::units::parse::parse_quantity;
use crate::units::{Seconds, Unit as _};
use crate::workload::{Assumption, Job, JobLength};

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
    let rate = match terms.tax.as_deref().map(parse_percent) {
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
            problems.usage(format!("--hours: {error}; such as {:?}", Seconds::EXAMPLE));
            None
        }
    });
    let mut items = Vec::new();
    for text in &terms.items {
        match item(text, &book.items) {
            Ok(item) => items.push(item),
            Err(error) => problems.usage(format!("--item: {error}")),
        }
    }
    let stock_checked = terms
        .stock_checked
        .as_deref()
        .and_then(|text| parse_date(text).map_err(|e| problems.usage(format!("--stock-checked: {e}"))).ok());
    ReadTerms {
        tax: rate.map(|rate| Tax { name: name.unwrap_or_else(|| "VAT".to_owned()), rate }),
        hours,
        items,
        stock_checked,
    }
}

fn item(text: &str, items: &[BookItem]) -> Result<(String, Decimal), String> {
    let fail = || format!("{text:?} is no item with its quantity, such as \"storage=500\"");
    let (code, quantity) = text.split_once('=').ok_or_else(fail)?;
    let quantity: Decimal = quantity.trim().replace('_', "").parse().map_err(|_| fail())?;
    if quantity.is_sign_negative() {
        return Err(fail());
    }
    if !items.iter().any(|i| i.code == code) {
        let near = near_clause(code, items.iter().map(|i| i.code.as_str()));
        return Err(format!("the price book has no item {code:?}{near}"));
    }
    Ok((code.to_owned(), quantity))
}

/// A price without rules.
fn plain(price: &Price) -> NetPrice {
    let list = price.stated_rate().unit_price();
    NetPrice {
        list,
        cost: list.money,
        customer: list.money,
        saving: None,
        discount: None,
        markup: None,
        fixed: false,
        rules: Vec::new(),
    }
}

/// The line of the nodes, for so long; `None` without a price or when the time cannot be represented.
pub fn compute_line(session: &Session, offer: &Offer, cluster: &Cluster, time: Seconds) -> Option<LineInput> {
    let selected = offer.price.as_ref()?;
    let price = &selected.price;
    let net = selected.net.clone().unwrap_or_else(|| plain(price));
    let rule = session.billing.rule(&offer.place.provider);
    let each = match net.list.unit {
        SaleUnit::Month => whole_months(time)?,
        _ => rule.billed_hours(time)?,
    };
    let instance = session.catalog.instance(offer.instance);
    let gpu = session.catalog.gpu(instance.gpu);
    Some(LineInput {
        kind: ProductKind::Compute,
        code: instance.name.clone(),
        name: format!("{} x {}", instance.gpu_count, gpu.name),
        place: Some(offer.place.to_string()),
        purchase: Some(offer.purchase),
        nodes: Some(cluster.nodes),
        each,
        price: net,
        as_of: price.as_of,
        source: price.source.clone(),
        origin: price.origin,
        firm: price.firm,
        suspect: price
            .suspect
            .clone()
            .or_else(|| price.superseded.then(|| "a newer figure exists".to_owned())),
    })
}

/// Lines of the price book's items that the quote holds.
pub fn item_lines(
    session: &Session,
    offer: &Offer,
    wanted: &[(String, Decimal)],
    problems: &mut Problems,
) -> Vec<LineInput> {
    let rules = &session.prices;
    let mut lines = Vec::new();
    for item in &rules.price_book.items {
        let asked = wanted.iter().rev().find(|(code, _)| *code == item.code).map(|(_, q)| *q);
        let Some(quantity) = asked.or(item.quantity).filter(|q| !q.is_zero()) else { continue };
        let elsewhere = item.provider.as_ref().is_some_and(|p| *p != offer.place.provider)
            || (item.region.is_some() && item.region != offer.place.region);
        if elsewhere || !item.validity.holds(rules.as_of) {
            if asked.is_some() {
                let why = if elsewhere { "is not sold at this place" } else { "does not hold on this day" };
                problems.usage(format!("--item: {} {why}", item.code));
            }
            continue;
        }
        match item_line(rules, offer, item, quantity) {
            Ok(line) => lines.push(line),
            Err(message) => problems.usage(message),
        }
    }
    lines
}

fn item_line(rules: &PriceRules, offer: &Offer, item: &BookItem, each: Decimal) -> Result<LineInput, String> {
    let subject = Subject {
        product: item.kind,
        provider: Some(&offer.place.provider),
        instance: None,
        region: offer.place.region.as_deref(),
        zone: rules.zone.as_deref(),
        purchase: None,
        day: rules.as_of,
    };
    let price = net_price(&rules.price_book.rules, item.price, &subject)
        .map_err(|e| format!("--price-book: {}: {e}", item.code))?;
    Ok(LineInput {
        kind: item.kind,
        code: item.code.clone(),
        name: item.name.clone(),
        place: item.region.as_ref().map(|_| offer.place.to_string()),
        purchase: None,
        nodes: None,
        each,
        price,
        as_of: Some(item.as_of),
        source: item.source.clone(),
        origin: PriceOrigin::PriceBook,
        firm: item.firm,
        suspect: None,
    })
}

/// A number with six digits: short enough to be the same again when it is read back.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// What the job is predicted to take, without amounts.
pub fn prediction(session: &Session, job: &Job, simulation: &Simulation, estimate: &Estimate) -> Prediction {
    let (length, unit) = match job.length {
        JobLength::Tokens(n) => (n, "tokens"),
        JobLength::Samples(n) => (n, "samples"),
        JobLength::Epochs { epochs, .. } => (epochs, "epochs"),
        JobLength::Steps(n) => (n, "steps"),
    };
    let total = &estimate.time.total;
    let cluster = &simulation.cluster;
    Prediction {
        model: job.workload.name.clone(),
        parameters: short(job.workload.parameters),
        length: short(length),
        length_unit: unit.to_owned(),
        global_batch: short(job.global_batch),
        precision: estimate.planned.plan.precision.name().to_owned(),
        software: session.profiles.stack(&job.stack).map_or(job.stack.clone(), |s| s.name.clone()),
        cluster: cluster.label.clone(),
        nodes: cluster.nodes,
        gpus_per_node: cluster.gpus_per_node,
        gpu: simulation.gpu_name.clone(),
        plan: plan_text(&estimate.planned.plan),
        step_time_s: short(estimate.time.step.get()),
        steps: short(estimate.time.steps),
        total_time_s: Quantiles { p10: short(total.p10), p50: short(total.p50), p90: short(total.p90) },
        compute: None,
        gpu_hours: short(estimate.gpu_hours),
        grade: estimate.grade.letter().to_owned(),
    }
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

/// The other ways to buy the same nodes in the same place, against what is quoted, in its currency.
pub fn purchase_alternatives(
    session: &Session,
    chosen: &Offer,
    nodes: u32,
    time: Seconds,
) -> Vec<Alternative> {
    let all =
        [Purchase::OnDemand, Purchase::Spot, Purchase::Reserved1y, Purchase::Reserved3y, Purchase::Monthly];
    let rules = PriceRules { purchases: all.to_vec(), ..session.prices.clone() };
    let prices: Vec<Price> = offers(&session.catalog, &rules)
        .into_iter()
        .filter(|o| o.instance == chosen.instance && o.place.region == chosen.place.region)
        .filter_map(|o| o.price.map(|p| p.price))
        .filter(|p| p.suspect.is_none() && !p.superseded)
        .collect();
    let rule = session.billing.rule(&chosen.place.provider);
    let options = purchase_advice(&prices, nodes, time, &rule);
    let Some(own) = options.iter().find(|o| o.purchase == chosen.purchase).map(|o| o.paid.amount) else {
        return Vec::new();
    };
    let fx = &session.prices.fx;
    let alternative = |option: &PurchaseOption| {
        let amount = fx.convert(option.paid, session.prices.currency).ok()?.amount;
        let decimals = session.prices.currency.decimals();
        let verdict = if option.paid.amount > own {
            Verdict::Dearer
        } else if option.purchase == Purchase::Spot {
            Verdict::Interruptible
        } else if option.committed_months > committed_months(chosen.purchase) {
            Verdict::Commits
        } else {
            Verdict::Better
        };
        Some(Alternative {
            name: option.purchase.name().to_owned(),
            time_s: None,
            compute: Some(
                session.prices.price_book.terms.rounding.unwrap_or_default().round(amount, decimals),
            ),
            break_even_hours: option.break_even_hours,
            verdict,
        })
    };
    options.iter().filter(|o| o.purchase != chosen.purchase).filter_map(alternative).collect()
}

/// A cluster that was considered, against the chosen one.
pub fn alternative(session: &Session, other: &Simulation, chosen: Option<(f64, Decimal)>) -> Alternative {
    let estimate = other.estimate();
    let time_s = estimate.map(|e| short(e.time.total.p50));
    let cost = estimate.and_then(|e| e.cost.as_ref()).and_then(|c| c.comparable()).map(|c| c.p50);
    let decimals = session.prices.currency.decimals();
    let compute =
        cost.map(|m| session.prices.price_book.terms.rounding.unwrap_or_default().round(m.amount, decimals));
    let standing = other.offer.as_ref().map(|o| o.on_sale);
    let verdict = match (time_s, compute, chosen) {
        (None, ..) => Verdict::DoesNotRun,
        (_, None, _) => Verdict::NoPrice,
        _ if standing.is_some_and(|s| s != Standing::Sold) => Verdict::NotKnownToBeSold,
        (_, Some(cost), Some((_, own))) if cost > own => Verdict::Dearer,
        (Some(time), _, Some((own, _))) if time > own => Verdict::Slower,
        _ => Verdict::Better,
    };
    Alternative { name: other.cluster.label.clone(), time_s, compute, break_even_hours: None, verdict }
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
        conditions: Vec::new(),
        acceptance: None,
        budgetary: terms.budgetary,
        sample: book.sample,
        fx: session.prices.fx.clone(),
    }
}

/// Net amounts of compute at the three times of a prediction, in the currency of the quote.
pub fn compute_quantiles(
    session: &Session,
    offer: &Offer,
    nodes: u32,
    times: &Quantiles<f64>,
) -> Option<Quantiles<Decimal>> {
    let price = &offer.price.as_ref()?.price;
    let rule = session.billing.rule(&offer.place.provider);
    let amount = |seconds: f64| {
        let own = crate::cost::compute_cost(price, nodes, Seconds::new(seconds), &rule)?;
        let money = session.prices.fx.convert(own, session.prices.currency).ok()?;
        let rounding = session.prices.price_book.terms.rounding.unwrap_or_default();
        Some(rounding.round(money.amount, session.prices.currency.decimals()))
    };
    Some(Quantiles { p10: amount(times.p10)?, p50: amount(times.p50)?, p90: amount(times.p90)? })
}
