//! Markers as outlines that any back end can draw.

use super::scene::{Marker, Point};

/// The outline of a marker.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// A circle of the marker's radius.
    Circle { filled: bool },
    /// A closed outline.
    Polygon { corners: Vec<Point>, filled: bool },
    /// Lines by themselves.
    Strokes(Vec<[Point; 2]>),
}

/// The outline of a marker of radius `r` at a point.
pub(super) fn form(marker: Marker, at: Point, r: f64) -> Form {
    let place = |(dx, dy): (f64, f64)| (at.0 + dx * r, at.1 + dy * r);
    let polygon = |offsets: &[(f64, f64)], filled| Form::Polygon {
        corners: offsets.iter().copied().map(place).collect(),
        filled,
    };
    let strokes = |a: f64, first: [(f64, f64); 2], second: [(f64, f64); 2]| {
        Form::Strokes([first, second].map(|line| line.map(|(x, y)| place((a * x, a * y)))).to_vec())
    };
    let square = [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)];
    let triangle = [(0.0, -1.15), (1.1, 0.8), (-1.1, 0.8)];
    let diamond = [(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)];
    match marker {
        Marker::FilledCircle => Form::Circle { filled: true },
        Marker::HollowCircle => Form::Circle { filled: false },
        Marker::FilledSquare => polygon(&square, true),
        Marker::HollowSquare => polygon(&square, false),
        Marker::FilledTriangle => polygon(&triangle, true),
        Marker::HollowTriangle => polygon(&triangle, false),
        Marker::FilledDiamond => polygon(&diamond, true),
        Marker::HollowDiamond => polygon(&diamond, false),
        Marker::Cross => strokes(1.0, [(-1.0, -1.0), (1.0, 1.0)], [(-1.0, 1.0), (1.0, -1.0)]),
        Marker::Plus => strokes(1.2, [(-1.0, 0.0), (1.0, 0.0)], [(0.0, -1.0), (0.0, 1.0)]),
    }
}
