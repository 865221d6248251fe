//! The plot of throughput or speed-up against the number of GPUs.

use super::axis::{Axis, Quantity, drawable};
use super::font;
use super::frame::{Frame, SMALL, Sample, whisker};
use super::label::{Obstacle, Placer, THIN};
use super::model::{ScalingPlot, ScalingPoint};
use super::scene::{Anchor, Area, DASHES, Ink, Marker, Point, SHORT_DASH, Scene, Shape, Text};
use crate::report::Language;
use crate::report::phrases::plot as phrase;
use crate::units::text;

/// Radius of a marker.
const RADIUS: f64 = 5.0;
/// Distances at which a share may stand from its point.
const NEAR: [f64; 2] = [7.0, 12.0];

pub(super) fn draw(plot: &ScalingPlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let curves: Vec<Vec<ScalingPoint>> = plot.series.iter().map(|series| sorted(&series.points)).collect();
    let points = || curves.iter().flatten();
    if points().next().is_none() {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    let x = Axis::covering(Quantity::Doubling, points().map(|p| f64::from(p.gpus)), frame.across());
    let ideals: Vec<[(f64, f64); 2]> =
        if plot.ideal { curves.iter().filter_map(|c| ideal(c)).collect() } else { Vec::new() };
    let values = points().flat_map(|p| [p.value.p10, p.value.p50, p.value.p90]);
    let values = values.chain(ideals.iter().flatten().map(|&(_, value)| value));
    let y = Axis::covering(Quantity::Amount, values, frame.up());
    frame.axes((&x, phrase::GPUS.text(language)), (&y, &plot.y_label), scene);

    for [from, to] in &ideals {
        let ends = vec![(x.at(from.0), y.at(from.1)), (x.at(to.0), y.at(to.1))];
        let ends = if y.is_logarithmic() { ends } else { straight(&x, &y, *from, *to) };
        scene.line(ends, 1, SHORT_DASH, Ink::Grey);
    }
    for (i, curve) in curves.iter().enumerate() {
        draw_curve(i, curve, &x, &y, scene);
    }
    let named = efficiencies(&curves, &x, &y, frame.data, scene);
    for (i, series) in plot.series.iter().enumerate() {
        let sample = Sample::MarkedLine(Marker::of_group(i), DASHES[i % DASHES.len()], Ink::Group(i));
        frame.entry(&sample, &series.name, 2, scene);
    }
    if !ideals.is_empty() {
        frame.entry(&Sample::Line(SHORT_DASH, 1, Ink::Grey), phrase::IDEAL.text(language), 2, scene);
    }
    if named {
        frame.entry(&Sample::Nothing, phrase::EFFICIENCY.text(language), 3, scene);
    }
    if points().any(|p| p.value.p10 < p.value.p90) {
        frame.entry(&Sample::Whisker, phrase::INTERVAL.text(language), 2, scene);
    }
}

/// Writes the share of perfect scaling beside each point beyond the first of its curve, where there is room.
fn efficiencies(curves: &[Vec<ScalingPoint>], x: &Axis, y: &Axis, data: Area, scene: &mut Scene) -> bool {
    let at = |p: &ScalingPoint| (x.at(f64::from(p.gpus)), y.at(p.value.p50));
    let markers = curves.iter().flatten().map(|p| Area::around(at(p), RADIUS)).collect();
    let mut lines: Vec<Obstacle> = Vec::new();
    for curve in curves {
        lines.extend(curve.windows(2).map(|pair| (at(&pair[0]), at(&pair[1]), THIN)));
        lines.extend(curve.iter().map(|p| {
            let place = at(p);
            ((place.0, y.at(p.value.p10)), (place.0, y.at(p.value.p90)), THIN)
        }));
    }
    let mut placer = Placer::new(data, markers, lines);
    let mut named = false;
    for point in curves.iter().flat_map(|curve| curve.iter().skip(1)) {
        let Some(share) = point.efficiency.filter(|share| drawable(*share)) else { continue };
        let content = text::percent(share);
        let size = (font::width(&content, SMALL), SMALL * (font::ASCENT + font::DESCENT));
        if let Some(area) = placer.place(at(point), size, &NEAR) {
            let base = area.top + SMALL * font::ASCENT;
            scene.shapes.push(Shape::Backdrop(area));
            scene.text(Text::new(content, (area.left, base), SMALL, Anchor::Start));
            named = true;
        }
    }
    named
}

/// The points that can be drawn, by number of GPUs.
fn sorted(points: &[ScalingPoint]) -> Vec<ScalingPoint> {
    let mut points: Vec<ScalingPoint> =
        points.iter().copied().filter(|p| p.gpus > 0 && drawable(p.value.p50)).collect();
    points.sort_by_key(|p| p.gpus);
    points
}

/// First and last point of perfect scaling from the first point of a curve, as numbers of GPUs and values.
fn ideal(curve: &[ScalingPoint]) -> Option<[(f64, f64); 2]> {
    let (first, last) = (curve.first()?, curve.last()?);
    let (from, to) = (f64::from(first.gpus), f64::from(last.gpus));
    (to > from).then(|| [(from, first.value.p50), (to, first.value.p50 * to / from)])
}

/// A line of constant value per GPU, bent as the logarithmic horizontal axis bends it.
fn straight(x: &Axis, y: &Axis, from: (f64, f64), to: (f64, f64)) -> Vec<Point> {
    const PIECES: i32 = 32;
    let step = (to.0 / from.0).powf(1.0 / f64::from(PIECES));
    (0..=PIECES)
        .map(|i| {
            let growth = step.powi(i);
            (x.at(from.0 * growth), y.at(from.1 * growth))
        })
        .collect()
}

fn draw_curve(index: usize, curve: &[ScalingPoint], x: &Axis, y: &Axis, scene: &mut Scene) {
    let ink = Ink::Group(index);
    let at = |p: &ScalingPoint| (x.at(f64::from(p.gpus)), y.at(p.value.p50));
    let path: Vec<Point> = curve.iter().map(at).collect();
    if path.len() > 1 {
        scene.line(path.clone(), 2, DASHES[index % DASHES.len()], ink);
    }
    for (point, &place) in curve.iter().zip(&path) {
        if drawable(point.value.p10) && drawable(point.value.p90) {
            whisker(scene, [(place.0, y.at(point.value.p10)), (place.0, y.at(point.value.p90))], ink);
        }
    }
    for place in path {
        scene.marker(place, Marker::of_group(index), RADIUS, ink);
    }
}
