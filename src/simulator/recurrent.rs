//! Recurrent layers: one product over all steps, then a chain of steps that nothing but the batch widens.

use super::roofline::{BlockTime, Frame};
use crate::profile::LayerRate;
use crate::units::{Bytes, FlopCount, Seconds};
use crate::workload::Operator;

impl Frame<'_, '_> {
    /// Adds a recurrent layer; see [`RecurrentProfile`](crate::profile::RecurrentProfile).
    pub(super) fn add_recurrent(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::Recurrent { inputs, hidden, gates, steps, directions, stepwise_kernels } = *operator
        else {
            return;
        };
        let hardware = self.scenario.machine.hardware;
        let stack = self.scenario.stack;
        let Some(product) = hardware.matmul(self.precision) else { return };
        let profile = &hardware.recurrent;
        let width = gates * hidden;
        let (batch, rows) = (self.rows, self.rows * steps);
        let weights = Bytes::new(width * hidden * self.element) / hardware.dram * profile.weight_traffic;
        let flop = FlopCount::new(2.0 * batch * width * hidden);
        let saturation =
            (1.0 + product.m0 / batch) * (1.0 + product.n0 / width) * (1.0 + product.k0 / hidden);
        // Gates of the input and of the state are read and kept, the cell is read and written, the state written.
        let cell = self.passed(batch * hidden * (3.0 * gates + 3.0), self.element);
        let stepwise_kernels = stepwise_kernels.max(stack.recurrent_step_kernels);
        // A chain that the host steps through has its launches counted instead of the library's floor.
        let floor = if stepwise_kernels > 0.0 { Seconds::ZERO } else { profile.step };
        let slower = stack.layers.get(LayerRate::RecurrentTime) / self.products;
        let work = hardware.arithmetic(product, flop, saturation * slower, saturation);
        let step = floor + hardware.join(work, weights) + cell;
        let chain = step * (steps * directions);
        let into = self.layer_product(rows, width, inputs) * directions;
        total.products[0] += into + chain;
        let gradients =
            self.layer_product(rows, inputs, width) + self.layer_product(width, inputs + hidden, rows);
        total.products[1] += gradients * directions + chain * profile.backward;
        let launched = 1.0 + stepwise_kernels * steps * directions;
        total.kernels[0] += launched * stack.kernels_per_operator;
        total.kernels[1] += 2.0 * launched * stack.kernels_per_operator;
    }
}
