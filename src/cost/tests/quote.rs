//! Quotes: sums that can be checked in the head, refusals, copies, records.

use proptest::prelude::*;
use rust_decimal::Decimal;

use super::*;
use crate::cost::quote::{
    Basis, BudgetaryReason, Copy, LineInput, Product, Quote, QuoteInput, QuoteRefusal, ReprintError, Tax,
    changes, draw_up, read, reprint,
};
use crate::cost::{
    Effect, NetPrice, PriceBook, PriceOrigin, PriceRule, ProductKind, SaleUnit, Side, Subject, UnitPrice,
    net_price,
};
use crate::units::{FxRate, FxTable, RoundingMode};

fn rule(side: Side, product: Option<ProductKind>, effect: Effect) -> PriceRule {
    PriceRule {
        line: 1,
        side,
        provider: None,
        instances: None,
        compute_only: false,
        region: None,
        zone: None,
        purchase: None,
        product,
        valid_from: None,
        valid_until: None,
        effect,
    }
}

fn subject(product: ProductKind) -> Subject<'static> {
    Subject { product, provider: None, instance: None, region: None, zone: None, purchase: None, day: TODAY }
}

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn per_hour(text: &str) -> UnitPrice {
    UnitPrice { money: money(text), unit: SaleUnit::Hour }
}

fn line(kind: ProductKind, price: NetPrice, each: &str) -> LineInput {
    let product = Product {
        jobs: None,
        kind,
        code: kind.name().to_owned(),
        name: kind.name().to_owned(),
        place: None,
        purchase: None,
        nodes: None,
        each: dec(each),
        role: None,
    };
    LineInput {
        product,
        price,
        as_of: Some(TODAY),
        source: "our list 7".to_owned(),
        origin: PriceOrigin::PriceBook,
        firm: true,
        valid_until: None,
        suspect: None,
    }
}

fn frame(currency: &str, lines: Vec<LineInput>) -> QuoteInput {
    QuoteInput {
        doubts: Vec::new(),
        customer: "Customer Ltd".to_owned(),
        seller: None,
        number: None,
        issued: TODAY,
        valid_days: 30,
        currency: Currency::parse(currency).unwrap(),
        rounding: RoundingMode::HalfUp,
        tax: Some(Tax { name: "VAT".to_owned(), rate: dec("0.06") }),
        basis: Basis::Stated,
        lines,
        prediction: None,
        assumptions: Vec::new(),
        alternatives: Vec::new(),
        ways_to_buy: Vec::new(),
        conditions: Vec::new(),
        acceptance: None,
        budgetary: false,
        sample: false,
        fx: FxTable::default(),
    }
}

/// 200.00/h for 216 h at 12 % discount, storage of 1,000.00 at 5 %, 6 % tax.
fn resale() -> QuoteInput {
    let rules = [
        rule(Side::Customer, Some(ProductKind::Compute), Effect::Discount(dec("0.12"))),
        rule(Side::Customer, Some(ProductKind::ObjectStorage), Effect::Discount(dec("0.05"))),
        rule(Side::Cost, None, Effect::Discount(dec("0.20"))),
    ];
    let compute = net_price(&rules, per_hour("200.00 CNY"), &subject(ProductKind::Compute)).unwrap();
    let each = UnitPrice { money: money("1000.00 CNY"), unit: SaleUnit::Each };
    let storage = net_price(&rules, each, &subject(ProductKind::ObjectStorage)).unwrap();
    frame(
        "CNY",
        vec![line(ProductKind::Compute, compute, "216"), line(ProductKind::ObjectStorage, storage, "1")],
    )
}

