//! What a job draws and emits: nodes × power × hours × PUE, and that times the emissions of the grid.
//!
//! The defaults are `catalog/energy.toml`. Power is at its maximum (board power of the GPUs and what a reference server draws
//! beside them), so energy is rather over than under. What no source states stays unknown: a report then asks for it.

use super::record::{Reader, Record};
use crate::catalog::{Finding, GpuSpec};
use crate::units::Watts;
use crate::units::parse::parse_quantity;

/// What is assumed about energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyAssumptions {
    /// Kilowatts of one node under load.
    pub node_kilowatt: f64,
    /// Power usage effectiveness of the site: what it draws over what its computers do.
    pub pue: f64,
    /// Grams of CO2 for a kilowatt-hour of its grid.
    pub grid_gram_per_kilowatt_hour: f64,
}

/// Energy and emissions of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Kilowatt-hours of the site.
    pub kilowatt_hour: f64,
    /// Kilograms of CO2.
    pub co2_kilogram: f64,
}

impl EnergyAssumptions {
    /// nodes × power × hours × PUE, and that times the emissions of the grid.
    ///
    /// ```
    /// use gpu_advisor::cost::EnergyAssumptions;
    /// let assumed = EnergyAssumptions { node_kilowatt: 5.0, pue: 1.2, grid_gram_per_kilowatt_hour: 500.0 };
    /// // 2 nodes × 5 kW × 10 h × 1.2 = 120 kWh; × 0.5 kg = 60 kg.
    /// let energy = assumed.of(2, 10.0);
    /// assert_eq!((energy.kilowatt_hour, energy.co2_kilogram), (120.0, 60.0));
    /// ```
    pub fn of(self, nodes: u32, hours: f64) -> Energy {
        let kilowatt_hour = f64::from(nodes) * self.node_kilowatt * hours * self.pue;
        Energy { kilowatt_hour, co2_kilogram: kilowatt_hour * self.grid_gram_per_kilowatt_hour / 1000.0 }
    }
}

/// A figure with where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyFigure {
    /// The figure, in the unit of its use.
    pub value: f64,
    /// Source and year.
    pub source: String,
}

/// One record: what it is for, and its figure.
type Entry = (Option<String>, EnergyFigure);

/// The defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EnergyTable {
    /// Watts per GPU beyond its board, by architecture.
    overheads: Vec<Entry>,
    /// By provider; without one for all others.
    pues: Vec<Entry>,
    /// Grams of CO2 for a kilowatt-hour, by country.
    grids: Vec<Entry>,
}

impl EnergyTable {
    /// The table inside the program.
    pub fn embedded() -> Self {
        Self::parse("energy.toml", include_str!("../../catalog/energy.toml"))
            .unwrap_or_else(|findings| unreachable!("the embedded table is checked by a test: {findings:?}"))
    }

    /// Reads a table; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, unreadable or missing values, a subject listed twice.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["overhead", "pue", "grid"]);
        let watts = |text: &str| {
            let power: Result<Watts, _> = parse_quantity(text);
            power.map(Watts::get).map_err(|e| format!("{e}; such as \"400 W\""))
        };
        let overheads = entries(&mut reader, &document, ["overhead", "architecture", "per_gpu"], watts);
        let pues = entries(&mut reader, &document, ["pue", "provider", "value"], |t| number(t, 1.0, 5.0));
        let grids =
            entries(&mut reader, &document, ["grid", "country", "gram_per_kwh"], |t| number(t, 0.0, 3000.0));
        reader.finish(Self { overheads, pues, grids })
    }

    /// Kilowatts of a node with so many of a GPU; `None` where board power or overhead is unknown.
    pub fn node_kilowatt(&self, gpu: &GpuSpec, count: u32) -> Option<EnergyFigure> {
        let board = gpu.tdp?;
        let overhead = exact(&self.overheads, &gpu.architecture)?;
        let value = f64::from(count) * (board.get() + overhead.value) / 1000.0;
        Some(EnergyFigure { value, source: format!("board power, and {}", overhead.source) })
    }

    /// Power usage effectiveness of a provider, or the average of those without a figure.
    pub fn pue(&self, provider: &str) -> Option<EnergyFigure> {
        let average = || self.pues.iter().find(|(of, _)| of.is_none()).map(|(_, figure)| figure);
        exact(&self.pues, provider).or_else(average).cloned()
    }

    /// Grams of CO2 for a kilowatt-hour in a country.
    pub fn grid(&self, country: &str) -> Option<EnergyFigure> {
        exact(&self.grids, country).cloned()
    }
}

