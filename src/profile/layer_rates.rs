//! What software adds to networks over samples: few coefficients, shared by all models.
//!
//! A coefficient has one common value and factors for software stacks, recipe classes, compilers and GPU
//! architectures. The factors that apply are multiplied. Nothing belongs to a model.

use std::collections::BTreeMap;

use super::{AxisOrder, StackProfile};
use crate::units::Seconds;

/// A coefficient of networks over samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerRate {
    /// Rate of convolutions on matrix units relative to isolated ones.
    ConvolutionTensor,
    /// Rate of convolutions on ordinary cores relative to isolated ones.
    ConvolutionOrdinary,
    /// Rate of convolutions in TF32 relative to their part of the 16-bit rate.
    ConvolutionTf32,
    /// Rate of volume convolutions relative to image ones, on matrix units.
    VolumeTensor,
    /// The same on ordinary cores.
    VolumeOrdinary,
    /// Rate of grouped convolutions relative to their formula.
    Grouped,
    /// The same, relative to `Grouped`, with channels last and groups of a width that libraries have no kernel for.
    GroupedOdd,
    /// Traffic of depthwise convolutions relative to one pass over the maps.
    DepthwiseTraffic,
    /// Rate of depthwise convolutions relative to the peak of ordinary cores.
    DepthwiseRate,
    /// Rate of matrix products relative to isolated ones.
    Product,
    /// The same on ordinary cores, relative to `Product`.
    ProductOrdinary,
    /// Element-wise traffic relative to the unfused count.
    ElementwiseTraffic,
    /// Host time to launch one kernel.
    Launch,
    /// Fixed cost of a step.
    FixedStep,
    /// Gradient reduction that is not hidden behind the backward pass, as a share of what could be.
    Exposed,
    /// Bus bandwidth of collectives relative to the profile.
    Collective,
    /// Optimizer traffic relative to one read and write of every state.
    Optimizer,
    /// Work of recurrent chains relative to their formula.
    RecurrentTime,
    /// Passes over materialised attention scores.
    ScorePasses,
    /// Host and input time of one input element on one GPU that nothing hides.
    Sample,
    /// Host time to launch one kernel in mixed precision relative to `Launch`: casts beside the operators.
    MixedLaunch,
    /// What every doubling of the replicas adds to a step, as a share of it: all wait for the slowest.
    Straggler,
    /// Waiting in proportion to the step where samples differ in size, relative to others.
    Varying,
    /// What every doubling of the replicas adds to a step whatever its length: starting and ending a reduction together.
    Meeting,
    /// What every doubling of the replicas in a node adds to the host time of a launch, as a share of it: they share its cores.
    SharedHost,
    /// What surrounds an epoch: evaluation set-up, checkpoint, first batches.
    Epoch,
    /// Elements that one multiprocessor reads or writes in a second by element-wise kernels, whatever the bandwidth: loads in
    /// flight over the latency of memory.
    ElementRate,
    /// Passes and kernels of norms over layers and instances relative to one fused kernel.
    NormPasses,
    /// Passes over the maps of a convolution to turn their axes, in each direction.
    Turning,
}

impl LayerRate {
    /// All coefficients, in file order.
    pub const ALL: [Self; 29] = [
        Self::ConvolutionTensor,
        Self::ConvolutionOrdinary,
        Self::ConvolutionTf32,
        Self::VolumeTensor,
        Self::VolumeOrdinary,
        Self::Grouped,
        Self::GroupedOdd,
        Self::DepthwiseTraffic,
        Self::DepthwiseRate,
        Self::Product,
        Self::ProductOrdinary,
        Self::ElementwiseTraffic,
        Self::Launch,
        Self::FixedStep,
        Self::Exposed,
        Self::Collective,
        Self::Optimizer,
        Self::RecurrentTime,
        Self::ScorePasses,
        Self::Sample,
        Self::MixedLaunch,
        Self::Straggler,
        Self::Varying,
        Self::Meeting,
        Self::SharedHost,
        Self::Epoch,
        Self::ElementRate,
        Self::NormPasses,
        Self::Turning,
    ];

