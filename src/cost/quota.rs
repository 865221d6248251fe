//! How much of what the user may start: a quota by provider, region, and family or GPU, today and after an increase.
//!
//! ```toml
//! as_of = "2026-11-28"
//! [[quota]]
//! provider = "cloud"
//! region = "north-1"          # every region unless given
//! family = "p4d"              # or gpu = "a100-sxm-80gb", or an alias of several
//! nodes = 2                   # or gpus = 16
//! expected = 8                # nodes (gpus) after the increase
//! expected_on = "2026-12-10"
//! ```
//! CSV has the same names as columns. Absent is not zero: what no line speaks of is not checked, and passes no quota.

use std::collections::BTreeMap;

use jiff::civil::Date;
use toml::de::DeValue;

use super::nearest::{near_clause, near_names};
use super::place_filter::PlaceFilter;
use super::price_book::Sheet;
use super::record::{Reader, Record};
use crate::catalog::{Catalog, Finding, GpuId, InstanceType, Place};

/// Keys of a line, in TOML and CSV.
const KEYS: [&str; 9] =
    ["provider", "region", "family", "gpu", "nodes", "gpus", "as_of", "expected", "expected_on"];
/// Most nodes or GPUs that are believed.
const MOST: u32 = 10_000_000;

/// What a line counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QuotaUnit {
    /// Whole nodes.
    Nodes,
    /// GPUs.
    Gpus,
}

/// Whose machines a line counts.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Counted {
    Family(String),
    Gpus(Vec<GpuId>),
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaLine {
    provider: String,
    /// Every region of the provider unless given.
    region: Option<String>,
    counted: Counted,
    unit: QuotaUnit,
    today: u32,
    expected: Option<u32>,
    expected_on: Option<Date>,
    as_of: Option<Date>,
}

/// The lines of a quota file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quota {
    lines: Vec<QuotaLine>,
}

/// Whether a number of nodes may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// A line speaks of it, and it is within.
    Within,
    /// It needs more than the line allows.
    Over {
        /// Nodes or GPUs that the cluster needs.
        needed: u32,
        /// Nodes or GPUs that may be started.
        held: u32,
        /// What is counted.
        unit: QuotaUnit,
    },
    /// No line speaks of it.
    Unknown,
}

