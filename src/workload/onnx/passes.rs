//! Operators that read and write memory: norms, activations, sums, pooling over everything.
//!
//! Counted unfused, as [`crate::workload::convolutional`] counts: a norm reads its input twice and writes once (backward:
//! input and gradient twice, one write), an activation reads and writes (backward: output and gradient read, one write).

use super::context::{Context, broadcast, place_of};
use super::tensors::{Shape, elements};

/// Activations whose gradient follows from their result; it may take the place of the input.
const FROM_RESULT: [&str; 8] =
    ["Relu", "LeakyRelu", "Sigmoid", "Tanh", "Clip", "HardSigmoid", "Elu", "ThresholdedRelu"];
/// Those that need their input.
const FROM_INPUT: [&str; 20] = [
    "Gelu",
    "HardSwish",
    "Mish",
    "Selu",
    "Celu",
    "Softplus",
    "Softsign",
    "PRelu",
    "Swish",
    "Erf",
    "Exp",
    "Log",
    "Sqrt",
    "Reciprocal",
    "Abs",
    "Neg",
    "Sin",
    "Cos",
    "Shrink",
    "Round",
];
/// Results that pass no gradient on.
const WITHOUT_GRADIENT: [&str; 13] = [
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "And",
    "Or",
    "Not",
    "IsNaN",
    "Floor",
    "Ceil",
    "Sign",
    "Xor",
];
const SUMS: [&str; 6] = ["Add", "Sub", "Sum", "Max", "Min", "Mean"];
const PRODUCTS: [&str; 4] = ["Mul", "Div", "Pow", "Mod"];
const REDUCTIONS: [&str; 9] = [
    "ReduceMean",
    "ReduceSum",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "ReduceLogSumExp",
];

/// Turns a pass over memory into operators; `None` when the node is another.
pub(super) fn pass(c: &mut Context<'_, '_>) -> Option<Result<(), String>> {
    let kind = c.node.kind();
    Some(if FROM_RESULT.contains(&kind) || FROM_INPUT.contains(&kind) {
        activation(c)
    } else if WITHOUT_GRADIENT.contains(&kind) {
        over_all(c, "comparison", 0.0)
    } else if SUMS.contains(&kind) {
        sum(c)
    } else if PRODUCTS.contains(&kind) || kind == "Where" {
        multiplied(c)
    } else if REDUCTIONS.contains(&kind) {
        reduced(c)
    } else {
        match kind {
            "BatchNormalization" => norm(c, "batch norm"),
            "InstanceNormalization" => norm(c, "instance norm"),
            "GroupNormalization" => norm(c, "group norm"),
            "LayerNormalization" | "SimplifiedLayerNormalization" | "RMSNormalization" => {
                norm(c, "layer norm")
            }
            "LRN" | "LpNormalization" | "MeanVarianceNormalization" => norm(c, "normalization"),
            "Softmax" | "LogSoftmax" => softmax(c),
            "GlobalAveragePool" | "GlobalMaxPool" => global(c),
            "Dropout" => dropout(c),
            _ => return None,
        }
    })
}

/// Every kind that [`pass`] takes.
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    let others = [
        "Where",
        "BatchNormalization",
        "InstanceNormalization",
        "GroupNormalization",
        "LayerNormalization",
        "RMSNormalization",
        "LRN",
        "LpNormalization",
        "MeanVarianceNormalization",
        "Softmax",
        "LogSoftmax",
        "GlobalAveragePool",
        "GlobalMaxPool",
        "Dropout",
    ];
    FROM_RESULT
        .into_iter()
        .chain(FROM_INPUT)
        .chain(WITHOUT_GRADIENT)
        .chain(SUMS)
        .chain(PRODUCTS)
        .chain(REDUCTIONS)
        .chain(others)
}

/// Sides of a result over all inputs.
fn all(c: &Context<'_, '_>) -> Result<Vec<Shape>, String> {
    c.node.inputs().map(|name| c.tensors.shape(name).cloned()).collect()
}

