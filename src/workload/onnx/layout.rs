//! Operators that change shapes: views, which cost nothing, and copies; and the arithmetic on shapes.

use super::context::{Context, broadcast, place_of};
use super::node::side;
use super::tensors::{Shape, elements, product};

/// Turns an operator of shapes into a view or a copy; `None` when the node is another.
pub(super) fn layout(c: &mut Context<'_, '_>) -> Option<Result<(), String>> {
    Some(match c.node.kind() {
        "Reshape" => reshape(c),
        "Flatten" => flatten(c),
        "Identity" | "Cast" | "CastLike" => c.shape(0).and_then(|shape| c.reshape(0, shape)),
        "Squeeze" => squeeze(c),
        "Unsqueeze" => unsqueeze(c),
        "Transpose" => transpose(c),
        "Concat" => concatenation(c),
        "Split" => split(c),
        "Slice" => slice(c),
        "Pad" => pad(c),
        "Expand" => expand(c),
        "Tile" => tile(c),
        "Resize" | "Upsample" => resize(c),
        "DepthToSpace" => blocks(c, true),
        "SpaceToDepth" => blocks(c, false),
        _ => return None,
    })
}

/// Every kind that [`layout`] takes.
pub(super) const KINDS: [&str; 18] = [
    "Reshape",
    "Flatten",
    "Identity",
    "Cast",
    "CastLike",
    "Squeeze",
    "Unsqueeze",
    "Transpose",
    "Concat",
    "Split",
    "Slice",
    "Pad",
    "Expand",
    "Tile",
    "Resize",
    "Upsample",
    "DepthToSpace",
    "SpaceToDepth",
];

fn reshape(c: &mut Context<'_, '_>) -> Result<(), String> {
    let before = c.shape(0)?;
    let wanted = match (c.node.ints("shape")?, c.node.input(1)) {
        (Some(shape), _) => shape,
        (None, Some(name)) => c.tensors.integers(name)?,
        (None, None) => return Err("lacks its shape".to_owned()),
    };
    let kept = |(at, wanted): (usize, &i64)| match wanted {
        0 => before.get(at).copied().ok_or_else(|| format!("keeps side {} of {before:?}", at + 1)),
        -1 => Ok(1),
        given => side(*given),
    };
    let mut after = wanted.iter().enumerate().map(kept).collect::<Result<Shape, _>>()?;
    if let Some(at) = wanted.iter().position(|w| *w == -1) {
        let others = elements(&after);
        after[at] = if others > 0.0 { (elements(&before) / others) as u64 } else { 0 };
    }
    if elements(&before) != elements(&after) {
        return Err(format!(
            "makes {after:?} of {before:?}; export with fixed sizes (only the batch may be free)"
        ));
    }
    c.reshape(0, after)
}

fn flatten(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let axis = c.node.int("axis", 1);
    let at = if axis == shape.len() as i64 { shape.len() } else { place_of(axis, shape.len())? };
    let after = vec![product(&shape[..at]), product(&shape[at..])];
    c.reshape(0, after)
}

fn squeeze(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let axes = match c.axes(1)? {
        Some(axes) => axes.into_iter().map(|a| place_of(a, shape.len())).collect::<Result<Vec<_>, _>>()?,
        None => (0..shape.len()).filter(|at| shape[*at] == 1).collect(),
    };
    let after =
        shape.iter().enumerate().filter(|(at, _)| !axes.contains(at)).map(|(_, side)| *side).collect();
    c.reshape(0, after)
}

fn unsqueeze(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let axes = c.axes(1)?.ok_or("lacks its axes")?;
    let rank = shape.len() + axes.len();
    let axes = axes.into_iter().map(|a| place_of(a, rank)).collect::<Result<Vec<_>, _>>()?;
    let mut sides = shape.into_iter();
    let after = (0..rank).map(|at| if axes.contains(&at) { 1 } else { sides.next().unwrap_or(1) }).collect();
    c.reshape(0, after)
}

