//! From blocks to pages.

use super::super::document::{Block, Document, Picture};
use super::super::plot::{PlotError, PlotSize, drawing};
use super::page::{Flow, MARGIN, Mark, PAGE_HEIGHT, PAGE_WIDTH, Page, TEXT_WIDTH, wrapped};
use super::picture::Placed;
use super::table;

const BODY: f64 = 9.5;
const SMALL: f64 = 8.0;
/// Height of a line as a multiple of its size.
pub(super) const LEADING: f64 = 1.4;
const LABEL_WIDTH: f64 = 136.0;

/// The pages of a document.
pub(super) fn pages(document: &Document) -> Result<Vec<Page>, PlotError> {
    let mut flow = Flow::new();
    let closing = closing(&document.blocks)?;
    for (i, block) in document.blocks.iter().enumerate() {
        if let Some((_, height)) = closing.filter(|(at, _)| *at == i) {
            flow.need(height);
        }
        put(block, &mut flow)?;
    }
    Ok(flow.finish(document.every_page.as_deref()))
}

/// The section before the last rule, which stays with what is below it, such as signatures: its first block, and the height of all. `None`
/// where that is more than half a page.
fn closing(blocks: &[Block]) -> Result<Option<(usize, f64)>, PlotError> {
    let rule = blocks.iter().rposition(|block| matches!(block, Block::Rule));
    let heading = |rule: usize| blocks[..rule].iter().rposition(|b| matches!(b, Block::Heading { .. }));
    let Some(first) = rule.and_then(heading).filter(|&first| first > 0) else { return Ok(None) };
    let mut alone = Flow::new();
    for block in &blocks[first..] {
        put(block, &mut alone)?;
    }
    Ok(alone.height().filter(|&height| height <= PAGE_HEIGHT / 2.0).map(|height| (first, height)))
}

/// A plot as wide as the text.
fn picture(plot: &Picture, flow: &mut Flow) -> Result<(), PlotError> {
    let drawing = drawing(&plot.model, plot.language, PlotSize::IN_DOCUMENT)?;
    let scale = TEXT_WIDTH / drawing.width;
    let height = drawing.height * scale;
    flow.need(height);
    let top = flow.top;
    flow.mark(Mark::Picture(Placed { left: MARGIN, top, scale, drawing }));
    flow.top += height + 5.0;
    Ok(())
}

fn put(block: &Block, flow: &mut Flow) -> Result<(), PlotError> {
    match block {
        Block::Heading { level, text } => heading(*level, text, flow),
        Block::Paragraph(text) => {
            lines(text, (MARGIN, TEXT_WIDTH), BODY, false, flow);
            flow.top += 3.0;
        }
        Block::Fields(pairs) => {
            for (label, text) in pairs {
                fields(label, text, flow);
            }
            flow.top += 4.0;
        }
        Block::Table(table) => {
            let table = table.for_people();
            if let Some(title) = &table.title {
                flow.need(60.0);
                lines(title, (MARGIN, TEXT_WIDTH), BODY, true, flow);
            }
            table::put(&table, flow);
            flow.top += 2.0;
            for note in &table.notes {
                lines(note, (MARGIN, TEXT_WIDTH), SMALL, false, flow);
            }
            flow.top += 5.0;
        }
        Block::List(items) => {
            for item in items {
                flow.need(BODY * LEADING);
                let base = flow.top + BODY;
                flow.mark(Mark::Text { left: MARGIN, base, size: BODY, bold: false, text: "·".to_owned() });
                lines(item, (MARGIN + 10.0, TEXT_WIDTH - 10.0), BODY, false, flow);
            }
            flow.top += 3.0;
        }
        Block::Code(code) => {
            for line in code {
                lines(line, (MARGIN + 8.0, TEXT_WIDTH - 8.0), SMALL, false, flow);
            }
        }
        Block::Picture(plot) => picture(plot, flow)?,
        Block::Rule => {
            flow.need(8.0);
            let at = flow.top + 4.0;
            flow.mark(Mark::Line { left: MARGIN, right: PAGE_WIDTH - MARGIN, at, gray: 0.6 });
            flow.top += 8.0;
        }
    }
    Ok(())
}

fn heading(level: u8, text: &str, flow: &mut Flow) {
    let (size, before) = match level {
        1 => (17.0, 0.0),
        2 => (12.5, 9.0),
        _ => (10.5, 6.0),
    };
    flow.need(before + size * LEADING + 30.0);
    if flow.top > MARGIN {
        flow.top += before;
    }
    lines(text, (MARGIN, TEXT_WIDTH), size, true, flow);
    if level == 1 {
        let at = flow.top + 1.0;
        flow.mark(Mark::Line { left: MARGIN, right: PAGE_WIDTH - MARGIN, at, gray: 0.3 });
        flow.top += 8.0;
    } else {
        flow.top += 2.0;
    }
}

/// Text between a left edge and a width, line by line.
fn lines(text: &str, (left, width): (f64, f64), size: f64, bold: bool, flow: &mut Flow) {
    for line in wrapped(text, size, width) {
        flow.need(size * LEADING);
        let base = flow.top + size;
        flow.mark(Mark::Text { left, base, size, bold, text: line });
        flow.top += size * LEADING;
    }
}

fn fields(label: &str, text: &str, flow: &mut Flow) {
    let labels = wrapped(label, BODY, LABEL_WIDTH - 8.0);
    let texts = wrapped(text, BODY, TEXT_WIDTH - LABEL_WIDTH);
    for i in 0..labels.len().max(texts.len()) {
        flow.need(BODY * LEADING);
        let base = flow.top + BODY;
        if let Some(text) = labels.get(i).cloned() {
            flow.mark(Mark::Text { left: MARGIN, base, size: BODY, bold: true, text });
        }
        if let Some(text) = texts.get(i).cloned() {
            flow.mark(Mark::Text { left: MARGIN + LABEL_WIDTH, base, size: BODY, bold: false, text });
        }
        flow.top += BODY * LEADING;
    }
}
