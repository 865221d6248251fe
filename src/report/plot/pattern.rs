//! The lines of a pattern inside a rectangle.

use super::scene::{Area, Pattern, Point};

/// The strokes of a pattern, cut at the edges; they stand on a grid of the whole picture, so that neighbours join.
pub(super) fn strokes(area: Area, pattern: Pattern) -> Vec<(Point, Point)> {
    match pattern {
        Pattern::Solid | Pattern::Empty => Vec::new(),
        Pattern::Rising(gap) => slanted(area, gap, 1.0),
        Pattern::Falling(gap) => slanted(area, gap, -1.0),
        Pattern::Level(gap) => {
            steps(area.top, area.bottom, gap).map(|y| ((area.left, y), (area.right, y))).collect()
        }
        Pattern::Upright(gap) => {
            steps(area.left, area.right, gap).map(|x| ((x, area.top), (x, area.bottom))).collect()
        }
        Pattern::Grid(gap) => {
            let mut both = strokes(area, Pattern::Level(gap));
            both.extend(strokes(area, Pattern::Upright(gap)));
            both
        }
        Pattern::Lattice(gap) => {
            let mut both = slanted(area, gap, 1.0);
            both.extend(slanted(area, gap, -1.0));
            both
        }
    }
}

/// Multiples of a gap strictly between two numbers.
fn steps(from: f64, to: f64, gap: u32) -> impl Iterator<Item = f64> {
    let gap = f64::from(gap);
    let (first, last) = ((from / gap).floor() as i64 + 1, (to / gap).ceil() as i64 - 1);
    (first..=last).map(move |k| k as f64 * gap)
}

/// Lines at 45 degrees: `x + y` is constant where they rise to the right, `x - y` where they fall.
fn slanted(area: Area, gap: u32, rising: f64) -> Vec<(Point, Point)> {
    let corners = [area.top, area.bottom].map(|y| [area.left + rising * y, area.right + rising * y]);
    let all = corners.as_flattened();
    let (low, high) = all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    let place = |sum: f64, y: f64| (sum - rising * y, y);
    steps(low, high, gap + gap / 2)
        .map(|sum| {
            // Where the line enters and leaves: between the level edges, and no further than the upright ones.
            let y_at = |x: f64| (sum - x) * rising;
            let (a, b) = (y_at(area.left), y_at(area.right));
            let (from, to) = (a.min(b).max(area.top), a.max(b).min(area.bottom));
            (place(sum, from), place(sum, to))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 10.0, top: 20.0, right: 50.0, bottom: 33.0 };

    #[test]
    fn no_stroke_leaves_its_rectangle_and_every_pattern_has_some() {
        for pattern in [
            Pattern::Rising(6),
            Pattern::Falling(6),
            Pattern::Level(5),
            Pattern::Upright(5),
            Pattern::Grid(8),
            Pattern::Lattice(8),
        ] {
            let found = strokes(AREA, pattern);
            assert!(!found.is_empty(), "{pattern:?}");
            for (a, b) in found {
                for (x, y) in [a, b] {
                    let inside = (9.999..=50.001).contains(&x) && (19.999..=33.001).contains(&y);
                    assert!(inside, "{pattern:?} {x} {y}");
                }
            }
        }
        assert!(strokes(AREA, Pattern::Solid).is_empty());
    }

    #[test]
    fn level_lines_stand_on_multiples_of_their_gap() {
        let ys: Vec<f64> = strokes(AREA, Pattern::Level(5)).iter().map(|(a, _)| a.1).collect();
        assert_eq!(ys, [25.0, 30.0]);
    }
}
