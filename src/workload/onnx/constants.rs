//! Operators whose inputs are all stored: nothing of them runs with a sample, but shapes are computed from them.

use super::context::Context;
use super::layout::taken;
use super::message::TensorProto;
use super::node::side;
use super::tensors::{Shape, elements};

/// Kinds that make constants from nothing, or from shapes.
pub(super) const KINDS: [&str; 5] = ["Constant", "ConstantOfShape", "Shape", "Size", "Range"];

/// Makes a constant; `None` when the node is another.
pub(super) fn constant(c: &mut Context<'_, '_>) -> Option<Result<(), String>> {
    Some(match c.node.kind() {
        "Constant" => stored(c),
        "ConstantOfShape" => filled(c),
        "Shape" => c.shape(0).and_then(|shape| shape_of(c, &shape)),
        "Size" => c.shape(0).map(|shape| {
            let size = elements(&shape);
            c.tensors.constant(c.node.output(), Vec::new(), false, Some(vec![size]));
        }),
        "Range" => range(c),
        _ => return None,
    })
}

fn stored(c: &mut Context<'_, '_>) -> Result<(), String> {
    let name = c.node.output();
    if let Some(tensor) = c.node.tensor("value") {
        return c.tensors.stored(name, tensor);
    }
    for (key, float) in [("value_int", false), ("value_float", true)] {
        if let Some(number) = c.node.number(key) {
            c.tensors.constant(name, Vec::new(), float, Some(vec![number]));
            return Ok(());
        }
    }
    let ints = c.node.ints("value_ints")?.map(|v| v.iter().map(|i| *i as f64).collect::<Vec<f64>>());
    let float = ints.is_none();
    let Some(values) = ints.or_else(|| c.node.floats("value_floats")) else {
        return Err("holds no number".to_owned());
    };
    c.tensors.constant(name, vec![values.len() as u64], float, Some(values));
    Ok(())
}

fn filled(c: &mut Context<'_, '_>) -> Result<(), String> {
    let shape = c.tensors.integers(c.needed(0)?)?.into_iter().map(side).collect::<Result<Shape, _>>()?;
    let value = c.node.tensor("value");
    let float = value.is_none_or(TensorProto::is_float);
    let number = value.and_then(TensorProto::numbers).and_then(|v| v.first().copied()).unwrap_or(0.0);
    let few = elements(&shape) <= 64.0;
    let values = few.then(|| vec![number; elements(&shape) as usize]);
    c.tensors.constant(c.node.output(), shape, float, values);
    Ok(())
}

fn shape_of(c: &mut Context<'_, '_>, shape: &[u64]) -> Result<(), String> {
    let (start, end) = (c.node.int("start", 0), c.node.int("end", i64::MAX));
    let count = taken(shape.len() as u64, start, end, 1)? as usize;
    let from =
        if start < 0 { shape.len().saturating_sub(start.unsigned_abs() as usize) } else { start as usize };
    let values: Vec<f64> = shape.iter().skip(from).take(count).map(|s| *s as f64).collect();
    c.tensors.constant(c.node.output(), vec![values.len() as u64], false, Some(values));
    Ok(())
}

fn range(c: &mut Context<'_, '_>) -> Result<(), String> {
    let ends: Vec<i64> = (0..3)
        .map(|at| Ok(c.tensors.integers(c.needed(at)?)?.first().copied().unwrap_or(0)))
        .collect::<Result<_, String>>()?;
    let (start, limit, step) = (ends[0], ends[1], ends[2]);
    let room = limit.saturating_sub(start);
    if step == 0 || (room > 0) != (step > 0) && room != 0 {
        return Err(format!("counts from {start} to {limit} by {step}"));
    }
    let count =
        side(room.saturating_abs().saturating_add(step.saturating_abs() - 1) / step.saturating_abs())?;
    let few = count <= 4096;
    let values = few.then(|| (0..count).map(|i| start as f64 + i as f64 * step as f64).collect());
    c.tensors.constant(c.node.output(), vec![count], false, values);
    Ok(())
}

/// The numbers of an operator over small constants, where they are followed.
pub(super) fn values(c: &Context<'_, '_>) -> Option<Vec<f64>> {
    let input = |at: usize| c.tensors.values(c.node.input(at)?).cloned();
    let pair = |f: fn(f64, f64) -> f64| {
        let (a, b) = (input(0)?, input(1)?);
        let length = a.len().max(b.len());
        let fits = |v: &Vec<f64>| v.len() == length || v.len() == 1;
        let at = |v: &Vec<f64>, i: usize| v[if v.len() == 1 { 0 } else { i }];
        (fits(&a) && fits(&b) && !a.is_empty() && !b.is_empty())
            .then(|| (0..length).map(|i| f(at(&a, i), at(&b, i))).collect())
    };
    let each = |f: fn(f64) -> f64| input(0).map(|v| v.into_iter().map(f).collect());
    match c.node.kind() {
        "Concat" => {
            let parts: Option<Vec<Vec<f64>>> =
                c.node.inputs().map(|name| c.tensors.values(name).cloned()).collect();
            parts.map(|p| p.concat())
        }
        "Gather" => {
            let (data, places) = (input(0)?, input(1)?);
            let size = data.len() as i64;
            let place = |p: f64| if p < 0.0 { p as i64 + size } else { p as i64 };
            places.into_iter().map(|p| data.get(usize::try_from(place(p)).ok()?).copied()).collect()
        }
        "Add" => pair(|a, b| a + b),
        "Sub" => pair(|a, b| a - b),
        "Mul" => pair(|a, b| a * b),
        "Div" if c.tensors.is_float(c.node.input(0)?) => pair(|a, b| a / b),
        "Div" => pair(|a, b| (a / b).trunc()),
        "Min" => pair(f64::min),
        "Max" => pair(f64::max),
        "Equal" => pair(|a, b| f64::from(u8::from(a == b))),
        "Floor" => each(f64::floor),
        "Ceil" => each(f64::ceil),
        "Neg" => each(|v| -v),
        "ReduceProd" => input(0).map(|v| vec![v.into_iter().product()]),
        "Where" => {
            let (which, yes, no) = (input(0)?, input(1)?, input(2)?);
            let at = |v: &Vec<f64>, i: usize| v.get(if v.len() == 1 { 0 } else { i }).copied();
            (0..which.len()).map(|i| at(if which[i] == 0.0 { &no } else { &yes }, i)).collect()
        }
        "Slice" => {
            let data = input(0)?;
            let one = |at: usize, default: i64| match c.node.input(at) {
                Some(name) => c.tensors.integers(name).ok().filter(|v| v.len() == 1).map(|v| v[0]),
                None => Some(default),
            };
            let (start, end, step) = (one(1, 0)?, one(2, i64::MAX)?, one(4, 1)?);
            let count = taken(data.len() as u64, start, end, step).ok()? as usize;
            let from = if start < 0 { start + data.len() as i64 } else { start };
            let from = usize::try_from(from.clamp(0, data.len() as i64)).ok()?;
            (step == 1).then(|| data.into_iter().skip(from).take(count).collect())
        }
        _ => None,
    }
}
