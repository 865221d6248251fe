//! What a course over a schedule costs: a committed baseline by the month, the rest by the hour.
//!
//! The k-th node runs whenever at least k nodes do. Up to the baseline it is paid by started months from start to end; above it
//! each of its runs is billed by itself, by the provider's granularity and minimum. Between two numbers of nodes that occur the
//! cost is linear in the baseline, so only those (and none) can be the cheapest.

use rust_decimal::Decimal;

use super::{Stretch, Timeline};
use crate::cost::{BillingRule, Price, compute_cost, whole_months};
use crate::units::{Money, Seconds};
use rust_decimal::prelude::ToPrimitive as _;

/// How the baseline is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// Nodes.
    pub nodes: u32,
    /// For all of them, started months whole.
    pub cost: Money,
}

/// The cost of one size of baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElasticBill {
    /// Nodes paid by the month; none costs nothing.
    pub committed: Committed,
    /// Nodes beyond them, by the hour.
    pub burst: Money,
    /// Hours that those nodes run.
    pub burst_node_hours: f64,
    /// Hours of them that are billed, by the provider's granularity and minimum.
    pub burst_billed_hours: Decimal,
    /// Both.
    pub total: Money,
    /// Share of the committed node-time that the job uses; `None` without a baseline.
    pub used: Option<f64>,
}

/// The nodes between two levels, which run alike.
struct Layer {
    /// The upper level.
    level: u32,
    /// Their cost by the hour.
    cost: Decimal,
    /// Their billed hours.
    billed: Decimal,
    /// Their hours.
    hours: f64,
}

/// The cost of every size of baseline that can be the cheapest, from none up. Without a monthly price there is only none.
///
/// `None` when the currencies differ or an amount cannot be represented.
pub fn bills(
    course: &Timeline,
    hourly: &Price,
    monthly: Option<&Price>,
    rule: &BillingRule,
) -> Option<Vec<ElasticBill>> {
    let currency = hourly.currency();
    if monthly.is_some_and(|m| m.currency() != currency) {
        return None;
    }
    let mut levels: Vec<u32> = course.stretches.iter().map(|s| s.nodes).filter(|&n| n > 0).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut layers: Vec<Layer> = Vec::new();
    let mut below = 0;
    for &level in &levels {
        let mut layer = Layer { level, cost: Decimal::ZERO, billed: Decimal::ZERO, hours: 0.0 };
        for run in runs(&course.stretches, level) {
            layer.cost = layer.cost.checked_add(compute_cost(hourly, level - below, run, rule)?.amount)?;
            let billed = rule.billed_hours(run)?.checked_mul(Decimal::from(level - below))?;
            layer.billed = layer.billed.checked_add(billed)?;
            layer.hours += run.hours() * f64::from(level - below);
        }
        layers.push(layer);
        below = level;
    }
    let sizes = std::iter::once(0).chain(levels.iter().copied().filter(|_| monthly.is_some()));
    sizes
        .map(|size| {
            let (mut burst, mut burst_billed_hours, mut burst_node_hours) =
                (Decimal::ZERO, Decimal::ZERO, 0.0);
            for layer in layers.iter().filter(|layer| layer.level > size) {
                burst = burst.checked_add(layer.cost)?;
                burst_billed_hours = burst_billed_hours.checked_add(layer.billed)?;
                burst_node_hours += layer.hours;
            }
            let (committed, used) = match monthly {
                Some(price) if size > 0 => {
                    let cost = compute_cost(price, size, course.end(), rule)?;
                    let month = price.per_month.map_or(price.per_hour, |m| m);
                    let months = f64::try_from(cost.amount.checked_div(month.amount)?).ok()?;
                    let each = whole_months(course.end(), rule)?.to_u32()?;
                    let hours = f64::from(rule.month.hours(each)) / f64::from(each);
                    (cost, Some(used(course, size, months * hours)))
                }
                _ => (Money::new(Decimal::ZERO, currency), None),
            };
            let total = committed.amount.checked_add(burst)?;
            Some(ElasticBill {
                committed: Committed { nodes: size, cost: committed },
                burst: Money::new(burst.normalize(), currency),
                burst_node_hours,
                burst_billed_hours,
                total: Money::new(total.normalize(), currency),
                used,
            })
        })
        .collect()
}

/// Share of the `hours` of all subscribed nodes that a baseline of `size` nodes works.
fn used(course: &Timeline, size: u32, hours: f64) -> f64 {
    let worked: f64 =
        course.stretches.iter().map(|s| (s.to - s.from).hours() * f64::from(s.nodes.min(size))).sum();
    worked / hours
}

