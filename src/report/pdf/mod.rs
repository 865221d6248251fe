//! Rendering as a PDF for A4 with the embedded font, cut down to the glyphs that are shown.
//!
//! The same document always gives the same bytes: nothing in the file tells when it was made.

mod font;
mod layout;
mod page;
mod picture;
mod table;

use pdf_writer::types::TextRenderingMode;
use pdf_writer::{Content, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};

use super::document::{Block, Document};
use super::language::Language;
use super::phrases::quote as phrase;
use super::plot::PlotError;
use font::EmbeddedFont;
use page::{Mark, PAGE_HEIGHT, PAGE_WIDTH, Page};

/// Why a PDF could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The embedded font cannot be cut down, which is a mistake of the build.
    #[error("the embedded font cannot be put into the PDF: {0}")]
    Font(String),
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

const FONT: Name<'static> = Name(b"F1");

/// The document as a PDF file. Characters that the font lacks are shown as `?` and
/// named in a last line; [`missing`] lists them.
///
/// # Errors
/// When the embedded font cannot be cut down, or a plot cannot be drawn.
pub fn render(document: &Document, language: Language) -> Result<Vec<u8>, PdfError> {
    let lacking = missing(document)?;
    let pages = if lacking.is_empty() {
        layout::pages(document)?
    } else {
        // The reader of the file sees that something is not as it was written, and which characters.
        let codes: Vec<String> = lacking.iter().map(|&c| format!("U+{:04X}", u32::from(c))).collect();
        let line = phrase::NOT_PRINTABLE.fill(language, &[&codes.join(", ")]);
        let mut said = document.clone();
        said.push(Block::paragraph(line));
        layout::pages(&said)?
    };
    let font = EmbeddedFont::of(pages.iter().flat_map(Page::texts))?;
    let mut pdf = Pdf::new();
    let (catalog, tree, info) = (Ref::new(1), Ref::new(2), Ref::new(3));
    let fonts = [4, 5, 6, 7, 8].map(Ref::new);
    let first = 10;
    let page_ids: Vec<Ref> = (0..pages.len()).map(|i| Ref::new(first + 2 * i as i32)).collect();
    let lang = if language == Language::Chinese { "zh-Hans" } else { "en" };
    pdf.catalog(catalog).pages(tree).lang(TextStr(lang));
    pdf.pages(tree).kids(page_ids.iter().copied()).count(pages.len() as i32);
    pdf.document_info(info).producer(TextStr("gpu-advisor"));
    for (page, &id) in pages.iter().zip(&page_ids) {
        let content_id = Ref::new(id.get() + 1);
        let mut entry = pdf.page(id);
        entry.media_box(Rect::new(0.0, 0.0, PAGE_WIDTH as f32, PAGE_HEIGHT as f32));
        entry.parent(tree);
        entry.contents(content_id);
        entry.resources().fonts().pair(FONT, fonts[0]);
        entry.finish();
        pdf.stream(content_id, &content(page, &font));
    }
    font.write(&mut pdf, fonts);
    Ok(pdf.finish())
}

