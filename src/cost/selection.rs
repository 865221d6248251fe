//! Which of several prices of the same thing holds.
//!
//! Order of precedence, first difference decides:
//! 1. sound before flawed: any sound price beats an undated one, that a superseded one, that a suspect one;
//! 2. origin: the user's `--price`, the price book, the provider's catalog, third parties;
//! 3. stated for this region before stated for all regions;
//! 4. newest; a date known to the month or year counts as its first day;
//! 5. kind of source, best first ([`PriceQuality`](crate::catalog::PriceQuality));
//! 6. the higher amount, then the text of the source, so that the order of records never matters.
//!
//! Prices of the user carry the day they were given for, so they are never flawed. Prices of *parts* of a node are
//! no records of the catalog and cannot take part.

use std::cmp::Ordering;

use jiff::civil::Date;

use super::price::{Price, PriceOrigin, PriceRate};
use super::price_book::{BookPrice, NetPrice, PriceBook, ProductKind, Subject, net_price};
use super::seller::SellerRules;
use super::user_price::UserPrice;
use crate::catalog::{InstanceId, Place, PriceRecord, Purchase};
use crate::units::{Currency, FxTable};

/// What a price is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PriceKey<'a> {
    /// The instance type.
    pub instance: InstanceId,
    /// The region; `None` asks for a price with no region stated.
    pub region: Option<&'a str>,
    /// The purchase option.
    pub purchase: Purchase,
}

/// Everything from outside the catalog that decides prices.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceRules {
    /// Purchase options asked for; never empty in effect: an empty list means on demand.
    pub purchases: Vec<Purchase>,
    /// Prices from the command line, in their order; of equals the last holds.
    pub user_prices: Vec<UserPrice>,
    /// The user's price book; empty when there is none.
    pub price_book: PriceBook,
    /// Exchange rates in force.
    pub fx: FxTable,
    /// Currency of all totals.
    pub currency: Currency,
    /// Today.
    pub as_of: Date,
    /// Availability zone, for rules of the price book that name one.
    pub zone: Option<String>,
    /// Places that were asked for by name: there a price of the user that names no region is an offer too.
    pub asked_places: Vec<Place>,
    /// What the user sells; `None` sells everything.
    pub seller: Option<SellerRules>,
}

impl PriceRules {
    /// List prices of the catalog, on demand, in US dollars.
    pub fn list_prices(as_of: Date) -> Self {
        Self {
            purchases: vec![Purchase::OnDemand],
            user_prices: Vec::new(),
            price_book: PriceBook::default(),
            fx: FxTable::default(),
            currency: Currency::USD,
            as_of,
            zone: None,
            asked_places: Vec::new(),
            seller: None,
        }
    }

    /// The purchase options asked for, sorted, on demand when none is named.
    pub fn requested_purchases(&self) -> Vec<Purchase> {
        let mut purchases = self.purchases.clone();
        if purchases.is_empty() {
            purchases.push(Purchase::OnDemand);
        }
        purchases.sort_unstable();
        purchases.dedup();
        purchases
    }

    /// The options that the user's own prices add to those asked for: a monthly price is a subscription whatever was asked.
    pub fn purchases_added(&self) -> Vec<Purchase> {
        let requested = self.requested_purchases();
        let stated = self.user_prices.iter().flat_map(|price| self.purchases_of(price));
        let mut added: Vec<Purchase> = stated.filter(|p| !requested.contains(p)).collect();
        added.sort_unstable();
        added.dedup();
        added
    }

    /// Entries of the price book that are never used because their purchase option was not asked for: worth a hint.
    pub fn book_prices_not_asked_for(&self) -> impl Iterator<Item = &BookPrice> {
        let requested = self.requested_purchases();
        self.price_book.prices.iter().filter(move |price| !requested.contains(&price.purchase))
    }

    /// The options a user's price stands for: a monthly price is a monthly subscription; an hourly one is on
    /// demand, unless on demand was not asked for: then it is every hourly option that was.
    pub fn purchases_of(&self, price: &UserPrice) -> Vec<Purchase> {
        if matches!(price.rate, PriceRate::PerMonth(_)) {
            return vec![Purchase::Monthly];
        }
        let mut hourly = self.requested_purchases();
        hourly.retain(|&p| p != Purchase::Monthly);
        if hourly.is_empty() || hourly.contains(&Purchase::OnDemand) {
            return vec![Purchase::OnDemand];
        }
        hourly
    }

