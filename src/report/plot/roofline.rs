//! The roofline: rate against intensity under slanted and level ceilings.

use super::axis::{Axis, Quantity, drawable};
use super::font;
use super::frame::{Frame, SMALL, Sample, whisker};
use super::label::{Obstacle, Placer, THICK, THIN};
use super::model::{RooflinePlot, RooflinePoint};
use super::scene::{Anchor, Area, DASHES, Dash, Ink, Marker, Point, Scene, Shape, Text};
use crate::report::Language;
use crate::report::phrases::plot as phrase;
use crate::units::text::significant;

/// Radius of a marker.
const RADIUS: f64 = 4.0;
/// Radius of a ridge point.
const RIDGE: f64 = 6.0;
/// Distances at which a label may stand from its point.
const NEAR: [f64; 5] = [7.0, 13.0, 20.0, 30.0, 44.0];
/// Room below the first and beyond the last ridge point, as a factor of intensity.
const ROOM: f64 = 8.0;
/// A label wider than this share of the plot is shortened.
const WIDEST: f64 = 0.3;

/// What is shown: the ends of both axes.
struct Range {
    x: (f64, f64),
    y: (f64, f64),
}

/// Axes and what stands in the way of labels.
struct Canvas<'a> {
    x: Axis,
    y: Axis,
    range: &'a Range,
    lines: Vec<Obstacle>,
    taken: Vec<Area>,
}

pub(super) fn draw(plot: &RooflinePlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let points: Vec<&RooflinePoint> = plot
        .points
        .iter()
        .filter(|p| drawable(p.flop_per_byte) && p.flop_per_byte > 0.0 && p.tflop_per_s.p50 > 0.0)
        .collect();
    let Some(range) = range(plot, &points) else {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    };
    let x = Axis::covering(Quantity::Amount, [range.x.0, range.x.1], frame.across());
    let y = Axis::covering(Quantity::Amount, [range.y.0, range.y.1], frame.up());
    frame.axes((&x, phrase::INTENSITY.text(language)), (&y, phrase::RATE.text(language)), scene);
    let mut canvas = Canvas { x, y, range: &range, lines: Vec::new(), taken: Vec::new() };
    let ridges = roofs(plot, &mut canvas, &mut frame, scene);
    for point in &points {
        mark(point, &mut canvas, scene);
    }
    for (at, _) in &ridges {
        scene.marker(*at, Marker::HollowDiamond, RIDGE, Ink::Black);
        canvas.taken.push(Area::around(*at, RIDGE + 1.0));
    }
    frame.skip();
    if !ridges.is_empty() {
        let sample = Sample::Marker(Marker::HollowDiamond, Ink::Black);
        frame.entry(&sample, phrase::RIDGE.text(language), 1, scene);
    }
    for (group, name) in plot.groups.iter().enumerate() {
        frame.entry(&Sample::Marker(marker(group), Ink::Group(group)), name, 2, scene);
    }
    if points.iter().any(|p| p.tflop_per_s.p10 < p.tflop_per_s.p90) {
        frame.entry(&Sample::Whisker, &plot.interval, 1, scene);
    }
    let mut placer = Placer::new(frame.data, canvas.taken, canvas.lines);
    let ridge_labels = ridges
        .iter()
        .map(|(at, intensity)| (*at, phrase::RIDGE_AT.fill(language, &[&significant(*intensity, 3)])));
    let point_labels = points
        .iter()
        .filter(|p| !p.label.is_empty())
        .map(|p| ((canvas.x.at(p.flop_per_byte), canvas.y.at(p.tflop_per_s.p50)), p.label.clone()));
    // The names stand on the ceilings too: line patterns repeat when there are many.
    let right = (range.x.0 / range.x.1).powf(0.12) * range.x.1;
    let roof_labels =
        plot.rates.iter().map(|r| ((canvas.x.at(right), canvas.y.at(r.tflop_per_s)), r.name.clone()));
    labels(roof_labels.chain(ridge_labels).chain(point_labels), frame.data, &mut placer, scene);
}