/// Characters of the document that the font has no glyph for.
///
/// # Errors
/// When a plot cannot be drawn.
pub fn missing(document: &Document) -> Result<Vec<char>, PdfError> {
    let pages = layout::pages(document)?;
    let mut out: Vec<char> = pages
        .iter()
        .flat_map(Page::texts)
        .flat_map(str::chars)
        .filter(|&c| super::plot::font::glyph(c).is_none())
        .collect();
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

/// Drawing operators of a page; PDF counts from the lower left corner.
fn content(page: &Page, font: &EmbeddedFont) -> Vec<u8> {
    let mut content = Content::new();
    for mark in &page.marks {
        match mark {
            Mark::Fill { left, top, width, height, gray } => {
                content.set_fill_gray(*gray as f32);
                let bottom = PAGE_HEIGHT - top - height;
                content.rect(*left as f32, bottom as f32, *width as f32, *height as f32).fill_nonzero();
            }
            Mark::Line { left, right, at, gray } => {
                let y = (PAGE_HEIGHT - at) as f32;
                content.set_stroke_gray(*gray as f32).set_line_width(0.5);
                content.move_to(*left as f32, y).line_to(*right as f32, y).stroke();
            }
            Mark::Picture(picture) => picture.draw(&mut content, (font, FONT)),
            Mark::Text { left, base, size, bold, text } => {
                content.set_fill_gray(0.1).set_stroke_gray(0.1);
                content.begin_text().set_font(FONT, *size as f32);
                let mode = if *bold { TextRenderingMode::FillStroke } else { TextRenderingMode::Fill };
                content.set_text_rendering_mode(mode).set_line_width((size * 0.025) as f32);
                content.next_line(*left as f32, (PAGE_HEIGHT - base) as f32);
                content.show(Str(&font.encoded(text))).end_text();
            }
        }
    }
    content.finish().to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::document::{Block, Cell, Column, Row, Table};
    use super::*;

    fn long_document() -> Document {
        let rows = (0..200).map(|i| Row::new([Cell::text(format!("line {i} 存储")), Cell::count(i)]));
        let columns = vec![Column::left("名称", "name"), Column::right("Amount", "amount")];
        Document::new(vec![Block::heading(1, "报价单"), Table::new(columns, rows).into()])
    }

    #[test]
    fn what_is_signed_never_stands_alone_on_a_page() {
        for lines in 20..60 {
            let paragraphs = (0..lines).map(|i| Block::paragraph(format!("condition {i}")));
            let rows = [Row::new([Cell::text("flavor"), Cell::text("2026-11-30")])];
            let columns = vec![Column::left("Code", "code"), Column::left("Date", "date")];
            let mut blocks = vec![Block::heading(1, "Quote")];
            blocks.extend(paragraphs);
            blocks.extend([Block::heading(3, "Prices"), Table::new(columns, rows).into(), Block::Rule]);
            blocks.push(Block::fields([("For the seller", "____"), ("For the customer", "____")]));
            let pages = layout::pages(&Document::new(blocks)).unwrap();
            let last: Vec<&str> = pages.last().unwrap().texts().collect();
            assert!(last.contains(&"For the seller") && last.contains(&"Prices"), "{lines}: {last:?}");
        }
    }

    #[test]
    fn a_long_table_goes_over_several_pages_and_repeats_its_header() {
        let pages = layout::pages(&long_document()).unwrap();
        assert!(pages.len() >= 4, "{}", pages.len());
        for page in &pages {
            assert!(page.texts().any(|t| t == "Amount"));
            assert!(page.marks.iter().all(Mark::is_on_paper), "something is off the page");
        }
    }

    #[test]
    fn long_numbers_are_set_smaller_and_never_broken_and_every_page_says_whose_copy_it_is() {
        let amounts = ["12,345,678,901,234.00", "9,876,543,210.00", "1,234,567,890.50"];
        let columns = (0..13).map(|i| match i {
            1 | 2 | 5 => Column::left("Description", "description"),
            _ => Column::right("List amount", "list"),
        });
        let cell = |i: usize| match i {
            0 | 3 => Cell::count(1),
            1 | 2 | 5 => Cell::text("p2s.16xlarge.8 · on demand"),
            _ => Cell::text(amounts[i % 3]),
        };
        let table = Table::new(columns.collect(), (0..80).map(|_| Row::new((0..13).map(cell))));
        let mut document = Document::new(vec![table.into()]);
        document.every_page = Some("INTERNAL COPY".to_owned());
        let pages = layout::pages(&document).unwrap();
        assert!(pages.len() > 1);
        for page in &pages {
            assert!(page.marks.iter().all(Mark::is_on_paper));
            assert!(page.texts().any(|t| t == "INTERNAL COPY"));
            let numbers: Vec<&str> = page.texts().filter(|t| t.contains('.') && t.contains(',')).collect();
            assert!(numbers.iter().all(|t| amounts.contains(t)), "{numbers:?}");
        }
    }

    #[test]
    fn the_file_is_small_repeats_and_embeds_the_font() {
        let one = render(&long_document(), Language::Chinese).unwrap();
        assert_eq!(one, render(&long_document(), Language::Chinese).unwrap());
        assert!(one.starts_with(b"%PDF-") && one.len() < 200_000, "{}", one.len());
        let has = |text: &[u8]| one.windows(text.len()).any(|w| w == text);
        assert!(has(b"/FontFile3") && has(b"/ToUnicode"));
    }

    #[test]
    fn characters_without_a_glyph_are_listed_and_the_page_says_so() {
        let document = Document::new(vec![Block::paragraph("ok 中文 \u{10fffd}")]);
        assert_eq!(missing(&document).unwrap(), ['\u{10fffd}']);
        let file = render(&document, Language::English).unwrap();
        let sound = Document::new(vec![Block::paragraph("ok 中文 ?")]);
        assert!(file.len() > render(&sound, Language::English).unwrap().len() + 200);
    }
}
