//! What is on offer: every instance type where it is known to exist, with the price that holds there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::price::PriceRate;
use super::selection::{PriceKey, PriceRules, SelectedPrice};
use crate::catalog::{Catalog, InstanceId, InstanceType, Place, PriceRecord, Purchase, Status};

/// Whether an offer can be bought, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It can be bought.
    Sold,
    /// Nobody says so: its name was read, or only existing customers get it. Never ranked with the sold.
    NotKnownToBeSold,
    /// Retired or withdrawn: out, whatever its price.
    Gone,
}

/// What to say beside a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StandingNote {
    /// On sale by ticket or to selected customers.
    ByRequest,
    /// Only existing customers get capacity.
    ExistingCustomersOnly,
    /// Old generation, still sold.
    OldGeneration,
    /// Sale not confirmed, but the user states a price.
    ByYourPrice,
    /// Sale not confirmed.
    SaleNotConfirmed,
    /// Switched off or taken out of the offer.
    NoLongerOffered,
}

/// One way to buy one instance type in one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The instance type.
    pub instance: InstanceId,
    /// Where; the region may be unstated.
    pub place: Place,
    /// Status as stated for that place.
    pub status: Status,
    /// Purchase option.
    pub purchase: Purchase,
    /// The price that holds; `None` when nobody states one, which is not zero.
    pub price: Option<SelectedPrice>,
    /// Whether it can be bought.
    pub on_sale: Standing,
    /// What to say about that.
    pub note: Option<StandingNote>,
    /// False for reference offers of providers or families outside the user's seller file.
    pub sold_by_user: bool,
}

/// Significant digits in which amounts are compared: what agrees in them costs the same.
pub const SAME_DIGITS: u32 = 5;

impl Offer {
    /// What decides between regions in which the same machine costs the same: the freshest checked price, then the region by its id,
    /// an unstated one last.
    pub fn tie_order(&self) -> (Reverse<Option<Date>>, bool, Option<&str>) {
        let date = self.price.as_ref().and_then(|s| s.price.as_of);
        (Reverse(date), self.place.region.is_none(), self.place.region.as_deref())
    }
}

/// Every offer of the catalog under these rules, by instance, then region (unstated last), then purchase option.
///
/// An instance type is offered in each region that a price, a regional status or the user names. A price without a
/// region is an offer of its own with the region unstated, unless it is flawed and a region has a sound one; a type
/// with no region at all is one such offer. A price of the user without a region holds in every
/// region, also in one that is known from [`PriceRules::asked_places`] alone. A user's `--price` is offered even if its purchase option
/// was not asked for.
pub fn offers(catalog: &Catalog, rules: &PriceRules) -> Vec<Offer> {
    let mut records: BTreeMap<InstanceId, Vec<&PriceRecord>> = BTreeMap::new();
    for record in &catalog.prices {
        records.entry(record.instance).or_default().push(record);
    }
    let all = (0..catalog.instances.len() as u32).map(InstanceId);
    all.flat_map(|id| {
        let records = records.get(&id).map_or(&[][..], Vec::as_slice);
        of_instance(catalog, rules, id, records)
    })
    .collect()
}

/// The [`offers`] of one instance type.
pub fn offers_of(catalog: &Catalog, rules: &PriceRules, id: InstanceId) -> Vec<Offer> {
    let records: Vec<&PriceRecord> = catalog.prices.iter().filter(|r| r.instance == id).collect();
    of_instance(catalog, rules, id, &records)
}

fn of_instance(
    catalog: &Catalog,
    rules: &PriceRules,
    id: InstanceId,
    records: &[&PriceRecord],
) -> Vec<Offer> {
    let purchases = purchases_of(id, rules);
    let regions = regions_of(id, catalog.instance(id), records, rules);
    let mut placed = Vec::new();
    for region in &regions {
        for &purchase in &purchases {
            placed.push(offer(catalog, rules, records, id, Some(region), purchase));
        }
    }
    let mut unplaced = Vec::new();
    for &purchase in &purchases {
        let priced = records.iter().any(|r| r.region.is_none() && r.purchase == purchase);
        if regions.is_empty() || priced {
            let offer = offer(catalog, rules, records, id, None, purchase);
            unplaced.extend(yield_to_placed(offer, &mut placed));
        }
    }
    placed.into_iter().chain(unplaced).collect()
}

