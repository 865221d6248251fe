//! The risk of the best rows of a ranking, which are ranked again by it.

use rayon::prelude::*;

use super::{Exposed, Risk, RiskTerms};
use crate::advisor::calendar::checkpoint;
use crate::advisor::candidate::{Candidate, Objective, Request};
use crate::advisor::question::Question;
use crate::advisor::rank::is_little_known;
use crate::advisor::recommend::Facts;
use crate::advisor::simulation::scenario;
use crate::cost::SpotTable;
use crate::simulator::Interval;

/// Rows that are looked at: one for each instance type and way to buy it, so that the rest is dearer by far.
const FINALISTS: usize = 24;

/// Works out the risk of the first rows and sorts them by the objective under it. Returns their risks, in the new order; none
/// where the request does not ask for them.
pub fn finalists(facts: Facts<'_>, request: &Request, ranked: &mut [Candidate]) -> Vec<Risk> {
    let Some(terms) = &request.risk else { return Vec::new() };
    let spot = SpotTable::embedded();
    let first = ranked.len().min(FINALISTS);
    let found: Vec<Option<Risk>> =
        ranked[..first].par_iter().map(|c| of_candidate(facts, request, spot, terms, c)).collect();
    let mut rows: Vec<(Candidate, Risk)> =
        ranked[..first].iter().cloned().zip(found).filter_map(|(c, risk)| Some((c, risk?))).collect();
    if rows.len() < first {
        return Vec::new();
    }
    // Stable: of equals the order without risk stays, and the little known stay behind the known.
    rows.sort_by(|(a, of_a), (b, of_b)| {
        let behind = is_little_known(a).cmp(&is_little_known(b));
        behind.then(score(of_a, request.objective).total_cmp(&score(of_b, request.objective)))
    });
    let (sorted, risks): (Vec<Candidate>, Vec<Risk>) = rows.into_iter().unzip();
    ranked[..first].clone_from_slice(&sorted);
    risks
}

fn of_candidate(
    facts: Facts<'_>,
    request: &Request,
    spot: &SpotTable,
    terms: &RiskTerms,
    candidate: &Candidate,
) -> Option<Risk> {
    Some(exposed(facts, request, candidate)?.risk(facts, spot, &request.prices, terms))
}

/// Works out the calendar time of a candidate, the time that is paid, and how exposed it is.
pub fn expose(facts: Facts<'_>, request: &Request, candidate: &mut Candidate) {
    let spot = SpotTable::embedded();
    let terms = request.risk.unwrap_or_default();
    let Some(exposed) = exposed(facts, request, candidate) else { return };
    let exposure = exposed.exposure(facts, spot, &terms);
    let (calendar, paid) = exposed.times(facts, spot, &terms);
    candidate.calendar = Some(calendar);
    if request.risk.is_some() {
        candidate.reckoned = calendar;
    }
    candidate.paid = paid;
    candidate.exposure = exposure;
}

/// The time that the order reckons with and the time that is paid, of a candidate that trains for another time, in seconds.
pub fn times_of(
    facts: Facts<'_>,
    request: &Request,
    candidate: &Candidate,
    training: Interval,
) -> (Interval, Interval) {
    let Some(exposed) = exposed(facts, request, candidate) else { return (training, training) };
    let terms = request.risk.unwrap_or_default();
    let (calendar, paid) = Exposed { training, ..exposed }.times(facts, SpotTable::embedded(), &terms);
    (if request.risk.is_some() { calendar } else { training }, paid)
}

fn exposed<'a>(facts: Facts<'_>, request: &Request, candidate: &'a Candidate) -> Option<Exposed<'a>> {
    let question = Question::from(request);
    let stack = facts.profiles.stack(&request.job.stack)?;
    let scenario = scenario(facts, &question, &candidate.cluster, stack);
    Some(Exposed {
        cluster: &candidate.cluster,
        offer: candidate.offer.as_deref(),
        training: candidate.time.total,
        checkpoint: checkpoint(&scenario, &candidate.planned),
        jobs: request.job.folds,
    })
}

/// What an objective minimises, under risk; infinite where the job never ends.
fn score(risk: &Risk, objective: Objective) -> f64 {
    let cost = risk.cost.as_ref().and_then(crate::cost::CostOutcome::comparable);
    let time = risk.outcomes.time.p50;
    let cost_of = |pick: fn(&crate::cost::JobCost) -> crate::units::Money| {
        cost.map_or(f64::INFINITY, |c| pick(c).as_f64())
    };
    match objective {
        Objective::Cost => cost_of(|c| c.p50),
        Objective::Time => time,
        Objective::Balanced => cost_of(|c| c.p50) * time,
        Objective::CostAtP90 => cost_of(|c| c.p90),
    }
}
