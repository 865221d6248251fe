//! Fitting the coefficients of networks over samples to measured runs.
//!
//! One common value per coefficient, and factors for stacks, recipe classes, compilers and GPU architectures, each
//! held near one by a prior. The more rows a model has, the less each of them counts.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::evidence::informs_layers;
use super::grouped_rows::{FreeNumbers, Group, GroupedRows, groups};
use super::predict::log_time_ratio;
use super::run::Run;
use super::scenario::Prepared;
use crate::numeric::least_squares::{Prior, minimise};
use crate::profile::{LayerProfile, LayerRate, LayerRates, RateKey, RateScope, StackProfile};

/// One free number: the logarithm of a common value, or of a factor.
#[derive(Debug, Clone)]
struct Free {
    rate: LayerRate,
    scope: Option<RateScope>,
}

/// Residual of ln(time) beyond which a row counts by its size, not its square.
const SCALE: f64 = 0.25;
/// Rows of a model that count as one each.
const FULL_MODEL: f64 = 20.0;
/// How far models count alike: 1 in full, 0 not at all.
const MODEL_POWER: f64 = 0.75;

/// Coefficients with the standard deviation of what is believed before any evidence.
fn common(rate: LayerRate) -> f64 {
    match rate {
        LayerRate::Product | LayerRate::Collective => 0.15,
        LayerRate::ConvolutionTf32 | LayerRate::ProductOrdinary | LayerRate::NormPasses => 0.2,
        LayerRate::Launch | LayerRate::VolumeTensor | LayerRate::VolumeOrdinary => 0.4,
        LayerRate::ElementRate
        | LayerRate::Optimizer
        | LayerRate::ScorePasses
        | LayerRate::ElementwiseTraffic
        | LayerRate::Varying
        | LayerRate::MixedLaunch => 0.5,
        LayerRate::ConvolutionTensor | LayerRate::ConvolutionOrdinary | LayerRate::Exposed => 0.7,
        _ => 1.0,
    }
}

/// What may differ by stack, recipe, compiler and architecture, with the standard deviation of such factors.
fn factors(scope: &RateScope) -> &'static [(LayerRate, f64)] {
    use LayerRate as R;
    match scope {
        RateScope::Stack(_) => &[
            (R::ConvolutionTensor, 0.25),
            (R::ConvolutionOrdinary, 0.2),
            (R::ConvolutionTf32, 0.3),
            (R::ElementwiseTraffic, 0.25),
            (R::Launch, 0.4),
            (R::FixedStep, 0.7),
            (R::Sample, 0.7),
            (R::Exposed, 0.5),
            (R::Straggler, 0.5),
            (R::NormPasses, 0.7),
        ],
        RateScope::Recipe(_) => &[
            (R::ConvolutionTensor, 0.25),
            (R::DepthwiseTraffic, 0.3),
            (R::Product, 0.1),
            (R::Epoch, 1.5),
            (R::ElementwiseTraffic, 0.25),
            (R::Launch, 0.4),
            (R::FixedStep, 0.7),
            (R::Sample, 0.7),
            (R::Exposed, 0.5),
        ],
        RateScope::Compiler(_) => {
            &[(R::ElementwiseTraffic, 0.3), (R::Launch, 0.4), (R::ConvolutionTensor, 0.2)]
        }
        RateScope::Capability(_) => &[
            (R::ConvolutionTensor, 0.3),
            (R::ConvolutionOrdinary, 0.3),
            (R::Grouped, 0.4),
            (R::DepthwiseTraffic, 0.3),
            (R::DepthwiseRate, 0.3),
            (R::ElementwiseTraffic, 0.15),
            (R::RecurrentTime, 0.3),
            (R::Launch, 0.2),
            (R::Straggler, 0.5),
        ],
    }
}

fn rates(free: &[Free], values: &[f64], key: &RateKey<'_>) -> LayerRates {
    let mut sums = [0.0; LayerRate::ALL.len()];
    let mut rates = LayerRates::expected(key);
    for (free, value) in free.iter().zip(values) {
        match &free.scope {
            Some(scope) if !key.is_in(scope) => {}
            _ => sums[free.rate as usize] += value,
        }
    }
    for rate in LayerRate::ALL {
        rates.set(rate, sums[rate as usize].exp());
    }
    rates
}

impl FreeNumbers<RateKey<'_>> for Vec<Free> {
    type Coefficient = LayerRate;

    fn coefficients(&self) -> Vec<LayerRate> {
        self.iter().map(|free| free.rate).collect()
    }

    fn applies(&self, number: usize, group: &Group<'_, RateKey<'_>>) -> bool {
        self[number].scope.as_ref().is_none_or(|scope| group.key.is_in(scope))
    }

    fn profile(
        &self,
        group: &Group<'_, RateKey<'_>>,
        values: &[f64],
        moved: Option<(LayerRate, f64)>,
    ) -> StackProfile {
        let mut rates = rates(self, values, &group.key);
        if let Some((rate, by)) = moved {
            rates.set(rate, rates.get(rate) * by.exp());
        }
        rates.applied(group.base)
    }
}

