//! The plot of cost against time.

use super::axis::{Axis, Quantity, drawable};
use super::font;
use super::frame::{Frame, SMALL, Sample, square, whisker};
use super::label::{Obstacle, Placer, THICK, THIN};
use super::model::{CostTimePlot, CostTimePoint, Interval};
use super::scene::{Anchor, Area, Ink, Marker, Point, SHORT_DASH, SOLID, Scene, Shape, Text};
use crate::report::Language;
use crate::report::phrases::plot as phrase;

/// Radius of a marker.
const RADIUS: f64 = 5.5;
/// Radius of the ring around the winner.
const RING: f64 = 10.0;
/// Half the side of the frame around the knee, outside the ring where both are one.
const FRAME: f64 = 12.0;
/// Distances at which a label may stand from its point.
const NEAR: [f64; 3] = [8.0, 13.0, 20.0];
/// A label that is further from its point than this has a line to it.
const BESIDE: f64 = 12.0;
/// Distances at which a number may stand from its point.
const NUMBER: [f64; 3] = [7.0, 11.0, 16.0];
/// A limit further than this factor beyond the data is named in the legend but not drawn.
const FAR: f64 = 2.0;
/// Up to so many groups, a name may take two lines of the legend.
const FEW: usize = 6;
/// A label wider than this share of the plot goes to the key.
const WIDEST: f64 = 0.35;

/// A point that can be drawn, with its place.
struct Spot<'a> {
    point: &'a CostTimePoint,
    at: Point,
}

pub(super) fn draw(plot: &CostTimePlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let points: Vec<&CostTimePoint> =
        plot.points.iter().filter(|p| drawable(p.time_s.p50) && drawable(p.cost.p50)).collect();
    if points.is_empty() {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    let times = values(points.iter().map(|p| p.time_s), plot.deadline_s);
    let costs = values(points.iter().map(|p| p.cost), plot.budget);
    let x = Axis::covering(Quantity::Time, times, frame.across());
    let y = Axis::covering(Quantity::Amount, costs, frame.up());
    let cost_name = phrase::COST_IN.fill(language, &[&plot.currency]);
    frame.axes((&x, phrase::TRAINING_TIME.text(language)), (&y, &cost_name), scene);

    let spots: Vec<Spot> = points
        .iter()
        .map(|&point| Spot { point, at: (x.at(point.time_s.p50), y.at(point.cost.p50)) })
        .collect();
    let mut lines = front(&spots, scene);
    lines.extend(whiskers(&spots, &x, &y, scene));
    let (mut taken, limit_lines) = limits(plot, language, &frame, (&x, &y), scene);
    lines.extend(limit_lines);
    for spot in spots.iter().rev() {
        scene.marker(spot.at, Marker::of_group(spot.point.group), RADIUS, Ink::Group(spot.point.group));
        let mut half = RADIUS;
        if spot.point.winner {
            scene.shapes.push(Shape::Ring { at: spot.at, radius: RING, ink: Ink::Black });
            half = RING;
        }
        if spot.point.knee {
            square(scene, spot.at, FRAME);
            half = FRAME;
        }
        taken.push(Area::around(spot.at, half + 1.0));
    }
    legend(plot, &spots, language, (&x, &y), &mut frame, scene);
    let left_out = plot.points.len() - points.len();
    if left_out > 0 {
        let text = phrase::LEFT_OUT.fill(language, &[&left_out.to_string()]);
        frame.entry(&Sample::Nothing, &text, 2, scene);
    }
    let mut placer = Placer::new(frame.data, taken, lines);
    labels(&spots, language, &mut frame, &mut placer, scene);
}

/// All percentiles, and the limit unless it is far beyond them.
fn values(intervals: impl Iterator<Item = Interval>, limit: Option<f64>) -> Vec<f64> {
    let mut values: Vec<f64> =
        intervals.flat_map(|i| [i.p10, i.p50, i.p90]).filter(|&v| drawable(v)).collect();
    let (low, high) = values.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), &v| (l.min(v), h.max(v)));
    values.extend(limit.filter(|&v| drawable(v) && v >= low / FAR && v <= high * FAR));
    values
}

