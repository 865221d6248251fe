//! What is on offer and whether it can be bought.

use super::*;
use crate::cost::{LossReason, Offer, PriceBook, SellerRules, Standing, StandingNote, UserPrice, offers};

fn of(offers: &[Offer], id: InstanceId) -> Vec<&Offer> {
    offers.iter().filter(|o| o.instance == id).collect()
}

fn priced(catalog: &Catalog, texts: &[&str]) -> PriceRules {
    let user_prices = texts.iter().map(|t| UserPrice::parse(t, catalog).unwrap()).collect();
    PriceRules { user_prices, ..rules() }
}

#[test]
fn a_type_without_price_or_region_is_one_offer_without_a_price() {
    let all = offers(&catalog(Vec::new()), &rules());
    let alpha = of(&all, ALPHA);
    assert_eq!(alpha.len(), 1);
    assert_eq!(alpha[0].place.to_string(), "aws:?");
    assert_eq!(alpha[0].price, None);
    assert_eq!(alpha[0].on_sale, Standing::Sold);
}

#[test]
fn regions_come_from_prices_and_statuses_and_an_unplaced_price_is_its_own_offer() {
    let mut catalog = catalog(vec![record(None, "3 USD"), record(Some("us-east-1"), "2 USD")]);
    catalog.instances[0].regional.push(regional("ap-southeast-1", Status::Restricted));
    let all = offers(&catalog, &rules());
    let seen: Vec<_> = of(&all, ALPHA)
        .iter()
        .map(|o| (o.place.to_string(), o.stated_rate().map(|r| r.to_string()), o.note))
        .collect();
    assert_eq!(
        seen,
        [
            ("aws:ap-southeast-1 (Singapore, SG)".to_owned(), None, Some(StandingNote::ByRequest)),
            ("aws:us-east-1 (N. Virginia, US)".to_owned(), Some("2 USD/h".to_owned()), None),
            ("aws:?".to_owned(), Some("3 USD/h".to_owned()), None),
        ]
    );
}

#[test]
fn a_flawed_unplaced_price_gives_way_to_a_sound_one_in_a_region() {
    let stale = PriceRecord { superseded: true, ..record(None, "1 USD") };
    let sound = record(Some("us-east-1"), "2 USD");
    let all = offers(&catalog(vec![stale.clone(), sound.clone()]), &rules());
    assert_eq!(of(&all, ALPHA).len(), 1);
    let price = of(&all, ALPHA)[0].price.as_ref().unwrap();
    assert_eq!(price.price.per_hour, money("2 USD"));
    let losses: Vec<_> = price.losses().map(|(p, why)| (p.per_hour, why)).collect();
    assert_eq!(losses, [(money("1 USD"), LossReason::Superseded)]);
    let spot = PriceRecord { purchase: Purchase::Spot, ..sound };
    assert_eq!(of(&offers(&catalog(vec![stale, spot]), &rules()), ALPHA).len(), 2);
}

#[test]
fn a_users_price_without_region_holds_in_every_region() {
    let catalog = catalog(vec![record(Some("us-east-1"), "2 USD"), record(Some("ap-southeast-1"), "2 USD")]);
    let all = offers(&catalog, &priced(&catalog, &["aws/alpha.8x=1USD/h"]));
    let rates: Vec<_> = of(&all, ALPHA).iter().map(|o| o.stated_rate().unwrap().to_string()).collect();
    assert_eq!(rates, ["1 USD/h", "1 USD/h"]);
}

#[test]
fn a_monthly_user_price_is_offered_though_only_on_demand_was_asked_for() {
    let catalog = catalog(Vec::new());
    let all = offers(&catalog, &priced(&catalog, &["huawei-cloud/beta.16xlarge.8=63118CNY/month"]));
    let seen: Vec<_> = of(&all, BETA).iter().map(|o| (o.purchase, o.price.is_some(), o.on_sale)).collect();
    assert_eq!(
        seen,
        [(Purchase::OnDemand, false, Standing::NotKnownToBeSold), (Purchase::Monthly, true, Standing::Sold)]
    );
}

