//! From priced lines to a quote, or to everything that forbids one.

use jiff::ToSpan as _;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::super::price::STALE_AFTER_DAYS;
use super::line::{LineFailure, Terms, line, margin_share};
use super::prediction::Prediction;
use super::record::seal;
use super::statement::{
    Acceptance, Alternative, BudgetaryReason, Condition, Exclusion, Note, Rate, WayToBuy,
};
use super::{Basis, Internal, LineInput, Quote, QuoteLine, SCHEMA_VERSION, Tax, Totals};
use crate::units::{Currency, FxTable, RoundingMode};

/// Everything that a quote is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct QuoteInput {
    /// For whom.
    pub customer: String,
    /// Who quotes.
    pub seller: Option<String>,
    /// Number; made from day and content unless given.
    pub number: Option<String>,
    /// Day of the quote.
    pub issued: Date,
    /// Days that it holds.
    pub valid_days: u16,
    /// Currency.
    pub currency: Currency,
    /// Rounding.
    pub rounding: RoundingMode,
    /// Tax, if it is to be in the total.
    pub tax: Option<Tax>,
    /// What the hours are.
    pub basis: Basis,
    /// The lines.
    pub lines: Vec<LineInput>,
    /// The prediction.
    pub prediction: Option<Prediction>,
    /// What was assumed.
    pub assumptions: Vec<Note>,
    /// What else was considered.
    pub alternatives: Vec<Alternative>,
    /// Ways to buy the nodes.
    pub ways_to_buy: Vec<WayToBuy>,
    /// What it depends on.
    pub conditions: Vec<Condition>,
    /// The acceptance test.
    pub acceptance: Option<Acceptance>,
    /// What else keeps it an estimate.
    pub doubts: Vec<BudgetaryReason>,
    /// An estimate is good enough.
    pub budgetary: bool,
    /// The prices are made up.
    pub sample: bool,
    /// Exchange rates.
    pub fx: FxTable,
}

/// Why there is no quote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuoteRefusal {
    /// Nothing to sell.
    #[error("nothing to quote: no line has a price")]
    NoLines,
    /// Amounts in different currencies.
    #[error("{code}: {why}")]
    Currency {
        /// Order code.
        code: String,
        /// Why.
        why: String,
    },
    /// The price is not to be trusted.
    #[error(
        "{code}: the price is doubtful and cannot be quoted: {why}; state one with --price or in the price book"
    )]
    Suspect {
        /// Order code.
        code: String,
        /// Why.
        why: String,
    },
    /// The prediction rests on data sheets.
    #[error(
        "the predicted time rests on data sheets, not on measurements: add --budgetary for an estimate, or measure with `calibrate`"
    )]
    WeakEvidence,
    /// Cannot be represented.
    #[error("{code}: the amount is too large")]
    TooLarge {
        /// Order code.
        code: String,
    },
    /// The day does not exist.
    #[error("the last day of the quote is outside the calendar")]
    Calendar,
}

/// Makes the quote, internal copy.
///
/// # Errors
/// Everything that forbids it: doubtful prices, currencies without a rate, weak evidence without consent.
pub fn draw_up(input: QuoteInput) -> Result<Quote, Vec<QuoteRefusal>> {
    let mut refusals = Vec::new();
    if input.lines.is_empty() {
        refusals.push(QuoteRefusal::NoLines);
    }
    let weak = input.prediction.as_ref().is_some_and(|p| p.grade == "D");
    if weak && !input.budgetary {
        refusals.push(QuoteRefusal::WeakEvidence);
    }
    let terms = Terms {
        currency: input.currency,
        rounding: input.rounding,
        tax_rate: input.tax.as_ref().map_or(Decimal::ZERO, |t| t.rate),
        fx: &input.fx,
    };
    let mut lines = Vec::new();
    for (index, wanted) in input.lines.iter().enumerate() {
        let code = || wanted.product.code.clone();
        if let Some(why) = &wanted.suspect {
            refusals.push(QuoteRefusal::Suspect { code: code(), why: why.clone() });
        }
        match line(wanted, index as u32 + 1, terms) {
            Ok(line) => lines.push(line),
            Err(LineFailure::Currency(e)) => {
                refusals.push(QuoteRefusal::Currency { code: code(), why: e.to_string() });
            }
            Err(LineFailure::TooLarge) => refusals.push(QuoteRefusal::TooLarge { code: code() }),
        }
    }
    let valid_until = input.issued.checked_add(i64::from(input.valid_days).days());
    if valid_until.is_err() {
        refusals.push(QuoteRefusal::Calendar);
    }
    let (true, Ok(valid_until)) = (refusals.is_empty(), valid_until) else { return Err(refusals) };
    let (valid_until, ends) = while_prices_hold(&lines, valid_until);
    let exchange_rates = used_rates(&input);
    let sums = internal(&lines);
    let totals = Totals::of(&lines, input.currency.decimals());
    let others = doubts(&input, weak, &sums, &totals);
    let reasons = budgetary_reasons(&lines, &exchange_rates, input.issued, others);
    let kinds: Vec<_> = lines.iter().map(|l| l.product.kind).collect();
    let mut quote = Quote {
        schema_version: SCHEMA_VERSION,
        number: String::new(),
        content_hash: String::new(),
        budgetary: !reasons.is_empty(),
        budgetary_reasons: reasons,
        seller: input.seller,
        customer: input.customer,
        issued: input.issued,
        valid_until,
        renews: None,
        currency: input.currency,
        rounding: input.rounding,
        exclusions: Exclusion::of(&kinds, input.tax.is_some()),
        tax: input.tax,
        basis: input.basis,
        totals,
        internal: Some(sums),
        lines,
        prediction: input.prediction,
        assumptions: input.assumptions,
        alternatives: input.alternatives,
        ways_to_buy: input.ways_to_buy,
        conditions: ends.into_iter().chain(input.conditions).collect(),
        acceptance: input.acceptance,
        exchange_rates,
    };
    seal(&mut quote, input.number);
    Ok(quote)
}