/// A copy: read and written, forward and backward.
fn copy(c: &mut Context<'_, '_>, name: &'static str, after: Shape) {
    let moved = 2.0 * c.sample(&after);
    c.pass(name, moved, moved);
    c.write(after);
}

fn transpose(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let order = match c.node.ints("perm")? {
        Some(order) => order.into_iter().map(|a| place_of(a, shape.len())).collect::<Result<Vec<_>, _>>()?,
        None => (0..shape.len()).rev().collect(),
    };
    let after: Shape = order.iter().map(|at| shape[*at]).collect();
    if c.tensors.is_constant(c.needed(0)?) {
        return c.reshape(0, after);
    }
    copy(c, "transposition", after);
    Ok(())
}

fn concatenation(c: &mut Context<'_, '_>) -> Result<(), String> {
    let names: Vec<&str> = c.node.inputs().collect();
    let mut after = c.shape(0)?;
    let axis = place_of(c.node.int("axis", 0), after.len())?;
    after[axis] = 0;
    for name in names {
        let shape = c.tensors.shape(name)?;
        let fits = shape.len() == after.len()
            && shape.iter().zip(&after).enumerate().all(|(at, (a, b))| at == axis || a == b);
        if !fits {
            return Err(format!("appends {shape:?} to {after:?}"));
        }
        after[axis] += shape[axis];
    }
    copy(c, "concatenation", after);
    Ok(())
}

/// Parts of a tensor are views; the backward pass puts their gradients together.
fn split(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let axis = place_of(c.node.int("axis", 0), shape.len())?;
    let parts = c.node.outputs().len().max(1) as u64;
    let sizes: Vec<u64> = match (c.node.ints("split")?, c.node.input(1)) {
        (Some(sizes), _) => sizes.into_iter().map(side).collect::<Result<_, _>>()?,
        (None, Some(name)) => c.tensors.integers(name)?.into_iter().map(side).collect::<Result<_, _>>()?,
        (None, None) => {
            let size = shape[axis].div_ceil(parts);
            (0..parts).map(|i| size.min(shape[axis].saturating_sub(i * size))).collect()
        }
    };
    if sizes.iter().sum::<u64>() != shape[axis] || sizes.len() as u64 != parts {
        return Err(format!("splits {} into {sizes:?}", shape[axis]));
    }
    c.pass("split", 0.0, 2.0 * c.sample(&shape));
    for (at, size) in sizes.into_iter().enumerate() {
        let mut after = shape.clone();
        after[axis] = size;
        c.write_at(at, after);
    }
    Ok(())
}

fn slice(c: &mut Context<'_, '_>) -> Result<(), String> {
    let mut after = c.shape(0)?;
    let given = |name: &str, at: usize| match (c.node.ints(name)?, c.node.input(at)) {
        (Some(list), _) => Ok(Some(list)),
        (None, Some(input)) => c.tensors.integers(input).map(Some),
        (None, None) => Ok::<_, String>(None),
    };
    let starts = given("starts", 1)?.ok_or("lacks its starts")?;
    let ends = given("ends", 2)?.ok_or("lacks its ends")?;
    let axes = given("axes", 3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
    let steps = given("steps", 4)?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()].iter().any(|n| *n != starts.len()) {
        return Err("has starts, ends, axes and steps of different lengths".to_owned());
    }
    for (at, axis) in axes.iter().enumerate() {
        let axis = place_of(*axis, after.len())?;
        after[axis] = taken(after[axis], starts[at], ends[at], steps[at])?;
    }
    let name = c.needed(0)?;
    if c.tensors.is_constant(name) {
        return c.reshape(0, after);
    }
    c.pass("slice", 0.0, 2.0 * c.sample(&after));
    c.write(after);
    Ok(())
}