/// The Pareto front as a step line; returns what was drawn.
fn front(spots: &[Spot], scene: &mut Scene) -> Vec<Obstacle> {
    let mut corners: Vec<Point> = spots.iter().filter(|s| s.point.pareto).map(|s| s.at).collect();
    corners.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut path: Vec<Point> = Vec::new();
    for corner in corners {
        if let Some(&last) = path.last() {
            path.push((corner.0, last.1));
        }
        path.push(corner);
    }
    let lines = path.windows(2).map(|pair| (pair[0], pair[1], THIN)).collect();
    if path.len() > 1 {
        scene.line(path, 2, SOLID, Ink::Grey);
    }
    lines
}

fn whiskers(spots: &[Spot], x: &Axis, y: &Axis, scene: &mut Scene) -> Vec<Obstacle> {
    let mut lines = Vec::new();
    for Spot { point, at } in spots {
        let (time, cost) = (point.time_s, point.cost);
        let mut bar = |a: Point, b: Point| {
            whisker(scene, [a, b], Ink::Group(point.group));
            lines.push((a, b, THIN));
        };
        if drawable(time.p10) && drawable(time.p90) {
            bar((x.at(time.p10), at.1), (x.at(time.p90), at.1));
        }
        if drawable(cost.p10) && drawable(cost.p90) {
            bar((at.0, y.at(cost.p10)), (at.0, y.at(cost.p90)));
        }
    }
    lines
}

/// Deadline and budget as dashed lines; returns the areas of their names, and the lines.
fn limits(
    plot: &CostTimePlot,
    language: Language,
    frame: &Frame,
    (x, y): (&Axis, &Axis),
    scene: &mut Scene,
) -> (Vec<Area>, Vec<Obstacle>) {
    let data = frame.data;
    let (mut taken, mut lines) = (Vec::new(), Vec::new());
    let mut name = |text: Text, scene: &mut Scene| {
        taken.push(text.area());
        scene.shapes.push(Shape::Backdrop(text.area()));
        scene.text(text);
    };
    if let Some(deadline) = plot.deadline_s.filter(|&d| x.includes(d)) {
        let at = x.at(deadline);
        let ends = [(at, data.top), (at, data.bottom)];
        lines.push((ends[0], ends[1], THICK));
        scene.line(ends.to_vec(), 2, SHORT_DASH, Ink::Black);
        let text = phrase::DEADLINE.fill(language, &[&x.name(deadline)]);
        let (shift, anchor) = if at > f64::midpoint(data.left, data.right) {
            (-6.0, Anchor::End)
        } else {
            (6.0, Anchor::Start)
        };
        name(Text::new(text, (at + shift, data.top + SMALL + 2.0), SMALL, anchor), scene);
    }
    if let Some(budget) = plot.budget.filter(|&b| y.includes(b)) {
        let at = y.at(budget);
        let ends = [(data.left, at), (data.right, at)];
        lines.push((ends[0], ends[1], THICK));
        scene.line(ends.to_vec(), 2, SHORT_DASH, Ink::Black);
        let text = phrase::BUDGET.fill(language, &[&y.name(budget)]);
        name(Text::new(text, (data.left + 8.0, at - 6.0), SMALL, Anchor::Start), scene);
    }
    (taken, lines)
}

