//! Where offers may stand: `--provider`, `--country`, `--region`.

use super::cluster_key::{UnknownName, provider_regions};
use super::nearest::near_names;
use crate::catalog::{Catalog, Place};

/// One accepted region: its id, and the provider unless the id alone is clear.
pub type RegionSelector = (Option<String>, String);

/// Why a region cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegionError {
    /// Not in the catalog.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The id stands for places in different countries.
    #[error("region {id:?} means different places: {}; write provider:region", list(.places))]
    Ambiguous {
        /// The id as given.
        id: String,
        /// Every place it could mean.
        places: Vec<Place>,
    },
}

fn list(places: &[Place]) -> String {
    places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Accepted places; an empty list accepts all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceFilter {
    /// Provider ids.
    pub providers: Vec<String>,
    /// ISO 3166 two-letter countries.
    pub countries: Vec<String>,
    /// Regions.
    pub regions: Vec<RegionSelector>,
}

impl PlaceFilter {
    /// True when a place passes every list. A place without a stated region passes no country and no region, and one
    /// whose region is in no table passes no country.
    pub fn accepts(&self, place: &Place) -> bool {
        let provider = self.providers.is_empty() || self.providers.contains(&place.provider);
        let country = self.countries.is_empty()
            || place.country().is_some_and(|c| self.countries.iter().any(|accepted| accepted == c));
        let region = self.regions.is_empty()
            || place.region.as_ref().is_some_and(|r| {
                self.regions
                    .iter()
                    .any(|(provider, id)| id == r && provider.as_ref().is_none_or(|p| *p == place.provider))
            });
        provider && country && region
    }

    /// Places of the catalog that are asked for by country or region; none where neither is asked for.
    pub fn named_places(&self, catalog: &Catalog) -> Vec<Place> {
        if self.countries.is_empty() && self.regions.is_empty() {
            return Vec::new();
        }
        let all = catalog.regions.iter().map(|r| catalog.place(&r.provider, Some(&r.id)));
        all.filter(|place| self.accepts(place)).collect()
    }

    /// Reads a region, `provider:region` or a bare id.
    ///
    /// # Errors
    /// When no provider has the region (near names are listed), or a bare id stands for places in different
    /// countries, or in a known and an unknown one (all are listed).
    pub fn parse_region(text: &str, catalog: &Catalog) -> Result<RegionSelector, RegionError> {
        Self::parse_region_of(text, &[], catalog)
    }

    /// The same where providers are named: with a single one a bare id is its own.
    ///
    /// # Errors
    /// As those of [`Self::parse_region`].
    pub fn parse_region_of(
        text: &str,
        providers: &[String],
        catalog: &Catalog,
    ) -> Result<RegionSelector, RegionError> {
        let text = text.trim();
        if let Some((provider, id)) = text.split_once(':') {
            let provider = Self::parse_provider(provider, catalog)?;
            let regions = provider_regions(catalog, &provider);
            if regions.contains(id) {
                return Ok((Some(provider), id.to_owned()));
            }
            let near = near_names(id, regions).into_iter().map(|r| format!("{provider}:{r}")).collect();
            return Err(UnknownName { what: "region", name: text.to_owned(), near }.into());
        }
        let places: Vec<Place> = all_places(catalog);
        let matching: Vec<Place> =
            places.iter().filter(|p| p.region.as_deref() == Some(text)).cloned().collect();
        let Some(first) = matching.first() else {
            let mut near = near_names(text, places.iter().filter_map(|p| p.region.as_deref()));
            near.extend(places.iter().filter(|p| is_in(p, text)).map(ToString::to_string));
            return Err(UnknownName { what: "region", name: text.to_owned(), near }.into());
        };
        // A provider that is named says which.
        if let [one] = providers {
            let own = matching.iter().any(|p| p.provider == *one);
            return own.then(|| (Some(one.clone()), text.to_owned())).ok_or_else(|| {
                let near = matching.iter().map(ToString::to_string).collect();
                UnknownName { what: "region", name: format!("{one}:{text}"), near }.into()
            });
        }
        if matching.iter().any(|p| p.country() != first.country()) {
            return Err(RegionError::Ambiguous { id: text.to_owned(), places: matching });
        }
        Ok((None, text.to_owned()))
    }

    /// Reads a provider id.
    ///
    /// # Errors
    /// When the catalog has no instance or region of it; near names are listed, or all where none is near.
    pub fn parse_provider(text: &str, catalog: &Catalog) -> Result<String, UnknownName> {
        let known = || {
            let sellers = catalog.instances.iter().map(|i| i.provider.as_str());
            sellers.chain(catalog.regions.iter().map(|r| r.provider.as_str()))
        };
        let text = text.trim();
        if known().any(|k| k == text) {
            return Ok(text.to_owned());
        }
        let mut near = near_names(text, known());
        if near.is_empty() {
            near =
                known().map(str::to_owned).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        }
        Err(UnknownName { what: "provider", name: text.to_owned(), near })
    }

    /// Reads an ISO 3166 two-letter country in any case.
    ///
    /// # Errors
    /// When no region of the catalog lies in it; the countries that have one are listed.
    pub fn parse_country(text: &str, catalog: &Catalog) -> Result<String, UnknownName> {
        let wanted = text.trim().to_ascii_uppercase();
        let mut known: Vec<String> = catalog.regions.iter().map(|r| r.country.clone()).collect();
        if known.contains(&wanted) {
            return Ok(wanted);
        }
        // A city says which, and so does the name of a country that is one.
        let city: Vec<String> = catalog
            .regions
            .iter()
            .filter(|r| r.city.eq_ignore_ascii_case(text.trim()))
            .map(|r| r.country.clone())
            .collect();
        if !city.is_empty() {
            known = city;
        }
        known.sort();
        known.dedup();
        Err(UnknownName { what: "country", name: text.to_owned(), near: known })
    }
}

/// Whether a place lies in a city.
fn is_in(place: &Place, city: &str) -> bool {
    place.city_country.as_ref().is_some_and(|(own, _)| own.eq_ignore_ascii_case(city))
}

/// Every region that the catalog mentions as a place, sorted.
fn all_places(catalog: &Catalog) -> Vec<Place> {
    let mut providers: Vec<&str> = catalog.instances.iter().map(|i| i.provider.as_str()).collect();
    providers.extend(catalog.regions.iter().map(|r| r.provider.as_str()));
    providers.sort_unstable();
    providers.dedup();
    let mut places = Vec::new();
    for provider in providers {
        for id in provider_regions(catalog, provider) {
            places.push(catalog.place(provider, Some(id)));
        }
    }
    places
}
