//! `[[convolutional]]` of `models/*.toml`: a network as a list of layers.

use super::super::{ConvolutionUnit, ConvolutionalLayer, ConvolutionalSpec, ModelSpec, Norm};
use super::super::{Implementation, Join, Padding, Precision, SampleKind, Sides};
use super::model::read_task;
use super::record::Record;

/// Layers inside layers, at most so deep.
const DEEPEST: usize = 6;

/// Names of the layers, for messages.
const ACCEPTED: &str = "convolution, max-pool, average-pool, bottleneck, basic, inverted-residual, dense, residual, frozen, \
    full-precision, repeat, steps, branches, input, slice, save, from, join, on, upsample, global-average-pool, linear, project, \
    regions, reshape, attention, products, recurrent, embedding or kernels";

pub(super) fn read_convolutional(r: &Record<'_>) -> Option<ModelSpec> {
    let (id, aliases, channels) = (r.text("id"), r.texts("aliases"), r.count("channels"));
    let input = r.opt_numbers("input");
    let dimensions = input.as_ref().map_or(0, Vec::len);
    if !(1..=3).contains(&dimensions) {
        r.wrong("input", "has not one to three sizes; expected such as [224, 224]".to_owned());
        return None;
    }
    let tokens = r.opt_integer("tokens");
    let layers = layers(r, dimensions, 0);
    let (published_parameters, published_macs, published_activations) = (
        r.opt_integer("published_parameters"),
        r.opt_float("published_macs"),
        r.opt_float("published_activations"),
    );
    let published_tolerance = r.opt_float("published_tolerance").unwrap_or(0.0);
    let (provenance, notes) = (r.provenance(), r.opt_text("notes"));
    let stated = if r.has("samples") { r.choice("samples") } else { None };
    let samples = stated.unwrap_or_else(|| {
        SampleKind::of_input(dimensions as u8, aligned(input.as_deref().unwrap_or_default()))
    });
    let sizes_vary = r.opt_flag("sizes_vary");
    let recipe = ConvolutionalSpec {
        samples,
        sizes_vary: sizes_vary.unwrap_or(matches!(samples, SampleKind::Sequences | SampleKind::Audio)),
        channels: channels?,
        input: aligned(&input?),
        dimensions: dimensions as u8,
        tokens,
        assumed: r.opt_text("assumed"),
        implements: implementation(r),
        layers: layers?,
    };
    Some(ModelSpec::Convolutional {
        id: id?,
        aliases,
        often_asked: r.opt_flag("often_asked").unwrap_or(false),
        family: String::new(),
        task: read_task(r),
        recipe,
        published_parameters,
        published_macs,
        published_activations,
        published_tolerance,
        provenance: provenance?.0,
        notes,
    })
}

fn implementation(r: &Record<'_>) -> Option<Implementation> {
    let stacks = r.texts("stacks");
    let of = r.opt_text("implements");
    if of.is_some() == stacks.is_empty() {
        r.wrong("implements", "needs stacks beside it, and these need it".to_owned());
    }
    let precisions = r.texts("precisions");
    let known = |name: &String| {
        let found = Precision::ALL.into_iter().find(|p| p.name() == *name);
        if found.is_none() {
            r.wrong(
                "precisions",
                format!("names {name:?}; expected {}", Precision::ALL.map(Precision::name).join(", ")),
            );
        }
        found
    };
    let precisions = precisions.iter().filter_map(known).collect();
    Some(Implementation { of: of?, stacks, precisions })
}

/// Right-aligned, ones in front.
pub(super) fn aligned(sizes: &[u32]) -> Sides {
    let mut sides = [1; 3];
    let from = sides.len() - sizes.len().min(sides.len());
    for (side, size) in sides[from..].iter_mut().zip(sizes) {
        *side = *size;
    }
    sides
}

