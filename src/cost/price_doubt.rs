//! Prices that nobody believes: for a GPU-hour by themselves, or beside every known price of that GPU.

use rust_decimal::Decimal;

use super::price_book::implausible_gpu_hour;
use crate::catalog::{Catalog, InstanceId};
use crate::units::{Currency, FxTable, Money};

/// A price that is this many times below or above every known one of its GPU is a slip of the pen.
const FAR: i64 = 10;

/// True for a price of a node-hour of which the GPU-hour is not believed, or is far from every price of that GPU in the catalog. Prices
/// meet in their own currency, or through an exchange rate.
pub fn is_far(catalog: &Catalog, fx: &FxTable, id: InstanceId, per_hour: Money) -> bool {
    let instance = catalog.instance(id);
    if implausible_gpu_hour(per_hour, instance.gpu_count, fx).is_some() {
        return true;
    }
    let Some(own) = of_gpu(per_hour, instance.gpu_count, per_hour, fx) else { return false };
    let known: Vec<_> = known(catalog, fx, id, per_hour).collect();
    let (Some(least), Some(most)) = (known.iter().min(), known.iter().max()) else { return false };
    own.checked_mul(FAR.into()).is_some_and(|own| own < *least)
        || most.checked_mul(FAR.into()).is_some_and(|most| own > most)
}

/// True where [`is_far`] has something to judge by: a rate to US dollars, in which the bounds of a GPU-hour are stated, or a known
/// price of that GPU in this currency.
pub fn is_comparable(catalog: &Catalog, fx: &FxTable, id: InstanceId, per_hour: Money) -> bool {
    fx.convert(per_hour, Currency::USD).is_ok() || known(catalog, fx, id, per_hour).next().is_some()
}

/// The known prices of one GPU of the kind of `id`, in the currency of `like`.
fn known<'a>(
    catalog: &'a Catalog,
    fx: &'a FxTable,
    id: InstanceId,
    like: Money,
) -> impl Iterator<Item = Decimal> + 'a {
    let gpu = catalog.instance(id).gpu;
    let same = catalog.prices.iter().filter(move |p| catalog.instance(p.instance).gpu == gpu);
    same.filter_map(move |p| of_gpu(p.per_hour?, catalog.instance(p.instance).gpu_count, like, fx))
}

/// The price of one GPU in the currency of `like`.
fn of_gpu(money: Money, gpus: u32, like: Money, fx: &FxTable) -> Option<Decimal> {
    fx.convert(money, like.currency).ok()?.amount.checked_div(gpus.max(1).into())
}
