//! What a job of a given length costs under one price.

use rust_decimal::Decimal;

use super::billing::BillingRule;
use super::month::whole_months;
use super::price::Price;
use crate::catalog::Purchase;
use crate::simulator::Interval;
use crate::units::{Currency, FxRate, FxTable, Money, MoneyError, Seconds};

/// What a cost of this module leaves out.
pub const EXCLUDED: &[&str] = &["disk", "egress", "tax"];

/// Durations of a job at three quantiles, and how many jobs like it there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobTimes {
    /// Jobs alike and independent of each other, one after the other on the same nodes; 1 for a single one.
    pub jobs: u32,
    /// One in ten jobs is faster.
    pub p10: Seconds,
    /// The median.
    pub p50: Seconds,
    /// One in ten jobs is slower.
    pub p90: Seconds,
}

/// What a reader must know about a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CostNote {
    /// The rate is only sold with a commitment of one year; the cost is the job's share of it.
    NeedsOneYearCommitment,
    /// The rate is only sold with a commitment of three years; the cost is the job's share of it.
    NeedsThreeYearCommitment,
    /// Started months are paid whole.
    WholeMonths,
    /// The nodes may be taken away: what interruptions, lost work and restarts take is in the time that is paid.
    InterruptionsPriced,
    /// The provider's billing granularity is unknown: started hours are paid whole.
    BillingGranularityUnknown,
}

impl JobTimes {
    /// So many jobs of a predicted time, in seconds.
    pub const fn of(jobs: u32, time: Interval) -> Self {
        let Interval { p10, p50, p90 } = time;
        Self { jobs, p10: Seconds::new(p10), p50: Seconds::new(p50), p90: Seconds::new(p90) }
    }
}

/// Cost of a job at three quantiles of its duration, in one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobCost {
    /// At the P10 time.
    pub p10: Money,
    /// At the P50 time.
    pub p50: Money,
    /// At the P90 time.
    pub p90: Money,
    /// The dated rates that the amounts went through, none if they needed none.
    pub fx: Vec<FxRate>,
    /// What the cost leaves out.
    pub excludes: &'static [&'static str],
    /// What to say beside it.
    pub notes: Vec<CostNote>,
}

/// The cost of a job, or why it has none that can be ranked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CostOutcome {
    /// In the currency asked for: comparable with every other.
    Priced(JobCost),
    /// In its own currency, for want of an exchange rate: shown, but not comparable, so never ranked.
    Unconvertible {
        /// The cost in the currency of its price.
        own: JobCost,
        /// That currency.
        from: Currency,
        /// The currency asked for.
        to: Currency,
    },
    /// Nobody states a price.
    NoPrice,
    /// The time or the amount is too large to be represented.
    NotRepresentable,
}

impl CostOutcome {
    /// The cost, if it can be compared with others.
    pub const fn comparable(&self) -> Option<&JobCost> {
        match self {
            Self::Priced(cost) => Some(cost),
            _ => None,
        }
    }
}

/// Cost of `nodes` nodes for `time`, exactly, in the currency of the price.
///
/// - Hourly options (on demand, spot, reserved): `price × nodes × billed hours`, the hours rounded up by the
///   provider's [`BillingRule`]. A reserved rate is charged for the job's hours only, see
///   [`CostNote::NeedsOneYearCommitment`].
/// - Monthly: `price × nodes × started months` ([`whole_months`]); a month is sold whole.
///
/// `None` when the time is negative, not finite, or the amount too large to be represented.
///
/// ```
/// use gpu_advisor::catalog::Purchase;
/// use gpu_advisor::cost::{BillingRule, Price, PriceOrigin, PriceRate, compute_cost};
/// use gpu_advisor::units::Seconds;
/// // 30 USD/h for 2 nodes over 9 days: 30 × 2 × 216 = 12960 USD.
/// let rate = PriceRate::parse("30 USD/h").unwrap();
/// let today = jiff::civil::date(2026, 11, 29);
/// let price = Price::of_user(rate, Purchase::OnDemand, None, PriceOrigin::User, today, "offer 1".to_owned());
/// let cost = compute_cost(&price, 2, Seconds::from_days(9.0), &BillingRule::unknown());
/// assert_eq!(cost.unwrap().to_string(), "12960 USD");
/// ```
pub fn compute_cost(price: &Price, nodes: u32, time: Seconds, rule: &BillingRule) -> Option<Money> {
    let of_nodes = |rate: Money| rate.amount.checked_mul(Decimal::from(nodes));
    let amount = match (price.purchase, price.per_month) {
        (Purchase::Monthly, Some(month)) => of_nodes(month)?.checked_mul(whole_months(time, rule)?)?,
        _ => rule.times_billed_hours(of_nodes(price.per_hour)?, time)?,
    };
    Some(Money::new(amount.normalize(), price.currency()))
}

/// Cost of `jobs` jobs of `time` each, one after the other on the same nodes.
///
/// By the hour every job is billed by itself, and what it costs is multiplied; started months are those of all jobs
/// together.
///
/// `None` as of [`compute_cost`].
pub fn jobs_cost(price: &Price, nodes: u32, time: Seconds, jobs: u32, rule: &BillingRule) -> Option<Money> {
    if price.purchase == Purchase::Monthly {
        return compute_cost(price, nodes, time * f64::from(jobs), rule);
    }
    let one = compute_cost(price, nodes, time, rule)?;
    Some(Money::new(one.amount.checked_mul(Decimal::from(jobs))?.normalize(), one.currency))
}

/// Cost of all jobs at the three durations of one, in the currency asked for if there is a rate for it.
pub fn job_cost(
    price: Option<&Price>,
    nodes: u32,
    times: JobTimes,
    rule: &BillingRule,
    fx: &FxTable,
    currency: Currency,
) -> CostOutcome {
    let Some(price) = price else { return CostOutcome::NoPrice };
    let cost = |time| jobs_cost(price, nodes, time, times.jobs, rule);
    let (Some(p10), Some(p50), Some(p90)) = (cost(times.p10), cost(times.p50), cost(times.p90)) else {
        return CostOutcome::NotRepresentable;
    };
    let own = JobCost { p10, p50, p90, fx: Vec::new(), excludes: EXCLUDED, notes: notes(price, rule) };
    let from = price.currency();
    let convert = |money| fx.convert(money, currency);
    match (convert(p10), convert(p50), convert(p90)) {
        (Ok(p10), Ok(p50), Ok(p90)) => {
            let used = |r: &&FxRate| from != currency && (r.currency == from || r.currency == currency);
            let fx = fx.rates().iter().filter(used).copied().collect();
            CostOutcome::Priced(JobCost { p10, p50, p90, fx, ..own })
        }
        (Err(MoneyError::NoRate { .. }), ..) => CostOutcome::Unconvertible { own, from, to: currency },
        _ => CostOutcome::NotRepresentable,
    }
}

fn notes(price: &Price, rule: &BillingRule) -> Vec<CostNote> {
    let mut notes: Vec<CostNote> = match price.purchase {
        Purchase::OnDemand => None,
        Purchase::Spot => Some(CostNote::InterruptionsPriced),
        Purchase::Reserved1y => Some(CostNote::NeedsOneYearCommitment),
        Purchase::Reserved3y => Some(CostNote::NeedsThreeYearCommitment),
        Purchase::Monthly => Some(CostNote::WholeMonths),
    }
    .into_iter()
    .collect();
    if !rule.known && price.purchase != Purchase::Monthly {
        notes.push(CostNote::BillingGranularityUnknown);
    }
    notes
}
