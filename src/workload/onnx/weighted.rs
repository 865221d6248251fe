//! Operators with arithmetic: convolutions, products, recurrent layers, tables.
//!
//! Shapes and attributes: the operator specification of the format. Counts: as [`crate::workload::convolutional`].

use super::context::{Context, broadcast, place_of};
use super::node::side;
use super::tensors::{elements, product};
use crate::catalog::TableUpdate;
use crate::workload::convolution_unit::kernel_name;
use crate::workload::operator::TRANSPOSED;
use crate::workload::{Grid, Operator, Partition};

/// Kernel, stride, dilation and padding along the sides of a map.
struct Window {
    kernel: Vec<i64>,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    pads: Vec<i64>,
}

impl Window {
    fn read(c: &Context<'_, '_>, kernel: Vec<i64>) -> Result<Self, String> {
        let rank = kernel.len();
        let list = |name: &str, length: usize, default: i64| {
            let found = c.node.ints(name)?.unwrap_or_else(|| vec![default; length]);
            let right = found.len() == length && found.iter().all(|v| *v >= default);
            if right { Ok(found) } else { Err(format!("{name} is {found:?} for {rank} sides")) }
        };
        let (strides, dilations) = (list("strides", rank, 1)?, list("dilations", rank, 1)?);
        let pads = list("pads", 2 * rank, 0)?;
        if kernel.iter().any(|k| *k < 1) {
            return Err(format!("kernel_shape is {kernel:?}"));
        }
        Ok(Self { kernel, strides, dilations, pads })
    }

    /// Sides after the window moved over `sides`.
    fn moved(&self, c: &Context<'_, '_>, sides: &[u64]) -> Result<Vec<u64>, String> {
        if sides.len() != self.kernel.len() {
            return Err(format!("a kernel of {} sides on a map of {}", self.kernel.len(), sides.len()));
        }
        let same = c.node.text("auto_pad").starts_with("SAME");
        let valid = c.node.text("auto_pad") == "VALID";
        let up = c.node.int("ceil_mode", 0) == 1;
        let one = |(i, size): (usize, &u64)| {
            let (size, stride) = (*size as i64, self.strides[i]);
            if same {
                return side((size + stride - 1) / stride);
            }
            let around = if valid { 0 } else { self.pads[i] + self.pads[i + sides.len()] };
            let room = size + around - self.dilations[i] * (self.kernel[i] - 1) - 1;
            if room < 0 {
                return Err(format!("a kernel of {} is wider than the map of {size}", self.kernel[i]));
            }
            side(if up { (room + stride - 1) / stride + 1 } else { room / stride + 1 })
        };
        sides.iter().enumerate().map(one).collect()
    }
}

/// The sides of a kernel as the setting says, or those of the weight.
fn kernel(c: &Context<'_, '_>, weight: Option<&[u64]>) -> Result<Vec<i64>, String> {
    match (c.node.ints("kernel_shape")?, weight) {
        (Some(given), _) => Ok(given),
        (None, Some(weight)) => Ok(weight.iter().skip(2).map(|k| *k as i64).collect()),
        (None, None) => Err("lacks kernel_shape".to_owned()),
    }
}

/// `Conv` and `ConvTranspose`.
pub(super) fn convolution(c: &mut Context<'_, '_>) -> Result<(), String> {
    let transposed = c.node.kind() == "ConvTranspose";
    let (map, weight) = (c.shape(0)?, c.shape(1)?);
    if map.len() < 3 || weight.len() != map.len() {
        return Err(format!("a weight of {weight:?} over a map of {map:?}"));
    }
    let groups = c.node.count("group", 1)? as u64;
    let window = Window::read(c, kernel(c, Some(&weight))?)?;
    let wide = weight[1].saturating_mul(groups);
    let (expected, out) = if transposed { (weight[0], wide) } else { (wide, weight[0]) };
    if map[1] != expected {
        return Err(format!("a weight for {expected} channels over a map of {}", map[1]));
    }
    let sides = if transposed { grown(c, &window, &map[2..])? } else { window.moved(c, &map[2..])? };
    let taps: f64 = window.kernel.iter().map(|k| *k as f64).product();
    let samples = map[0] as f64 / c.batch;
    let (before, after) = (samples * elements(&map[2..]), samples * elements(&sides));
    let (inputs, outputs, groups) = (map[1] as f64, out as f64, groups as f64);
    let name = if transposed { TRANSPOSED } else { kernel_name(taps, groups, outputs) };
    // A transposed convolution is the input gradient of one from its large output to its small input.
    let (inputs, outputs, before, after) =
        if transposed { (outputs, inputs, after, before) } else { (inputs, outputs, before, after) };
    let long = window.kernel.iter().filter(|side| **side > 1).count();
    let over = match sides.len() {
        3 if sides[0] > 1 && window.kernel[0] > 1 => Grid::Volume,
        sides if sides == 1 || long == 1 => Grid::Line,
        _ => Grid::Plane,
    };
    let first = c.tensors.memory(c.needed(0)?) == c.first;
    c.product(Operator::Convolution {
        name,
        inputs,
        outputs,
        taps,
        groups,
        input_positions: before,
        output_positions: after,
        over,
        first,
    });
    c.weights([1, 2]);
    c.keep(c.needed(0)?, "convolution input")?;
    c.write([&[map[0], out][..], &sides[..]].concat());
    Ok(())
}

