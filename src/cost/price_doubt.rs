//! Prices that nobody believes: for a GPU-hour by themselves, beside what the same machine is known to cost, or beside every known price of
//! that GPU. A price near the known one divided or multiplied by the number of GPUs was stated for the wrong thing.

use rust_decimal::Decimal;

use super::price::{HOURS_PER_MONTH, Price, PriceOrigin, PriceRate};
use super::price_book::implausible_gpu_hour;
use super::selection::PriceRules;
use super::user_price::UserPrice;
use crate::catalog::{Catalog, GpuId, InstanceId, InstanceType, PriceRecord, Purchase};
use crate::units::{Currency, FxTable, Money};

/// A price that is this many times below or above every known one of its GPU is a slip of the pen.
const FAR: Decimal = Decimal::TEN;
/// A price that is this many times above what the provider asks for the machine is a slip of the pen.
const DEAR: Decimal = Decimal::from_parts(3, 0, 0, false, 0);
/// Times the list price up to which a price of a node explains one that was stated for something else.
const MARKED_UP: Decimal = Decimal::from_parts(15, 0, 0, false, 1);
/// Share of the list price to which discounts and commitments go down: 70 % off.
const DISCOUNTED: Decimal = Decimal::from_parts(3, 0, 0, false, 1);
/// Share of the list price to which interruptible capacity goes down: 90 % off.
const INTERRUPTIBLE: Decimal = Decimal::from_parts(1, 0, 0, false, 1);
/// Prices this close to each other are the same one in other words.
const SAME: Decimal = Decimal::from_parts(5, 0, 0, false, 2);

/// What makes a price doubtful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriceDoubt {
    /// Near the known price divided by the number of GPUs.
    PerGpu,
    /// Near the known price multiplied by the number of GPUs.
    Multiplied,
    /// Far from what is known.
    Far,
    /// Nothing in its currency to compare it with.
    Unchecked,
    /// By the hour where only subscriptions were asked for: reckoned on demand.
    NotMonthly,
}

impl PriceDoubt {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerGpu => "price_per_gpu",
            Self::Multiplied => "price_multiplied",
            Self::Far => "price_far",
            Self::Unchecked => "price_unchecked",
            Self::NotMonthly => "price_not_monthly",
        }
    }
}

/// A price of the command line that is doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtedPrice {
    /// The instance type.
    pub instance: InstanceId,
    /// As [`UserPrice::parse`] reads it.
    pub stated: String,
    /// The same for a whole node, where it looks like that of something else.
    pub likely: Option<String>,
    /// Why.
    pub doubt: PriceDoubt,
}

/// The doubtful ones among the prices of the command line, in their order.
pub fn doubted_prices(rules: &PriceRules, catalog: &Catalog) -> Vec<DoubtedPrice> {
    let doubted = |user: &UserPrice| {
        let purchase = rules.purchases_of(user).first().copied().unwrap_or(Purchase::OnDemand);
        let (region, origin) = (user.region.clone(), PriceOrigin::User);
        let price = Price::of_user(user.rate, purchase, region, origin, rules.as_of, String::new());
        let hourly = matches!(user.rate, PriceRate::PerHour(_));
        let subscribed = hourly && rules.requested_purchases() == [Purchase::Monthly];
        let not_monthly = subscribed.then_some(PriceDoubt::NotMonthly);
        let doubt = doubt_of(catalog, &rules.fx, user.instance, &price).or(not_monthly)?;
        let (amount, count) = (user.rate.money().amount, catalog.instance(user.instance).gpu_count.into());
        let likely = match doubt {
            PriceDoubt::PerGpu => amount.checked_mul(count),
            PriceDoubt::Multiplied => amount.checked_div(count),
            PriceDoubt::NotMonthly => amount.checked_mul(HOURS_PER_MONTH.into()),
            PriceDoubt::Far | PriceDoubt::Unchecked => None,
        };
        let likely = likely.map(|amount| {
            let rate = user.rate.of_amount(amount.round_dp(4).normalize());
            let month = PriceRate::PerMonth(rate.money());
            let rate = if doubt == PriceDoubt::NotMonthly { month } else { rate };
            UserPrice { rate, ..user.clone() }.text(catalog)
        });
        Some(DoubtedPrice { instance: user.instance, stated: user.text(catalog), likely, doubt })
    };
    rules.user_prices.iter().filter_map(doubted).collect()
}

/// What makes a price of a node doubtful, if anything does. Prices meet in their own currency, or through an exchange rate.
pub fn doubt_of(catalog: &Catalog, fx: &FxTable, id: InstanceId, price: &Price) -> Option<PriceDoubt> {
    let known = Known { catalog, fx, id, like: price.per_hour };
    if fx.convert(price.per_hour, Currency::USD).is_err() && known.any().next().is_none() {
        return Some(PriceDoubt::Unchecked);
    }
    let count = Decimal::from(catalog.instance(id).gpu_count);
    known.slip(price, count).or_else(|| known.is_far(price, count).then_some(PriceDoubt::Far))
}

/// What is known of the prices of one machine, in one currency.
struct Known<'a> {
    catalog: &'a Catalog,
    fx: &'a FxTable,
    id: InstanceId,
    /// A price in the currency in which all are compared.
    like: Money,
}