#[test]
fn a_resale_with_two_discounts_and_tax_is_exact_to_the_cent() {
    let quote = draw_up(resale()).unwrap();
    let nets: Vec<String> = quote.lines.iter().map(|l| l.net.to_string()).collect();
    assert_eq!(nets, ["38016.00", "950.00"]);
    let totals = &quote.totals;
    let shown = [totals.net, totals.tax, totals.total].map(|d| d.to_string());
    assert_eq!(shown, ["38966.00", "2337.96", "41303.96"]);
    assert!(!quote.budgetary, "every price is dated, recent and binding");
    // 160 × 216 + 800 = 35360 is paid to the provider; 38966 − 35360 = 3606 is kept.
    let internal = quote.internal.as_ref().unwrap();
    assert_eq!((internal.cost, internal.margin), (dec("35360"), dec("3606")));
    assert_eq!(quote.valid_until, date(2026, 12, 29));
}

#[test]
fn the_first_rule_wins_and_a_saving_comes_before_the_percentage() {
    let rules = [
        rule(Side::Customer, None, Effect::FixedSaving(per_hour("20 CNY"))),
        rule(Side::Customer, None, Effect::Discount(dec("0.5"))),
        rule(Side::Customer, None, Effect::FixedPrice(per_hour("1 CNY"))),
        rule(Side::Customer, None, Effect::FixedSaving(per_hour("99 CNY"))),
    ];
    let net = net_price(&rules, per_hour("120 CNY"), &subject(ProductKind::Compute)).unwrap();
    // (120 − 20) × 0.5 = 50.
    assert_eq!(net.customer, money("50 CNY"));
    assert_eq!(net.cost, money("120 CNY"));
    let markup = [
        rule(Side::Cost, None, Effect::Discount(dec("0.5"))),
        rule(Side::Customer, None, Effect::Markup(dec("0.1"))),
    ];
    // 120 × 0.5 × 1.1 = 66.
    let net = net_price(&markup, per_hour("120 CNY"), &subject(ProductKind::Compute)).unwrap();
    assert_eq!(net.customer, money("66 CNY"));
}

#[test]
fn a_rule_holds_for_its_days_unit_and_product_only_and_never_mixes_currencies() {
    let today = |r: PriceRule| net_price(&[r], per_hour("100 CNY"), &subject(ProductKind::Compute));
    let base = rule(Side::Customer, None, Effect::Discount(dec("0.1")));
    assert_eq!(today(base.clone()).unwrap().customer, money("90 CNY"));
    let others = [
        PriceRule { valid_until: Some(date(2026, 11, 28)), ..base.clone() },
        PriceRule { valid_from: Some(date(2026, 11, 30)), ..base.clone() },
        PriceRule { product: Some(ProductKind::Egress), ..base.clone() },
        PriceRule { zone: Some("a".to_owned()), ..base.clone() },
        PriceRule { region: Some("r".to_owned()), ..base },
    ];
    for other in others {
        assert_eq!(today(other).unwrap().customer, money("100 CNY"));
    }
    let saving = |unit| Effect::FixedSaving(UnitPrice { money: money("1 USD"), unit });
    assert!(today(rule(Side::Customer, None, saving(SaleUnit::Hour))).is_err());
    assert!(today(rule(Side::Customer, None, saving(SaleUnit::Month))).is_ok());
}

#[test]
fn what_cannot_be_quoted_is_refused_with_every_reason() {
    let mut input = resale();
    input.lines[0].suspect = Some("spot above on demand".to_owned());
    input.lines[1].price.list.money = money("5 EUR");
    let refusals = draw_up(input).unwrap_err();
    assert!(matches!(refusals[0], QuoteRefusal::Suspect { .. }));
    assert!(matches!(refusals[1], QuoteRefusal::Currency { .. }), "{refusals:?}");
    assert_eq!(draw_up(frame("CNY", Vec::new())).unwrap_err(), [QuoteRefusal::NoLines]);
    let mut huge = resale();
    huge.lines[0].product.each = dec("99999999999999");
    assert!(matches!(draw_up(huge).unwrap_err()[0], QuoteRefusal::TooLarge { .. }));
}

