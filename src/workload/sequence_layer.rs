//! Layers over positions: dense layers, attention, recurrent cells, embedding tables.

use super::convolution_unit::{element_wise, kept};
use super::feature_map::FeatureMap;
use super::operator::LAYER_NORM;
use super::residual_stage::addition;
use super::{Block, Operator, Partition};
use crate::catalog::TableUpdate;

/// Fully connected: one product over the batch.
pub(super) const fn product(
    name: &'static str,
    count: f64,
    rows: f64,
    inputs: f64,
    outputs: f64,
) -> Operator {
    Operator::SampleProduct { name, count, rows, inputs, outputs, weighted: true, again: false }
}

/// A dense layer with bias at every position.
pub(super) fn project(block: &mut Block, map: FeatureMap, out: u32, activation: bool) -> FeatureMap {
    let after = map.with_channels(out);
    let (inputs, outputs) = (f64::from(map.channels), f64::from(out));
    block.operators.push(product("fully connected", 1.0, map.positions(), inputs, outputs));
    block.parameters += inputs * outputs + outputs;
    block.saved.push(kept("fully connected output", after.elements()));
    if activation {
        block.operators.push(element_wise("activation", 2.0 * after.elements(), 3.0 * after.elements()));
    }
    after
}

/// Products of a sample by itself; the next map has their columns as channels and their rows as positions.
pub(super) fn sample_products(block: &mut Block, sizes: [u32; 4]) -> Result<FeatureMap, String> {
    let [count, rows, inputs, outputs] = sizes;
    let positions = count.checked_mul(rows).ok_or("too many rows")?;
    let after = FeatureMap { channels: outputs, size: [1, 1, positions] };
    block.operators.push(Operator::SampleProduct {
        name: "products of samples",
        count: f64::from(count),
        rows: f64::from(rows),
        inputs: f64::from(inputs),
        outputs: f64::from(outputs),
        weighted: false,
        again: false,
    });
    block.saved.push(kept("product", after.elements()));
    Ok(after)
}

/// Shape of an attention layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttentionLayer {
    pub heads: u32,
    pub head: Option<u32>,
    pub ffn: u32,
    pub window: Option<u32>,
    pub context: Option<u32>,
    pub memory: u32,
    pub relative: bool,
}

/// Self-attention, perhaps attention to a context, and an MLP, each with norm and residual addition.
pub(super) fn attention(
    block: &mut Block,
    map: FeatureMap,
    layer: &AttentionLayer,
) -> Result<FeatureMap, String> {
    let head = layer.head.unwrap_or(map.channels / layer.heads.max(1));
    if head == 0 {
        return Err(format!("{} heads over {} channels", layer.heads, map.channels));
    }
    let sources = map.positions() + f64::from(layer.memory);
    let shape = AttentionSizes {
        heads: f64::from(layer.heads),
        width: f64::from(head),
        // What is remembered passes all three projections, as published implementations have it.
        queries: sources,
        sources,
        keys: layer.window.map_or(sources, f64::from),
        relative: layer.relative,
    };
    attend(block, map, &shape);
    if let Some(context) = layer.context.map(f64::from) {
        let queries = map.positions();
        attend(
            block,
            map,
            &AttentionSizes { queries, sources: context, keys: context, relative: false, ..shape },
        );
    }
    if layer.ffn > 0 {
        norm(block, map);
        let wide = project(block, map, layer.ffn, true);
        project(block, wide, map.channels, false);
        addition(block, map.elements());
    }
    Ok(map)
}

/// Frameworks compute norms within a sample and exponentials in 32 bits under mixed precision.
fn wide(mut operator: Operator) -> Operator {
    if let Operator::ElementWise { element_bytes, .. } = &mut operator {
        *element_bytes = Some(4.0);
    }
    operator
}

fn norm(block: &mut Block, map: FeatureMap) {
    block.operators.push(wide(element_wise(LAYER_NORM, 3.0 * map.elements(), 5.0 * map.elements())));
    block.parameters += 2.0 * f64::from(map.channels);
    block.saved.push(kept("norm input", map.elements()));
}

