//! How running time turns into billed time: granularity and minimum of each provider.
//!
//! The facts are `catalog/billing.toml`. A provider that it does not list is billed by the started hour, which can
//! only be too much, and the cost says that its granularity is unknown.

use jiff::civil::Date;
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;

use super::month::MonthRule;
use super::record::{Reader, Record};
use crate::catalog::Finding;
use crate::units::Seconds;
use crate::units::parse::parse_quantity;

const KEYS: [&str; 11] = [
    "provider",
    "granularity",
    "minimum",
    "stopped",
    "spot_notice",
    "month_hours",
    "month",
    "rated_services",
    "source",
    "as_of",
    "note",
];

/// What a stopped node goes on costing, beside its disks and addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBilling {
    /// Nothing.
    NotBilled,
    /// Its full price.
    Billed,
    /// Its full price if it has local disks, else nothing.
    BilledWithLocalDisk,
}

impl StoppedBilling {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "not_billed" => Ok(Self::NotBilled),
            "billed" => Ok(Self::Billed),
            "billed_with_local_disk" => Ok(Self::BilledWithLocalDisk),
            _ => Err(format!("{text:?} is none of not_billed, billed, billed_with_local_disk")),
        }
    }
}

/// Milliseconds in a second: times are billed to the millisecond before they are rounded up.
const MILLIS: f64 = 1000.0;

/// How one provider bills running time.
#[derive(Debug, Clone, PartialEq)]
pub struct BillingRule {
    /// Time is billed in whole units of this; above zero.
    pub granularity: Seconds,
    /// Shortest time billed.
    pub minimum: Seconds,
    /// What a stopped node goes on costing.
    pub stopped: Option<StoppedBilling>,
    /// Warning before a spot node is taken back.
    pub spot_notice: Option<Seconds>,
    /// Hours of the hourly price in a monthly one, where that was seen; no offer.
    pub month_hours: Option<Decimal>,
    /// How long a subscribed month runs.
    pub month: MonthRule,
    /// Services whose instance types the provider's rating API prices; none where no such API is known.
    pub rated_services: Vec<String>,
    /// False when nobody states it and the started hour is taken.
    pub known: bool,
    /// Source id or text; empty when not known.
    pub source: String,
    /// Its date, if any.
    pub as_of: Option<Date>,
    /// Remarks.
    pub note: Option<String>,
}

impl BillingRule {
    /// By the started hour, for providers whose granularity is unknown.
    pub fn unknown() -> Self {
        Self {
            granularity: Seconds::from_hours(1.0),
            minimum: Seconds::ZERO,
            stopped: None,
            spot_notice: None,
            month_hours: None,
            month: MonthRule::Average,
            rated_services: Vec::new(),
            known: false,
            source: String::new(),
            as_of: None,
            note: None,
        }
    }

    /// Billed node-hours of one node that runs for `time`, exactly: `max(minimum, ⌈time / granularity⌉ ×
    /// granularity)`.
    ///
    /// The time is first rounded to the millisecond, so that the noise of a float buys no further unit. `None` when
    /// the time is negative, not finite, or too long to be represented.
    ///
    /// ```
    /// use gpu_advisor::{cost::BillingRule, units::Seconds};
    /// let started_hour = BillingRule::unknown();
    /// assert_eq!(started_hour.billed_hours(Seconds::from_hours(1.5)).unwrap().to_string(), "2");
    /// ```
    pub fn billed_hours(&self, time: Seconds) -> Option<Decimal> {
        self.times_billed_hours(Decimal::ONE, time)
    }

    /// `factor` × billed hours. The division by the hour comes last, so that whole cents stay whole.
    pub(super) fn times_billed_hours(&self, factor: Decimal, time: Seconds) -> Option<Decimal> {
        factor.checked_mul(self.billed_millis(time)?)?.checked_div(hour_millis())
    }

    /// `amount` / (`nodes` × billed hours); `None` when nothing is billed.
    pub(super) fn per_billed_hour(&self, amount: Decimal, nodes: u32, time: Seconds) -> Option<Decimal> {
        let node_millis = self.billed_millis(time)?.checked_mul(Decimal::from(nodes))?;
        amount.checked_mul(hour_millis())?.checked_div(node_millis)
    }

