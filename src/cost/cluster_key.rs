//! Instance types as people type them: `provider/instance[@region]`, with or without a node count.

use super::nearest::{near_clause, near_names};
use crate::catalog::{Catalog, InstanceId, Region};

/// A name that the catalog does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}{}", near_clause(.near))]
pub struct UnknownName {
    /// What was looked for, such as "instance type".
    pub what: &'static str,
    /// The name as given.
    pub name: String,
    /// Known names like it, best first.
    pub near: Vec<String>,
}

/// An instance type, maybe in one region, maybe with a number of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceAt {
    /// The instance type.
    pub instance: InstanceId,
    /// Region id of its provider, if named.
    pub region: Option<String>,
    /// Nodes, if counted.
    pub nodes: Option<u32>,
}

impl InstanceAt {
    /// Reads `provider/instance[@region][*N]`, `:N` being the same as `*N`.
    ///
    /// # Errors
    /// When the instance type or the region is unknown; the near names are listed.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Self, UnknownName> {
        let (key, nodes) = split_nodes(text.trim());
        let (name, region) = key.split_once('@').map_or((key, None), |(n, r)| (n, Some(r)));
        let instance = find_instance(name, catalog)?;
        let region = region.map(|r| known_region(catalog, instance, r)).transpose()?;
        Ok(Self { instance, region, nodes })
    }

    /// The key without the node count: `provider/instance[@region]`.
    pub fn key(&self, catalog: &Catalog) -> String {
        let name = catalog.instance(self.instance).key();
        self.region.as_ref().map_or_else(|| name.clone(), |region| format!("{name}@{region}"))
    }
}

/// Takes a trailing `*N` or `:N` off; text that only looks like one stays.
fn split_nodes(text: &str) -> (&str, Option<u32>) {
    text.rsplit_once(['*', ':'])
        .and_then(|(key, count)| Some((key.trim_end(), Some(count.trim().parse().ok()?))))
        .unwrap_or((text, None))
}

/// Finds `provider/name`.
pub(super) fn find_instance(key: &str, catalog: &Catalog) -> Result<InstanceId, UnknownName> {
    // Another case is the same name where it is no other one's.
    let folded = || {
        let mut same = catalog.instances.iter().filter(|i| i.key().eq_ignore_ascii_case(key));
        let (first, more) = (same.next()?, same.next().is_some());
        (!more).then(|| catalog.find_instance(&first.provider, &first.name)).flatten()
    };
    let exact = key.split_once('/').and_then(|(provider, name)| catalog.find_instance(provider, name));
    exact.or_else(folded).ok_or_else(|| {
        let stranger = key.split_once('/').map(|(provider, _)| provider);
        let sold_by = |p: &str| catalog.instances.iter().any(|i| i.provider.eq_ignore_ascii_case(p));
        let keys: Vec<String> = catalog.instances.iter().map(crate::catalog::InstanceType::key).collect();
        let bare = keys.iter().filter(|k| k.split_once('/').is_some_and(|(_, name)| name == key));
        let mut near: Vec<String> = bare.cloned().collect();
        if near.is_empty() {
            near = near_names(key, keys.iter().map(String::as_str));
        }
        // Nothing is like it since nobody sells it: who sells is the better hint.
        if let Some(provider) = stranger.filter(|p| near.is_empty() && !sold_by(p)) {
            let known = catalog.providers().into_iter().map(str::to_owned).collect();
            return UnknownName { what: "provider", name: provider.to_owned(), near: known };
        }
        UnknownName { what: "instance type", name: key.to_owned(), near }
    })
}

/// A region of the instance's provider, known from the region table, a price or a regional status.
pub(super) fn known_region(
    catalog: &Catalog,
    instance: InstanceId,
    region: &str,
) -> Result<String, UnknownName> {
    let provider = catalog.instance(instance).provider.as_str();
    let regions = provider_regions(catalog, provider);
    if regions.contains(region) {
        return Ok(region.to_owned());
    }
    if let Some(id) = region_of_city(catalog, provider, region) {
        return Ok(id);
    }
    let mut near = near_names(region, regions.iter().copied());
    if near.is_empty() {
        near = regions.iter().map(|&r| r.to_owned()).collect();
    }
    // An id says little to those who know the city.
    let near = near.into_iter().map(|id| with_city(catalog, provider, id)).collect();
    Err(UnknownName { what: "region", name: format!("{provider}:{region}"), near })
}

/// The one region of a provider in a city, or with its id in another case.
fn region_of_city(catalog: &Catalog, provider: &str, text: &str) -> Option<String> {
    let is_it = |r: &&Region| r.city.eq_ignore_ascii_case(text) || r.id.eq_ignore_ascii_case(text);
    let mut found = catalog.regions.iter().filter(|r| r.provider == provider).filter(is_it);
    let (first, more) = (found.next()?, found.next().is_some());
    (!more).then(|| first.id.clone())
}

/// A region id with its city and country, where they are known.
fn with_city(catalog: &Catalog, provider: &str, id: String) -> String {
    match catalog.place(provider, Some(&id)).city_country {
        Some((city, country)) => format!("{id} ({city}, {country})"),
        None => id,
    }
}

/// Every region id of a provider that the catalog mentions, sorted.
pub(super) fn provider_regions<'a>(
    catalog: &'a Catalog,
    provider: &str,
) -> std::collections::BTreeSet<&'a str> {
    let table = catalog.regions.iter().filter(|r| r.provider == provider).map(|r| r.id.as_str());
    let priced = catalog
        .prices
        .iter()
        .filter(|p| catalog.instance(p.instance).provider == provider)
        .filter_map(|p| p.region.as_deref());
    let stated = catalog
        .instances
        .iter()
        .filter(|i| i.provider == provider)
        .flat_map(|i| i.regional.iter().map(|s| s.region.as_str()));
    table.chain(priced).chain(stated).collect()
}
