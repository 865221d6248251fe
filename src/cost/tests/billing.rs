//! Billed time, job costs and break-even prices.

use proptest::prelude::*;
use rust_decimal::Decimal;

use super::*;
use crate::cost::break_even::{break_even_hours, break_even_price_per_node_hour};
use crate::cost::{BillingRule, BillingTable, CostNote, CostOutcome, JobTimes, compute_cost, job_cost};
use crate::units::{FxRate, FxTable, Seconds};

fn rule(granularity: f64, minimum: f64) -> BillingRule {
    BillingRule {
        granularity: Seconds::new(granularity),
        minimum: Seconds::new(minimum),
        known: true,
        ..BillingRule::unknown()
    }
}

fn hours(hours: f64) -> Seconds {
    Seconds::from_hours(hours)
}

fn times(p10: f64, p50: f64, p90: f64) -> JobTimes {
    JobTimes { jobs: 1, p10: hours(p10), p50: hours(p50), p90: hours(p90) }
}

#[test]
fn nine_days_by_the_hour_beat_the_month_until_exactly_360_hours() {
    let (hourly, monthly) = (price(Purchase::OnDemand, "30 CNY"), price(Purchase::Monthly, "10800 CNY"));
    let cost = |price, h| compute_cost(price, 1, hours(h), &rule(1.0, 0.0)).unwrap();
    assert_eq!(break_even_hours(monthly.per_month.unwrap(), hourly.per_hour), Some(Decimal::from(360)));
    assert_eq!(cost(&hourly, 216.0), money("6480 CNY"));
    assert_eq!(cost(&monthly, 216.0), money("10800 CNY"));
    assert_eq!(cost(&hourly, 360.0), cost(&monthly, 360.0));
    assert_eq!(cost(&hourly, 361.0), money("10830 CNY"));
    assert_eq!(cost(&monthly, 361.0), money("10800 CNY"));
}

#[test]
fn break_even_hours_need_one_currency_and_a_price_above_zero() {
    assert_eq!(break_even_hours(money("10800 CNY"), money("30 USD")), None);
    assert_eq!(break_even_hours(money("10800 CNY"), money("0 CNY")), None);
}

#[test]
fn running_time_is_billed_in_whole_units_and_at_least_the_minimum() {
    let per_hour = price(Purchase::OnDemand, "36 USD");
    let cost = |seconds, rule: &BillingRule| compute_cost(&per_hour, 1, Seconds::new(seconds), rule).unwrap();
    assert_eq!(cost(1.0, &rule(1.0, 0.0)), money("0.01 USD"));
    assert_eq!(cost(1.5, &rule(1.0, 0.0)), money("0.02 USD"));
    assert_eq!(cost(1.0, &rule(1.0, 60.0)), money("0.6 USD"));
    assert_eq!(cost(61.0, &rule(60.0, 0.0)), money("1.2 USD"));
    assert_eq!(cost(5400.0, &BillingRule::unknown()), money("72 USD"));
}

#[test]
fn the_noise_of_a_float_buys_no_further_hour() {
    let sum: f64 = std::iter::repeat_n(0.1, 30).sum();
    assert!(sum > 3.0);
    assert_eq!(BillingRule::unknown().billed_hours(hours(sum)), Some(Decimal::from(3)));
}

#[test]
fn months_are_sold_whole() {
    let monthly = price(Purchase::Monthly, "1000 USD");
    let cost = |h| compute_cost(&monthly, 2, hours(h), &rule(1.0, 0.0)).unwrap();
    assert_eq!(cost(1.0), money("2000 USD"));
    assert_eq!(cost(730.0), money("2000 USD"));
    assert_eq!(cost(731.0), money("4000 USD"));
}

#[test]
fn times_that_are_no_times_have_no_cost() {
    let hourly = price(Purchase::OnDemand, "1 USD");
    for seconds in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        assert_eq!(compute_cost(&hourly, 1, Seconds::new(seconds), &rule(1.0, 0.0)), None, "{seconds}");
    }
    let endless = JobTimes { p90: Seconds::new(f64::INFINITY), ..times(1.0, 2.0, 3.0) };
    let outcome = job_cost(Some(&hourly), 1, endless, &rule(1.0, 0.0), &FxTable::default(), USD);
    assert_eq!(outcome, CostOutcome::NotRepresentable);
}

#[test]
fn a_price_in_another_currency_converts_with_a_rate_and_is_not_comparable_without() {
    let yuan = price(Purchase::OnDemand, "70 CNY");
    let cost = |fx: &FxTable| job_cost(Some(&yuan), 2, times(1.0, 2.0, 3.0), &rule(1.0, 0.0), fx, USD);
    let CostOutcome::Unconvertible { own, from, to } = cost(&FxTable::default()) else {
        panic!("converted without a rate")
    };
    assert_eq!((own.p10, own.p50, own.p90), (money("140 CNY"), money("280 CNY"), money("420 CNY")));
    assert_eq!((from.to_string(), to), ("CNY".to_owned(), USD));
    assert_eq!(cost(&FxTable::default()).comparable(), None);
    let rate = FxRate::parse("CNY=7@2026-11-28").unwrap();
    let CostOutcome::Priced(converted) =
        cost(&FxTable::new(&[rate, FxRate::parse("SGD=1@2026-11-28").unwrap()]))
    else {
        panic!("not converted")
    };
    assert_eq!((converted.p50, converted.fx), (money("40 USD"), vec![rate]));
    assert_eq!(converted.excludes, ["disk", "egress", "tax"]);
}

