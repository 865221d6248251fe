//! `layers.toml`: convolution and recurrent kernels by architecture, coefficients of networks over samples.

use super::Reader;
use crate::profile::{AxisOrder, ConvolutionProfile, LayerProfile, LayerRate, RateScope, RecurrentProfile};

/// Kernels of one GPU architecture.
#[derive(Debug, Clone)]
pub(in super::super) struct LayerKernels {
    /// Architecture of the catalog, or `default`.
    pub architecture: String,
    /// Multiprocessors of the GPU that was measured.
    pub multiprocessors: f64,
    /// On matrix units, on ordinary cores.
    pub convolution: [ConvolutionProfile; 2],
    /// Recurrent layers.
    pub recurrent: RecurrentProfile,
}

/// Makes a scope of a name.
type Scope = fn(String) -> RateScope;

/// Reads the file.
pub(in super::super) fn layers(reader: &Reader<'_>) -> Option<(Vec<LayerKernels>, LayerProfile)> {
    reader.schema();
    let kernels = reader.child("kernels").map(|table| {
        let read: Vec<Option<LayerKernels>> =
            table.entries().into_iter().map(|(name, entry)| architecture(name, &entry)).collect();
        read
    });
    let profile = profile(reader);
    reader.finish();
    let kernels: Option<Vec<LayerKernels>> = kernels?.into_iter().collect();
    let kernels = kernels?;
    if !kernels.iter().any(|k| k.architecture == "default") {
        reader.fail("kernels", "has no table \"default\"; expected one for architectures without their own");
        return None;
    }
    Some((kernels, profile?))
}

fn architecture(name: String, entry: &Reader<'_>) -> Option<LayerKernels> {
    let multiprocessors = entry.number("multiprocessors", 1.0..=1000.0);
    let [tensor, ordinary] =
        ["tensor", "ordinary"].map(|units| entry.child(units).and_then(|t| convolution(&t)));
    let recurrent = entry.child("recurrent").and_then(|t| recurrent(&t));
    entry.text("source");
    entry.finish();
    Some(LayerKernels {
        architecture: name,
        multiprocessors: multiprocessors?,
        convolution: [tensor?, ordinary?],
        recurrent: recurrent?,
    })
}

fn convolution(t: &Reader<'_>) -> Option<ConvolutionProfile> {
    let factor = |key: &str| t.number(key, 0.05..=20.0);
    let size = |key: &str| t.number(key, 0.0..=20_000.0);
    let (floor, grade) = (t.quantity("floor"), t.grade());
    let [rate, input_gradient, weight_gradient, transform_gain, pointwise_work, traffic] =
        ["rate", "input_gradient", "weight_gradient", "transform_gain", "pointwise_work", "traffic"]
            .map(factor);
    let [m0, n0, k0, w0] = ["m0", "n0", "k0", "w0"].map(size);
    t.optional_number("residual_median", 0.0..=1.0);
    t.finish();
    Some(ConvolutionProfile {
        rate: rate?,
        input_gradient: input_gradient?,
        weight_gradient: weight_gradient?,
        transform_gain: transform_gain?,
        pointwise_work: pointwise_work?,
        m0: m0?,
        n0: n0?,
        k0: k0?,
        w0: w0?,
        traffic: traffic?,
        floor: floor?,
        grade: grade?,
    })
}

fn recurrent(t: &Reader<'_>) -> Option<RecurrentProfile> {
    let (step, grade) = (t.quantity("step"), t.grade());
    let weights = t.number("weight_traffic", 0.01..=10.0);
    let backward = t.number("backward", 0.1..=10.0);
    t.optional_number("residual_median", 0.0..=1.0);
    t.finish();
    Some(RecurrentProfile { step: step?, weight_traffic: weights?, backward: backward?, grade: grade? })
}

fn profile(reader: &Reader<'_>) -> Option<LayerProfile> {
    let mut profile = LayerProfile::default();
    let common = reader.child("common")?;
    for rate in LayerRate::ALL {
        let (low, high) = rate.bounds();
        profile.common.set(rate, common.number(rate.key(), low..=high)?);
    }
    profile.residual = common.number("residual", 0.01..=2.0)?;
    profile.residual_volumes = common.optional_number("residual_volumes", 0.01..=2.0);
    profile.recipe = common.text("default_recipe")?;
    profile.other_source = common.number("other_source", 0.0..=2.0)?;
    profile.fitted_gpus = common.texts("fitted_gpus")?;
    profile.fitted_sources = common.texts("fitted_sources")?;
    profile.source = common.text("source")?;
    common.finish();
    let scopes: [(&str, Scope); 4] = [
        ("stack", RateScope::Stack),
        ("recipe", RateScope::Recipe),
        ("compiler", RateScope::Compiler),
        ("capability", RateScope::Capability),
    ];
    for (key, scope) in scopes {
        let Some(table) = reader.optional_child(key) else { continue };
        for (name, entry) in table.entries() {
            let factors = LayerRate::ALL
                .into_iter()
                .filter_map(|rate| Some((rate, entry.optional_number(rate.key(), 0.005..=200.0)?)))
                .collect();
            if key == "stack"
                && let Some(residual) = entry.optional_number("residual", 0.01..=2.0)
            {
                profile.residuals.insert(name.clone(), residual);
            }
            if key == "recipe"
                && let Some(layout) = entry.optional_text("layout")
            {
                let Some(order) = AxisOrder::named(&layout) else {
                    entry.fail(
                        "layout",
                        format!("is {layout:?}; accepted are {}", AxisOrder::NAMES.join(", ")),
                    );
                    continue;
                };
                profile.recipe_orders.insert(name.clone(), order);
            }
            if matches!(key, "stack" | "recipe")
                && let Some(joins) = entry.optional_flag("joins_norms")
            {
                profile.joining.insert(scope(name.clone()), joins);
            }
            entry.finish();
            profile.factors.insert(scope(name), factors);
        }
        table.finish();
    }
    Some(profile)
}