fn layers(r: &Record<'_>, dimensions: usize, depth: usize) -> Option<Vec<ConvolutionalLayer>> {
    let list = r.children("layers");
    if list.is_empty() && depth == 0 {
        r.wrong("layers", "has no layer; expected a list of tables with a key layer".to_owned());
        return None;
    }
    if depth > DEEPEST {
        r.wrong("layers", format!("are nested deeper than {DEEPEST}"));
        return None;
    }
    let read: Vec<Option<ConvolutionalLayer>> =
        list.iter().map(|child| Layer { r: child, dimensions, depth }.read()).collect();
    read.into_iter().collect()
}

/// One layer while it is read.
pub(super) struct Layer<'l, 'd> {
    pub(super) r: &'l Record<'d>,
    dimensions: usize,
    depth: usize,
}

impl Layer<'_, '_> {
    fn read(&self) -> Option<ConvolutionalLayer> {
        let kind = self.r.text("layer")?;
        let layer = match kind.as_str() {
            "convolution" => self.convolution(),
            "max-pool" => self.pool(false),
            "average-pool" => self.pool(true),
            "bottleneck" | "basic" | "inverted-residual" | "dense" => self.stage(&kind),
            "residual" | "repeat" | "frozen" | "full-precision" | "steps" | "branches" | "on" => {
                self.composed(&kind)
            }
            "save" | "from" | "join" | "reshape" | "regions" | "upsample" | "input" | "slice" => {
                self.wiring(&kind)
            }
            "global-average-pool" => Some(ConvolutionalLayer::GlobalAveragePool),
            "linear" | "project" => {
                let (out, activation) = (self.r.count("out"), self.flag("activation", false));
                let position = kind == "project";
                let tied = position && self.flag("tied", false);
                let bias = !position || self.flag("bias", true);
                out.map(|out| {
                    if position {
                        ConvolutionalLayer::Project { out, activation, tied, bias }
                    } else {
                        ConvolutionalLayer::Linear { out, activation }
                    }
                })
            }
            "attention" | "products" | "recurrent" | "embedding" | "kernels" => self.sequence(&kind),
            other => {
                self.r.wrong("layer", format!("is {other:?}; expected {ACCEPTED}"));
                return None;
            }
        };
        self.r.finish();
        layer
    }

    pub(super) fn flag(&self, key: &'static str, default: bool) -> bool {
        self.r.opt_flag(key).unwrap_or(default)
    }

    pub(super) fn or(&self, key: &'static str, default: u32) -> u32 {
        self.r.opt_integer(key).unwrap_or(default)
    }

    /// One number for every side, or one each.
    fn sides(&self, key: &'static str, default: Option<u32>) -> Option<Sides> {
        let given = match (self.r.opt_numbers(key), default) {
            (Some(given), _) => given,
            (None, Some(default)) => vec![default],
            (None, None) => return self.r.missing(key, None, "a whole number or one for each side"),
        };
        if given.len() == 1 {
            return Some(aligned(&vec![given[0]; self.dimensions]));
        }
        if given.len() > 3 || given.contains(&0) {
            self.r.wrong(key, "expected one to three numbers of at least 1".to_owned());
            return None;
        }
        Some(aligned(&given))
    }

    fn padding(&self) -> Option<Padding> {
        match self.r.opt_text("padding").as_deref() {
            None => Some(Padding::Half),
            Some("valid") => Some(Padding::Valid),
            Some("same") => Some(Padding::Same),
            Some(other) => {
                self.r.wrong("padding", format!("is {other:?}; expected \"valid\" or \"same\", or no key"));
                None
            }
        }
    }

