//! One quote in every format: the same amounts, live formulas, nothing that the customer must not see.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};

use calamine::{Data, Reader as _, Xlsx};
use rust_decimal::{Decimal, RoundingStrategy};

use super::*;
use crate::catalog::Purchase;
use crate::cost::quote::{Basis, LineInput, Product, QuoteInput, Tax, draw_up};
use crate::cost::{NetPrice, PriceOrigin, ProductKind, SaleUnit, UnitPrice};
use crate::report::{csv, html, markdown, pdf, text};
use crate::units::{Currency, FxTable, Money, RoundingMode};

const AMOUNTS: [&str; 5] = ["38,016.00", "950.00", "38,966.00", "2,337.96", "41,303.96"];

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn line(kind: ProductKind, code: &str, list: &str, share: &str, unit: SaleUnit, each: &str) -> LineInput {
    let cny = |amount: Decimal| Money::new(amount.normalize(), Currency::parse("CNY").unwrap());
    let list_price = dec(list);
    let product = Product {
        jobs: None,
        kind,
        code: code.to_owned(),
        name: "=HYPERLINK(\"x\")".to_owned(),
        place: None,
        purchase: (kind == ProductKind::Compute).then_some(Purchase::OnDemand),
        nodes: (kind == ProductKind::Compute).then_some(2),
        each: dec(each),
        role: None,
    };
    LineInput {
        product,
        price: NetPrice {
            valid_until: None,
            list: UnitPrice { money: cny(list_price), unit },
            cost: cny(list_price * dec("0.77")),
            customer: cny(list_price * (Decimal::ONE - dec(share))),
            saving: None,
            discount: Some(dec(share)),
            markup: None,
            fixed: false,
            rules: vec![3],
        },
        as_of: Some("2026-11-28".parse().unwrap()),
        source: "=cmd|' /C calc'!A0".to_owned(),
        origin: PriceOrigin::PriceBook,
        firm: true,
        valid_until: None,
        suspect: None,
    }
}

/// Two nodes for 108 h each, and storage.
fn quote(customer: &str, rounding: RoundingMode) -> Quote {
    draw_up(input(customer, rounding)).unwrap()
}

