//! One operator of the file with its settings, as the walk reads it.

use super::message::{NodeProto, TensorProto};

/// Larger sides and settings are not believed.
const LARGEST: i64 = 1 << 31;

/// A node of the graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'g> {
    proto: &'g NodeProto,
    place: usize,
}

impl<'g> Node<'g> {
    pub const fn new(proto: &'g NodeProto, place: usize) -> Self {
        Self { proto, place }
    }

    /// Kind of operator; those of other sets carry the name of their set.
    pub fn kind(&self) -> &'g str {
        &self.proto.op_type
    }

    /// Belongs to the standard set.
    pub fn is_standard(&self) -> bool {
        matches!(self.proto.domain.as_str(), "" | "ai.onnx")
    }

    /// For messages: kind and name, or the place from 1.
    pub fn label(&self) -> String {
        let domain = if self.is_standard() { String::new() } else { format!("{}::", self.proto.domain) };
        let name = if self.proto.name.is_empty() {
            format!("node {}", self.place + 1)
        } else {
            self.proto.name.clone()
        };
        format!("{domain}{} ({name})", self.proto.op_type)
    }

    /// Name of what it reads at a place, when there is something.
    pub fn input(&self, at: usize) -> Option<&'g str> {
        self.proto.input.get(at).map(String::as_str).filter(|name| !name.is_empty())
    }

    pub fn inputs(&self) -> impl Iterator<Item = &'g str> {
        self.proto.input.iter().map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Names of what it writes; those left out are empty.
    pub fn outputs(&self) -> &'g [String] {
        &self.proto.output
    }

    /// Name of its first result.
    pub fn output(&self) -> &'g str {
        self.proto.output.first().map_or("", String::as_str)
    }

    /// A whole number, or the default.
    pub fn int(&self, name: &str, default: i64) -> i64 {
        self.proto.attribute.iter().find(|a| a.name == name).map_or(default, |a| a.i)
    }

    /// A setting that counts something: 1 up to what is believed.
    pub fn count(&self, name: &str, default: i64) -> Result<i64, String> {
        let value = self.int(name, default);
        if (1..LARGEST).contains(&value) { Ok(value) } else { Err(format!("{name} is {value}")) }
    }

    /// Whole numbers, where they are given.
    pub fn ints(&self, name: &str) -> Result<Option<Vec<i64>>, String> {
        let Some(found) = self.proto.attribute.iter().find(|a| a.name == name) else { return Ok(None) };
        match found.ints.iter().find(|v| v.unsigned_abs() >= LARGEST.unsigned_abs()) {
            Some(wide) if !matches!(name, "starts" | "ends") => Err(format!("{name} holds {wide}")),
            _ => Ok(Some(found.ints.clone())),
        }
    }

    /// Numbers, where they are given.
    pub fn floats(&self, name: &str) -> Option<Vec<f64>> {
        let found = self.proto.attribute.iter().find(|a| a.name == name)?;
        Some(found.floats.iter().map(|v| f64::from(*v)).collect())
    }

    /// Text, empty where none is given.
    pub fn text(&self, name: &str) -> &'g str {
        let found = self.proto.attribute.iter().find(|a| a.name == name);
        found.and_then(|a| std::str::from_utf8(&a.s).ok()).unwrap_or_default()
    }

    pub fn tensor(&self, name: &str) -> Option<&'g TensorProto> {
        self.proto.attribute.iter().find(|a| a.name == name)?.t.as_ref()
    }

    /// The one number of a setting of a constant.
    pub fn number(&self, name: &str) -> Option<f64> {
        let found = self.proto.attribute.iter().find(|a| a.name == name)?;
        Some(if name.ends_with("int") { found.i as f64 } else { f64::from(found.f) })
    }
}

/// A side as the walk keeps it.
pub(super) fn side(value: i64) -> Result<u64, String> {
    match u64::try_from(value) {
        Ok(side) if value < LARGEST => Ok(side),
        _ => Err(format!("a side of {value} is not believed")),
    }
}
