//! A job on a number of nodes that follows a schedule: its course at three quantiles, its bill, and the sizes it replaces.

use super::recommend::Facts;
use super::simulation::{Estimate, Simulation};
use crate::cost::{BillingRule, ElasticBill, Pace, Price, Schedule, Timeline, bills};
use crate::units::Seconds;

/// What is asked beyond the job.
#[derive(Debug, Clone, Copy)]
pub struct ElasticTerms<'a> {
    /// Nodes over the week.
    pub schedule: &'a Schedule,
    /// Minute of the week at which the job starts.
    pub start: u32,
    /// What a change of the number of nodes costs; a checkpoint write, a restart and a start-up unless stated.
    pub change: Option<Seconds>,
    /// Nodes to pay by the month; the cheapest number unless stated.
    pub baseline: Option<u32>,
    /// Price of a node by the hour.
    pub hourly: Option<&'a Price>,
    /// Price of a node by the month.
    pub monthly: Option<&'a Price>,
    /// How the provider bills.
    pub rule: &'a BillingRule,
    /// Jobs alike and independent of each other, one after the other on the nodes of the schedule.
    pub jobs: u32,
}

/// One number of nodes by itself, for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedSize {
    /// Nodes.
    pub nodes: u32,
    /// The whole job on them.
    pub whole: Seconds,
    /// Its cheapest bill, where there is a price.
    pub bill: Option<ElasticBill>,
}

/// The course at three quantiles of speed.
#[derive(Debug, Clone, PartialEq)]
pub struct Courses {
    /// One in ten is faster.
    pub p10: Timeline,
    /// The median.
    pub p50: Timeline,
    /// One in ten is slower.
    pub p90: Timeline,
}

/// A job over a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Elastic {
    /// What a change costs in time.
    pub change: Seconds,
    /// The courses; `None` when the slow one does not end.
    pub courses: Option<Courses>,
    /// Bills of the median course by size of baseline, where there is a price.
    pub bills: Vec<ElasticBill>,
    /// The bill that holds: of the baseline stated, or the cheapest.
    pub chosen: Option<ElasticBill>,
    /// Totals of that baseline at the fast and slow course.
    pub ends: Option<[ElasticBill; 2]>,
    /// Each number of nodes of the schedule by itself, ascending.
    pub fixed: Vec<FixedSize>,
    /// The same at P90.
    pub fixed_p90: Vec<FixedSize>,
}

/// Works out the schedule. `sizes` are simulations of each number of nodes that the schedule has.
///
/// A time of the whole job holds evaluation, checkpoints and failures (`calendar`); failures while nodes change are not
/// counted twice.
pub fn elastic(facts: Facts<'_>, terms: &ElasticTerms<'_>, sizes: &[(u32, &Estimate)]) -> Elastic {
    let change = terms.change.unwrap_or_else(|| usual_change(facts, sizes));
    let paces = |quantile: fn(&Estimate) -> f64| -> Vec<Pace> {
        sizes
            .iter()
            .map(|&(nodes, e)| Pace { nodes, whole: Seconds::new(quantile(e) * f64::from(terms.jobs)) })
            .collect()
    };
    let [p10, p50, p90] = [paces(|e| e.calendar.p10), paces(|e| e.calendar.p50), paces(|e| e.calendar.p90)];
    let course = |paces: &[Pace]| Timeline::of(terms.schedule, terms.start, paces, change);
    let courses = match (course(&p10), course(&p50), course(&p90)) {
        (Some(p10), Some(p50), Some(p90)) => Some(Courses { p10, p50, p90 }),
        _ => None,
    };
    let billed = |course: &Timeline| bills(course, terms.hourly?, terms.monthly, terms.rule);
    let all = courses.as_ref().and_then(|c| billed(&c.p50)).unwrap_or_default();
    let chosen = match terms.baseline {
        Some(nodes) => baseline_of(&all, nodes),
        None => cheapest(&all),
    };
    let ends = courses.as_ref().zip(chosen).and_then(|(courses, chosen)| {
        let at = |course: &Timeline| baseline_of(&billed(course)?, chosen.committed.nodes);
        Some([at(&courses.p10)?, at(&courses.p90)?])
    });
    let alone = |paces: &[Pace]| -> Vec<FixedSize> {
        let size = |pace: &Pace| {
            let alone = Timeline::of(&Schedule::constant(pace.nodes), 0, paces, change);
            let bill = alone.as_ref().and_then(|a| cheapest(&billed(a)?));
            FixedSize { nodes: pace.nodes, whole: pace.whole, bill }
        };
        paces.iter().map(size).collect()
    };
    let (fixed, fixed_p90) = (alone(&p50), alone(&p90));
    Elastic { change, courses, bills: all, chosen, ends, fixed, fixed_p90 }
}

/// The cheapest bill; of equal ones that of the smaller baseline.
pub fn cheapest(bills: &[ElasticBill]) -> Option<ElasticBill> {
    bills.iter().min_by_key(|b| (b.total.amount, b.committed.nodes)).copied()
}

/// The bill of this baseline, or of the largest size below it: a short course may not reach every level.
pub fn baseline_of(bills: &[ElasticBill], nodes: u32) -> Option<ElasticBill> {
    bills.iter().rfind(|b| b.committed.nodes <= nodes).copied()
}

/// A checkpoint write by the smallest size, and what a start after an interruption costs, for want of figures of planned ones.
fn usual_change(facts: Facts<'_>, sizes: &[(u32, &Estimate)]) -> Seconds {
    let rates = &facts.profiles.defaults.reliability;
    let write =
        sizes.iter().map(|&(nodes, e)| e.whole.checkpoint_bytes / (rates.checkpoint_rate * f64::from(nodes)));
    write.fold(Seconds::ZERO, Seconds::max) + rates.restart + rates.start_up
}

/// The estimates of simulations that run, with their nodes; else the first that does not.
///
/// # Errors
/// The simulation that does not run.
pub fn running(simulations: &[Simulation]) -> Result<Vec<(u32, &Estimate)>, &Simulation> {
    simulations.iter().map(|s| s.estimate().map(|e| (s.cluster.nodes, e)).ok_or(s)).collect()
}
