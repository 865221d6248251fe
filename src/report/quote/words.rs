//! Words for the values of a quote: products, purchase options, units, statuses, rounding.

use super::super::phrases::{quote as say, verdict as bought};
use super::super::{Language, Phrase};
use crate::catalog::{Purchase, Status};
use crate::cost::quote::{ProductRole, Tax, Verdict, WayToBuy};
use crate::cost::{ProductKind, SaleUnit};
use crate::units::RoundingMode;

/// Name of a kind of product.
pub(super) const fn kind(kind: ProductKind) -> Phrase {
    match kind {
        ProductKind::Compute => say::KIND_COMPUTE,
        ProductKind::ObjectStorage => say::KIND_OBJECT,
        ProductKind::FileStorage => say::KIND_FILE,
        ProductKind::BlockStorage => say::KIND_BLOCK,
        ProductKind::Egress => say::KIND_EGRESS,
        ProductKind::PublicIp => say::KIND_PUBLIC_IP,
        ProductKind::Support => say::KIND_SUPPORT,
        ProductKind::OneOff => say::KIND_ONE_OFF,
    }
}

/// What a line does in a schedule.
pub(super) const fn role(role: ProductRole) -> Phrase {
    match role {
        ProductRole::Baseline => say::ROLE_BASELINE,
        ProductRole::Burst => say::ROLE_BURST,
    }
}

/// Name of a purchase option.
pub(super) const fn purchase(option: Purchase) -> Phrase {
    match option {
        Purchase::OnDemand => bought::ON_DEMAND,
        Purchase::Spot => bought::SPOT,
        Purchase::Reserved1y => bought::RESERVED_1Y,
        Purchase::Reserved3y => bought::RESERVED_3Y,
        Purchase::Monthly => bought::MONTHLY,
    }
}

/// Name of a way to buy.
pub(super) fn way(way: &WayToBuy, language: Language) -> String {
    if let Some(node_months) = way.node_months {
        return say::NODE_MONTHS_AND_HOURS.fill(language, &[&node_months.to_string()]);
    }
    let all =
        [Purchase::OnDemand, Purchase::Spot, Purchase::Reserved1y, Purchase::Reserved3y, Purchase::Monthly];
    let found = all.into_iter().find(|p| p.name() == way.purchase);
    found.map_or_else(|| way.purchase.clone(), |p| purchase(p).owned(language))
}

/// Name of a tax with its rate; the usual one in the reader's language.
pub(super) fn tax(tax: &Tax, language: Language) -> String {
    let usual = tax.name == say::VAT.text(Language::English);
    let name = if usual { say::VAT.text(language) } else { &tax.name };
    format!("{name} {}", super::percent(tax.rate))
}

/// Name of a unit.
pub(super) const fn unit(unit: SaleUnit) -> Phrase {
    match unit {
        SaleUnit::Hour => say::UNIT_HOUR,
        SaleUnit::Month => say::UNIT_MONTH,
        SaleUnit::GigabyteMonth => say::UNIT_GB_MONTH,
        SaleUnit::Gigabyte => say::UNIT_GB,
        SaleUnit::MegabitMonth => say::UNIT_MEGABIT_MONTH,
        SaleUnit::Each => say::UNIT_EACH,
    }
}

/// A status that is a risk, by its name in the record.
pub(super) fn status(name: &str) -> Phrase {
    let is = |status: Status| status.name() == name;
    if is(Status::Restricted) {
        say::STATUS_RESTRICTED
    } else if is(Status::NoNewCapacity) {
        say::STATUS_NO_NEW_CAPACITY
    } else if is(Status::Legacy) {
        say::STATUS_LEGACY
    } else if is(Status::Retired) || is(Status::Withdrawn) {
        say::STATUS_GONE
    } else {
        say::STATUS_UNVERIFIED
    }
}

/// How amounts are rounded.
pub(super) const fn rounding(mode: RoundingMode) -> Phrase {
    match mode {
        RoundingMode::HalfUp => say::HALF_UP,
        RoundingMode::HalfEven => say::HALF_EVEN,
        RoundingMode::Up => say::ROUND_UP,
        RoundingMode::Down => say::ROUND_DOWN,
    }
}

/// How an alternative compares.
pub(super) const fn verdict(verdict: Verdict) -> Phrase {
    match verdict {
        Verdict::Dearer => say::DEARER,
        Verdict::Slower => say::SLOWER,
        Verdict::Better => say::BETTER,
        Verdict::DoesNotRun => say::DOES_NOT_RUN,
        Verdict::NoPrice => say::NO_PRICE,
        Verdict::NotKnownToBeSold => say::NOT_KNOWN_TO_BE_SOLD,
        Verdict::Commits => say::COMMITS,
        Verdict::Interruptible => say::INTERRUPTIBLE,
    }
}