#[test]
fn an_unverified_type_is_sold_only_where_the_user_has_a_price() {
    let listed = PriceRecord { instance: BETA, ..record(Some("cn-north-4"), "131.5 CNY") };
    let catalog = catalog(vec![listed]);
    let unverified = offers(&catalog, &rules());
    let beta = of(&unverified, BETA)[0];
    assert_eq!((beta.on_sale, beta.price.is_some()), (Standing::NotKnownToBeSold, true));
    assert_eq!(beta.note, Some(StandingNote::SaleNotConfirmed));
    let text = "[[price]]\ninstance = \"huawei-cloud/beta.16xlarge.8\"\nregion = \"ap-southeast-3\"\n\
                purchase = \"on_demand\"\nprice_per_hour = \"20 USD/h\"\nas_of = \"2026-11-28\"\nsource = \"me\"\n";
    let price_book = PriceBook::parse("book.toml", text, &catalog).unwrap();
    let all = offers(&catalog, &PriceRules { price_book, ..rules() });
    let seen: Vec<_> =
        of(&all, BETA).iter().map(|o| (o.place.country().unwrap(), o.on_sale, o.note)).collect();
    assert_eq!(
        seen,
        [
            ("SG", Standing::Sold, Some(StandingNote::ByYourPrice)),
            ("CN", Standing::NotKnownToBeSold, Some(StandingNote::SaleNotConfirmed))
        ]
    );
}

#[test]
fn what_is_retired_or_withdrawn_is_gone_even_with_a_users_price() {
    let mut catalog = catalog(Vec::new());
    let rules = priced(&catalog, &["aws/gamma.1x=1USD/h"]);
    for status in [Status::Retired, Status::Withdrawn] {
        catalog.instances[2].status = status;
        let all = offers(&catalog, &rules);
        assert_eq!(of(&all, GAMMA)[0].on_sale, Standing::Gone);
        assert!(of(&all, GAMMA)[0].price.is_some());
    }
}

#[test]
fn closed_capacity_stays_unsold_whatever_the_user_pays_and_legacy_is_sold() {
    let mut catalog = catalog(Vec::new());
    let rules = priced(&catalog, &["aws/alpha.8x=1USD/h"]);
    catalog.instances[0].status = Status::NoNewCapacity;
    let all = offers(&catalog, &rules);
    assert_eq!(of(&all, ALPHA)[0].on_sale, Standing::NotKnownToBeSold);
    assert_eq!(of(&all, ALPHA)[0].note, Some(StandingNote::ExistingCustomersOnly));
    catalog.instances[0].status = Status::Legacy;
    assert_eq!(of(&offers(&catalog, &rules), ALPHA)[0].on_sale, Standing::Sold);
}

#[test]
fn the_status_of_a_region_overrides_the_general_one() {
    let mut catalog = catalog(vec![record(Some("us-east-1"), "2 USD")]);
    catalog.instances[0].regional.push(regional("us-east-1", Status::Withdrawn));
    assert_eq!(of(&offers(&catalog, &rules()), ALPHA)[0].on_sale, Standing::Gone);
}

#[test]
fn each_requested_purchase_option_is_offered_once() {
    let catalog = catalog(vec![record(Some("us-east-1"), "2 USD")]);
    let purchases = vec![Purchase::Spot, Purchase::OnDemand, Purchase::Spot];
    let all = offers(&catalog, &PriceRules { purchases, ..rules() });
    let seen: Vec<_> = of(&all, ALPHA).iter().map(|o| (o.purchase, o.price.is_some())).collect();
    assert_eq!(seen, [(Purchase::OnDemand, true), (Purchase::Spot, false)]);
}

#[test]
fn a_seller_file_turns_the_rest_into_reference_offers() {
    let catalog = catalog(Vec::new());
    let seller = SellerRules::parse("seller.toml", "sells = [\"huawei-cloud/line\"]", &catalog).unwrap();
    let all = offers(&catalog, &PriceRules { seller: Some(seller), ..rules() });
    let sold: Vec<_> = all.iter().map(|o| (o.instance, o.sold_by_user)).collect();
    assert_eq!(sold, [(ALPHA, false), (BETA, true), (GAMMA, false)]);
}