    /// Key in the file.
    pub const fn key(self) -> &'static str {
        self.traits().0
    }

    /// Least and largest value that is believed.
    pub const fn bounds(self) -> (f64, f64) {
        let traits = self.traits();
        (traits.1, traits.2)
    }

    /// What is expected before any evidence.
    pub const fn prior(self) -> f64 {
        self.traits().3
    }

    const fn traits(self) -> (&'static str, f64, f64, f64) {
        match self {
            Self::ConvolutionTensor => ("convolution_tensor", 0.1, 5.0, 0.9),
            Self::ConvolutionOrdinary => ("convolution_ordinary", 0.1, 5.0, 0.9),
            Self::ConvolutionTf32 => ("convolution_tf32", 0.3, 3.0, 1.0),
            Self::VolumeTensor => ("volume_tensor", 0.1, 3.0, 1.0),
            Self::VolumeOrdinary => ("volume_ordinary", 0.1, 3.0, 1.0),
            Self::ProductOrdinary => ("product_ordinary", 0.5, 2.0, 1.0),
            Self::Grouped => ("grouped", 0.05, 20.0, 1.0),
            Self::GroupedOdd => ("grouped_odd", 0.02, 2.0, 0.5),
            Self::DepthwiseTraffic => ("depthwise_traffic", 0.5, 20.0, 1.5),
            Self::DepthwiseRate => ("depthwise_rate", 0.005, 1.0, 0.06),
            Self::Product => ("product", 0.2, 2.0, 0.9),
            Self::ElementwiseTraffic => ("elementwise_traffic", 0.1, 5.0, 0.8),
            Self::Launch => ("launch_s", 5e-7, 5e-5, 6e-6),
            Self::FixedStep => ("fixed_step_s", 1e-5, 0.3, 3e-3),
            Self::Exposed => ("exposed", 0.02, 1.0, 0.3),
            Self::Collective => ("collective", 0.1, 2.0, 0.9),
            Self::Optimizer => ("optimizer", 0.3, 20.0, 1.5),
            Self::RecurrentTime => ("recurrent_time", 0.2, 10.0, 1.0),
            Self::ScorePasses => ("score_passes", 0.5, 20.0, 4.0),
            Self::Epoch => ("epoch_s", 0.05, 600.0, 20.0),
            Self::MixedLaunch => ("mixed_launch", 0.2, 5.0, 1.0),
            Self::Straggler => ("straggler", 1e-4, 0.2, 0.01),
            Self::Varying => ("varying", 0.2, 10.0, 1.5),
            Self::Meeting => ("meeting_s", 1e-5, 0.05, 1e-3),
            Self::SharedHost => ("shared_host", 1e-3, 0.5, 0.02),
            Self::ElementRate => ("element_rate", 2e9, 2e13, 1.4e10),
            Self::NormPasses => ("norm_passes", 0.2, 20.0, 1.0),
            Self::Turning => ("turning", 0.05, 10.0, 2.0),
            Self::Sample => ("element_s", 1e-13, 1e-8, 5e-11),
        }
    }
}

/// Values of all coefficients, by [`LayerRate`] in declaration order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerRates {
    values: [f64; LayerRate::ALL.len()],
    /// Order of the axes of feature maps.
    pub order: AxisOrder,
    /// Batch norms take the activation and the sum behind them along.
    pub joins_norms: bool,
    /// Samples lie in the memory of the GPU: no host prepares them.
    pub synthetic: bool,
}

impl Default for LayerRates {
    fn default() -> Self {
        Self {
            values: LayerRate::ALL.map(LayerRate::prior),
            order: AxisOrder::ByPrecision,
            joins_norms: false,
            synthetic: false,
        }
    }
}

impl LayerRates {
    /// What is expected before any evidence of such runs.
    pub fn expected(key: &RateKey<'_>) -> Self {
        Self { order: key.order, joins_norms: key.joins_norms, synthetic: key.synthetic, ..Self::default() }
    }