/// Labels the points, the winner first, then the knee, then the front, then the others. A label without room becomes a number,
/// as long as the key in the panel has room for it.
fn labels(spots: &[Spot], language: Language, frame: &mut Frame, placer: &mut Placer, scene: &mut Scene) {
    let mut order: Vec<&Spot> = spots.iter().filter(|s| !s.point.label.is_empty()).collect();
    order.sort_by_key(|s| (!s.point.winner, !s.point.knee, !s.point.pareto));
    let height = SMALL * (font::ASCENT + font::DESCENT);
    let put = |area: Area, text: String, scene: &mut Scene| {
        scene.shapes.push(Shape::Backdrop(area));
        let base = area.top + SMALL * font::ASCENT;
        scene.text(Text::new(text, (area.left, base), SMALL, Anchor::Start));
    };
    let mut rest = Vec::new();
    for spot in order {
        let width = font::width(&spot.point.label, SMALL);
        let wide = width > frame.data.width() * WIDEST;
        match (!wide).then(|| placer.place(spot.at, (width, height), &NEAR)).flatten() {
            Some(area) => {
                lead(spot.at, area, scene);
                put(area, spot.point.label.clone(), scene);
            }
            None => rest.push(spot),
        }
    }
    frame.skip();
    let (mut number, mut unlabelled) = (0, 0);
    for spot in rest {
        let text = (number + 1).to_string();
        let room = frame.room() > 2;
        match room.then(|| placer.place(spot.at, (font::width(&text, SMALL), height), &NUMBER)).flatten() {
            Some(area) => {
                number += 1;
                frame.entry(&Sample::Nothing, &format!("{text}  {}", spot.point.label), 1, scene);
                put(area, text, scene);
            }
            None => unlabelled += 1,
        }
    }
    if unlabelled > 0 {
        let text = phrase::UNLABELLED.fill(language, &[&unlabelled.to_string()]);
        frame.entry(&Sample::Nothing, &text, 2, scene);
    }
}

/// A thin line from a point to its label, where that does not stand right beside it.
fn lead(point: Point, label: Area, scene: &mut Scene) {
    let near = (point.0.clamp(label.left, label.right), point.1.clamp(label.top, label.bottom));
    let distance = (near.0 - point.0).hypot(near.1 - point.1);
    if distance > BESIDE {
        let share = RADIUS / distance;
        let from = (point.0 + (near.0 - point.0) * share, point.1 + (near.1 - point.1) * share);
        scene.line(vec![from, near], 1, SOLID, Ink::Grey);
    }
}

fn legend(
    plot: &CostTimePlot,
    spots: &[Spot],
    language: Language,
    (x, y): (&Axis, &Axis),
    frame: &mut Frame,
    scene: &mut Scene,
) {
    let used: Vec<(usize, &String)> = (plot.groups.iter().enumerate())
        .filter(|&(group, _)| spots.iter().any(|s| s.point.group == group))
        .collect();
    let lines = if used.len() > FEW { 1 } else { 2 };
    for (group, name) in used {
        frame.entry(&Sample::Marker(Marker::of_group(group), Ink::Group(group)), name, lines, scene);
    }
    if spots.iter().any(|s| s.point.winner) {
        let ringed = plot.ringed.as_deref().unwrap_or_else(|| phrase::WINNER.text(language));
        frame.entry(&Sample::Ringed, ringed, 2, scene);
    }
    if spots.iter().any(|s| s.point.knee) {
        frame.entry(&Sample::Framed, phrase::KNEE.text(language), 2, scene);
    }
    if spots.iter().filter(|s| s.point.pareto).count() > 1 {
        frame.entry(&Sample::Line(SOLID, 2, Ink::Grey), phrase::PARETO_FRONT.text(language), 2, scene);
    }
    if spots.iter().any(|s| s.point.time_s.p10 < s.point.time_s.p90 || s.point.cost.p10 < s.point.cost.p90) {
        frame.entry(&Sample::Whisker, phrase::INTERVAL.text(language), 2, scene);
    }
    let outside = |axis: &Axis, limit: Option<f64>| limit.filter(|&v| drawable(v) && !axis.includes(v));
    if let Some(deadline) = outside(x, plot.deadline_s) {
        let text = phrase::DEADLINE.fill(language, &[&x.name(deadline)]);
        frame.entry(&Sample::Nothing, &phrase::OUTSIDE.fill(language, &[&text]), 2, scene);
    }
    if let Some(budget) = outside(y, plot.budget) {
        let text = phrase::BUDGET.fill(language, &[&y.name(budget)]);
        frame.entry(&Sample::Nothing, &phrase::OUTSIDE.fill(language, &[&text]), 2, scene);
    }
}