/// Sides after a transposed convolution.
fn grown(c: &Context<'_, '_>, window: &Window, sides: &[u64]) -> Result<Vec<u64>, String> {
    if let Some(given) = c.node.ints("output_shape")? {
        return given.iter().map(|s| side(*s)).collect();
    }
    let extra = c.node.ints("output_padding")?.unwrap_or_else(|| vec![0; sides.len()]);
    if sides.len() != window.kernel.len() || extra.len() != sides.len() {
        return Err(format!("a kernel of {} sides on a map of {}", window.kernel.len(), sides.len()));
    }
    let same = c.node.text("auto_pad").starts_with("SAME");
    let one = |(i, size): (usize, &u64)| {
        let (size, stride) = (*size as i64, window.strides[i]);
        let around = window.pads[i] + window.pads[i + sides.len()];
        let reach = window.dilations[i] * (window.kernel[i] - 1) + 1;
        side(if same { size * stride } else { stride * (size - 1) + extra[i] + reach - around })
    };
    sides.iter().enumerate().map(one).collect()
}

/// `MaxPool`, `AveragePool` and their like.
pub(super) fn pool(c: &mut Context<'_, '_>) -> Result<(), String> {
    /// Bytes of the index that max pooling keeps for each output.
    const INDEX_BYTES: f64 = 8.0;
    let map = c.shape(0)?;
    if map.len() < 3 {
        return Err(format!("pools a map of {map:?}"));
    }
    let sides = Window::read(c, kernel(c, None)?)?.moved(c, &map[2..])?;
    let after = [&map[..2], &sides[..]].concat();
    let (read, written) = (c.sample(&map), c.sample(&after));
    let average = c.node.kind() == "AveragePool";
    let name = if average { "average pooling" } else { "max pooling" };
    c.pass(name, read + written, read + 2.0 * written);
    c.write(after);
    let index = if average { 0.0 } else { INDEX_BYTES * written };
    c.keep_with(c.node.output(), "pooling output", index)
}

/// `Gemm`: a matrix of the sample times a weight.
pub(super) fn gemm(c: &mut Context<'_, '_>) -> Result<(), String> {
    let (a, b) = (c.shape(0)?, c.shape(1)?);
    let ([a0, a1], [b0, b1]) =
        (a[..].try_into().map_err(|_| flat(&a))?, b[..].try_into().map_err(|_| flat(&b))?);
    let turned = |name: &str, (first, second): (u64, u64)| {
        if c.node.int(name, 0) == 1 { (second, first) } else { (first, second) }
    };
    let ((rows, inner), (expected, out)) = (turned("transA", (a0, a1)), turned("transB", (b0, b1)));
    multiply(c, (1.0, rows, inner), (expected, out))?;
    c.weights([2]);
    c.write(vec![rows, out]);
    Ok(())
}

fn flat(shape: &[u64]) -> String {
    format!("expects a matrix, and has {shape:?}")
}

