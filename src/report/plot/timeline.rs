//! Nodes over time, and below them how much of the job is done.

use super::axis::{Axis, Quantity, drawable};
use super::frame::{Frame, Sample, whisker};
use super::model::TimelinePlot;
use super::scene::{Area, Ink, Pattern, Point, SHORT_DASH, SOLID, Scene};
use crate::report::Language;
use crate::report::phrases::plot as phrase;

/// Share of the height that the nodes take.
const UPPER: f64 = 0.56;
/// A change narrower than this is not drawn by itself.
const NARROWEST: f64 = 1.5;

/// Patterns: committed nodes, burst nodes, time that a change costs.
const COMMITTED: (Pattern, Ink) = (Pattern::Solid, Ink::Group(0));
const BURST: (Pattern, Ink) = (Pattern::Rising(6), Ink::Group(1));
const CHANGING: (Pattern, Ink) = (Pattern::Empty, Ink::Black);

pub(super) fn draw(plot: &TimelinePlot, language: Language, outer: Area, scene: &mut Scene) {
    let middle = (outer.top + outer.height() * UPPER).round();
    let mut frame = Frame::new(&plot.title, "", Area { bottom: middle, ..outer }, scene);
    let last = plot.stretches.last().map_or(0.0, |s| s.to_s);
    if !(drawable(last) && last > 0.0) {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    let ends = [0.0, last, plot.end_s.p10, plot.end_s.p90];
    let x = Axis::covering(Quantity::Time, ends, frame.across());
    let most = plot.stretches.iter().map(|s| s.nodes).max().unwrap_or(1);
    let y = Axis::covering(Quantity::Amount, [0.0, f64::from(most)], frame.up());
    frame.axes((&x, ""), (&y, phrase::NODES.text(language)), scene);
    let mut changed = false;
    for stretch in &plot.stretches {
        let steady = stretch.nodes.min(plot.baseline);
        let mut bar = |from: f64, to: f64, low: u32, high: u32, (pattern, ink): (Pattern, Ink)| {
            let (top, bottom) = (y.at(f64::from(high)), y.at(f64::from(low)));
            scene.bar(Area { left: x.at(from), right: x.at(to), top, bottom }, pattern, ink);
        };
        bar(stretch.from_s, stretch.to_s, steady, stretch.nodes, BURST);
        bar(stretch.from_s, stretch.to_s, 0, steady, COMMITTED);
        let begun = stretch.from_s + stretch.changing_s;
        if x.at(begun) - x.at(stretch.from_s) >= NARROWEST {
            bar(stretch.from_s, begun, 0, stretch.nodes, CHANGING);
            changed = true;
        }
    }
    let mut entry = |(pattern, ink): (Pattern, Ink), text: &str| {
        frame.entry(&Sample::Bar(pattern, ink), text, 2, scene);
    };
    if plot.baseline > 0 {
        entry(COMMITTED, &phrase::COMMITTED.fill(language, &[&plot.baseline.to_string()]));
    }
    if most > plot.baseline {
        entry(BURST, phrase::BURST.text(language));
    }
    if changed {
        entry(CHANGING, phrase::CHANGING.text(language));
    }
    progress(plot, language, &x, Area { top: middle, ..outer }, scene);
}

/// The share done, with the end and its interval.
fn progress(plot: &TimelinePlot, language: Language, x: &Axis, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new("", &plot.footer, outer, scene);
    let y = Axis::covering(Quantity::Amount, [0.0, 100.0], frame.up());
    frame.axes((x, phrase::SINCE_START.text(language)), (&y, phrase::DONE.text(language)), scene);
    let mut path: Vec<Point> = vec![(x.at(0.0), y.at(0.0))];
    let mut before = 0.0;
    for stretch in &plot.stretches {
        path.push((x.at(stretch.from_s + stretch.changing_s), y.at(before * 100.0)));
        path.push((x.at(stretch.to_s), y.at(stretch.done * 100.0)));
        before = stretch.done;
    }
    scene.line(path, 2, SOLID, Ink::Group(0));
    let end = x.at(plot.end_s.p50);
    scene.line(vec![(end, frame.data.top), (end, frame.data.bottom)], 1, SHORT_DASH, Ink::Black);
    let ends = [plot.end_s.p10, plot.end_s.p90].map(|t| (x.at(t), y.at(100.0)));
    whisker(scene, ends, Ink::Black);
    let name = phrase::ENDS_AFTER.fill(language, &[&x.name(plot.end_s.p50)]);
    frame.entry(&Sample::Line(SHORT_DASH, 1, Ink::Black), &name, 2, scene);
    if plot.end_s.p10 < plot.end_s.p90 {
        frame.entry(&Sample::Whisker, phrase::INTERVAL.text(language), 2, scene);
    }
}