    /// The price that holds for a key, with the losers kept; `records` are the catalog's prices of (at least) the
    /// key's instance. `None` when nobody states a price, which is not a price of zero.
    pub fn select<'r>(
        &self,
        records: impl IntoIterator<Item = &'r PriceRecord>,
        key: PriceKey<'_>,
    ) -> Option<SelectedPrice> {
        let covers = |region: &Option<String>| region.is_none() || region.as_deref() == key.region;
        let mut candidates: Vec<Price> = records
            .into_iter()
            .filter(|r| r.instance == key.instance && r.purchase == key.purchase)
            .filter(|r| r.region.as_deref() == key.region)
            .filter_map(Price::from_record)
            .collect();
        let book = self.price_book.prices.iter();
        candidates.extend(
            book.filter(|b| b.instance == key.instance && b.purchase == key.purchase && covers(&b.region))
                .filter(|b| b.validity.holds(self.as_of))
                .map(BookPrice::to_price),
        );
        // Of two user prices for the same region the last one given holds, as flags do.
        let mut seen = Vec::new();
        for user in self.user_prices.iter().rev().filter(|u| u.instance == key.instance) {
            if covers(&user.region)
                && !seen.contains(&&user.region)
                && self.purchases_of(user).contains(&key.purchase)
            {
                seen.push(&user.region);
                candidates.push(Price::of_user(
                    user.rate,
                    key.purchase,
                    user.region.clone(),
                    PriceOrigin::User,
                    self.as_of,
                    "--price".to_owned(),
                ));
            }
        }
        candidates.sort_by(precedence);
        let mut ranked = candidates.into_iter();
        let price = ranked.next()?;
        let losers = ranked.collect();
        let (price, net) = self.net(price, key);
        Some(SelectedPrice { price, net, losers })
    }

    /// The price after the rules of the book; a price from the command line is net already. A rule that cannot be
    /// applied leaves the list price and makes it suspect.
    fn net(&self, price: Price, key: PriceKey<'_>) -> (Price, Option<NetPrice>) {
        if self.price_book.rules.is_empty() || price.origin == PriceOrigin::User {
            return (price, None);
        }
        let subject = Subject {
            product: ProductKind::Compute,
            provider: None,
            instance: Some(key.instance),
            region: key.region,
            zone: self.zone.as_deref(),
            purchase: Some(key.purchase),
            day: self.as_of,
        };
        match net_price(&self.price_book.rules, price.stated_rate().unit_price(), &subject) {
            Ok(net) => (price.at(net.customer), Some(net)),
            Err(mismatch) => {
                let why = price.suspect.clone().unwrap_or_else(|| mismatch.to_string());
                (Price { suspect: Some(why), ..price }, None)
            }
        }
    }
}

/// The price that holds and those it beat.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedPrice {
    /// The winner, after the rules of the price book: what the customer pays, net of tax.
    pub price: Price,
    /// What the rules made of the list price; `None` when there are none, or the price was net already.
    pub net: Option<NetPrice>,
    /// The losers, best first.
    pub losers: Vec<Price>,
}

impl SelectedPrice {
    /// The losers with the reason why each lost to the winner.
    pub fn losses(&self) -> impl Iterator<Item = (&Price, LossReason)> {
        self.losers.iter().map(|loser| (loser, loss_reason(&self.price, loser)))
    }
}

/// Why a price lost: the first step of the precedence at which it differs from the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LossReason {
    /// Its source states no date.
    Undated,
    /// A newer figure of the same thing exists.
    Superseded,
    /// The figure is doubtful.
    Suspect,
    /// Its origin ranks lower.
    Origin,
    /// Stated for all regions, beaten by one for this region.
    LessSpecific,
    /// Older.
    Older,
    /// Its kind of source ranks lower.
    Quality,
    /// Equal in all that matters; the order is fixed by amount and text.
    Tie,
}

/// Suspect, superseded, undated: the gravest flaw first; a sound price has none and is the least.
const fn flaws(price: &Price) -> (bool, bool, bool) {
    (price.suspect.is_some(), price.superseded, price.is_undated())
}

/// Total order of prices of one key, winner first.
fn precedence(a: &Price, b: &Price) -> Ordering {
    flaws(a)
        .cmp(&flaws(b))
        .then_with(|| a.origin.cmp(&b.origin))
        .then_with(|| a.region.is_none().cmp(&b.region.is_none()))
        .then_with(|| b.as_of.cmp(&a.as_of))
        .then_with(|| a.quality.cmp(&b.quality))
        .then_with(|| a.currency().cmp(&b.currency()))
        .then_with(|| b.per_hour.amount.cmp(&a.per_hour.amount))
        .then_with(|| a.per_hour.amount.scale().cmp(&b.per_hour.amount.scale()))
        .then_with(|| a.source.cmp(&b.source))
        .then_with(|| a.per_month.map(|m| m.amount).cmp(&b.per_month.map(|m| m.amount)))
        .then_with(|| a.date_precision.cmp(&b.date_precision))
        .then_with(|| a.notes.cmp(&b.notes))
        .then_with(|| a.suspect.cmp(&b.suspect))
}

fn loss_reason(winner: &Price, loser: &Price) -> LossReason {
    let (ours, theirs) = (flaws(winner), flaws(loser));
    if theirs.0 != ours.0 {
        LossReason::Suspect
    } else if theirs.1 != ours.1 {
        LossReason::Superseded
    } else if theirs.2 != ours.2 {
        LossReason::Undated
    } else if loser.origin != winner.origin {
        LossReason::Origin
    } else if loser.region.is_some() != winner.region.is_some() {
        LossReason::LessSpecific
    } else if loser.as_of != winner.as_of {
        LossReason::Older
    } else if loser.quality != winner.quality {
        LossReason::Quality
    } else {
        LossReason::Tie
    }
}