/// An offer without a region whose price is flawed gives way where a region has a sound price for the same purchase
/// option: its prices become losers of those.
fn yield_to_placed(unplaced: Offer, placed: &mut [Offer]) -> Option<Offer> {
    let Some(flawed) = unplaced.price.as_ref().filter(|p| p.price.is_flawed()) else { return Some(unplaced) };
    let mut beaten = false;
    for offer in placed.iter_mut().filter(|o| o.purchase == unplaced.purchase) {
        if let Some(sound) = offer.price.as_mut().filter(|p| !p.price.is_flawed()) {
            sound.losers.push(flawed.price.clone());
            sound.losers.extend(flawed.losers.iter().cloned());
            beaten = true;
        }
    }
    (!beaten).then_some(unplaced)
}

/// The purchase options to offer an instance type under.
fn purchases_of(id: InstanceId, rules: &PriceRules) -> Vec<Purchase> {
    let mut purchases = rules.requested_purchases();
    for price in rules.user_prices.iter().filter(|p| p.instance == id) {
        purchases.extend(rules.purchases_of(price));
    }
    purchases.sort_unstable();
    purchases.dedup();
    purchases
}

/// The regions an instance type is known to exist in.
fn regions_of(
    id: InstanceId,
    instance: &InstanceType,
    records: &[&PriceRecord],
    rules: &PriceRules,
) -> BTreeSet<String> {
    let stated = instance.regional.iter().map(|s| &s.region);
    let priced = records.iter().filter_map(|r| r.region.as_ref());
    let user = rules.user_prices.iter().filter(|p| p.instance == id).filter_map(|p| p.region.as_ref());
    let book = rules.price_book.prices.iter().filter(|p| p.instance == id).filter_map(|p| p.region.as_ref());
    let user_prices = rules.user_prices.iter().map(|p| (p.instance, &p.region));
    let book_prices = rules.price_book.prices.iter().map(|p| (p.instance, &p.region));
    let everywhere = user_prices.chain(book_prices).any(|(of, region)| of == id && region.is_none());
    let asked = rules.asked_places.iter().filter(|p| everywhere && p.provider == instance.provider);
    let asked = asked.filter_map(|p| p.region.as_ref());
    stated.chain(priced).chain(user).chain(book).chain(asked).cloned().collect()
}

fn offer(
    catalog: &Catalog,
    rules: &PriceRules,
    records: &[&PriceRecord],
    id: InstanceId,
    region: Option<&str>,
    purchase: Purchase,
) -> Offer {
    let instance = catalog.instance(id);
    let price = rules.select(records.iter().copied(), PriceKey { instance: id, region, purchase });
    let status = instance.status_in(region);
    let by_user = price.as_ref().is_some_and(|p| p.price.origin.is_users());
    let (on_sale, note) = standing(status, by_user);
    Offer {
        instance: id,
        place: catalog.place(&instance.provider, region),
        status,
        purchase,
        price,
        on_sale,
        note,
        sold_by_user: rules.seller.as_ref().is_none_or(|s| s.sells(instance)),
    }
}

/// What a status means for a buyer; `by_user` says that the user states a price for it.
///
/// A price of the user is evidence that an unverified type is sold. It is none that capacity closed to new
/// customers opens, and nothing brings back what is gone.
const fn standing(status: Status, by_user: bool) -> (Standing, Option<StandingNote>) {
    match status {
        Status::OnSale => (Standing::Sold, None),
        Status::Restricted => (Standing::Sold, Some(StandingNote::ByRequest)),
        Status::Legacy => (Standing::Sold, Some(StandingNote::OldGeneration)),
        Status::NoNewCapacity => (Standing::NotKnownToBeSold, Some(StandingNote::ExistingCustomersOnly)),
        Status::Unverified if by_user => (Standing::Sold, Some(StandingNote::ByYourPrice)),
        Status::Unverified => (Standing::NotKnownToBeSold, Some(StandingNote::SaleNotConfirmed)),
        Status::Retired | Status::Withdrawn => (Standing::Gone, Some(StandingNote::NoLongerOffered)),
    }
}

impl Offer {
    /// The rate as stated, if there is one.
    pub fn stated_rate(&self) -> Option<PriceRate> {
        self.price.as_ref().map(|p| p.price.stated_rate())
    }
}