#[test]
fn an_old_undated_or_indicative_price_makes_an_estimate_of_the_quote() {
    let reasons = |change: fn(&mut LineInput)| {
        let mut input = resale();
        change(&mut input.lines[0]);
        draw_up(input).unwrap().budgetary_reasons
    };
    let code = || "compute".to_owned();
    assert_eq!(reasons(|l| l.firm = false), [BudgetaryReason::NotFirm { code: code() }]);
    assert_eq!(reasons(|l| l.as_of = None), [BudgetaryReason::UndatedPrice { code: code() }]);
    // 30 days are recent, 31 are not.
    assert_eq!(reasons(|l| l.as_of = Some(date(2026, 10, 30))), []);
    let old = date(2026, 10, 29);
    assert_eq!(
        reasons(|l| l.as_of = Some(date(2026, 10, 29))),
        [BudgetaryReason::OldPrice { code: code(), as_of: old }]
    );
}

#[test]
fn a_foreign_price_goes_through_a_dated_rate_that_the_quote_states() {
    let mut input = resale();
    input.currency = Currency::USD;
    assert!(draw_up(input.clone()).is_err(), "no rate");
    input.fx = FxTable::new(&[FxRate::parse("CNY=8@2026-11-28").unwrap()]);
    let quote = draw_up(input).unwrap();
    // 176 / 8 × 216 = 4752.
    assert_eq!(quote.lines[0].net.to_string(), "4752.00");
    assert_eq!(quote.exchange_rates[0].date, date(2026, 11, 28));
}

