//! `software/<stack>.toml` over its relative over `software/common.toml`.

use toml::Spanned;
use toml::de::DeTable;

use super::{Document, Reader, near};
use crate::catalog::{GpuSpec, Precision};
use crate::profile::{ArchitectureRates, KernelKind, LayerRates, Method, StackProfile};
use crate::units::Fraction;

/// Reads all stacks, sorted by id. `files` are `(id, document, table)`.
pub(in super::super) fn stacks<'d>(
    common: &'d Reader<'d>,
    files: &'d [(&'d str, &'d Document<'d>, &'d Spanned<DeTable<'d>>)],
    gpus: &[GpuSpec],
) -> Vec<StackProfile> {
    let mut stacks: Vec<StackProfile> = Vec::with_capacity(files.len());
    common.schema();
    let architectures = architectures(common);
    for (id, document, table) in files {
        let own = Reader::root(document, table);
        own.schema();
        let relative_of = own.optional_text("relative_of");
        let later = own.optional_text("later");
        if let Some(name) = later.as_ref().filter(|name| files.iter().all(|(id, ..)| id != name)) {
            let hint = near(name, files.iter().map(|(id, ..)| *id));
            own.fail("later", format!("is {name:?}, no stack{hint}"));
        }
        let relative = relative_of.as_ref().and_then(|name| relative(&own, name, files));
        let relative = relative.map(|(document, table)| Reader::root(document, table).over(Some(common)));
        let stack = stack(id, &own.over(relative.as_ref().or(Some(common))), relative_of, gpus);
        stacks.extend(stack.map(|s| StackProfile {
            architectures: architectures.clone(),
            later: later.clone(),
            ..s
        }));
    }
    common.finish();
    stacks.sort_by(|a, b| a.id.cmp(&b.id));
    stacks
}

/// `[[architecture]]` of the common file: factors that all stacks share.
fn architectures(common: &Reader<'_>) -> Vec<ArchitectureRates> {
    let mut all: Vec<ArchitectureRates> = Vec::new();
    for entry in common.children("architecture") {
        let name = entry.text("name");
        let [matmul, attention_forward, attention_backward] =
            ["matmul", "attention_forward", "attention_backward"].map(|key| entry.number(key, 0.05..=5.0));
        entry.finish();
        // Like the GPUs of a fit, names are checked against the whole catalog by a test.
        let (Some(name), Some(matmul), Some(attention_forward), Some(attention_backward)) =
            (name, matmul, attention_forward, attention_backward)
        else {
            continue;
        };
        if all.iter().any(|a| a.name == name) {
            entry.fail("name", format!("is {name:?} a second time; expected each architecture once"));
        }
        all.push(ArchitectureRates { name, matmul, attention_forward, attention_backward });
    }
    all
}

/// The file of the stack that another one leans on; only one that stands alone will do.
fn relative<'d>(
    own: &Reader<'_>,
    name: &str,
    files: &'d [(&'d str, &'d Document<'d>, &'d Spanned<DeTable<'d>>)],
) -> Option<(&'d Document<'d>, &'d Spanned<DeTable<'d>>)> {
    let Some((_, document, table)) = files.iter().find(|(id, ..)| *id == name) else {
        let hint = near(name, files.iter().map(|(id, ..)| *id));
        own.fail("relative_of", format!("is {name:?}, no stack{hint}"));
        return None;
    };
    if table.get_ref().contains_key("relative_of") {
        own.fail(
            "relative_of",
            format!("is {name:?}, which leans on another stack itself; expected one that does not"),
        );
        return None;
    }
    Some((document, table))
}

/// `residual_by_architecture = [{ name = "...", sigma = 0.1 }, ...]`, absent in the file of an unfitted stack.
fn residuals(file: &Reader<'_>) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    if !file.has("residual_by_architecture") {
        return all;
    }
    for entry in file.children("residual_by_architecture") {
        let (name, sigma) = (entry.text("name"), entry.number("sigma", 0.001..=2.0));
        entry.finish();
        all.extend(name.zip(sigma));
    }
    all
}

/// `fitted_parameters = [smallest, largest]`, absent in the file of an unfitted stack.
fn fitted_parameters(file: &Reader<'_>) -> Option<(f64, f64)> {
    if !file.has("fitted_parameters") {
        return None;
    }
    match file.numbers("fitted_parameters", &(1.0..=1e16)).as_deref() {
        Some(&[low, high]) if low <= high => Some((low, high)),
        Some(_) => {
            file.fail("fitted_parameters", "is no range; expected [smallest, largest] number of parameters");
            None
        }
        None => None,
    }
}

/// `kernels = "fused"` or `"framework"`.
fn kernels(file: &Reader<'_>) -> Option<KernelKind> {
    let text = file.text("kernels")?;
    let found = KernelKind::ALL.into_iter().find(|kind| kind.name() == text);
    if found.is_none() {
        let accepted = KernelKind::ALL.map(KernelKind::name).join(" or ");
        file.fail("kernels", format!("is {text:?}; expected {accepted}"));
    }
    found
}

