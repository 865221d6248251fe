//! Pictures inside PDF pages: paths and texts of a plot, scaled to the width of the text.

use pdf_writer::{Content, Name, Str};

use super::super::plot::{Drawing, Piece, Rgb, Stroke};
use super::font::EmbeddedFont;
use super::page::PAGE_HEIGHT;

/// Where a picture stands, in points from the upper left corner of the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub left: f64,
    pub top: f64,
    /// Points for one unit of the drawing.
    pub scale: f64,
    pub drawing: Drawing,
}

impl Placed {
    /// Its texts.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.drawing
            .pieces
            .iter()
            .filter_map(|p| if let Piece::Text { content, .. } = p { Some(content.as_str()) } else { None })
    }

    /// A point of the drawing on the page; PDF counts from the lower left corner.
    fn at(&self, (x, y): (f64, f64)) -> (f32, f32) {
        ((self.left + x * self.scale) as f32, (PAGE_HEIGHT - self.top - y * self.scale) as f32)
    }

    /// Draws it.
    pub(super) fn draw(&self, content: &mut Content, font: (&EmbeddedFont, Name<'_>)) {
        content.save_state();
        for piece in &self.drawing.pieces {
            match piece {
                Piece::Path { points, closed, fill, stroke } => {
                    self.path(content, points, *closed);
                    self.paint(content, *fill, *stroke, *closed);
                }
                Piece::Circle { at, radius, fill, stroke } => {
                    self.circle(content, *at, *radius);
                    self.paint(content, *fill, Some(*stroke), true);
                }
                Piece::Text { content: text, at, size, upwards, rgb } => {
                    let (x, y) = self.at(*at);
                    let [r, g, b] = color(*rgb);
                    content.set_fill_rgb(r, g, b);
                    content.begin_text().set_font(font.1, (size * self.scale) as f32);
                    let turn = if *upwards { [0.0, 1.0, -1.0, 0.0] } else { [1.0, 0.0, 0.0, 1.0] };
                    content.set_text_matrix([turn[0], turn[1], turn[2], turn[3], x, y]);
                    content.show(Str(&font.0.encoded(text))).end_text();
                }
            }
        }
        content.restore_state();
    }

    fn path(&self, content: &mut Content, points: &[(f64, f64)], closed: bool) {
        for (i, point) in points.iter().enumerate() {
            let (x, y) = self.at(*point);
            if i == 0 {
                content.move_to(x, y)
            } else {
                content.line_to(x, y)
            };
        }
        if closed {
            content.close_path();
        }
    }

    /// Four curves; 0.5523 of the radius is where their handles stand.
    fn circle(&self, content: &mut Content, (x, y): (f64, f64), r: f64) {
        let k = 0.552_285 * r;
        let p = |dx: f64, dy: f64| self.at((x + dx, y + dy));
        let (sx, sy) = p(r, 0.0);
        content.move_to(sx, sy);
        let quarters = [
            [(r, k), (k, r), (0.0, r)],
            [(-k, r), (-r, k), (-r, 0.0)],
            [(-r, -k), (-k, -r), (0.0, -r)],
            [(k, -r), (r, -k), (r, 0.0)],
        ];
        for [a, b, c] in quarters {
            let ((ax, ay), (bx, by), (cx, cy)) = (p(a.0, a.1), p(b.0, b.1), p(c.0, c.1));
            content.cubic_to(ax, ay, bx, by, cx, cy);
        }
        content.close_path();
    }

    fn paint(&self, content: &mut Content, fill: Option<Rgb>, stroke: Option<Stroke>, closed: bool) {
        if let Some(rgb) = fill {
            let [r, g, b] = color(rgb);
            content.set_fill_rgb(r, g, b);
        }
        if let Some(stroke) = stroke {
            let [r, g, b] = color(stroke.rgb);
            content.set_stroke_rgb(r, g, b).set_line_width((stroke.width * self.scale) as f32);
            content.set_dash_pattern(stroke.dash.iter().map(|d| (d * self.scale) as f32), 0.0);
        }
        match (fill.is_some() && closed, stroke.is_some()) {
            (true, true) => content.fill_nonzero_and_stroke(),
            (true, false) => content.fill_nonzero(),
            (false, true) => content.stroke(),
            (false, false) => content.end_path(),
        };
    }
}

fn color((r, g, b): Rgb) -> [f32; 3] {
    [r, g, b].map(|part| f32::from(part) / 255.0)
}