fn layout(groups: &[Group<'_, RateKey<'_>>]) -> Vec<Free> {
    let mut scopes = BTreeSet::new();
    for Group { key, .. } in groups {
        scopes.insert(RateScope::Stack(key.stack.to_owned()));
        scopes.extend(key.capability.map(|(major, minor)| RateScope::Capability(format!("{major}.{minor}"))));
        if !key.recipe.is_empty() {
            scopes.insert(RateScope::Recipe(key.recipe.to_owned()));
        }
        if !matches!(key.compiler, "" | "none") {
            scopes.insert(RateScope::Compiler(key.compiler.to_owned()));
        }
    }
    let mut free: Vec<Free> = LayerRate::ALL.map(|rate| Free { rate, scope: None }).into();
    for scope in scopes {
        free.extend(factors(&scope).iter().map(|&(rate, _)| Free { rate, scope: Some(scope.clone()) }));
    }
    free
}

fn prior(free: &Free) -> Prior {
    match &free.scope {
        None => {
            let (low, high) = free.rate.bounds();
            Prior { mean: free.rate.prior().ln(), sd: common(free.rate), low: low.ln(), high: high.ln() }
        }
        Some(scope) => {
            let sd = factors(scope).iter().find(|(rate, _)| *rate == free.rate).map_or(0.3, |f| f.1);
            Prior { mean: 0.0, sd, low: -4.0 * sd, high: 4.0 * sd }
        }
    }
}

fn weights(rows: &[&Prepared<'_>]) -> Vec<f64> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for row in rows {
        *counts.entry(&row.run.model).or_insert(0.0) += 1.0;
    }
    rows.iter().map(|row| (FULL_MODEL / counts[row.run.model.as_str()]).powf(MODEL_POWER)).collect()
}

/// Fits all coefficients to rows, starting from the priors.
pub fn fit_layers(rows: &[&Prepared<'_>]) -> LayerProfile {
    let rows: Vec<&Prepared<'_>> = rows.iter().copied().filter(|row| informs_layers(row)).collect();
    let rows = rows.as_slice();
    let groups = groups(rows, Prepared::rate_key);
    let free = layout(&groups);
    let priors: Vec<Prior> = free.iter().map(prior).collect();
    let begin: Vec<f64> = priors.iter().map(|p| p.mean).collect();
    let problem = GroupedRows::new(rows, groups, &free);
    let values = minimise(&problem, &weights(rows), SCALE, &priors, begin);
    let mut profile = LayerProfile::default();
    for (free, value) in free.iter().zip(values) {
        match &free.scope {
            None => profile.common.set(free.rate, value.exp()),
            Some(scope) => profile.factors.entry(scope.clone()).or_default().push((free.rate, value.exp())),
        }
    }
    let gpus: BTreeSet<&str> = rows.iter().map(|r| r.run.gpu.as_str()).collect();
    let sources: BTreeSet<&str> = rows.iter().map(|row| row.run.family.as_str()).collect();
    profile.fitted_sources = sources.into_iter().map(str::to_owned).collect();
    profile.fitted_gpus = gpus.into_iter().map(str::to_owned).collect();
    profile.source = format!("fitted to {} published runs", rows.len());
    profile
}

/// `ln(predicted / measured time)` of rows under a fit.
pub fn layer_residuals(profile: &LayerProfile, rows: &[&Prepared<'_>]) -> Vec<f64> {
    let one = |row: &&Prepared<'_>| {
        let stack = profile.rates(&row.rate_key()).applied(row.stack);
        log_time_ratio(row, &stack).unwrap_or(f64::NAN)
    };
    rows.par_iter().map(one).collect()
}

/// The same under fits that have not seen the row's model. Models are left out in `folds` groups, in the order of
/// their names.
pub fn cross_validate_layers(rows: &[&Prepared<'_>], folds: usize) -> Vec<f64> {
    left_out(rows, folds, |run| &run.model)
}

/// The same under fits that have not seen the row's source.
pub fn layers_of_unseen_sources(rows: &[&Prepared<'_>]) -> Vec<f64> {
    left_out(rows, rows.len().max(1), |run| &run.family)
}

fn left_out(rows: &[&Prepared<'_>], folds: usize, name: impl Fn(&Run) -> &str) -> Vec<f64> {
    let names: BTreeSet<&str> = rows.iter().map(|r| name(r.run)).collect();
    let folds = folds.min(names.len());
    let place: BTreeMap<&str, usize> = names.into_iter().enumerate().map(|(i, m)| (m, i % folds)).collect();
    let mut errors = vec![f64::NAN; rows.len()];
    for fold in 0..folds {
        let outside = |row: &&&Prepared<'_>| place[name(row.run)] != fold;
        let kept: Vec<&Prepared<'_>> = rows.iter().filter(outside).copied().collect();
        let held: Vec<usize> = (0..rows.len()).filter(|&i| place[name(rows[i].run)] == fold).collect();
        if held.is_empty() {
            continue;
        }
        let profile = fit_layers(&kept);
        let of_fold: Vec<&Prepared<'_>> = held.iter().map(|&i| rows[i]).collect();
        for (i, error) in held.into_iter().zip(layer_residuals(&profile, &of_fold)) {
            errors[i] = error;
        }
    }
    errors
}
