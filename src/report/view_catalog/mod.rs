//! The catalog: lists, single records with their sources, the check.

mod check;
mod lists;
mod records;

pub use check::check;
pub use lists::{datasets, gpus, instances, models, presets, prices, regions};
pub use records::{dataset, gpu, instance, model};

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::{Cell, CellValue, Document, Row, Table};
use crate::catalog::GpuId;
use crate::units::{Bytes, BytesPerSecond, FlopRate, text};

/// Which records are listed; an empty list keeps all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogFilter {
    /// GPUs.
    pub gpus: Vec<GpuId>,
    /// Providers.
    pub providers: Vec<String>,
}

impl CatalogFilter {
    fn keeps_gpu(&self, gpu: GpuId) -> bool {
        self.gpus.is_empty() || self.gpus.contains(&gpu)
    }

    fn keeps_provider(&self, provider: &str) -> bool {
        self.providers.is_empty() || self.providers.iter().any(|p| p == provider)
    }
}

fn optional_text(value: Option<&str>) -> Cell {
    value.map_or_else(Cell::absent, Cell::text)
}

fn bytes(value: Option<Bytes>) -> Cell {
    value.map_or_else(Cell::absent, |b| Cell::number(text::memory(b), b.get()))
}

fn bandwidth(value: Option<BytesPerSecond>) -> Cell {
    value.map_or_else(Cell::absent, |b| Cell::number(text::bandwidth(b), b.get()))
}

fn network(value: Option<BytesPerSecond>) -> Cell {
    value.map_or_else(Cell::absent, |b| Cell::number(text::network_bandwidth(b), b.get()))
}

fn rate(value: Option<FlopRate>) -> Cell {
    value.map_or_else(Cell::absent, |r| Cell::number(text::flop_rate(r), r.get()))
}

fn count(value: Option<u64>) -> Cell {
    value.map_or_else(Cell::absent, Cell::count)
}

/// The tables of a document as JSON, with the machine keys and values of CSV.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn json(document: &Document) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&Wire(document))?;
    text.push('\n');
    Ok(text)
}

struct Wire<'a>(&'a Document);

impl Serialize for Wire<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut wire = serializer.serialize_struct("Catalog", 2)?;
        wire.serialize_field("schema_version", &1)?;
        let tables: Vec<Vec<RowWire<'_>>> = self.0.tables().map(rows).collect();
        wire.serialize_field("tables", &tables)?;
        wire.end()
    }
}

fn rows(table: &Table) -> Vec<RowWire<'_>> {
    table.rows.iter().map(|row| RowWire { table, row }).collect()
}

struct RowWire<'a> {
    table: &'a Table,
    row: &'a Row,
}

impl Serialize for RowWire<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.row.cells.len()))?;
        for (column, cell) in self.table.columns.iter().zip(&self.row.cells) {
            let whole = || cell.machine_text().parse::<u64>().ok();
            match &cell.value {
                CellValue::Absent => map.serialize_entry(&column.key, &())?,
                CellValue::Number(number) => map.serialize_entry(&column.key, number)?,
                CellValue::Exact(text) => match whole() {
                    Some(number) => map.serialize_entry(&column.key, &number)?,
                    None => map.serialize_entry(&column.key, text)?,
                },
                CellValue::Text | CellValue::Id(_) => {
                    map.serialize_entry(&column.key, &cell.machine_text())?;
                }
            }
        }
        map.end()
    }
}
