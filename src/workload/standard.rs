//! A standard decoder of any size, for a customer who knows only "7B".
//!
//! Proportions are those of the open decoders since 2023: rotary positions, RMS norms without biases, an untied head
//! over 32000 tokens, a gated MLP of 8/3 h rounded up to a multiple of 256. From h = 8192 on queries share 8
//! key-value heads and the MLP grows to 3.5 h. The search walks every width and depth on the grid and takes the
//! lowest penalty; ties go to the narrower, then the shallower. It is deterministic and knows no model by name.
//!
//! A size is met when the count is within 2 % of it, or within 4 % and equal to it at the digits given: "7B" is met
//! by 6.74e9, as it is in the names of published models.

use super::{WorkloadError, transformer_parameters};
use crate::catalog::{MASKED_SPANS, Position, TransformerKind, TransformerSpec};

/// Smallest size.
pub(super) const SMALLEST: f64 = 1e7;
/// Largest size.
pub(super) const LARGEST: f64 = 2e12;

const VOCABULARY: u32 = 32_000;
const SEQUENCE: u32 = 4096;
/// Head dimension of wide models, and the grid of their widths.
const WIDE_HEAD: u32 = 128;
/// Head dimension of narrow models, and the grid of their widths.
const NARROW_HEAD: u32 = 64;
/// Width from which heads have 128 dimensions; about a billion parameters.
const WIDE_FROM: u32 = 2048;
/// Width from which queries share key-value heads; about forty billion parameters.
const GROUPED_FROM: u32 = 8192;
const GROUPED_KV_HEADS: u32 = 8;
const WIDEST: u32 = 40_960;
const DEEPEST: u32 = 320;
/// Depths are multiples of this, so that pipelines can cut them.
const DEPTH_STEP: u32 = 4;
/// Steps of a 32nd by which the MLP may leave its standard width.
const MLP_STEPS: i32 = 6;

/// Always accepted distance from the size asked for.
const CLOSE: f64 = 0.02;
/// Distance accepted when the digits agree.
const SAME_DIGITS: f64 = 0.04;

/// A standard decoder nearest in habit and size to a number of parameters, and what it is in words.
///
/// # Errors
/// [`WorkloadError::Size`] outside 1e7 to 2e12, and for a number that is not finite.
///
/// ```
/// let (shape, words) = gpu_advisor::workload::standard_decoder(7e9).unwrap();
/// assert_eq!((shape.hidden, shape.layers, shape.heads, shape.ffn), (4096, 32, 32, 11008));
/// assert!(words.contains("6.74e9 parameters"));
/// ```
pub fn standard_decoder(parameters: f64) -> Result<(TransformerSpec, String), WorkloadError> {
    let refused = WorkloadError::Size { asked: parameters };
    if !(SMALLEST..=LARGEST).contains(&parameters) {
        return Err(refused);
    }
    let mut best: Option<(f64, TransformerSpec)> = None;
    for hidden in widths() {
        for ffn_step in -MLP_STEPS..=MLP_STEPS {
            for layers in depths(hidden, ffn_step, parameters) {
                let shape = decoder(hidden, layers, ffn_step);
                let Some(distance) = distance(transformer_parameters(&shape) as f64, parameters) else {
                    continue;
                };
                let penalty = distance + habit(hidden, layers, ffn_step);
                if best.as_ref().is_none_or(|(lowest, _)| penalty < *lowest) {
                    best = Some((penalty, shape));
                }
            }
        }
    }
    let (_, shape) = best.ok_or(refused)?;
    let words = describe(&shape);
    Ok((shape, words))
}

fn widths() -> impl Iterator<Item = u32> {
    let tiny = (2 * NARROW_HEAD..8 * NARROW_HEAD).step_by(NARROW_HEAD as usize);
    let narrow = (8 * NARROW_HEAD..WIDE_FROM).step_by(2 * NARROW_HEAD as usize);
    let wide = (WIDE_FROM..GROUPED_FROM).step_by(WIDE_HEAD as usize);
    let grouped = (GROUPED_FROM..=WIDEST).step_by((GROUPED_KV_HEADS * WIDE_HEAD) as usize);
    tiny.chain(narrow).chain(wide).chain(grouped)
}

/// The depths on the grid just below and above the one that meets the size.
fn depths(hidden: u32, ffn_step: i32, parameters: f64) -> impl Iterator<Item = u32> {
    let one = transformer_parameters(&decoder(hidden, 1, ffn_step)) as f64;
    let layer = transformer_parameters(&decoder(hidden, 2, ffn_step)) as f64 - one;
    let exact = ((parameters - one) / layer + 1.0).clamp(0.0, f64::from(DEEPEST));
    let below = (exact / f64::from(DEPTH_STEP)).floor() as u32 * DEPTH_STEP;
    [below, below + DEPTH_STEP].into_iter().filter(|&layers| (DEPTH_STEP..=DEEPEST).contains(&layers))
}

fn decoder(hidden: u32, layers: u32, ffn_step: i32) -> TransformerSpec {
    let head_dim = if hidden < WIDE_FROM { NARROW_HEAD } else { WIDE_HEAD };
    let heads = hidden / head_dim;
    let grouped = hidden >= GROUPED_FROM;
    TransformerSpec {
        kind: TransformerKind::Decoder,
        layers,
        hidden,
        heads,
        kv_heads: if grouped { GROUPED_KV_HEADS } else { heads },
        head_dim,
        ffn: mlp_width(hidden, ffn_step),
        gated_mlp: true,
        vocab: VOCABULARY,
        tied_embeddings: false,
        position: Position::Rotary,
        max_sequence: SEQUENCE,
        rms_norm: true,
        biases: false,
        experts: None,
        latent: None,
        window: None,
        patch: None,
        extra_parameters: 0,
        extra_parameters_per_layer: 0,
        target_share: MASKED_SPANS,
        target_stated: false,
    }
}

