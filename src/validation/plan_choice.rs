//! Would the predictions have chosen the right plan? Groups of runs that differ in their plan only.

use std::collections::{BTreeMap, BTreeSet};

use super::scenario::Prepared;
use crate::plan::Plan;

/// Several measured plans of one job on one cluster.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PlanChoice {
    /// Source family.
    pub family: String,
    /// Job and cluster.
    pub job: String,
    /// Plans.
    pub plans: usize,
    /// Share of pairs of plans that the predictions put in the measured order.
    pub pair_order: f64,
    /// Measured time of the plan predicted fastest over that of the fastest, less one.
    pub regret: f64,
}

/// All choices of one family together.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyChoices {
    /// Source family.
    pub family: String,
    /// Groups.
    pub groups: usize,
    /// Plans of all groups.
    pub plans: usize,
    /// Mean over the groups of the share of pairs in the measured order.
    pub mean_pair_order: f64,
    /// The worst group's.
    pub least_pair_order: f64,
    /// Mean over the groups of the regret.
    pub mean_regret: f64,
    /// The worst group's.
    pub most_regret: f64,
}

/// Summarises groups by family.
pub fn choices_by_family(choices: &[PlanChoice]) -> Vec<FamilyChoices> {
    let mut families: BTreeMap<&str, Vec<&PlanChoice>> = BTreeMap::new();
    for choice in choices {
        families.entry(&choice.family).or_default().push(choice);
    }
    let summary = |(family, groups): (&str, Vec<&PlanChoice>)| {
        let mean =
            |of: fn(&PlanChoice) -> f64| groups.iter().map(|c| of(c)).sum::<f64>() / groups.len() as f64;
        FamilyChoices {
            family: family.to_owned(),
            groups: groups.len(),
            plans: groups.iter().map(|c| c.plans).sum(),
            mean_pair_order: mean(|c| c.pair_order),
            least_pair_order: groups.iter().map(|c| c.pair_order).fold(1.0, f64::min),
            mean_regret: mean(|c| c.regret),
            most_regret: groups.iter().map(|c| c.regret).fold(0.0, f64::max),
        }
    };
    families.into_iter().map(summary).collect()
}

/// Fewest plans that make a group.
const FEWEST_PLANS: usize = 3;

/// One measured plan: what is searched for it, its predicted and its measured step time.
struct Timed<'r> {
    plans: &'r [Plan],
    predicted: f64,
    measured: f64,
}

/// Groups rows by family, software, model shape, sequence, cluster, batch and precision, in that order; `log_ratios`
/// are ln(predicted / measured time) and `predicted` the predicted step times in seconds. Rows of one and the same
/// plan, such as repeated measurements, make no group.
pub fn plan_choices(rows: &[&Prepared<'_>], log_ratios: &[f64], predicted: &[f64]) -> Vec<PlanChoice> {
    let mut groups: BTreeMap<(&str, String), Vec<Timed<'_>>> = BTreeMap::new();
    for ((row, log), &predicted) in rows.iter().zip(log_ratios).zip(predicted) {
        let Some(plan) = row.plans.first() else { continue };
        let job = format!(
            "{} ({} layers, hidden {}), sequence {}, {} x {}, {}, batch {}, {}",
            row.run.model,
            row.workload.layers(),
            row.workload.attention.map_or(0, |a| a.hidden),
            row.workload.rows_per_sample,
            row.machine.gpus(),
            row.machine.gpu.id,
            row.run.stack,
            plan.global_batch(),
            plan.precision.name()
        );
        let measured = predicted * (-log).exp();
        groups.entry((&row.run.family, job)).or_default().push(Timed {
            plans: &row.plans,
            predicted,
            measured,
        });
    }
    let choice = |((family, job), plans): ((&str, String), Vec<Timed<'_>>)| {
        let distinct: BTreeSet<&[Plan]> = plans.iter().map(|m| m.plans).collect();
        (distinct.len() >= FEWEST_PLANS).then(|| PlanChoice {
            family: family.to_owned(),
            job,
            plans: plans.len(),
            pair_order: pair_order(&plans),
            regret: regret(&plans),
        })
    };
    groups.into_iter().filter_map(choice).collect()
}

/// Share of pairs in the same order; pairs of one plan or of one measured time are no pairs.
fn pair_order(plans: &[Timed<'_>]) -> f64 {
    let (mut same, mut all) = (0.0, 0.0);
    for (i, a) in plans.iter().enumerate() {
        for b in plans[i + 1..].iter().filter(|b| a.measured != b.measured && a.plans != b.plans) {
            all += 1.0;
            same += f64::from(u8::from((a.predicted < b.predicted) == (a.measured < b.measured)));
        }
    }
    if all > 0.0 { same / all } else { 1.0 }
}

fn regret(plans: &[Timed<'_>]) -> f64 {
    let chosen = plans.iter().min_by(|a, b| a.predicted.total_cmp(&b.predicted));
    let fastest = plans.iter().map(|p| p.measured).fold(f64::INFINITY, f64::min);
    chosen.map_or(f64::NAN, |p| p.measured) / fastest - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Precision;
    use crate::plan::{Recompute, Sharding};

    fn plan(micro_batch: u32) -> [Plan; 1] {
        [Plan {
            tensor_parallel: 1,
            pipeline_parallel: 1,
            context_parallel: 1,
            expert_parallel: 1,
            optimizer_offload: false,
            virtual_stages: 1,
            data_parallel: 1,
            sharding: Sharding::None,
            sequence_parallel: false,
            recompute: Recompute::None,
            micro_batch,
            gradient_accumulation_steps: 1,
            flash_attention: false,
            precision: Precision::Fp16,
        }]
    }

    #[test]
    fn one_swapped_pair_of_three_is_two_thirds_and_the_wrong_choice_costs_its_difference() {
        let three = [plan(1), plan(2), plan(4)];
        let times = [(1.0, 2.2), (2.0, 2.0), (3.0, 4.0)];
        let measured = |(plans, (predicted, measured))| Timed { plans, predicted, measured };
        let plans: Vec<Timed<'_>> =
            three.iter().map(<[Plan; 1]>::as_slice).zip(times).map(measured).collect();
        assert!((pair_order(&plans) - 2.0 / 3.0).abs() < 1e-12);
        assert!((regret(&plans) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn two_measurements_of_one_plan_are_no_pair() {
        let one = plan(1);
        let twice = [(1.0, 2.0), (1.0, 3.0)];
        let measured = |(predicted, measured)| Timed { plans: &one, predicted, measured };
        assert_eq!(pair_order(&twice.map(measured)), 1.0);
    }
}
