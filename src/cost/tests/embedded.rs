//! The rules on the catalog inside the program.

use super::*;
use crate::cost::{BillingTable, PlaceFilter, Standing, offers};

#[test]
fn every_provider_of_the_billing_table_sells_something() {
    let catalog = Catalog::embedded().unwrap();
    for provider in BillingTable::embedded().providers() {
        assert!(PlaceFilter::parse_provider(provider, &catalog).is_ok(), "{provider}");
    }
}

#[test]
fn no_superseded_price_holds_anywhere_and_some_lose() {
    let purchases = [Purchase::OnDemand, Purchase::Spot, Purchase::Monthly].to_vec();
    let all = offers(&Catalog::embedded().unwrap(), &PriceRules { purchases, ..rules() });
    let prices: Vec<_> = all.iter().filter_map(|o| o.price.as_ref()).collect();
    assert!(prices.iter().all(|p| !p.price.superseded));
    assert!(prices.iter().any(|p| p.losers.iter().any(|l| l.superseded)));
}

#[test]
fn every_type_has_an_offer_and_nothing_retired_is_sold() {
    let catalog = Catalog::embedded().unwrap();
    let all = offers(&catalog, &rules());
    let offered: std::collections::BTreeSet<_> = all.iter().map(|o| o.instance).collect();
    assert_eq!(offered.len(), catalog.instances.len());
    assert!(all.iter().all(|o| o.status.is_gone() == (o.on_sale == Standing::Gone)));
}
