//! Fits of positive parameters to positive observations, in logarithms.
//!
//! Parameters and observations are fitted as logarithms, so that every size of kernel counts by its relative error;
//! the soft absolute loss keeps single misfits from bending the curve.

use crate::numeric::least_squares::{Prior, Problem, minimise};

/// Relative error from which on a residual counts by its size and not its square.
const SCALE: f64 = 0.05;
/// Step of the numerical derivative.
const STEP: f64 = 1e-5;

/// A positive parameter with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Least value, above zero.
    pub low: f64,
    /// Largest value.
    pub high: f64,
}

/// Predicts all observations from the parameters.
pub trait Curve: Sync {
    /// One prediction per observation; all positive.
    fn predict(&self, parameters: &[f64]) -> Vec<f64>;
}

struct Logarithms<'a> {
    curve: &'a dyn Curve,
    observed: &'a [f64],
}

impl Problem for Logarithms<'_> {
    fn residuals(&self, logs: &[f64]) -> Vec<f64> {
        let parameters: Vec<f64> = logs.iter().map(|l| l.exp()).collect();
        let predicted = self.curve.predict(&parameters);
        predicted.iter().zip(self.observed).map(|(p, o)| (p / o).ln()).collect()
    }

    fn columns(&self, logs: &[f64], residuals: &[f64]) -> Vec<Vec<(usize, f64)>> {
        let column = |j: usize| {
            let mut shifted = logs.to_vec();
            shifted[j] += STEP;
            let there = self.residuals(&shifted);
            there.iter().zip(residuals).map(|(a, b)| (a - b) / STEP).enumerate().collect()
        };
        (0..logs.len()).map(column).collect()
    }
}

/// The parameters with the smallest loss over all starts; `None` without observations or starts.
pub fn fit(curve: &dyn Curve, observed: &[f64], bounds: &[Bounds], starts: &[Vec<f64>]) -> Option<Vec<f64>> {
    if observed.is_empty() {
        return None;
    }
    let problem = Logarithms { curve, observed };
    let weights = vec![1.0; observed.len()];
    let loss = |logs: &[f64]| -> f64 {
        problem.residuals(logs).iter().map(|r| (1.0 + (r / SCALE).powi(2)).sqrt() - 1.0).sum()
    };
    let best = starts
        .iter()
        .map(|start| {
            let clamped = start.iter().zip(bounds).map(|(s, b)| s.clamp(b.low, b.high).ln());
            let start: Vec<f64> = clamped.collect();
            let priors: Vec<Prior> = start
                .iter()
                .zip(bounds)
                .map(|(s, b)| Prior { mean: *s, sd: 1e3, low: b.low.ln(), high: b.high.ln() })
                .collect();
            let found = minimise(&problem, &weights, SCALE, &priors, start);
            (loss(&found), found)
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(best.1.into_iter().map(f64::exp).collect())
}

/// `(C^p + M^p)^(1/p)` of work and traffic, both in seconds.
pub fn join(work: f64, traffic: f64, norm: f64) -> f64 {
    let (large, small) = if work > traffic { (work, traffic) } else { (traffic, work) };
    if large <= 0.0 {
        return 0.0;
    }
    large * ((small / large).powf(norm).ln_1p() / norm).exp()
}

/// How far predictions are from observations.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Residuals {
    /// Median of abs(predicted / measured - 1).
    pub median: f64,
    /// 90th percentile.
    pub p90: f64,
    /// Largest.
    pub worst: f64,
    /// Observations.
    pub points: u32,
}

impl Residuals {
    /// Of pairs (predicted, measured); `None` without any.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let errors = crate::numeric::sorted(pairs.into_iter().map(|(p, m)| (p / m - 1.0).abs()));
        let quantile = |share| crate::numeric::quantile(&errors, share);
        Some(Self {
            median: quantile(0.5)?,
            p90: quantile(0.9)?,
            worst: quantile(1.0)?,
            points: errors.len() as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Power(Vec<f64>);

    impl Curve for Power {
        fn predict(&self, p: &[f64]) -> Vec<f64> {
            self.0.iter().map(|x| p[0] * x.powf(p[1])).collect()
        }
    }

    #[test]
    fn a_power_law_is_found_from_a_far_start() {
        let x = vec![1.0, 2.0, 4.0, 8.0];
        let observed: Vec<f64> = x.iter().map(|x: &f64| 3.0 * x.powf(0.5)).collect();
        let bounds = [Bounds { low: 1e-3, high: 1e3 }; 2];
        let found = fit(&Power(x), &observed, &bounds, &[vec![100.0, 5.0]]).unwrap();
        assert!((found[0] - 3.0).abs() < 1e-4 && (found[1] - 0.5).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn three_and_four_seconds_join_to_five_at_p_two() {
        assert!((join(3.0, 4.0, 2.0) - 5.0).abs() < 1e-12);
        assert_eq!(join(0.0, 4.0, 1.0), 4.0);
    }
}
