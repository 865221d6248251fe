//! Ordered rules of a price book: from the list price to what the partner pays and what the customer pays.
//!
//! Rules are tried in the order of the file, on two lists that do not meet: `cost` (what the partner pays) and
//! `customer`. On each list the first rule that matches wins among those that set a price or a percentage, and the
//! first among the fixed savings; a saving is subtracted before the percentage is taken, as provider discounts are
//! applied. A `discount` is taken off the list price, a `markup` is put on what the partner pays.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::super::unit_price::{SaleUnit, UnitPrice};
use super::item::ProductKind;
use crate::catalog::{InstanceId, Purchase};
use crate::units::Money;

/// Whose price a rule makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What the partner pays the provider.
    Cost,
    /// What the customer pays the partner.
    Customer,
}

impl Side {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Customer => "customer",
        }
    }
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The price is this, whatever the list says.
    FixedPrice(UnitPrice),
    /// This much is taken off each unit, before a percentage.
    FixedSaving(UnitPrice),
    /// A share of the list price is taken off.
    Discount(Decimal),
    /// A share of the partner's cost is put on it.
    Markup(Decimal),
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceRule {
    /// Line of the file, for people.
    pub line: usize,
    /// Whose price.
    pub side: Side,
    /// Only this provider.
    pub provider: Option<String>,
    /// Only these instance types, when a provider, family or instance is named.
    pub instances: Option<BTreeSet<InstanceId>>,
    /// A family or an instance is named: the rule is for compute alone.
    pub compute_only: bool,
    /// Only this region.
    pub region: Option<String>,
    /// Only this availability zone.
    pub zone: Option<String>,
    /// Only this purchase option.
    pub purchase: Option<Purchase>,
    /// Only this kind of product.
    pub product: Option<ProductKind>,
    /// First day.
    pub valid_from: Option<Date>,
    /// Last day.
    pub valid_until: Option<Date>,
    /// What it does.
    pub effect: Effect,
}

/// What a rule is matched against.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Kind of product.
    pub product: ProductKind,
    /// Its provider, where the instance type does not tell.
    pub provider: Option<&'a str>,
    /// The instance type, for compute.
    pub instance: Option<InstanceId>,
    /// The region.
    pub region: Option<&'a str>,
    /// The availability zone.
    pub zone: Option<&'a str>,
    /// The purchase option, for compute.
    pub purchase: Option<Purchase>,
    /// Today.
    pub day: Date,
}

impl PriceRule {
    /// True when every condition of the rule holds.
    fn matches(&self, subject: &Subject<'_>, unit: SaleUnit) -> bool {
        let among = match (subject.instance, &self.instances) {
            (Some(id), Some(instances)) => instances.contains(&id),
            (Some(_), None) => true,
            (None, _) => {
                !self.compute_only && self.provider.as_deref().is_none_or(|p| subject.provider == Some(p))
            }
        };
        let unit_fits = match self.effect {
            Effect::FixedPrice(price) | Effect::FixedSaving(price) => price.unit == unit,
            Effect::Discount(_) | Effect::Markup(_) => true,
        };
        among
            && unit_fits
            && self.product.is_none_or(|p| p == subject.product)
            && self.region.as_deref().is_none_or(|r| subject.region == Some(r))
            && self.zone.as_deref().is_none_or(|z| subject.zone == Some(z))
            && self.purchase.is_none_or(|p| subject.purchase == Some(p))
            && self.valid_from.is_none_or(|d| d <= subject.day)
            && self.valid_until.is_none_or(|d| subject.day <= d)
    }
}

/// What the rules make of a list price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetPrice {
    /// The list price.
    pub list: UnitPrice,
    /// What the partner pays for a unit.
    pub cost: Money,
    /// What the customer pays for a unit.
    pub customer: Money,
    /// Customer side: taken off each unit.
    pub saving: Option<Money>,
    /// Customer side: share taken off the list price.
    pub discount: Option<Decimal>,
    /// Customer side: share put on the cost. Never shown to the customer.
    pub markup: Option<Decimal>,
    /// Customer side: the price is fixed.
    pub fixed: bool,
    /// Lines of the rules that applied.
    pub rules: Vec<usize>,
    /// Last day on which all of them hold, where one ends.
    pub valid_until: Option<Date>,
}