impl Quota {
    /// Reads TOML; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, providers, regions, families and GPUs that the catalog does not hold (with near
    /// names), a line without a number or with two.
    pub fn parse(file: &str, text: &str, catalog: &Catalog) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["quota", "as_of"]);
        let as_of = reader.optional(&document, "as_of", day);
        let mut lines = Vec::new();
        for record in reader.records(&document, "quota", &KEYS) {
            let cells = cells(&record, &reader);
            let line = reader.line(&record.span());
            match read_line(&cells, line, as_of, catalog) {
                Ok(line) => lines.push(line),
                Err(problems) => {
                    for (line, key, message) in problems {
                        reader.find_in_line(line, record.key(key), message);
                    }
                }
            }
        }
        if reader.is_clean() && lines.is_empty() {
            reader.find(&(0..0), "quota".to_owned(), format!("no [[quota]]; its keys: {}", KEYS.join(", ")));
        }
        reader.finish(Self { lines })
    }

    /// Reads the rows of a CSV file whose header names the keys.
    ///
    /// # Errors
    /// As [`Quota::parse`].
    pub fn from_sheet(sheet: &Sheet, catalog: &Catalog) -> Result<Self, Vec<Finding>> {
        let find = |line: usize, key: &str, message: String| Finding {
            file: sheet.file.clone(),
            line: Some(line),
            key: key.to_owned(),
            message,
        };
        let accepted = KEYS.join(", ");
        let Some((header, rows)) = sheet.rows.split_first() else {
            return Err(vec![find(1, "header", format!("no rows; the first names the columns: {accepted}"))]);
        };
        let mut findings = Vec::new();
        let mut columns = Vec::new();
        for cell in &header.cells {
            let name = cell.to_lowercase().replace([' ', '-'], "_");
            let key = KEYS.into_iter().find(|k| *k == name);
            if key.is_none() && !name.is_empty() {
                let message = format!("unknown column {cell:?}; accepted: {accepted}");
                findings.push(find(header.line, "header", message));
            }
            if key.is_some() && columns.contains(&key) {
                findings.push(find(header.line, "header", format!("{cell:?} is the name of two columns")));
            }
            columns.push(key);
        }
        let mut lines = Vec::new();
        for row in rows {
            let beyond = row.cells.iter().skip(columns.len()).filter(|text| !text.is_empty()).count();
            if beyond > 0 {
                let message = format!("{} cells under {} columns", columns.len() + beyond, columns.len());
                findings.push(find(row.line, "cells", message));
            }
            let named = columns.iter().zip(&row.cells).filter(|(_, text)| !text.is_empty());
            let cells: BTreeMap<&'static str, (usize, String)> =
                named.filter_map(|(key, text)| Some(((*key)?, (row.line, text.clone())))).collect();
            match read_line(&cells, row.line, None, catalog) {
                Ok(line) => lines.push(line),
                Err(problems) => {
                    findings
                        .extend(problems.into_iter().map(|(line, key, message)| find(line, key, message)));
                }
            }
        }
        if findings.is_empty() && lines.is_empty() {
            findings.push(find(header.line, "header", "no lines below the header".to_owned()));
        }
        if findings.is_empty() { Ok(Self { lines }) } else { Err(findings) }
    }

    /// Whether `nodes` of an instance type may be started in a place, today or after the increase. A line of the region
    /// wins over one of every region; of several that speak of it, all must hold.
    pub fn allows(&self, instance: &InstanceType, place: &Place, nodes: u32, increased: bool) -> Allowance {
        let counts = |line: &&QuotaLine| {
            line.provider == place.provider
                && line.region.as_ref().is_none_or(|r| place.region.as_ref() == Some(r))
                && match &line.counted {
                    Counted::Family(family) => *family == instance.family,
                    Counted::Gpus(gpus) => gpus.contains(&instance.gpu),
                }
        };
        let all: Vec<&QuotaLine> = self.lines.iter().filter(counts).collect();
        let own = all.iter().any(|l| l.region.is_some());
        let mut allowance = Allowance::Unknown;
        for line in all.into_iter().filter(|l| !own || l.region.is_some()) {
            let needed = match line.unit {
                QuotaUnit::Nodes => nodes,
                QuotaUnit::Gpus => nodes.saturating_mul(instance.gpu_count),
            };
            let held = line.expected.filter(|_| increased).unwrap_or(line.today);
            if needed > held {
                return Allowance::Over { needed, held, unit: line.unit };
            }
            allowance = Allowance::Within;
        }
        allowance
    }

    /// True when a line expects more than it allows today.
    pub fn expects_more(&self) -> bool {
        self.lines.iter().any(|l| l.expected.is_some_and(|e| e > l.today))
    }

    /// The day by which the last increase is expected, where every one that is more than today's has a day.
    pub fn expected_on(&self) -> Option<Date> {
        let more = self.lines.iter().filter(|l| l.expected.is_some_and(|e| e > l.today));
        more.map(|l| l.expected_on).collect::<Option<Vec<Date>>>()?.into_iter().max()
    }

    /// The oldest date of a line; `None` where one has none.
    pub fn as_of(&self) -> Option<Date> {
        self.lines.iter().map(|l| l.as_of).collect::<Option<Vec<Date>>>()?.into_iter().min()
    }

    /// Lines.
    pub const fn len(&self) -> usize {
        self.lines.len()
    }

    /// True without a line.
    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The values of a TOML record as text, with their lines.
fn cells(record: &Record<'_>, reader: &Reader<'_>) -> BTreeMap<&'static str, (usize, String)> {
    let text = |key: &str| {
        let value = record.get(key)?;
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(date) => date.to_string(),
            DeValue::Integer(number) => number.as_str().to_owned(),
            other => format!("({})", other.type_str()),
        };
        Some((reader.line(&value.span()), text))
    };
    KEYS.into_iter().filter_map(|key| Some((key, text(key)?))).collect()
}

