//! Saturating rate of matrix products.
//!
//! `T = t0 + (C^p + M^p)^(1/p)` with `C = 2mnk / P (1 + m0/m)(1 + n0/n)(1 + k0/k)` and `M = bytes / W`. Tile and
//! wave models do worse unless one knows which kernel the library takes. A set of products does not identify W and
//! t0: where both were measured they are fixed, and the error on shapes outside the fit does not rise.

use super::fit_curve::{Bounds, Curve, Residuals, fit, join};
use super::measurement::{Format, Shape};

/// One measured product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Sides.
    pub shape: Shape,
    /// Seconds.
    pub seconds: f64,
}

/// What is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// Format, for the bytes.
    pub format: Format,
    /// DRAM bandwidth in bytes per second; fitted when unknown.
    pub bandwidth: Option<f64>,
    /// Launch floor in seconds; fitted when unknown.
    pub floor: Option<f64>,
    /// Exponent of the knee.
    pub norm: f64,
    /// m0 and n0 are one parameter: forward and gradient products exchange the roles of the sides.
    pub tied: bool,
    /// Highest possible rate in FLOP/s, where a datasheet tells.
    pub ceiling: Option<f64>,
}

/// A fitted product model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProductModel {
    /// Rate of an infinite product, FLOP/s.
    pub peak: f64,
    /// Half-saturation sizes.
    pub m0: f64,
    /// Of n.
    pub n0: f64,
    /// Of k.
    pub k0: f64,
    /// Bandwidth, bytes per second.
    pub bandwidth: f64,
    /// Floor, seconds.
    pub floor: f64,
    /// Exponent.
    pub norm: f64,
}

impl ProductModel {
    /// Seconds of one product.
    pub fn seconds(&self, shape: Shape, format: Format) -> f64 {
        let saturation = (1.0 + self.m0 / f64::from(shape.m))
            * (1.0 + self.n0 / f64::from(shape.n))
            * (1.0 + self.k0 / f64::from(shape.k));
        let work = shape.work().get() / self.peak * saturation;
        self.floor + join(work, shape.traffic(format).get() / self.bandwidth, self.norm)
    }
}

/// Half-saturation sizes lie between a quarter of a warp's width and the largest side of a layer.
const SIZE: Bounds = Bounds { low: 0.25, high: 4000.0 };
/// Floors lie between 10 ns and 1 ms.
const FLOOR: Bounds = Bounds { low: 1e-8, high: 1e-3 };

struct Products<'a> {
    known: &'a Known,
    shapes: Vec<Shape>,
}

impl Products<'_> {
    fn model(&self, p: &[f64]) -> ProductModel {
        let known = self.known;
        let mut rest = p.iter().copied();
        let mut next = || rest.next().unwrap_or(1.0);
        let (peak, m0, k0) = (next(), next(), next());
        let n0 = if known.tied { m0 } else { next() };
        let bandwidth = known.bandwidth.unwrap_or_else(&mut next);
        let floor = known.floor.unwrap_or_else(&mut next);
        ProductModel { peak, m0, n0, k0, bandwidth, floor, norm: known.norm }
    }
}

impl Curve for Products<'_> {
    fn predict(&self, parameters: &[f64]) -> Vec<f64> {
        let model = self.model(parameters);
        self.shapes.iter().map(|s| model.seconds(*s, self.known.format)).collect()
    }
}

/// Fits a set of products; `None` with fewer observations than parameters.
pub fn fit_products(observations: &[Observation], known: &Known) -> Option<ProductModel> {
    from(observations, known, None)
}

/// The same from the result of an earlier fit to similar data: one start instead of three.
pub fn refit_products(
    observations: &[Observation],
    known: &Known,
    near: &ProductModel,
) -> Option<ProductModel> {
    from(observations, known, Some(near))
}

fn from(observations: &[Observation], known: &Known, near: Option<&ProductModel>) -> Option<ProductModel> {
    let rate = |o: &Observation| o.shape.work().get() / o.seconds;
    let best = observations.iter().map(rate).fold(0.0, f64::max);
    let stream = |o: &Observation| o.shape.traffic(known.format).get() / o.seconds;
    let traffic = observations.iter().map(stream).fold(0.0, f64::max);
    let least = observations.iter().map(|o| o.seconds).fold(f64::INFINITY, f64::min);
    let ceiling = known.ceiling.unwrap_or(best * 3.0).max(best);
    let mut bounds = vec![Bounds { low: best * 0.5, high: ceiling }, SIZE, SIZE];
    let mut starts: Vec<Vec<f64>> = match near {
        Some(m) => vec![vec![m.peak, m.m0, m.k0]],
        None => [8.0, 60.0, 250.0].map(|size| vec![best * 1.1, size, size]).to_vec(),
    };
    let mut add = |bound: Bounds, start: f64, near: Option<f64>| {
        bounds.push(bound);
        for s in &mut starts {
            s.push(near.unwrap_or(start));
        }
    };
    if !known.tied {
        add(SIZE, 60.0, near.map(|m| m.n0));
    }
    if known.bandwidth.is_none() {
        add(Bounds { low: traffic * 0.3, high: traffic * 10.0 }, traffic * 1.2, near.map(|m| m.bandwidth));
    }
    if known.floor.is_none() {
        add(FLOOR, least * 0.5, near.map(|m| m.floor));
    }
    if observations.len() < bounds.len() {
        return None;
    }
    let curve = Products { known, shapes: observations.iter().map(|o| o.shape).collect() };
    let observed: Vec<f64> = observations.iter().map(|o| o.seconds).collect();
    Some(curve.model(&fit(&curve, &observed, &bounds, &starts)?))
}

/// Errors of a model on observations.
pub fn residuals(model: &ProductModel, observations: &[Observation], format: Format) -> Option<Residuals> {
    Residuals::of(observations.iter().map(|o| (model.seconds(o.shape, format), o.seconds)))
}

/// Errors on each fold of shapes by a fit to the others.
pub fn held_out(observations: &[Observation], known: &Known, folds: usize) -> Option<Residuals> {
    let mut pairs = Vec::new();
    for fold in 0..folds {
        let part = |inside: bool| {
            let chosen = observations.iter().enumerate().filter(move |(i, _)| (i % folds == fold) == inside);
            chosen.map(|(_, o)| *o).collect::<Vec<_>>()
        };
        let model = fit_products(&part(false), known)?;
        pairs.extend(part(true).iter().map(|o| (model.seconds(o.shape, known.format), o.seconds)));
    }
    Residuals::of(pairs)
}
