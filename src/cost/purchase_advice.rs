//! Which way to buy: by the hour, by the month, or with a commitment.
//!
//! Options are compared by what is *paid*: a started month and a commitment are paid whole, whether the job uses them
//! or not. The break-even is the use a month from which an option is cheaper than on demand.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::billing::BillingRule;
use super::job_cost::compute_cost;
use super::month::whole_months;
use super::price::{HOURS_PER_MONTH, Price};
use crate::catalog::Purchase;
use crate::units::{Money, Seconds};

/// A way to buy nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// All of them under one purchase option.
    Whole(Purchase),
    /// A committed baseline: so many node-months subscribed, the rest by the hour.
    MonthsAndHours {
        /// Subscribed months, summed over the nodes.
        node_months: u32,
    },
}

impl Way {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole(purchase) => purchase.name(),
            Self::MonthsAndHours { .. } => "monthly_and_on_demand",
        }
    }
}

/// One way to buy the nodes of a job, with its price.
#[derive(Debug, Clone, PartialEq)]
pub struct PurchaseOption {
    /// The way.
    pub way: Way,
    /// What is paid for the job, with everything that has to be bought for it.
    pub paid: Money,
    /// What of it the job does not use.
    pub unused: Money,
    /// Months that are committed to, over all periods that are paid; none for hourly options.
    pub committed_months: u32,
    /// Hours of use a month from which it is cheaper than on demand.
    pub break_even_hours: Option<Decimal>,
    /// The same as a share of the month.
    pub break_even_utilization: Option<Decimal>,
}

/// The options at these prices, cheapest first; of equals the one with the shorter commitment. All prices must be in
/// one currency: others than the first's are left out.
///
/// ```
/// use gpu_advisor::catalog::Purchase;
/// use gpu_advisor::cost::{BillingRule, Price, PriceOrigin, PriceRate, purchase_advice::{Way, purchase_advice}};
/// use gpu_advisor::units::Seconds;
/// let day = jiff::civil::date(2026, 11, 30);
/// let price = |text, purchase| {
///     let rate = PriceRate::parse(text).unwrap();
///     Price::of_user(rate, purchase, None, PriceOrigin::User, day, "offer".to_owned())
/// };
/// let prices = [price("30 CNY/h", Purchase::OnDemand), price("10800 CNY/month", Purchase::Monthly)];
/// let best = |hours| {
///     purchase_advice(&prices, 1, Seconds::from_hours(hours), &BillingRule::unknown())[0].way
/// };
/// assert_eq!((best(360.0), best(361.0)), (Way::Whole(Purchase::OnDemand), Way::Whole(Purchase::Monthly)));
/// // 760 h are a month and 30 h more, which do not pay for a second one.
/// assert_eq!(best(760.0), Way::MonthsAndHours { node_months: 1 });
/// ```
pub fn purchase_advice(
    prices: &[Price],
    nodes: u32,
    time: Seconds,
    rule: &BillingRule,
) -> Vec<PurchaseOption> {
    let Some(currency) = prices.first().map(Price::currency) else { return Vec::new() };
    let on_demand = prices.iter().find(|p| p.purchase == Purchase::OnDemand).map(|p| p.per_hour);
    let mut options: Vec<PurchaseOption> = prices
        .iter()
        .filter(|p| p.currency() == currency)
        .filter_map(|price| option(price, nodes, time, rule, on_demand))
        .collect();
    options.extend(mixed(prices, nodes, time, rule));
    options.sort_by_key(|o| (o.paid.amount, o.committed_months, o.way));
    options
}

/// Each month of the job subscribed or bought by the hour, whichever is cheaper for that month; `None` where that is
/// all months or none.
fn mixed(prices: &[Price], nodes: u32, time: Seconds, rule: &BillingRule) -> Option<PurchaseOption> {
    let find = |purchase| prices.iter().find(|p| p.purchase == purchase);
    let hourly = find(Purchase::OnDemand)?.per_hour;
    let monthly = find(Purchase::Monthly)?.per_month?;
    let hours = rule.billed_hours(time)?;
    let months = whole_months(time, rule)?.to_u32()?;
    let covered = |months: u32| Decimal::from(rule.month.hours(months));
    // All months but the last are used whole.
    let (before, last_month) = (covered(months - 1), covered(months) - covered(months - 1));
    let whole = Decimal::from(months - 1);
    let rest = hours - before;
    let of_month = |hours| committed_baseline(&[Demand { hours, nodes }], monthly, hourly);
    let (each, last) = (of_month(before.checked_div(whole).unwrap_or_default())?, of_month(rest)?);
    let node_months = (months - 1).checked_mul(each.nodes)?.checked_add(last.nodes)?;
    let all = months.checked_mul(nodes)?;
    if node_months == 0 || node_months == all {
        return None;
    }
    let paid = each.cost.amount.checked_mul(whole)?.checked_add(last.cost.amount)?;
    let unused = monthly
        .amount
        .checked_mul(Decimal::from(last.nodes))?
        .checked_mul(Decimal::ONE - rest / last_month)?;
    Some(PurchaseOption {
        way: Way::MonthsAndHours { node_months },
        paid: Money::new(paid.normalize(), hourly.currency),
        unused: Money::new(unused.round_dp(2).normalize(), hourly.currency),
        committed_months: 1,
        break_even_hours: None,
        break_even_utilization: None,
    })
}