impl Known<'_> {
    /// The price of a node by a record, in the currency of the comparison.
    fn hourly(&self, record: &PriceRecord) -> Option<Decimal> {
        let monthly = || {
            let month = record.per_month?;
            Some(Money::new(month.amount.checked_div(HOURS_PER_MONTH.into())?, month.currency))
        };
        let money = record.per_hour.or_else(monthly)?;
        Some(self.fx.convert(money, self.like.currency).ok()?.amount)
    }

    /// Known prices of the machine itself for one way to buy: in the region, or in all where none is known there.
    fn own(&self, region: Option<&str>, purchase: Purchase) -> Vec<Decimal> {
        let same = |r: &&PriceRecord| r.instance == self.id && r.purchase == purchase && r.suspect.is_none();
        let all = || self.catalog.prices.iter().filter(same);
        let here = all().filter(|r| region.is_some() && r.region.as_deref() == region);
        let here: Vec<_> = here.filter_map(|r| self.hourly(r)).collect();
        if here.is_empty() { all().filter_map(|r| self.hourly(r)).collect() } else { here }
    }

    /// Whether an instance type has this machine's GPU, or another form of the same chip.
    fn is_alike(&self, other: &InstanceType) -> bool {
        let gpu = self.catalog.instance(self.id).gpu;
        let group = |id: GpuId| self.catalog.gpus.get(usize::from(id.0))?.group.as_deref();
        other.gpu == gpu || (group(gpu).is_some() && group(other.gpu) == group(gpu))
    }

    /// Prices of one GPU of this kind, whoever sells it and however it is bought.
    fn any(&self) -> impl Iterator<Item = Decimal> {
        let same = self.catalog.prices.iter().filter(|p| self.is_alike(self.catalog.instance(p.instance)));
        same.filter_map(|r| {
            self.hourly(r)?.checked_div(self.catalog.instance(r.instance).gpu_count.max(1).into())
        })
    }

    /// Least and most of the list prices of the machine, or of its provider's machines with the same GPU scaled to its size.
    fn listed(&self, region: Option<&str>) -> Option<(Decimal, Decimal)> {
        let own = self.own(region, Purchase::OnDemand);
        let it = self.catalog.instance(self.id);
        let scaled = || {
            let records = self.catalog.prices.iter().filter(|r| {
                let other = self.catalog.instance(r.instance);
                r.purchase == Purchase::OnDemand && other.provider == it.provider && self.is_alike(other)
            });
            let each = records.filter_map(|r| {
                let count = self.catalog.instance(r.instance).gpu_count.max(1);
                self.hourly(r)?.checked_div(count.into())?.checked_mul(it.gpu_count.into())
            });
            each.collect()
        };
        let all: Vec<Decimal> = if own.is_empty() { scaled() } else { own };
        Some((*all.iter().min()?, *all.iter().max()?))
    }

    /// The price of a node at what one GPU of this kind costs in the middle of all offers.
    fn middle(&self, count: Decimal) -> Option<Decimal> {
        let mut all: Vec<Decimal> = self.any().collect();
        all.sort_unstable();
        all.get(all.len() / 2)?.checked_mul(count)
    }

    /// Whether the price is that of a GPU, or one multiplied by the GPUs.
    fn slip(&self, price: &Price, count: Decimal) -> Option<PriceDoubt> {
        let own = price.per_hour.amount;
        if count <= Decimal::ONE {
            return None;
        }
        let (times, share) = (own.checked_mul(count)?, own.checked_div(count)?);
        let region = price.region.as_deref();
        // Within a hair of a known price of the same thing, divided or multiplied: whatever the discount. Halves and thirds are
        // discounts that are given.
        let known = if count > Decimal::from(3) { self.own(region, price.purchase) } else { Vec::new() };
        let is_known = |value: Decimal| known.iter().any(|k| is_same(value, *k));
        if !is_known(own) && is_known(times) {
            return Some(PriceDoubt::PerGpu);
        }
        if !is_known(own) && is_known(share) {
            return Some(PriceDoubt::Multiplied);
        }
        // Beyond what a discount explains, and explained by the number of GPUs.
        let middle = || self.middle(count).map(|middle| (middle, middle));
        let (least, most) = self.listed(region).or_else(middle)?;
        let (least, dear) = (least.checked_mul(floor(price.purchase))?, most.checked_mul(DEAR)?);
        let credible =
            |value: Decimal| value >= least && value.checked_div(MARKED_UP).is_some_and(|v| v <= most);
        if own < least && credible(times) {
            return Some(PriceDoubt::PerGpu);
        }
        (own > dear && credible(share)).then_some(PriceDoubt::Multiplied)
    }

    /// Whether the price is beyond what is believed of a GPU-hour, of the provider's discounts, or of any price of that GPU.
    fn is_far(&self, price: &Price, count: Decimal) -> bool {
        let own = price.per_hour;
        let gpus = self.catalog.instance(self.id).gpu_count;
        if implausible_gpu_hour(own, gpus, self.fx).is_some() {
            return true;
        }
        let beyond = |least: Option<Decimal>, most: Option<Decimal>, value: Decimal| {
            least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most)
        };
        if let Some((least, most)) = self.listed(price.region.as_deref()) {
            let floor = least.checked_mul(floor(price.purchase));
            return beyond(floor, most.checked_mul(DEAR), own.amount);
        }
        let Some(each) = own.amount.checked_div(count.max(Decimal::ONE)) else { return false };
        let (least, most) = (self.any().min(), self.any().max());
        beyond(least.and_then(|l| l.checked_div(FAR)), most.and_then(|m| m.checked_mul(FAR)), each)
    }
}

/// Share of the list price down to which a price of this kind is believed.
const fn floor(purchase: Purchase) -> Decimal {
    match purchase {
        Purchase::Spot => INTERRUPTIBLE,
        _ => DISCOUNTED,
    }
}

/// True for two amounts within [`SAME`] of each other.
fn is_same(value: Decimal, known: Decimal) -> bool {
    value.checked_div(known).is_some_and(|q| (q - Decimal::ONE).abs() <= SAME)
}