/// 8/3 h (3.5 h with grouped queries) times 1 + step / 32, rounded up to the grid.
fn mlp_width(hidden: u32, ffn_step: i32) -> u32 {
    let grid = if hidden < WIDE_FROM { NARROW_HEAD } else { 2 * WIDE_HEAD };
    let exact = f64::from(hidden) * if hidden < GROUPED_FROM { 8.0 / 3.0 } else { 3.5 };
    let wanted = exact * (1.0 + f64::from(ffn_step) / 32.0);
    (wanted / f64::from(grid)).ceil() as u32 * grid
}

/// Penalty for missing the size; `None` when it is missed.
fn distance(count: f64, asked: f64) -> Option<f64> {
    let relative = (count / asked - 1.0).abs();
    if relative <= SAME_DIGITS && same_digits(count, asked) {
        Some(0.0)
    } else {
        (relative <= CLOSE).then_some(5.0 * relative)
    }
}

/// Whether `count` rounds to `asked` at the significant digits that `asked` has.
fn same_digits(count: f64, asked: f64) -> bool {
    let text = format!("{asked:e}");
    let mantissa = text.split('e').next().unwrap_or_default();
    let decimals = mantissa.split('.').nth(1).map_or(0, str::len);
    format!("{count:.decimals$e}") == text
}

/// Penalty for unusual proportions: aspect ratio far from the trend, heads and layers that divide badly, a
/// non-standard MLP.
fn habit(hidden: u32, layers: u32, ffn_step: i32) -> f64 {
    let h = f64::from(hidden);
    let trend = (h / 24.0 + 32.0).min(128.0);
    let aspect = (h / f64::from(layers) / trend).ln().abs();
    let heads = hidden / if hidden < WIDE_FROM { NARROW_HEAD } else { WIDE_HEAD };
    let division = match heads {
        n if n.is_multiple_of(16) => 0.0,
        n if n.is_multiple_of(8) => 0.15,
        n if n.is_multiple_of(4) => 0.3,
        n if n.is_multiple_of(2) => 0.4,
        _ => 0.5,
    };
    let depth = if layers.is_multiple_of(8) { 0.0 } else { 0.12 };
    let mlp = 0.06 * f64::from(ffn_step.abs());
    aspect + division + depth + mlp
}

fn describe(shape: &TransformerSpec) -> String {
    format!(
        "standard decoder of {:.2e} parameters: {} layers, hidden size {}, {} heads of {}, {} key-value heads, \
         gated MLP of {}, vocabulary {}, rotary positions",
        transformer_parameters(shape) as f64,
        shape.layers,
        shape.hidden,
        shape.heads,
        shape.head_dim,
        shape.kv_heads,
        shape.ffn,
        shape.vocab,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proportions(parameters: f64) -> (u32, u32, u32, u32) {
        let (shape, _) = standard_decoder(parameters).unwrap();
        (shape.hidden, shape.layers, shape.kv_heads, shape.ffn)
    }

    #[test]
    fn seven_billion_is_the_classic_shape_by_name_and_by_count() {
        assert_eq!(proportions(7e9), (4096, 32, 32, 11_008));
        assert_eq!(proportions(6.74e9), (4096, 32, 32, 11_008));
        assert_eq!(proportions(6_738_415_616.0), (4096, 32, 32, 11_008));
    }

    #[test]
    fn thirteen_and_seventy_billion_are_the_classic_shapes() {
        assert_eq!(proportions(13e9), (5120, 40, 40, 13_824));
        assert_eq!(proportions(70e9), (8192, 80, 8, 28_672));
    }

    #[test]
    fn every_size_from_ten_million_to_two_trillion_is_met() {
        let mut asked = SMALLEST;
        while asked <= LARGEST {
            let (shape, words) = standard_decoder(asked).unwrap_or_else(|e| panic!("{e}"));
            let count = transformer_parameters(&shape) as f64;
            assert!((count / asked - 1.0).abs() <= SAME_DIGITS, "{asked:e}: {words}");
            assert_eq!(shape.heads * shape.head_dim, shape.hidden);
            assert!(shape.layers.is_multiple_of(4) && shape.heads.is_multiple_of(shape.kv_heads));
            asked *= 1.013;
        }
    }

    #[test]
    fn sizes_given_to_many_digits_are_within_two_per_cent() {
        for asked in
            [123_456_789.0, 1_234_567_890.0, 12_345_678_901.0, 234_567_890_123.0, 1_234_567_890_123.0]
        {
            let count = transformer_parameters(&standard_decoder(asked).unwrap().0) as f64;
            assert!((count / asked - 1.0).abs() <= CLOSE, "{asked:e} gave {count:e}");
        }
    }

    #[test]
    fn proportions_stay_near_the_trend() {
        for asked in [125e6, 350e6, 1.3e9, 3e9, 30e9, 175e9, 530e9] {
            let (shape, words) = standard_decoder(asked).unwrap();
            let aspect = f64::from(shape.hidden) / f64::from(shape.layers);
            assert!((40.0..180.0).contains(&aspect), "{asked:e}: {words}");
        }
    }

    #[test]
    fn sizes_outside_the_range_are_refused() {
        for asked in [0.0, -7e9, 9.9e6, 3e12, f64::NAN, f64::INFINITY] {
            let error = standard_decoder(asked).unwrap_err();
            assert!(error.to_string().contains("1e7 to 2e12"), "{error}");
        }
    }
}
