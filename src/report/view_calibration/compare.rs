//! Profiles against each other, and many merged.

use super::{interval_text, percent, with_unit};
use crate::calibration::comparison::Comparison;
use crate::calibration::merging::Merged;
use crate::report::phrases::calibration as say;
use crate::report::{Block, Cell, Column, Document, Language, Row, Table};
use crate::units::text::significant;

/// One profile against another: what is worse comes first, in words.
pub fn comparison(this: &str, reference: &str, comparisons: &[Comparison], language: Language) -> Document {
    let mut blocks = vec![Block::heading(1, say::COMPARISON.fill(language, &[this, reference]))];
    let worse: Vec<String> = comparisons
        .iter()
        .filter(|c| c.worse)
        .map(|c| {
            let phrase = if c.change < 0.0 { say::SICK } else { say::SLOW };
            phrase.fill(language, &[&c.this.name, &percent(c.change.abs())])
        })
        .collect();
    if worse.is_empty() {
        blocks.push(Block::paragraph(say::HEALTHY.text(language)));
    } else {
        blocks.push(Block::List(worse));
    }
    let columns = vec![
        Column::left(say::QUANTITY.text(language), "quantity"),
        Column::right(say::THIS.text(language), "this"),
        Column::right(say::CI95.text(language), "this_interval"),
        Column::right(say::REFERENCE.text(language), "reference"),
        Column::right(say::CHANGE.text(language), "change"),
        Column::left("", "verdict"),
    ];
    let rows = comparisons.iter().map(|c| {
        let verdict = match (c.outside, c.worse) {
            (false, _) => (say::SAME, "same"),
            (true, true) => (say::WORSE, "worse"),
            (true, false) => (say::BETTER, "better"),
        };
        let sign = if c.change < 0.0 { "-" } else { "+" };
        let cells = [
            Cell::text(c.this.name.clone()),
            Cell::number(with_unit(c.this.value, c.this.unit), c.this.value),
            interval_text(c.this.ci95).map_or_else(Cell::absent, Cell::text),
            Cell::number(with_unit(c.reference.value, c.reference.unit), c.reference.value),
            Cell::number(format!("{sign}{}", percent(c.change.abs())), c.change),
            Cell::id(verdict.0.text(language), verdict.1),
        ];
        if c.worse { Row::highlighted(cells) } else { Row::new(cells) }
    });
    blocks.push(Table::new(columns, rows).into());
    Document::new(blocks)
}

/// What the nodes of a fleet have in common, and which of them stand apart.
pub fn merged(merged: &Merged, language: Language) -> Document {
    let measured = &merged.file.measured;
    let nodes = measured.merged_from.len().to_string();
    let mut blocks = vec![Block::heading(1, say::MERGED.fill(language, &[&nodes]))];
    if merged.outliers.is_empty() {
        blocks.push(Block::paragraph(say::NO_OUTLIERS.text(language)));
    } else {
        blocks.push(Block::heading(3, say::OUTLIERS.text(language)));
        blocks.push(Block::list(merged.outliers.iter().map(|o| {
            let verdict = if o.worse { say::WORSE } else { say::BETTER };
            let value = with_unit(o.value, o.unit);
            let median = significant(o.median, 4);
            let words = [&o.node, &o.quantity, verdict.text(language), &value, &median];
            say::OUTLIER.fill(language, &words)
        })));
    }
    let columns = vec![
        Column::left(say::QUANTITY.text(language), "quantity"),
        Column::right(say::SPREADS.text(language), "spread"),
    ];
    let rows = merged
        .spreads
        .iter()
        .map(|(name, spread)| Row::new([Cell::text(name.clone()), Cell::number(percent(*spread), *spread)]));
    blocks.push(Table::new(columns, rows).into());
    blocks.extend(super::profile(&merged.file, language).blocks);
    Document::new(blocks)
}