/// Positions of a side from `start` up to `end`.
pub(super) fn taken(side: u64, start: i64, end: i64, step: i64) -> Result<u64, String> {
    let size = side as i64;
    let place =
        |at: i64, low: i64, high: i64| (if at < 0 { at.saturating_add(size) } else { at }).clamp(low, high);
    match step {
        0 => Err("steps by 0".to_owned()),
        s if s > 0 => {
            let room = place(end, 0, size) - place(start, 0, size);
            Ok(if room > 0 { ((room - 1) / s + 1) as u64 } else { 0 })
        }
        s => {
            let room = place(start, -1, size - 1) - place(end, -1, size - 1);
            let room = if end < -size { place(start, -1, size - 1) + 1 } else { room };
            Ok(if room > 0 { ((room - 1) / s.saturating_neg() + 1) as u64 } else { 0 })
        }
    }
}

fn pad(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let around = match (c.node.ints("pads")?, c.node.input(1)) {
        (Some(pads), _) => pads,
        (None, Some(name)) => c.tensors.integers(name)?,
        (None, None) => return Err("lacks its pads".to_owned()),
    };
    if around.len() != 2 * shape.len() {
        return Err(format!("pads {around:?} around {shape:?}"));
    }
    let rank = shape.len();
    let wide =
        |(at, side_): (usize, &u64)| side(*side_ as i64 + around[at].saturating_add(around[at + rank]));
    let after = shape.iter().enumerate().map(wide).collect::<Result<Shape, _>>()?;
    if after == shape {
        return c.reshape(0, after);
    }
    copy(c, "padding", after);
    Ok(())
}

fn expand(c: &mut Context<'_, '_>) -> Result<(), String> {
    let wanted = c.tensors.integers(c.needed(1)?)?;
    let wanted = wanted.into_iter().map(side).collect::<Result<Shape, _>>()?;
    let after = broadcast(&[c.shape(0)?, wanted])?;
    c.reshape(0, after)
}

fn tile(c: &mut Context<'_, '_>) -> Result<(), String> {
    let times = c.tensors.integers(c.needed(1)?)?;
    let shape = c.shape(0)?;
    let many = |(side_, times): (&u64, i64)| side(times.saturating_mul(*side_ as i64));
    let after = shape.iter().zip(times).map(many).collect::<Result<Shape, _>>()?;
    copy(c, "repetition", after);
    Ok(())
}

fn resize(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.shape(0)?;
    let upsample = c.node.kind() == "Upsample";
    let scales = match (c.node.floats("scales"), c.node.input(if upsample { 1 } else { 2 })) {
        (Some(scales), _) => Some(scales),
        (None, Some(name)) => c.tensors.values(name).cloned().filter(|v| !v.is_empty()),
        (None, None) => None,
    };
    let after = match (scales, c.node.input(3)) {
        (_, Some(name)) => c.tensors.integers(name)?.into_iter().map(side).collect::<Result<Shape, _>>()?,
        (Some(scales), None) => {
            let larger = |(side_, scale): (&u64, f64)| side((*side_ as f64 * scale).floor() as i64);
            shape.iter().zip(scales).map(larger).collect::<Result<Shape, _>>()?
        }
        (None, None) => return Err("gives neither sizes nor scales that are fixed".to_owned()),
    };
    if after.len() != shape.len() {
        return Err(format!("makes {after:?} of {shape:?}"));
    }
    let moved = c.sample(&shape) + c.sample(&after);
    c.pass("upsampling", moved, moved);
    c.write(after);
    Ok(())
}

/// Between channels and positions.
fn blocks(c: &mut Context<'_, '_>, to_space: bool) -> Result<(), String> {
    let shape = c.shape(0)?;
    let block = c.node.count("blocksize", 1)? as u64;
    let [n, channels, height, width] = shape[..].try_into().map_err(|_| format!("has {shape:?}"))?;
    let square = block.saturating_mul(block);
    let right = if to_space { channels % square == 0 } else { height % block == 0 && width % block == 0 };
    if !right {
        return Err(format!("blocks of {block} do not divide {shape:?}"));
    }
    let after = if to_space {
        vec![n, channels / square, height * block, width * block]
    } else {
        vec![n, channels.saturating_mul(square), height / block, width / block]
    };
    copy(c, "rearrangement", after);
    Ok(())
}
