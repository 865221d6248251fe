//! Drawing a scene with plotters, as SVG text or as pixels.

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text as TextElement};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle, TextStyle, WHITE,
};

use super::marker::{Form, form};
use super::pattern::strokes;
use super::scene::{Anchor, Area, Dash, Ink, Marker, Pattern, Point, Scene, Shape, Text};
use super::{PlotError, PlotSize, font};

/// How far the base line lies below the position of a text that is anchored at its top, in em; the `dy` that the
/// SVG back end writes.
const SVG_BASE_LINE: f64 = 0.76;
/// The SVG back end divides the size of a font by this number.
const SVG_SIZE_PER_EM: f64 = 1.24;

/// Opacity of the white behind a label.
const BACKDROP: f64 = 0.8;

pub(super) fn svg(scene: &Scene, size: PlotSize) -> Result<String, PlotError> {
    let mut text = String::new();
    {
        let backend = SVGBackend::with_string(&mut text, (size.width, size.height));
        Canvas { area: backend.into_drawing_area(), text: svg_text }.draw(scene)?;
    }
    Ok(with_text_lengths(&text, scene))
}

/// States the length of every text as it was laid out, so that a viewer with another font keeps to it.
fn with_text_lengths(svg: &str, scene: &Scene) -> String {
    let mut texts = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Text(text) => Some(font::width(&text.content, text.size)),
        _ => None,
    });
    let mut out = String::with_capacity(svg.len() + svg.len() / 8);
    for (i, part) in svg.split("<text ").enumerate() {
        if i > 0 {
            out.push_str("<text ");
            if let Some(width) = texts.next() {
                let length = format!("textLength=\"{width:.0}\" lengthAdjust=\"spacingAndGlyphs\" ");
                out.push_str(&length);
            }
        }
        out.push_str(part);
    }
    out
}

pub(super) fn png(scene: &Scene, size: PlotSize) -> Result<Vec<u8>, PlotError> {
    let mut pixels = vec![u8::MAX; size.width as usize * size.height as usize * 3];
    {
        let backend = BitMapBackend::with_buffer(&mut pixels, (size.width, size.height));
        Canvas { area: backend.into_drawing_area(), text: bitmap_text }.draw(scene)?;
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size.width, size.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(file)
}

struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    text: fn(&DrawingArea<B, Shift>, &Text) -> Result<(), PlotError>,
}

impl<B: DrawingBackend> Canvas<B> {
    fn draw(&self, scene: &Scene) -> Result<(), PlotError> {
        self.area.fill(&WHITE).map_err(failed)?;
        for shape in &scene.shapes {
            match shape {
                Shape::Line { points, width, dash, ink } => {
                    for piece in dashes(points, dash) {
                        self.path(&piece, color(*ink).stroke_width(*width))?;
                    }
                }
                Shape::Marker { at, marker, radius, ink } => self.marker(*at, *marker, *radius, *ink)?,
                Shape::Ring { at, radius, ink } => {
                    let style = color(*ink).stroke_width(2);
                    self.area.draw(&Circle::new(pixel(*at), *radius, style)).map_err(failed)?;
                }
                Shape::Bar { area, pattern, ink } => self.bar(*area, *pattern, *ink)?,
                Shape::Backdrop(area) => {
                    let corners = [pixel((area.left, area.top)), pixel((area.right, area.bottom))];
                    self.area.draw(&Rectangle::new(corners, WHITE.mix(BACKDROP).filled())).map_err(failed)?;
                }
                Shape::Text(text) => (self.text)(&self.area, text)?,
            }
        }
        self.area.present().map_err(failed)
    }

    fn path(&self, points: &[Point], style: ShapeStyle) -> Result<(), PlotError> {
        let points: Vec<(i32, i32)> = points.iter().copied().map(pixel).collect();
        self.area.draw(&PathElement::new(points, style)).map_err(failed)
    }

    fn bar(&self, area: Area, pattern: Pattern, ink: Ink) -> Result<(), PlotError> {
        let corners = [pixel((area.left, area.top)), pixel((area.right, area.bottom))];
        let inside = if pattern == Pattern::Solid { color(ink).filled() } else { WHITE.filled() };
        self.area.draw(&Rectangle::new(corners, inside)).map_err(failed)?;
        for (a, b) in strokes(area, pattern) {
            self.path(&[a, b], color(ink).stroke_width(1))?;
        }
        self.area.draw(&Rectangle::new(corners, color(ink).stroke_width(1))).map_err(failed)
    }

