//! Layers of a network that say how maps hang together, and layers over positions.

use super::super::{Cell, ConvolutionalLayer, KernelCount, TableUpdate};
use super::network::{Layer, aligned};

impl Layer<'_, '_> {
    pub(super) fn wiring(&self, kind: &str) -> Option<ConvolutionalLayer> {
        let r = self.r;
        match kind {
            "save" => r.text("name").map(|name| ConvolutionalLayer::Save { name }),
            "from" => r.text("name").map(|name| ConvolutionalLayer::From { name }),
            "join" => {
                let (maps, join) = (r.texts("maps"), self.join());
                Some(ConvolutionalLayer::Join { maps, join: join? })
            }
            "upsample" => r.count("factor").map(|factor| ConvolutionalLayer::Upsample { factor }),
            "regions" => {
                let (count, size) = (r.count("count"), r.count("size"));
                Some(ConvolutionalLayer::Regions { count: count?, size: size? })
            }
            "slice" => r.count("channels").map(|channels| ConvolutionalLayer::Slice { channels }),
            _ => {
                let (channels, size) = (r.count("channels"), r.opt_numbers("size"));
                let (channels, size) = (channels?, size.map_or([1; 3], |s| aligned(&s)));
                Some(if kind == "input" {
                    ConvolutionalLayer::Input { channels, size }
                } else {
                    ConvolutionalLayer::Reshape { channels, size }
                })
            }
        }
    }

    pub(super) fn sequence(&self, kind: &str) -> Option<ConvolutionalLayer> {
        let r = self.r;
        let repeat = || if r.has("repeat") { r.count("repeat") } else { Some(1) };
        r.allow("repeat");
        match kind {
            "attention" => {
                let (repeat, heads, ffn) = (repeat(), r.count("heads"), self.or("ffn", 0));
                let (head, window, context) =
                    (r.opt_integer("head"), r.opt_integer("window"), r.opt_integer("context"));
                let (memory, relative) = (self.or("memory", 0), self.flag("relative", false));
                Some(ConvolutionalLayer::Attention {
                    repeat: repeat?,
                    heads: heads?,
                    head,
                    ffn,
                    window,
                    context,
                    memory,
                    relative,
                })
            }
            "products" => {
                let (count, rows) = (self.or("count", 1), r.count("rows"));
                let (inputs, outputs) = (r.count("inputs"), r.count("outputs"));
                Some(ConvolutionalLayer::Products {
                    count: count.max(1),
                    rows: rows?,
                    inputs: inputs?,
                    outputs: outputs?,
                })
            }
            "recurrent" => {
                let (repeat, cell, hidden) = (repeat(), r.choice::<Cell>("cell"), r.count("hidden"));
                let bidirectional = self.flag("bidirectional", false);
                let (context, stepwise) = (self.or("context", 0), self.flag("stepwise", false));
                Some(ConvolutionalLayer::Recurrent {
                    repeat: repeat?,
                    cell: cell?,
                    hidden: hidden?,
                    bidirectional,
                    context,
                    stepwise,
                })
            }
            "embedding" => self.embedding(),
            _ => {
                let (count, elements) = (r.count("count"), r.opt_integer("elements").unwrap_or(0));
                let per_sample = self.or("per_sample", 0);
                let forward = KernelCount { count: count?, per_sample, elements };
                let backward = KernelCount {
                    count: self.or("backward_count", forward.count),
                    per_sample: self.or("backward_per_sample", per_sample),
                    elements: r.opt_integer("backward_elements").unwrap_or(elements),
                };
                let waits = [self.or("waits", 0), self.or("waits_per_sample", 0)];
                let copied = [self.or("copied_bytes", 0), self.or("unpinned_bytes", 0)];
                let step_elements = r.opt_integer("step_elements").unwrap_or(0);
                Some(ConvolutionalLayer::Kernels { forward, backward, waits, copied, step_elements })
            }
        }
    }

    fn embedding(&self) -> Option<ConvolutionalLayer> {
        let r = self.r;
        let (rows, width, lookups) = (r.integer::<u64>("rows"), r.count("width"), self.or("lookups", 1));
        if rows == Some(0) {
            r.wrong("rows", "is 0; at least 1 row is needed".to_owned());
        }
        let positions = r.opt_integer("positions");
        let update = if r.has("update") { r.choice("update") } else { Some(TableUpdate::Dense) };
        r.allow("update");
        Some(ConvolutionalLayer::Embedding {
            rows: rows?,
            width: width?,
            lookups,
            positions,
            update: update?,
        })
    }
}
