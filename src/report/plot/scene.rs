//! What is drawn, in pixels, before any back end: a list of shapes.

use super::font;

/// A point in pixels, from the upper left corner.
pub(super) type Point = (f64, f64);

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    pub fn around((x, y): Point, half: f64) -> Self {
        Self { left: x - half, top: y - half, right: x + half, bottom: y + half }
    }

    pub fn width(self) -> f64 {
        self.right - self.left
    }

    pub fn height(self) -> f64 {
        self.bottom - self.top
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub fn contains(self, other: Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }

    /// True when a straight line touches the rectangle (Liang-Barsky clipping leaves something of it).
    pub fn touches(self, (a, b): (Point, Point)) -> bool {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let edges =
            [(-dx, a.0 - self.left), (dx, self.right - a.0), (-dy, a.1 - self.top), (dy, self.bottom - a.1)];
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for (p, q) in edges {
            if p == 0.0 {
                if q < 0.0 {
                    return false;
                }
            } else if p < 0.0 {
                enter = enter.max(q / p);
            } else {
                leave = leave.min(q / p);
            }
        }
        enter <= leave
    }
}

/// A colour that stays apart from its neighbours in grey as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Text and axes.
    Black,
    /// Secondary lines.
    Grey,
    /// Grid lines.
    Faint,
    /// A colour of a group; the group's marker or dash says the same.
    Group(usize),
}

impl Ink {
    /// Colours of M. Okabe and K. Ito, "Color Universal Design" (2008), the darker ones first.
    const GROUPS: [(u8, u8, u8); 6] =
        [(0, 114, 178), (213, 94, 0), (0, 120, 90), (150, 60, 120), (90, 90, 90), (160, 110, 0)];

    pub fn rgb(self) -> (u8, u8, u8) {
        match self {
            Self::Black => (20, 20, 20),
            Self::Grey => (110, 110, 110),
            Self::Faint => (224, 224, 224),
            Self::Group(group) => Self::GROUPS[group % Self::GROUPS.len()],
        }
    }
}

/// The form of a marker: together with its filling what tells groups apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Marker {
    FilledCircle,
    HollowSquare,
    FilledTriangle,
    Cross,
    HollowCircle,
    FilledSquare,
    HollowTriangle,
    Plus,
    FilledDiamond,
    HollowDiamond,
}

impl Marker {
    pub const ALL: [Self; 10] = [
        Self::FilledCircle,
        Self::HollowSquare,
        Self::FilledTriangle,
        Self::Cross,
        Self::HollowCircle,
        Self::FilledSquare,
        Self::HollowTriangle,
        Self::Plus,
        Self::FilledDiamond,
        Self::HollowDiamond,
    ];

    /// The marker of a group; repeats after ten.
    pub fn of_group(group: usize) -> Self {
        Self::ALL[group % Self::ALL.len()]
    }
}

/// How a line is interrupted: lengths drawn and left out, in pixels; empty for a solid line.
pub(super) type Dash = &'static [f64];

/// An unbroken line.
pub(super) const SOLID: Dash = &[];
/// Line patterns that tell curves apart, in order.
pub(super) const DASHES: [Dash; 5] =
    [SOLID, &[9.0, 5.0], &[2.0, 4.0], &[12.0, 4.0, 2.0, 4.0], &[5.0, 3.0, 2.0, 3.0, 2.0, 3.0]];
/// Reference lines.
pub(super) const SHORT_DASH: Dash = &[4.0, 4.0];

/// How an area is filled: what tells neighbours apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pattern {
    /// The ink itself.
    Solid,
    /// White.
    Empty,
    /// Lines that rise to the right, so many pixels apart.
    Rising(u32),
    /// Lines that fall to the right.
    Falling(u32),
    /// Level lines.
    Level(u32),
    /// Upright lines.
    Upright(u32),
    /// Level and upright lines.
    Grid(u32),
    /// Rising and falling lines.
    Lattice(u32),
}

impl Pattern {
    const ALL: [Self; 10] = [
        Self::Solid,
        Self::Rising(6),
        Self::Empty,
        Self::Level(5),
        Self::Falling(6),
        Self::Grid(8),
        Self::Upright(5),
        Self::Lattice(8),
        Self::Level(10),
        Self::Rising(12),
    ];

    /// The pattern of a layer; repeats after ten.
    pub fn of_group(group: usize) -> Self {
        Self::ALL[group % Self::ALL.len()]
    }
}

/// Which point of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub content: String,
    /// The anchor on the base line.
    pub at: Point,
    /// Size of an em in pixels.
    pub size: f64,
    pub anchor: Anchor,
    /// True to read upwards.
    pub upwards: bool,
    pub ink: Ink,
}

impl Text {
    /// A horizontal text in black.
    pub fn new(content: impl Into<String>, at: Point, size: f64, anchor: Anchor) -> Self {
        Self { content: content.into(), at, size, anchor, upwards: false, ink: Ink::Black }
    }

    /// The rectangle it covers.
    pub fn area(&self) -> Area {
        let width = font::width(&self.content, self.size);
        let start = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let (x, y) = self.at;
        let (above, below) = (self.size * font::ASCENT, self.size * font::DESCENT);
        if self.upwards {
            Area { left: x - above, top: y - start - width, right: x + below, bottom: y - start }
        } else {
            Area { left: x + start, top: y - above, right: x + start + width, bottom: y + below }
        }
    }
}

/// One thing drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Line {
        points: Vec<Point>,
        width: u32,
        dash: Dash,
        ink: Ink,
    },
    Marker {
        at: Point,
        marker: Marker,
        radius: f64,
        ink: Ink,
    },
    Ring {
        at: Point,
        radius: f64,
        ink: Ink,
    },
    /// An outlined rectangle on white.
    Bar {
        area: Area,
        pattern: Pattern,
        ink: Ink,
    },
    /// White, mostly opaque: what is behind a label recedes.
    Backdrop(Area),
    Text(Text),
}

/// Everything drawn, from back to front.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Scene {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, shapes: Vec::new() }
    }

    pub fn line(&mut self, points: Vec<Point>, width: u32, dash: Dash, ink: Ink) {
        self.shapes.push(Shape::Line { points, width, dash, ink });
    }

    pub fn bar(&mut self, area: Area, pattern: Pattern, ink: Ink) {
        if area.width() > 0.0 && area.height() > 0.0 {
            self.shapes.push(Shape::Bar { area, pattern, ink });
        }
    }

    pub fn text(&mut self, text: Text) {
        if !text.content.is_empty() {
            self.shapes.push(Shape::Text(text));
        }
    }

    pub fn marker(&mut self, at: Point, marker: Marker, radius: f64, ink: Ink) {
        self.shapes.push(Shape::Marker { at, marker, radius, ink });
    }
}
