//! The precedence of prices, step by step.

use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::*;
use crate::cost::{LossReason, PriceBook, PriceKey, PriceOrigin, SelectedPrice, UserPrice};

const REGION: &str = "us-east-1";

fn at(amount: &str) -> PriceRecord {
    record(Some(REGION), amount)
}

fn select(rules: &PriceRules, records: &[PriceRecord], purchase: Purchase) -> Option<SelectedPrice> {
    rules.select(records, PriceKey { instance: ALPHA, region: Some(REGION), purchase })
}

/// The winning amount and why the first loser lost, for on-demand list prices.
fn contest(records: &[PriceRecord]) -> (String, LossReason) {
    let selected = select(&rules(), records, Purchase::OnDemand).unwrap();
    let reason = selected.losses().next().unwrap().1;
    (selected.price.per_hour.to_string(), reason)
}

fn with_user(texts: &[&str]) -> PriceRules {
    let catalog = catalog(Vec::new());
    let user_prices = texts.iter().map(|t| UserPrice::parse(t, &catalog).unwrap()).collect();
    PriceRules { user_prices, ..rules() }
}

fn book(region: &str, rate: &str) -> PriceBook {
    let text = format!(
        "[[price]]\ninstance = \"aws/alpha.8x\"\n{region}\npurchase = \"on_demand\"\n\
         price_per_hour = \"{rate}\"\nas_of = \"2026-01-01\"\nsource = \"offer 1\"\n"
    );
    PriceBook::parse("book.toml", &text, &catalog(Vec::new())).unwrap()
}

#[test]
fn the_users_price_beats_the_book_which_beats_the_catalog_which_beats_third_parties() {
    let third = PriceRecord { quality: PriceQuality::ThirdPartyNote, ..at("1 USD") };
    let records = [third, at("2 USD")];
    let mut all = with_user(&["aws/alpha.8x=4USD/h"]);
    all.price_book = book("", "3 USD/h");
    let selected = select(&all, &records, Purchase::OnDemand).unwrap();
    assert_eq!(selected.price.origin, PriceOrigin::User);
    assert_eq!(selected.price.per_hour, money("4 USD"));
    let losers: Vec<_> = selected.losses().map(|(p, why)| (p.origin, why)).collect();
    assert_eq!(
        losers,
        [
            (PriceOrigin::PriceBook, LossReason::Origin),
            (PriceOrigin::Catalog, LossReason::Origin),
            (PriceOrigin::ThirdParty, LossReason::Origin)
        ]
    );
}

#[test]
fn the_newer_of_two_catalog_prices_wins_though_it_is_dearer() {
    let old = PriceRecord { provenance: provenance("test", Some(date(2025, 3, 6))), ..at("1 USD") };
    assert_eq!(contest(&[old, at("2 USD")]), ("2 USD".to_owned(), LossReason::Older));
}

#[test]
fn a_price_dated_by_its_year_counts_from_new_year() {
    let year = PriceRecord {
        provenance: provenance("test", Some(date(2026, 12, 31))),
        date_precision: DatePrecision::Year,
        ..at("1 USD")
    };
    let february = PriceRecord { provenance: provenance("test", Some(date(2026, 2, 1))), ..at("2 USD") };
    assert_eq!(contest(&[year.clone(), february]), ("2 USD".to_owned(), LossReason::Older));
    let price = Price::from_record(&year).unwrap();
    assert_eq!(price.age_days(date(2026, 1, 31)), Some(30));
    assert!(!price.is_stale(date(2026, 1, 31)));
    assert!(price.is_stale(date(2026, 2, 1)));
}

#[test]
fn an_undated_provider_price_loses_to_a_dated_third_party() {
    let undated = PriceRecord { provenance: provenance("test", None), ..at("1 USD") };
    let third = PriceRecord { quality: PriceQuality::CuratedTable, ..at("2 USD") };
    assert_eq!(contest(&[undated.clone(), third]), ("2 USD".to_owned(), LossReason::Undated));
    assert!(Price::from_record(&undated).unwrap().is_stale(TODAY));
}

#[test]
fn a_superseded_or_suspect_price_loses_to_any_sound_one_and_wins_only_alone() {
    let sound = PriceRecord {
        quality: PriceQuality::ThirdPartyHarvest,
        provenance: provenance("test", Some(date(2020, 1, 1))),
        ..at("9 USD")
    };
    let superseded = PriceRecord { superseded: true, ..at("1 USD") };
    let suspect = PriceRecord { suspect: Some("spot not below on-demand".to_owned()), ..at("2 USD") };
    assert_eq!(contest(&[superseded.clone(), sound.clone()]), ("9 USD".to_owned(), LossReason::Superseded));
    assert_eq!(contest(&[suspect.clone(), sound]), ("9 USD".to_owned(), LossReason::Suspect));
    let alone = select(&rules(), &[suspect], Purchase::OnDemand).unwrap();
    assert!(alone.price.suspect.is_some() && alone.losers.is_empty());
    assert!(select(&rules(), &[superseded], Purchase::OnDemand).unwrap().price.superseded);
}

#[test]
fn among_flawed_prices_the_lightest_flaw_wins() {
    let undated = PriceRecord { provenance: provenance("test", None), ..at("1 USD") };
    let superseded = PriceRecord { superseded: true, ..at("2 USD") };
    let suspect = PriceRecord { suspect: Some("doubtful".to_owned()), ..at("3 USD") };
    let both = PriceRecord { superseded: true, ..suspect.clone() };
    assert_eq!(contest(&[superseded.clone(), undated]).0, "1 USD");
    assert_eq!(contest(&[suspect.clone(), superseded]).0, "2 USD");
    assert_eq!(contest(&[both, suspect]), ("3 USD".to_owned(), LossReason::Superseded));
}