    fn convolution(&self) -> Option<ConvolutionalLayer> {
        let r = self.r;
        let depthwise = self.flag("depthwise", false);
        let (kernel, stride) = (self.sides("kernel", None), self.sides("stride", Some(1)));
        let out = if depthwise { r.opt_integer("out") } else { r.count("out") };
        let norm = if r.has("norm") { r.choice("norm") } else { Some(Norm::Batch) };
        r.allow("norm");
        let padding = self.padding();
        let groups = self.or("groups", 1);
        let (transposed, activation) = (self.flag("transposed", false), self.flag("activation", true));
        if !depthwise {
            out?;
        }
        Some(ConvolutionalLayer::Convolution(ConvolutionUnit {
            out,
            kernel: kernel?,
            stride: stride?,
            padding: padding?,
            groups: (!depthwise).then_some(groups),
            transposed,
            norm: norm?,
            activation,
        }))
    }

    fn pool(&self, average: bool) -> Option<ConvolutionalLayer> {
        let (kernel, stride) = (self.sides("kernel", None), self.sides("stride", Some(1)));
        let padding = self.padding();
        Some(ConvolutionalLayer::Pool { average, kernel: kernel?, stride: stride?, padding: padding? })
    }

    fn stage(&self, kind: &str) -> Option<ConvolutionalLayer> {
        let r = self.r;
        let repeat = r.count("repeat");
        if kind == "dense" {
            let (growth, width) = (r.count("growth"), self.or("width", 4));
            return Some(ConvolutionalLayer::Dense { repeat: repeat?, growth: growth?, width });
        }
        let (out, stride) = (r.count("out"), self.or("stride", 1));
        match kind {
            "basic" => Some(ConvolutionalLayer::Basic { repeat: repeat?, out: out?, stride }),
            "bottleneck" => {
                let (mid, groups, squeeze) = (r.count("mid"), self.or("groups", 1), r.opt_integer("squeeze"));
                let early_stride = self.flag("early_stride", false);
                Some(ConvolutionalLayer::Bottleneck {
                    repeat: repeat?,
                    mid: mid?,
                    out: out?,
                    stride,
                    groups,
                    squeeze,
                    early_stride,
                })
            }
            _ => {
                let (expand, kernel, squeeze) =
                    (r.count("expand"), self.or("kernel", 3), r.opt_integer("squeeze"));
                let fused = self.flag("fused", false);
                Some(ConvolutionalLayer::InvertedResidual {
                    repeat: repeat?,
                    expand: expand?,
                    out: out?,
                    kernel,
                    stride,
                    squeeze,
                    fused,
                })
            }
        }
    }

    fn composed(&self, kind: &str) -> Option<ConvolutionalLayer> {
        let r = self.r;
        let inner = |r: &Record<'_>| layers(r, self.dimensions, self.depth + 1);
        match kind {
            "residual" => inner(r).map(|layers| ConvolutionalLayer::Residual { layers }),
            "steps" => inner(r).map(|layers| ConvolutionalLayer::Steps { layers }),
            "frozen" => {
                let beside = self.flag("beside", false);
                inner(r).map(|layers| ConvolutionalLayer::Frozen { layers, beside })
            }
            "full-precision" => inner(r).map(|layers| ConvolutionalLayer::FullPrecision { layers }),
            "repeat" => {
                let (times, layers) = (r.count("times"), inner(r));
                Some(ConvolutionalLayer::Repeat { times: times?, layers: layers? })
            }
            "on" => {
                let (maps, layers) = (r.texts("maps"), inner(r));
                Some(ConvolutionalLayer::On { maps, layers: layers? })
            }
            _ => {
                let branches: Vec<Option<Vec<ConvolutionalLayer>>> = r
                    .children("branches")
                    .iter()
                    .map(|branch| {
                        let layers = inner(branch);
                        branch.finish();
                        layers
                    })
                    .collect();
                let branches: Option<Vec<_>> = branches.into_iter().collect();
                let join = self.join();
                Some(ConvolutionalLayer::Branches { branches: branches?, join: join? })
            }
        }
    }

    pub(super) fn join(&self) -> Option<Join> {
        let join = if self.r.has("join") { self.r.choice("join") } else { Some(Join::Concat) };
        self.r.allow("join");
        join
    }
}
