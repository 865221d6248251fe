//! The embedded font inside a PDF: cut down to what is shown, with the way back from glyphs to text.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Finish as _, Name, Pdf, Rect, Ref, Str};
use subsetter::GlyphRemapper;

use super::super::plot::font;
use super::PdfError;

/// Shown for a character that the font lacks.
const UNKNOWN: char = '?';
const NAME: Name<'static> = Name(b"ADVSUB+AdvisorPlotSans");

const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The font of one file.
pub(super) struct EmbeddedFont {
    remapper: GlyphRemapper,
    /// Character and width of each glyph of the file.
    glyphs: BTreeMap<u16, (char, f64)>,
    outlines: Vec<u8>,
}

impl EmbeddedFont {
    /// The font with the glyphs of these texts.
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, PdfError> {
        let mut remapper = GlyphRemapper::new();
        let mut glyphs = BTreeMap::new();
        let mut characters: Vec<char> = texts.flat_map(str::chars).chain([UNKNOWN]).collect();
        characters.sort_unstable();
        characters.dedup();
        for c in characters {
            if let Some((glyph, width)) = font::glyph(c) {
                glyphs.entry(remapper.remap(glyph)).or_insert((c, width));
            }
        }
        let file =
            subsetter::subset(font::bytes(), 0, &remapper).map_err(|e| PdfError::Font(format!("{e:?}")))?;
        let outlines = outlines(&file).ok_or_else(|| PdfError::Font("it has no outlines".to_owned()))?;
        Ok(Self { remapper, glyphs, outlines })
    }

    /// A text as two bytes a glyph.
    pub(super) fn encoded(&self, text: &str) -> Vec<u8> {
        let glyph = |c: char| font::glyph(c).and_then(|(glyph, _)| self.remapper.get(glyph));
        let unknown = glyph(UNKNOWN).unwrap_or(0);
        text.chars().flat_map(|c| glyph(c).unwrap_or(unknown).to_be_bytes()).collect()
    }

    /// Writes the five objects of the font.
    pub(super) fn write(&self, pdf: &mut Pdf, [font, cid, descriptor, to_unicode, file]: [Ref; 5]) {
        pdf.type0_font(font)
            .base_font(NAME)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(to_unicode);
        let mut cid_font = pdf.cid_font(cid);
        cid_font.subtype(CidFontType::Type0).base_font(NAME).system_info(SYSTEM);
        cid_font.font_descriptor(descriptor).default_width(1000.0);
        let mut widths = cid_font.widths();
        for (&id, &(_, width)) in &self.glyphs {
            widths.same(id, id, width as f32);
        }
        widths.finish();
        cid_font.finish();
        pdf.font_descriptor(descriptor)
            .name(NAME)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(-1000.0, -1050.0, 2930.0, 1810.0))
            .italic_angle(0.0)
            .ascent(880.0)
            .descent(-120.0)
            .cap_height(733.0)
            .stem_v(80.0)
            .font_file3(file);
        let mut map = UnicodeCmap::new(Name(b"Custom"), SYSTEM);
        for (&id, &(c, _)) in &self.glyphs {
            map.pair(id, c);
        }
        pdf.cmap(to_unicode, &map.finish());
        pdf.stream(file, &self.outlines).pair(Name(b"Subtype"), Name(b"CIDFontType0C"));
    }
}

/// The `CFF ` table of an OpenType file.
fn outlines(file: &[u8]) -> Option<Vec<u8>> {
    let u16_at = |at: usize| Some(u16::from_be_bytes(file.get(at..at + 2)?.try_into().ok()?));
    let u32_at = |at: usize| Some(u32::from_be_bytes(file.get(at..at + 4)?.try_into().ok()?) as usize);
    (0..usize::from(u16_at(4)?)).map(|i| 12 + 16 * i).find_map(|at| {
        (file.get(at..at + 4)? == b"CFF ")
            .then(|| Some(file.get(u32_at(at + 8)?..)?.get(..u32_at(at + 12)?)?.to_vec()))?
    })
}
