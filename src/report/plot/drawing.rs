//! A plot as plain paths and texts, for documents that draw it themselves.

use super::marker::{Form, form};
use super::pattern::strokes;
use super::scene::{Anchor, Area, Dash, Ink, Pattern, Point, SOLID, Scene, Shape, Text};
use super::{PlotError, PlotModel, PlotSize, font, scene};
use crate::report::Language;

/// A colour, 0 to 255 each.
pub(in crate::report) type Rgb = (u8, u8, u8);

const WHITE: Rgb = (255, 255, 255);

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::report) struct Stroke {
    pub width: f64,
    pub dash: Dash,
    pub rgb: Rgb,
}

/// One thing of a drawing, in its own units from the upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) enum Piece {
    /// A line, or an area where it is closed.
    Path { points: Vec<Point>, closed: bool, fill: Option<Rgb>, stroke: Option<Stroke> },
    /// A circle.
    Circle { at: Point, radius: f64, fill: Option<Rgb>, stroke: Stroke },
    /// Text whose base line begins at a point.
    Text { content: String, at: Point, size: f64, upwards: bool, rgb: Rgb },
}

/// A plot without markers, patterns and anchors.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Drawing {
    pub width: f64,
    pub height: f64,
    pub pieces: Vec<Piece>,
}

/// The plot as paths and texts; the same picture as its SVG.
///
/// # Errors
/// When the size is out of range or the embedded font cannot be read.
pub(in crate::report) fn drawing(
    model: &PlotModel,
    language: Language,
    size: PlotSize,
) -> Result<Drawing, PlotError> {
    let scene: Scene = scene(model, language, size)?;
    let pieces = scene.shapes.iter().flat_map(pieces).collect();
    Ok(Drawing { width: scene.width, height: scene.height, pieces })
}

fn line(ink: Ink, width: f64) -> Stroke {
    Stroke { width, dash: SOLID, rgb: ink.rgb() }
}

fn pieces(shape: &Shape) -> Vec<Piece> {
    match shape {
        Shape::Line { points, width, dash, ink } => vec![Piece::Path {
            points: points.clone(),
            closed: false,
            fill: None,
            stroke: Some(Stroke { width: f64::from(*width), dash, rgb: ink.rgb() }),
        }],
        Shape::Marker { at, marker, radius, ink } => {
            let inside = |filled: bool| Some(if filled { ink.rgb() } else { WHITE });
            let stroke = line(*ink, 2.0);
            match form(*marker, *at, *radius) {
                Form::Circle { filled } => {
                    vec![Piece::Circle { at: *at, radius: *radius, fill: inside(filled), stroke }]
                }
                Form::Polygon { corners, filled } => vec![Piece::Path {
                    points: corners,
                    closed: true,
                    fill: inside(filled),
                    stroke: Some(stroke),
                }],
                Form::Strokes(lines) => lines.into_iter().map(|l| open(l.to_vec(), stroke)).collect(),
            }
        }
        Shape::Ring { at, radius, ink } => {
            vec![Piece::Circle { at: *at, radius: *radius, fill: None, stroke: line(*ink, 2.0) }]
        }
        Shape::Bar { area, pattern, ink } => {
            let inside = if *pattern == Pattern::Solid { ink.rgb() } else { WHITE };
            let stroke = line(*ink, 1.0);
            let mut out = vec![rectangle(*area, Some(inside), None)];
            out.extend(strokes(*area, *pattern).into_iter().map(|(a, b)| open(vec![a, b], stroke)));
            out.push(rectangle(*area, None, Some(stroke)));
            out
        }
        Shape::Backdrop(area) => vec![rectangle(*area, Some(WHITE), None)],
        Shape::Text(text) => vec![placed(text)],
    }
}

fn open(points: Vec<Point>, stroke: Stroke) -> Piece {
    Piece::Path { points, closed: false, fill: None, stroke: Some(stroke) }
}

fn rectangle(area: Area, fill: Option<Rgb>, stroke: Option<Stroke>) -> Piece {
    let (l, t, r, b) = (area.left, area.top, area.right, area.bottom);
    Piece::Path { points: vec![(l, t), (r, t), (r, b), (l, b)], closed: true, fill, stroke }
}

fn placed(text: &Text) -> Piece {
    let width = font::width(&text.content, text.size);
    let along = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let (x, y) = text.at;
    let at = if text.upwards { (x, y - along) } else { (x + along, y) };
    Piece::Text {
        content: text.content.clone(),
        at,
        size: text.size,
        upwards: text.upwards,
        rgb: text.ink.rgb(),
    }
}