/// The times for which at least `level` nodes run without a break.
fn runs(stretches: &[Stretch], level: u32) -> Vec<Seconds> {
    let mut runs: Vec<(Seconds, Seconds)> = Vec::new();
    for stretch in stretches.iter().filter(|s| s.nodes >= level) {
        match runs.last_mut() {
            Some((_, to)) if *to == stretch.from => *to = stretch.to,
            _ => runs.push((stretch.from, stretch.to)),
        }
    }
    runs.into_iter().map(|(from, to)| to - from).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Pace;
    use super::*;
    use crate::catalog::Purchase;
    use crate::cost::purchase_advice::{Demand, committed_baseline};
    use crate::cost::{PriceOrigin, PriceRate, Schedule};

    fn price(text: &str, purchase: Purchase) -> Price {
        let day = jiff::civil::date(2026, 11, 30);
        let rate = PriceRate::parse(text).unwrap();
        Price::of_user(rate, purchase, None, PriceOrigin::User, day, "test".to_owned())
    }

    /// A month of 730 h: 2 nodes by day, 8 by night; the job ends with the month.
    fn month() -> Timeline {
        let schedule = Schedule::parse("2 nodes 08:00-20:00, 8 nodes 20:00-08:00").unwrap();
        let mut course = Timeline::of(
            &schedule,
            0,
            &[2, 8].map(|nodes| Pace { nodes, whole: Seconds::from_days(40.0) }),
            Seconds::ZERO,
        )
        .unwrap();
        let end = Seconds::from_hours(730.0);
        course.stretches.retain(|s| s.from < end);
        course.stretches.last_mut().unwrap().to = end;
        course
    }

    #[test]
    fn two_nodes_by_the_month_and_six_by_the_hour_are_cheapest_at_two_thirds_of_the_hours() {
        let (hourly, monthly) =
            (price("1 CNY/h", Purchase::OnDemand), price("480 CNY/month", Purchase::Monthly));
        let all = bills(&month(), &hourly, Some(&monthly), &BillingRule::unknown()).unwrap();
        let of: Vec<(u32, String)> = all.iter().map(|b| (b.committed.nodes, b.total.to_string())).collect();
        // From Monday 00:00: 30 days of 12 h each by day and night, then 8 h of night and 2 h of day: 368 h with eight.
        // By the hour 2 x 730 + 6 x 368 = 3668; baseline 2: 960 + 2208; baseline 8: 3840.
        let expected = [(0, "3668 CNY"), (2, "3168 CNY"), (8, "3840 CNY")];
        assert_eq!(of, expected.map(|(n, t)| (n, t.to_owned())));
        assert!((all[1].used.unwrap() - 1.0).abs() < 1e-9);
        // The monthly reckoning of purchase advice agrees.
        let demand = [Demand { hours: 362.into(), nodes: 2 }, Demand { hours: 368.into(), nodes: 8 }];
        let (month, hour) = (Money::parse("480 CNY").unwrap(), Money::parse("1 CNY").unwrap());
        let advised = committed_baseline(&demand, month, hour).unwrap();
        assert_eq!((advised.nodes, advised.cost), (2, all[1].total));
    }

    #[test]
    fn every_run_of_a_burst_node_is_billed_by_itself() {
        let hourly = price("1 CNY/h", Purchase::OnDemand);
        let schedule = Schedule::parse("1 node 00:30-00:00, 2 nodes 00:00-00:30").unwrap();
        let course = Timeline::of(
            &schedule,
            0,
            &[1, 2].map(|nodes| Pace { nodes, whole: Seconds::from_hours(49.0) }),
            Seconds::ZERO,
        )
        .unwrap();
        let all = bills(&course, &hourly, None, &BillingRule::unknown()).unwrap();
        // 49 h of the first node; three half-hours of the second, each an hour begun.
        assert_eq!((all.len(), all[0].total.to_string().as_str()), (1, "52 CNY"));
        assert!((all[0].burst_node_hours - 50.5).abs() < 1e-9);
        assert_eq!(all[0].burst_billed_hours, Decimal::from(52));
    }

    #[test]
    fn two_currencies_have_no_sum() {
        let (hourly, monthly) =
            (price("1 CNY/h", Purchase::OnDemand), price("480 USD/month", Purchase::Monthly));
        assert!(bills(&month(), &hourly, Some(&monthly), &BillingRule::unknown()).is_none());
    }
}
