//! Products of experts, of adapters, and over packed weights.

use super::roofline::{BlockTime, Frame};
use crate::workload::{Base, Operator, Partition, QUANTIZED_BYTES};

/// Bytes of an unpacked weight.
const UNPACKED_BYTES: f64 = 2.0;

impl Frame<'_, '_> {
    /// Weights of the base model are trained, not frozen.
    pub(super) fn trained(&self) -> bool {
        self.scenario.workload.base == Base::Trained
    }

    /// Traffic of unpacking 4-bit weights to 16 bit before a product, in both directions.
    pub(super) fn add_unpacking(&self, weights: f64, total: &mut BlockTime) {
        if self.scenario.workload.base == Base::Quantized {
            let time = self.traffic(weights * (QUANTIZED_BYTES + UNPACKED_BYTES));
            total.element_wise[0] += time;
            total.element_wise[1] += time;
            total.kernels[0] += 1.0;
            total.kernels[1] += 1.0;
        }
    }

    /// A grouped product: the experts of this GPU get the rows of the whole expert-parallel group that are theirs.
    pub(super) fn add_experts(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::ExpertProduct { inputs, outputs, partition, experts, per_token, .. } = *operator else {
            return;
        };
        let per_operator = self.scenario.stack.kernels_per_operator;
        let share = self.share(partition);
        let (n, k) = match partition {
            Partition::Row => (outputs, inputs / share),
            _ => (outputs / share, inputs),
        };
        let local = experts / f64::from(self.plan.expert_parallel);
        let rows = self.rows * per_token / local;
        total.products[0] += self.product(rows, n, k) * local;
        total.products[1] += self.product(rows, k, n) * local;
        if self.trained() {
            total.products[1] += self.product(n, k, rows) * local;
        }
        self.add_unpacking(n * k * local, total);
        total.kernels[0] += per_operator;
        total.kernels[1] += 2.0 * per_operator;
    }

    /// Two narrow products forward, four backward, and the sum with the frozen product's output.
    pub(super) fn add_adapter(&self, inputs: f64, outputs: f64, rank: f64, total: &mut BlockTime) {
        let per_operator = self.scenario.stack.kernels_per_operator;
        let rows = self.rows;
        total.products[0] += self.product(rows, rank, inputs) + self.product(rows, outputs, rank);
        total.products[1] += self.product(rows, inputs, rank)
            + self.product(rank, inputs, rows)
            + self.product(rows, rank, outputs)
            + self.product(outputs, rank, rows);
        total.element_wise[0] += self.traffic(3.0 * rows * outputs * self.element);
        total.kernels[0] += 3.0 * per_operator;
        total.kernels[1] += 4.0 * per_operator;
    }
}