/// Kernels of a recurrent step (a library that runs the whole chain launches none), and whether norms are composed in 32 bits.
fn loops_and_norms(file: &Reader<'_>) -> (f64, bool) {
    let loops = file.optional_number("recurrent_step_kernels", 0.0..=100.0).unwrap_or(0.0);
    (loops, file.optional_flag("wide_norms") == Some(true))
}

/// The stack's name for people, which no other file lends.
fn name(file: &Reader<'_>) -> Option<String> {
    if !file.has("name") {
        file.fail("name", "is missing in this file; expected the stack's name for people");
    }
    file.text("name")
}

/// GPUs that the fit has seen. A small catalog lacks some; a test checks the names against the whole one.
fn fitted_gpus(file: &Reader<'_>, gpus: &[GpuSpec]) -> Option<Vec<String>> {
    let known = |id: &String| gpus.iter().any(|gpu| gpu.id == *id);
    file.texts("fitted_gpus").map(|all| all.into_iter().filter(known).collect())
}

fn stack(id: &str, file: &Reader<'_>, relative_of: Option<String>, gpus: &[GpuSpec]) -> Option<StackProfile> {
    let (name, kernels) = (name(file), kernels(file));
    let factor = |key: &str| file.number(key, 0.01..=10.0);
    let share = |key: &str| file.number(key, 0.0..=1.0);
    let [matmul_efficiency, fp8_efficiency] = ["matmul_efficiency", "fp8_efficiency"].map(factor);
    let [attention_forward, attention_backward] = ["attention_forward", "attention_backward"].map(factor);
    let [elementwise_traffic, kernels_per_operator, optimizer_traffic] =
        ["elementwise_traffic", "kernels_per_operator", "optimizer_traffic"].map(factor);
    let [score_passes, optimizer_kernels] =
        ["score_passes", "optimizer_kernels"].map(|key| file.number(key, 0.01..=30.0));
    let [convolution_efficiency, convolution_efficiency_fp32, collective_efficiency] =
        ["convolution_efficiency", "convolution_efficiency_fp32", "collective_efficiency"].map(factor);
    let [overlap_data_parallel, overlap_sharding, overlap_model_parallel, fragmentation] =
        ["overlap_data_parallel", "overlap_sharding", "overlap_model_parallel", "fragmentation"].map(share);
    let (launch, fixed_step, memory_overhead) =
        (file.quantity("launch"), file.quantity("fixed_step"), file.quantity("memory_overhead"));
    let (gather_rate, node_skew) = (file.quantity("gather_rate"), file.quantity("node_skew"));
    let (unaligned, recompute_share) =
        (factor("unaligned_efficiency"), file.number("recompute_share", 0.3..=1.5));
    let ((loops, wide_norms), residual) = (loops_and_norms(file), file.number("residual", 0.001..=2.0));
    let (residual_by_architecture, fitted_parameters) = (residuals(file), fitted_parameters(file));
    let (grade, source) = (file.grade(), file.text("source"));
    let fitted_gpus = fitted_gpus(file, gpus);
    let (fitted_sources, flash_attention) = (file.texts("fitted_sources"), file.flag("flash_attention"));
    let precisions = file.names("precisions", &Precision::ALL, Precision::name);
    let supports = file.names("supports", &Method::ALL, Method::name);
    file.finish();
    Some(StackProfile {
        id: id.to_owned(),
        name: name?,
        kernels: kernels?,
        matmul_efficiency: matmul_efficiency?,
        fp8_efficiency: fp8_efficiency?,
        unaligned_efficiency: unaligned?,
        attention_forward: attention_forward?,
        attention_backward: attention_backward?,
        elementwise_traffic: elementwise_traffic?,
        score_passes: score_passes?,
        launch: launch?,
        kernels_per_operator: kernels_per_operator?,
        overlap_data_parallel: overlap_data_parallel?,
        overlap_sharding: overlap_sharding?,
        overlap_model_parallel: overlap_model_parallel?,
        collective_efficiency: collective_efficiency?,
        gather_rate: gather_rate?,
        optimizer_traffic: optimizer_traffic?,
        optimizer_kernels: optimizer_kernels?,
        fixed_step: fixed_step?,
        node_skew: node_skew?,
        recompute_share: recompute_share?,
        convolution_efficiency: convolution_efficiency?,
        convolution_efficiency_fp32: convolution_efficiency_fp32?,
        recurrent_step_kernels: loops,
        wide_norms,
        layers: LayerRates::default(),
        memory_overhead: memory_overhead?,
        fragmentation: Fraction::new(fragmentation?),
        architectures: Vec::new(),
        residual: residual?,
        residual_by_architecture,
        residual_volumes: None,
        other_source: None,
        fitted_parameters,
        grade: grade?,
        fitted_gpus: fitted_gpus?,
        fitted_sources: fitted_sources?,
        relative_of,
        later: None,
        flash_attention: flash_attention?,
        precisions: precisions?,
        supports: supports?,
        source: source?,
    })
}
