//! The runs of equal layers that a transformer consists of.

use crate::catalog::{Experts, TransformerKind, TransformerSpec};

/// Which half of the network a layer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The only half.
    Alone,
    /// The encoder of two halves. The keys and values that the decoder's layer of the same number makes of the
    /// encoder's rows are computed here, where those rows are.
    Encoder,
    /// The decoder of two halves, on the target's rows.
    Decoder,
}

/// A run of equal layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LayerForm {
    /// Name for people.
    pub name: &'static str,
    /// How many in a row.
    pub repeat: u32,
    /// Which half.
    pub role: Role,
    /// Experts in place of the MLP.
    pub experts: Option<Experts>,
    /// Positions that attention sees, where that is less than the sequence.
    pub window: Option<u32>,
    /// Share of a sample's rows that pass through.
    pub row_share: f64,
}

/// The runs of a shape at a sequence length.
pub(super) fn forms(shape: &TransformerSpec, sequence: u32) -> Vec<LayerForm> {
    let form = |name, repeat, role, experts| {
        let row_share = if role == Role::Decoder { shape.target_share } else { 1.0 };
        LayerForm { name, repeat, role, experts, window: None, row_share }
    };
    if shape.kind == TransformerKind::EncoderDecoder {
        return vec![
            form("encoder layer", shape.layers, Role::Encoder, None),
            form("decoder layer", shape.layers, Role::Decoder, None),
        ];
    }
    let dense = shape.experts.map_or(shape.layers, |e| e.dense_layers.min(shape.layers));
    let runs = [
        form("layer", dense, Role::Alone, None),
        form("layer with experts", shape.layers - dense, Role::Alone, shape.experts),
    ];
    let mut forms = Vec::with_capacity(4);
    for run in runs {
        match shape.window {
            Some(window) if window.size < sequence => {
                let windowed = window.of(run.repeat);
                forms.push(LayerForm { repeat: windowed, window: Some(window.size), ..run });
                forms.push(LayerForm { repeat: run.repeat - windowed, ..run });
            }
            _ => forms.push(run),
        }
    }
    forms.retain(|f| f.repeat > 0);
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Window, Windowed};
    use crate::workload::shapes_for_tests::{gated, with_experts};

    #[test]
    fn the_first_layers_may_stay_without_experts() {
        let forms = forms(&with_experts(), 4096);
        let runs: Vec<_> = forms.iter().map(|f| (f.repeat, f.experts.is_some())).collect();
        assert_eq!(runs, [(1, false), (26, true)]);
    }

    #[test]
    fn a_window_counts_only_in_longer_sequences() {
        let window = Some(Window { size: 4096, layers: Windowed::OneIn(2) });
        let shape = TransformerSpec { window, ..gated(26, 2304, 8, 4, 9216, 256_000) };
        assert_eq!(forms(&shape, 4096).len(), 1);
        let long: Vec<_> = forms(&shape, 8192).iter().map(|f| (f.repeat, f.window)).collect();
        assert_eq!(long, [(13, Some(4096)), (13, None)]);
    }
}
