//! The offer that a named cluster is bought under: for a time the cheapest for it, else the lowest price by the hour.

use super::error::CliError;
use super::session::Session;
use crate::catalog::Catalog;
use crate::cost::purchase_advice::committed_months;
use crate::cost::{JobTimes, Offer, PriceRules, SAME_DIGITS, Standing, job_cost, offers_of};
use crate::plan::Cluster;
use crate::units::Seconds;

/// The offers of a cluster's instance type in its region, or in all where none is given: on sale before unknown before
/// gone, priced before unpriced, then cheapest by the hour in [`SAME_DIGITS`], then as [`Offer::tie_order`] says.
pub fn offers_under(catalog: &Catalog, prices: &PriceRules, cluster: &Cluster) -> Vec<Offer> {
    let Some(id) = cluster.instance else { return Vec::new() };
    let region = cluster.place.as_ref().map(|p| &p.region);
    let mut prices = prices.clone();
    if let Some(place) = &cluster.place {
        prices.asked_places.push(place.clone());
    }
    let per_hour = |offer: &Offer| {
        let price = &offer.price.as_ref()?.price;
        prices.fx.convert(price.per_hour, prices.currency).ok()?.amount.round_sf(SAME_DIGITS)
    };
    let mut found: Vec<Offer> = offers_of(catalog, &prices, id);
    found.retain(|o| region.is_none_or(|r| *r == o.place.region));
    let key = |o: &Offer| {
        let rate = per_hour(o);
        (o.on_sale, rate.is_none(), rate, o.price.is_none())
    };
    found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.tie_order().cmp(&b.tie_order())));
    found
}

/// The offer of a cluster at the lowest price by the hour.
pub fn offer_under(catalog: &Catalog, prices: &PriceRules, cluster: &Cluster) -> Option<Offer> {
    offers_under(catalog, prices, cluster).into_iter().next()
}

/// The offer under which so many nodes for these times cost least: a subscription is paid by whole months, whatever its
/// price an hour. Only offers that are as sure to be on sale as the first are compared.
pub fn cheapest_for(session: &Session, cluster: &Cluster, times: JobTimes) -> Option<Offer> {
    let prices = &session.prices;
    let found = offers_under(&session.catalog, prices, cluster);
    let standing = found.first()?.on_sale;
    let cost = |offer: &Offer| {
        let rule = session.billing.rule(&offer.place.provider);
        let price = offer.price.as_ref().map(|s| &s.price);
        let cost = job_cost(price, cluster.nodes, times, &rule, &prices.fx, prices.currency);
        cost.comparable()?.p50.amount.round_sf(SAME_DIGITS)
    };
    let same = found.into_iter().filter(|o| o.on_sale == standing).map(|o| (cost(&o), o));
    // Of equals the one that commits to less, then the first.
    let key = |(cost, offer): &(Option<_>, Offer)| (cost.is_none(), *cost, committed_months(offer.purchase));
    same.min_by_key(key).map(|(_, offer)| offer)
}

/// A time that is not predicted, as three equal quantiles of one job.
pub const fn stated(time: Seconds) -> JobTimes {
    JobTimes { jobs: 1, p10: time, p50: time, p90: time }
}

/// Refuses what is no longer sold.
///
/// # Errors
/// Where it is retired or withdrawn.
pub fn refuse_gone(offer: &Offer, name: &str) -> Result<(), CliError> {
    if offer.on_sale == Standing::Gone {
        return Err(CliError::usage(format!("{name} is {}: it cannot be sold", offer.status.name())));
    }
    Ok(())
}

/// The offer of the cluster, if it can be bought and has a price.
///
/// # Errors
/// Where nobody sells it or states a price.
pub fn sold(cluster: &Cluster, offer: Option<Offer>) -> Result<Offer, CliError> {
    let name = &cluster.label;
    let offer = offer.ok_or_else(|| {
        CliError::usage(if cluster.instance.is_some() {
            format!("{name}: nobody states a price for this place; add --price provider/instance@region=PRICE or a price book")
        } else {
            format!("{name}: no offer of a provider; name an instance type, provider/instance@region:N")
        })
    })?;
    refuse_gone(&offer, name)?;
    if offer.price.is_none() {
        let message = format!(
            "{name}: nobody states a price for {} {}; add --price or a price book",
            offer.place,
            offer.purchase.name()
        );
        return Err(CliError::usage(message));
    }
    Ok(offer)
}
