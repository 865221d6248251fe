//! Shares as they are typed.

/// Reads `10%` or `7.5 %` as a share; without the sign it is refused, for 0.1 may mean either.
///
/// # Errors
/// What would be accepted.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
    match number.filter(|n| n.is_finite() && *n >= 0.0) {
        Some(number) => Ok(number / 100.0),
        None => Err(format!("{text:?} is no share, such as 10%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_its_sign_and_is_not_below_zero() {
        assert_eq!(parse_percent("7.5 %"), Ok(0.075));
        assert_eq!(parse_percent(" 0%"), Ok(0.0));
        for bad in ["10", "x%", "-1%", "nan%", "inf%", "", "%"] {
            assert!(parse_percent(bad).is_err(), "{bad}");
        }
    }
}