/// `MatMul`: a stack of products; with a stored right side, one product over all positions.
pub(super) fn matmul(c: &mut Context<'_, '_>) -> Result<(), String> {
    let (mut a, mut b) = (c.shape(0)?, c.shape(1)?);
    if a.is_empty() || b.is_empty() {
        return Err("multiplies a number".to_owned());
    }
    let (row, column) = (a.len() == 1, b.len() == 1);
    if row {
        a.insert(0, 1);
    }
    if column {
        b.push(1);
    }
    let (left, right) = (a.split_off(a.len() - 2), b.split_off(b.len() - 2));
    let mut after = broadcast(&[a.clone(), b.clone()])?;
    if b.iter().all(|side| *side == 1) {
        let rows = product(&after).saturating_mul(left[0]);
        multiply(c, (1.0, rows, left[1]), (right[0], right[1]))?;
    } else {
        multiply(c, (elements(&after), left[0], left[1]), (right[0], right[1]))?;
    }
    after.extend((!row).then_some(left[0]));
    after.extend((!column).then_some(right[1]));
    c.write(after);
    Ok(())
}

/// `count` products of `rows x inner` by `expected x out`; the first may hold all samples.
fn multiply(
    c: &mut Context<'_, '_>,
    (count, rows, inner): (f64, u64, u64),
    (expected, out): (u64, u64),
) -> Result<(), String> {
    if inner != expected {
        return Err(format!("multiplies {inner} columns by {expected} rows"));
    }
    let (inputs, outputs) = (inner as f64, out as f64);
    let (left, right) = (c.needed(0)?, c.needed(1)?);
    // Stored on the left (a weight before the map): the same arithmetic.
    let weighted = c.tensors.is_constant(right) || c.tensors.is_constant(left);
    let positions = count * rows as f64 / c.batch;
    c.product(if weighted && count == 1.0 && positions == 1.0 {
        Operator::MatrixProduct { name: "fully connected", inputs, outputs, partition: Partition::Replicated }
    } else {
        let name = if weighted { "fully connected" } else { "product of activations" };
        let (count, rows) = if weighted { (1.0, positions) } else { (count / c.batch, rows as f64) };
        Operator::SampleProduct { name, count, rows, inputs, outputs, weighted, again: false }
    });
    c.weights([0, 1]);
    c.keep(left, "fully connected input")?;
    c.keep(right, "fully connected input")
}

/// `LSTM`, `GRU`, `RNN`: layout `[steps, batch, inputs]`, weights `[directions, gates x hidden, inputs]`.
pub(super) fn recurrent(c: &mut Context<'_, '_>) -> Result<(), String> {
    let (map, weight, state) = (c.shape(0)?, c.shape(1)?, c.shape(2)?);
    let ([steps, batch, inputs], [directions, wide, _], [_, _, hidden]) = (
        map[..].try_into().map_err(|_| flat(&map))?,
        weight[..].try_into().map_err(|_| flat(&weight))?,
        state[..].try_into().map_err(|_| flat(&state))?,
    );
    if hidden == 0 {
        return Err("has no state".to_owned());
    }
    let (steps, batch) = if c.node.int("layout", 0) == 1 { (batch, steps) } else { (steps, batch) };
    let gates = wide as f64 / hidden as f64;
    let rows = steps as f64 * batch as f64 / c.batch;
    c.product(Operator::Recurrent {
        inputs: inputs as f64,
        hidden: hidden as f64,
        gates,
        steps: rows,
        directions: directions as f64,
        stepwise_kernels: 0.0,
    });
    c.weights([1, 2, 3]);
    c.keep(c.needed(0)?, "recurrent input")?;
    c.write_at(0, vec![steps, directions, batch, hidden]);
    c.write_at(1, vec![directions, batch, hidden]);
    c.write_at(2, vec![directions, batch, hidden]);
    let states = (gates + 2.0) * hidden as f64 * directions as f64 * rows;
    c.keep_beside("cell states", states, 0.0);
    Ok(())
}

/// `Gather`: rows of a stored table are an embedding, all else is copied.
pub(super) fn gather(c: &mut Context<'_, '_>) -> Result<(), String> {
    let (data, indices) = (c.shape(0)?, c.shape(1)?);
    let axis = place_of(c.node.int("axis", 0), data.len())?;
    let after = [&data[..axis], &indices[..], &data[axis + 1..]].concat();
    let width = c.sample(&after);
    if c.tensors.is_constant(c.needed(0)?) {
        let partition = Partition::Replicated;
        let update = TableUpdate::Dense;
        let table_rows = data[axis] as f64;
        let row = data.iter().map(|side| *side as f64).product::<f64>() / table_rows.max(1.0);
        c.push(Operator::Embedding { table_rows, row, width, partition, update });
        c.weights([0]);
    } else {
        c.pass("gather", 2.0 * width, 2.0 * width);
    }
    c.write(after);
    Ok(())
}
