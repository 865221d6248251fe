//! Pages and what is drawn on them, in points from the upper left corner.

use super::picture::Placed;

/// A4.
pub(super) const PAGE_WIDTH: f64 = 595.28;
/// A4.
pub(super) const PAGE_HEIGHT: f64 = 841.89;
/// Blank border.
pub(super) const MARGIN: f64 = 42.0;
/// Width of the text.
pub(super) const TEXT_WIDTH: f64 = PAGE_WIDTH - 2.0 * MARGIN;
/// Lower end of the text; page numbers stand below.
pub(super) const BOTTOM: f64 = PAGE_HEIGHT - 50.0;

/// One thing on a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    /// A grey area.
    Fill { left: f64, top: f64, width: f64, height: f64, gray: f64 },
    /// A level line.
    Line { left: f64, right: f64, at: f64, gray: f64 },
    /// Text on its base line.
    Text { left: f64, base: f64, size: f64, bold: bool, text: String },
    /// A plot.
    Picture(Placed),
}

impl Mark {
    /// True when nothing of it leaves the paper.
    #[cfg(test)]
    pub(super) fn is_on_paper(&self) -> bool {
        let (left, right, top, bottom) = match self {
            Self::Picture(p) => {
                let (width, height) = (p.drawing.width * p.scale, p.drawing.height * p.scale);
                (p.left, p.left + width, p.top, p.top + height)
            }
            Self::Fill { left, top, width, height, .. } => (*left, left + width, *top, top + height),
            Self::Line { left, right, at, .. } => (*left, *right, *at, *at),
            Self::Text { left, base, size, text, .. } => {
                (*left, left + super::super::plot::font::width(text, *size), base - size, *base)
            }
        };
        left >= 0.0 && right <= PAGE_WIDTH && top >= 0.0 && bottom <= PAGE_HEIGHT
    }
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Page {
    pub(super) marks: Vec<Mark>,
}

impl Page {
    /// Its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.marks.iter().flat_map(|mark| -> Vec<&str> {
            match mark {
                Mark::Text { text, .. } => vec![text],
                Mark::Picture(picture) => picture.texts().collect(),
                _ => Vec::new(),
            }
        })
    }
}

/// Pages while they are filled from top to bottom.
#[derive(Debug)]
pub(super) struct Flow {
    pages: Vec<Page>,
    current: Page,
    /// Where the next thing goes.
    pub(super) top: f64,
}

impl Flow {
    pub(super) fn new() -> Self {
        Self { pages: Vec::new(), current: Page::default(), top: MARGIN }
    }

    /// Starts a new page unless so much room is left; true when it did.
    pub(super) fn need(&mut self, height: f64) -> bool {
        if self.top + height <= BOTTOM || self.current.marks.is_empty() {
            return false;
        }
        self.pages.push(std::mem::take(&mut self.current));
        self.top = MARGIN;
        true
    }

    /// Height of what was put on it, while it is one page.
    pub(super) fn height(&self) -> Option<f64> {
        self.pages.is_empty().then_some(self.top - MARGIN)
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        self.current.marks.push(mark);
    }

    /// The pages with their numbers, and a line on top of each.
    pub(super) fn finish(mut self, every_page: Option<&str>) -> Vec<Page> {
        self.pages.push(self.current);
        let count = self.pages.len();
        for (i, page) in self.pages.iter_mut().enumerate() {
            if let Some(line) = every_page {
                let text = line.to_owned();
                page.marks.push(Mark::Text {
                    left: MARGIN,
                    base: MARGIN - 14.0,
                    size: 8.0,
                    bold: true,
                    text,
                });
            }
            let text = format!("{} / {count}", i + 1);
            let width = super::super::plot::font::width(&text, 8.0);
            page.marks.push(Mark::Text {
                left: PAGE_WIDTH - MARGIN - width,
                base: PAGE_HEIGHT - 26.0,
                size: 8.0,
                bold: false,
                text,
            });
        }
        self.pages
    }
}

/// Lines no wider than `limit`: broken at spaces, between Chinese characters, or inside a word that has no other
/// place.
pub(super) fn wrapped(text: &str, size: f64, limit: f64) -> Vec<String> {
    let width = |c: char| super::super::plot::font::width(c.encode_utf8(&mut [0; 4]), size);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let (mut line, mut used) = (String::new(), 0.0);
        let mut last_break = None;
        for c in paragraph.chars().map(|c| if c.is_control() { ' ' } else { c }) {
            let w = width(c);
            if used + w > limit && !line.is_empty() {
                let rest = match last_break {
                    Some(at) if at > 0 && at < line.len() => line.split_off(at),
                    _ => String::new(),
                };
                lines.push(line.trim_end().to_owned());
                rest.trim_start().clone_into(&mut line);
                used = line.chars().map(width).sum();
                last_break = None;
            }
            if !(line.is_empty() && c == ' ') {
                line.push(c);
                used += w;
            }
            if c == ' ' || c == '/' || (c as u32) > 0x2e80 {
                last_break = Some(line.len());
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}
