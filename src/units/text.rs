//! How quantities are written for people: few digits, with their unit.

use super::{Bytes, BytesPerSecond, FlopRate, Money, Seconds};

/// A number with three significant digits, without exponent, with thousands separators above 9999.
///
/// ```
/// use gpu_advisor::units::text::significant;
/// assert_eq!(significant(0.123_456, 3), "0.123");
/// assert_eq!(significant(833_210.0, 3), "833,000");
/// ```
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "-".to_owned() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits as i32 - 1 - magnitude).max(0) as usize;
    let scale = 10f64.powi((magnitude - digits as i32 + 1).max(0));
    let rounded = (value / scale).round() * scale;
    let rounded = if decimals > 0 { value } else { rounded };
    grouped(&format!("{rounded:.decimals$}"))
}

/// Inserts thousands separators into a plain decimal number of five digits or more.
pub fn grouped(plain: &str) -> String {
    let (sign, rest) = plain.strip_prefix('-').map_or(("", plain), |r| ("-", r));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut out = String::with_capacity(plain.len() + plain.len() / 3);
    out.push_str(sign);
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A duration in the unit that suits its size: `0.42 s`, `3.1 h`, `34 d`.
///
/// ```
/// use gpu_advisor::units::{text::duration, Seconds};
/// assert_eq!(duration(Seconds::from_days(33.94), 3), "33.9 d");
/// ```
pub fn duration(time: Seconds, digits: usize) -> String {
    let seconds = time.get();
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "min"),
        s if s < 172_800.0 => (s / 3600.0, "h"),
        s => (s / 86_400.0, "d"),
    };
    format!("{} {unit}", significant(value, digits))
}

/// Memory in GiB (or MiB below one), with one decimal.
pub fn memory(bytes: Bytes) -> String {
    if bytes.gib() < 1.0 && bytes.get() != 0.0 {
        return format!("{:.0} MiB", bytes.gib() * 1024.0);
    }
    format!("{} GiB", grouped(&format!("{:.1}", bytes.gib())))
}

/// Three digits without zeros behind the point.
fn trimmed(value: f64) -> String {
    let text = significant(value, 3);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A bandwidth in GB/s or TB/s.
pub fn bandwidth(rate: BytesPerSecond) -> String {
    if rate.gb() >= 1000.0 {
        format!("{} TB/s", significant(rate.gb() / 1000.0, 3))
    } else {
        format!("{} GB/s", significant(rate.gb(), 3))
    }
}

/// A network bandwidth in Gb/s.
pub fn network_bandwidth(rate: BytesPerSecond) -> String {
    format!("{} Gb/s", trimmed(rate.gigabit()))
}

/// A rate of operations in TFLOP/s.
pub fn flop_rate(rate: FlopRate) -> String {
    format!("{} TFLOP/s", significant(rate.tera(), 3))
}

/// Money rounded for reading: two decimals below 1000, whole units above.
pub fn money(money: Money) -> String {
    let places = if money.as_f64().abs() < 1000.0 { 2 } else { 0 };
    let rounded = money.rounded(places);
    format!("{} {}", grouped(&format!("{:.*}", places as usize, rounded.amount)), rounded.currency)
}

/// A count with a decimal suffix: `7.00B`, `300B`, `25.6M`.
pub fn count(value: f64) -> String {
    let (scaled, suffix) = match value.abs() {
        v if v >= 1e12 => (value / 1e12, "T"),
        v if v >= 1e9 => (value / 1e9, "B"),
        v if v >= 1e6 => (value / 1e6, "M"),
        _ => (value, ""),
    };
    if suffix.is_empty() {
        return grouped(&format!("{value:.0}"));
    }
    format!("{}{suffix}", significant(scaled, 3))
}

/// A share as whole percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A share in percent to the tenth, such as an error: `3.4 %`.
pub fn percent_to_tenth(share: f64) -> String {
    if share.is_finite() { format!("{:.1} %", share * 100.0) } else { "-".to_owned() }
}

/// The same with its sign, such as a bias: `+3.4 %`.
pub fn signed_percent(share: f64) -> String {
    if share.is_finite() { format!("{:+.1} %", share * 100.0) } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_suffice() {
        assert_eq!(significant(1234.0, 3), "1230");
        assert_eq!(significant(12_345.0, 3), "12,300");
        assert_eq!(significant(9.876, 3), "9.88");
        assert_eq!(significant(0.0, 3), "0");
    }

    #[test]
    fn money_is_grouped_and_keeps_its_currency() {
        assert_eq!(money(Money::parse("1234567.891 USD").unwrap()), "1,234,568 USD");
        assert_eq!(money(Money::parse("12.3 CNY").unwrap()), "12.30 CNY");
    }

    #[test]
    fn memory_is_in_gib() {
        assert_eq!(memory(Bytes::from_gib(31.74)), "31.7 GiB");
    }
}
