//! The embedded font: measuring, breaking and rasterising text.
//!
//! plotters can draw text itself, but places glyphs on whole pixels without their bearing, which makes words
//! uneven at reading sizes; pixels therefore come from here, and SVG viewers bring their own font.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use super::PlotError;

/// Noto Sans CJK SC, cut down and renamed; see `fonts/OFL.txt`.
const BYTES: &[u8] = include_bytes!("fonts/advisor-plot-sans.otf");

/// What an SVG asks its viewer for: the original first, then what is likely to be there.
pub(super) const FAMILY: &str =
    "Noto Sans CJK SC, Noto Sans SC, PingFang SC, Microsoft YaHei, Arial, sans-serif";

/// Height of a line of text above its base line, in em.
pub(super) const ASCENT: f64 = 0.82;
/// Depth of a line of text below its base line, in em.
pub(super) const DESCENT: f64 = 0.22;

fn font() -> Option<&'static FontRef<'static>> {
    static FONT: OnceLock<Option<FontRef<'static>>> = OnceLock::new();
    FONT.get_or_init(|| FontRef::try_from_slice(BYTES).ok()).as_ref()
}

/// Makes sure that text can be measured and drawn.
pub(super) fn check() -> Result<(), PlotError> {
    font().map(|_| ()).ok_or(PlotError::Font)
}

/// The scale at which an em is `size` pixels; ab_glyph itself counts from ascent to descent.
fn scale(font: &FontRef<'_>, size: f64) -> PxScale {
    let em = font.units_per_em().unwrap_or(1000.0);
    PxScale::from(size as f32 * font.height_unscaled() / em)
}

/// The font file, for formats that embed it.
pub(in crate::report) const fn bytes() -> &'static [u8] {
    BYTES
}

/// The glyph of a character and its width in thousandths of an em; `None` when the font has none.
pub(in crate::report) fn glyph(c: char) -> Option<(u16, f64)> {
    let font = font()?;
    let id = font.glyph_id(c);
    let em = f64::from(font.units_per_em().unwrap_or(1000.0));
    (id.0 != 0).then(|| (id.0, f64::from(font.h_advance_unscaled(id)) / em * 1000.0))
}

/// Width of a text in pixels.
pub(in crate::report) fn width(text: &str, size: f64) -> f64 {
    let Some(font) = font() else { return 0.0 };
    let font = font.as_scaled(scale(font, size));
    text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
}

/// The pixels of a text whose base line starts at the origin: across, down, and how much is covered, 0 to 1.
pub(super) fn rasterise(text: &str, size: f64, mut pixel: impl FnMut(i32, i32, f64)) {
    let Some(font) = font() else { return };
    let scale = scale(font, size);
    let scaled = font.as_scaled(scale);
    let mut across = 0.0;
    for c in text.chars() {
        let id = scaled.glyph_id(c);
        if let Some(outline) = font.outline_glyph(id.with_scale_and_position(scale, point(across, 0.0))) {
            let origin = outline.px_bounds().min;
            outline.draw(|x, y, cover| {
                pixel(origin.x as i32 + x as i32, origin.y as i32 + y as i32, f64::from(cover.min(1.0)));
            });
        }
        across += scaled.h_advance(id);
    }
}

/// True when the font has a glyph for the character.
#[cfg(test)]
pub(super) fn has(c: char) -> bool {
    font().is_some_and(|font| font.glyph_id(c).0 != 0)
}

/// The text, cut with an ellipsis to at most `limit` pixels.
pub(super) fn cut(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() {
        let shortened = format!("{}…", kept.trim_end());
        if width(&shortened, size) <= limit {
            return shortened;
        }
    }
    String::new()
}

/// Lines of at most `limit` pixels, broken at spaces where there are some; at most `count`, the last one cut.
pub(super) fn lines(text: &str, size: f64, limit: f64, count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && lines.len() < count {
        if lines.len() + 1 == count || width(rest, size) <= limit {
            lines.push(cut(rest, size, limit));
            break;
        }
        let fitting = rest
            .char_indices()
            .map(|(i, c)| i + c.len_utf8())
            .take_while(|&end| width(&rest[..end], size) <= limit)
            .last()
            .unwrap_or_else(|| rest.chars().next().map_or(0, char::len_utf8));
        let end = match rest[..fitting].rfind(' ') {
            Some(space) if space > fitting / 2 => space,
            _ => fitting,
        };
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Language, phrases};

    #[test]
    fn the_font_has_every_character_of_every_drawn_phrase_and_all_printable_ascii() {
        assert!(!has('\u{10fffd}'));
        let phrases: String = phrases::drawn()
            .flat_map(|(_, phrase)| Language::ALL.map(|language| phrase.text(language)))
            .collect();
        let symbols = (' '..='~').chain("·–×≤≥µ€¥￥…".chars());
        let missing: String = phrases.chars().chain(symbols).filter(|&c| !has(c)).collect();
        assert_eq!(missing, "");
    }

    #[test]
    fn text_is_cut_with_an_ellipsis_and_broken_at_spaces() {
        assert_eq!(cut("short", 12.0, 200.0), "short");
        let cut_text = cut(&"long ".repeat(40), 12.0, 100.0);
        assert!(cut_text.ends_with('…') && width(&cut_text, 12.0) <= 100.0, "{cut_text}");
        let broken = lines("eight nodes of eight GPUs each, and then some more words", 12.0, 120.0, 3);
        assert!(broken.len() > 1 && broken.iter().all(|line| width(line, 12.0) <= 120.0), "{broken:?}");
        assert_eq!(broken[0], "eight nodes of eight");
        assert!(lines("任意长的中文标题", 12.0, 1.0, 2).len() <= 2);
    }

    #[test]
    fn text_is_drawn_as_wide_as_it_is_measured() {
        let (mut left, mut right) = (i32::MAX, i32::MIN);
        rasterise("H8 节点 H", 20.0, |x, _, cover| {
            if cover > 0.1 {
                left = left.min(x);
                right = right.max(x);
            }
        });
        let drawn = f64::from(right - left + 1);
        let measured = width("H8 节点 H", 20.0);
        assert!(drawn <= measured && drawn > measured - 6.0, "{drawn} of {measured}");
        assert_eq!(width("节点", 20.0).round(), 40.0);
    }
}
