//! The Pareto front over four axes: time, cost, number of GPUs, risk; its knee, and the ends of its axes.
//!
//! A candidate is on the front when no other is at least as good on every axis and better on one. Risk is
//! [`Candidate::exposure`] in whole percent: finer differences mean nothing, and would keep everything on the front. The
//! knee is the member nearest to the ideal point, on which every axis has its best value: each axis is read as the
//! logarithm of its value, from 0 at the best member to 1 at the worst, and the distance is Euclidean. Going on from it
//! along any axis costs more on the others than it brings.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::candidate::Candidate;
use super::rank::cost;

/// Axes: time in seconds, cost, GPUs, and one plus the risk.
pub const AXES: usize = 4;

/// A candidate's values on the axes, all above zero, less being better.
pub type Point = [f64; AXES];

/// What a member of the front is the best at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Lowest P50 cost.
    Cheapest,
    /// Shortest P50 time.
    Fastest,
    /// Fewest GPUs.
    FewestGpus,
    /// Least risk.
    Surest,
    /// Nearest to the ideal on all axes together.
    Knee,
}

/// The front, in the order of the ranking.
#[derive(Debug, Clone, Default)]
pub struct Front {
    /// Its members, one for each set of values.
    pub members: Vec<Candidate>,
    /// Which members are the best at something, the cheapest first.
    pub roles: Vec<(Role, usize)>,
}

impl Front {
    /// The front of priced candidates in the order of the ranking.
    pub fn of(sorted: &[Candidate]) -> Self {
        let points: Vec<Point> = sorted.iter().map(point).collect();
        let on = non_dominated(&points);
        let mut members: Vec<Candidate> = Vec::new();
        let mut values: Vec<Point> = Vec::new();
        let mut seen = BTreeSet::new();
        for ((candidate, value), on) in sorted.iter().zip(points).zip(on) {
            // The same cluster in several regions is one choice.
            if on && seen.insert(value.map(f64::to_bits)) {
                members.push(candidate.clone());
                values.push(value);
            }
        }
        let roles = roles(&values);
        Self { members, roles }
    }

    /// The member that is the best at something.
    pub fn best(&self, role: Role) -> Option<&Candidate> {
        let &(_, at) = self.roles.iter().find(|(r, _)| *r == role)?;
        self.members.get(at)
    }
}

/// A candidate on the axes; one without a comparable price costs infinitely much.
pub fn point(candidate: &Candidate) -> Point {
    let cost = cost(candidate);
    let risk = (candidate.exposure * 100.0).round() / 100.0;
    [candidate.paid.p50, cost, f64::from(candidate.cluster.gpus()), 1.0 + risk.max(0.0)]
}

/// At least as good on every axis, and better on one.
pub fn dominates(a: &Point, b: &Point) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a != b
}

/// Which points no other dominates, in their order. Equal points do not dominate each other.
///
/// The points are visited in the order of their axes, so that what dominates a point was there before it; of those, the least
/// of the second axis is kept for every pair of the other two that matters. That takes `n log n` steps times the number of distinct
/// values of the third axis, of which GPUs have few, however many points there are.
///
/// ```
/// use gpu_advisor::advisor::front::non_dominated;
/// let points = [[1.0, 4.0, 1.0, 1.0], [2.0, 2.0, 1.0, 1.0], [2.0, 3.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0]];
/// assert_eq!(non_dominated(&points), [true, true, false, true]);
/// ```
pub fn non_dominated(points: &[Point]) -> Vec<bool> {
    counted(points).0
}

/// [`non_dominated`] with the number of stairs that were looked at.
fn counted(points: &[Point]) -> (Vec<bool>, usize) {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let axes = points[a].iter().zip(&points[b]).map(|(a, b)| a.total_cmp(b));
        axes.fold(Ordering::Equal, Ordering::then).then(a.cmp(&b))
    });
    // By the third axis: the fourth, ascending, with the least of the second so far, descending.
    let mut stairs: BTreeMap<Ordered, BTreeMap<Ordered, f64>> = BTreeMap::new();
    let mut on = vec![false; points.len()];
    let (mut looks, mut last) = (0, None);
    for i in order {
        let point = points[i];
        if last.is_some_and(|before| points[before] == point) {
            on[i] = last.is_some_and(|before| on[before]);
            continue;
        }
        last = Some(i);
        let [_, second, third, fourth] = point;
        let (third, fourth) = (Ordered(third), Ordered(fourth));
        on[i] = !stairs.range(..=third).any(|(_, stair)| {
            looks += 1;
            stair.range(..=fourth).next_back().is_some_and(|(_, &least)| least <= second)
        });
        if on[i] {
            let stair = stairs.entry(third).or_default();
            let beaten: Vec<Ordered> =
                stair.range(fourth..).take_while(|&(_, &least)| least >= second).map(|(&k, _)| k).collect();
            for key in beaten {
                stair.remove(&key);
            }
            stair.insert(fourth, second);
        }
    }
    (on, looks)
}

