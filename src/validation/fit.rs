//! Fitting stack coefficients to measured runs.
//!
//! Every stack has the common value of each coefficient plus, for a chosen few, its own deviation, which a prior
//! pulls towards zero: a stack with little evidence leans on the others. Deviations live on the coefficient's scale
//! (logarithm or logit). A set, one family on one GPU, counts alike whatever its number of rows.

use std::collections::{BTreeMap, BTreeSet};

use super::coefficient::Coefficient;
use super::grouped_rows::{FreeNumbers, Group, GroupedRows, groups};
use super::scenario::Prepared;
use crate::numeric::least_squares::{Prior, lone_steps, minimise};
use crate::profile::{ArchitectureRates, KernelKind, StackProfile};

/// What is free and how firmly it is held.
#[derive(Debug, Clone)]
pub struct FitOptions {
    /// Coefficients whose common value is fitted, with the standard deviation of the belief in the prior.
    pub common: Vec<(Coefficient, f64)>,
    /// Coefficients in which the stacks of one kind of kernels may deviate together: what operators of that kind move
    /// and launch, as a factor of the common prior, with the standard deviation of the belief in it.
    pub by_kernels: Vec<(Coefficient, KernelKind, f64, f64)>,
    /// Coefficients in which stacks may deviate, with the standard deviation of such deviations.
    pub by_stack: Vec<(Coefficient, f64)>,
    /// Coefficients in which GPU architectures may deviate. What is found here belongs into the hardware profiles.
    pub by_architecture: Vec<(Coefficient, f64)>,
    /// Residual of ln(time) beyond which a row counts by its size, not its square.
    pub scale: f64,
    /// A set counts as this many rows, if it has at least `full_set`; less in proportion.
    pub set_weight: f64,
    /// Rows from which a set counts in full.
    pub full_set: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        use Coefficient as C;
        Self {
            common: vec![
                (C::MatmulEfficiency, 0.10),
                (C::Fp8Efficiency, 0.15),
                (C::UnalignedEfficiency, 0.4),
                (C::AttentionForward, 0.15),
                (C::AttentionBackward, 0.15),
                (C::ElementwiseTraffic, 0.3),
                (C::ScorePasses, 0.4),
                (C::Launch, 0.3),
                (C::OverlapDataParallel, 0.7),
                (C::OverlapSharding, 0.7),
                (C::OverlapModelParallel, 1.0),
                (C::CollectiveEfficiency, 0.2),
                (C::GatherRate, 0.5),
                (C::OptimizerTraffic, 0.4),
                (C::OptimizerKernels, 0.3),
                (C::FixedStep, 0.3),
                (C::NodeSkew, 0.7),
                (C::RecomputeShare, 0.05),
            ],
            // Operators of a framework pass over memory once each; scale, mask, softmax and dropout are 8.5 passes over
            // 16-bit scores; an update by single operators moves its operands again and again and launches several
            // kernels for each tensor.
            by_kernels: vec![
                (C::ElementwiseTraffic, KernelKind::Framework, 1.4, 0.3),
                (C::ScorePasses, KernelKind::Framework, 1.3, 0.2),
                (C::OptimizerTraffic, KernelKind::Framework, 2.0, 0.4),
                (C::OptimizerKernels, KernelKind::Framework, 5.0, 0.5),
            ],
            by_stack: vec![
                (C::MatmulEfficiency, 0.05),
                (C::AttentionForward, 0.15),
                (C::AttentionBackward, 0.15),
                (C::ElementwiseTraffic, 0.3),
                (C::ScorePasses, 0.12),
                (C::Launch, 0.3),
                (C::OverlapDataParallel, 0.6),
                (C::OverlapSharding, 0.6),
                (C::OverlapModelParallel, 1.0),
                (C::CollectiveEfficiency, 0.1),
                (C::GatherRate, 1.0),
                (C::OptimizerKernels, 0.3),
                (C::FixedStep, 0.4),
                (C::NodeSkew, 0.7),
                (C::RecomputeShare, 0.1),
            ],
            by_architecture: vec![
                (C::MatmulEfficiency, 0.15),
                (C::AttentionForward, 0.3),
                (C::AttentionBackward, 0.3),
            ],
            scale: 0.07,
            set_weight: 40.0,
            full_set: 20.0,
        }
    }
}

/// To whom a parameter belongs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All stacks.
    Common,
    /// All stacks with one kind of kernels.
    Kernels(KernelKind),
    /// One stack.
    Stack(String),
    /// One GPU architecture.
    Architecture(String),
}