/// A rule in another currency than the price it would change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the rule in line {line} is in {rule}, the price in {price}: state both in one currency")]
pub struct RuleMismatch {
    /// Line of the rule.
    pub line: usize,
    /// Its currency.
    pub rule: crate::units::Currency,
    /// That of the price.
    pub price: crate::units::Currency,
}

/// Both prices of a unit with this list price.
///
/// # Errors
/// When a fixed saving that matches is in another currency than the list price, or a fixed price on one side is in
/// another than the other side.
pub fn net_price(
    rules: &[PriceRule],
    list: UnitPrice,
    subject: &Subject<'_>,
) -> Result<NetPrice, RuleMismatch> {
    let cost = one_side(rules, Side::Cost, list, list.money, subject)?;
    let customer = one_side(rules, Side::Customer, list, cost.money, subject)?;
    let mut used = cost.rules;
    used.extend(&customer.rules);
    let ends = rules.iter().filter(|r| used.contains(&r.line)).filter_map(|r| r.valid_until);
    Ok(NetPrice {
        valid_until: ends.min(),
        list,
        cost: cost.money,
        customer: customer.money,
        saving: customer.saving,
        discount: customer.discount,
        markup: customer.markup,
        fixed: customer.fixed,
        rules: used,
    })
}

struct SidePrice {
    money: Money,
    saving: Option<Money>,
    discount: Option<Decimal>,
    markup: Option<Decimal>,
    fixed: bool,
    rules: Vec<usize>,
}

fn one_side(
    rules: &[PriceRule],
    side: Side,
    list: UnitPrice,
    cost: Money,
    subject: &Subject<'_>,
) -> Result<SidePrice, RuleMismatch> {
    let matching = || rules.iter().filter(|r| r.side == side && r.matches(subject, list.unit));
    let is_saving = |r: &&PriceRule| matches!(r.effect, Effect::FixedSaving(_));
    let saving = matching().find(is_saving);
    let main = matching().find(|r| !is_saving(r));
    let currency = list.money.currency;
    let mut out = SidePrice {
        money: list.money,
        saving: None,
        discount: None,
        markup: None,
        fixed: false,
        rules: Vec::new(),
    };
    if let Some(rule) = main
        && let Effect::FixedPrice(price) = rule.effect
    {
        if price.money.currency != currency {
            return Err(RuleMismatch { line: rule.line, rule: price.money.currency, price: currency });
        }
        return Ok(SidePrice { money: price.money, fixed: true, rules: vec![rule.line], ..out });
    }
    if let Some(rule) = main
        && let Effect::Markup(share) = rule.effect
    {
        let amount = cost.amount.saturating_mul(Decimal::ONE.saturating_add(share));
        let money = Money::new(amount.normalize(), cost.currency);
        return Ok(SidePrice { money, markup: Some(share), rules: vec![rule.line], ..out });
    }
    if let Some(rule) = saving
        && let Effect::FixedSaving(price) = rule.effect
    {
        if price.money.currency != currency {
            return Err(RuleMismatch { line: rule.line, rule: price.money.currency, price: currency });
        }
        out.money.amount = out.money.amount.saturating_sub(price.money.amount).max(Decimal::ZERO);
        out.saving = Some(price.money);
        out.rules.push(rule.line);
    }
    if let Some(rule) = main
        && let Effect::Discount(share) = rule.effect
    {
        out.money.amount = out.money.amount.saturating_mul(Decimal::ONE.saturating_sub(share)).normalize();
        out.discount = Some(share);
        out.rules.push(rule.line);
    }
    Ok(out)
}
