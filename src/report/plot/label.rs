//! Placing labels so that none covers another label or a marker.

use super::scene::{Area, Point};

/// Directions in which a label may stand from its point, in order of preference: right and up, right, left ...
/// A horizontal and a vertical share of the label's own size, measured from the point.
const DIRECTIONS: [(f64, f64); 8] = [
    (0.0, -1.0),
    (0.0, -0.5),
    (0.0, 0.0),
    (-1.0, -1.0),
    (-1.0, -0.5),
    (-1.0, 0.0),
    (-0.5, -1.0),
    (-0.5, 0.0),
];

/// Free pixels between two labels.
const SPACING: f64 = 2.0;
/// A line that a label should not cross, and what crossing it costs, compared with a pixel of distance.
pub(super) type Obstacle = (Point, Point, f64);

/// Cost of crossing an interval bar or the front.
pub(super) const THIN: f64 = 6.0;
/// Cost of crossing a limit.
pub(super) const THICK: f64 = 20.0;

/// Remembers what is taken; labels are placed one by one, the most important first.
#[derive(Debug, Clone)]
pub(super) struct Placer {
    frame: Area,
    taken: Vec<Area>,
    lines: Vec<Obstacle>,
}

impl Placer {
    /// A placer for labels inside `frame`; `taken` is kept free, `lines` are crossed only when there is no better
    /// place.
    pub const fn new(frame: Area, taken: Vec<Area>, lines: Vec<Obstacle>) -> Self {
        Self { frame, taken, lines }
    }

    /// True when nothing taken lies in the area and it is inside the frame.
    fn is_free(&self, area: Area) -> bool {
        self.frame.contains(area) && !self.taken.iter().any(|&taken| area.overlaps(taken))
    }

    /// A free area of this size beside a point, at one of the distances from it, or `None`. Deterministic: the
    /// cheapest place wins, and of equal ones the first.
    pub fn place(&mut self, point: Point, size: (f64, f64), distances: &[f64]) -> Option<Area> {
        let mut best: Option<(f64, Area)> = None;
        for &distance in distances {
            for (order, direction) in DIRECTIONS.into_iter().enumerate() {
                let area = beside(point, size, direction, distance);
                if !self.is_free(area) {
                    continue;
                }
                let crossings: f64 =
                    self.lines.iter().filter(|&&(a, b, _)| area.touches((a, b))).map(|line| line.2).sum();
                let cost = distance + order as f64 * 0.5 + crossings;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, area));
                }
            }
        }
        let (_, area) = best?;
        self.taken.push(Area {
            left: area.left - SPACING,
            top: area.top - SPACING,
            right: area.right + SPACING,
            bottom: area.bottom + SPACING,
        });
        Some(area)
    }
}

fn beside((x, y): Point, (width, height): (f64, f64), (across, down): (f64, f64), distance: f64) -> Area {
    let push = |share: f64, centred: bool| if centred { 0.0 } else { (share + 0.5).signum() * distance };
    let left = x + across * width + push(across, across == -0.5);
    let top = y + down * height + push(down, down == -0.5);
    Area { left, top, right: left + width, bottom: top + height }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FRAME: Area = Area { left: 0.0, top: 0.0, right: 300.0, bottom: 200.0 };

    #[test]
    fn a_lone_label_stands_right_above_its_point() {
        let mut placer = Placer::new(FRAME, vec![Area::around((100.0, 100.0), 5.0)], Vec::new());
        let area = placer.place((100.0, 100.0), (40.0, 10.0), &[6.0]).unwrap();
        assert_eq!((area.left, area.bottom), (106.0, 94.0));
    }

    #[test]
    fn a_label_avoids_a_line_if_it_can() {
        let wall = ((0.0, 90.0), (300.0, 90.0), THIN);
        let mut placer = Placer::new(FRAME, Vec::new(), vec![wall]);
        let area = placer.place((100.0, 100.0), (40.0, 12.0), &[6.0]).unwrap();
        assert!(!area.touches((wall.0, wall.1)), "{area:?}");
    }

    #[test]
    fn there_is_no_place_outside_the_frame() {
        let mut placer = Placer::new(FRAME, Vec::new(), Vec::new());
        assert_eq!(placer.place((100.0, 100.0), (400.0, 10.0), &[6.0, 12.0]), None);
    }

    proptest! {
        #[test]
        fn no_two_labels_and_no_label_and_marker_overlap(
            points in prop::collection::vec((0.0..300.0f64, 0.0..200.0f64, 5.0..90.0f64), 0..60)
        ) {
            let markers: Vec<Area> = points.iter().map(|&(x, y, _)| Area::around((x, y), 5.0)).collect();
            let mut placer = Placer::new(FRAME, markers.clone(), Vec::new());
            let placed: Vec<Area> =
                points.iter().filter_map(|&(x, y, w)| placer.place((x, y), (w, 12.0), &[6.0, 10.0])).collect();
            for (i, a) in placed.iter().enumerate() {
                prop_assert!(FRAME.contains(*a));
                prop_assert!(!markers.iter().any(|m| a.overlaps(*m)));
                prop_assert!(!placed[i + 1..].iter().any(|b| a.overlaps(*b)));
            }
        }
    }
}