    fn billed_millis(&self, time: Seconds) -> Option<Decimal> {
        let time = Decimal::from(millis(time)?);
        let unit = Decimal::from(millis(self.granularity)?);
        let minimum = Decimal::from(millis(self.minimum)?);
        Some(time.checked_div(unit)?.ceil().checked_mul(unit)?.max(minimum))
    }
}

/// Milliseconds of an hour.
fn hour_millis() -> Decimal {
    millis(Seconds::from_hours(1.0)).map_or(Decimal::ONE, Decimal::from)
}

/// Whole milliseconds of a time that is finite and not negative.
fn millis(time: Seconds) -> Option<u64> {
    let millis = (time.get() * MILLIS).round();
    if millis < 0.0 { None } else { Decimal::from_f64(millis)?.try_into().ok() }
}

/// The billing rules of all providers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BillingTable {
    rules: Vec<(String, BillingRule)>,
}

impl BillingTable {
    /// The table inside the program.
    pub fn embedded() -> Self {
        Self::parse("billing.toml", include_str!("../../catalog/billing.toml")).unwrap_or_else(|findings| {
            unreachable!("the embedded billing table is checked by a test: {findings:?}")
        })
    }

    /// Reads a table; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, unreadable or missing values, a provider listed twice.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["billing"]);
        let mut rules: Vec<(String, BillingRule)> = Vec::new();
        for record in reader.records(&document, "billing", &KEYS) {
            let Some((provider, rule)) = read_rule(&mut reader, &record) else { continue };
            if rules.iter().any(|(p, _)| *p == provider) {
                reader.find(&record.span(), record.key("provider"), format!("{provider:?} is listed twice"));
            }
            rules.push((provider, rule));
        }
        reader.finish(Self { rules })
    }

    /// The rule of a provider; by the started hour when it is not listed.
    pub fn rule(&self, provider: &str) -> BillingRule {
        let listed = self.rules.iter().find(|(p, _)| p == provider);
        listed.map_or_else(BillingRule::unknown, |(_, rule)| rule.clone())
    }

    /// This table with the providers of another laid over it: a rule of the other replaces one of the same
    /// provider, or is added.
    #[must_use]
    pub fn overlaid(mut self, other: Self) -> Self {
        self.rules.retain(|(provider, _)| other.rules.iter().all(|(p, _)| p != provider));
        self.rules.extend(other.rules);
        self
    }

    /// The providers listed, in file order.
    pub fn providers(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(provider, _)| provider.as_str())
    }
}

fn read_rule(reader: &mut Reader<'_>, record: &Record<'_>) -> Option<(String, BillingRule)> {
    let text = |t: &str| Ok(t.to_owned());
    let duration = |t: &str| parse_quantity::<Seconds>(t).map_err(|e| e.to_string());
    let granularity = reader.required(record, "granularity", "\"1 s\", \"1 min\" or \"1 h\"", |t| {
        duration(t).and_then(|unit| match millis(unit) {
            Some(1..) => Ok(unit),
            _ => Err(format!("{t:?} is too short: a millisecond or more is accepted")),
        })
    });
    let minimum = reader.optional(record, "minimum", duration);
    let stopped = reader.optional(record, "stopped", StoppedBilling::parse);
    let spot_notice = reader.optional(record, "spot_notice", duration);
    let month_hours = reader.optional(record, "month_hours", |t| {
        t.parse().map_err(|_| format!("{t:?} is no number of hours, such as \"480\""))
    });
    let month = reader.optional(record, "month", MonthRule::parse);
    let rated_services = reader.optional(record, "rated_services", |t| {
        Ok(t.split(',').map(|service| service.trim().to_owned()).collect::<Vec<_>>())
    });
    let provider = reader.required(record, "provider", "a provider id", text);
    let source = reader.required(record, "source", "a source id or text", text);
    let as_of = reader.required(record, "as_of", "a day, or \"unknown\"", |t| match t {
        "unknown" => Ok(None),
        day => day
            .parse::<Date>()
            .map(Some)
            .map_err(|_| format!("{t:?} is not a day, such as \"2026-11-28\", or \"unknown\"")),
    });
    let note = reader.optional(record, "note", text);
    let rule = BillingRule {
        granularity: granularity?,
        minimum: minimum.unwrap_or(Seconds::ZERO),
        stopped,
        spot_notice,
        month_hours,
        month: month.unwrap_or_default(),
        rated_services: rated_services.unwrap_or_default(),
        known: true,
        source: source?,
        as_of: as_of?,
        note,
    };
    Some((provider?, rule))
}
