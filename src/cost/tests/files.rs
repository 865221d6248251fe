//! Price books, seller files and `--price`: all findings, and what is printed reads back.

use proptest::prelude::*;

use super::*;
use crate::cost::{BookPrice, PriceBook, PriceRate, SellerRules, UserPrice, Validity};
use rust_decimal::Decimal;

#[test]
fn a_price_book_reads_hours_and_months() {
    let text = r#"
[[price]]
instance = "aws/alpha.8x"
purchase = "on_demand"
price_per_hour = "12.3 USD/h"
as_of = "2026-11-28"
source = "offer 1"

[[price]]
instance = "huawei-cloud/beta.16xlarge.8"
region = "cn-north-4"
purchase = "monthly"
price_per_month = "63118 CNY/month"
as_of = 2026-11-28
source = "offer 2"
"#;
    let book = PriceBook::parse("book.toml", text, &catalog(Vec::new())).unwrap();
    assert_eq!(book.prices[0].rate, PriceRate::PerHour(money("12.3 USD")));
    assert_eq!((book.prices[1].instance, book.prices[1].region.as_deref()), (BETA, Some("cn-north-4")));
    assert_eq!(book.prices[1].rate, PriceRate::PerMonth(money("63118 CNY")));
}

#[test]
fn a_bad_price_book_yields_every_finding_with_its_line_and_key() {
    let text = r#"[[price]]
instance = "aws/alpha.9x"
regoin = "us-east-1"
purchase = "hourly"
price_per_hour = "12.3"
source = ""

[[price]]
instance = "aws/alpha.8x"
region = "us-esat-1"
purchase = "monthly"
price_per_hour = "1 USD/h"
as_of = "2026-13-01"
source = "x"
"#;
    let findings = PriceBook::parse("book.toml", text, &catalog(Vec::new())).unwrap_err();
    let seen: Vec<_> = findings.iter().map(|f| (f.line.unwrap(), f.key.as_str())).collect();
    assert_eq!(
        seen,
        [
            (1, "price[0].as_of"),
            (2, "price[0].instance"),
            (3, "price[0].regoin"),
            (4, "price[0].purchase"),
            (5, "price[0].price_per_hour"),
            (6, "price[0].source"),
            (8, "price[1].price_per_hour"),
            (10, "price[1].region"),
            (13, "price[1].as_of"),
        ]
    );
    assert!(findings.iter().all(|f| f.file == "book.toml"));
    assert!(findings[1].message.contains("near: aws/alpha.8x"), "{}", findings[1].message);
    assert!(findings[2].message.contains("near: region"), "{}", findings[2].message);
    assert!(findings[3].message.contains("accepted: on_demand, spot"), "{}", findings[3].message);
    assert!(findings[7].message.contains("near: us-east-1"), "{}", findings[7].message);
}

#[test]
fn a_price_book_refuses_doubles_zero_prices_broken_syntax_and_emptiness() {
    let entry = "[[price]]\ninstance = \"aws/alpha.8x\"\npurchase = \"spot\"\nprice_per_hour = \"1 USD/h\"\n\
                 as_of = \"2026-11-28\"\nsource = \"x\"\n";
    let parse = |text: &str| PriceBook::parse("book.toml", text, &catalog(Vec::new()));
    assert!(parse(entry).is_ok());
    assert!(parse(&entry.repeat(2)).unwrap_err()[0].message.contains("priced twice"));
    assert_eq!(parse(&entry.replace("\"1 USD/h\"", "\"0 USD/h\"")).unwrap_err()[0].line, Some(4));
    assert_eq!(parse("\nx = = 1").unwrap_err()[0].line, Some(2));
    assert!(parse("").unwrap_err()[0].message.contains("[[price]]"));
    assert!(parse("price = 3").unwrap_err()[0].message.contains("[[price]]"));
    assert!(parse("price = [3]").unwrap_err()[0].message.contains("[[price]]"));
}

#[test]
fn a_command_line_price_needs_a_known_cluster_and_a_unit() {
    let catalog = catalog(Vec::new());
    let fail = |text| UserPrice::parse(text, &catalog).unwrap_err().to_string();
    assert!(fail("aws/alpha.8x").contains("131.5CNY/h"));
    assert!(fail("aws/alpha.8x=131.5CNY").contains("/month"));
    assert!(fail("aws/alpha.8x=0USD/h").contains("above zero"));
    assert!(fail("aws/alhpa.8x=1USD/h").contains("near: aws/alpha.8x"));
    assert!(fail("aws/alpha.8x@us-esat-1=1USD/h").contains("near: us-east-1"));
}

#[test]
fn a_seller_file_yields_every_finding() {
    let parse = |text: &str| SellerRules::parse("seller.toml", text, &catalog(Vec::new()));
    let findings = parse("sells = [\n\"huawei-clod\",\n\"aws/odl\",\n3]\nbuys = 1\n").unwrap_err();
    let seen: Vec<_> = findings.iter().map(|f| (f.line.unwrap(), f.key.as_str())).collect();
    assert_eq!(seen, [(2, "sells[0]"), (3, "sells[1]"), (4, "sells[2]"), (5, "buys")]);
    assert!(findings[0].message.contains("near: huawei-cloud"), "{}", findings[0].message);
    assert!(findings[1].message.contains("near: aws/old"), "{}", findings[1].message);
    for text in ["", "sells = []", "sells = \"aws\""] {
        assert_eq!(parse(text).unwrap_err().len(), 1, "{text}");
    }
}

fn any_rate() -> impl Strategy<Value = PriceRate> {
    let currency = prop::sample::select(vec!["USD", "CNY", "SGD"]);
    (1..10_000_000_i64, 0..6u32, currency, any::<bool>()).prop_map(|(mantissa, scale, currency, month)| {
        let money = Money::new(Decimal::new(mantissa, scale), Currency::parse(currency).unwrap());
        if month { PriceRate::PerMonth(money) } else { PriceRate::PerHour(money) }
    })
}

proptest! {
    #[test]
    fn a_command_line_price_reads_back_as_printed(
        rate in any_rate(), region in prop::option::of(Just("us-east-1".to_owned()))
    ) {
        let catalog = catalog(Vec::new());
        let price = UserPrice { instance: ALPHA, region, rate };
        prop_assert_eq!(UserPrice::parse(&price.text(&catalog), &catalog).unwrap(), price);
    }

    #[test]
    fn a_price_book_reads_back_as_printed(rate in any_rate(), source in "[ -~]{0,12}[!-~]") {
        let catalog = catalog(Vec::new());
        let purchase = match rate {
            PriceRate::PerMonth(_) => Purchase::Monthly,
            PriceRate::PerHour(_) => Purchase::Spot,
        };
        let region = Some("us-east-1".to_owned());
        let price = BookPrice {
            instance: ALPHA, region, purchase, rate, as_of: TODAY, source, validity: Validity::default(), firm: false, line: 1,
        };
        let book = PriceBook { prices: vec![price], ..PriceBook::default() };
        prop_assert_eq!(PriceBook::parse("book.toml", &book.to_toml(&catalog), &catalog).unwrap(), book);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,60}") {
        let catalog = catalog(Vec::new());
        let _ = PriceBook::parse("book.toml", &text, &catalog);
        let _ = SellerRules::parse("seller.toml", &text, &catalog);
        let _ = UserPrice::parse(&text, &catalog);
        let _ = PriceRate::parse(&text);
    }
}
