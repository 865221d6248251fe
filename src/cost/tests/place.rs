//! Place filters and region names.

use super::*;
use crate::catalog::Place;
use crate::cost::{InstanceAt, PlaceFilter, RegionError};

fn place(provider: &str, region: Option<&str>) -> Place {
    catalog(Vec::new()).place(provider, region)
}

#[test]
fn a_country_keeps_its_regions_and_drops_namesakes_elsewhere_and_unstated_places() {
    let filter = PlaceFilter { countries: vec!["SG".to_owned()], ..PlaceFilter::default() };
    assert!(filter.accepts(&place("aws", Some("ap-southeast-1"))));
    assert!(filter.accepts(&place("huawei-cloud", Some("ap-southeast-3"))));
    assert!(!filter.accepts(&place("aws", Some("ap-southeast-3"))));
    assert!(!filter.accepts(&place("aws", None)));
    assert!(!filter.accepts(&place("aws", Some("in-no-table"))));
}

#[test]
fn an_unstated_region_passes_a_provider_but_no_region() {
    let provider = PlaceFilter { providers: vec!["aws".to_owned()], ..PlaceFilter::default() };
    assert!(provider.accepts(&place("aws", None)));
    assert!(!provider.accepts(&place("huawei-cloud", None)));
    let regions = vec![PlaceFilter::parse_region("aws:ap-southeast-3", &catalog(Vec::new())).unwrap()];
    let region = PlaceFilter { regions, ..PlaceFilter::default() };
    assert!(region.accepts(&place("aws", Some("ap-southeast-3"))));
    assert!(!region.accepts(&place("huawei-cloud", Some("ap-southeast-3"))));
    assert!(!region.accepts(&place("aws", None)));
    assert!(PlaceFilter::default().accepts(&place("aws", None)));
}

#[test]
fn a_bare_region_of_two_countries_is_an_error_that_names_both_places() {
    let own = PlaceFilter::parse_region_of("ap-southeast-3", &["aws".to_owned()], &catalog(Vec::new()));
    assert_eq!(own.unwrap(), (Some("aws".to_owned()), "ap-southeast-3".to_owned()));
    let error = PlaceFilter::parse_region("ap-southeast-3", &catalog(Vec::new())).unwrap_err();
    assert!(matches!(&error, RegionError::Ambiguous { places, .. } if places.len() == 2));
    assert_eq!(
        error.to_string(),
        "region \"ap-southeast-3\" means different places: aws:ap-southeast-3 (Jakarta, ID), \
         huawei-cloud:ap-southeast-3 (Singapore, SG); write provider:region"
    );
}

#[test]
fn a_bare_region_of_one_country_is_clear_and_an_unknown_one_lists_near_names() {
    let catalog = catalog(Vec::new());
    assert_eq!(PlaceFilter::parse_region("cn-north-4", &catalog).unwrap(), (None, "cn-north-4".to_owned()));
    let bare = PlaceFilter::parse_region("cn-north-5", &catalog).unwrap_err().to_string();
    assert!(bare.contains("near: cn-north-4"), "{bare}");
    let full = PlaceFilter::parse_region("huawei-cloud:cn-nroth-4", &catalog).unwrap_err().to_string();
    assert!(full.contains("near: huawei-cloud:cn-north-4"), "{full}");
    let provider = PlaceFilter::parse_region("huawei:cn-north-4", &catalog).unwrap_err().to_string();
    assert!(provider.contains("unknown provider \"huawei\"; near: huawei-cloud"), "{provider}");
}

#[test]
fn a_region_known_only_from_a_price_is_a_region() {
    let catalog = catalog(vec![record(Some("East Coast"), "2 USD")]);
    assert!(PlaceFilter::parse_region("East Coast", &catalog).is_ok());
    assert!(PlaceFilter::parse_region("aws:East Coast", &catalog).is_ok());
}

#[test]
fn countries_are_read_in_any_case_and_unknown_ones_list_the_known() {
    let catalog = catalog(Vec::new());
    assert_eq!(PlaceFilter::parse_country("sg", &catalog).unwrap(), "SG");
    let error = PlaceFilter::parse_country("XX", &catalog).unwrap_err().to_string();
    assert!(error.ends_with("near: CN, ID, SG, US"), "{error}");
}

#[test]
fn a_cluster_key_takes_a_region_and_either_node_count() {
    let catalog = catalog(Vec::new());
    let parse = |text| InstanceAt::parse(text, &catalog).unwrap();
    assert_eq!(parse("aws/alpha.8x*4"), parse("aws/alpha.8x:4"));
    let full = parse("huawei-cloud/beta.16xlarge.8@ap-southeast-3:2");
    assert_eq!((full.instance, full.region.as_deref(), full.nodes), (BETA, Some("ap-southeast-3"), Some(2)));
    assert_eq!(full.key(&catalog), "huawei-cloud/beta.16xlarge.8@ap-southeast-3");
    let bare = InstanceAt::parse("alpha.8x", &catalog).unwrap_err().to_string();
    assert_eq!(bare, "unknown instance type \"alpha.8x\"; near: aws/alpha.8x");
    assert!(InstanceAt::parse("aws/alpha.8x@cn-north-4", &catalog).is_err());
}
