//! A job on a number of nodes that follows a schedule: when it ends, and what it costs.
//!
//! The job does its work at the speed of the nodes that run, `1 / (time of the whole job on so many nodes)`. Each change of
//! their number stops it, and it goes on after the change cost `c` (checkpoint, restart, start-up), which is paid like any other
//! time: `done = sum over stretches of max(0, length - c) / time(nodes)`. With more `c` the work done by any moment is never
//! more, so the end is never sooner and the cost never lower; a property test holds both.

mod bill;

pub use bill::{Committed, ElasticBill, bills};

use super::schedule::Schedule;
use crate::units::Seconds;

/// Time that the whole job takes on so many nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Nodes.
    pub nodes: u32,
    /// The whole job, from start to end.
    pub whole: Seconds,
}

/// A stretch of time with one number of nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// From the start of the job.
    pub from: Seconds,
    /// Its end.
    pub to: Seconds,
    /// Nodes that run.
    pub nodes: u32,
    /// Time at its beginning that the change costs.
    pub changing: Seconds,
    /// Share of the job done at its end.
    pub done: f64,
}

/// The course of a job over a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// In order; they touch.
    pub stretches: Vec<Stretch>,
}

/// A job that has not ended after this time is not believed to end.
const LONGEST: Seconds = Seconds::from_days(3653.0);

impl Timeline {
    /// The course of a job that starts at a minute of the week. `None` when it does not end within ten years, or the schedule
    /// has a number of nodes that `paces` lacks.
    ///
    /// ```
    /// use gpu_advisor::cost::{Pace, Schedule, Timeline};
    /// use gpu_advisor::units::Seconds;
    /// // 12 h with 1 node, then 2 nodes; alone one node takes 20 h, two take 10 h. After 12 h 60 % is done; the rest takes
    /// // 4 h with two nodes, and half an hour for the change.
    /// let schedule = Schedule::parse("1 node 00:00-12:00, 2 nodes 12:00-00:00").unwrap();
    /// let pace = |nodes, hours| Pace { nodes, whole: Seconds::from_hours(hours) };
    /// let course = Timeline::of(&schedule, 0, &[pace(1, 20.0), pace(2, 10.0)], Seconds::from_hours(0.5)).unwrap();
    /// assert!((course.end().hours() - 16.5).abs() < 1e-9);
    /// ```
    pub fn of(schedule: &Schedule, start: u32, paces: &[Pace], change: Seconds) -> Option<Self> {
        let mut stretches: Vec<Stretch> = Vec::new();
        let (mut now, mut done) = (Seconds::ZERO, 0.0);
        while done < 1.0 && now < LONGEST {
            let minute = start + (now.get() / 60.0).round() as u32;
            let (nodes, left) = schedule.at(minute);
            let length = left.unwrap_or(LONGEST);
            let changed = stretches.last().is_some_and(|s| s.nodes != nodes);
            let changing = if changed && nodes > 0 { change.min(length) } else { Seconds::ZERO };
            let (to, after) = if nodes == 0 {
                (now + length, done)
            } else {
                let whole = paces.iter().find(|p| p.nodes == nodes)?.whole;
                let needed = changing + whole * (1.0 - done);
                let work = (length - changing) / whole;
                if needed <= length { (now + needed, 1.0) } else { (now + length, done + work) }
            };
            stretches.push(Stretch { from: now, to, nodes, changing, done: after });
            (now, done) = (to, after);
        }
        (done >= 1.0).then_some(Self { stretches })
    }

    /// When the job is done.
    pub fn end(&self) -> Seconds {
        self.stretches.last().map_or(Seconds::ZERO, |s| s.to)
    }

    /// Times the number of nodes changed.
    pub fn changes(&self) -> usize {
        self.stretches.len().saturating_sub(1)
    }

    /// Time that the changes cost.
    pub fn changing(&self) -> Seconds {
        self.stretches.iter().map(|s| s.changing).sum()
    }

    /// Node-hours from start to end.
    pub fn node_hours(&self) -> f64 {
        self.stretches.iter().map(|s| (s.to - s.from).hours() * f64::from(s.nodes)).sum()
    }

