//! `catalog`: list, show, check.

use super::args::{CatalogList, CommonArgs, ListArgs};
use super::cluster::unknown_gpu;
use super::error::CliError;
use super::exit::ExitStatus;
use super::problems::Problems;
use super::session::{open_billing, open_catalog, open_profiles};
use super::view::show as write;
use crate::catalog::{Catalog, InstanceId, InstanceType, NameKind};
use crate::cost::PlaceFilter;
use crate::report::view_catalog::{self, CatalogFilter};
use crate::report::{Document, Language};

/// The catalog; a profile on the command line is read as well, so that a wrong one is not passed over.
fn open(common: &CommonArgs) -> Result<Catalog, CliError> {
    let catalog = open_catalog(common)?;
    open_profiles(common, &catalog)?;
    Ok(catalog)
}

/// Answers `catalog list`.
///
/// # Errors
/// Unknown names, an invalid catalog, or an answer that cannot be written.
pub fn list(args: &ListArgs) -> Result<ExitStatus, CliError> {
    let catalog = open(&args.common)?;
    let mut problems = Problems::default();
    let mut filter = CatalogFilter::default();
    for name in &args.gpus {
        match catalog.expand_gpu(name.trim()) {
            gpus if gpus.is_empty() => problems.usage(format!("--gpu: {}", unknown_gpu(name, &catalog))),
            gpus => filter.gpus.extend(gpus),
        }
    }
    for name in &args.providers {
        match PlaceFilter::parse_provider(name, &catalog) {
            Ok(provider) => filter.providers.push(provider),
            Err(error) => problems.usage(format!("--provider: {error}")),
        }
    }
    if !args.gpus.is_empty() && !args.what.has_gpus() {
        problems.usage("--gpu: only gpus, instances and prices can be filtered by GPU".to_owned());
    }
    if !args.providers.is_empty() && !args.what.has_providers() {
        problems
            .usage("--provider: only instances, prices and regions can be filtered by provider".to_owned());
    }
    problems.check()?;
    let language = args.common.language();
    let document = match args.what {
        CatalogList::Gpus => view_catalog::gpus(&catalog, &filter, language),
        CatalogList::Instances => view_catalog::instances(&catalog, &filter, language),
        CatalogList::Prices => view_catalog::prices(&catalog, &filter, language),
        CatalogList::Models => view_catalog::models(&catalog, language),
        CatalogList::Regions => view_catalog::regions(&catalog, &filter, language),
        CatalogList::Datasets => view_catalog::datasets(&catalog, language),
        CatalogList::Presets => view_catalog::presets(&catalog, language),
    };
    finish(&document, &args.common)
}

/// Answers `catalog show`.
///
/// # Errors
/// An unknown name, an invalid catalog, or an answer that cannot be written.
pub fn show(name: &str, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    let catalog = open(common)?;
    let document = record(name.trim(), &catalog, common.language())
        .ok_or_else(|| CliError::usage(unknown_record(name, &catalog)))?;
    finish(&document, common)
}

fn record(name: &str, catalog: &Catalog, language: Language) -> Option<Document> {
    if let Some((provider, instance)) = name.split_once('/')
        && let Some(id) = catalog.find_instance(provider, instance)
    {
        return Some(view_catalog::instance(catalog, id, language));
    }
    if let [only] = sellers(name, catalog)[..] {
        return Some(view_catalog::instance(catalog, only, language));
    }
    if let Some(id) = catalog.find_gpu(name) {
        return Some(view_catalog::gpu(catalog, id, language));
    }
    if let Some(model) = catalog.find_model(name) {
        return Some(view_catalog::model(model, language));
    }
    if let Some(dataset) = catalog.find_dataset(name) {
        return Some(view_catalog::dataset(dataset, language));
    }
    match catalog.expand_gpu(name) {
        gpus if gpus.is_empty() => None,
        gpus if gpus.len() == 1 => Some(view_catalog::gpu(catalog, gpus[0], language)),
        gpus => {
            let filter = CatalogFilter { gpus, ..CatalogFilter::default() };
            Some(view_catalog::gpus(catalog, &filter, language))
        }
    }
}

/// Instance types with this name, or this name with its provider, in any case.
fn sellers(name: &str, catalog: &Catalog) -> Vec<InstanceId> {
    let is_it = |i: &&InstanceType| i.name.eq_ignore_ascii_case(name) || i.key().eq_ignore_ascii_case(name);
    catalog
        .instances
        .iter()
        .filter(is_it)
        .filter_map(|i| catalog.find_instance(&i.provider, &i.name))
        .collect()
}

fn unknown_record(name: &str, catalog: &Catalog) -> String {
    let sellers: Vec<String> =
        sellers(name.trim(), catalog).into_iter().map(|id| catalog.instance(id).key()).collect();
    if !sellers.is_empty() {
        return format!("{name:?} is sold by several providers: {}; add the provider", sellers.join(", "));
    }
    let kinds = [NameKind::Gpu, NameKind::Instance, NameKind::Model, NameKind::Dataset];
    let near: Vec<&str> = kinds.iter().flat_map(|&kind| catalog.near_names(kind, name)).take(8).collect();
    let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
    format!("no GPU, provider/instance, model or dataset is named {name:?}{near}")
}

/// Answers `catalog check`: an invalid catalog is an error with all findings, a doubtful record is not.
///
/// # Errors
/// An invalid catalog, or an answer that cannot be written.
pub fn check(details: bool, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    let catalog = open(common)?;
    open_billing(common, &catalog)?;
    let document = view_catalog::check(&catalog.check(), details, common.language());
    finish(&document, common)
}

fn finish(document: &Document, common: &CommonArgs) -> Result<ExitStatus, CliError> {
    write(document, || view_catalog::json(document), common.format)?;
    Ok(ExitStatus::Success)
}
