//! The knee of the roofline: `T = floor + (C^p + M^p)^(1/p)` over a sweep of intensities.
//!
//! p = 1 is a sum (no overlap), p to infinity a maximum. On published sweeps of four GPUs the p-norm has the
//! smallest error of the three forms; above p of about 10 it cannot be told from the maximum.

use super::fit_curve::{Bounds, Curve, Residuals, fit, join};

/// One point of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepPoint {
    /// FLOP of one execution.
    pub work: f64,
    /// Bytes of one execution.
    pub bytes: f64,
    /// Seconds of one execution.
    pub seconds: f64,
}

/// A fitted knee.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knee {
    /// FLOP/s at high intensity.
    pub peak: f64,
    /// Bytes per second at low intensity.
    pub bandwidth: f64,
    /// Exponent, 1 to 16.
    pub norm: f64,
    /// Floor of one kernel, seconds.
    pub floor: f64,
}

/// Exponents that can be told apart.
pub const NORM: Bounds = Bounds { low: 1.0, high: 16.0 };

impl Knee {
    /// Seconds of one execution.
    pub fn seconds(&self, work: f64, bytes: f64) -> f64 {
        self.floor + join(work / self.peak, bytes / self.bandwidth, self.norm)
    }
}

struct Sweep<'a> {
    points: &'a [SweepPoint],
    floor: f64,
}

impl Curve for Sweep<'_> {
    fn predict(&self, p: &[f64]) -> Vec<f64> {
        let knee = Knee { peak: p[0], bandwidth: p[1], norm: p[2], floor: self.floor };
        self.points.iter().map(|point| knee.seconds(point.work, point.bytes)).collect()
    }
}

/// Fits peak, bandwidth and exponent; `None` with fewer than four points.
pub fn fit_knee(points: &[SweepPoint], floor: f64, near: Option<&Knee>) -> Option<Knee> {
    if points.len() < 4 {
        return None;
    }
    let peak = points.iter().map(|p| p.work / p.seconds).fold(0.0, f64::max);
    let bandwidth = points.iter().map(|p| p.bytes / p.seconds).fold(0.0, f64::max);
    let around = |best: f64| Bounds { low: best * 0.7, high: best * 2.0 };
    let bounds = [around(peak), around(bandwidth), NORM];
    let starts = match near {
        Some(k) => vec![vec![k.peak, k.bandwidth, k.norm.min(NORM.high * 0.99)]],
        None => [1.5, 3.0, 8.0].map(|norm| vec![peak * 1.01, bandwidth * 1.01, norm]).to_vec(),
    };
    let observed: Vec<f64> = points.iter().map(|p| p.seconds).collect();
    let found = fit(&Sweep { points, floor }, &observed, &bounds, &starts)?;
    Some(Knee { peak: found[0], bandwidth: found[1], norm: found[2], floor })
}

/// Errors of a knee on a sweep.
pub fn residuals(knee: &Knee, points: &[SweepPoint]) -> Option<Residuals> {
    Residuals::of(points.iter().map(|p| (knee.seconds(p.work, p.bytes), p.seconds)))
}
