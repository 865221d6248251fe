//! Ways to buy the nodes of a quote, and what each would cost.

use super::quote_lines::{Rental, compute_amount};
use super::session::Session;
use crate::catalog::Purchase;
use crate::cost::purchase_advice::{PurchaseOption, Way, committed_months, purchase_advice};
use crate::cost::quote::{Condition, Verdict, WayToBuy};
use crate::cost::{Offer, Price, PriceRules, offers_of};
use crate::units::Seconds;

const ALL: [Purchase; 5] =
    [Purchase::OnDemand, Purchase::Spot, Purchase::Reserved1y, Purchase::Reserved3y, Purchase::Monthly];

/// Every way to buy these nodes in this place for this time, cheapest first, in the currency of the quote. Prices that
/// are doubtful, superseded or without an exchange rate are left out.
pub fn ways_to_buy(session: &Session, chosen: &Offer, rental: Rental) -> Vec<WayToBuy> {
    let asked_places = vec![chosen.place.clone()];
    let rules = PriceRules { purchases: ALL.to_vec(), asked_places, ..session.prices.clone() };
    let here = |o: &Offer| o.place.region == chosen.place.region;
    let others: Vec<Offer> =
        offers_of(&session.catalog, &rules, chosen.instance).into_iter().filter(here).collect();
    let prices: Vec<Price> = others.iter().filter_map(|o| own_currency(session, o)).collect();
    let rule = session.billing.rule(&chosen.place.provider);
    let mut options = purchase_advice(&prices, rental.nodes, rental.whole(), &rule);
    for option in &mut options {
        // What is bought for the job's own time is what its line in a quote would say.
        let offer = others.iter().find(|o| option.way == Way::Whole(o.purchase) && paid_by_use(o.purchase));
        if let Some(amount) = offer.and_then(|o| compute_amount(session, o, rental)) {
            option.paid.amount = amount;
        }
    }
    options.sort_by_key(|o| (o.paid.amount, o.committed_months, o.way));
    let quoted = options.iter().find(|o| o.way == Way::Whole(chosen.purchase)).cloned();
    options.iter().map(|option| row(session, option, quoted.as_ref())).collect()
}

/// True for options of which a job pays its own time, in started hours or months.
const fn paid_by_use(purchase: Purchase) -> bool {
    committed_months(purchase) <= 1
}

/// The price of an offer in the currency of the quote.
fn own_currency(session: &Session, offer: &Offer) -> Option<Price> {
    let price = offer.price.as_ref().map(|p| &p.price).filter(|p| p.suspect.is_none() && !p.superseded)?;
    let money = session.prices.fx.convert(price.stated_rate().money(), session.prices.currency).ok()?;
    Some(price.clone().at(money))
}

fn row(session: &Session, option: &PurchaseOption, quoted: Option<&PurchaseOption>) -> WayToBuy {
    let rounding = session.prices.price_book.terms.rounding.unwrap_or_default();
    let rounded = |amount| rounding.round(amount, session.prices.currency.decimals());
    WayToBuy {
        purchase: option.way.name().to_owned(),
        paid: rounded(option.paid.amount),
        unused: rounded(option.unused.amount),
        committed_months: option.committed_months,
        node_months: match option.way {
            Way::MonthsAndHours { node_months } => Some(node_months),
            Way::Whole(_) => None,
        },
        break_even_hours: option.break_even_hours,
        break_even_utilization: option.break_even_utilization,
        verdict: quoted.filter(|q| q.way != option.way).map(|q| verdict(option, q)),
    }
}

fn verdict(option: &PurchaseOption, quoted: &PurchaseOption) -> Verdict {
    if option.paid.amount > quoted.paid.amount {
        Verdict::Dearer
    } else if option.way == Way::Whole(Purchase::Spot) {
        Verdict::Interruptible
    } else if option.committed_months > quoted.committed_months {
        Verdict::Commits
    } else {
        Verdict::Better
    }
}

/// A hint where no monthly price is stated and one would probably pay.
pub fn monthly_hint(
    session: &Session,
    chosen: &Offer,
    time: Seconds,
    ways: &[WayToBuy],
) -> Option<Condition> {
    let hours = session.billing.rule(&chosen.place.provider).month_hours?;
    let longer = rust_decimal::Decimal::try_from(time.hours()).is_ok_and(|t| t > hours);
    let stated = ways.iter().any(|w| w.purchase == Purchase::Monthly.name());
    (chosen.purchase == Purchase::OnDemand && longer && !stated).then_some(Condition::MonthlyMayPay { hours })
}
