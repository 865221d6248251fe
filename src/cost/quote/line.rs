//! One line of a quote and the sums of all.

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::super::price::PriceOrigin;
use super::super::price_book::{NetPrice, ProductKind};
use super::super::unit_price::SaleUnit;
use crate::catalog::Purchase;
use crate::units::{Currency, FxTable, Money, MoneyError, RoundingMode};

/// Decimals of a quantity: a third of a second of an hour.
const QUANTITY_DECIMALS: u32 = 4;
/// Decimals of a unit price.
const UNIT_DECIMALS: u32 = 6;

/// What a line sells, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// Kind of product.
    pub kind: ProductKind,
    /// Flavor or order code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: Option<String>,
    /// How it is bought.
    pub purchase: Option<Purchase>,
    /// Nodes, for compute.
    pub nodes: Option<u32>,
    /// Jobs alike and independent of each other, one after the other on these nodes; the quantity covers all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Hours or months of each node, over all jobs; the quantity of other lines.
    pub each: Decimal,
    /// Its part in a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<ProductRole>,
}

/// What a line of nodes does in a job whose number of nodes follows the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProductRole {
    /// Subscribed from start to end.
    Baseline,
    /// Node-hours beyond the baseline, as the schedule has them.
    Burst,
}

/// What goes into a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineInput {
    /// What is sold.
    pub product: Product,
    /// Price of a unit, before and after the rules of the price book.
    pub price: NetPrice,
    /// Day of the price.
    pub as_of: Option<Date>,
    /// Where it is from.
    pub source: String,
    /// Who stated it.
    pub origin: PriceOrigin,
    /// Binding.
    pub firm: bool,
    /// Last day on which the price holds, where that is stated.
    pub valid_until: Option<Date>,
    /// Why the figure is doubtful.
    pub suspect: Option<String>,
}

/// One line of a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteLine {
    /// 1, 2, 3 ...
    pub position: u32,
    /// What is sold.
    #[serde(flatten)]
    pub product: Product,
    /// Nodes times that.
    pub quantity: Decimal,
    /// What one is.
    pub unit: SaleUnit,
    /// List price of a unit; absent where the price is no reduction of a list price.
    pub list_unit_price: Option<Decimal>,
    /// Taken off each unit.
    pub saving: Option<Decimal>,
    /// Share taken off.
    pub discount: Option<Decimal>,
    /// Net price of a unit.
    pub unit_price: Decimal,
    /// List amount, rounded.
    pub list: Option<Decimal>,
    /// Net amount, rounded.
    pub net: Decimal,
    /// Tax on it, rounded.
    pub tax: Decimal,
    /// Both.
    pub total: Decimal,
    /// Day of the price.
    pub price_as_of: Option<Date>,
    /// Last day on which the price holds, where that is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_valid_until: Option<Date>,
    /// Who stated it: `user`, `price_book`, `catalog`, `third_party`.
    pub price_origin: String,
    /// Where a public price is from; a seller's own list is not named.
    pub price_source: Option<String>,
    /// Binding.
    pub firm: bool,
    /// Cost and margin; only in the internal copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<LineCost>,
}

/// What the seller pays for a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineCost {
    /// For a unit.
    pub unit_cost: Decimal,
    /// For the line, rounded.
    pub cost: Decimal,
    /// Net amount less that.
    pub margin: Decimal,
    /// Share put on the cost, where the price was made so.
    pub markup: Option<Decimal>,
    /// Lines of the price book's rules that applied.
    pub rules: Vec<usize>,
    /// Where the price is from.
    pub source: String,
}

/// Sums of the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Net amounts.
    pub net: Decimal,
    /// Taxes.
    pub tax: Decimal,
    /// Both.
    pub total: Decimal,
}

/// A margin as a share of the net amount, to four decimals; `None` where nothing is charged.
pub(super) fn margin_share(margin: Decimal, net: Decimal) -> Option<Decimal> {
    margin.checked_div(net).map(|share| share.round_dp(4).normalize())
}

