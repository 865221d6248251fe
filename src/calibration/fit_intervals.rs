//! Fitted parameters and their intervals: all fits together, resampled by rounds.
//!
//! A resample draws rounds with replacement and repeats every fit, so that an interval holds what bandwidth, floor
//! and knee add to the uncertainty of the products. Few rounds make the spread of resamples too small by
//! `sqrt((n-1)/n)` and normal quantiles too short; both are put right: half width = t(n-1) x spread x sqrt(n/(n-1)).

use super::fit::{FitError, FitSettings, TOLERANCE, on_curve};
use super::fit_knee::{Knee, SweepPoint, fit_knee};
use super::fit_product::{Known, Observation, ProductModel, fit_products, refit_products};
use super::measured::Fitted;
use super::measurement::{Format, Item, Launch, Stream};
use super::statistics::{Summary, student};
use super::trace::Trace;
use crate::numeric::Random;

/// Fewest products of a format that carry a fit.
const LEAST_PRODUCTS: usize = 4;

/// All fitted parameters of one set of rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// Launch floor, seconds.
    pub floor: f64,
    /// Copy bandwidth, bytes per second.
    pub copy: f64,
    /// The knee.
    pub knee: Knee,
    /// Products by format.
    pub products: Vec<(Format, ProductModel)>,
}

impl Parameters {
    /// Peak, bandwidth and exponent of the knee, then peak, m0 and k0 of each format.
    fn list(&self) -> Vec<f64> {
        let products = self.products.iter().flat_map(|(_, m)| [m.peak, m.m0, m.k0]);
        [self.knee.peak, self.knee.bandwidth, self.knee.norm].into_iter().chain(products).collect()
    }
}

/// Mean of the logarithms of the picked rounds, as a time; rounds that an item lacks repeat those it has.
fn time(summary: &Summary, pick: &[usize]) -> f64 {
    let n = summary.rounds.len();
    let sum: f64 = pick.iter().map(|r| summary.rounds[r % n].ln()).sum();
    (sum / pick.len() as f64).exp()
}

struct Pipeline<'a> {
    summaries: &'a [Summary],
    trace: &'a Trace,
    settings: &'a FitSettings<'a>,
}

impl Pipeline<'_> {
    fn missing(&self, what: &'static str, prefix: &str) -> FitError {
        let gap = self.trace.gaps.iter().find(|g| g.item.starts_with(prefix));
        FitError::Missing { what, reason: gap.map(|g| g.reason.clone()) }
    }

    /// All fits on the picked rounds; from the result of an earlier one where there is one.
    fn fit(&self, pick: &[usize], near: Option<&Parameters>) -> Result<Parameters, FitError> {
        let sweep = self.summaries.iter().filter(|s| matches!(s.item, Item::Intensity { .. }));
        let floor = self.summaries.iter().find(|s| s.item == Item::Launch(Launch::Stream));
        let floor = time(floor.ok_or_else(|| self.missing("the launch floor", "launch"))?, pick);
        let copies = self.summaries.iter().filter_map(|s| match s.item {
            Item::Stream { kind: Stream::Copy, bytes } => Some((bytes, s)),
            _ => None,
        });
        let (_, copy) =
            copies.max_by_key(|(bytes, _)| *bytes).ok_or_else(|| self.missing("DRAM", "stream"))?;
        let seconds = time(copy, pick);
        let copy = copy.item.traffic().get() / (seconds - floor).max(seconds * 0.1);
        let sweep: Vec<SweepPoint> = sweep
            .map(|s| SweepPoint { work: s.work, bytes: s.item.traffic().get(), seconds: time(s, pick) })
            .collect();
        let knee = fit_knee(&sweep, floor, near.map(|n| &n.knee))
            .ok_or_else(|| self.missing("the intensity sweep", "intensity"))?;
        let mut products = Vec::new();
        for &format in &self.trace.run.device.products {
            let observations: Vec<Observation> = self
                .summaries
                .iter()
                .filter_map(|s| {
                    Some(Observation { shape: on_curve(&s.item, format)?, seconds: time(s, pick) })
                })
                .collect();
            if observations.len() < LEAST_PRODUCTS {
                continue;
            }
            let known = Known {
                format,
                bandwidth: Some(copy),
                floor: Some(floor),
                norm: knee.norm,
                tied: true,
                ceiling: self.ceiling(format),
            };
            let before = near.and_then(|n| n.products.iter().find(|(f, _)| *f == format));
            let model = match before {
                Some((_, model)) => refit_products(&observations, &known, model),
                None => fit_products(&observations, &known),
            };
            products.extend(model.map(|m| (format, m)));
        }
        if products.is_empty() {
            return Err(self.missing("a matrix product", "product"));
        }
        Ok(Parameters { floor, copy, knee, products })
    }

    /// What the datasheet allows.
    fn ceiling(&self, format: Format) -> Option<f64> {
        let peak = self.settings.gpu?.peak(format.precision()?)?;
        Some(peak.get() * TOLERANCE)
    }
}

/// The fit on all rounds, and its parameters with intervals in the order of `Parameters::list`.
pub(super) fn bootstrap(
    summaries: &[Summary],
    trace: &Trace,
    settings: &FitSettings<'_>,
) -> Result<(Parameters, Vec<Fitted>), FitError> {
    let pipeline = Pipeline { summaries, trace, settings };
    let rounds = summaries
        .iter()
        .filter(|s| !matches!(s.item, Item::Sustained { .. }))
        .map(|s| s.rounds.len())
        .max()
        .unwrap_or(0);
    let all: Vec<usize> = (0..rounds).collect();
    let point = pipeline.fit(&all, None)?;
    let centre: Vec<f64> = point.list().iter().map(|v| v.ln()).collect();
    let mut random = Random::new(trace.run.seed);
    let mut squares = vec![0.0; centre.len()];
    let mut count = 0.0;
    for _ in 0..settings.resamples {
        let pick: Vec<usize> = (0..rounds).map(|_| random.below(rounds)).collect();
        let Ok(resample) = pipeline.fit(&pick, Some(&point)) else { continue };
        let list = resample.list();
        if list.len() != centre.len() {
            continue;
        }
        count += 1.0;
        for ((square, value), middle) in squares.iter_mut().zip(list).zip(&centre) {
            *square += (value.ln() - middle).powi(2);
        }
    }
    let n = rounds as f64;
    let half = |square: f64| {
        (rounds > 1 && count > 1.0).then(|| student(n - 1.0) * (square / count * n / (n - 1.0)).sqrt())
    };
    let fitted = point.list().into_iter().zip(squares).map(|(value, square)| Fitted {
        value,
        ci95: half(square).map(|h| [value * (-h).exp(), value * h.exp()]),
    });
    let fitted = fitted.collect();
    Ok((point, fitted))
}
