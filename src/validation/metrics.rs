//! Error figures by set.

use std::collections::BTreeMap;

use super::predict::fastest;
use super::scenario::Prepared;
use crate::workload::model_flop_per_row;

/// Errors of one set: a source family on one GPU architecture.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SetErrors {
    /// Source family.
    pub family: String,
    /// GPU architecture.
    pub architecture: String,
    /// Rows.
    pub rows: usize,
    /// Median of the absolute error, in the rows' own metrics.
    pub median: f64,
    /// Mean of the absolute error.
    pub mean: f64,
    /// 90 % quantile of the absolute error.
    pub p90: f64,
    /// Median of the signed error in time: above zero when predictions are too slow.
    pub bias: f64,
    /// Share of rows inside the 80 % interval.
    pub coverage: f64,
    /// Mean absolute error of one constant model FLOP utilization, fitted to this very set.
    pub baseline: f64,
}

/// Summarises rows; `log_ratios` are ln(predicted / measured time), `sigmas` the standard deviations behind the
/// intervals.
pub fn errors_by_set(rows: &[&Prepared<'_>], log_ratios: &[f64], sigmas: &[f64]) -> Vec<SetErrors> {
    let mut sets: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        sets.entry(row.set()).or_default().push(i);
    }
    sets.into_iter()
        .map(|((family, architecture), members)| {
            let errors: Vec<f64> =
                sorted(members.iter().map(|&i| metric_error(rows[i], log_ratios[i]).abs()));
            let signed = sorted(members.iter().map(|&i| log_ratios[i].exp_m1()));
            let inside = |&&i: &&usize| log_ratios[i].abs() <= NORMAL_P90 * sigmas[i];
            SetErrors {
                family: family.to_owned(),
                architecture: architecture.to_owned(),
                rows: members.len(),
                median: quantile(&errors, 0.5),
                mean: mean(&errors),
                p90: quantile(&errors, 0.9),
                bias: quantile(&signed, 0.5),
                coverage: members.iter().filter(inside).count() as f64 / members.len() as f64,
                baseline: baseline(rows, &members),
            }
        })
        .collect()
}

/// The 90 % quantile of the standard normal distribution.
const NORMAL_P90: f64 = 1.281_551_565_545;

/// Predicted over measured, less one, in the row's own metric.
fn metric_error(row: &Prepared<'_>, log_time_ratio: f64) -> f64 {
    if row.run.metric.is_rate() { (-log_time_ratio).exp_m1() } else { log_time_ratio.exp_m1() }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Linear interpolation between the neighbours; `sorted` is ascending and not empty.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() as f64 - 1.0);
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

/// Mean absolute error when every row of a set runs at the one utilization that fits it best.
fn baseline(rows: &[&Prepared<'_>], members: &[usize]) -> f64 {
    let logs: Vec<(usize, f64)> =
        members.iter().filter_map(|&i| ideal_ratio(rows[i]).map(|log| (i, log))).collect();
    if logs.is_empty() {
        return f64::NAN;
    }
    let middle = quantile(&sorted(logs.iter().map(|(_, log)| *log)), 0.5);
    let errors: Vec<f64> = logs.iter().map(|&(i, log)| metric_error(rows[i], log - middle).abs()).collect();
    mean(&errors)
}

/// ln(time at the datasheet's peak / measured time).
fn ideal_ratio(row: &Prepared<'_>) -> Option<f64> {
    let (plan, step) = fastest(row, row.profile())?;
    let predicted = super::predict::log_time_ratio(row, row.profile())?;
    let measured = step.total() * (-predicted).exp();
    let peak = row.machine.gpu.peak(plan.precision)?;
    let samples = plan.global_batch() as f64 * f64::from(row.workload.rows_per_sample);
    let ideal = model_flop_per_row(&row.workload) * samples / (peak * f64::from(row.machine.gpus()));
    Some((ideal / measured).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0], 0.5), 1.5);
        assert_eq!(quantile(&[4.0], 0.9), 4.0);
    }
}
