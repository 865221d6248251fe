//! Rendering as GitHub-flavoured Markdown.

use super::document::{Align, Block, Document, Row, Table};

/// The document as Markdown; a highlighted row is bold.
pub fn render(document: &Document) -> String {
    let blocks: Vec<String> = document.blocks.iter().map(block).filter(|text| !text.is_empty()).collect();
    if blocks.is_empty() { String::new() } else { format!("{}\n", blocks.join("\n\n")) }
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading { level, text } => format!("{} {}", "#".repeat(usize::from(*level)), escaped(text)),
        Block::Paragraph(text) => line_start(&escaped(text)),
        Block::Fields(pairs) => {
            lines(pairs.iter().map(|(label, text)| format!("- **{}**: {}", escaped(label), one_line(text))))
        }
        Block::Table(table) => table_text(&table.for_people()),
        Block::List(items) => lines(items.iter().map(|item| format!("- {}", one_line(item)))),
        Block::Code(code) => {
            let fence = if code.iter().any(|line| line.contains("```")) { "````" } else { "```" };
            format!("{fence}text\n{}\n{fence}", code.join("\n"))
        }
        Block::Picture(_) => String::new(),
        Block::Rule => "---".to_owned(),
    }
}

fn lines(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join("\n")
}

fn table_text(table: &Table) -> String {
    let mut parts = Vec::new();
    if let Some(title) = &table.title {
        parts.push(format!("**{}**", escaped(title)));
    }
    if !table.columns.is_empty() {
        let headers = table.columns.iter().map(|column| one_line(&column.header));
        let rule = table.columns.iter().map(|column| match column.align {
            Align::Left => ":--".to_owned(),
            Align::Right => "--:".to_owned(),
        });
        let rows = table.rows.iter().map(|row| table_line(cells(row)));
        parts.push(lines([table_line(headers), table_line(rule)].into_iter().chain(rows)));
    }
    if !table.notes.is_empty() {
        parts.push(table.notes.iter().map(|note| one_line(note)).collect::<Vec<_>>().join("  \n"));
    }
    parts.join("\n\n")
}

fn cells(row: &Row) -> impl Iterator<Item = String> {
    row.cells.iter().map(|cell| {
        let text = one_line(&cell.text);
        if row.highlight && !text.is_empty() { format!("**{text}**") } else { text }
    })
}

fn table_line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

fn one_line(text: &str) -> String {
    escaped(text).replace('\n', "<br>")
}

/// Keeps a paragraph from being read as a heading or list.
fn line_start(text: &str) -> String {
    if text.starts_with(['#', '-', '+']) { format!("\\{text}") } else { text.to_owned() }
}

/// Takes their meaning from the characters that Markdown gives one.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        let inside_word = before.is_alphanumeric() && after.is_alphanumeric();
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~') || (c == '_' && !inside_word) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_with_a_meaning_are_escaped_and_identifiers_are_not() {
        assert_eq!(escaped("a*4 | b<c ~5"), "a\\*4 \\| b\\<c \\~5");
        assert_eq!(escaped("compute_bound _x_"), "compute_bound \\_x\\_");
        assert_eq!(block(&Block::paragraph("- 3 h")), "\\- 3 h");
    }

    #[test]
    fn an_empty_document_is_an_empty_file() {
        assert_eq!(render(&Document::default()), "");
    }
}
