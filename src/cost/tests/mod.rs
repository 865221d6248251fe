//! Tests of the module, and the small catalog they share.

mod billing;
mod embedded;
mod files;
mod offer;
mod place;
mod price_doubt;
mod quota;
mod quote;
mod robustness;
mod selection;

use jiff::civil::{Date, date};

use super::{Price, PriceRules};
use crate::catalog::price::DatePrecision;
use crate::catalog::{
    Catalog, Confidence, GpuId, InstanceId, InstanceType, NetworkOffer, PriceQuality, PriceRecord,
    Provenance, Purchase, Region, RegionalStatus, Status, Unresolved,
};
use crate::units::{Currency, Money};

/// The day all tests take as today.
const TODAY: Date = date(2026, 11, 29);

/// On sale at `aws`, family `old`.
const ALPHA: InstanceId = InstanceId(0);
/// Unverified at `huawei-cloud`, family `line`.
const BETA: InstanceId = InstanceId(1);
/// Retired at `aws`, family `old`.
const GAMMA: InstanceId = InstanceId(2);

fn money(text: &str) -> Money {
    Money::parse(text).unwrap()
}

fn rules() -> PriceRules {
    PriceRules::list_prices(TODAY)
}

fn provenance(source: &str, as_of: Option<Date>) -> Provenance {
    Provenance { source: source.to_owned(), as_of }
}

fn instance(provider: &str, family: &str, name: &str, status: Status) -> InstanceType {
    InstanceType {
        provider: provider.to_owned(),
        service: "server".to_owned(),
        family: family.to_owned(),
        name: name.to_owned(),
        vcpus: None,
        memory: None,
        gpu: GpuId(0),
        gpu_count: 8,
        node_link: None,
        network: NetworkOffer { class: None, maximum: None, assured: None },
        local_nvme: None,
        status,
        status_note: None,
        regional: Vec::new(),
        confidence: Confidence::High,
        provenance: provenance("test", None),
        notes: None,
    }
}

fn regional(region: &str, status: Status) -> RegionalStatus {
    RegionalStatus {
        region: region.to_owned(),
        status,
        note: None,
        provenance: provenance("test", Some(TODAY)),
    }
}

fn region(provider: &str, id: &str, city: &str, country: &str) -> Region {
    Region {
        provider: provider.to_owned(),
        operator: provider.to_owned(),
        id: id.to_owned(),
        city: city.to_owned(),
        country: country.to_owned(),
        source: "test".to_owned(),
    }
}

/// An on-demand catalog price of [`ALPHA`], dated today.
fn record(region: Option<&str>, amount: &str) -> PriceRecord {
    PriceRecord {
        instance: ALPHA,
        region: region.map(str::to_owned),
        purchase: Purchase::OnDemand,
        per_hour: Some(money(amount)),
        per_month: None,
        date_precision: DatePrecision::Day,
        quality: PriceQuality::Catalog,
        superseded: false,
        suspect: None,
        provenance: provenance("test", Some(TODAY)),
        notes: None,
    }
}

/// A price of [`ALPHA`] by the hour or, for [`Purchase::Monthly`], by the month.
fn price(purchase: Purchase, amount: &str) -> Price {
    let monthly = purchase == Purchase::Monthly;
    let record = PriceRecord {
        purchase,
        per_hour: (!monthly).then(|| money(amount)),
        per_month: monthly.then(|| money(amount)),
        ..record(None, amount)
    };
    Price::from_record(&record).unwrap()
}

/// Three instance types, the regions that share an id, and these prices.
fn catalog(prices: Vec<PriceRecord>) -> Catalog {
    Catalog {
        gpus: Vec::new(),
        regions: vec![
            region("aws", "us-east-1", "N. Virginia", "US"),
            region("aws", "ap-southeast-1", "Singapore", "SG"),
            region("aws", "ap-southeast-3", "Jakarta", "ID"),
            region("huawei-cloud", "ap-southeast-3", "Singapore", "SG"),
            region("huawei-cloud", "cn-north-4", "Beijing", "CN"),
        ],
        instances: vec![
            instance("aws", "old", "alpha.8x", Status::OnSale),
            instance("huawei-cloud", "line", "beta.16xlarge.8", Status::Unverified),
            instance("aws", "old", "gamma.1x", Status::Retired),
        ],
        prices,
        models: Vec::new(),
        datasets: Vec::new(),
        optimizers: Vec::new(),
        capabilities: Vec::new(),
        presets: Vec::new(),
        software_names: Vec::new(),
        sources: Vec::new(),
        unresolved: Unresolved::default(),
        content_hash: String::new(),
    }
}

const USD: Currency = Currency::USD;