#[test]
fn of_equal_dates_the_better_kind_of_source_wins() {
    let example = PriceRecord { quality: PriceQuality::DocExample, ..at("1 USD") };
    assert_eq!(contest(&[example, at("2 USD")]), ("2 USD".to_owned(), LossReason::Quality));
}

#[test]
fn of_equals_the_dearer_wins() {
    assert_eq!(contest(&[at("1 USD"), at("2 USD")]), ("2 USD".to_owned(), LossReason::Tie));
}

#[test]
fn a_book_price_for_the_region_beats_one_for_all_regions() {
    let mut both = rules();
    both.price_book = book("", "3 USD/h");
    both.price_book.prices.extend(book("region = \"us-east-1\"", "5 USD/h").prices);
    let selected = select(&both, &[], Purchase::OnDemand).unwrap();
    assert_eq!(selected.price.per_hour, money("5 USD"));
    assert_eq!(selected.losses().next().unwrap().1, LossReason::LessSpecific);
}

#[test]
fn of_two_user_prices_for_the_same_cluster_the_last_holds() {
    let rules = with_user(&["aws/alpha.8x=4USD/h", "aws/alpha.8x=3USD/h"]);
    let selected = select(&rules, &[], Purchase::OnDemand).unwrap();
    assert_eq!(selected.price.per_hour, money("3 USD"));
    assert!(selected.losers.is_empty());
}

#[test]
fn prices_of_other_regions_and_purchase_options_do_not_apply() {
    let spot = PriceRecord { purchase: Purchase::Spot, ..at("1 USD") };
    let records = [spot, record(Some("ap-southeast-1"), "2 USD"), record(None, "3 USD")];
    assert_eq!(select(&rules(), &records, Purchase::OnDemand), None);
    let elsewhere = with_user(&["aws/alpha.8x@ap-southeast-1=4USD/h"]);
    assert_eq!(select(&elsewhere, &[], Purchase::OnDemand), None);
}

#[test]
fn a_record_without_an_amount_is_no_price_not_a_price_of_zero() {
    let empty = PriceRecord { per_hour: None, ..at("1 USD") };
    assert_eq!(select(&rules(), &[empty], Purchase::OnDemand), None);
}

#[test]
fn a_month_is_spread_over_730_hours_and_kept() {
    let monthly = price(Purchase::Monthly, "73000 CNY");
    assert_eq!(monthly.per_hour, money("100 CNY"));
    assert_eq!(monthly.per_month, Some(money("73000 CNY")));
    assert_eq!(monthly.stated_rate().to_string(), "73000 CNY/month");
}

#[test]
fn an_hourly_user_price_stands_for_spot_only_when_on_demand_was_not_asked_for() {
    let mut rules = with_user(&["aws/alpha.8x=4USD/h"]);
    rules.purchases = vec![Purchase::Spot, Purchase::OnDemand];
    assert_eq!(select(&rules, &[], Purchase::Spot), None);
    rules.purchases = vec![Purchase::Spot];
    assert!(select(&rules, &[], Purchase::Spot).is_some());
}

#[test]
fn book_prices_of_options_not_asked_for_are_told() {
    let mut rules = PriceRules { price_book: book("", "3 USD/h"), ..rules() };
    assert_eq!(rules.book_prices_not_asked_for().count(), 0);
    rules.purchases = vec![Purchase::Spot];
    assert_eq!(rules.book_prices_not_asked_for().count(), 1);
    assert_eq!(select(&rules, &[], Purchase::Spot), None);
}

fn any_record() -> impl Strategy<Value = PriceRecord> {
    let qualities = prop::sample::select(vec![
        PriceQuality::Catalog,
        PriceQuality::DocExample,
        PriceQuality::ThirdPartyHarvest,
    ]);
    let dates = prop::option::of(prop::sample::select(vec![date(2026, 1, 1), date(2026, 6, 1), TODAY]));
    let currency = prop::sample::select(vec!["USD", "CNY"]);
    (1..4u32, currency, qualities, dates, any::<bool>(), any::<bool>(), prop::option::of("[ab]")).prop_map(
        |(amount, currency, quality, day, superseded, suspect, notes): (
            u32,
            &str,
            PriceQuality,
            Option<Date>,
            bool,
            bool,
            Option<String>,
        )| PriceRecord {
            quality,
            superseded,
            suspect: suspect.then(|| "doubtful".to_owned()),
            provenance: provenance("test", day),
            notes,
            ..at(&format!("{amount} {currency}"))
        },
    )
}

proptest! {
    #[test]
    fn the_order_of_records_never_changes_the_choice(
        (records, shuffled) in prop::collection::vec(any_record(), 1..8)
            .prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle()))
    ) {
        let first = select(&rules(), &records, Purchase::OnDemand);
        prop_assert_eq!(first, select(&rules(), &shuffled, Purchase::OnDemand));
    }

    #[test]
    fn a_flawed_price_never_beats_a_sound_one(records in prop::collection::vec(any_record(), 1..8)) {
        let flawed = |p: &Price| p.superseded || p.suspect.is_some() || p.is_undated();
        let selected = select(&rules(), &records, Purchase::OnDemand).unwrap();
        prop_assert!(!flawed(&selected.price) || selected.losers.iter().all(flawed));
    }
}
