//! A provider's rating API: bodies of the requests for flavors, and its saved answers.
//!
//! The API rates products that the request lists by an id of the caller's choosing, and answers by that id. The id
//! written here carries what the answer does not: `instance|region|purchase`. Field names are those of
//! `ListOnDemandResourceRatings` and `ListRateOnPeriodDetail` (S-HW-PRICEAPI).

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::cluster_key::{find_instance, known_region};
use super::super::price::PriceRate;
use super::super::price_book::{BookPrice, PriceBook, Validity};
use super::finding;
use super::placed::Lines;
use crate::catalog::{Catalog, Finding, InstanceId, Purchase};
use crate::units::{Currency, Money};

const SERVICE: &str = "hws.service.type.ec2";
const RESOURCE: &str = "hws.resource.type.vm";
/// Id of the hour, and of the month, among the measures of the API.
const HOUR: u32 = 4;
const MONTH: u32 = 2;
/// The measure of amounts that is the whole unit of the currency (recalled); no other is known.
const WHOLE_UNIT: Decimal = Decimal::ONE;

/// One product of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProductInfo {
    id: String,
    cloud_service_type: &'static str,
    resource_type: &'static str,
    resource_spec: String,
    region: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage_factor: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage_value: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage_measure_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    period_type: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    period_num: Option<u32>,
    subscription_num: u32,
}

/// Body of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RatingRequest {
    project_id: &'static str,
    product_infos: Vec<ProductInfo>,
}

/// The bodies of the request for hourly prices and of that for a month, for these instance types in a region.
///
/// The project id is left for the caller to fill in.
pub fn requests(instances: &[InstanceId], region: &str, catalog: &Catalog) -> [RatingRequest; 2] {
    let product = |id: InstanceId, purchase: Purchase| {
        let it = catalog.instance(id);
        let hourly = purchase == Purchase::OnDemand;
        ProductInfo {
            id: format!("{}|{region}|{}", it.key(), purchase.name()),
            cloud_service_type: SERVICE,
            resource_type: RESOURCE,
            resource_spec: format!("{}.linux", it.name),
            region: region.to_owned(),
            usage_factor: hourly.then_some("Duration"),
            usage_value: hourly.then_some(1),
            usage_measure_id: hourly.then_some(HOUR),
            period_type: (!hourly).then_some(MONTH),
            period_num: (!hourly).then_some(1),
            subscription_num: 1,
        }
    };
    [Purchase::OnDemand, Purchase::Monthly].map(|purchase| RatingRequest {
        project_id: "PROJECT_ID",
        product_infos: instances.iter().map(|&id| product(id, purchase)).collect(),
    })
}

#[derive(Deserialize)]
struct Answer<'a> {
    currency: Option<String>,
    #[serde(default, borrow)]
    product_rating_results: Vec<&'a RawValue>,
    #[serde(borrow)]
    official_website_rating_result: Option<PeriodAnswer<'a>>,
    measure_id: Option<Number>,
}

#[derive(Deserialize)]
struct PeriodAnswer<'a> {
    #[serde(default, borrow)]
    product_rating_results: Vec<&'a RawValue>,
    measure_id: Option<Number>,
}

#[derive(Deserialize)]
struct Rated {
    id: String,
    official_website_amount: Option<Number>,
    measure_id: Option<Number>,
}

/// A number as the API writes it, bare or in quotes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Bare(serde_json::Number),
    Quoted(String),
}

impl Number {
    fn decimal(&self) -> Option<Decimal> {
        let text = match self {
            Self::Bare(number) => number.to_string(),
            Self::Quoted(text) => text.clone(),
        };
        text.parse().or_else(|_| Decimal::from_scientific(&text)).ok()
    }
}