/// The marker of a group: diamonds are for ridge points.
fn marker(group: usize) -> Marker {
    Marker::of_group(group % 8)
}

/// Intensities around ridges and points; rates from the lowest ceiling's left end to the highest ceiling.
fn range(plot: &RooflinePlot, points: &[&RooflinePoint]) -> Option<Range> {
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, f64::max);
    let bandwidth = least(&mut plot.bandwidths.iter().map(|b| b.tb_per_s));
    let fastest = most(&mut plot.bandwidths.iter().map(|b| b.tb_per_s));
    let (low, high) = (
        least(&mut plot.rates.iter().map(|r| r.tflop_per_s)),
        most(&mut plot.rates.iter().map(|r| r.tflop_per_s)),
    );
    if !(bandwidth > 0.0 && bandwidth.is_finite() && low > 0.0 && low.is_finite()) {
        return None;
    }
    let left = (low / fastest / ROOM).min(least(&mut points.iter().map(|p| p.flop_per_byte)));
    let right = (high / bandwidth * ROOM).max(most(&mut points.iter().map(|p| p.flop_per_byte)));
    let bottom = (bandwidth * left).min(least(&mut points.iter().map(|p| p.tflop_per_s.p50)));
    let top = high.max(most(&mut points.iter().map(|p| p.tflop_per_s.p90)));
    Some(Range { x: (left, right), y: (bottom, top) })
}

/// Draws the ceilings; returns the ridge points with their intensities.
fn roofs(
    plot: &RooflinePlot,
    canvas: &mut Canvas,
    frame: &mut Frame,
    scene: &mut Scene,
) -> Vec<(Point, f64)> {
    let highest = plot.rates.iter().map(|r| r.tflop_per_s).fold(0.0_f64, f64::max);
    let fastest = plot.bandwidths.iter().map(|b| b.tb_per_s).fold(0.0_f64, f64::max);
    let (x, y) = (canvas.x, canvas.y);
    let mut pattern = 0;
    let mut roof =
        |from: Point, to: Point, name: &str, width: u32, scene: &mut Scene, canvas: &mut Canvas| {
            let dash: Dash = DASHES[pattern % DASHES.len()];
            let ends = [(x.at(from.0), y.at(from.1)), (x.at(to.0), y.at(to.1))];
            scene.line(ends.to_vec(), width, dash, Ink::Group(pattern));
            canvas.lines.push((ends[0], ends[1], THICK));
            frame.entry(&Sample::Line(dash, width, Ink::Group(pattern)), name, 2, scene);
            pattern += 1;
        };
    for b in &plot.bandwidths {
        let left = canvas.range.x.0.max(canvas.range.y.0 / b.tb_per_s);
        let right = highest / b.tb_per_s;
        roof((left, left * b.tb_per_s), (right, highest), &b.name, 2, scene, canvas);
    }
    for r in &plot.rates {
        let left = r.tflop_per_s / fastest;
        roof((left, r.tflop_per_s), (canvas.range.x.1, r.tflop_per_s), &r.name, 2, scene, canvas);
    }
    let slanted = plot.bandwidths.iter().filter(|b| b.ridges);
    slanted
        .flat_map(|b| plot.rates.iter().map(move |r| (r.tflop_per_s / b.tb_per_s, r.tflop_per_s)))
        .map(|(intensity, rate)| ((x.at(intensity), y.at(rate)), intensity))
        .collect()
}

fn mark(point: &RooflinePoint, canvas: &mut Canvas, scene: &mut Scene) {
    let across = canvas.x.at(point.flop_per_byte);
    let at = (across, canvas.y.at(point.tflop_per_s.p50));
    let ends = [(across, canvas.y.at(point.tflop_per_s.p10)), (across, canvas.y.at(point.tflop_per_s.p90))];
    whisker(scene, ends, Ink::Grey);
    canvas.lines.push((ends[0], ends[1], THIN));
    scene.marker(at, marker(point.group), RADIUS, Ink::Group(point.group));
    canvas.taken.push(Area::around(at, RADIUS + 1.0));
}

