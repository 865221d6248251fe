//! How often interruptible nodes are taken back, where their provider publishes it.
//!
//! The facts are `catalog/spot.toml`: the share p of nodes taken back within a month. With a constant hazard the mean
//! time until one node is taken is `-month / ln(1 - p)`; a cluster loses the first of its n nodes n times as soon.

use std::sync::LazyLock;

use rust_decimal::prelude::ToPrimitive;

use super::price::HOURS_PER_MONTH;
use super::record::{Reader, Record};
use super::unit_price::parse_percent;
use crate::catalog::Finding;
use crate::units::Seconds;

const KEYS: [&str; 7] = ["provider", "instance", "region", "monthly", "source", "as_of", "note"];

/// The published rate of one instance type in one region.
#[derive(Debug, Clone, PartialEq)]
struct SpotRate {
    /// Provider, instance type, region.
    key: [String; 3],
    /// Share of nodes taken back within a month, below 1.
    monthly: f64,
}

/// The published rates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpotTable {
    rates: Vec<SpotRate>,
}

impl SpotTable {
    /// The table inside the program.
    pub fn embedded() -> &'static Self {
        static TABLE: LazyLock<SpotTable> = LazyLock::new(|| {
            SpotTable::parse("spot.toml", include_str!("../../catalog/spot.toml"))
                .unwrap_or_else(|found| unreachable!("the embedded table is checked by a test: {found:?}"))
        });
        &TABLE
    }

    /// Reads a table; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, unreadable or missing values, a place listed twice.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["spot"]);
        let mut rates: Vec<SpotRate> = Vec::new();
        for record in reader.records(&document, "spot", &KEYS) {
            let Some(rate) = read(&mut reader, &record) else { continue };
            if rates.iter().any(|r| r.key == rate.key) {
                let message = format!("{} is listed twice", rate.key.join(" "));
                reader.find(&record.span(), record.key("instance"), message);
            }
            rates.push(rate);
        }
        reader.finish(Self { rates })
    }

    /// Mean time until `nodes` nodes lose the first of them; `None` where nothing is published.
    pub fn between(
        &self,
        provider: &str,
        instance: &str,
        region: Option<&str>,
        nodes: u32,
    ) -> Option<Seconds> {
        let region = region?;
        let rate = self.rates.iter().find(|r| r.key == [provider, instance, region])?;
        let month = Seconds::from_hours(f64::from(HOURS_PER_MONTH));
        Some(month / -(-rate.monthly).ln_1p() / f64::from(nodes))
    }
}

fn read(reader: &mut Reader<'_>, record: &Record<'_>) -> Option<SpotRate> {
    let text = |t: &str| Ok(t.to_owned());
    let provider = reader.required(record, "provider", "a provider id", text);
    let instance = reader.required(record, "instance", "an instance type", text);
    let region = reader.required(record, "region", "a region", text);
    let monthly = reader.required(record, "monthly", "a share such as \"15 %\"", |t| {
        let share = parse_percent(t).ok().and_then(|p| p.to_f64()).unwrap_or(f64::NAN);
        if share > 0.0 && share < 1.0 {
            Ok(share)
        } else {
            Err(format!("{t:?} is no share between 0 and 100 %"))
        }
    });
    reader.required(record, "source", "a source id or text", text)?;
    reader.required(record, "as_of", "a day, or \"unknown\"", text)?;
    Some(SpotRate { key: [provider?, instance?, region?], monthly: monthly? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_a_month_is_one_node_in_fourteen_thousand_hours() {
        let text = "[[spot]]\nprovider = \"p\"\ninstance = \"i\"\nregion = \"r\"\nmonthly = \"5 %\"\nsource = \"s\"\n\
                    as_of = \"unknown\"\n";
        let table = SpotTable::parse("spot.toml", text).unwrap();
        // 730 / 0.0513 = 14232 h for one node, a quarter of that for the first of four.
        let one = table.between("p", "i", Some("r"), 1).unwrap().hours();
        assert!((one - 14_232.0).abs() < 1.0, "{one}");
        let four = table.between("p", "i", Some("r"), 4).unwrap().hours();
        assert!((four * 4.0 / one - 1.0).abs() < 1e-12);
        assert!(
            table.between("p", "i", Some("other"), 1).is_none() && table.between("p", "i", None, 1).is_none()
        );
    }

    #[test]
    fn a_share_of_everything_and_a_place_listed_twice_are_findings() {
        let one = "[[spot]]\nprovider = \"p\"\ninstance = \"i\"\nregion = \"r\"\nmonthly = \"5 %\"\nsource = \"s\"\n\
                   as_of = \"unknown\"\n";
        let twice = SpotTable::parse("f", &format!("{one}{one}")).unwrap_err();
        assert!(twice[0].message.contains("twice"), "{twice:?}");
        let all = SpotTable::parse("f", &one.replace("5 %", "100 %")).unwrap_err();
        assert_eq!((all.len(), all[0].line), (1, Some(5)));
    }

    #[test]
    fn the_embedded_table_has_rates() {
        assert!(!SpotTable::embedded().rates.is_empty());
    }
}
