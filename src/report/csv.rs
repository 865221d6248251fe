//! Rendering as CSV: the tables only, machine keys as header, unscaled values.

use super::document::{Block, Cell, CellValue, Document, Table};

/// Why a document could not be written as CSV.
#[derive(Debug, thiserror::Error)]
#[error("failed to write CSV: {0}")]
pub struct CsvError(#[from] ::csv::Error);

/// Every table of the document. A single one is plain CSV; several are each preceded by a line `# title` and
/// separated by a blank line; one without a title has that of its section. An absent value is an empty cell.
///
/// # Errors
/// When the CSV writer fails; writing is to memory, so this does not happen in practice.
pub fn render(document: &Document) -> Result<String, CsvError> {
    let mut section = None;
    let mut tables: Vec<(Option<&String>, &Table)> = Vec::new();
    for block in &document.blocks {
        match block {
            Block::Heading { level: 2.., text } => section = Some(text),
            Block::Table(table) if !table.columns.is_empty() => {
                tables.push((table.title.as_ref().or_else(|| section.take()), table));
            }
            _ => {}
        }
    }
    if let [(_, table)] = tables[..] {
        return table_text(table);
    }
    let mut out = String::new();
    for (i, (title, table)) in tables.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        out.push_str("# ");
        match title {
            Some(title) => out.push_str(&title.replace(['\n', '\r'], " ")),
            None => out.push_str(&(i + 1).to_string()),
        }
        out.push('\n');
        out.push_str(&table_text(table)?);
    }
    Ok(out)
}

/// What machines read of a cell. Words that a spreadsheet would run as a formula get an apostrophe in front, by which it
/// takes them for text; numbers stay as they are.
fn harmless(cell: &Cell) -> String {
    let text = cell.machine_text();
    let words = matches!(cell.value, CellValue::Text | CellValue::Id(_)) && text.parse::<f64>().is_err();
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if words && runs && text.len() > 1 { format!("'{text}") } else { text }
}

fn table_text(table: &Table) -> Result<String, CsvError> {
    let mut writer = ::csv::WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(table.columns.iter().map(|column| &column.key))?;
    for row in &table.rows {
        writer.write_record(row.cells.iter().map(harmless))?;
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_look_like_a_formula_are_marked_as_text_and_numbers_are_not() {
        assert_eq!(harmless(&Cell::text("=1+1")), "'=1+1");
        assert_eq!(harmless(&Cell::text("@SUM(A1)")), "'@SUM(A1)");
        assert_eq!(harmless(&Cell::exact("-5", "-5.00")), "-5.00");
        assert_eq!(harmless(&Cell::text("-3")), "-3");
        assert_eq!(harmless(&Cell::text("a=b")), "a=b");
    }
}