    /// The same course, cut at every full hour after the start.
    pub fn hours(&self) -> Vec<Stretch> {
        let mut hours = Vec::new();
        let mut before = 0.0;
        for stretch in &self.stretches {
            let works_from = stretch.from + stretch.changing;
            let works = stretch.to - works_from;
            let mut from = stretch.from;
            while from < stretch.to {
                let next = Seconds::from_hours((from.hours() + 1e-9).floor() + 1.0).min(stretch.to);
                let share =
                    if works.get() > 0.0 { ((next - works_from) / works).clamp(0.0, 1.0) } else { 0.0 };
                let changing = (works_from.min(next) - from).max(Seconds::ZERO);
                let done = before + (stretch.done - before) * share;
                hours.push(Stretch { from, to: next, nodes: stretch.nodes, changing, done });
                from = next;
            }
            before = stretch.done;
        }
        hours
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::Purchase;
    use crate::cost::{BillingRule, Price, PriceOrigin, PriceRate};

    fn pace(nodes: u32, hours: f64) -> Pace {
        Pace { nodes, whole: Seconds::from_hours(hours) }
    }

    #[test]
    fn a_rest_takes_time_and_no_work_and_going_on_costs_a_change() {
        // 4 h a day for 10 h of work: 4 + 20 rest + 4 + 20 rest + 2, and twice 1 h to go on.
        let schedule = Schedule::parse("1 node 00:00-04:00").unwrap();
        let course = Timeline::of(&schedule, 0, &[pace(1, 10.0)], Seconds::from_hours(1.0)).unwrap();
        assert!((course.end().hours() - 52.0).abs() < 1e-9, "{}", course.end().hours());
        assert!((course.node_hours() - 12.0).abs() < 1e-9);
        assert!((course.changing().hours() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_change_longer_than_its_stretch_never_ends() {
        let schedule = Schedule::parse("1 node 00:00-12:00, 2 nodes 12:00-00:00").unwrap();
        let slow = [pace(1, 1e4), pace(2, 1e4)];
        assert!(Timeline::of(&schedule, 0, &slow, Seconds::from_hours(12.0)).is_none());
    }

    #[test]
    fn hours_add_up_to_the_course() {
        let schedule = Schedule::parse("2 nodes 08:00-20:30, 8 nodes 20:30-08:00").unwrap();
        let course =
            Timeline::of(&schedule, 500, &[pace(2, 90.0), pace(8, 25.0)], Seconds::new(700.0)).unwrap();
        let hours = course.hours();
        let of_hours: f64 = hours.iter().map(|h| (h.to - h.from).hours() * f64::from(h.nodes)).sum();
        assert!((of_hours - course.node_hours()).abs() < 1e-6);
        let changing: Seconds = hours.iter().map(|h| h.changing).sum();
        assert!((changing - course.changing()).get().abs() < 1e-6);
        assert!((hours.last().unwrap().done - 1.0).abs() < 1e-12);
        assert!(hours.windows(2).all(|w| w[0].to == w[1].from && w[1].done >= w[0].done));
    }

    fn price(text: &str, purchase: Purchase) -> Price {
        let day = jiff::civil::date(2026, 11, 30);
        let rate = PriceRate::parse(text).unwrap();
        Price::of_user(rate, purchase, None, PriceOrigin::User, day, "test".to_owned())
    }

    proptest! {
        #[test]
        fn more_costly_changes_never_end_sooner_nor_cost_less(
            day in 1_u32..6, night in 1_u32..9, hours in 5.0_f64..300.0, start in 0_u32..10_080,
            less in 0.0_f64..3.0, more in 0.0_f64..3.0,
        ) {
            let schedule = Schedule::parse(&format!("{day} nodes 08:00-20:00, {night} nodes 20:00-08:00")).unwrap();
            let paces = [pace(day, hours / f64::from(day)), pace(night, hours / f64::from(night))];
            let of = |change: f64| {
                let course = Timeline::of(&schedule, start, &paces, Seconds::from_hours(change)).unwrap();
                let (hourly, monthly) = (price("10 USD/h", Purchase::OnDemand), price("4000 USD/month", Purchase::Monthly));
                let all = bills(&course, &hourly, Some(&monthly), &BillingRule::unknown()).unwrap();
                let cheapest = all.iter().map(|b| b.total.amount).min().unwrap();
                (course.end(), cheapest)
            };
            let (cheap, dear) = (of(less), of(less + more));
            prop_assert!(dear.0.get() >= cheap.0.get() - 1e-6 && dear.1 >= cheap.1);
        }
    }
}
