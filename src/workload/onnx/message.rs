//! The part of the exchange format's protocol buffers that describes a network; fields left out here are skipped.
//!
//! Numbers of the fields: `onnx.proto` of the format's specification (IR version 3 and later).

use prost::Message;
use prost::bytes::Bytes;

/// A whole file.
#[derive(Clone, PartialEq, Message)]
pub struct ModelProto {
    /// The network.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
}

/// Nodes in an order in which each comes after what it reads.
#[derive(Clone, PartialEq, Message)]
pub struct GraphProto {
    /// The operators.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Name of the network.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Weights and constants.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// What the caller gives; old files list the weights here as well.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// What comes out.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
}

/// One operator.
#[derive(Clone, PartialEq, Message)]
pub struct NodeProto {
    /// Names of what it reads; empty for an optional one that is left out.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of what it writes.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Its own name, which may be empty.
    #[prost(string, tag = "3")]
    pub name: String,
    /// Kind of operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Settings.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// Set of operators; empty for the standard one.
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// A setting of an operator.
#[derive(Clone, PartialEq, Message)]
pub struct AttributeProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A number.
    #[prost(float, tag = "2")]
    pub f: f32,
    /// A whole number.
    #[prost(int64, tag = "3")]
    pub i: i64,
    /// Text.
    #[prost(bytes = "bytes", tag = "4")]
    pub s: Bytes,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// Numbers.
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    /// Whole numbers.
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
}

/// A weight or constant. Its elements may lie outside the file; shapes are enough here.
#[derive(Clone, PartialEq, Message)]
pub struct TensorProto {
    /// Sides.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// Kind of element.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Elements, one way.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements, another way.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// Its name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Elements, little endian.
    #[prost(bytes = "bytes", tag = "9")]
    pub raw_data: Bytes,
}

/// A tensor that flows, with its type.
#[derive(Clone, PartialEq, Message)]
pub struct ValueInfoProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// A type; only tensors are known.
#[derive(Clone, PartialEq, Message)]
pub struct TypeProto {
    /// Kind of element and sides.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
}

/// Kind of element and sides of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorTypeProto {
    /// Kind of element.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Sides.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// Sides of a tensor.
#[derive(Clone, PartialEq, Message)]
pub struct TensorShapeProto {
    /// The sides.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// One side: a number, or a name for a free one.
#[derive(Clone, PartialEq, Message)]
pub struct DimensionProto {
    /// The number.
    #[prost(int64, optional, tag = "1")]
    pub dim_value: Option<i64>,
    /// The name.
    #[prost(string, optional, tag = "2")]
    pub dim_param: Option<String>,
}

/// Kinds of element that weights have: float, float16, double, bfloat16.
const FLOATS: [i32; 4] = [1, 10, 11, 16];
const FLOAT: i32 = 1;
const INT32: i32 = 6;
const INT64: i32 = 7;

impl TensorProto {
    /// Its elements are floating-point numbers.
    pub fn is_float(&self) -> bool {
        FLOATS.contains(&self.data_type)
    }

    /// The elements as numbers, where they are in the file and of a kind that shapes come in.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        let raw = &self.raw_data;
        Some(match self.data_type {
            INT64 if raw.is_empty() => self.int64_data.iter().map(|v| *v as f64).collect(),
            INT64 => chunks(raw, |c| i64::from_le_bytes(c) as f64),
            INT32 => chunks(raw, |c| f64::from(i32::from_le_bytes(c))),
            FLOAT if raw.is_empty() => self.float_data.iter().map(|v| f64::from(*v)).collect(),
            FLOAT => chunks(raw, |c| f64::from(f32::from_le_bytes(c))),
            _ => return None,
        })
    }
}

fn chunks<const N: usize>(raw: &[u8], read: fn([u8; N]) -> f64) -> Vec<f64> {
    raw.chunks_exact(N).filter_map(|c| c.try_into().ok()).map(read).collect()
}