    /// One value.
    pub const fn get(&self, rate: LayerRate) -> f64 {
        self.values[rate as usize]
    }

    /// Sets one value, within its bounds.
    pub const fn set(&mut self, rate: LayerRate, value: f64) {
        let (low, high) = rate.bounds();
        self.values[rate as usize] = value.clamp(low, high);
    }

    /// The stack with these in place of its own coefficients.
    pub fn applied(&self, stack: &StackProfile) -> StackProfile {
        let get = |rate| self.get(rate);
        StackProfile {
            matmul_efficiency: get(LayerRate::Product),
            fp8_efficiency: 1.0,
            unaligned_efficiency: stack.unaligned_efficiency,
            score_passes: get(LayerRate::ScorePasses),
            elementwise_traffic: get(LayerRate::ElementwiseTraffic),
            launch: Seconds::new(get(LayerRate::Launch)),
            kernels_per_operator: 1.0,
            overlap_data_parallel: 1.0 - get(LayerRate::Exposed),
            collective_efficiency: get(LayerRate::Collective),
            optimizer_traffic: get(LayerRate::Optimizer),
            fixed_step: Seconds::new(get(LayerRate::FixedStep)),
            convolution_efficiency: get(LayerRate::ConvolutionTensor),
            convolution_efficiency_fp32: get(LayerRate::ConvolutionOrdinary),
            layers: *self,
            optimizer_kernels: 0.0,
            node_skew: Seconds::ZERO,
            architectures: Vec::new(),
            residual_by_architecture: Vec::new(),
            residual_volumes: None,
            other_source: None,
            fitted_parameters: None,
            ..stack.clone()
        }
    }
}

/// To what a factor belongs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RateScope {
    /// A software stack.
    Stack(String),
    /// A recipe class.
    Recipe(String),
    /// A graph compiler.
    Compiler(String),
    /// A compute capability, such as `8.6`: chips of one architecture differ in their matrix units, caches and multiprocessors.
    Capability(String),
}

impl RateScope {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Stack(name) | Self::Recipe(name) | Self::Compiler(name) | Self::Capability(name) => name,
        }
    }
}

/// What decides the coefficients of a run or job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RateKey<'k> {
    /// Software stack.
    pub stack: &'k str,
    /// Recipe class.
    pub recipe: &'k str,
    /// Graph compiler; empty for none.
    pub compiler: &'k str,
    /// Compute capability, where the maker states one.
    pub capability: Option<(u8, u8)>,
    /// Order of the axes of feature maps.
    pub order: AxisOrder,
    /// Batch norms take the activation and the sum behind them along, where the order of the axes lets them.
    pub joins_norms: bool,
    /// Samples lie in the memory of the GPU.
    pub synthetic: bool,
}

impl RateKey<'_> {
    /// True when a factor of this scope applies.
    pub fn is_in(&self, scope: &RateScope) -> bool {
        match scope {
            RateScope::Stack(name) => name == self.stack,
            RateScope::Recipe(name) => name == self.recipe,
            RateScope::Compiler(name) => name == self.compiler,
            RateScope::Capability(name) => self.capability.is_some() && self.capability == capability(name),
        }
    }
}

/// The compute capability of a name such as `8.6`.
fn capability(name: &str) -> Option<(u8, u8)> {
    let (major, minor) = name.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// How a job over samples is trained, beyond its software.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Way<'w> {
    /// Recipe class; the assumed one where nobody says.
    pub recipe: Option<&'w str>,
    /// Graph compiler; none where nobody says.
    pub compiler: Option<&'w str>,
    /// Order of the axes of feature maps; that of the recipe class where nobody says.
    pub order: Option<AxisOrder>,
}