/// One fitted number: a value on the coefficient's scale, or a deviation on it.
#[derive(Debug, Clone)]
pub struct FittedParameter {
    /// Which coefficient.
    pub coefficient: Coefficient,
    /// Of whom.
    pub scope: Scope,
    /// Value (common) or deviation.
    pub value: f64,
}

/// The result of a fit.
#[derive(Debug, Clone)]
pub struct Fit {
    /// All parameters, common ones first.
    pub parameters: Vec<FittedParameter>,
}

impl Fit {
    /// A stack's profile under this fit, on a GPU architecture.
    pub fn profile(&self, base: &StackProfile, architecture: &str) -> StackProfile {
        let values: Vec<f64> = self.parameters.iter().map(|p| p.value).collect();
        profile(&self.parameters, &values, base, architecture)
    }

    /// A stack's profile under this fit, without what belongs to GPU architectures.
    pub fn stack(&self, base: &StackProfile) -> StackProfile {
        self.profile(base, "")
    }

    /// What GPU architectures deviate in.
    pub fn architectures(&self) -> Vec<ArchitectureRates> {
        let mut all: Vec<ArchitectureRates> = Vec::new();
        for parameter in &self.parameters {
            if let Scope::Architecture(name) = &parameter.scope {
                set_rate(&mut all, name, parameter.coefficient, parameter.value.exp());
            }
        }
        all
    }
}

fn applies(parameter: &FittedParameter, stack: &StackProfile, architecture: &str) -> bool {
    match &parameter.scope {
        Scope::Common => true,
        Scope::Kernels(kernels) => *kernels == stack.kernels,
        Scope::Stack(id) => *id == stack.id,
        Scope::Architecture(name) => name == architecture,
    }
}

fn profile(
    parameters: &[FittedParameter],
    values: &[f64],
    base: &StackProfile,
    architecture: &str,
) -> StackProfile {
    let mut sums: BTreeMap<Coefficient, f64> = BTreeMap::new();
    let mut own = base.clone();
    if parameters.iter().any(|p| matches!(p.scope, Scope::Architecture(_))) {
        own.architectures.clear();
    }
    for (parameter, value) in parameters.iter().zip(values) {
        if let Scope::Architecture(name) = &parameter.scope {
            if architecture.is_empty() || name == architecture {
                set_rate(&mut own.architectures, name, parameter.coefficient, value.exp());
            }
            continue;
        }
        if applies(parameter, base, architecture) {
            *sums.entry(parameter.coefficient).or_insert(0.0) += value;
        }
    }
    for (coefficient, scaled) in sums {
        coefficient.set(&mut own, coefficient.from_scale(scaled));
    }
    own
}

/// Sets the factor of an architecture; only the three coefficients of [`ArchitectureRates`] have one.
fn set_rate(all: &mut Vec<ArchitectureRates>, name: &str, coefficient: Coefficient, factor: f64) {
    let at = all.iter().position(|a| a.name == name).unwrap_or_else(|| {
        all.push(ArchitectureRates { name: name.to_owned(), ..ArchitectureRates::neutral() });
        all.len() - 1
    });
    let rates = &mut all[at];
    match coefficient {
        Coefficient::MatmulEfficiency => rates.matmul = factor,
        Coefficient::AttentionForward => rates.attention_forward = factor,
        Coefficient::AttentionBackward => rates.attention_backward = factor,
        _ => {}
    }
}

/// Stack and architecture: what decides the coefficients of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StackKey<'k> {
    stack: &'k str,
    architecture: &'k str,
}

impl<'k> StackKey<'k> {
    fn of(row: &'k Prepared<'_>) -> Self {
        Self { stack: &row.stack.id, architecture: &row.machine.gpu.architecture }
    }
}

impl FreeNumbers<StackKey<'_>> for Vec<FittedParameter> {
    type Coefficient = Coefficient;

    fn coefficients(&self) -> Vec<Coefficient> {
        self.iter().map(|p| p.coefficient).collect()
    }

    fn applies(&self, number: usize, group: &Group<'_, StackKey<'_>>) -> bool {
        applies(&self[number], group.base, group.key.architecture)
    }

    fn profile(
        &self,
        group: &Group<'_, StackKey<'_>>,
        values: &[f64],
        moved: Option<(Coefficient, f64)>,
    ) -> StackProfile {
        let mut own = profile(self, values, group.base, group.key.architecture);
        if let Some((coefficient, by)) = moved {
            let there = coefficient.to_scale(coefficient.get(&own)) + by;
            coefficient.set(&mut own, coefficient.from_scale(there));
        }
        own
    }
}

