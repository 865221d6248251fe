//! The neutral document: what a report says, without how it looks.

use super::Language;
use super::plot::PlotModel;

/// A report, as an ordered list of blocks; the same one is rendered to every format.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// What the report says, in reading order.
    pub blocks: Vec<Block>,
    /// A line that stands on every printed page, such as for whom a copy is not.
    pub every_page: Option<String>,
}

impl Document {
    /// A document of these blocks.
    pub const fn new(blocks: Vec<Block>) -> Self {
        Self { blocks, every_page: None }
    }

    /// Adds one block at the end.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }

    /// Its tables, in order; the part of a document that CSV can carry.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks
            .iter()
            .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
    }
}

/// One piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading; level 1 is the document's title, 2 a section, 3 a line that opens a block without a gap.
    Heading {
        /// 1 to 6.
        level: u8,
        /// One line.
        text: String,
    },
    /// Running text, wrapped by the renderer.
    Paragraph(String),
    /// Label and text pairs, such as the job as it was understood.
    Fields(Vec<(String, String)>),
    /// A table.
    Table(Table),
    /// Unordered items.
    List(Vec<String>),
    /// Lines to be copied as they are, such as commands; never wrapped.
    Code(Vec<String>),
    /// A plot, in the formats that can hold one; text, Markdown, CSV and workbooks leave it out.
    Picture(Box<Picture>),
    /// A separator.
    Rule,
}

/// A plot with the language of its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub model: PlotModel,
    /// Language.
    pub language: Language,
}

impl Block {
    /// A heading; the level is held within 1 to 6.
    pub fn heading(level: u8, text: impl Into<String>) -> Self {
        Self::Heading { level: level.clamp(1, 6), text: text.into() }
    }

    /// Running text.
    pub fn paragraph(text: impl Into<String>) -> Self {
        Self::Paragraph(text.into())
    }

    /// Label and text pairs.
    pub fn fields<L: Into<String>, T: Into<String>>(pairs: impl IntoIterator<Item = (L, T)>) -> Self {
        Self::Fields(pairs.into_iter().map(|(label, text)| (label.into(), text.into())).collect())
    }

    /// A plot.
    pub fn picture(model: PlotModel, language: Language) -> Self {
        Self::Picture(Box::new(Picture { model, language }))
    }

    /// Unordered items.
    pub fn list<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// Lines to be copied as they are.
    pub fn code<T: Into<String>>(lines: impl IntoIterator<Item = T>) -> Self {
        Self::Code(lines.into_iter().map(Into::into).collect())
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

/// A table: every row has one cell per column.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What the table shows.
    pub title: Option<String>,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Remarks printed below it.
    pub notes: Vec<String>,
    /// For a screen with few lines: no rule below the headers.
    pub dense: bool,
}

impl Table {
    /// A table without title and notes. A short row is filled with absent cells.
    ///
    /// # Panics
    /// In debug builds when a row has more cells than there are columns, which is a mistake of the view.
    pub fn new(columns: Vec<Column>, rows: impl IntoIterator<Item = Row>) -> Self {
        let count = columns.len();
        let rows = rows
            .into_iter()
            .map(|mut row| {
                debug_assert!(row.cells.len() <= count, "{} cells for {count} columns", row.cells.len());
                row.cells.resize_with(count, Cell::absent);
                row
            })
            .collect();
        Self { title: None, columns, rows, notes: Vec::new(), dense: false }
    }

    /// The table without the columns that are for machines only.
    #[must_use]
    pub fn for_people(&self) -> Self {
        let shown: Vec<bool> = self.columns.iter().map(|c| !c.hidden).collect();
        let keep = |row: &Row| Row {
            cells: row.cells.iter().zip(&shown).filter(|(_, s)| **s).map(|(c, _)| c.clone()).collect(),
            highlight: row.highlight,
        };
        Self {
            title: self.title.clone(),
            columns: self.columns.iter().filter(|c| !c.hidden).cloned().collect(),
            rows: self.rows.iter().map(keep).collect(),
            notes: self.notes.clone(),
            dense: self.dense,
        }
    }

    /// The same table with a title.
    #[must_use]
    pub fn titled(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// The same table with remarks below it.
    #[must_use]
    pub fn noted<T: Into<String>>(self, notes: impl IntoIterator<Item = T>) -> Self {
        Self { notes: notes.into_iter().map(Into::into).collect(), ..self }
    }
}

/// Where the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The header for people, in the report's language.
    pub header: String,
    /// The machine key, never localised, with its unit as suffix: `total_time_s`, `cost_usd`.
    pub key: String,
    /// Alignment of header and cells.
    pub align: Align,
    /// For machines only: CSV has it, text and Markdown leave it out.
    pub hidden: bool,
}

impl Column {
    /// A column of words.
    pub fn left(header: impl Into<String>, key: impl Into<String>) -> Self {
        Self { header: header.into(), key: key.into(), align: Align::Left, hidden: false }
    }

