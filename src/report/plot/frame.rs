//! What every plot has: title, axes with ticks and grid, a side panel with legend and key, a footer.

use super::axis::{Axis, Tick};
use super::font;
use super::scene::{Anchor, Area, Dash, Ink, Marker, Pattern, Point, SOLID, Scene, Shape, Text};

/// Size of the title, in pixels per em.
const TITLE: f64 = 17.0;
/// Size of everything else that is read.
pub(super) const SMALL: f64 = 13.0;
/// Size of the footer.
const FOOTER: f64 = 12.0;
/// Height of a line of the panel and of the footer.
const LINE: f64 = 18.0;
/// Free border around a plot.
const MARGIN: f64 = 16.0;
/// Length of the sample of a line in the legend.
const SAMPLE: f64 = 30.0;
/// Width of the ticks and the name of the vertical axis.
const LABELS: f64 = 78.0;
/// Least distance of ticks, across and up.
pub(super) const GAP_ACROSS: f64 = 58.0;
/// Least distance of ticks up.
pub(super) const GAP_UP: f64 = 34.0;

/// Where the parts of a plot stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Where data are drawn.
    pub data: Area,
    panel: Area,
    /// Base line of the next entry of the panel.
    next: f64,
}

/// What stands in front of an entry of the legend.
pub(super) enum Sample {
    Marker(Marker, Ink),
    Line(Dash, u32, Ink),
    MarkedLine(Marker, Dash, Ink),
    Whisker,
    Ringed,
    Framed,
    Bar(Pattern, Ink),
    Nothing,
}

impl Frame {
    /// Draws title and footer and divides the rest.
    pub fn new(title: &str, footer: &str, outer: Area, scene: &mut Scene) -> Self {
        let width = outer.width() - 2.0 * MARGIN;
        let mut top = outer.top + MARGIN;
        for line in font::lines(title, TITLE, width, 2) {
            top += TITLE;
            scene.text(Text::new(line, (outer.left + MARGIN, top), TITLE, Anchor::Start));
            top += 5.0;
        }
        let notes = font::lines(footer, FOOTER, width, 3);
        let mut bottom = outer.bottom - MARGIN;
        for line in notes.iter().rev() {
            let mut text = Text::new(line.clone(), (outer.left + MARGIN, bottom), FOOTER, Anchor::Start);
            text.ink = Ink::Grey;
            scene.text(text);
            bottom -= LINE;
        }
        let panel_width = (outer.width() * 0.25).clamp(130.0, 290.0);
        let split = outer.right - MARGIN - panel_width;
        let data = Area {
            left: outer.left + MARGIN + LABELS,
            top: top + 12.0,
            right: split - 18.0,
            bottom: bottom - 44.0,
        };
        let panel = Area { left: split, right: outer.right - MARGIN, ..data };
        Self { data, panel, next: panel.top + SMALL }
    }

    /// Pixels of the horizontal axis.
    pub const fn across(&self) -> (f64, f64) {
        (self.data.left, self.data.right)
    }

    /// Pixels of the vertical axis, which grows upwards.
    pub const fn up(&self) -> (f64, f64) {
        (self.data.bottom, self.data.top)
    }

    /// Grid, ticks and names of both axes.
    pub fn axes(&self, (x, x_name): (&Axis, &str), (y, y_name): (&Axis, &str), scene: &mut Scene) {
        Self::axis_across(self.data, x, x_name, scene);
        self.axis_up(y, y_name, scene);
    }

    /// Left edge of everything that is drawn.
    pub const fn outer_left(&self) -> f64 {
        self.data.left - LABELS
    }

    /// Grid, ticks and name of the horizontal axis below an area.
    pub fn axis_across(data: Area, x: &Axis, name: &str, scene: &mut Scene) {
        for tick in x.ticks(GAP_ACROSS) {
            let at = x.at(tick.value);
            scene.line(vec![(at, data.top), (at, data.bottom)], 1, SOLID, Ink::Faint);
            scene.line(vec![(at, data.bottom), (at, data.bottom + 5.0)], 1, SOLID, Ink::Black);
            scene.text(Text::new(tick.label, (at, data.bottom + 19.0), SMALL, Anchor::Middle));
        }
        let corners = vec![(data.left, data.top), (data.left, data.bottom), (data.right, data.bottom)];
        scene.line(corners, 1, SOLID, Ink::Black);
        let middle = f64::midpoint(data.left, data.right);
        let name = font::cut(name, SMALL, data.width());
        scene.text(Text::new(name, (middle, data.bottom + 39.0), SMALL, Anchor::Middle));
    }