impl QuoteLine {
    /// What the seller keeps of the line, as a share of its net amount; `None` in the customer's copy.
    pub fn margin_share(&self) -> Option<Decimal> {
        margin_share(self.internal.as_ref()?.margin, self.net)
    }
}

/// What all lines share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms<'a> {
    pub currency: Currency,
    pub rounding: RoundingMode,
    pub tax_rate: Decimal,
    pub fx: &'a FxTable,
}

/// A line, or why it has no amount.
pub(super) enum LineFailure {
    /// No exchange rate.
    Currency(MoneyError),
    /// Too large.
    TooLarge,
}

/// Works a line out. Quantities are rounded up, unit prices to the nearest, both before they are multiplied: what is
/// printed can be recomputed by hand.
pub(super) fn line(input: &LineInput, position: u32, terms: Terms<'_>) -> Result<QuoteLine, LineFailure> {
    let unit = |money: Money| -> Result<Decimal, LineFailure> {
        let money = terms.fx.convert(money, terms.currency).map_err(LineFailure::Currency)?;
        Ok(money.amount.round_dp(UNIT_DECIMALS).normalize())
    };
    let decimals = terms.currency.decimals();
    let amount = |unit_price: Decimal, quantity: Decimal| {
        let exact = unit_price.checked_mul(quantity).ok_or(LineFailure::TooLarge)?;
        if exact.abs() > MOST {
            return Err(LineFailure::TooLarge);
        }
        Ok(terms.rounding.round(exact, decimals))
    };
    let price = &input.price;
    let sold = &input.product;
    let each = RoundingMode::Up.round(sold.each, QUANTITY_DECIMALS).normalize();
    let quantity = each.checked_mul(Decimal::from(sold.nodes.unwrap_or(1))).ok_or(LineFailure::TooLarge)?;
    let (list_unit, unit_price, unit_cost) =
        (unit(price.list.money)?, unit(price.customer)?, unit(price.cost)?);
    let reduced = price.markup.is_none() && unit_price <= list_unit;
    let net = amount(unit_price, quantity)?;
    let tax = terms.rounding.round(net * terms.tax_rate, decimals);
    let cost = amount(unit_cost, quantity)?;
    let public = !input.origin.is_users();
    Ok(QuoteLine {
        position,
        product: Product { each, ..sold.clone() },
        quantity: quantity.normalize(),
        unit: price.list.unit,
        list_unit_price: reduced.then_some(list_unit),
        saving: price.saving.filter(|_| reduced).map(unit).transpose()?,
        discount: price.discount.filter(|_| reduced),
        unit_price,
        list: if reduced { Some(amount(list_unit, quantity)?) } else { None },
        net,
        tax,
        total: net + tax,
        price_as_of: input.as_of,
        price_valid_until: input.valid_until.into_iter().chain(price.valid_until).min(),
        price_origin: input.origin.name().to_owned(),
        price_source: public.then(|| input.source.clone()),
        firm: input.firm,
        internal: Some(LineCost {
            unit_cost,
            cost,
            margin: net - cost,
            markup: price.markup,
            rules: price.rules.clone(),
            source: input.source.clone(),
        }),
    })
}

/// Net amount that a line of a quote would have; `None` without an exchange rate, or where it cannot be represented.
pub fn net_amount(
    input: &LineInput,
    currency: Currency,
    rounding: RoundingMode,
    fx: &FxTable,
) -> Option<Decimal> {
    line(input, 1, Terms { currency, rounding, tax_rate: Decimal::ZERO, fx }).ok().map(|line| line.net)
}

/// Largest amount of a line: sums of thousands of lines stay exact.
const MOST: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);

impl Totals {
    /// Sums of rounded lines.
    pub fn of(lines: &[QuoteLine], decimals: u32) -> Self {
        let sum = |part: fn(&QuoteLine) -> Decimal| {
            let mut sum: Decimal = lines.iter().map(part).sum();
            sum.rescale(decimals);
            sum
        };
        Self { net: sum(|l| l.net), tax: sum(|l| l.tax), total: sum(|l| l.total) }
    }
}
