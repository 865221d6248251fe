//! From priced candidates to the answer: ranking, front, what flips, what is out.

use super::candidate::{Candidate, Objective, Request};
use super::flip::flips;
use super::flip_trial::network_flip;
use super::front::Front;
use super::group::{outcomes, treat};
use super::plan_counts::PlanCounts;
use super::quota::{allowance, shown_though_out};
use super::rank;
use super::recommend::{Facts, Recommendation};
use super::rejection::{Rejection, RejectionReason, count};
use super::risk::{Risk, finalists};
use super::scaling::scaling_curves;
use super::shortfall::lacking;
use crate::catalog::GpuId;
use crate::cost::break_even::{break_even_price_per_node_hour, most_to_win};
use crate::cost::{Allowance, Standing as Sale};
use crate::units::Seconds;

/// What a search found.
pub(super) struct Gathered {
    /// Clusters with a plan, within the limits.
    pub candidates: Vec<Candidate>,
    /// Clusters with a plan, beyond a limit.
    pub late: Vec<(Candidate, RejectionReason)>,
    /// Clusters without a plan.
    pub rejections: Vec<Rejection>,
    /// All of them.
    pub considered: usize,
    /// Parallel plans of all clusters.
    pub plans: PlanCounts,
}

impl Gathered {
    /// The first of block A, and whether something meets a deadline that was assumed: that one, or, where all that has a price
    /// is in block B, one of those.
    pub fn winner(self, facts: Facts<'_>, request: &Request) -> (Option<Candidate>, bool) {
        let Standing { ranked, beyond, unpriced, .. } = standing(facts, request, self.candidates);
        let met = !ranked.is_empty() || beyond.is_empty() && unpriced.iter().any(|c| !c.beyond_horizon);
        (ranked.into_iter().next(), met)
    }

    /// Ranks what was found.
    pub fn answer(
        self,
        facts: Facts<'_>,
        request: &Request,
        groups: &[(String, Vec<GpuId>)],
    ) -> Recommendation {
        let Self { candidates, late, mut rejections, considered, plans } = self;
        let feasible = candidates.len();
        let Standing { priced, beyond, mut ranked, risks, mut unpriced } =
            standing(facts, request, candidates);
        rank::mark_ties(&mut ranked, request.objective);
        add_break_even(facts, request, &mut unpriced, ranked.first());
        rank::sort_by_gpu_hours(&mut unpriced);
        let outside = unpriced;
        let unpriced = rank::one_per_instance(&outside);
        let every = priced.iter().chain(&beyond).chain(&outside).chain(late.iter().map(|(c, _)| c));
        let scaling = scaling_curves(facts, groups, (&ranked, &unpriced), &every.collect::<Vec<_>>());
        let after: Vec<&Candidate> = late
            .iter()
            .filter(|(c, reason)| matches!(reason, RejectionReason::Deadline { .. }) && is_comparable(c))
            .map(|(c, _)| c)
            .chain(&beyond)
            .collect();
        let mut flips = flips(&ranked, &priced, &after, request.objective);
        flips.extend(network_flip(facts, request, &ranked, &priced));
        let lacking = lacking(facts, request, &ranked);
        let others = rank::worth_waiting(&ranked, beyond, request.objective);
        ranked.extend(others);
        for (candidate, reason) in late {
            rejections.push(Rejection { cluster: candidate.cluster.label, reason });
        }
        let out = shown_though_out(facts, request, &outside);
        let feasible = feasible - out.len();
        rejections.extend(out);
        let groups = outcomes(facts, groups, &ranked, &unpriced, &rejections);
        let mut rejections = count(rejections);
        treat(facts, request, &mut rejections);
        Recommendation {
            ranked,
            front: Front::of(&priced),
            priced,
            risks,
            unpriced,
            rejections,
            groups,
            scaling,
            reference: None,
            increased: None,
            flips,
            lacking,
            considered,
            feasible,
            plans,
            deadline: request.deadline.map(|d| (d.limit, d.assumed)),
        }
    }
}

/// Candidates in their places.
struct Standing {
    /// Every priced one within an assumed deadline, ranked.
    priced: Vec<Candidate>,
    /// Every priced one beyond it, in no order.
    beyond: Vec<Candidate>,
    /// The best of each instance type and way to buy.
    ranked: Vec<Candidate>,
    /// The risks of its first rows.
    risks: Vec<Risk>,
    /// The others, in no order.
    unpriced: Vec<Candidate>,
}

fn standing(facts: Facts<'_>, request: &Request, candidates: Vec<Candidate>) -> Standing {
    let ranks = |c: &Candidate| is_comparable(c) && allowance(facts, request, c) != Some(Allowance::Unknown);
    let (priced, unpriced): (Vec<_>, Vec<_>) = candidates.into_iter().partition(ranks);
    let (beyond, mut priced): (Vec<_>, Vec<_>) = priced.into_iter().partition(|c| c.beyond_horizon);
    rank::mark_pareto(&mut priced);
    rank::sort(&mut priced, request.objective);
    let mut ranked = rank::one_per_instance(&priced);
    let risks = finalists(facts, request, &mut ranked);
    Standing { priced, beyond, ranked, risks, unpriced }
}

/// On sale, sold by the user, with a price in the currency asked for.
fn is_comparable(candidate: &Candidate) -> bool {
    candidate.offer.as_ref().is_some_and(|o| o.on_sale == Sale::Sold && o.sold_by_user)
        && candidate.cost.as_ref().is_some_and(|c| c.comparable().is_some())
}

/// The price at which each would be as good as the winner, or cost as much as the budget allows where that is less: as dear in the
/// median or at the P90, or in the balance with time. Where time alone ranks no price wins, and there is none.
pub(super) fn add_break_even(
    facts: Facts<'_>,
    request: &Request,
    unpriced: &mut [Candidate],
    winner: Option<&Candidate>,
) {
    let Some(best) = winner.and_then(|w| w.cost.as_ref()).and_then(|c| c.comparable()) else { return };
    let slow = request.objective == Objective::CostAtP90;
    if request.objective == Objective::Time {
        return;
    }
    let best_cost = if slow { best.p90 } else { best.p50 };
    let best_time = winner.filter(|_| request.objective == Objective::Balanced).map(rank::time_in_balance);
    for candidate in unpriced {
        let time = if slow { candidate.paid.p90 } else { candidate.paid.p50 };
        // In the balance what is slower must cost so much less.
        let share = best_time.map_or(1.0, |best| best / rank::time_in_balance(candidate));
        let Some(even) = best_cost.times(share) else { continue };
        let limit = most_to_win(even, request.job.folds, request.budget, &request.prices.fx);
        let provider = candidate.offer.as_ref().map_or("", |o| o.place.provider.as_str());
        let rule = facts.billing.rule(provider);
        let time = Seconds::new(time);
        candidate.break_even = break_even_price_per_node_hour(limit, candidate.cluster.nodes, time, &rule);
    }
}
