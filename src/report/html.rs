//! Rendering as one self-contained HTML file that prints on A4: no script, no link, no outside font.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

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
table { overflow-wrap: break-word; } table.w { font-size: 7pt; } table.w th, table.w td { padding: 0.8mm 0.7mm; } table.l td { overflow-wrap: anywhere; } table.l td.n { overflow-wrap: normal; }
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

/// Width of the page body on screen, in points.
const BODY_POINTS: f64 = 493.0;
/// Blank beside the text of a cell of a wide table, in points.
const PADDING_POINTS: f64 = 4.0;
/// Width of a digit as a share of the size of letters, in the widest of the fonts asked for.
const EM_OF_DIGIT: f64 = 0.58;
/// Longer words are broken.
const LONGEST_WORD: usize = 14;
/// Letters are not set smaller than this, in points.
const SMALLEST_POINTS: f64 = 4.5;
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
        "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        escaped(title),
        document.every_page.as_deref().map_or_else(String::new, every_page)
    );
    for block in &document.blocks {
        out.push_str(&block_text(block)?);
        out.push('\n');
    }
    out.push_str("</body>\n</html>\n");
    Ok(out)
}

/// The rule that prints a line on top of every page.
fn every_page(line: &str) -> String {
    let plain: String = line.chars().filter(|c| !c.is_control() && !"\"\\<>".contains(*c)).collect();
    format!("@page {{ @top-left {{ content: \"{plain}\"; font: 700 8pt sans-serif; }} }}\n")
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

/// Size of letters in points at which a table with long numbers fits the page; `None` where the usual size does.
/// Numbers are never broken, so their columns are as wide as their widest number.
fn size_of(table: &Table) -> Option<f64> {
    let columns = table.columns.len();
    let letters = |at: usize| {
        let cells = table.rows.iter().filter_map(move |row| row.cells.get(at)).map(|c| c.text.as_str());
        let number = table.columns[at].align == Align::Right;
        let word = move |text: &str| {
            let words = text.split(char::is_whitespace).map(UnicodeWidthStr::width).max().unwrap_or(0);
            if number { text.width() } else { words.min(LONGEST_WORD) }
        };
        let header = table.columns[at].header.split(char::is_whitespace).map(UnicodeWidthStr::width).max();
        cells.map(word).max().unwrap_or(0).max(header.unwrap_or(0))
    };
    let total: usize = (0..columns).map(letters).sum();
    let usual = if columns > WIDE_FROM { 7.0 } else { 8.6 };
    let room = BODY_POINTS - columns as f64 * PADDING_POINTS;
    let size = room / (EM_OF_DIGIT * total.max(1) as f64);
    (size < usual).then_some(size.max(SMALLEST_POINTS))
}

fn table_text(table: &Table) -> String {
    let class = |align: Align| if align == Align::Right { " class=\"n\"" } else { "" };
    let wide = table.columns.len() > WIDE_FROM;
    let mut out = match size_of(table) {
        Some(size) => format!("<table class=\"w l\" style=\"font-size:{size:.1}pt\">"),
        None => String::from(if wide { "<table class=\"w\">" } else { "<table>" }),
    };
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
    fn a_line_for_every_page_is_printed_in_its_margin_and_cannot_end_the_style() {
        let document = Document { every_page: Some("internal</style>\"".to_owned()), ..Document::default() };
        let html = render(&document, Language::English).unwrap();
        assert!(html.contains("@top-left { content: \"internal/style\"; "), "{html}");
        assert!(!render(&Document::default(), Language::English).unwrap().contains("@top-left"));
    }

    #[test]
    fn a_table_of_long_numbers_is_set_smaller() {
        use super::super::document::{Cell, Column, Row};
        let table = |amount: &str| {
            let columns = (0..13).map(|_| Column::right("Net", "net")).collect();
            Table::new(columns, [Row::new((0..13).map(|_| Cell::text(amount)))])
        };
        // 13 x 4 characters of 7 points are 211 points; 13 x 12 are 633, and only 441 are there: 4.9 points.
        assert_eq!(size_of(&table("1.00")), None);
        let size = size_of(&table("1,234,567.00")).unwrap();
        assert!((4.8..5.0).contains(&size), "{size}");
        assert!(table_text(&table("1,234,567.00")).contains("font-size:4.9pt"));
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