fn input(customer: &str, rounding: RoundingMode) -> QuoteInput {
    QuoteInput {
        doubts: Vec::new(),
        customer: customer.to_owned(),
        seller: Some("@seller".to_owned()),
        number: None,
        issued: "2026-11-30".parse().unwrap(),
        valid_days: 30,
        currency: Currency::parse("CNY").unwrap(),
        rounding,
        tax: Some(Tax { name: "VAT".to_owned(), rate: dec("0.06") }),
        basis: Basis::Stated,
        lines: vec![
            line(ProductKind::Compute, "+node", "200.00", "0.12", SaleUnit::Hour, "108"),
            line(ProductKind::ObjectStorage, "-store", "1000.00", "0.05", SaleUnit::Each, "1"),
        ],
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

#[test]
fn every_format_for_reading_shows_the_same_amounts() {
    let quote = quote("上海示例科技有限公司", RoundingMode::HalfUp);
    for language in Language::ALL {
        let document = document(&quote, language);
        for shown in [
            markdown::render(&document),
            text::render(&document, 200),
            html::render(&document, language).unwrap(),
        ] {
            for amount in AMOUNTS {
                assert!(shown.contains(amount), "{amount} in {shown}");
            }
        }
        let csv = csv::render(&document).unwrap();
        let json = serde_json::to_string(&quote).unwrap();
        for amount in AMOUNTS.map(|a| a.replace(',', "")) {
            assert!(csv.contains(&amount) && json.contains(&format!("\"{amount}\"")), "{amount}");
        }
        assert!(pdf::missing(&document).unwrap().is_empty());
        assert!(pdf::render(&document, language).unwrap().starts_with(b"%PDF"));
    }
}

type Book = Xlsx<Cursor<Vec<u8>>>;

fn opened(bytes: Vec<u8>) -> Book {
    Xlsx::new(Cursor::new(bytes)).unwrap()
}

/// Values and formulas of the first sheet by name, such as `L12`.
fn cells(book: &mut Book) -> (BTreeMap<String, Data>, BTreeMap<String, String>) {
    let sheet = book.sheet_names()[0].clone();
    let name = |row: usize, column: usize| format!("{}{}", char::from(b'A' + column as u8), row + 1);
    let range = book.worksheet_range(&sheet).unwrap();
    let (top, left) = range.start().map_or((0, 0), |(r, c)| (r as usize, c as usize));
    let values = range.used_cells().map(|(r, c, v)| (name(r + top, c + left), v.clone())).collect();
    let range = book.worksheet_formula(&sheet).unwrap();
    let (top, left) = range.start().map_or((0, 0), |(r, c)| (r as usize, c as usize));
    let formulas = range.used_cells().map(|(r, c, f)| (name(r + top, c + left), f.clone())).collect();
    (values, formulas)
}

/// Works formulas out from numbers and other formulas, never from stored results.
struct Evaluator<'a> {
    values: &'a BTreeMap<String, Data>,
    formulas: &'a BTreeMap<String, String>,
}

impl Evaluator<'_> {
    fn cell(&self, name: &str) -> Decimal {
        let name = name.replace('$', "");
        if let Some(formula) = self.formulas.get(&name) {
            let mut rest = formula.as_str();
            let value = self.sum(&mut rest);
            assert!(rest.is_empty(), "{formula}: {rest} is left");
            return value;
        }
        match self.values.get(&name) {
            Some(Data::Float(number)) => dec(&number.to_string()),
            Some(Data::Int(number)) => Decimal::from(*number),
            None | Some(Data::Empty) => Decimal::ZERO,
            other => panic!("{name} is {other:?}"),
        }
    }

    fn sum(&self, rest: &mut &str) -> Decimal {
        let mut value = self.product(rest);
        while let Some(operator) = rest.chars().next().filter(|c| "+-".contains(*c)) {
            *rest = &rest[1..];
            let other = self.product(rest);
            value = if operator == '+' { value + other } else { value - other };
        }
        value
    }

    fn product(&self, rest: &mut &str) -> Decimal {
        let mut value = self.factor(rest);
        while let Some(operator) = rest.chars().next().filter(|c| "*/".contains(*c)) {
            *rest = &rest[1..];
            let other = self.factor(rest);
            value = if operator == '*' { value * other } else { value / other };
        }
        value
    }

    fn factor(&self, rest: &mut &str) -> Decimal {
        if let Some(inner) = rest.strip_prefix('(') {
            *rest = inner;
            let value = self.sum(rest);
            *rest = rest.strip_prefix(')').expect("a closing bracket");
            return value;
        }
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "$.".contains(c))).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        *rest = after;
        if let Some(inner) = rest.strip_prefix('(') {
            *rest = inner;
            return self.call(word, rest);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) { dec(word) } else { self.cell(word) }
    }

    fn call(&self, name: &str, rest: &mut &str) -> Decimal {
        if name == "SUM" {
            let (range, after) = rest.split_once(')').expect("a closing bracket");
            *rest = after;
            let (first, last) = range.split_once(':').expect("a range");
            let row = |cell: &str| cell[1..].parse::<u32>().unwrap();
            return (row(first)..=row(last)).map(|r| self.cell(&format!("{}{r}", &first[..1]))).sum();
        }
        let mut arguments = vec![self.sum(rest)];
        if name == "IF" {
            *rest = rest.strip_prefix('<').expect("a comparison");
            arguments.push(self.sum(rest));
        }
        while let Some(after) = rest.strip_prefix(',') {
            *rest = after;
            arguments.push(self.sum(rest));
        }
        *rest = rest.strip_prefix(')').expect("a closing bracket");
        let round = |strategy| {
            let places: u32 = arguments[1].to_string().parse().unwrap();
            arguments[0].round_dp_with_strategy(places, strategy)
        };
        match name {
            "ROUND" => round(RoundingStrategy::MidpointAwayFromZero),
            "ROUNDUP" => round(RoundingStrategy::AwayFromZero),
            "ROUNDDOWN" => round(RoundingStrategy::ToZero),
            "MAX" => arguments.into_iter().max().unwrap(),
            "ABS" => arguments[0].abs(),
            "INT" => arguments[0].floor(),
            "IF" => arguments[if arguments[0] < arguments[1] { 2 } else { 3 }],
            other => panic!("unknown function {other}"),
        }
    }
}

#[test]
fn the_formulas_of_the_workbook_give_the_amounts_of_the_quote() {
    for rounding in RoundingMode::ALL {
        let quote = quote("Customer", rounding);
        for copy in [quote.clone(), quote.for_customer()] {
            let mut book = opened(workbook(&copy, Language::English).unwrap());
            let (values, formulas) = cells(&mut book);
            assert!(formulas.len() >= 13, "{formulas:?}");
            let evaluator = Evaluator { values: &values, formulas: &formulas };
            let mut found = Vec::new();
            for name in formulas.keys() {
                let computed = evaluator.cell(name);
                let Some(Data::Float(stored)) = values.get(name) else {
                    panic!("{name} has no stored result")
                };
                let stored = dec(&stored.to_string());
                assert!(
                    (computed - stored).abs() < dec("0.0001"),
                    "{name}: {computed} is stored as {stored}"
                );
                found.push(computed.normalize().to_string());
            }
            for amount in ["38016", "950", "38966", "2337.96", "41303.96"] {
                assert!(found.iter().any(|f| f == amount), "{amount} in {found:?}");
            }
        }
    }
}

