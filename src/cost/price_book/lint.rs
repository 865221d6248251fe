//! What is odd about a price list that can be read: mistakes of whoever filled it in.
//!
//! Only prices of one book are compared with each other, and with the number of GPUs of the catalog.

use std::collections::BTreeMap;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::{BookPrice, PriceBook};
use crate::catalog::{Catalog, Finding, Purchase};
use crate::units::{Currency, FxTable, Money};

/// US dollars for one GPU-hour that are believed.
const BELIEVED: (Decimal, Decimal) =
    (Decimal::from_parts(1, 0, 0, false, 2), Decimal::from_parts(60, 0, 0, false, 0));
/// Prices per GPU of one GPU model differ by no more than this share between sizes of a family.
const SCALING: Decimal = Decimal::from_parts(35, 0, 0, false, 2);
/// Prices of nodes of different sizes that are this close were stated per GPU.
const SAME: Decimal = Decimal::from_parts(5, 0, 0, false, 2);

/// Kind of oddity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintKind {
    /// A larger node costs what a smaller one does.
    PerGpu,
    /// The price per GPU differs a lot between sizes.
    NotScaling,
    /// Spot is not below on demand.
    SpotAboveOnDemand,
    /// The price of a GPU-hour is not believed.
    Implausible,
    /// A commitment is not below on demand.
    CommitmentAboveOnDemand,
    /// Another number of GPUs than the catalog's.
    GpuCount,
    /// Another size of memory: GB and GiB mixed up, or another machine.
    MemoryUnit,
    /// Dated after the day of the question.
    Future,
    /// A peak that is none of the dense ones, such as one with sparsity.
    SparsePeak,
}

/// One oddity, at a line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceLint {
    /// What.
    pub kind: LintKind,
    /// Line or row.
    pub line: usize,
    /// In words, with the numbers.
    pub message: String,
}

impl PriceLint {
    /// As a finding of a file.
    pub fn finding(&self, file: &str) -> Finding {
        Finding {
            file: file.to_owned(),
            line: Some(self.line),
            key: "price".to_owned(),
            message: self.message.clone(),
        }
    }
}

impl PriceBook {
    /// Everything odd about the prices on a day, by line. Amounts that are not in US dollars are judged for plausibility only
    /// where an exchange rate is known.
    pub fn lint(&self, catalog: &Catalog, fx: &FxTable, today: Date) -> Vec<PriceLint> {
        let mut found = self.odd.clone();
        for price in &self.prices {
            found.extend(implausible(price, catalog, fx));
            found.extend(future(price, catalog, today));
        }
        found.extend(self.against_on_demand(catalog));
        found.extend(self.across_sizes(catalog));
        found.sort_by_key(|lint| (lint.line, lint.kind));
        found
    }

    /// Spot and commitments against on demand of the same instance type, region and currency.
    fn against_on_demand(&self, catalog: &Catalog) -> Vec<PriceLint> {
        let key = |p: &BookPrice| (p.instance, p.region.clone(), p.rate.money().currency);
        let on_demand: BTreeMap<_, Decimal> = self
            .prices
            .iter()
            .filter(|p| p.purchase == Purchase::OnDemand)
            .map(|p| (key(p), p.to_price().per_hour.amount))
            .collect();
        let compare = |p: &BookPrice| {
            let list = *on_demand.get(&key(p))?;
            let own = p.to_price().per_hour.amount;
            let kind = match p.purchase {
                Purchase::OnDemand => return None,
                Purchase::Spot => LintKind::SpotAboveOnDemand,
                _ => LintKind::CommitmentAboveOnDemand,
            };
            let name = catalog.instance(p.instance).key();
            (own >= list).then(|| PriceLint {
                kind,
                line: p.line,
                message: format!(
                    "{name}: {} at {} an hour is not below on demand at {}",
                    p.purchase.name(),
                    own.round_dp(4).normalize(),
                    list.normalize()
                ),
            })
        };
        self.prices.iter().filter_map(compare).collect()
    }

    /// Sizes of one family with one GPU model against the smallest of them.
    fn across_sizes(&self, catalog: &Catalog) -> Vec<PriceLint> {
        let mut groups: BTreeMap<_, Vec<&BookPrice>> = BTreeMap::new();
        for price in &self.prices {
            let it = catalog.instance(price.instance);
            let currency: Currency = price.rate.money().currency;
            let key = (&it.provider, &it.family, it.gpu, price.region.clone(), price.purchase, currency);
            groups.entry(key).or_default().push(price);
        }
        let mut found = Vec::new();
        for group in groups.values_mut() {
            let gpus = |p: &BookPrice| catalog.instance(p.instance).gpu_count;
            group.sort_by_key(|p| (gpus(p), p.instance));
            let Some((first, rest)) = group.split_first() else { continue };
            for other in rest.iter().filter(|p| gpus(p) > gpus(first)) {
                found.extend(sizes(first, other, catalog));
            }
        }
        found
    }
}

fn sizes(small: &BookPrice, large: &BookPrice, catalog: &Catalog) -> Option<PriceLint> {
    let (a, b) = (small.rate.money().amount, large.rate.money().amount);
    let count = |p: &BookPrice| Decimal::from(catalog.instance(p.instance).gpu_count.max(1));
    let name = |p: &BookPrice| catalog.instance(p.instance).name.clone();
    let difference = |x: Decimal, y: Decimal| y.checked_div(x).map(|q| (q - Decimal::ONE).abs());
    let (one, other) = (a / count(small), b / count(large));
    let (kind, why) = if difference(a, b)? <= SAME {
        (LintKind::PerGpu, "costs what the smaller one does: is it a price per GPU?")
    } else if difference(one, other)? > SCALING {
        (LintKind::NotScaling, "does not scale with the number of GPUs")
    } else {
        return None;
    };
    let message = format!(
        "{} with {} GPUs at {} {why} ({} with {} GPUs: {})",
        name(large),
        count(large),
        large.rate,
        name(small),
        count(small),
        small.rate
    );
    Some(PriceLint { kind, line: large.line, message })
}

/// The price of a GPU-hour in US dollars where it is not believed; `None` where it is, or where no rate is known.
pub fn implausible_gpu_hour(per_hour: Money, gpus: u32, fx: &FxTable) -> Option<Decimal> {
    let dollars = fx.convert(per_hour, Currency::USD).ok()?;
    let each = dollars.amount.checked_div(Decimal::from(gpus.max(1)))?;
    (each < BELIEVED.0 || each > BELIEVED.1).then_some(each)
}

/// A price of a day that has not come: valid from later is what `valid_from` says.
fn future(price: &BookPrice, catalog: &Catalog, today: Date) -> Option<PriceLint> {
    (price.as_of > today).then(|| PriceLint {
        kind: LintKind::Future,
        line: price.line,
        message: format!(
            "{}: dated {}, which is after {today}; a price that holds later has valid_from",
            catalog.instance(price.instance).key(),
            price.as_of
        ),
    })
}

fn implausible(price: &BookPrice, catalog: &Catalog, fx: &FxTable) -> Option<PriceLint> {
    let it = catalog.instance(price.instance);
    let each = implausible_gpu_hour(price.to_price().per_hour, it.gpu_count, fx)?;
    Some(PriceLint {
        kind: LintKind::Implausible,
        line: price.line,
        message: format!(
            "{}: {} USD for a GPU-hour is not believed; {} to {} are",
            it.key(),
            each.round_dp(4).normalize(),
            BELIEVED.0,
            BELIEVED.1
        ),
    })
}
