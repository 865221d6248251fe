//! The lines of a quote: nodes for a time, items of the price book, and what a line would amount to.

use rust_decimal::Decimal;

use super::problems::Problems;
use super::session::Session;
use crate::cost::quote::{LineInput, Product, ProductRole, Quantiles, net_amount};
use crate::cost::{
    BookItem, NetPrice, Offer, Price, PriceOrigin, PriceRules, ProductKind, SaleUnit, Subject, net_price,
    whole_months,
};
use crate::units::Seconds;

/// So many nodes for a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rental {
    /// Nodes.
    pub nodes: u32,
    /// Time of one job.
    pub time: Seconds,
    /// Jobs alike and independent of each other, one after the other on the nodes; 1 for a single one.
    pub jobs: u32,
}

impl Rental {
    /// The time of all jobs.
    pub fn whole(self) -> Seconds {
        self.time * f64::from(self.jobs)
    }
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
        valid_until: None,
    }
}

/// The line of the nodes for all jobs; `None` without a price or when the time cannot be represented.
pub fn compute_line(session: &Session, offer: &Offer, rental: Rental) -> Option<LineInput> {
    let selected = offer.price.as_ref()?;
    let price = &selected.price;
    let net = selected.net.clone().unwrap_or_else(|| plain(price));
    let rule = session.billing.rule(&offer.place.provider);
    let each = match net.list.unit {
        SaleUnit::Month => whole_months(rental.whole(), &rule)?,
        // Every job starts its own hour.
        _ => rule.billed_hours(rental.time)?.checked_mul(rental.jobs.into())?,
    };
    let instance = session.catalog.instance(offer.instance);
    let gpu = session.catalog.gpu(instance.gpu);
    let product = Product {
        kind: ProductKind::Compute,
        code: instance.name.clone(),
        name: format!("{} x {}", instance.gpu_count, gpu.name),
        place: Some(offer.place.to_string()),
        purchase: Some(offer.purchase),
        nodes: Some(rental.nodes),
        jobs: (rental.jobs > 1).then_some(rental.jobs),
        each,
        role: None,
    };
    Some(LineInput {
        product,
        price: net,
        as_of: price.as_of,
        source: price.source.clone(),
        origin: price.origin,
        firm: price.firm,
        valid_until: price.valid_until,
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
        // An item that names no provider is the seller's own: no rule for a provider is about it.
        provider: item.provider.as_deref(),
        instance: None,
        region: offer.place.region.as_deref(),
        zone: rules.zone.as_deref(),
        purchase: None,
        day: rules.as_of,
    };
    let price = net_price(&rules.price_book.rules, item.price, &subject)
        .map_err(|e| format!("--price-book: {}: {e}", item.code))?;
    let product = Product {
        kind: item.kind,
        code: item.code.clone(),
        name: item.name.clone(),
        place: item.region.as_ref().map(|_| offer.place.to_string()),
        purchase: None,
        nodes: None,
        jobs: None,
        each,
        role: None,
    };
    Ok(LineInput {
        product,
        price,
        as_of: Some(item.as_of),
        source: item.source.clone(),
        origin: PriceOrigin::PriceBook,
        firm: item.firm,
        valid_until: item.validity.until,
        suspect: None,
    })
}

/// Net amount that the line of these nodes for all jobs has, in the currency of the quote: what a quote shows as the
/// cost of a time is what its line for that time says.
pub fn compute_amount(session: &Session, offer: &Offer, rental: Rental) -> Option<Decimal> {
    line_amount(session, &compute_line(session, offer, rental)?)
}

/// Net amount of a line, in the currency of the quote.
pub fn line_amount(session: &Session, line: &LineInput) -> Option<Decimal> {
    let prices = &session.prices;
    let rounding = prices.price_book.terms.rounding.unwrap_or_default();
    net_amount(line, prices.currency, rounding, &prices.fx)
}

/// The line of node-hours beyond a baseline.
pub fn burst_line(session: &Session, offer: &Offer, node_hours: Decimal) -> Option<LineInput> {
    let mut line =
        compute_line(session, offer, Rental { nodes: 1, time: Seconds::from_hours(1.0), jobs: 1 })?;
    (line.product.nodes, line.product.each) = (None, node_hours);
    line.product.role = Some(ProductRole::Burst);
    Some(line)
}

/// Net amounts of compute, of all jobs, at the three times of one.
pub fn compute_quantiles(
    session: &Session,
    offer: &Offer,
    (nodes, jobs): (u32, u32),
    times: &Quantiles<f64>,
) -> Option<Quantiles<Decimal>> {
    let amount =
        |seconds: f64| compute_amount(session, offer, Rental { nodes, time: Seconds::new(seconds), jobs });
    Some(Quantiles { p10: amount(times.p10)?, p50: amount(times.p50)?, p90: amount(times.p90)? })
}
