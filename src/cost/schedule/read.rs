//! A schedule as a TOML file: `[[window]]` with `days`, `from`, `to`, `nodes`.

use super::Schedule;
use super::text::{clock, days, nodes};
use super::window::{DAY_MINUTES, Window};
use crate::catalog::Finding;
use crate::cost::record::{Reader, Record};

const KEYS: [&str; 4] = ["days", "from", "to", "nodes"];

impl Schedule {
    /// Reads a file; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, unreadable or missing values, windows that overlap.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["window"]);
        let records = reader.records(&document, "window", &KEYS);
        let windows: Vec<Window> = records.iter().filter_map(|r| window(&mut reader, r)).collect();
        if !reader.is_clean() {
            return Err(reader.finish(()).err().unwrap_or_default());
        }
        match Self::new(windows) {
            Ok(schedule) => Ok(schedule),
            Err((place, message)) => {
                let span = records.get(place).map_or(0..0, Record::span);
                reader.find(&span, format!("window[{place}]"), message);
                Err(reader.finish(()).err().unwrap_or_default())
            }
        }
    }
}

fn window(reader: &mut Reader<'_>, record: &Record<'_>) -> Option<Window> {
    let on = reader.optional(record, "days", days);
    let from = reader.optional(record, "from", clock);
    let to = reader.optional(record, "to", clock);
    let nodes = reader.required_whole(record, "nodes", "a number of nodes", nodes)?;
    if record.get("from").is_some() != record.get("to").is_some() {
        reader.find(
            &record.span(),
            record.key("from"),
            "needs `to` as well, and the other way round".to_owned(),
        );
        return None;
    }
    let (from, to) = (from.unwrap_or(0) % DAY_MINUTES, to.unwrap_or(0) % DAY_MINUTES);
    if from == to && from != 0 {
        reader.find(&record.span(), record.key("to"), "is when the window begins".to_owned());
    }
    Some(Window { days: on.unwrap_or([true; 7]), from, to, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_a_line_says() {
        let text = "[[window]]\ndays = \"mon-fri\"\nfrom = \"08:00\"\nto = \"20:00\"\nnodes = 2\n\n[[window]]\n\
                    days = \"sat+sun\"\nnodes = \"8\"\n";
        let line = Schedule::parse("mon-fri 2 nodes 08:00-20:00, sat+sun 8 nodes").unwrap();
        assert_eq!(Schedule::read("s.toml", text).unwrap(), line);
    }

    #[test]
    fn every_finding_has_its_line() {
        let text = "[[window]]\ndays = \"funday\"\nnodes = \"2\"\n\n[[window]]\nfrom = \"08:00\"\nnodes = \"many\"\nx = 1\n";
        let findings = Schedule::read("s.toml", text).unwrap_err();
        let lines: Vec<Option<usize>> = findings.iter().map(|f| f.line).collect();
        assert_eq!(lines, [Some(2), Some(7), Some(8)], "{findings:?}");
        let twice = "[[window]]\nnodes = \"2\"\n[[window]]\nnodes = \"3\"\n";
        let findings = Schedule::read("s.toml", twice).unwrap_err();
        assert!(findings[0].message.contains("overlaps") && findings[0].line == Some(3), "{findings:?}");
    }
}
