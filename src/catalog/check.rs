//! What `catalog check` says about a catalog that loaded: counts, and facts to be careful with.

use std::collections::BTreeMap;

use super::{Catalog, Confidence, DatePrecision, InstanceId, Unresolved};

/// Why a valid record deserves care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// A GPU or instance type with low confidence.
    LowConfidence,
    /// A GPU whose peaks or bandwidth no source states.
    IncompleteGpu,
    /// An instance type without any network figure or class.
    NoNetwork,
    /// An instance type without a price.
    NoPrice,
    /// A price without a date.
    UndatedPrice,
    /// A price marked doubtful.
    SuspectPrice,
    /// A price for which a newer figure exists.
    SupersededPrice,
    /// A price in a region that the region table lacks.
    UnknownRegion,
    /// A source id that the source list lacks.
    UnknownSource,
}

impl WarningKind {
    /// The heading for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LowConfidence => "low confidence",
            Self::IncompleteGpu => "GPU without peaks or bandwidth",
            Self::NoNetwork => "network unknown",
            Self::NoPrice => "no price",
            Self::UndatedPrice => "undated price",
            Self::SuspectPrice => "suspect price",
            Self::SupersededPrice => "superseded price",
            Self::UnknownRegion => "region not in the region table",
            Self::UnknownSource => "source not in the source list",
        }
    }
}

/// One record to be careful with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckWarning {
    /// Why.
    pub kind: WarningKind,
    /// The record, such as `provider/name region purchase`.
    pub subject: String,
    /// What is known about it.
    pub detail: String,
}

/// Counts and warnings of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// Records per kind, in the order they are shown.
    pub counts: Vec<(&'static str, usize)>,
    /// Rows known by name only.
    pub unresolved: Unresolved,
    /// All warnings, by kind and then in file order.
    pub warnings: Vec<CheckWarning>,
    /// Hash of every file that was read.
    pub content_hash: String,
}

impl CheckReport {
    /// How many warnings each kind has; kinds without one are left out.
    pub fn warning_counts(&self) -> BTreeMap<WarningKind, usize> {
        let mut counts = BTreeMap::new();
        for warning in &self.warnings {
            *counts.entry(warning.kind).or_insert(0) += 1;
        }
        counts
    }
}

impl Catalog {
    /// Counts the records and lists those that deserve care.
    pub fn check(&self) -> CheckReport {
        let mut warnings = vec![];
        let mut warn = |kind, subject: String, detail: String| {
            warnings.push(CheckWarning { kind, subject, detail });
        };
        self.check_gpus(&mut warn);
        self.check_instances(&mut warn);
        self.check_prices(&mut warn);
        self.check_sources(&mut warn);
        warnings.sort_by_key(|w| w.kind);
        CheckReport {
            counts: vec![
                ("gpus", self.gpus.len()),
                ("regions", self.regions.len()),
                ("instances", self.instances.len()),
                ("prices", self.prices.len()),
                ("models", self.models.len()),
                ("datasets", self.datasets.len()),
                ("presets", self.presets.len()),
                ("sources", self.sources.len()),
            ],
            unresolved: self.unresolved.clone(),
            warnings,
            content_hash: self.content_hash.clone(),
        }
    }

    fn check_gpus(&self, warn: &mut impl FnMut(WarningKind, String, String)) {
        for gpu in &self.gpus {
            if gpu.confidence == Confidence::Low {
                warn(WarningKind::LowConfidence, gpu.id.clone(), gpu.notes.clone().unwrap_or_default());
            }
            if gpu.precisions().is_empty() || gpu.memory_bandwidth.is_none() {
                warn(WarningKind::IncompleteGpu, gpu.id.clone(), gpu.notes.clone().unwrap_or_default());
            }
        }
    }

    fn check_instances(&self, warn: &mut impl FnMut(WarningKind, String, String)) {
        let mut priced = vec![false; self.instances.len()];
        for price in &self.prices {
            priced[price.instance.0 as usize] = true;
        }
        for (instance, priced) in self.instances.iter().zip(priced) {
            let status = instance.status.name().to_owned();
            if instance.confidence == Confidence::Low {
                warn(WarningKind::LowConfidence, instance.key(), instance.provenance.source.clone());
            }
            if instance.network.class.is_none() && instance.network.maximum.is_none() {
                warn(WarningKind::NoNetwork, instance.key(), status.clone());
            }
            if !priced && !instance.status.is_gone() {
                warn(WarningKind::NoPrice, instance.key(), status);
            }
        }
    }

    fn price_subject(&self, instance: InstanceId, region: Option<&str>, purchase: &str) -> String {
        format!("{} {} {purchase}", self.instance(instance).key(), region.unwrap_or("region not stated"))
    }

    fn check_prices(&self, warn: &mut impl FnMut(WarningKind, String, String)) {
        for price in &self.prices {
            let region = price.region.as_deref();
            let subject = || self.price_subject(price.instance, region, price.purchase.name());
            let source = || price.provenance.source.clone();
            if price.date_precision == DatePrecision::Unknown {
                warn(WarningKind::UndatedPrice, subject(), source());
            }
            if let Some(reason) = &price.suspect {
                warn(WarningKind::SuspectPrice, subject(), reason.clone());
            }
            if price.superseded {
                warn(WarningKind::SupersededPrice, subject(), source());
            }
            let provider = &self.instance(price.instance).provider;
            if let Some(region) = region.filter(|r| self.find_region(provider, r).is_none()) {
                warn(WarningKind::UnknownRegion, subject(), region.to_owned());
            }
        }
    }

    fn check_sources(&self, warn: &mut impl FnMut(WarningKind, String, String)) {
        let gpus = self.gpus.iter().map(|g| (g.id.clone(), &g.provenance.source));
        let instances = self.instances.iter().map(|i| (i.key(), &i.provenance.source));
        let prices = self.prices.iter().map(|p| (self.instance(p.instance).key(), &p.provenance.source));
        for (subject, text) in gpus.chain(instances).chain(prices) {
            for id in source_ids(text) {
                if !self.sources.iter().any(|s| s.id == id) {
                    warn(WarningKind::UnknownSource, subject.clone(), id.to_owned());
                }
            }
        }
    }
}

/// The `S-...` ids inside a source text.
fn source_ids(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.starts_with("S-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_ids_are_found_inside_prose() {
        let text = "vendor datasheet (recalled); S-OTC-ECS (15.7 TFLOPS); S-MLPERF-0.7 (300 W)";
        assert_eq!(source_ids(text).collect::<Vec<_>>(), ["S-OTC-ECS", "S-MLPERF-0.7"]);
    }
}