/// What keeps a quote an estimate beside the dates of its prices and rates.
fn doubts(input: &QuoteInput, weak: bool, sums: &Internal, totals: &Totals) -> Vec<BudgetaryReason> {
    let others = [
        // The customer's copy must not tell a margin: it says that a price is open.
        (sums.margin.is_sign_negative() && !sums.margin.is_zero(), BudgetaryReason::Unconfirmed),
        (totals.net.is_zero(), BudgetaryReason::ZeroTotal),
        (weak, BudgetaryReason::WeakEvidence),
        (input.sample, BudgetaryReason::Sample),
        (input.budgetary, BudgetaryReason::Asked),
    ];
    let others = others.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason);
    input.doubts.iter().cloned().chain(others).collect()
}

/// The last day of a quote, which no price outlives, and why it is earlier than asked for.
pub(super) fn while_prices_hold(lines: &[QuoteLine], asked: Date) -> (Date, Option<Condition>) {
    let ends = lines.iter().filter_map(|l| Some((l.price_valid_until?, &l.product.code)));
    match ends.min().filter(|(until, _)| *until < asked) {
        Some((until, code)) => (until, Some(Condition::PriceEnds { code: code.clone(), until })),
        None => (asked, None),
    }
}

/// Cost and margin of all lines.
fn internal(lines: &[QuoteLine]) -> Internal {
    let cost: Decimal = lines.iter().filter_map(|l| l.internal.as_ref()).map(|c| c.cost).sum();
    let net: Decimal = lines.iter().map(|l| l.net).sum();
    let margin = net - cost;
    Internal { cost, margin, margin_share: margin_share(margin, net) }
}

/// Why the quote is an estimate: what its prices and rates say, then `others`; nothing when every price is dated, recent
/// and binding.
pub(super) fn budgetary_reasons(
    lines: &[QuoteLine],
    rates: &[Rate],
    issued: Date,
    others: Vec<BudgetaryReason>,
) -> Vec<BudgetaryReason> {
    let mut reasons = Vec::new();
    for line in lines {
        let code = line.product.code.clone();
        match line.price_as_of {
            None => reasons.push(BudgetaryReason::UndatedPrice { code: code.clone() }),
            Some(as_of) if as_of > issued => {
                reasons.push(BudgetaryReason::FuturePrice { code: code.clone(), as_of });
            }
            Some(as_of) if is_old(as_of, issued) => {
                reasons.push(BudgetaryReason::OldPrice { code: code.clone(), as_of });
            }
            Some(_) => {}
        }
        if !line.firm {
            reasons.push(BudgetaryReason::NotFirm { code });
        }
    }
    let old = rates.iter().filter(|r| is_old(r.date, issued));
    reasons.extend(old.map(|r| BudgetaryReason::OldRate { currency: r.currency, as_of: r.date }));
    reasons.extend(others);
    reasons
}

fn is_old(as_of: Date, today: Date) -> bool {
    today.since(as_of).map_or(true, |span| i64::from(span.get_days()) > STALE_AFTER_DAYS)
}

fn used_rates(input: &QuoteInput) -> Vec<Rate> {
    let foreign = |c: Currency| input.lines.iter().any(|l| l.price.list.money.currency == c);
    let mixed = input.lines.iter().any(|l| l.price.list.money.currency != input.currency);
    let used =
        input.fx.rates().iter().filter(|r| mixed && (foreign(r.currency) || r.currency == input.currency));
    used.map(|r| Rate { currency: r.currency, per_usd: r.per_usd, date: r.date }).collect()
}
