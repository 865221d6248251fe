//! Whether longer sequences flip the choice: the whole search done again with twice the tokens of a sequence.

use super::args::WorkloadArgs;
use super::problems::Problems;
use super::recommend::{Asked, request};
use super::session::Session;
use crate::advisor::rank::interval_cost;
use crate::advisor::recommend::winner as best;
use crate::advisor::{Candidate, Flip, Recommendation, Request};

/// Asks again with sequences twice as long; `None` where the same choice wins, or where the job has no sequences.
pub fn sequence_flip(
    asked: &Asked<'_>,
    session: &mut Session,
    now: &Request,
    answer: &Recommendation,
) -> Option<Flip> {
    let winner = answer.ranked.first()?;
    let workload = &now.job.workload;
    if workload.attention.is_none() || workload.kind.is_image() {
        return None;
    }
    let (from, to) = (workload.rows_per_sample, workload.rows_per_sample.checked_mul(2)?);
    let longer = WorkloadArgs { sequence_length: Some(to.to_string()), ..asked.workload.clone() };
    let asked = Asked { workload: &longer, ..*asked };
    // A length that the model cannot take is no answer, and no error of the user.
    let (mut request, _) = request(&asked, session, Problems::default()).ok()?;
    request.job.length = now.job.length;
    request.deadline = now.deadline;
    request.job.stack.clone_from(&now.job.stack);
    let choice = |c: &Candidate| (c.cluster.label.clone(), c.offer.as_ref().map(|o| o.purchase));
    let Some(next) = &best(session.facts(), &request) else {
        return Some(Flip::LongerSequence { from, to, cluster: None, cost_ratio: None });
    };
    let ratio = interval_cost(next).zip(interval_cost(winner)).map(|(next, now)| next.p50 / now.p50);
    let cluster = Some(next.cluster.label.clone());
    (choice(next) != choice(winner)).then_some(Flip::LongerSequence { from, to, cluster, cost_ratio: ratio })
}
