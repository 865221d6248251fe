//! Amounts of money as people type them.

use rust_decimal::Decimal;

use crate::units::{Currency, Money, MoneyError};

/// What the word for ten thousand multiplies.
const MYRIAD: Decimal = Decimal::from_parts(10_000, 0, 0, false, 0);
/// Other names of a currency, and its code.
const NAMES: [(&str, &str); 3] = [("RMB", "CNY"), ("人民币", "CNY"), ("元", "CNY")];

/// A text with the currency as its code: in any case, or by a usual name of it.
fn coded(text: &str) -> String {
    let upper = text.trim().to_ascii_uppercase();
    NAMES.iter().fold(upper, |text, (name, code)| text.replace(name, code))
}

/// An amount: `50000CNY`, `50000 rmb`, `5万元`.
///
/// # Errors
/// As those of [`Money::parse`], of the text as it was typed.
pub fn money(text: &str) -> Result<Money, MoneyError> {
    let coded = coded(text);
    let (plain, factor) = match coded.split_once('万') {
        Some((number, rest)) => (format!("{number}{rest}"), MYRIAD),
        None => (coded, Decimal::ONE),
    };
    let fail = || MoneyError::Amount(text.to_owned());
    let money = Money::parse(&plain).map_err(|_| fail())?;
    Ok(Money { amount: money.amount.checked_mul(factor).ok_or_else(fail)?, ..money })
}

/// A currency by its code in any case, or by a usual name.
///
/// # Errors
/// As those of [`Currency::parse`], of the text as it was typed.
pub fn currency(text: &str) -> Result<Currency, MoneyError> {
    Currency::parse(&coded(text)).map_err(|_| MoneyError::Currency(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_read_in_any_case_by_any_name_and_in_ten_thousands() {
        let same = money("50000CNY").unwrap();
        for text in ["50000 cny", "50000RMB", "50,000元", "5万元", "5 万 rmb", "50000人民币"] {
            assert_eq!(money(text), Ok(same), "{text}");
        }
        for text in ["5万", "万元", "¥50000", "-5万元", "50000"] {
            assert_eq!(money(text), Err(MoneyError::Amount(text.to_owned())), "{text}");
        }
        assert_eq!(currency("rmb"), Currency::parse("CNY"));
        assert_eq!(currency("dollars"), Err(MoneyError::Currency("dollars".to_owned())));
    }
}
