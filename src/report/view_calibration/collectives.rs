//! What the ranks of several nodes found out together.

use super::{gaps, with_unit};
use crate::calibration::collectives::Collectives;
use crate::calibration::measured::TransferResult;
use crate::report::phrases::calibration as say;
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};
use crate::units::text;

/// Bus bandwidths first, then the smallest and the largest size with their times.
pub fn collectives(found: &Collectives, language: Language) -> Document {
    let counts = [(found.nodes * found.ranks_per_node).to_string(), found.nodes.to_string()];
    let mut fields = vec![
        (say::DEVICE.owned(language), found.device.clone()),
        (say::GPU_ID.owned(language), found.gpu.clone()),
    ];
    let instance = found.instance.iter().map(|name| (say::INSTANCE.owned(language), name.clone()));
    fields.extend(instance);
    let libraries: Vec<String> =
        found.libraries.iter().map(|l| format!("{} {}", l.name, l.version)).collect();
    fields.push((say::LIBRARIES.owned(language), libraries.join(", ")));
    if !found.notes.is_empty() {
        fields.push((say::REMARKS.owned(language), found.notes.join(", ")));
    }
    let mut blocks = vec![
        Block::heading(1, say::COLLECTIVES.fill(language, &[&counts[0], &counts[1]])),
        Block::Fields(fields),
    ];
    if !found.is_real() {
        blocks.push(Block::paragraph(say::COLLECTIVES_SIMULATED.text(language)));
    }
    let columns = vec![
        Column::left(say::OPERATION.text(language), "operation"),
        Column::right(say::RANKS.text(language), "ranks"),
        Column::right(say::NODES.text(language), "nodes"),
        Column::right(say::BUS_BANDWIDTH.text(language), "bus_gb_per_s"),
        Column::right(say::SHORTEST.text(language), "smallest_us"),
        Column::right(say::LONGEST.text(language), "largest_us"),
    ];
    blocks.push(Table::new(columns, found.transfer.iter().map(row)).into());
    if !found.gaps.is_empty() {
        blocks.push(Block::heading(3, say::MISSING.text(language)));
        blocks.push(Block::List(gaps(&found.gaps)));
    }
    Document::new(blocks)
}

fn row(result: &TransferResult) -> Row {
    let count = |n: Option<u32>| n.map_or_else(Cell::absent, |n| Cell::count(u64::from(n)));
    let end = |pair: Option<(&u64, &f64)>| {
        pair.map_or_else(Cell::absent, |(&bytes, &us)| {
            Cell::number(format!("{} B: {}", text::grouped(&bytes.to_string()), with_unit(us, "us")), us)
        })
    };
    let mut ends = result.bytes.iter().zip(&result.us);
    let first = ends.next();
    Row::new([
        Cell::text(result.operation.map_or("", |o| o.name())),
        count(result.ranks),
        count(result.nodes),
        Cell::number(with_unit(result.gb_per_s, "GB/s"), result.gb_per_s),
        end(first),
        end(ends.next_back().or(first)),
    ])
}
