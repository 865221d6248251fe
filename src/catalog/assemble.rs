//! Joins and checks the records of one or more layers of files; later layers replace earlier records by key.

use std::collections::BTreeMap;

use super::names::nearest;
use super::price::PriceRecord;
use super::read::{Document, Located, Records, UnjoinedInstance, UnjoinedPrice, read_file};
use super::software_name::{SoftwareName, software_key};
use super::{
    Catalog, ConvolutionalSpec, Finding, GpuId, GpuSpec, InstanceId, InstanceType, ModelSpec, Precision,
    Purchase, Region, Unresolved,
};
use crate::units::{Currency, Money};

/// Least believable price of one GPU for one hour, in US dollars.
const LEAST_GPU_HOUR_USD: f64 = 0.01;
/// Highest believable price of one GPU for one hour, in US dollars.
const HIGHEST_GPU_HOUR_USD: f64 = 60.0;

/// One file of a layer.
pub(super) struct LayerFile {
    /// Place in the catalog folder, with `/` between folder and file.
    pub(super) path: String,
    /// Name in messages.
    pub(super) shown: String,
    /// Whole text.
    pub(super) text: String,
}

/// Reads, merges, joins and checks; all findings of all files when there is any.
pub(super) fn assemble(layers: &[Vec<LayerFile>], content_hash: String) -> Result<Catalog, Vec<Finding>> {
    let documents: Vec<Document<'_>> =
        layers.iter().flatten().map(|f| Document::new(&f.shown, &f.text)).collect();
    let mut merged = Records::default();
    let mut index = 0;
    for layer in layers {
        let mut records = Records::default();
        for file in layer {
            read_file(&documents[index], index, &file.path, &mut records);
            index += 1;
        }
        merge(&documents, &mut merged, records);
    }
    let catalog = join(&documents, merged, &Broken::of(layers, &documents), content_hash);
    let mut findings: Vec<Finding> = documents.iter().flat_map(Document::take_findings).collect();
    if findings.is_empty() {
        return Ok(catalog);
    }
    findings.sort_by(|a, b| (&a.file, a.line, &a.key).cmp(&(&b.file, b.line, &b.key)));
    Err(findings)
}

/// Kinds of files with findings of their own: names that seem missing from them are not reported again.
struct Broken {
    gpus: bool,
    regions: bool,
    instances: bool,
}