    /// A closed outline on white, filled or not.
    fn outline(&self, corners: &[Point], filled: bool, ink: Ink) -> Result<(), PlotError> {
        let points: Vec<(i32, i32)> = corners.iter().copied().map(pixel).collect();
        let inside = if filled { color(ink).filled() } else { WHITE.filled() };
        self.area.draw(&Polygon::new(points, inside)).map_err(failed)?;
        let closed: Vec<Point> = corners.iter().chain(corners.first()).copied().collect();
        self.path(&closed, color(ink).stroke_width(2))
    }

    fn circle(&self, at: Point, radius: f64, filled: bool, ink: Ink) -> Result<(), PlotError> {
        let inside = if filled { color(ink).filled() } else { WHITE.filled() };
        self.area.draw(&Circle::new(pixel(at), radius, inside)).map_err(failed)?;
        self.area.draw(&Circle::new(pixel(at), radius, color(ink).stroke_width(2))).map_err(failed)
    }

    fn marker(&self, at: Point, marker: Marker, r: f64, ink: Ink) -> Result<(), PlotError> {
        match form(marker, at, r) {
            Form::Circle { filled } => self.circle(at, r, filled, ink),
            Form::Polygon { corners, filled } => self.outline(&corners, filled, ink),
            Form::Strokes(lines) => {
                lines.iter().try_for_each(|line| self.path(line, color(ink).stroke_width(2)))
            }
        }
    }
}

/// Text as text, for the viewer's font.
fn svg_text<B: DrawingBackend>(area: &DrawingArea<B, Shift>, text: &Text) -> Result<(), PlotError> {
    let h_pos = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let shift = SVG_BASE_LINE * text.size;
    let (x, y) = text.at;
    let (at, turn) = if text.upwards {
        ((x - shift, y), FontTransform::Rotate270)
    } else {
        ((x, y - shift), FontTransform::None)
    };
    let ink = color(text.ink);
    let family = FontFamily::Name(font::FAMILY);
    let style = FontDesc::new(family, text.size * SVG_SIZE_PER_EM, FontStyle::Normal).transform(turn);
    let style = TextStyle::from(style).color(&ink).pos(Pos::new(h_pos, VPos::Top));
    area.draw(&TextElement::new(text.content.as_str(), pixel(at), style)).map_err(failed)
}

/// Text as pixels, from the embedded font.
fn bitmap_text<B: DrawingBackend>(area: &DrawingArea<B, Shift>, text: &Text) -> Result<(), PlotError> {
    let width = font::width(&text.content, text.size);
    let start = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let along = start.round() as i32;
    let (x, y) = pixel(text.at);
    let ink = color(text.ink);
    let mut result = Ok(());
    font::rasterise(&text.content, text.size, |dx, dy, cover| {
        let at = if text.upwards { (x + dy, y - along - dx) } else { (x + along + dx, y + dy) };
        if result.is_ok() && cover > 0.0 {
            result = area.draw_pixel(at, &ink.mix(cover)).map_err(failed);
        }
    });
    result
}

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError::Draw(error.to_string())
}

fn color(ink: Ink) -> RGBColor {
    let (r, g, b) = ink.rgb();
    RGBColor(r, g, b)
}

fn pixel((x, y): Point) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// The drawn pieces of a line under a dash pattern.
fn dashes(points: &[Point], dash: Dash) -> Vec<Vec<Point>> {
    if dash.is_empty() {
        return vec![points.to_vec()];
    }
    let (mut pieces, mut piece) = (Vec::new(), points.first().map_or_else(Vec::new, |&p| vec![p]));
    let (mut index, mut left) = (0, dash[0]);
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length < left {
                left -= length;
                if index % 2 == 0 {
                    piece.push(to);
                }
                break;
            }
            let share = if length > 0.0 { left / length } else { 1.0 };
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            if index % 2 == 0 {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            index = (index + 1) % dash.len();
            left = dash[index];
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dashed_line_is_drawn_in_pieces_and_goes_round_corners() {
        let pieces = dashes(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)], &[4.0, 4.0]);
        assert_eq!(
            pieces,
            [
                vec![(0.0, 0.0), (4.0, 0.0)],
                vec![(8.0, 0.0), (10.0, 0.0), (10.0, 2.0)],
                vec![(10.0, 6.0), (10.0, 10.0)]
            ]
        );
        assert_eq!(dashes(&[(0.0, 0.0), (1.0, 0.0)], &[]).len(), 1);
        assert!(dashes(&[], &[4.0, 4.0]).is_empty());
    }
}
