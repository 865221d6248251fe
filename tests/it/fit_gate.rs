//! The shipped coefficients of stacks are where a fit to the shipped runs ends.
//!
//! A whole fit takes minutes without optimisation; whether it would move from where the files say it ended takes one set
//! of derivatives. After a change of physics, hardware profiles, networks or runs this fails until
//! `calibrate fit --cross-validate model --write calibration/software`.

use std::collections::{BTreeMap, BTreeSet};

use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::{KernelKind, Profiles, StackProfile};
use gpu_advisor::validation::{
    Coefficient, FitOptions, FittedParameter, Prepared, Quality, Scope, informs_stack, is_transformer,
    lone_moves, prepare, shipped_runs,
};

use crate::source_text::root;

/// No coefficient moved by so much on its logarithmic scale lowers the objective. A parabola whose lowest point lies `x`
/// away is as high at `2 x` as where it is, so that point is at most half of this away.
const NO_GAIN: f64 = 0.02;

/// What the shipped files say, in the terms of a fit.
struct Shipped<'s> {
    /// The common file's values on the scale of the fit.
    common: BTreeMap<Coefficient, f64>,
    stacks: Vec<&'s StackProfile>,
    options: FitOptions,
}

/// The common file's values, on the scale of the fit.
fn common() -> BTreeMap<Coefficient, f64> {
    let text = std::fs::read_to_string(root().join("calibration/software/common.toml")).expect("the file");
    let table: toml::Table = text.parse().expect("TOML");
    let number = |value: &toml::Value| match value.as_str() {
        None => value.as_float().expect("a number"),
        Some(text) => {
            let (number, unit) = text.split_once(' ').expect("a number and a unit");
            let factor = if unit == "us" { 1e-6 } else { 1e9 };
            number.parse::<f64>().expect("a number") * factor
        }
    };
    Coefficient::ALL.into_iter().map(|c| (c, c.to_scale(number(&table[c.key()])))).collect()
}

impl Shipped<'_> {
    /// What a stack deviates by, its kind of kernels included.
    fn deviation(&self, c: Coefficient, stack: &StackProfile) -> f64 {
        c.to_scale(c.get(stack)) - self.common[&c]
    }

    /// The part of it that stacks of one kind of kernels share: files hold the sums, the priors of both say how a fit
    /// divides them.
    fn shared(&self, c: Coefficient, kernels: KernelKind) -> Option<f64> {
        let &(_, _, factor, sd) = self.options.by_kernels.iter().find(|b| b.0 == c && b.1 == kernels)?;
        let own: Vec<f64> =
            self.stacks.iter().filter(|s| s.kernels == kernels).map(|s| self.deviation(c, s)).collect();
        let Some(&(_, each)) = self.options.by_stack.iter().find(|b| b.0 == c) else {
            return own.first().copied();
        };
        let weights = [1.0 / (sd * sd), 1.0 / (each * each)];
        let sum = factor.ln() * weights[0] + own.iter().sum::<f64>() * weights[1];
        Some(sum / (weights[0] + own.len() as f64 * weights[1]))
    }

    fn value(&self, p: &FittedParameter) -> f64 {
        let c = p.coefficient;
        match &p.scope {
            Scope::Common => self.common[&c],
            Scope::Kernels(kernels) => self.shared(c, *kernels).expect("a coefficient of kinds of kernels"),
            Scope::Stack(id) => {
                let stack = self.stacks.iter().find(|s| s.id == *id).expect("a stack with rows");
                self.deviation(c, stack) - self.shared(c, stack.kernels).unwrap_or(0.0)
            }
            Scope::Architecture(name) => {
                let rates = self.stacks[0].rates(name);
                match c {
                    Coefficient::MatmulEfficiency => rates.matmul.ln(),
                    Coefficient::AttentionForward => rates.attention_forward.ln(),
                    _ => rates.attention_backward.ln(),
                }
            }
        }
    }
}

/// Parameters that would move farther than half of [`NO_GAIN`].
fn restless(profiles: &Profiles) -> Vec<String> {
    let catalog = Catalog::embedded().expect("the shipped catalog");
    let runs = shipped_runs().expect("the shipped runs");
    let strong = runs.iter().filter(|r| r.quality == Quality::Strong);
    let prepared: Vec<Prepared<'_>> = strong.filter_map(|r| prepare(r, &catalog, profiles).ok()).collect();
    let rows: Vec<&Prepared<'_>> =
        prepared.iter().filter(|r| is_transformer(r) && informs_stack(r)).collect();
    let seen: BTreeSet<&str> = rows.iter().map(|r| r.stack.id.as_str()).collect();
    let stacks = profiles.stacks.iter().filter(|s| seen.contains(s.id.as_str())).collect();
    let shipped = Shipped { common: common(), stacks, options: FitOptions::default() };
    let all = lone_moves(&rows, &shipped.options, &|p| shipped.value(p));
    assert!(all.len() > 100, "{} numbers", all.len());
    let far = all.into_iter().filter(|p| p.value.abs() > NO_GAIN / 2.0);
    far.map(|p| format!("{:?} {} {:+.3}", p.scope, p.coefficient.key(), p.value)).collect()
}

#[test]
fn no_shipped_coefficient_moved_by_two_per_cent_fits_the_runs_better() {
    let catalog = Catalog::embedded().expect("the shipped catalog");
    let mut profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
    let far = restless(&profiles);
    assert!(
        far.is_empty(),
        "run `calibrate fit --cross-validate model --write calibration/software`: {far:#?}"
    );
    // Products of one stack 3 % faster are no optimum.
    let changed = profiles.stacks.iter_mut().find(|s| s.relative_of.is_none() && s.fitted_sources.len() > 1);
    let changed = changed.expect("a stack with a fit");
    changed.matmul_efficiency *= 1.03;
    assert!(!restless(&profiles).is_empty());
}
