//! Columns of layers, such as the memory of each pipeline stage.

use super::axis::{Axis, Quantity, drawable};
use super::font;
use super::frame::{Frame, SMALL, Sample};
use super::model::{LayersColumn, LayersPlot};
use super::scene::{Anchor, Area, Ink, Pattern, SHORT_DASH, SOLID, Scene, Shape, Text};
use crate::report::Language;
use crate::report::phrases::plot as phrase;

/// Widest column, in pixels.
const WIDEST: f64 = 150.0;
/// Share of its place that a column takes.
const FILLED: f64 = 0.62;

pub(super) fn draw(plot: &LayersPlot, language: Language, outer: Area, scene: &mut Scene) {
    let mut frame = Frame::new(&plot.title, &plot.footer, outer, scene);
    let total = |column: &LayersColumn| column.values.iter().filter(|v| drawable(**v)).sum::<f64>();
    if plot.columns.iter().all(|c| total(c) <= 0.0) {
        frame.message(phrase::NO_POINTS.text(language), scene);
        return;
    }
    let limit = plot.limit.as_ref().map(|(_, value)| *value);
    let tops = plot.columns.iter().map(total).chain(limit).chain([0.0]);
    let y = Axis::covering(Quantity::Amount, tops, frame.up());
    frame.axis_up(&y, &plot.y_label, scene);
    let data = frame.data;
    let place = data.width() / plot.columns.len() as f64;
    let half = (place * FILLED / 2.0).min(WIDEST / 2.0);
    for (i, column) in plot.columns.iter().enumerate() {
        let middle = data.left + (i as f64 + 0.5) * place;
        let mut below = 0.0;
        for (layer, &value) in column.values.iter().enumerate().filter(|(_, v)| drawable(**v)) {
            let area = Area {
                left: middle - half,
                right: middle + half,
                top: y.at(below + value),
                bottom: y.at(below),
            };
            scene.bar(area, Pattern::of_group(layer), Ink::Group(layer));
            below += value;
        }
        let cut = |text: &str| font::cut(text, SMALL, place - 4.0);
        let above = (middle, y.at(below) - 6.0);
        let text = Text::new(cut(&column.total), above, SMALL, Anchor::Middle);
        scene.shapes.push(Shape::Backdrop(text.area()));
        scene.text(text);
        scene.text(Text::new(cut(&column.label), (middle, data.bottom + 19.0), SMALL, Anchor::Middle));
    }
    if let Some((name, value)) = plot.limit.as_ref().filter(|(_, v)| y.includes(*v)) {
        let at = y.at(*value);
        scene.line(vec![(data.left, at), (data.right, at)], 2, SHORT_DASH, Ink::Black);
        frame.entry(&Sample::Line(SHORT_DASH, 2, Ink::Black), name, 2, scene);
    }
    scene.line(vec![(data.left, data.bottom), (data.right, data.bottom)], 1, SOLID, Ink::Black);
    // From the top, as the layers lie; empty layers are left out.
    for (layer, name) in plot.layers.iter().enumerate().rev() {
        if plot.columns.iter().any(|c| c.values.get(layer).is_some_and(|v| *v > 0.0)) {
            frame.entry(&Sample::Bar(Pattern::of_group(layer), Ink::Group(layer)), name, 2, scene);
        }
    }
}
