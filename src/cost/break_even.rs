//! At which price or duration a choice flips.

use rust_decimal::Decimal;

use super::billing::BillingRule;
use crate::units::{FxTable, Money, Seconds};

/// The node-hour price at which `nodes` nodes for `time` cost as much as `best_cost`: `best_cost / (nodes × billed
/// hours)`, in the currency of `best_cost`. Below it the candidate wins.
///
/// `None` when the candidate bills no hours or the time cannot be represented.
///
/// ```
/// use gpu_advisor::cost::{BillingRule, break_even::break_even_price_per_node_hour};
/// use gpu_advisor::units::{Money, Seconds};
/// // 1000 USD over 2 nodes × 10 h = 50 USD/h.
/// let best = Money::parse("1000 USD").unwrap();
/// let price = break_even_price_per_node_hour(best, 2, Seconds::from_hours(10.0), &BillingRule::unknown());
/// assert_eq!(price.unwrap().to_string(), "50 USD");
/// ```
pub fn break_even_price_per_node_hour(
    best_cost: Money,
    nodes: u32,
    time: Seconds,
    rule: &BillingRule,
) -> Option<Money> {
    let amount = rule.per_billed_hour(best_cost.amount, nodes, time)?;
    Some(Money::new(amount.normalize(), best_cost.currency))
}

/// The most that one of so many `jobs` on a candidate may cost for it to win: all together as much as the winner, and no more than
/// the budget, in the winner's currency.
/// A budget without an exchange rate limits nothing here; the reader of the request refuses one.
///
/// ```
/// use gpu_advisor::cost::break_even::most_to_win;
/// use gpu_advisor::units::{FxTable, Money};
/// let (best, fx) = (Money::parse("18000 USD").unwrap(), FxTable::default());
/// let budget = Money::parse("15000 USD").ok();
/// assert_eq!(most_to_win(best, 1, budget, &fx).to_string(), "15000 USD");
/// assert_eq!(most_to_win(best, 1, None, &fx), best);
/// // Five folds: a fifth of the budget for each.
/// assert_eq!(most_to_win(best, 5, budget, &fx).to_string(), "3000 USD");
/// ```
pub fn most_to_win(best: Money, jobs: u32, budget: Option<Money>, fx: &FxTable) -> Money {
    let budget = budget.and_then(|limit| fx.convert(limit, best.currency).ok());
    let all = budget.filter(|limit| limit.amount < best.amount).unwrap_or(best);
    Money::new(all.amount / Decimal::from(jobs.max(1)), all.currency)
}

/// Hours of use a month from which a monthly price is the cheaper: `monthly / hourly`.
///
/// `None` when the currencies differ (convert first) or the hourly price is zero.
///
/// ```
/// use gpu_advisor::{cost::break_even::break_even_hours, units::Money};
/// let (monthly, hourly) = (Money::parse("10800 CNY").unwrap(), Money::parse("30 CNY").unwrap());
/// assert_eq!(break_even_hours(monthly, hourly).unwrap().to_string(), "360");
/// ```
pub fn break_even_hours(monthly: Money, hourly: Money) -> Option<Decimal> {
    if monthly.currency != hourly.currency {
        return None;
    }
    Some(monthly.amount.checked_div(hourly.amount)?.normalize())
}
