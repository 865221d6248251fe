//! Rendering as one self-contained HTML file that prints on A4: no script, no link, no outside font.

use std::fmt::Write as _;

use super::document::{Align, Block, Document, Table};
use super::language::Language;
use super::plot::{PlotError, PlotSize, render_svg};

/// Page set-up and looks; the fonts are asked of the reader's machine, Chinese ones included.
const STYLE: &str = "\
@page { size: A4; margin: 14mm 14mm 13mm; }
* { box-sizing: border-box; }
body { font: 10.5pt/1.45 'Noto Sans', 'Noto Sans CJK SC', 'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', Arial, sans-serif;
  color: #1a1a1a; max-width: 182mm; margin: 8mm auto; padding: 0 4mm; overflow-wrap: anywhere; }
h1 { font-size: 18pt; margin: 0 0 4mm; border-bottom: 0.6mm solid #1f4e79; padding-bottom: 2mm; }
h2 { font-size: 12.5pt; margin: 6mm 0 2mm; color: #1f4e79; break-after: avoid; }
h3 { font-size: 11pt; margin: 5mm 0 1.5mm; break-after: avoid; }
table { border-collapse: collapse; width: 100%; margin: 2mm 0; font-size: 8.6pt; }
caption { text-align: left; font-weight: 600; padding: 2mm 0 1mm; break-after: avoid; }
th, td { border-bottom: 0.2mm solid #b8c4d0; padding: 0.9mm 1.2mm; text-align: left; vertical-align: top; }
table { overflow-wrap: break-word; } table.w { font-size: 7pt; } table.w th, table.w td { padding: 0.8mm 0.7mm; }
th { background: #e8eef4; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th { word-break: keep-all; } td.n { white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
tr.h td { font-weight: 700; background: #f4f7fa; }
dl { display: grid; grid-template-columns: 46mm 1fr; gap: 0.6mm 3mm; margin: 2mm 0; }
dt { font-weight: 600; color: #444; } dd { margin: 0; }
ul { margin: 1mm 0; padding-left: 5mm; } p.note { font-size: 8.6pt; color: #444; margin: 1mm 0; }
pre { background: #f4f7fa; padding: 2mm; white-space: pre-wrap; font-size: 8.6pt; }
figure { margin: 3mm 0; break-inside: avoid; } figure svg { width: 100%; height: auto; }
@media print { body { margin: 0; padding: 0; max-width: none; line-height: 1.38; } }
";

/// Tables of more columns than this are set smaller.
const WIDE_FROM: usize = 9;

/// The document as an HTML file, its plots inline.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn render(document: &Document, language: Language) -> Result<String, PlotError> {
    let title = document
        .blocks
        .iter()
        .find_map(|b| if let Block::Heading { text, .. } = b { Some(text.as_str()) } else { None })
        .unwrap_or("gpu-advisor");
    let lang = match language {
        Language::English => "en",
        Language::Chinese => "zh-Hans",
    };
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(title)
    );
    for block in &document.blocks {
        out.push_str(&block_text(block)?);
        out.push('\n');
    }
    out.push_str("</body>\n</html>\n");
    Ok(out)
}

fn block_text(block: &Block) -> Result<String, PlotError> {
    Ok(match block {
        Block::Heading { level, text } => format!("<h{level}>{}</h{level}>", escaped(text)),
        Block::Paragraph(text) => format!("<p>{}</p>", escaped(text)),
        Block::Fields(pairs) => {
            let rows = pairs.iter().map(|(l, t)| format!("<dt>{}</dt><dd>{}</dd>", escaped(l), escaped(t)));
            format!("<dl>{}</dl>", rows.collect::<String>())
        }
        Block::Table(table) => table_text(&table.for_people()),
        Block::List(items) => {
            let items = items.iter().map(|item| format!("<li>{}</li>", escaped(item)));
            format!("<ul>{}</ul>", items.collect::<String>())
        }
        Block::Code(lines) => format!("<pre>{}</pre>", escaped(&lines.join("\n"))),
        Block::Picture(picture) => {
            let svg = render_svg(&picture.model, picture.language, PlotSize::IN_DOCUMENT)?;
            // The XML declaration and document type of a stand-alone SVG have no place inside HTML.
            format!("<figure>{}</figure>", svg.find("<svg").map_or("", |at| &svg[at..]))
        }
        Block::Rule => "<hr>".to_owned(),
    })
}

fn table_text(table: &Table) -> String {
    let class = |align: Align| if align == Align::Right { " class=\"n\"" } else { "" };
    let wide = table.columns.len() > WIDE_FROM;
    let mut out = String::from(if wide { "<table class=\"w\">" } else { "<table>" });
    if let Some(title) = &table.title {
        let _ = write!(out, "<caption>{}</caption>", escaped(title));
    }
    out.push_str("<thead><tr>");
    for column in &table.columns {
        let _ = write!(out, "<th{}>{}</th>", class(column.align), escaped(&column.header));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str(if row.highlight { "<tr class=\"h\">" } else { "<tr>" });
        for (cell, column) in row.cells.iter().zip(&table.columns) {
            let _ = write!(out, "<td{}>{}</td>", class(column.align), escaped(&cell.text));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>");
    for note in &table.notes {
        let _ = write!(out, "<p class=\"note\">{}</p>", escaped(note));
    }
    out
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::plot::{BarsPlot, NamedBar, PlotModel};
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut document = Document::default();
        document.push(Block::heading(1, "<script>alert('x')</script> & \"co\""));
        let html = render(&document, Language::Chinese).unwrap();
        assert!(!html.contains("<script"));
        assert!(html.contains("&lt;script&gt;") && html.contains("&amp; &quot;co&quot;"));
        assert!(html.contains("lang=\"zh-Hans\""));
    }

    #[test]
    fn the_file_refers_to_nothing_outside() {
        let bar = NamedBar { label: "a & b".to_owned(), group: 0, value: 1.0, text: "1".to_owned() };
        let plot = BarsPlot {
            title: "t".to_owned(),
            bars: vec![bar],
            groups: vec!["g".to_owned()],
            ..Default::default()
        };
        let mut document = Document::default();
        document.push(Block::picture(PlotModel::Bars(plot), Language::English));
        let html = render(&document, Language::English).unwrap().replace("http://www.w3.org/2000/svg", "");
        for outside in ["http", "src=", "href=", "@import", "url("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(html.contains("<figure><svg ") && html.contains("a &amp; b"));
    }
}