#[test]
fn the_customers_copy_holds_no_cost_margin_or_markup_and_keeps_the_hash() {
    let mut input = resale();
    input.lines[0].price.markup = Some(dec("0.1"));
    let quote = draw_up(input).unwrap();
    let text = serde_json::to_string(&quote.for_customer()).unwrap();
    for secret in ["margin", "markup", "cost", "internal", "160", "34560", "our list 7", "rules"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert_eq!(quote.for_customer().content_hash, quote.content_hash);
    // A price made from the cost shows no list price to compare with.
    assert_eq!(quote.lines[0].list_unit_price, None);
}

fn written(quote: &Quote) -> String {
    serde_json::to_string_pretty(quote).unwrap()
}

#[test]
fn a_record_reads_back_expires_and_renews_and_an_edited_one_is_refused() {
    let quote = draw_up(resale()).unwrap();
    let again = read(&written(&quote)).unwrap();
    assert_eq!(again, quote);
    assert!(reprint(again.clone(), Copy::Internal, false, quote.valid_until).is_ok());
    let late = date(2027, 1, 1);
    let expired = reprint(again.clone(), Copy::Customer, false, late).unwrap_err();
    assert!(matches!(expired, ReprintError::Expired { .. }));
    let renewed = reprint(again, Copy::Internal, true, late).unwrap();
    assert_eq!((renewed.issued, renewed.valid_until), (late, date(2027, 1, 31)));
    assert_eq!(renewed.renews.as_deref(), Some(quote.number.as_str()));
    assert_ne!(renewed.number, quote.number);
    assert!(renewed.budgetary, "its prices are now older than 30 days");
    let edited = written(&quote).replace("41303.96", "31303.96");
    assert_eq!(read(&edited), Err(ReprintError::Changed));
    let added = written(&quote).replace("\"position\"", "\"free\": true, \"position\"");
    assert_eq!(read(&added), Err(ReprintError::Changed), "a field that no quote has");
    let customer = read(&written(&quote.for_customer())).unwrap();
    assert_eq!(reprint(customer, Copy::Internal, false, TODAY), Err(ReprintError::NoInternal));
}

#[test]
fn a_difference_names_the_field_and_both_values() {
    let before = draw_up(resale()).unwrap().for_customer();
    let mut input = resale();
    input.lines[0].product.each = dec("217");
    let after = draw_up(input).unwrap().for_customer();
    let found = changes(&before, &after);
    let net = found.iter().find(|c| c.path.starts_with("lines[") && c.path.ends_with("].net")).unwrap();
    assert_eq!((net.before.as_deref(), net.after.as_deref()), (Some("38016.00"), Some("38192.00")));
    assert!(changes(&before, &before).is_empty());
}

#[test]
fn a_price_book_with_items_rules_and_terms_is_read_and_its_mistakes_are_found() {
    let catalog = catalog(Vec::new());
    let good = r#"
[quote]
tax = "6 %"
rounding = "half_even"
[[item]]
code = "disk"
kind = "block_storage"
price = "0.35 USD/GB-month"
as_of = "2026-11-28"
source = "list"
[[rule]]
applies_to = "customer"
provider = "aws"
discount = "12 %"
"#;
    let book = PriceBook::parse("b.toml", good, &catalog).unwrap();
    assert_eq!(book.terms.tax, Some(dec("0.06")));
    assert_eq!(book.rules[0].instances.as_ref().unwrap().len(), 2);
    let bad = r#"
[quote]
tax = "6"
[[item]]
code = "disk"
kind = "disk"
price = "0.35 USD/GB"
as_of = "2026-11-28"
source = "list"
[[rule]]
applies_to = "everybody"
provider = "awz"
discount = "12 %"
markup = "3 %"
"#;
    let keys: Vec<String> =
        PriceBook::parse("b.toml", bad, &catalog).unwrap_err().into_iter().map(|f| f.key).collect();
    for key in ["quote.tax", "item[0].kind", "rule[0].applies_to", "rule[0].provider", "rule[0].discount"] {
        assert!(keys.iter().any(|k| k == key), "{key} in {keys:?}");
    }
}

fn lines_of(amounts: &[(i64, u32, i64, u32)], currency: &str) -> Vec<LineInput> {
    amounts
        .iter()
        .map(|&(price, scale, quantity, percent)| {
            let list = UnitPrice {
                money: Money::new(Decimal::new(price, scale), Currency::parse(currency).unwrap()),
                unit: SaleUnit::Hour,
            };
            let rules = [rule(Side::Customer, None, Effect::Discount(Decimal::new(percent.into(), 3)))];
            let net = net_price(&rules, list, &subject(ProductKind::Compute)).unwrap();
            line(ProductKind::Compute, net, &Decimal::new(quantity, 3).to_string())
        })
        .collect()
}

proptest! {
    #[test]
    fn lines_add_up_to_the_totals_in_every_currency_and_rounding_mode(
        amounts in prop::collection::vec((1i64..100_000_000, 0u32..6, 1i64..10_000_000, 0u32..1000), 1..12),
        tax in 0i64..3000,
    ) {
        for currency in ["USD", "CNY", "JPY", "KWD", "EUR", "VND"] {
            for rounding in RoundingMode::ALL {
                let mut input = frame(currency, lines_of(&amounts, currency));
                input.rounding = rounding;
                input.tax = Some(Tax { name: "T".to_owned(), rate: Decimal::new(tax, 4) });
                let Ok(quote) = draw_up(input) else { continue };
                let decimals = quote.currency.decimals();
                let sum = |part: fn(&crate::cost::quote::QuoteLine) -> Decimal| -> Decimal {
                    quote.lines.iter().map(part).sum()
                };
                let t = &quote.totals;
                prop_assert_eq!(sum(|l| l.net), t.net);
                prop_assert_eq!(sum(|l| l.tax), t.tax);
                prop_assert_eq!(sum(|l| l.total), t.total);
                prop_assert_eq!(t.net + t.tax, t.total);
                for line in &quote.lines {
                    prop_assert_eq!(line.net.scale(), decimals);
                    prop_assert_eq!(line.net + line.tax, line.total);
                    prop_assert_eq!(rounding.round(line.unit_price * line.quantity, decimals), line.net);
                }
            }
        }
    }
}