/// A number in its total order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The best member for each role; the earlier of equals.
fn roles(values: &[Point]) -> Vec<(Role, usize)> {
    let least = |score: &dyn Fn(&Point) -> f64| {
        let scored = values.iter().map(score).enumerate();
        scored.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).map(|(at, _)| at)
    };
    let axis = |axis: usize| least(&move |p: &Point| p[axis]);
    let (best, worst) = ends(values);
    let to_ideal = |p: &Point| -> f64 {
        let along = |i: usize| {
            let span = (worst[i] / best[i]).ln();
            if span > 0.0 { (p[i] / best[i]).ln() / span } else { 0.0 }
        };
        (0..AXES).map(|i| along(i).powi(2)).sum()
    };
    let knee = if values.len() > 2 { least(&to_ideal) } else { None };
    [
        (Role::Cheapest, axis(1)),
        (Role::Fastest, axis(0)),
        (Role::FewestGpus, axis(2)),
        (Role::Surest, axis(3)),
        (Role::Knee, knee),
    ]
    .into_iter()
    .filter_map(|(role, at)| Some((role, at?)))
    .collect()
}

/// The best and the worst value of each axis.
fn ends(values: &[Point]) -> (Point, Point) {
    let mut ends = ([f64::INFINITY; AXES], [0.0_f64; AXES]);
    for value in values {
        for (axis, &v) in value.iter().enumerate() {
            ends.0[axis] = ends.0[axis].min(v);
            ends.1[axis] = ends.1[axis].max(v);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time, cost, GPUs; no risk.
    const VALUES: [Point; 4] =
        [[64.0, 1.0, 1.0, 1.0], [8.0, 2.0, 2.0, 1.0], [4.0, 8.0, 8.0, 1.0], [1.0, 64.0, 64.0, 1.0]];

    #[test]
    fn the_knee_is_nearest_to_the_ideal_and_the_ends_are_the_best_of_their_axis() {
        // Distances in powers of two out of six: (6,0,0), (3,1,1), (2,3,3), (0,6,6): squares 36, 11, 22, 72.
        let found = roles(&VALUES);
        let at = |role| found.iter().find(|(r, _)| *r == role).map(|(_, at)| *at);
        assert_eq!(at(Role::Knee), Some(1));
        assert_eq!(
            (at(Role::Cheapest), at(Role::Fastest), at(Role::FewestGpus)),
            (Some(0), Some(3), Some(0))
        );
    }

    #[test]
    fn two_members_have_no_knee_and_none_have_no_roles() {
        assert!(roles(&VALUES[..2]).iter().all(|(role, _)| *role != Role::Knee));
        assert!(roles(&[]).is_empty());
    }

    /// Points of so many copies of a few clusters: on each copy a cluster is a little faster and a little dearer.
    fn copies(count: u32) -> Vec<Point> {
        let one = |copy: u32| {
            (0..12_u32).map(move |doubling| {
                let (gpus, copy) = (f64::from(1 << doubling), f64::from(copy));
                [1e6 / gpus - copy, 100.0 + f64::from(doubling) + copy / 1e3, gpus, 1.0]
            })
        };
        (0..count).flat_map(one).collect()
    }

    #[test]
    fn a_candidate_costs_no_more_looks_among_many_even_when_all_are_on_the_front() {
        for count in [20, 320] {
            let points = copies(count);
            let (on, looks) = counted(&points);
            assert!(on.iter().all(|&on| on));
            // One for each number of GPUs at most; comparing all with all takes 1,920 for each of 320 copies.
            assert!(looks <= 12 * points.len(), "{looks} looks at {count} copies");
        }
    }

    #[test]
    fn the_stairs_find_what_comparing_all_with_all_finds() {
        let mut random = crate::numeric::Random::new(11);
        for _ in 0..200 {
            let points: Vec<Point> =
                (0..40).map(|_| [0; AXES].map(|_| random.below(4) as f64 + 1.0)).collect();
            let plain: Vec<bool> =
                points.iter().map(|p| !points.iter().any(|other| dominates(other, p))).collect();
            assert_eq!(non_dominated(&points), plain);
        }
    }

    #[test]
    fn equal_points_stay_together_and_a_point_better_on_the_last_axis_alone_dominates() {
        let (a, b) = ([2.0, 2.0, 2.0, 1.1], [2.0, 2.0, 2.0, 1.2]);
        assert_eq!(non_dominated(&[b, a, a]), [false, true, true]);
    }
}
