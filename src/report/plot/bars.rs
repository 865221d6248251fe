//! Named level bars: how long each is, and, around a base, how far each reaches to both sides.

use super::axis::{Axis, Quantity, drawable};
use super::font;
use super::frame::{Frame, SMALL, Sample};
use super::model::{BarsPlot, SensitivityBar, SensitivityPlot};
use super::scene::{Anchor, Area, Ink, Pattern, SOLID, Scene, Shape, Text};
use crate::report::Language;
use crate::report::phrases::plot as phrase;

/// Widest column of names, as a share of the plot.
const NAMES: f64 = 0.36;
/// Widest room beside the bars on one side, as a share of the plot.
const BESIDE: f64 = 0.3;
/// Highest bar, in pixels.
const HIGHEST: f64 = 26.0;
/// Share of its row that a bar takes.
const FILLED: f64 = 0.62;

/// Rows of names with an axis beside them.
struct Rows {
    /// Where bars are drawn.
    data: Area,
    x: Axis,
    row: f64,
}

impl Rows {
    /// Draws names and axis. `beside` is the room that texts need before the shortest and behind the longest bar.
    fn new(
        frame: &Frame,
        names: &[&str],
        (values, time): (Vec<f64>, bool),
        (x_label, beside): (&str, (f64, f64)),
        scene: &mut Scene,
    ) -> Self {
        let all = frame.data;
        let left = frame.outer_left();
        let widest = names.iter().map(|n| font::width(n, SMALL)).fold(0.0, f64::max);
        let column = (widest + 12.0).min((all.right - left) * NAMES);
        let data = Area { left: left + column, ..all };
        let quantity = if time { Quantity::Time } else { Quantity::Amount };
        let start = data.left + beside.0.min(data.width() * BESIDE);
        let end = (data.right - beside.1.min(data.width() * BESIDE)).max(start + 40.0);
        let x = Axis::covering(quantity, values, (start, end));
        Frame::axis_across(data, &x, x_label, scene);
        let row = data.height() / names.len().max(1) as f64;
        for (i, name) in names.iter().enumerate() {
            let at = (data.left - 8.0, data.top + (i as f64 + 0.5) * row + 4.5);
            scene.text(Text::new(font::cut(name, SMALL, column - 10.0), at, SMALL, Anchor::End));
        }
        Self { data, x, row }
    }

    /// The area of a bar in row `i` between two values.
    fn bar(&self, i: usize, from: f64, to: f64) -> Area {
        let middle = self.data.top + (i as f64 + 0.5) * self.row;
        let half = (self.row * FILLED / 2.0).min(HIGHEST / 2.0);
        Area { left: self.x.at(from), right: self.x.at(to), top: middle - half, bottom: middle + half }
    }
}

pub(super) fn draw(plot: &BarsPlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let bars: Vec<_> = plot.bars.iter().filter(|b| drawable(b.value)).collect();
    if bars.is_empty() {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    let names: Vec<&str> = bars.iter().map(|b| b.label.as_str()).collect();
    let values = bars.iter().map(|b| b.value).chain([0.0]).collect();
    let beyond = bars.iter().map(|b| font::width(&b.text, SMALL)).fold(0.0, f64::max);
    let rows = Rows::new(&frame, &names, (values, plot.time), (&plot.x_label, (0.0, beyond)), scene);
    for (i, bar) in bars.iter().enumerate() {
        let area = rows.bar(i, 0.0, bar.value);
        scene.bar(area, Pattern::of_group(bar.group), Ink::Group(bar.group));
        let at = (area.right + 6.0, f64::midpoint(area.top, area.bottom) + 4.5);
        let text = Text::new(bar.text.clone(), at, SMALL, Anchor::Start);
        scene.shapes.push(Shape::Backdrop(text.area()));
        scene.text(text);
    }
    for (group, name) in plot.groups.iter().enumerate() {
        if bars.iter().any(|b| b.group == group) {
            frame.entry(&Sample::Bar(Pattern::of_group(group), Ink::Group(group)), name, 2, scene);
        }
    }
}

pub(super) fn draw_sensitivity(plot: &SensitivityPlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let mut bars: Vec<&SensitivityBar> =
        plot.bars.iter().filter(|b| drawable(b.low.0) && drawable(b.high.0)).collect();
    if bars.is_empty() || !drawable(plot.base) {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    let reach = |b: &SensitivityBar| (b.high.0 - b.low.0).abs();
    bars.sort_by(|a, b| reach(b).total_cmp(&reach(a)).then_with(|| a.label.cmp(&b.label)));
    let names: Vec<&str> = bars.iter().map(|b| b.label.as_str()).collect();
    let values = bars.iter().flat_map(|b| [b.low.0, b.high.0]).chain([plot.base]).collect();
    let widest = |end: fn(&SensitivityBar) -> &str| {
        bars.iter().map(|b| font::width(end(b), SMALL)).fold(0.0, f64::max) + 8.0
    };
    let beside = (widest(|b| b.low.1.as_str()), widest(|b| b.high.1.as_str()));
    let rows = Rows::new(&frame, &names, (values, plot.time), (&plot.x_label, beside), scene);
    for (i, bar) in bars.iter().enumerate() {
        // A result that only one side changes has no bar on the other.
        let (low, high) = (
            rows.bar(i, bar.low.0.min(plot.base), plot.base),
            rows.bar(i, plot.base, bar.high.0.max(plot.base)),
        );
        scene.bar(low, Pattern::of_group(1), Ink::Group(0));
        scene.bar(high, Pattern::of_group(0), Ink::Group(0));
        let base = f64::midpoint(low.top, low.bottom) + 4.5;
        let mut side = |text: &str, at: f64, room: f64, anchor: Anchor| {
            let text = Text::new(font::cut(text, SMALL, room), (at, base), SMALL, anchor);
            if !text.content.is_empty() {
                scene.shapes.push(Shape::Backdrop(text.area()));
                scene.text(text);
            }
        };
        let (left, right) = (low.left - 6.0, high.right + 6.0);
        side(&bar.high.1, right, rows.data.right - right, Anchor::Start);
        side(&bar.low.1, left, left - rows.data.left - 2.0, Anchor::End);
    }
    let at = rows.x.at(plot.base);
    scene.line(vec![(at, rows.data.top), (at, rows.data.bottom)], 2, SOLID, Ink::Black);
    frame.entry(&Sample::Bar(Pattern::of_group(1), Ink::Group(0)), phrase::LOWER.text(language), 2, scene);
    frame.entry(&Sample::Bar(Pattern::of_group(0), Ink::Group(0)), phrase::HIGHER.text(language), 2, scene);
    let base = phrase::AS_ASSUMED.fill(language, &[&rows.x.name(plot.base)]);
    frame.entry(&Sample::Line(SOLID, 2, Ink::Black), &base, 2, scene);
}