    /// Grid, ticks and name of the vertical axis.
    pub fn axis_up(&self, y: &Axis, name: &str, scene: &mut Scene) {
        let data = self.data;
        for Tick { value, label } in y.ticks(GAP_UP) {
            let at = y.at(value);
            scene.line(vec![(data.left, at), (data.right, at)], 1, SOLID, Ink::Faint);
            scene.line(vec![(data.left - 5.0, at), (data.left, at)], 1, SOLID, Ink::Black);
            scene.text(Text::new(label, (data.left - 9.0, at + 4.5), SMALL, Anchor::End));
        }
        scene.line(vec![(data.left, data.top), (data.left, data.bottom)], 1, SOLID, Ink::Black);
        let name = font::cut(name, SMALL, data.height());
        let at = (data.left - 62.0, f64::midpoint(data.top, data.bottom));
        scene.text(Text { upwards: true, ..Text::new(name, at, SMALL, Anchor::Middle) });
    }

    /// Says in the middle of the plot why it is empty.
    pub fn message(&self, text: &str, scene: &mut Scene) {
        let at =
            (f64::midpoint(self.data.left, self.data.right), f64::midpoint(self.data.top, self.data.bottom));
        scene.text(Text::new(font::cut(text, TITLE, self.data.width()), at, TITLE, Anchor::Middle));
    }

    /// How many more lines fit into the panel.
    pub fn room(&self) -> usize {
        ((self.panel.bottom - self.next) / LINE + 1.0).max(0.0) as usize
    }

    /// Leaves half a line free in the panel.
    pub fn skip(&mut self) {
        self.next += LINE / 2.0;
    }

    /// One entry of the legend or key; at most `most` lines, none when the panel is full.
    pub fn entry(&mut self, sample: &Sample, text: &str, most: usize, scene: &mut Scene) {
        let indent = if matches!(sample, Sample::Nothing) { 0.0 } else { SAMPLE + 8.0 };
        let count = self.room().min(most);
        let lines = font::lines(text, SMALL, self.panel.width() - indent, count);
        for (i, line) in lines.into_iter().enumerate() {
            if i == 0 {
                self.sample(sample, scene);
            }
            scene.text(Text::new(line, (self.panel.left + indent, self.next), SMALL, Anchor::Start));
            self.next += LINE;
        }
    }

    fn sample(&self, sample: &Sample, scene: &mut Scene) {
        let y = (self.next - 4.0).round();
        let (left, right) = (self.panel.left, self.panel.left + SAMPLE);
        let middle: Point = (left + SAMPLE / 2.0, y);
        let stroke =
            |scene: &mut Scene, dash, width, ink| scene.line(vec![(left, y), (right, y)], width, dash, ink);
        match *sample {
            Sample::Marker(marker, ink) => scene.marker(middle, marker, 5.0, ink),
            Sample::Line(dash, width, ink) => stroke(scene, dash, width, ink),
            Sample::MarkedLine(marker, dash, ink) => {
                stroke(scene, dash, 2, ink);
                scene.marker(middle, marker, 5.0, ink);
            }
            Sample::Whisker => {
                whisker(scene, [(left + 4.0, y), (right - 4.0, y)], Ink::Grey);
            }
            Sample::Ringed => scene.shapes.push(Shape::Ring { at: middle, radius: 8.0, ink: Ink::Black }),
            Sample::Framed => square(scene, middle, 8.0),
            Sample::Bar(pattern, ink) => {
                let area = Area { left: left + 2.0, right: right - 2.0, top: y - 6.0, bottom: y + 6.0 };
                scene.bar(area, pattern, ink);
            }
            Sample::Nothing => {}
        }
    }
}

/// An outlined square around a point.
pub(super) fn square(scene: &mut Scene, at: Point, half: f64) {
    let Area { left, top, right, bottom } = Area::around(at, half);
    let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    scene.line(corners, 2, SOLID, Ink::Black);
}

/// A thin interval bar with caps, across or up.
pub(super) fn whisker(scene: &mut Scene, [a, b]: [Point; 2], ink: Ink) {
    const CAP: f64 = 3.0;
    if (a.0 - b.0).abs().max((a.1 - b.1).abs()) < 1.0 {
        return;
    }
    scene.line(vec![a, b], 1, SOLID, ink);
    let (dx, dy) = if (a.1 - b.1).abs() < (a.0 - b.0).abs() { (0.0, CAP) } else { (CAP, 0.0) };
    for end in [a, b] {
        scene.line(vec![(end.0 - dx, end.1 - dy), (end.0 + dx, end.1 + dy)], 1, SOLID, ink);
    }
}