fn exact<'a>(entries: &'a [Entry], subject: &str) -> Option<&'a EnergyFigure> {
    entries.iter().find(|(of, _)| of.as_deref() == Some(subject)).map(|(_, figure)| figure)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| (least..=most).contains(v));
    value.ok_or_else(|| format!("{text:?} is no number from {least} to {most}"))
}

/// The records of a kind: `[name, key of the subject, key of the value]`. The subject of a PUE may be left out once.
fn entries<'t>(
    reader: &mut Reader<'t>,
    document: &Record<'t>,
    [name, subject, value]: [&'static str; 3],
    read: impl Fn(&str) -> Result<f64, String>,
) -> Vec<Entry> {
    let text = |t: &str| Ok(t.to_owned());
    let mut found: Vec<Entry> = Vec::new();
    for record in reader.records(document, name, &[subject, value, "source", "as_of"]) {
        let of = if name == "pue" {
            reader.optional(&record, subject, text)
        } else {
            let of = reader.required(&record, subject, "what it is for", text);
            if of.is_none() {
                continue;
            }
            of
        };
        let number = reader.required(&record, value, "a number", &read);
        let source = reader.required(&record, "source", "where it is from", text);
        let as_of = reader.required(&record, "as_of", "a year or day", text);
        if found.iter().any(|(other, _)| *other == of) {
            reader.find(&record.span(), record.key(subject), "is listed twice".to_owned());
        }
        if let (Some(value), Some(source), Some(as_of)) = (number, source, as_of) {
            found.push((of, EnergyFigure { value, source: format!("{source}, {as_of}") }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn every_default_is_there_for_a_reference_server_and_absent_where_nothing_is_stated() {
        let (table, catalog) = (EnergyTable::embedded(), Catalog::embedded().unwrap());
        let gpu = |id: &str| catalog.gpus.iter().find(|g| g.id == id).unwrap();
        // 8 × (400 + 412.5) W: the maximum of the reference server.
        let node = table.node_kilowatt(gpu("a100-sxm-80gb"), 8).unwrap();
        assert!((node.value - 6.5).abs() < 1e-9, "{node:?}");
        assert!((table.node_kilowatt(gpu("v100-sxm2-32gb"), 8).unwrap().value - 3.5).abs() < 1e-9);
        let none = GpuSpec { tdp: None, ..gpu("a100-sxm-80gb").clone() };
        assert_eq!(table.node_kilowatt(&none, 8), None);
        assert_eq!(table.pue("aws").unwrap().value, 1.14);
        assert_eq!(table.pue("nobody").unwrap().value, 1.25);
        assert_eq!(table.grid("SG").unwrap().value, 470.8);
        assert_eq!(table.grid("XX"), None);
    }

    #[test]
    fn a_table_with_mistakes_is_refused_with_each_of_them() {
        let text = "[[pue]]\nvalue = \"0.5\"\nsource = \"x\"\nas_of = \"2025\"\n[[grid]]\ncountry = \"SG\"\nsource = \"x\"\n\
                    as_of = \"2025\"\n[[overhead]]\nwatts = \"1 W\"\n";
        let found = EnergyTable::parse("e.toml", text).unwrap_err();
        assert!(found.len() >= 3, "{found:?}");
        let twice = "[[grid]]\ncountry = \"SG\"\ngram_per_kwh = \"400\"\nsource = \"x\"\nas_of = \"2025\"\n"
            .repeat(2);
        assert!(EnergyTable::parse("e.toml", &twice).is_err());
    }
}
