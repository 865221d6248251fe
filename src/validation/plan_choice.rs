//! Would the predictions have chosen the right plan? Groups of runs that differ in their plan only.

use std::collections::BTreeMap;

use super::scenario::Prepared;

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

/// Fewest plans that make a group.
const FEWEST_PLANS: usize = 3;

/// Groups rows by family, model shape, sequence, cluster, batch and precision, in that order; `log_ratios` are
/// ln(predicted / measured time) and `predicted` the predicted step times in seconds.
pub fn plan_choices(rows: &[&Prepared<'_>], log_ratios: &[f64], predicted: &[f64]) -> Vec<PlanChoice> {
    let mut groups: BTreeMap<(&str, String), Vec<(f64, f64)>> = BTreeMap::new();
    for ((row, log), &predicted) in rows.iter().zip(log_ratios).zip(predicted) {
        let Some(plan) = row.plans.first() else { continue };
        let job = format!(
            "{} ({} layers, hidden {}), sequence {}, {} x {}, batch {}, {}",
            row.run.model,
            row.workload.layers(),
            row.workload.attention.map_or(0, |a| a.hidden),
            row.workload.rows_per_sample,
            row.machine.gpus(),
            row.machine.gpu.id,
            plan.global_batch(),
            plan.precision.name()
        );
        groups.entry((&row.run.family, job)).or_default().push((predicted, predicted * (-log).exp()));
    }
    groups
        .into_iter()
        .filter(|(_, plans)| plans.len() >= FEWEST_PLANS)
        .map(|((family, job), plans)| PlanChoice {
            family: family.to_owned(),
            job,
            plans: plans.len(),
            pair_order: pair_order(&plans),
            regret: regret(&plans),
        })
        .collect()
}

/// Share of pairs in the same order; pairs that took equally long are no pairs.
fn pair_order(plans: &[(f64, f64)]) -> f64 {
    let (mut same, mut all) = (0.0, 0.0);
    for (i, a) in plans.iter().enumerate() {
        for b in &plans[i + 1..] {
            if a.1 != b.1 {
                all += 1.0;
                same += f64::from(u8::from((a.0 < b.0) == (a.1 < b.1)));
            }
        }
    }
    if all > 0.0 { same / all } else { 1.0 }
}

fn regret(plans: &[(f64, f64)]) -> f64 {
    let chosen = plans.iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or(f64::NAN, |p| p.1);
    let fastest = plans.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    chosen / fastest - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_swapped_pair_of_three_is_two_thirds_and_the_wrong_choice_costs_its_difference() {
        // Predicted, measured.
        let plans = [(1.0, 2.2), (2.0, 2.0), (3.0, 4.0)];
        assert!((pair_order(&plans) - 2.0 / 3.0).abs() < 1e-12);
        assert!((regret(&plans) - 0.1).abs() < 1e-12);
    }
}
