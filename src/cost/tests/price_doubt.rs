use super::{ALPHA, TODAY, catalog, money, record, rules};
use crate::catalog::{Catalog, PriceRecord, Purchase};
use crate::cost::{Price, PriceDoubt, PriceOrigin, UserPrice, doubt_of, doubted_prices};
use crate::units::FxTable;

/// What is doubtful about a price of a node of eight GPUs.
fn doubt(catalog: &Catalog, purchase: Purchase, amount: &str) -> Option<PriceDoubt> {
    let rate = crate::cost::PriceRate::PerHour(money(amount));
    let region = Some("us-east-1".to_owned());
    let price = Price::of_user(rate, purchase, region, PriceOrigin::User, TODAY, String::new());
    doubt_of(catalog, &FxTable::default(), ALPHA, &price)
}

#[test]
fn an_eighth_of_the_price_of_eight_gpus_is_one_of_a_gpu_and_an_honest_discount_is_not() {
    let listed = catalog(vec![record(Some("us-east-1"), "16 USD")]);
    let of = |purchase, amount| doubt(&listed, purchase, amount);
    for (amount, expected) in [
        ("2 USD", Some(PriceDoubt::PerGpu)),
        ("2.5 USD", Some(PriceDoubt::PerGpu)),
        ("128 USD", Some(PriceDoubt::Multiplied)),
        ("16 USD", None),
        ("4.80 USD", None),
        ("40 USD", None),
        // Below every discount, and no price of one GPU either.
        ("4 USD", Some(PriceDoubt::Far)),
        ("0.05 USD", Some(PriceDoubt::Far)),
        ("2000 USD", Some(PriceDoubt::Far)),
        ("100 CNY", Some(PriceDoubt::Unchecked)),
    ] {
        assert_eq!(of(Purchase::OnDemand, amount), expected, "{amount}");
    }
    // 70 % off for a commitment, 90 % off for what may be taken away.
    assert_eq!(of(Purchase::Reserved3y, "4.80 USD"), None);
    assert_eq!(of(Purchase::Spot, "1.60 USD"), None);
    assert_eq!(of(Purchase::Spot, "0.10 USD"), Some(PriceDoubt::Far));
    assert_eq!(of(Purchase::Spot, "1.50 USD"), Some(PriceDoubt::PerGpu));
}

#[test]
fn a_hair_from_a_known_spot_price_divided_by_the_gpus_is_one_of_a_gpu() {
    let spot = PriceRecord { purchase: Purchase::Spot, ..record(Some("us-east-1"), "14.40 USD") };
    let listed = catalog(vec![record(Some("us-east-1"), "16 USD"), spot]);
    assert_eq!(doubt(&listed, Purchase::Spot, "1.80 USD"), Some(PriceDoubt::PerGpu));
    assert_eq!(doubt(&listed, Purchase::Spot, "14.40 USD"), None);
}

#[test]
fn where_the_machine_has_no_price_those_of_its_provider_and_then_of_its_gpu_are_the_measure() {
    // Gamma is of the same provider, of as many GPUs.
    let other = PriceRecord { instance: super::GAMMA, ..record(None, "16 USD") };
    let listed = catalog(vec![other]);
    assert_eq!(doubt(&listed, Purchase::OnDemand, "2 USD"), Some(PriceDoubt::PerGpu));
    let elsewhere = PriceRecord { instance: super::BETA, ..record(None, "16 USD") };
    let listed = catalog(vec![elsewhere]);
    assert_eq!(doubt(&listed, Purchase::OnDemand, "2 USD"), Some(PriceDoubt::PerGpu));
    assert_eq!(doubt(&listed, Purchase::OnDemand, "4 USD"), None);
}

#[test]
fn what_to_write_for_the_node_is_said_in_the_unit_of_the_price() {
    let listed = catalog(vec![record(Some("us-east-1"), "16 USD")]);
    let mut rules = rules();
    for text in ["aws/alpha.8x@us-east-1=2.01USD/h", "aws/alpha.8x=1460USD/month", "aws/alpha.8x=16USD/h"] {
        rules.user_prices.push(UserPrice::parse(text, &listed).expect("a price"));
    }
    let doubted = doubted_prices(&rules, &listed);
    let likely: Vec<_> = doubted.iter().map(|d| d.likely.as_deref().unwrap_or_default()).collect();
    assert_eq!(likely, ["aws/alpha.8x@us-east-1=16.08 USD/h", "aws/alpha.8x=11680 USD/month"]);
}
