//! Price tables of an open multi-cloud catalog: one CSV file per provider.
//!
//! Columns: `InstanceType`, `AcceleratorName`, `AcceleratorCount`, `Price`, `SpotPrice`, `Region`; others are ignored.
//! `MemoryGiB` and `GpuInfo` are checked where they are there. Prices are US dollars for a whole node and hour. Rows of instance types that our catalog does not hold are counted,
//! not imported: they are no error, since such files list machines without GPUs too.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::super::cluster_key::known_region;
use super::super::price::PriceRate;
use super::super::price_book::{BookPrice, PriceBook, Stated, Validity, odd_shape};
use super::finding;
use crate::catalog::{Catalog, Finding, Purchase};
use crate::units::parse::parse_quantity;
use crate::units::{Bytes, Currency, Money};

/// What came of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// The prices.
    pub book: PriceBook,
    /// Rows of instance types that the catalog does not hold.
    pub unknown_instances: usize,
    /// Rows of regions that the catalog does not hold, which are left out.
    pub unknown_regions: usize,
    /// Rows without a price.
    pub unpriced: usize,
}

struct Columns {
    instance: usize,
    count: usize,
    price: usize,
    spot: usize,
    region: usize,
    memory: Option<usize>,
    gpu_info: Option<usize>,
}

fn columns(header: &csv::StringRecord) -> Result<Columns, String> {
    let find = |name: &str| {
        header.iter().position(|h| h == name).ok_or_else(|| format!("there is no column {name}"))
    };
    Ok(Columns {
        instance: find("InstanceType")?,
        count: find("AcceleratorCount")?,
        price: find("Price")?,
        spot: find("SpotPrice")?,
        region: find("Region")?,
        memory: find("MemoryGiB").ok(),
        gpu_info: find("GpuInfo").ok(),
    })
}

/// Reads one file of a provider.
///
/// # Errors
/// All findings: missing columns, unreadable amounts, a GPU count that differs from the catalog's, two prices for one
/// instance type and region.
pub fn read(
    file: &str,
    text: &str,
    provider: &str,
    as_of: Date,
    catalog: &Catalog,
) -> Result<Imported, Vec<Finding>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| vec![finding(file, Some(1), "CSV", e.to_string())])?.clone();
    let columns = columns(&header).map_err(|e| vec![finding(file, Some(1), "header", e)])?;
    let mut found = Vec::new();
    let mut imported = Imported::default();
    let mut seen = BTreeSet::new();
    // The same machine stands in many rows; what is odd about it is said once.
    let mut shapes = BTreeSet::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map(|p| p.line() as usize);
                found.push(finding(file, line, "CSV", error.to_string()));
                break;
            }
        };
        let line = record.position().map_or(0, |p| p.line() as usize);
        match row(&record, &columns, provider, catalog, &mut imported) {
            Ok(Some((instance, region, prices))) => {
                let stated = stated(&record, &columns, catalog.instance(instance).gpu_count);
                if shapes.insert((instance, record.get(columns.count).map(str::to_owned))) {
                    imported.book.odd.extend(odd_shape(&stated, instance, line, catalog));
                }
                for (purchase, amount) in prices {
                    if !seen.insert((instance, region.clone(), purchase)) {
                        continue; // One row per zone: the first is kept, the lint sees the rest by region.
                    }
                    imported.book.prices.push(BookPrice {
                        instance,
                        region: Some(region.clone()),
                        purchase,
                        rate: PriceRate::PerHour(Money::new(amount, Currency::USD)),
                        as_of,
                        source: format!("{file}, imported"),
                        validity: Validity::default(),
                        firm: false,
                        line,
                    });
                }
            }
            Ok(None) => {}
            Err((key, message)) => found.push(finding(file, Some(line), key, message)),
        }
        if found.len() > 200 {
            break;
        }
    }
    if found.is_empty() && imported.book.prices.is_empty() {
        found.push(finding(file, None, "rows", format!("no row is a priced instance type of {provider}")));
    }
    if found.is_empty() { Ok(imported) } else { Err(found) }
}

/// What a row says about the machine beside its number of GPUs.
fn stated(record: &csv::StringRecord, columns: &Columns, gpus: u32) -> Stated {
    let cell = |at: Option<usize>| record.get(at?).map(str::trim);
    let memory = cell(columns.memory).and_then(|text| text.parse().ok()).map(Bytes::from_gib);
    let total = cell(columns.gpu_info).and_then(|info| {
        let (_, rest) = info.split_once("TotalGpuMemoryInMiB")?;
        let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        parse_quantity::<Bytes>(&format!("{} MiB", &digits[..end])).ok()
    });
    let gpu_memory = total.map(|total| total / f64::from(gpus.max(1)));
    Stated { gpu_memory, memory, ..Stated::default() }
}

type Row = (crate::catalog::InstanceId, String, Vec<(Purchase, Decimal)>);

fn row(
    record: &csv::StringRecord,
    columns: &Columns,
    provider: &str,
    catalog: &Catalog,
    imported: &mut Imported,
) -> Result<Option<Row>, (&'static str, String)> {
    let cell = |at: usize| record.get(at).map(str::trim).filter(|t| !t.is_empty());
    let Some(instance) = cell(columns.instance).and_then(|name| catalog.find_instance(provider, name)) else {
        imported.unknown_instances += 1;
        return Ok(None);
    };
    let expected = catalog.instance(instance).gpu_count;
    if let Some(text) = cell(columns.count) {
        let count: Option<f64> = text.parse().ok();
        if count != Some(f64::from(expected)) {
            return Err((
                "AcceleratorCount",
                format!("is {text}; the catalog has {expected} GPUs in this node"),
            ));
        }
    }
    let Some(region) = cell(columns.region).and_then(|r| known_region(catalog, instance, r).ok()) else {
        imported.unknown_regions += 1;
        return Ok(None);
    };
    let mut prices = Vec::new();
    for (at, key, purchase) in
        [(columns.price, "Price", Purchase::OnDemand), (columns.spot, "SpotPrice", Purchase::Spot)]
    {
        let Some(text) = cell(at) else { continue };
        let amount = text.parse().or_else(|_| Decimal::from_scientific(text)).ok();
        match amount {
            Some(amount) if amount > Decimal::ZERO => prices.push((purchase, amount)),
            Some(_) => {}
            None => return Err((key, format!("{text:?} is no amount"))),
        }
    }
    if prices.is_empty() {
        imported.unpriced += 1;
        return Ok(None);
    }
    Ok(Some((instance, region, prices)))
}
