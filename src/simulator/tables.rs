//! Rows of tables that are looked up, and small kernels with what the host does beside them.

use super::roofline::{BlockTime, Frame};
use crate::catalog::TableUpdate;
use crate::workload::Operator;

/// Bytes read and written to add a number to one in 32 bits.
const ADDED_BYTES: f64 = 8.0;
/// Bytes of an element that is passed over once in a step.
const STEP_BYTES: f64 = 4.0;

impl Frame<'_, '_> {
    /// Adds a lookup. Forward reads and writes the rows; backward reads their gradients and adds them into the table in 32 bits, or
    /// updates the rows at once. Rows that are looked up more than once are summed before.
    pub(super) fn add_lookup(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::Embedding { width, update, table_rows, row, .. } = *operator else { return };
        let looked_up = self.rows * width;
        let (table, replicas) = (table_rows * row, f64::from(self.plan.replicas()));
        let moments = self.scenario.optimizer.state_bytes;
        // Copies all take the rows of all replicas; a part of split tables takes what the whole batch looks up of it.
        let (touched, states) = match update {
            TableUpdate::Dense => (looked_up.min(table), 0.0),
            TableUpdate::Rows => ((looked_up * replicas).min(table), moments),
            TableUpdate::Split => (looked_up.min(table / replicas), moments),
        };
        total.element_wise[0] += self.traffic(looked_up * 2.0 * self.element);
        total.element_wise[1] +=
            self.traffic(looked_up * self.element + touched * (ADDED_BYTES + 2.0 * states));
        match update {
            TableUpdate::Dense => {}
            TableUpdate::Rows => total.table_elements[0] += looked_up,
            TableUpdate::Split => total.table_elements[1] += looked_up,
        }
        let launched = self.scenario.stack.kernels_per_operator;
        total.kernels.iter_mut().for_each(|kernels| *kernels += launched);
    }

    /// Adds small kernels, what the host waits for and copies meanwhile.
    pub(super) fn add_small_kernels(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::SmallKernels { count, per_sample, elements, waits, copied, step_elements } = *operator
        else {
            return;
        };
        total.waits += waits[0] + waits[1] * self.rows;
        total.element_wise[0] += self.scenario.copies(copied.map(|bytes| bytes * self.rows));
        let passes = f64::from(self.plan.gradient_accumulation_steps);
        total.element_wise[1] += self.passed(step_elements / passes, STEP_BYTES);
        for d in 0..2 {
            total.element_wise[d] += self.passed(self.rows * elements[d], self.element);
            let launched = count[d] + per_sample[d] * self.rows;
            total.kernels[d] += launched * self.scenario.stack.kernels_per_operator;
        }
    }
}