/// What is wrong with a line: where, under which key, and why.
type Problem = (usize, &'static str, String);

/// A line from its values; `as_of` holds where it has no date of its own.
fn read_line(
    cells: &BTreeMap<&'static str, (usize, String)>,
    line: usize,
    as_of: Option<Date>,
    catalog: &Catalog,
) -> Result<QuotaLine, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut read = LineReader { cells, problems: &mut problems };
    let provider =
        read.value("provider", |t| PlaceFilter::parse_provider(t, catalog).map_err(|e| e.to_string()));
    let region = read.value("region", |t| match &provider {
        Some(p) => PlaceFilter::parse_region(&format!("{p}:{t}"), catalog)
            .map(|(_, id)| id)
            .map_err(|e| e.to_string()),
        None => Ok(t.to_owned()),
    });
    let family = read.value("family", |t| known_family(t, provider.as_deref(), catalog));
    let gpus = read.value("gpu", |t| known_gpu(t, catalog));
    let nodes = read.value("nodes", number);
    let count = read.value("gpus", number);
    let expected = read.value("expected", number);
    let expected_on = read.value("expected_on", day);
    let own = read.value("as_of", day);
    let has = |key: &str| cells.contains_key(key);
    let mut miss = |key, message: &str| problems.push((line, key, message.to_owned()));
    if !has("provider") {
        miss("provider", "is missing; accepted: a provider of the catalog");
    }
    if has("family") == has("gpu") {
        miss("family", "a line counts a family or a gpu: give one of the two");
    }
    if has("nodes") == has("gpus") {
        miss("nodes", "a line counts nodes or gpus: give one of the two");
    }
    if has("expected_on") && !has("expected") {
        miss("expected", "is missing beside expected_on: how many after the increase");
    }
    let counted = family.map(Counted::Family).or(gpus.map(Counted::Gpus));
    let unit = if has("nodes") { QuotaUnit::Nodes } else { QuotaUnit::Gpus };
    match (provider, counted, nodes.or(count)) {
        (Some(provider), Some(counted), Some(today)) if problems.is_empty() => Ok(QuotaLine {
            provider,
            region,
            counted,
            unit,
            today,
            expected,
            expected_on,
            as_of: own.or(as_of),
        }),
        _ => Err(problems),
    }
}

struct LineReader<'a> {
    cells: &'a BTreeMap<&'static str, (usize, String)>,
    problems: &'a mut Vec<Problem>,
}

impl LineReader<'_> {
    fn value<T>(&mut self, key: &'static str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        let (line, text) = self.cells.get(key)?;
        read(text.trim()).map_err(|message| self.problems.push((*line, key, message))).ok()
    }
}

fn day(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| format!("{text:?} is not a day, such as 2026-11-28"))
}

fn number(text: &str) -> Result<u32, String> {
    text.replace(['_', ','], "")
        .parse()
        .ok()
        .filter(|n| *n <= MOST)
        .ok_or_else(|| format!("{text:?} is no whole number from 0 to {MOST}"))
}

fn known_family(text: &str, provider: Option<&str>, catalog: &Catalog) -> Result<String, String> {
    let of_provider = |i: &&InstanceType| provider.is_none_or(|p| i.provider == p);
    let mut families: Vec<&str> =
        catalog.instances.iter().filter(of_provider).map(|i| i.family.as_str()).collect();
    if families.contains(&text) {
        return Ok(text.to_owned());
    }
    families.sort_unstable();
    families.dedup();
    let near = near_clause(&near_names(text, families.iter().copied()));
    Err(format!("unknown family {text:?}{near}; accepted: {}", families.join(", ")))
}

fn known_gpu(text: &str, catalog: &Catalog) -> Result<Vec<GpuId>, String> {
    let found = catalog.expand_gpu(text);
    if !found.is_empty() {
        return Ok(found);
    }
    let near = near_clause(&near_names(text, catalog.gpus.iter().map(|g| g.id.as_str())));
    Err(format!("unknown GPU {text:?}{near}"))
}