/// Labels in order of importance; one without room is left out.
fn labels(wanted: impl Iterator<Item = (Point, String)>, data: Area, placer: &mut Placer, scene: &mut Scene) {
    let height = SMALL * (font::ASCENT + font::DESCENT);
    for (at, text) in wanted {
        let text = font::cut(&text, SMALL, data.width() * WIDEST);
        let size = (font::width(&text, SMALL), height);
        if let Some(area) = placer.place(at, size, &NEAR) {
            scene.shapes.push(Shape::Backdrop(area));
            let base = area.top + SMALL * font::ASCENT;
            scene.text(Text::new(text, (area.left, base), SMALL, Anchor::Start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{BandwidthRoof, Interval, RateRoof};
    use super::*;

    fn plot() -> RooflinePlot {
        let roof = |name: &str, tb_per_s, ridges| BandwidthRoof { name: name.to_owned(), tb_per_s, ridges };
        let rate = |name: &str, tflop_per_s| RateRoof { name: name.to_owned(), tflop_per_s };
        let point = |label: &str, group, flop_per_byte, value: f64| RooflinePoint {
            label: label.to_owned(),
            group,
            flop_per_byte,
            tflop_per_s: Interval::new(value * 0.97, value, value * 1.03),
        };
        RooflinePlot {
            title: "Roofline".to_owned(),
            bandwidths: vec![roof("L2", 5.0, false), roof("DRAM", 2.0, true)],
            rates: vec![rate("fp16", 200.0), rate("fp32", 20.0)],
            points: (0..20)
                .map(|i| point("projection", i % 2, 2.0 * 1.3f64.powi(i as i32), 1.0 + i as f64))
                .collect(),
            groups: vec!["sweep".to_owned(), "products".to_owned()],
            interval: "95 %".to_owned(),
            footer: String::new(),
        }
    }

    fn scene(plot: &RooflinePlot) -> Scene {
        let mut scene = Scene::new(1000.0, 640.0);
        let whole = Area { left: 0.0, top: 0.0, right: 1000.0, bottom: 640.0 };
        draw(plot, Language::English, whole, &mut scene);
        scene
    }

    #[test]
    fn a_ridge_point_stands_where_bandwidth_and_rate_meet() {
        let texts: Vec<String> = scene(&plot())
            .shapes
            .iter()
            .filter_map(|s| if let Shape::Text(t) = s { Some(t.content.clone()) } else { None })
            .collect();
        // 200 TFLOP/s over 2 TB/s, 20 over 2; none on the L2 line.
        assert!(texts.iter().any(|t| t == "100 FLOP/byte") && texts.iter().any(|t| t == "10.0 FLOP/byte"));
        assert!(!texts.iter().any(|t| t.starts_with("40.0 FLOP")));
    }

    #[test]
    fn every_ceiling_has_a_pattern_of_its_own_and_labels_do_not_collide() {
        let scene = scene(&plot());
        let mut dashes: Vec<Dash> = scene
            .shapes
            .iter()
            .filter_map(|s| match s {
                Shape::Line { dash, width: 2, .. } => Some(*dash),
                _ => None,
            })
            .collect();
        dashes.sort_by_key(|d| format!("{d:?}"));
        dashes.dedup();
        assert_eq!(dashes.len(), 4);
        let boxes: Vec<Area> = scene
            .shapes
            .iter()
            .filter_map(|s| if let Shape::Backdrop(a) = s { Some(*a) } else { None })
            .collect();
        assert!(boxes.len() > 5);
        for (i, a) in boxes.iter().enumerate() {
            assert!(!boxes[i + 1..].iter().any(|b| a.overlaps(*b)));
        }
    }

    #[test]
    fn a_machine_without_ceilings_says_so() {
        let empty = RooflinePlot { title: "x".to_owned(), ..RooflinePlot::default() };
        let found = scene(&empty);
        assert!(found.shapes.iter().any(|s| matches!(s, Shape::Text(t) if t.content.contains("no data"))));
    }
}
