//! What keeps a quote an estimate beside the dates of its prices: amounts that are not believed, hours that do not suffice.

use super::output::remark;
use super::session::Session;
use crate::advisor::{Simulation, Warning};
use crate::cost::quote::{BudgetaryReason, Prediction, Quote, QuoteInput};
use crate::cost::{Offer, PriceDoubt, doubt_of};
use crate::units::Seconds;

/// Adds what speaks against the price of the nodes.
pub fn add(wanted: &mut QuoteInput, session: &Session, offer: &Offer) {
    let Some(price) = offer.price.as_ref().map(|s| &s.price) else { return };
    let doubt = doubt_of(&session.catalog, &session.prices.fx, offer.instance, price);
    if doubt.is_some_and(|doubt| doubt != PriceDoubt::Unchecked) {
        let code = session.catalog.instance(offer.instance).name.clone();
        wanted.doubts.push(BudgetaryReason::ImplausiblePrice { code });
    }
}

/// Adds that the software must be ported, where the prediction warns of it.
pub fn add_porting(wanted: &mut QuoteInput, simulation: &Simulation) {
    wanted.doubts.extend(simulation.warnings.iter().find_map(|warning| match warning {
        Warning::Porting { vendor, software } => {
            Some(BudgetaryReason::Porting { vendor: vendor.clone(), software: software.clone() })
        }
        _ => None,
    }));
}

/// The doubt that stated hours are enough for the job that is described beside them.
pub fn too_few(hours: Seconds, prediction: Option<&Prediction>, quiet: bool) -> Option<BudgetaryReason> {
    let prediction = prediction?;
    let jobs = if prediction.schedule.is_some() { 1 } else { prediction.jobs.unwrap_or(1) };
    let share = hours.get() / (prediction.total_time_s.p50 * f64::from(jobs));
    if share >= 1.0 {
        return None;
    }
    let percent = (share * 100.0).floor() as u32;
    remark(
        quiet,
        &format!(
            "warning: the stated hours are {percent} % of the predicted median: the job will not end in them"
        ),
    );
    Some(BudgetaryReason::HoursTooFew { percent })
}

/// Tells the seller of a loss, which the customer's copy does not.
pub fn remark_loss(quote: &Quote, quiet: bool) {
    let Some(internal) =
        quote.internal.as_ref().filter(|i| i.margin.is_sign_negative() && !i.margin.is_zero())
    else {
        return;
    };
    let loss = format!("{} {}", internal.margin.abs(), quote.currency);
    remark(quiet, &format!("warning: the total is {loss} below cost; --internal shows it line by line"));
}
