//! Near names for misspelt ones.

use std::collections::BTreeSet;

use super::{Catalog, Dataset, ModelSpec};

/// How many near names a message offers.
const MAX_NEAR: usize = 5;
/// Least similarity of a near name: 1 is equal, 0 has nothing in common.
const LEAST_SIMILARITY: f64 = 0.8;

/// Which list a name is looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// GPU ids and their group aliases.
    Gpu,
    /// Models of the zoo.
    Model,
    /// Training sets.
    Dataset,
    /// Training schedules.
    Preset,
    /// Providers.
    Provider,
    /// Instance types, with or without `provider/` before the name.
    Instance,
    /// Regions, with or without `provider:` before the id.
    Region,
}

/// The candidates most similar to `name`, best first, ties in alphabetical order; none when nothing is near.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near = all_near(name, candidates);
    near.truncate(MAX_NEAR);
    near
}

/// The same without a limit to their number.
fn all_near<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let unique: BTreeSet<&str> = candidates.collect();
    let mut scored: Vec<(f64, &str)> = unique
        .into_iter()
        .map(|candidate| (similarity(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|&(score, _)| score >= LEAST_SIMILARITY)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Jaro-Winkler similarity; a name that contains the other whole counts as near.
fn similarity(wanted: &str, candidate: &str) -> f64 {
    let score = strsim::jaro_winkler(wanted, candidate);
    let contained = wanted.len() >= 3 && candidate.contains(wanted);
    if contained { score.max(LEAST_SIMILARITY) } else { score }
}

impl Catalog {
    /// Known names that look like `name`, best first, at most five; empty when none is near.
    pub fn near_names(&self, kind: NameKind, name: &str) -> Vec<&str> {
        match kind {
            NameKind::Gpu => {
                let groups = self.gpus.iter().filter_map(|g| g.group.as_deref());
                nearest(name, self.gpus.iter().map(|g| g.id.as_str()).chain(groups))
            }
            NameKind::Model => {
                let bare = name.rsplit_once('/').map_or(name, |(_, bare)| bare);
                // Each model once, by its id, whichever of its names is near.
                let mut seen = BTreeSet::new();
                let mut found: Vec<&ModelSpec> = all_near(bare, self.model_names())
                    .into_iter()
                    .filter_map(|n| self.find_model(n))
                    .collect();
                // Of those that have the whole name in theirs, what is asked for most comes first.
                let wanted = bare.to_lowercase();
                found.sort_by_key(|m| !(m.is_often_asked() && m.id().contains(&wanted)));
                found.into_iter().map(ModelSpec::id).filter(|id| seen.insert(*id)).take(MAX_NEAR).collect()
            }
            NameKind::Dataset => {
                let mut seen = BTreeSet::new();
                let found = all_near(name, self.datasets.iter().flat_map(Dataset::names)).into_iter();
                let ids = found.filter_map(|n| self.find_dataset(n)).map(|d| d.id.as_str());
                ids.filter(|id| seen.insert(*id)).take(MAX_NEAR).collect()
            }
            NameKind::Preset => nearest(name, self.presets.iter().map(|p| p.id.as_str())),
            NameKind::Provider => nearest(name, self.instances.iter().map(|i| i.provider.as_str())),
            NameKind::Instance => {
                let (provider, bare) = name.split_once('/').map_or((None, name), |(p, n)| (Some(p), n));
                let of = self.instances.iter().filter(|i| provider.is_none_or(|p| p == i.provider));
                nearest(bare, of.map(|i| i.name.as_str()))
            }
            NameKind::Region => {
                let (provider, bare) = name.split_once(':').map_or((None, name), |(p, n)| (Some(p), n));
                let of = self.regions.iter().filter(|r| provider.is_none_or(|p| p == r.provider));
                nearest(bare, of.map(|r| r.id.as_str()))
            }
        }
    }

    /// All providers that have an instance type, in alphabetical order.
    pub fn providers(&self) -> Vec<&str> {
        self.instances.iter().map(|i| i.provider.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_comes_first_and_strangers_are_left_out() {
        let names = ["memory_bandwidth", "memory_usable", "tdp"];
        assert_eq!(nearest("memory_bandwith", names.into_iter())[0], "memory_bandwidth");
        assert!(nearest("zzz", names.into_iter()).is_empty());
    }

    #[test]
    fn order_of_candidates_does_not_matter() {
        let forward = nearest("p2v.8xlarge", ["p2v.8xlarge.8", "p2v.8xlarge.4"].into_iter());
        let backward = nearest("p2v.8xlarge", ["p2v.8xlarge.4", "p2v.8xlarge.8"].into_iter());
        assert_eq!(forward, backward);
        assert_eq!(forward, ["p2v.8xlarge.4", "p2v.8xlarge.8"]);
    }
}