/// Fits all free coefficients to rows, starting from the priors.
pub fn fit(rows: &[&Prepared<'_>], options: &FitOptions) -> Fit {
    let mut parameters = layout(rows, options);
    let priors: Vec<Prior> = parameters.iter().map(|p| prior(p, options)).collect();
    let begin: Vec<f64> = priors.iter().map(|p| p.mean).collect();
    let problem = GroupedRows::new(rows, groups(rows, StackKey::of), &parameters);
    let values = minimise(&problem, &weights(rows, options), options.scale, &priors, begin);
    for (parameter, value) in parameters.iter_mut().zip(values) {
        parameter.value = value;
    }
    Fit { parameters }
}

/// How far each parameter would move from `start` while all others stay: near zero at the end of a fit to these rows.
pub fn lone_moves(
    rows: &[&Prepared<'_>],
    options: &FitOptions,
    start: &dyn Fn(&FittedParameter) -> f64,
) -> Vec<FittedParameter> {
    let mut parameters = layout(rows, options);
    let priors: Vec<Prior> = parameters.iter().map(|p| prior(p, options)).collect();
    let at: Vec<f64> = parameters.iter().map(start).collect();
    let problem = GroupedRows::new(rows, groups(rows, StackKey::of), &parameters);
    let steps = lone_steps(&problem, &weights(rows, options), options.scale, &priors, &at);
    for (parameter, step) in parameters.iter_mut().zip(steps) {
        parameter.value = step;
    }
    parameters
}

fn layout(rows: &[&Prepared<'_>], options: &FitOptions) -> Vec<FittedParameter> {
    let stacks: BTreeSet<&str> = rows.iter().map(|r| r.stack.id.as_str()).collect();
    let architectures: BTreeSet<&str> = rows.iter().map(|r| r.machine.gpu.architecture.as_str()).collect();
    let free = |coefficient: Coefficient, scope: Scope| FittedParameter { coefficient, scope, value: 0.0 };
    let mut all: Vec<FittedParameter> = options.common.iter().map(|&(c, _)| free(c, Scope::Common)).collect();
    all.extend(options.by_kernels.iter().map(|&(c, kernels, _, _)| free(c, Scope::Kernels(kernels))));
    for stack in stacks {
        all.extend(options.by_stack.iter().map(|&(c, _)| free(c, Scope::Stack(stack.to_owned()))));
    }
    for name in architectures {
        let scope = Scope::Architecture(name.to_owned());
        all.extend(options.by_architecture.iter().map(|&(c, _)| free(c, scope.clone())));
    }
    all
}

fn prior(parameter: &FittedParameter, options: &FitOptions) -> Prior {
    let sd_in = |list: &[(Coefficient, f64)]| {
        list.iter().find(|(c, _)| *c == parameter.coefficient).map_or(1.0, |&(_, sd)| sd)
    };
    let coefficient = parameter.coefficient;
    let deviation = |sd: f64| Prior { mean: 0.0, sd, low: -4.0 * sd, high: 4.0 * sd };
    match parameter.scope {
        Scope::Common => {
            let (low, high) = coefficient.bounds();
            Prior { mean: coefficient.prior(), sd: sd_in(&options.common), low, high }
        }
        Scope::Kernels(kernels) => {
            let of = |b: &&(Coefficient, KernelKind, f64, f64)| b.0 == coefficient && b.1 == kernels;
            let (factor, sd) = options.by_kernels.iter().find(of).map_or((1.0, 1.0), |b| (b.2, b.3));
            Prior { mean: factor.ln(), ..deviation(sd) }
        }
        Scope::Stack(_) => deviation(sd_in(&options.by_stack)),
        Scope::Architecture(_) => deviation(sd_in(&options.by_architecture)),
    }
}

/// A set is a source on a GPU.
fn set<'p>(row: &'p Prepared<'_>) -> (&'p str, &'p str) {
    (&row.run.family, &row.run.gpu)
}

/// A set counts as `set_weight` rows, in proportion below `full_set` rows.
fn weights(rows: &[&Prepared<'_>], options: &FitOptions) -> Vec<f64> {
    let mut counts: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for row in rows {
        *counts.entry(set(row)).or_insert(0.0) += 1.0;
    }
    rows.iter()
        .map(|row| {
            let count = counts[&set(row)];
            options.set_weight / count.max(options.full_set)
        })
        .collect()
}
