//! `software/<stack>.toml` over its relative over `software/common.toml`.

use toml::Spanned;
use toml::de::DeTable;

use super::{Document, Reader, near};
use crate::catalog::{GpuSpec, Precision};
use crate::profile::{LayerRates, Method, StackProfile};
use crate::units::Fraction;

/// Reads all stacks, sorted by id. `files` are `(id, document, table)`.
pub(in super::super) fn stacks<'d>(
    common: &'d Reader<'d>,
    files: &'d [(&'d str, &'d Document<'d>, &'d Spanned<DeTable<'d>>)],
    gpus: &[GpuSpec],
) -> Vec<StackProfile> {
    let mut stacks: Vec<StackProfile> = Vec::with_capacity(files.len());
    common.schema();
    for (id, document, table) in files {
        let own = Reader::root(document, table);
        own.schema();
        let relative_of = own.optional_text("relative_of");
        let relative = relative_of.as_ref().and_then(|name| relative(&own, name, files));
        let relative = relative.map(|(document, table)| Reader::root(document, table).over(Some(common)));
        let stack = stack(id, &own.over(relative.as_ref().or(Some(common))), relative_of, gpus);
        stacks.extend(stack);
    }
    common.finish();
    stacks.sort_by(|a, b| a.id.cmp(&b.id));
    stacks
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

fn stack(id: &str, file: &Reader<'_>, relative_of: Option<String>, gpus: &[GpuSpec]) -> Option<StackProfile> {
    if !file.has("name") {
        file.fail("name", "is missing in this file; expected the stack's name for people");
    }
    let name = file.text("name");
    let factor = |key: &str| file.number(key, 0.01..=10.0);
    let share = |key: &str| file.number(key, 0.0..=1.0);
    let [matmul_efficiency, attention_forward, attention_backward] =
        ["matmul_efficiency", "attention_forward", "attention_backward"].map(factor);
    let [elementwise_traffic, score_passes, kernels_per_operator, optimizer_traffic] =
        ["elementwise_traffic", "score_passes", "kernels_per_operator", "optimizer_traffic"].map(factor);
    let [convolution_efficiency, convolution_efficiency_fp32, collective_efficiency] =
        ["convolution_efficiency", "convolution_efficiency_fp32", "collective_efficiency"].map(factor);
    let [overlap_data_parallel, overlap_sharding, fragmentation] =
        ["overlap_data_parallel", "overlap_sharding", "fragmentation"].map(share);
    let (launch, fixed_step, memory_overhead) =
        (file.quantity("launch"), file.quantity("fixed_step"), file.quantity("memory_overhead"));
    let residual = file.number("residual", 0.001..=2.0);
    let (grade, source) = (file.grade(), file.text("source"));
    let fitted_gpus = file.texts("fitted_gpus");
    for gpu in fitted_gpus.iter().flatten().filter(|g| !gpus.iter().any(|known| known.id == **g)) {
        let hint = near(gpu, gpus.iter().map(|g| g.id.as_str()));
        file.fail("fitted_gpus", format!("has {gpu:?}, no GPU of the catalog{hint}"));
    }
    let flash_attention = file.flag("flash_attention");
    let precisions = file.names("precisions", &Precision::ALL, Precision::name);
    let supports = file.names("supports", &Method::ALL, Method::name);
    file.finish();
    Some(StackProfile {
        id: id.to_owned(),
        name: name?,
        matmul_efficiency: matmul_efficiency?,
        attention_forward: attention_forward?,
        attention_backward: attention_backward?,
        elementwise_traffic: elementwise_traffic?,
        score_passes: score_passes?,
        launch: launch?,
        kernels_per_operator: kernels_per_operator?,
        overlap_data_parallel: overlap_data_parallel?,
        overlap_sharding: overlap_sharding?,
        collective_efficiency: collective_efficiency?,
        optimizer_traffic: optimizer_traffic?,
        fixed_step: fixed_step?,
        convolution_efficiency: convolution_efficiency?,
        convolution_efficiency_fp32: convolution_efficiency_fp32?,
        layers: LayerRates::default(),
        memory_overhead: memory_overhead?,
        fragmentation: Fraction::new(fragmentation?),
        residual: residual?,
        grade: grade?,
        fitted_gpus: fitted_gpus?,
        relative_of,
        flash_attention: flash_attention?,
        precisions: precisions?,
        supports: supports?,
        source: source?,
    })
}
