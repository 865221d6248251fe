//! Prices that nobody believes: for a GPU-hour by themselves, or beside every known price of that GPU.

use rust_decimal::Decimal;

use super::price_book::implausible_gpu_hour;
use crate::catalog::{Catalog, InstanceId};
use crate::units::{FxTable, Money};

/// A price that is this many times below or above every known one of its GPU is a slip of the pen.
const FAR: i64 = 10;

/// True for a price of a node-hour of which the GPU-hour is not believed, or is far from every price of that GPU in the catalog. Prices
/// meet in their own currency, or through an exchange rate.
pub fn is_far(catalog: &Catalog, fx: &FxTable, id: InstanceId, per_hour: Money) -> bool {
    let instance = catalog.instance(id);
    if implausible_gpu_hour(per_hour, instance.gpu_count, fx).is_some() {
        return true;
    }
    let each = |money: Money, gpus: u32| of_gpu(money, gpus, per_hour, fx);
    let Some(own) = each(per_hour, instance.gpu_count) else { return false };
    let known = catalog.prices.iter().filter(|p| catalog.instance(p.instance).gpu == instance.gpu);
    let known = known.filter_map(|p| each(p.per_hour?, catalog.instance(p.instance).gpu_count));
    let known: Vec<_> = known.collect();
    let (Some(least), Some(most)) = (known.iter().min(), known.iter().max()) else { return false };
    own.checked_mul(FAR.into()).is_some_and(|own| own < *least)
        || most.checked_mul(FAR.into()).is_some_and(|most| own > most)
}

/// The price of one GPU in the currency of `like`.
fn of_gpu(money: Money, gpus: u32, like: Money, fx: &FxTable) -> Option<Decimal> {
    fx.convert(money, like.currency).ok()?.amount.checked_div(gpus.max(1).into())
}
