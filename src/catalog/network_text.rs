//! What a layer is, in words.

use super::ConvolutionalLayer;

impl std::fmt::Display for ConvolutionalLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Convolution(unit) => {
                let kernel: Vec<String> =
                    unit.kernel.iter().skip_while(|k| **k == 1).map(u32::to_string).collect();
                let kind = if unit.transposed { "transposed convolution" } else { "convolution" };
                let kernel = if kernel.is_empty() { "1".to_owned() } else { kernel.join("x") };
                write!(f, "{kind} {kernel}")?;
                unit.out.map_or(Ok(()), |out| write!(f, " to {out}"))?;
                match unit.groups {
                    None => write!(f, ", depthwise")?,
                    Some(1) => {}
                    Some(groups) => write!(f, ", groups {groups}")?,
                }
                write!(f, ", stride {}", unit.stride[2])
            }
            Self::Pool { average, kernel, stride, .. } => {
                let kind = if *average { "average" } else { "max" };
                write!(f, "{kind} pooling {}, stride {}", kernel[2], stride[2])
            }
            Self::Bottleneck { repeat, mid, out, stride, groups, .. } => {
                write!(f, "{repeat} bottlenecks over {mid} to {out}, stride {stride}, groups {groups}")
            }
            Self::Basic { repeat, out, stride } => {
                write!(f, "{repeat} basic blocks to {out}, stride {stride}")
            }
            Self::InvertedResidual { repeat, expand, out, kernel, stride, .. } => {
                write!(f, "{repeat} inverted residuals x{expand} to {out}, kernel {kernel}, stride {stride}")
            }
            Self::Dense { repeat, growth, .. } => write!(f, "{repeat} dense pairs, growth {growth}"),
            Self::Residual { layers } => write!(f, "residual over {} layers", layers.len()),
            Self::Frozen { layers, .. } => write!(f, "{} frozen layers", layers.len()),
            Self::FullPrecision { layers } => write!(f, "{} layers in 32 bits", layers.len()),
            Self::Repeat { times, layers } => write!(f, "{times} times {} layers", layers.len()),
            Self::Branches { branches, .. } => write!(f, "{} branches", branches.len()),
            Self::Save { name } => write!(f, "saved as {name}"),
            Self::From { name } => write!(f, "from {name}"),
            Self::Join { maps, .. } => write!(f, "joined with {}", maps.join(", ")),
            Self::On { maps, layers } => write!(f, "{} layers on {}", layers.len(), maps.join(", ")),
            Self::Upsample { factor } => write!(f, "upsampling x{factor}"),
            Self::GlobalAveragePool => f.write_str("global average pooling"),
            Self::Linear { out, .. } => write!(f, "fully connected to {out}"),
            Self::Project { out, .. } => write!(f, "fully connected to {out} at every position"),
            Self::Products { count, rows, inputs, outputs } => {
                write!(f, "{count} products of {rows}x{inputs} by {inputs}x{outputs}")
            }
            Self::Regions { count, size } => write!(f, "{count} regions of {size}x{size}"),
            Self::Reshape { channels, .. } => write!(f, "reshaped to {channels} channels"),
            Self::Attention { repeat, heads, ffn, .. } => {
                write!(f, "{repeat} attention layers of {heads} heads, MLP {ffn}")
            }
            Self::Recurrent { repeat, hidden, .. } => write!(f, "{repeat} recurrent layers of {hidden}"),
            Self::Embedding { rows, width, .. } => write!(f, "embedding of {rows} rows of {width}"),
            Self::Kernels { forward, .. } => write!(f, "{} small kernels", forward.count),
            Self::Input { channels, .. } => write!(f, "input of {channels} channels"),
            Self::Slice { channels } => write!(f, "first {channels} channels"),
            Self::Steps { layers } => write!(f, "{} layers at every step", layers.len()),
        }
    }
}
