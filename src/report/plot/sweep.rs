//! The plot of a result over a swept number: one curve for each value of a second one.

use super::axis::{Axis, Quantity, drawable};
use super::frame::{Frame, Sample, whisker};
use super::model::SweepPlot;
use super::scene::{Area, DASHES, Ink, Marker, Point, Scene};
use crate::report::Language;
use crate::report::phrases::plot as phrase;

/// Radius of a marker.
const RADIUS: f64 = 5.0;

pub(super) fn draw(plot: &SweepPlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let points =
        || plot.curves.iter().flat_map(|c| &c.points).filter(|(x, v)| drawable(*x) && drawable(v.p50));
    if points().next().is_none() {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    // Whole numbers that span a factor of four are read as doublings: GPUs, batches, sequences.
    let (low, high) = points().fold((f64::INFINITY, 0.0_f64), |(l, h), (x, _)| (l.min(*x), h.max(*x)));
    let doubling = low >= 1.0 && high >= 4.0 * low && points().all(|(x, _)| x.fract() == 0.0);
    let across = if doubling { Quantity::Doubling } else { Quantity::Amount };
    let x = Axis::covering(across, points().map(|(x, _)| *x), frame.across());
    let up = if plot.is_time { Quantity::Time } else { Quantity::Amount };
    let y = Axis::covering(up, points().flat_map(|(_, v)| [v.p10, v.p50, v.p90]), frame.up());
    frame.axes((&x, &plot.x_label), (&y, &plot.y_label), scene);
    for (i, curve) in plot.curves.iter().enumerate() {
        let ink = Ink::Group(i);
        let shown = curve.points.iter().filter(|(x, v)| drawable(*x) && drawable(v.p50));
        let path: Vec<Point> = shown.clone().map(|(at, v)| (x.at(*at), y.at(v.p50))).collect();
        if path.len() > 1 {
            scene.line(path.clone(), 2, DASHES[i % DASHES.len()], ink);
        }
        for ((_, value), &(left, _)) in shown.zip(&path) {
            if drawable(value.p10) && drawable(value.p90) {
                whisker(scene, [(left, y.at(value.p10)), (left, y.at(value.p90))], ink);
            }
        }
        for place in path {
            scene.marker(place, Marker::of_group(i), RADIUS, ink);
        }
        if !curve.name.is_empty() {
            let sample = Sample::MarkedLine(Marker::of_group(i), DASHES[i % DASHES.len()], ink);
            frame.entry(&sample, &curve.name, 2, scene);
        }
    }
    if points().any(|(_, v)| v.p10 < v.p90) {
        frame.entry(&Sample::Whisker, phrase::INTERVAL.text(language), 2, scene);
    }
}