fn activation(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let elements = c.sample(&shape);
    c.pass("activation", 2.0 * elements, 3.0 * elements);
    c.write(shape);
    if c.node.kind() == "PRelu" {
        c.weights([1]);
    }
    let name = if FROM_RESULT.contains(&c.node.kind()) { c.node.output() } else { c.needed(0)? };
    c.keep(name, "activation")
}

/// A pass over all inputs and the result, whose backward pass moves `backward` times as much.
fn over_all(c: &mut Context<'_, '_>, name: &'static str, backward: f64) -> Result<(), String> {
    let shapes = all(c)?;
    let after = broadcast(&shapes)?;
    let of_sample = |c: &Context<'_, '_>, name: &str, shape: &Shape| {
        if c.tensors.is_constant(name) { 0.0 } else { c.sample(shape) }
    };
    let names: Vec<&str> = c.node.inputs().collect();
    let read: f64 = names.iter().zip(&shapes).map(|(name, shape)| of_sample(c, name, shape)).sum();
    let moved = read + c.sample(&after);
    c.pass(name, moved, backward * moved);
    // A single number is a setting of the formula, not a weight.
    let several = |at: &usize| elements(&shapes[*at]) > 1.0;
    c.weights((0..names.len()).filter(several));
    c.write(after);
    Ok(())
}

/// The gradient of a sum is passed on as it is. A bias behind a product is a part of the product's kernel.
fn sum(c: &mut Context<'_, '_>) -> Result<(), String> {
    let several = c.node.inputs().filter(|name| !c.tensors.is_constant(name)).count() > 1;
    over_all(c, if several { "residual addition" } else { "addition" }, 1.0)
}

/// The gradient of a product needs the other factor.
fn multiplied(c: &mut Context<'_, '_>) -> Result<(), String> {
    over_all(c, "element-wise product", 2.0)?;
    let names: Vec<&str> = c.node.inputs().collect();
    let varied = names.iter().filter(|name| !c.tensors.is_constant(name)).count() > 1;
    let trained = c.piece.parameters > 0.0;
    for name in names.into_iter().filter(|_| varied || trained) {
        c.keep(name, "factor")?;
    }
    Ok(())
}

fn reduced(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let axes = match c.axes(1)? {
        Some(axes) => axes.into_iter().map(|a| place_of(a, shape.len())).collect::<Result<Vec<_>, _>>()?,
        None => (0..shape.len()).collect(),
    };
    let keeps = c.node.int("keepdims", 1) == 1;
    let after: Shape = (shape.iter().enumerate())
        .filter_map(|(at, side)| if axes.contains(&at) { keeps.then_some(1) } else { Some(*side) })
        .collect();
    let moved = c.sample(&shape) + c.sample(&after);
    c.pass("reduction", moved, moved);
    c.write(after);
    Ok(())
}

fn norm(c: &mut Context<'_, '_>, name: &'static str) -> Result<(), String> {
    let shape = c.shape(0)?;
    let elements = c.sample(&shape);
    c.pass(name, 3.0 * elements, 5.0 * elements);
    c.keep(c.needed(0)?, "norm input")?;
    // Mean and variance that follow are statistics, not weights.
    c.weights([1, 2]);
    c.write(shape);
    Ok(())
}

fn softmax(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let elements = c.sample(&shape);
    c.pass("softmax", 4.0 * elements, 5.0 * elements);
    c.write(shape);
    c.keep(c.node.output(), "softmax output")
}

fn global(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let after: Shape = shape.iter().enumerate().map(|(at, side)| if at < 2 { *side } else { 1 }).collect();
    let moved = c.sample(&shape) + c.sample(&after);
    c.pass("global pooling", moved, moved);
    c.write(after);
    Ok(())
}

/// One byte of mask for each element.
fn dropout(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let elements = c.sample(&shape);
    c.pass("dropout", 2.0 * elements, 2.0 * elements);
    c.write_at(1, shape.clone());
    c.write(shape);
    c.keep_beside("dropout mask", 0.0, elements);
    Ok(())
}
