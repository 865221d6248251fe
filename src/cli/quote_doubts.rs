//! What keeps a quote an estimate beside the dates of its prices: amounts that are not believed, hours that do not suffice.

use super::output::remark;
use super::session::Session;
use crate::cost::quote::{BudgetaryReason, Prediction, Quote, QuoteInput};
use crate::cost::{Offer, implausible_gpu_hour};
use crate::units::{FxTable, Money, Seconds};

/// A price that is this many times below or above every known one of its GPU is a slip of the pen.
const FAR: i64 = 10;

/// Adds what speaks against the price of the nodes.
pub fn add(wanted: &mut QuoteInput, session: &Session, offer: &Offer) {
    let Some(price) = offer.price.as_ref().map(|s| &s.price) else { return };
    if is_far(session, offer, price.per_hour) {
        let code = session.catalog.instance(offer.instance).name.clone();
        wanted.doubts.push(BudgetaryReason::ImplausiblePrice { code });
    }
}

/// True for a price of a GPU-hour that is not believed, or far from every price of that GPU in the catalog. Prices meet in
/// their own currency, or through an exchange rate.
fn is_far(session: &Session, offer: &Offer, per_hour: Money) -> bool {
    let (catalog, fx) = (&session.catalog, &session.prices.fx);
    let instance = catalog.instance(offer.instance);
    if implausible_gpu_hour(per_hour, instance.gpu_count, fx).is_some() {
        return true;
    }
    let each = |money: Money, gpus: u32| of_gpu(money, gpus, per_hour, fx);
    let Some(own) = each(per_hour, instance.gpu_count) else { return false };
    let known = catalog.prices.iter().filter(|p| catalog.instance(p.instance).gpu == instance.gpu);
    let known = known.filter_map(|p| each(p.per_hour?, catalog.instance(p.instance).gpu_count));
    let known: Vec<_> = known.collect();
    let (Some(least), Some(most)) = (known.iter().min(), known.iter().max()) else { return false };
    own.checked_mul(FAR.into()).is_some_and(|own| own < *least)
        || most.checked_mul(FAR.into()).is_some_and(|most| own > most)
}

/// The price of one GPU in the currency of `like`.
fn of_gpu(money: Money, gpus: u32, like: Money, fx: &FxTable) -> Option<rust_decimal::Decimal> {
    fx.convert(money, like.currency).ok()?.amount.checked_div(gpus.max(1).into())
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
