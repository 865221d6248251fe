//! Low-rank adapters beside frozen weights (LoRA), and the same over 4-bit weights (QLoRA).
//!
//! Each adapted product of `k x n` gets two trained matrices, `k x r` and `r x n`: `r (k + n)` parameters. The base is
//! frozen: no gradient and no optimizer state, and no weight-gradient product; activations stay, since the gradient
//! still passes every layer. Source: Hu et al. 2021, "LoRA". Over 4-bit weights each product first unpacks its weight
//! to 16 bit. Source: Dettmers et al. 2023, "QLoRA".

use super::{Block, Operator, Workload};

/// Bytes of one weight in 4 bits with its constants: 4 bits, an 8-bit constant for 64 weights, and an FP32 constant for
/// 256 of those: `(4 + 8/64 + 32/(64 x 256)) / 8`. Source: Dettmers et al. 2023, section 3.
pub const QUANTIZED_BYTES: f64 = (4.0 + 8.0 / 64.0 + 32.0 / (64.0 * 256.0)) / 8.0;

/// What happens to the parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// All are trained.
    Trained,
    /// Frozen, in the storage precision.
    Frozen,
    /// Frozen; the weights of the layers in 4 bits, the rest in 16.
    Quantized,
}

/// Which products get adapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AdapterTargets {
    /// Every product of a layer.
    All,
    /// Those of the attention.
    Attention,
}

impl AdapterTargets {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Attention => "attention",
        }
    }
}

/// Shape of the adapters.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Adapters {
    /// Rank r.
    pub rank: u32,
    /// Factor alpha; the adapters' output is scaled by alpha / r, which costs nothing here.
    pub alpha: u32,
    /// Which products.
    pub targets: AdapterTargets,
}

impl Adapters {
    /// Rank 16, alpha 32, every product: what fine-tuning recipes start from.
    pub const DEFAULT: Self = Self { rank: 16, alpha: 32, targets: AdapterTargets::All };
}

/// The same network frozen, with adapters beside the products of its layers.
///
/// Products of routed experts get one adapter pair per expert; rows pass those of their experts only. The input
/// table, norms and the head stay frozen without adapters.
pub fn with_adapters(workload: &Workload, adapters: Adapters, quantized: bool) -> Workload {
    let mut adapted = workload.clone();
    adapted.base = if quantized { Base::Quantized } else { Base::Frozen };
    for block in &mut adapted.body {
        adapt(block, adapters);
    }
    adapted
}

fn adapt(block: &mut Block, adapters: Adapters) {
    let rank = f64::from(adapters.rank);
    let mut operators = Vec::with_capacity(2 * block.operators.len());
    let mut in_attention = true;
    for operator in std::mem::take(&mut block.operators) {
        // The attention ends with the norm of the MLP.
        in_attention &= !matches!(operator, Operator::ElementWise { name: "MLP norm", .. });
        let wanted = in_attention || adapters.targets == AdapterTargets::All;
        let pair = match operator {
            Operator::MatrixProduct { name, inputs, outputs, .. } if name != "router" => {
                Some((name, inputs, outputs, 1.0, 1.0))
            }
            Operator::ExpertProduct { name, inputs, outputs, experts, per_token, .. } => {
                Some((name, inputs, outputs, experts, per_token))
            }
            _ => None,
        };
        operators.push(operator);
        if let Some((name, inputs, outputs, copies, per_token)) = pair.filter(|_| wanted) {
            block.adapter_parameters += rank * (inputs + outputs) * copies;
            operators.push(Operator::Adapter {
                name,
                inputs: inputs * per_token,
                outputs: outputs * per_token,
                rank,
            });
        }
    }
    block.operators = operators;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::shapes_for_tests::gated;
    use crate::workload::{model_flop_per_row, transformer};

    #[test]
    fn four_bits_and_their_constants_are_4_127_bits() {
        assert!((QUANTIZED_BYTES * 8.0 - 4.127).abs() < 1e-3);
    }

    #[test]
    fn adapters_of_rank_r_have_r_times_both_widths_of_each_product() {
        let workload = transformer("x", &gated(32, 4096, 32, 32, 11_008, 32_000), 2048);
        let lora = with_adapters(&workload, Adapters::DEFAULT, false);
        // QKV 4096 + 12288, output 4096 + 4096, gate and up 4096 + 22016, down 11008 + 4096.
        let widths = 16_384.0 + 8192.0 + 26_112.0 + 15_104.0;
        assert_eq!(lora.adapter_parameters(), 32.0 * 16.0 * widths);
        let attention = Adapters { targets: AdapterTargets::Attention, ..Adapters::DEFAULT };
        let fewer = with_adapters(&workload, attention, false);
        assert_eq!(fewer.adapter_parameters(), 32.0 * 16.0 * (16_384.0 + 8192.0));
        assert_eq!(lora.parameters, workload.parameters);
    }

    #[test]
    fn a_frozen_base_does_two_thirds_of_the_work() {
        let workload = transformer("x", &gated(32, 4096, 32, 32, 11_008, 32_000), 1);
        let lora = with_adapters(&workload, Adapters { rank: 1, ..Adapters::DEFAULT }, true);
        let ratio = model_flop_per_row(&lora) / model_flop_per_row(&workload);
        assert!((0.66..0.68).contains(&ratio), "{ratio}");
    }
}
