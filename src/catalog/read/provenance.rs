//! Source and date of a record.

use jiff::civil::Date;

use super::super::{DatePrecision, Provenance};
use super::record::Record;

impl Record<'_> {
    /// Required source and date; the date may be a day, month, year or the word `unknown`.
    pub(super) fn provenance(&self) -> Option<(Provenance, DatePrecision)> {
        let source = self.text("source");
        let expected = "a date 2026-11-29, month 2026-11, year 2026 or \"unknown\"";
        let date = self.opt_parsed("as_of", expected, parse_as_of);
        let date = self.missing_or_default("as_of", date, expected);
        let (as_of, precision) = date?;
        Some((Provenance { source: source?, as_of }, precision))
    }
}

/// Reads `2026-11-29`, `2026-11`, `2026` or `unknown`; months and years count from their first day.
fn parse_as_of(text: &str) -> Result<(Option<Date>, DatePrecision), String> {
    if text == "unknown" {
        return Ok((None, DatePrecision::Unknown));
    }
    let (full, precision) = match text.len() {
        4 => (format!("{text}-01-01"), DatePrecision::Year),
        7 => (format!("{text}-01"), DatePrecision::Month),
        _ => (text.to_owned(), DatePrecision::Day),
    };
    let date = full
        .parse::<Date>()
        .map_err(|_| format!("{text:?} is not a date; expected 2026-11-29, 2026-11, 2026 or \"unknown\""))?;
    Ok((Some(date), precision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_counts_from_its_first_day_and_unknown_is_no_date() {
        let year = parse_as_of("2026").unwrap();
        assert_eq!(year, (Some(Date::constant(2026, 1, 1)), DatePrecision::Year));
        assert_eq!(parse_as_of("2026-11").unwrap().0, Some(Date::constant(2026, 11, 1)));
        assert_eq!(parse_as_of("unknown").unwrap(), (None, DatePrecision::Unknown));
        for text in ["2026-13", "2026-11-31", "yesterday", "26", "2025-20"] {
            assert!(parse_as_of(text).is_err(), "{text}");
        }
    }
}