/// All coefficients of networks over samples.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerProfile {
    /// Values that all share.
    pub common: LayerRates,
    /// Factors by scope.
    pub factors: BTreeMap<RateScope, Vec<(LayerRate, f64)>>,
    /// Standard deviation of ln(time) of held-out runs, by stack.
    pub residuals: BTreeMap<String, f64>,
    /// The same where a stack has none.
    pub residual: f64,
    /// The same for networks over volumes, of all stacks.
    pub residual_volumes: Option<f64>,
    /// What a source that the fit has not seen adds, in squares.
    pub other_source: f64,
    /// Recipe class assumed of a job.
    pub recipe: String,
    /// Order of the axes that a recipe class has where nobody says, if not [`AxisOrder::ByPrecision`].
    pub recipe_orders: BTreeMap<String, AxisOrder>,
    /// Which stacks and recipe classes join activations and sums to batch norms; a recipe class overrides a stack.
    pub joining: BTreeMap<RateScope, bool>,
    /// GPU ids that the fit has seen.
    pub fitted_gpus: Vec<String>,
    /// Sources of runs that the fit has seen.
    pub fitted_sources: Vec<String>,
    /// What it was fitted on.
    pub source: String,
}

impl LayerProfile {
    /// Recipe classes that have factors, in order.
    pub fn recipes(&self) -> Vec<&str> {
        let recipes = self.factors.keys().filter(|scope| matches!(scope, RateScope::Recipe(_)));
        recipes.map(RateScope::name).collect()
    }

    /// Graph compilers that have factors, in order.
    pub fn compilers(&self) -> Vec<&str> {
        let compilers = self.factors.keys().filter(|scope| matches!(scope, RateScope::Compiler(_)));
        compilers.map(RateScope::name).collect()
    }

    /// Order of the axes under a recipe class: what is stated, else what such recipes have.
    pub fn order(&self, recipe: &str, stated: Option<AxisOrder>) -> AxisOrder {
        stated.or_else(|| self.recipe_orders.get(recipe).copied()).unwrap_or_default()
    }

    /// Whether batch norms take along what is behind them; a graph compiler has fusions of its own.
    pub fn joins_norms(&self, stack: &str, recipe: &str, compiler: &str) -> bool {
        let stated = |is: &dyn Fn(&RateScope) -> bool| {
            self.joining.iter().find(|(scope, _)| is(scope)).map(|(_, joins)| *joins)
        };
        let own = stated(&|scope| matches!(scope, RateScope::Recipe(name) if name == recipe))
            .or_else(|| stated(&|scope| matches!(scope, RateScope::Stack(name) if name == stack)));
        matches!(compiler, "" | "none") && own == Some(true)
    }

    /// The coefficients that apply.
    pub fn rates(&self, key: &RateKey<'_>) -> LayerRates {
        let mut rates = LayerRates {
            order: key.order,
            joins_norms: key.joins_norms,
            synthetic: key.synthetic,
            ..self.common
        };
        for (_, factors) in self.factors.iter().filter(|(scope, _)| key.is_in(scope)) {
            for &(rate, factor) in factors {
                rates.set(rate, rates.get(rate) * factor);
            }
        }
        rates
    }

    /// A stack's profile for networks over samples.
    pub fn stack(&self, stack: &StackProfile, key: &RateKey<'_>) -> StackProfile {
        // Software of which the fit has seen no such network is another's at best.
        let seen =
            self.factors.keys().any(|scope| matches!(scope, RateScope::Stack(name) if *name == stack.id));
        let known = stack.relative_of.is_none() && seen;
        let residual = self.residuals.get(&stack.id).copied().unwrap_or(self.residual);
        StackProfile {
            residual: if known { residual } else { stack.residual.max(residual) },
            residual_volumes: self.residual_volumes,
            other_source: Some(self.other_source),
            fitted_sources: if known { self.fitted_sources.clone() } else { Vec::new() },
            grade: if known { super::Grade::B } else { super::Grade::D },
            fitted_gpus: if known { self.fitted_gpus.clone() } else { Vec::new() },
            source: self.source.clone(),
            ..self.rates(key).applied(stack)
        }
    }
}