impl Broken {
    fn of(layers: &[Vec<LayerFile>], documents: &[Document<'_>]) -> Self {
        let broken = |prefix: &str| {
            let mut pairs = layers.iter().flatten().zip(documents);
            pairs.any(|(file, document)| file.path.starts_with(prefix) && document.has_findings())
        };
        Self { gpus: broken("gpus.toml"), regions: broken("regions.toml"), instances: broken("instances/") }
    }
}

fn merge(documents: &[Document<'_>], into: &mut Records, from: Records) {
    replace(documents, &mut into.gpus, from.gpus, "id", |g| (String::new(), g.id.clone()));
    replace(documents, &mut into.regions, from.regions, "id", |r| (r.provider.clone(), r.id.clone()));
    replace(documents, &mut into.instances, from.instances, "name", |i| {
        (i.instance.provider.clone(), i.instance.name.clone())
    });
    replace(documents, &mut into.models, from.models, "id", |m| (String::new(), m.id().to_owned()));
    replace(documents, &mut into.datasets, from.datasets, "id", |d| (String::new(), d.id.clone()));
    replace(documents, &mut into.optimizers, from.optimizers, "id", |o| (String::new(), o.id.clone()));
    replace(documents, &mut into.capabilities, from.capabilities, "kind", |c| {
        (String::new(), c.kind.name().to_owned())
    });
    replace(documents, &mut into.presets, from.presets, "id", |p| (String::new(), p.id.clone()));
    replace(documents, &mut into.software_names, from.software_names, "name", |n| {
        (String::new(), software_key(&n.name))
    });
    replace(documents, &mut into.sources, from.sources, "id", |s| (String::new(), s.id.clone()));
    if !from.prices.is_empty() {
        let keys: std::collections::BTreeSet<_> = from.prices.iter().map(|p| p.value.key()).collect();
        into.prices.retain(|p| !keys.contains(&p.value.key()));
        into.prices.extend(from.prices);
    }
    into.unresolved_instances += from.unresolved_instances;
    into.unresolved_prices += from.unresolved_prices;
}

/// Adds the records of a layer; one with a known key takes the place of the earlier layer's record.
fn replace<T>(
    documents: &[Document<'_>],
    into: &mut Vec<Located<T>>,
    from: Vec<Located<T>>,
    key_name: &str,
    key: impl Fn(&T) -> (String, String),
) {
    let mut places: BTreeMap<(String, String), usize> =
        into.iter().enumerate().map(|(i, r)| (key(&r.value), i)).collect();
    let mut fresh: BTreeMap<(String, String), usize> = BTreeMap::new();
    for record in from {
        let name = key(&record.value);
        if let Some(&place) = fresh.get(&name) {
            let first: &Located<T> = &into[place];
            let (file, line) =
                (documents[first.document].name(), documents[first.document].line_at(first.offset));
            let message = format!("{:?} is already defined in {file} line {line}; keep one", name.1);
            documents[record.document].report_key(record.offset, &record.label, key_name, message);
            continue;
        }
        let place = places.get(&name).copied().unwrap_or(into.len());
        fresh.insert(name.clone(), place);
        places.insert(name, place);
        if place == into.len() {
            into.push(record);
        } else {
            into[place] = record;
        }
    }
}

fn values<T>(records: Vec<Located<T>>) -> Vec<T> {
    records.into_iter().map(|r| r.value).collect()
}

fn join(documents: &[Document<'_>], records: Records, broken: &Broken, content_hash: String) -> Catalog {
    check_groups(documents, &records.gpus);
    let instances = join_instances(documents, records.instances, &records.gpus, &records.regions, broken);
    let prices = join_prices(documents, records.prices, &instances, broken);
    check_transformers(documents, &records.models);
    check_implementations(documents, &records.models, &records.software_names);
    Catalog {
        gpus: values(records.gpus),
        regions: values(records.regions),
        instances,
        prices,
        models: values(records.models),
        datasets: values(records.datasets),
        optimizers: values(records.optimizers),
        capabilities: values(records.capabilities),
        presets: values(records.presets),
        software_names: values(records.software_names),
        sources: values(records.sources),
        unresolved: Unresolved { instances: records.unresolved_instances, prices: records.unresolved_prices },
        content_hash,
    }
}

/// A group alias that is also the id of a GPU outside the group would hide the group.
fn check_groups(documents: &[Document<'_>], gpus: &[Located<GpuSpec>]) {
    let ids: BTreeMap<&str, Option<&str>> =
        gpus.iter().map(|g| (g.value.id.as_str(), g.value.group.as_deref())).collect();
    for gpu in gpus {
        if let Some(group) = gpu.value.group.as_deref()
            && ids.contains_key(group)
        {
            let message = format!("{group:?} is also the id of a GPU; use another alias");
            documents[gpu.document].report_key(gpu.offset, &gpu.label, "group", message);
        }
    }
}

/// An implementation is of another network that is none itself, for stacks that are known, and the only one for each.
fn check_implementations(
    documents: &[Document<'_>],
    models: &[Located<ModelSpec>],
    software: &[Located<SoftwareName>],
) {
    let network = |id: &str| models.iter().find(|m| m.value.id() == id).and_then(|m| layered(&m.value));
    let known = |stack: &str| software.iter().any(|n| n.value.means.iter().any(|m| m == stack));
    let mut taken: BTreeMap<(&str, &str, Option<&Precision>), &str> = BTreeMap::new();
    for record in models {
        let (id, Some(own)) = (record.value.id(), layered(&record.value).and_then(|n| n.implements.as_ref()))
        else {
            continue;
        };
        let report = |key: &str, message: String| {
            documents[record.document].report_key(record.offset, &record.label, key, message);
        };
        if own.of == id || network(&own.of).is_none_or(|usual| usual.implements.is_some()) {
            report("implements", format!("{:?} is no network of layers built in the usual way", own.of));
        }
        for stack in &own.stacks {
            if !known(stack) {
                report("stacks", format!("{stack:?} is no software that software_names.toml knows"));
            }
            let all = own.precisions.is_empty().then_some(None);
            for precision in all.into_iter().chain(own.precisions.iter().map(Some)) {
                if let Some(other) = taken.insert((&own.of, stack, precision), id) {
                    report("stacks", format!("{stack:?} builds {:?} as {other:?} already", own.of));
                }
            }
        }
    }
}

fn layered(model: &ModelSpec) -> Option<&ConvolutionalSpec> {
    match model {
        ModelSpec::Convolutional { recipe, .. } => Some(recipe),
        ModelSpec::Transformer { .. } => None,
    }
}

fn check_transformers(documents: &[Document<'_>], models: &[Located<ModelSpec>]) {
    for model in models {
        if let ModelSpec::Transformer { published_tolerance, .. } = &model.value
            && !(0.0..1.0).contains(published_tolerance)
        {
            let message = "is not a share; expected a number from 0 to below 1".to_owned();
            documents[model.document].report_key(model.offset, &model.label, "published_tolerance", message);
        }
    }
}

fn join_instances(
    documents: &[Document<'_>],
    instances: Vec<Located<UnjoinedInstance>>,
    gpus: &[Located<GpuSpec>],
    regions: &[Located<Region>],
    broken: &Broken,
) -> Vec<InstanceType> {
    let ids: BTreeMap<&str, u16> =
        gpus.iter().enumerate().map(|(i, g)| (g.value.id.as_str(), i as u16)).collect();
    let mut joined = Vec::with_capacity(instances.len());
    for Located { value, document, offset, label } in instances {
        let mut instance = value.instance;
        if let Some(&id) = ids.get(value.gpu.as_str()) {
            instance.gpu = GpuId(id);
        } else if !broken.gpus {
            let message =
                format!("{:?} is not in gpus.toml{}", value.gpu, hint(&value.gpu, ids.keys().copied()));
            documents[document].report_key(offset, &label, "gpu", message);
        }
        for regional in &instance.regional {
            let of_provider = || {
                regions.iter().filter(|r| r.value.provider == instance.provider).map(|r| r.value.id.as_str())
            };
            if !broken.regions && !of_provider().any(|id| id == regional.region) {
                let near = hint(&regional.region, of_provider());
                let message = format!(
                    "{:?} is not a region of {} in regions.toml{near}",
                    regional.region, instance.provider
                );
                documents[document].report_key(offset, &label, "regional", message);
            }
        }
        joined.push(instance);
    }
    joined
}

fn hint<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, candidates).first() {
        Some(near) => format!("; did you mean {near:?}?"),
        None => "; add it there or use an id that is".to_owned(),
    }
}

fn join_prices(
    documents: &[Document<'_>],
    mut prices: Vec<Located<UnjoinedPrice>>,
    instances: &[InstanceType],
    broken: &Broken,
) -> Vec<PriceRecord> {
    let ids: BTreeMap<(&str, &str), u32> = instances
        .iter()
        .enumerate()
        .map(|(i, t)| ((t.provider.as_str(), t.name.as_str()), i as u32))
        .collect();
    for Located { value, document, offset, label } in &mut prices {
        let Some(&id) = ids.get(&(value.provider.as_str(), value.instance.as_str())) else {
            if broken.instances {
                continue;
            }
            let of_provider = instances.iter().filter(|i| i.provider == value.provider);
            let near = hint(&value.instance, of_provider.map(|i| i.name.as_str()));
            let message = format!("{:?} is not an instance type of {}{near}", value.instance, value.provider);
            documents[*document].report_key(*offset, label, "instance", message);
            continue;
        };
        value.price.instance = InstanceId(id);
        let gpus = f64::from(instances[id as usize].gpu_count);
        if let Some(hour) = value.price.per_hour
            && hour.currency == Currency::USD
            && !(LEAST_GPU_HOUR_USD..=HIGHEST_GPU_HOUR_USD).contains(&(hour.as_f64() / gpus))
        {
            let message = format!(
                "{hour}/h is {:.3} USD per GPU-hour; expected {LEAST_GPU_HOUR_USD} to {HIGHEST_GPU_HOUR_USD}, \
                 for the whole node",
                hour.as_f64() / gpus
            );
            documents[*document].report_key(*offset, label, "price_per_hour", message);
        }
    }
    check_winners(documents, &prices);
    prices.into_iter().map(|p| p.value.price).collect()
}

/// One current record per offer, and spot below on-demand unless marked suspect.
fn check_winners(documents: &[Document<'_>], prices: &[Located<UnjoinedPrice>]) {
    let mut current = BTreeMap::new();
    for price in prices.iter().filter(|p| !p.value.price.superseded) {
        if let Some(first) = current.insert(price.value.key(), price) {
            let (file, line) =
                (documents[first.document].name(), documents[first.document].line_at(first.offset));
            let message = format!(
                "is a second current price of the offer in {file} line {line}; mark the older superseded = true"
            );
            documents[price.document].report_key(price.offset, &price.label, "instance", message);
        }
    }
    for price in current.values() {
        let (provider, instance, region, purchase, currency) = price.value.key();
        if purchase != Purchase::Spot || price.value.price.suspect.is_some() {
            continue;
        }
        let on_demand = current.get(&(provider, instance, region, Purchase::OnDemand, currency));
        let amount = |p: &Located<UnjoinedPrice>| p.value.price.per_hour.map(|m: Money| m.amount);
        if let (Some(spot), Some(full)) = (amount(price), on_demand.and_then(|p| amount(p)))
            && spot >= full
        {
            let message = format!(
                "spot {spot} is not below on-demand {full}; correct it or add suspect = \"spot not below on-demand\""
            );
            documents[price.document].report_key(price.offset, &price.label, "price_per_hour", message);
        }
    }
}