/// Months that an option commits to.
pub const fn committed_months(purchase: Purchase) -> u32 {
    match purchase {
        Purchase::OnDemand | Purchase::Spot => 0,
        Purchase::Monthly => 1,
        Purchase::Reserved1y => 12,
        Purchase::Reserved3y => 36,
    }
}

fn option(
    price: &Price,
    nodes: u32,
    time: Seconds,
    rule: &BillingRule,
    on_demand: Option<Money>,
) -> Option<PurchaseOption> {
    let month = price.per_month.map_or_else(
        || price.per_hour.amount.checked_mul(Decimal::from(HOURS_PER_MONTH)),
        |month| Some(month.amount),
    )?;
    let committed = committed_months(price.purchase);
    let currency = price.currency();
    let (paid, unused, committed_months) = if committed == 0 {
        (compute_cost(price, nodes, time, rule)?, Decimal::ZERO, 0)
    } else {
        let needed = whole_months(time, rule)?.to_u32()?;
        let months = needed.div_ceil(committed).checked_mul(committed)?;
        let paid = month.checked_mul(Decimal::from(months))?.checked_mul(Decimal::from(nodes))?;
        let used = Decimal::try_from(time.hours()).ok()? / Decimal::from(rule.month.hours(months));
        let unused = paid.checked_mul(Decimal::ONE - used.min(Decimal::ONE))?;
        (Money::new(paid, currency), unused.round_dp(2), months)
    };
    let even = on_demand
        .filter(|hour| committed > 0 && hour.currency == currency)
        .and_then(|hour| month.checked_div(hour.amount));
    Some(PurchaseOption {
        way: Way::Whole(price.purchase),
        paid: Money::new(paid.amount.normalize(), currency),
        unused: Money::new(unused.normalize(), currency),
        committed_months,
        break_even_hours: even.map(|h| h.round_dp(6).normalize()),
        break_even_utilization: even.map(|h| (h / Decimal::from(HOURS_PER_MONTH)).round_dp(4).normalize()),
    })
}

/// A part of a month: so many hours with so many nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Hours of the month.
    pub hours: Decimal,
    /// Nodes that run.
    pub nodes: u32,
}

/// A committed baseline with the rest bought by the hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Baseline {
    /// Nodes subscribed by the month.
    pub nodes: u32,
    /// For the month, both parts.
    pub cost: Money,
}

/// The cheapest number of nodes to subscribe for a month of changing demand; the fewest of equals.
///
/// Cost of b nodes = b × monthly + Σ max(0, nodes − b) × hours × hourly. `None` when the currencies differ or an
/// amount cannot be represented.
///
/// ```
/// use gpu_advisor::cost::purchase_advice::{Demand, committed_baseline};
/// use gpu_advisor::units::Money;
/// // 2 nodes all month, 8 in 240 of its 720 hours; 480 h pay for a month.
/// let demand = [Demand { hours: 480.into(), nodes: 2 }, Demand { hours: 240.into(), nodes: 8 }];
/// let (monthly, hourly) = (Money::parse("480 CNY").unwrap(), Money::parse("1 CNY").unwrap());
/// let best = committed_baseline(&demand, monthly, hourly).unwrap();
/// // 2 × 480 + 6 × 240 = 2400.
/// assert_eq!((best.nodes, best.cost.to_string().as_str()), (2, "2400 CNY"));
/// ```
pub fn committed_baseline(demand: &[Demand], monthly: Money, hourly: Money) -> Option<Baseline> {
    if monthly.currency != hourly.currency {
        return None;
    }
    // Between two levels of demand the cost is linear: only the levels can be the cheapest.
    let mut levels: Vec<u32> = demand.iter().map(|d| d.nodes).chain([0]).collect();
    levels.sort_unstable();
    levels.dedup();
    let cost = |nodes: u32| {
        let mut sum = monthly.amount.checked_mul(Decimal::from(nodes))?;
        for part in demand {
            let burst = Decimal::from(part.nodes.saturating_sub(nodes));
            sum = sum.checked_add(burst.checked_mul(part.hours)?.checked_mul(hourly.amount)?)?;
        }
        Some(Baseline { nodes, cost: Money::new(sum.normalize(), hourly.currency) })
    };
    let all: Option<Vec<Baseline>> = levels.into_iter().map(cost).collect();
    all?.into_iter().min_by_key(|b| (b.cost.amount, b.nodes))
}