#[test]
fn half_cents_go_where_the_mode_says_in_the_workbook_too() {
    // 0.125 and 0.375: to the even cent, up, up, down.
    for (rounding, expected) in [
        (RoundingMode::HalfEven, ["0.12", "0.38"]),
        (RoundingMode::HalfUp, ["0.13", "0.38"]),
        (RoundingMode::Up, ["0.13", "0.38"]),
        (RoundingMode::Down, ["0.12", "0.37"]),
    ] {
        let cents = |code: &str, list: &str| line(ProductKind::Support, code, list, "0", SaleUnit::Each, "1");
        let frame =
            QuoteInput { lines: vec![cents("a", "0.125"), cents("b", "0.375")], ..input("C", rounding) };
        let drawn = draw_up(frame).unwrap();
        let shown: Vec<String> = drawn.lines.iter().map(|l| l.net.to_string()).collect();
        assert_eq!(shown, expected, "{rounding:?}");
        let mut book = opened(workbook(&drawn, Language::English).unwrap());
        let (values, formulas) = cells(&mut book);
        let evaluator = Evaluator { values: &values, formulas: &formulas };
        let computed: Vec<Decimal> = formulas.keys().map(|name| evaluator.cell(name)).collect();
        for net in expected {
            assert!(computed.contains(&dec(net)), "{rounding:?}: {net} in {computed:?}");
        }
    }
}

/// All text inside a workbook: every part, unpacked.
fn all_text(bytes: Vec<u8>) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut out = String::new();
    for i in 0..archive.len() {
        let mut part = archive.by_index(i).unwrap();
        out.push_str(&part.name().unwrap());
        part.read_to_string(&mut out).unwrap();
    }
    out
}

#[test]
fn no_file_for_the_customer_holds_cost_or_margin_anywhere() {
    let quote = quote("Customer", RoundingMode::HalfUp);
    let internal = quote.internal.clone().unwrap();
    let copy = quote.for_customer();
    for language in Language::ALL {
        let document = document(&copy, language);
        let files = [
            all_text(workbook(&copy, language).unwrap()).replace("pageMargins", ""),
            html::render(&document, language).unwrap(),
            markdown::render(&document),
            csv::render(&document).unwrap(),
            serde_json::to_string(&copy).unwrap(),
        ];
        let secrets = [
            say::MARGIN.en.to_owned(),
            say::MARGIN.zh.to_owned(),
            say::COST_AND_MARGIN.zh.to_owned(),
            "unit_cost".to_owned(),
            internal.cost.to_string(),
            internal.margin.to_string(),
            amount(internal.cost),
            amount(internal.margin),
            ">154<".to_owned(), // 200 × 0.77
            "/C calc".to_owned(),
        ];
        for file in &files {
            for secret in &secrets {
                assert!(!file.contains(secret.as_str()), "{secret} in {file}");
            }
        }
        let shown = all_text(workbook(&quote, language).unwrap());
        assert!(shown.contains(say::MARGIN.text(language)), "the internal copy shows it");
    }
}

#[test]
fn text_that_starts_like_a_formula_stays_text() {
    for name in ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"] {
        let quote = quote(name, RoundingMode::HalfUp);
        let mut book = opened(workbook(&quote, Language::English).unwrap());
        let (values, formulas) = cells(&mut book);
        assert!(values.values().any(|v| *v == Data::String(name.to_owned())), "{name} is shown as it is");
        assert!(formulas.values().all(|f| !f.contains("cmd") && !f.contains("HYPERLINK") && f != "1+1"));
    }
}

#[test]
fn the_same_quote_gives_the_same_bytes() {
    let quote = quote("Customer", RoundingMode::HalfUp);
    assert_eq!(workbook(&quote, Language::Chinese).unwrap(), workbook(&quote, Language::Chinese).unwrap());
}

#[test]
fn lines_are_matched_by_what_they_sell_and_changes_are_said_in_words() {
    let before = quote("C", RoundingMode::HalfUp);
    let mut after = before.clone();
    after.lines.reverse();
    let none = markdown::render(&changes(&before, &after, Language::English));
    assert!(none.contains("Nothing changed."), "{none}");
    after.lines.pop();
    after.lines[0].net = dec("900.00");
    let said = markdown::render(&changes(&before, &after, Language::Chinese));
    assert!(said.contains("-store") && said.contains("净额") && said.contains("950.00"), "{said}");
    assert!(said.contains("+node"), "{said}");
    assert!(!said.contains("lines[") && !said.contains("Net"), "{said}");
}