    /// A column of numbers.
    pub fn right(header: impl Into<String>, key: impl Into<String>) -> Self {
        Self { header: header.into(), key: key.into(), align: Align::Right, hidden: false }
    }
}

impl Column {
    /// A column for machines only, such as the end of an interval that people read beside its median.
    pub fn machine(key: impl Into<String>) -> Self {
        Self { header: String::new(), key: key.into(), align: Align::Right, hidden: true }
    }
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// One cell per column.
    pub cells: Vec<Cell>,
    /// True for the row the reader is looking for, such as the winner.
    pub highlight: bool,
}

impl Row {
    /// An ordinary row.
    pub fn new(cells: impl IntoIterator<Item = Cell>) -> Self {
        Self { cells: cells.into_iter().collect(), highlight: false }
    }

    /// The row the reader is looking for.
    pub fn highlighted(cells: impl IntoIterator<Item = Cell>) -> Self {
        Self { cells: cells.into_iter().collect(), highlight: true }
    }
}

/// One cell: text for people, and the value behind it for machines.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What people read: rounded, with its unit, localised.
    pub text: String,
    /// What machines read: unscaled, in the unit that the column's key names.
    pub value: CellValue,
}

/// The value behind a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// The text is the value.
    Text,
    /// A text for machines that differs from what people read, such as an id behind a localised name.
    Id(String),
    /// A finite number.
    Number(f64),
    /// An exact decimal, such as money.
    Exact(String),
    /// Nothing is known; absent is not zero.
    Absent,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: CellValue::Text }
    }

    /// Words with another text for machines.
    pub fn id(text: impl Into<String>, id: impl Into<String>) -> Self {
        Self { text: text.into(), value: CellValue::Id(id.into()) }
    }

    /// A number with its rounded text; one that is not finite is absent.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        let value = if value.is_finite() { CellValue::Number(value) } else { CellValue::Absent };
        Self { text: text.into(), value }
    }

    /// An exact decimal with its rounded text.
    pub fn exact(text: impl Into<String>, decimal: impl Into<String>) -> Self {
        Self { text: text.into(), value: CellValue::Exact(decimal.into()) }
    }

    /// A whole number, printed as it is.
    pub fn count(count: u64) -> Self {
        Self { text: count.to_string(), value: CellValue::Exact(count.to_string()) }
    }

    /// Nothing is known: a dash for people, an empty cell for machines.
    pub fn absent() -> Self {
        Self::absent_as("-")
    }

    /// Nothing is known, and what people read instead, such as "no price".
    pub fn absent_as(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: CellValue::Absent }
    }

    /// What machines read; empty when absent.
    pub fn machine_text(&self) -> String {
        match &self.value {
            CellValue::Text => self.text.clone(),
            CellValue::Id(text) | CellValue::Exact(text) => text.clone(),
            CellValue::Number(number) => number.to_string(),
            CellValue::Absent => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_row_is_filled_with_absent_cells() {
        let table = Table::new(
            vec![Column::left("a", "a"), Column::right("b", "b_s")],
            [Row::new([Cell::text("x")])],
        );
        assert_eq!(table.rows[0].cells[1], Cell::absent());
    }

    #[test]
    fn machines_read_unscaled_values_and_nothing_where_nothing_is_known() {
        assert_eq!(Cell::number("1.5 h", 5400.0).machine_text(), "5400");
        assert_eq!(Cell::exact("1,234 USD", "1234.10").machine_text(), "1234.10");
        assert_eq!(Cell::id("新加坡", "sg-1").machine_text(), "sg-1");
        assert_eq!(Cell::number("-", f64::NAN).machine_text(), "");
        assert_eq!(Cell::absent_as("no price").machine_text(), "");
    }

    #[test]
    fn only_tables_are_listed_as_tables() {
        let mut document = Document::new(vec![Block::heading(9, "title"), Block::Rule]);
        document.push(Table::new(Vec::new(), []).titled("one"));
        assert_eq!(document.tables().count(), 1);
        assert_eq!(document.blocks[0], Block::Heading { level: 6, text: "title".to_owned() });
    }
}