/// Reads a saved answer: list prices, dated to the day it was asked for.
///
/// # Errors
/// All findings: no JSON of this kind, no currency, ids that the requests did not write, amounts that are missing or
/// not above zero, duplicates.
pub fn read(file: &str, text: &str, as_of: Date, catalog: &Catalog) -> Result<PriceBook, Vec<Finding>> {
    let answer: Answer<'_> = serde_json::from_str(text).map_err(|e| {
        vec![finding(file, Some(e.line()), "JSON", format!("is no answer of the rating API: {e}"))]
    })?;
    let mut findings = Vec::new();
    let currency = match answer.currency.as_deref().map(Currency::parse) {
        Some(Ok(currency)) => Some(currency),
        Some(Err(error)) => {
            findings.push(finding(file, None, "currency", error.to_string()));
            None
        }
        None => {
            findings.push(finding(
                file,
                None,
                "currency",
                "is missing; amounts without a currency are no prices",
            ));
            None
        }
    };
    let of_period = answer.official_website_rating_result.as_ref().and_then(|p| p.measure_id.as_ref());
    for measure in answer.measure_id.iter().chain(of_period) {
        if let Err(message) = whole_unit(Some(measure)) {
            findings.push(finding(file, None, "measure_id", message));
        }
    }
    let mut rated = answer.product_rating_results;
    rated.extend(answer.official_website_rating_result.into_iter().flat_map(|p| p.product_rating_results));
    if rated.is_empty() {
        findings.push(finding(file, None, "product_rating_results", "holds no rated product"));
    }
    let lines = Lines::of(text);
    let mut book = PriceBook::default();
    for (index, part) in rated.into_iter().enumerate() {
        let key = format!("product_rating_results[{index}]");
        let line = lines.line(part);
        let product: Rated = match lines.read(part) {
            Ok(product) => product,
            Err((line, message)) => {
                findings.push(finding(file, Some(line), &key, message));
                continue;
            }
        };
        match read_product(&product, currency.unwrap_or(Currency::USD), as_of, catalog) {
            Ok(price) => {
                let same = |p: &BookPrice| {
                    (p.instance, &p.region, p.purchase) == (price.instance, &price.region, price.purchase)
                };
                if book.prices.iter().any(same) {
                    findings.push(finding(
                        file,
                        Some(line),
                        &key,
                        format!("{:?} is rated twice", product.id),
                    ));
                }
                book.prices.push(BookPrice { line, ..price });
            }
            Err(message) => findings.push(finding(file, Some(line), &key, message)),
        }
        if findings.len() > 200 {
            break;
        }
    }
    if findings.is_empty() { Ok(book) } else { Err(findings) }
}

/// Amounts count whole units of the currency, or nobody knows what they count.
fn whole_unit(measure: Option<&Number>) -> Result<(), String> {
    let Some(measure) = measure else { return Ok(()) };
    let id = measure.decimal();
    if id == Some(WHOLE_UNIT) {
        return Ok(());
    }
    let shown = id.map_or_else(|| "no number".to_owned(), |id| id.to_string());
    Err(format!(
        "measure_id is {shown}, a unit of amounts that is not known; accepted: 1, the whole unit of the currency"
    ))
}

fn read_product(
    product: &Rated,
    currency: Currency,
    as_of: Date,
    catalog: &Catalog,
) -> Result<BookPrice, String> {
    let parts: Vec<&str> = product.id.split('|').collect();
    let [name, region, purchase] = parts[..] else {
        return Err(format!(
            "{:?} is no id of a request written by `catalog request`, \"instance|region|purchase\"",
            product.id
        ));
    };
    let instance = find_instance(name, catalog).map_err(|e| e.to_string())?;
    let region = known_region(catalog, instance, region).map_err(|e| e.to_string())?;
    whole_unit(product.measure_id.as_ref()).map_err(|e| format!("{name}: {e}"))?;
    let amount = product.official_website_amount.as_ref().and_then(Number::decimal);
    let amount = amount.filter(|a| *a > Decimal::ZERO).ok_or_else(|| {
        format!("{name}: official_website_amount is missing or not above zero: the flavor is not sold there?")
    })?;
    let money = Money::new(amount, currency);
    let (purchase, rate) = match purchase {
        "on_demand" => (Purchase::OnDemand, PriceRate::PerHour(money)),
        "monthly" => (Purchase::Monthly, PriceRate::PerMonth(money)),
        other => return Err(format!("{other:?} is no purchase option of the requests")),
    };
    Ok(BookPrice {
        instance,
        region: Some(region),
        purchase,
        rate,
        as_of,
        source: "rating API, list price".to_owned(),
        validity: Validity::default(),
        firm: false,
        line: 0,
    })
}