#[test]
fn no_price_is_no_cost_not_a_cost_of_zero() {
    let outcome = job_cost(None, 1, times(1.0, 2.0, 3.0), &rule(1.0, 0.0), &FxTable::default(), USD);
    assert_eq!(outcome, CostOutcome::NoPrice);
}

#[test]
fn each_purchase_option_says_what_its_cost_does_not() {
    let notes = |purchase, rule: &BillingRule| {
        let price = price(purchase, "1 USD");
        match job_cost(Some(&price), 1, times(1.0, 2.0, 3.0), rule, &FxTable::default(), USD) {
            CostOutcome::Priced(cost) => cost.notes,
            other => panic!("{other:?}"),
        }
    };
    let known = rule(1.0, 0.0);
    assert_eq!(notes(Purchase::OnDemand, &known), []);
    assert_eq!(notes(Purchase::Spot, &known), [CostNote::InterruptionsPriced]);
    assert_eq!(notes(Purchase::Reserved1y, &known), [CostNote::NeedsOneYearCommitment]);
    assert_eq!(notes(Purchase::Reserved3y, &known), [CostNote::NeedsThreeYearCommitment]);
    assert_eq!(notes(Purchase::Monthly, &BillingRule::unknown()), [CostNote::WholeMonths]);
    assert_eq!(notes(Purchase::OnDemand, &BillingRule::unknown()), [CostNote::BillingGranularityUnknown]);
}

#[test]
fn a_candidate_that_bills_no_hours_breaks_even_at_no_price() {
    let best = money("100 USD");
    assert_eq!(break_even_price_per_node_hour(best, 0, hours(1.0), &rule(1.0, 0.0)), None);
    assert_eq!(break_even_price_per_node_hour(best, 1, Seconds::ZERO, &rule(1.0, 0.0)), None);
}

#[test]
fn the_embedded_table_is_sound_and_others_are_billed_by_the_started_hour() {
    let table = BillingTable::embedded();
    assert!(table.providers().count() >= 8);
    assert_eq!(table.rule("aws").minimum, Seconds::new(60.0));
    assert_eq!(table.rule("hyperstack").granularity, Seconds::new(60.0));
    let unlisted = table.rule("somebody");
    assert!(!unlisted.known);
    assert_eq!(unlisted.granularity, hours(1.0));
}

#[test]
fn an_overlay_replaces_the_rule_of_its_provider_only() {
    let text =
        "[[billing]]\nprovider = \"aws\"\ngranularity = \"1 h\"\nsource = \"me\"\nas_of = \"2026-11-28\"\n";
    let table = BillingTable::embedded().overlaid(BillingTable::parse("billing.toml", text).unwrap());
    assert_eq!((table.rule("aws").granularity, table.rule("aws").minimum), (hours(1.0), Seconds::ZERO));
    assert_eq!(table.rule("gcp").minimum, Seconds::new(60.0));
    assert_eq!(table.providers().count(), BillingTable::embedded().providers().count());
}

#[test]
fn a_bad_billing_table_yields_every_finding() {
    let text = "[[billing]]\nprovider = \"a\"\ngranularity = \"0 s\"\nminimun = \"1 s\"\nsource = \"x\"\nas_of = \"now\"\n";
    let findings = BillingTable::parse("billing.toml", text).unwrap_err();
    let seen: Vec<_> = findings.iter().map(|f| (f.line.unwrap(), f.key.as_str())).collect();
    assert_eq!(seen, [(3, "billing[0].granularity"), (4, "billing[0].minimun"), (6, "billing[0].as_of")]);
}

proptest! {
    #[test]
    fn a_longer_job_is_never_cheaper(a in 0.0..1e7_f64, b in 0.0..1e7_f64, unit in 1.0..4000.0_f64) {
        let (short, long) = (Seconds::new(a.min(b)), Seconds::new(a.max(b)));
        for price in [price(Purchase::OnDemand, "1.23 USD"), price(Purchase::Monthly, "999 USD")] {
            let cost = |time| compute_cost(&price, 3, time, &rule(unit, 60.0)).unwrap().amount;
            prop_assert!(cost(short) <= cost(long));
        }
    }

    #[test]
    fn at_its_break_even_price_a_candidate_costs_the_same(
        cents in 1..1_000_000_i64, nodes in 1..64u32, seconds in 1.0..1e7_f64
    ) {
        let best = Money::new(Decimal::new(cents, 2), USD);
        let time = Seconds::new(seconds);
        let per_hour = break_even_price_per_node_hour(best, nodes, time, &rule(1.0, 0.0)).unwrap();
        let candidate = Price { per_hour, ..price(Purchase::OnDemand, "1 USD") };
        let cost = compute_cost(&candidate, nodes, time, &rule(1.0, 0.0)).unwrap();
        prop_assert_eq!(cost.rounded(6), best.rounded(6));
    }
}
