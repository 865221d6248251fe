//! The flavor list of a compute service, saved as JSON: which instance types are sold where, and how.
//!
//! Field names are those of `ListFlavors`; the extra specs `cond:operation:*` and `quota:gpu` say what is on sale
//! (billing.md, flavor stock retrieval).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::price_book::{PriceLint, Stated, odd_shape};
use super::finding;
use super::placed::Lines;
use crate::catalog::{Catalog, Finding, InstanceId};
use crate::units::parse::parse_quantity;

/// One flavor as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlavorSale {
    /// Its name.
    pub name: String,
    /// The catalog's instance type of this name.
    pub instance: Option<InstanceId>,
    /// Status by zone; the empty zone is the region's own.
    pub zones: BTreeMap<String, String>,
    /// How it is charged: `period`, `demand`, `spot`.
    pub charges: Vec<String>,
}

/// A list as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlavorList {
    /// The flavors with GPUs.
    pub sales: Vec<FlavorSale>,
    /// What it says about machines and the catalog does not.
    pub odd: Vec<PriceLint>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    flavors: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Flavor {
    name: String,
    vcpus: Option<serde_json::Value>,
    /// Memory of the host in MiB.
    ram: Option<f64>,
    #[serde(default)]
    os_extra_specs: BTreeMap<String, serde_json::Value>,
}

/// Reads a saved list; flavors without GPUs that the catalog does not hold are left out.
///
/// # Errors
/// All findings: a flavor that neither the catalog nor the list says anything about, no JSON of this kind, no GPU flavor in it, a number of vCPUs that differs from the catalog's, a
/// flavor listed twice.
pub fn read(file: &str, text: &str, provider: &str, catalog: &Catalog) -> Result<FlavorList, Vec<Finding>> {
    let answer: Answer<'_> = serde_json::from_str(text)
        .map_err(|e| vec![finding(file, Some(e.line()), "JSON", format!("is no list of flavors: {e}"))])?;
    let mut findings = Vec::new();
    let lines = Lines::of(text);
    let mut sales: Vec<FlavorSale> = Vec::new();
    let mut odd = Vec::new();
    for (index, part) in answer.flavors.into_iter().enumerate() {
        let key = format!("flavors[{index}]");
        let line = lines.line(part);
        let flavor: Flavor = match lines.read(part) {
            Ok(flavor) => flavor,
            Err((line, message)) => {
                findings.push(finding(file, Some(line), &key, message));
                continue;
            }
        };
        let instance = catalog.find_instance(provider, &flavor.name);
        let spec = |name: &str| flavor.os_extra_specs.get(name).and_then(serde_json::Value::as_str);
        let has_gpu = flavor.os_extra_specs.keys().any(|k| k == "quota:gpu" || k.contains("gpu"));
        let sold = spec("cond:operation:status").is_some() || spec("cond:operation:az").is_some();
        if instance.is_none() && !sold && (has_gpu || flavor.os_extra_specs.is_empty()) {
            let message = format!(
                "{} is not in the catalog, and the list states neither GPUs nor a zone or status that would say what it \
                 is: remove it, or list it with its os_extra_specs",
                flavor.name
            );
            findings.push(finding(file, Some(line), &key, message));
            continue;
        }
        if instance.is_none() && !has_gpu {
            continue;
        }
        let listed = flavor.vcpus.as_ref().map(|v| v.to_string().replace('"', ""));
        let ours = instance.and_then(|id| catalog.instance(id).vcpus).map(|v| v.to_string());
        if let (Some(listed), Some(ours)) = (&listed, &ours)
            && listed != ours
        {
            let message = format!("{} has {listed} vCPUs here and {ours} in the catalog", flavor.name);
            findings.push(finding(file, Some(line), &key, message));
        }
        if sales.iter().any(|s| s.name == flavor.name) {
            findings.push(finding(file, Some(line), &key, format!("{} is listed twice", flavor.name)));
        }
        if let Some(id) = instance {
            let memory = flavor.ram.and_then(|ram| parse_quantity(&format!("{ram} MiB")).ok());
            odd.extend(odd_shape(&Stated { memory, ..Stated::default() }, id, line, catalog));
        }
        let mut zones = BTreeMap::new();
        zones.extend(spec("cond:operation:status").map(|status| (String::new(), status.to_owned())));
        for entry in spec("cond:operation:az").unwrap_or_default().split(',') {
            if let Some((zone, status)) = entry.trim().trim_end_matches(')').split_once('(') {
                zones.insert(zone.to_owned(), status.to_owned());
            }
        }
        let charges = spec("cond:operation:charge").unwrap_or_default().split(',');
        let charges = charges.map(str::trim).filter(|c| !c.is_empty()).map(str::to_owned).collect();
        sales.push(FlavorSale { name: flavor.name.clone(), instance, zones, charges });
    }
    if sales.is_empty() && findings.is_empty() {
        findings.push(finding(file, None, "flavors", "holds no flavor with GPUs"));
    }
    if findings.is_empty() { Ok(FlavorList { sales, odd }) } else { Err(findings) }
}