/// Sizes of one attention.
struct AttentionSizes {
    heads: f64,
    /// Of one head.
    width: f64,
    /// Positions that are projected to queries.
    queries: f64,
    /// Positions that are projected to keys and values.
    sources: f64,
    /// Positions that each query sees.
    keys: f64,
    relative: bool,
}

/// Scores and context over `keys` of `sources` positions, with materialised softmax.
fn attend(block: &mut Block, map: FeatureMap, shape: &AttentionSizes) {
    let AttentionSizes { heads, width: head, queries, sources, keys, relative } = *shape;
    let (positions, channels, width) = (map.positions(), f64::from(map.channels), heads * head);
    norm(block, map);
    block.operators.push(product("queries", 1.0, queries, channels, width));
    block.operators.push(product("keys and values", 1.0, sources, channels, 2.0 * width));
    block.saved.push(kept("queries, keys, values", width * (positions + 2.0 * sources)));
    let windows = (sources / keys).max(1.0);
    let rows = positions / windows;
    let scored = [("attention scores", head, keys), ("attention context", keys, head)];
    let distances = relative.then_some(("position scores", head, keys));
    for (name, inputs, outputs) in scored.into_iter().chain(distances) {
        block.operators.push(Operator::SampleProduct {
            name,
            count: heads * windows,
            rows,
            inputs,
            outputs,
            weighted: false,
            again: false,
        });
    }
    let scores = heads * positions * keys;
    block.operators.push(wide(element_wise("softmax", 4.0 * scores, 5.0 * scores)));
    block.saved.push(kept("attention scores", 2.0 * scores));
    block.operators.push(product("attention output", 1.0, positions, width, channels));
    block.parameters += 4.0 * channels * width + 3.0 * width + channels;
    if relative {
        block.parameters += channels * width;
    }
    addition(block, map.elements());
}

/// Shape of a recurrent layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecurrentLayer {
    pub gates: u32,
    pub hidden: u32,
    pub bidirectional: bool,
    pub context: u32,
    pub stepwise: bool,
}

/// Kernels of one step that the host launches: products, gates, state.
const STEP_KERNELS: f64 = 5.0;

/// One recurrent layer over the positions.
pub(super) fn recurrent(block: &mut Block, map: FeatureMap, layer: &RecurrentLayer) -> FeatureMap {
    let directions = if layer.bidirectional { 2 } else { 1 };
    let after = map.with_channels(layer.hidden * directions);
    let inputs = f64::from(map.channels + layer.context);
    let (hidden, gates, directions) =
        (f64::from(layer.hidden), f64::from(layer.gates), f64::from(directions));
    block.operators.push(Operator::Recurrent {
        inputs,
        hidden,
        gates,
        steps: map.positions(),
        directions,
        stepwise_kernels: if layer.stepwise { STEP_KERNELS } else { 0.0 },
    });
    block.parameters += directions * gates * hidden * (inputs + hidden + 2.0);
    block.saved.push(kept("cell states", (gates + 2.0) * hidden * directions * map.positions()));
    after
}

/// Rows of a table, looked up at every position.
pub(super) fn embedding(
    block: &mut Block,
    map: FeatureMap,
    (rows, width, lookups): (u64, u32, u32),
    update: TableUpdate,
) -> FeatureMap {
    let after = map.with_channels(width.saturating_mul(lookups));
    block.operators.push(Operator::Embedding {
        table_rows: rows as f64,
        row: f64::from(width),
        width: after.elements(),
        partition: Partition::Replicated,
        update,
    });
    let parameters = rows as f64 * f64::from(width);
    block.parameters += parameters;
    match update {
        TableUpdate::Dense => {}
        TableUpdate::Rows => block.table_parameters[0] += parameters,
        TableUpdate::Split => block.table_parameters[1] += parameters,
    }
    block.saved.push(kept("embeddings", after.elements()));
    after
}
