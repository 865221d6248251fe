//! The expert half of a layer.
//!
//! A router scores the experts for each row, the row's copies go to the chosen ones (an all-to-all where experts lie
//! on several GPUs), come back and are summed with their weights. Routing is taken as even: every expert gets
//! `rows x k / E` rows.

use super::transformer::{all_reduce, element_wise, norm, product, residual};
use super::{Operator, Partition};
use crate::catalog::{Experts, TransformerSpec};

/// Operators of the experts of one layer.
pub(super) fn operators(shape: &TransformerSpec, experts: Experts) -> Vec<Operator> {
    let [h, f, all, k] = [shape.hidden, experts.ffn, experts.routed, experts.per_token].map(f64::from);
    let routed = |name, inputs, outputs, partition| Operator::ExpertProduct {
        name,
        inputs,
        outputs,
        partition,
        experts: all,
        per_token: k,
    };
    let mut operators = vec![
        norm("MLP norm", h),
        product("router", h, all, Partition::Replicated),
        // Scores, choice and the counts by which rows are sorted.
        element_wise("routing", 4.0 * all, 3.0 * all, 4.0, Partition::Rows),
        // Each copy is read and written once on its way out and once on its way back.
        element_wise("sending rows to experts", 2.0 * k * h, 2.0 * k * h, 1.0, Partition::Rows),
        Operator::ExpertExchange { elements: k * h },
        routed("expert gate and up", h, 2.0 * f, Partition::Column),
        element_wise("expert activation", 3.0 * f * k, 5.0 * f * k, 2.0, Partition::Column),
        routed("expert down", f, h, Partition::Row),
        Operator::ExpertExchange { elements: k * h },
        element_wise("weighted sum", (k + 1.0) * h, (2.0 * k + 1.0) * h, 1.0, Partition::Rows),
    ];
    if experts.shared > 0 {
        let width = f * f64::from(experts.shared);
        operators.extend([
            product("shared expert gate and up", h, 2.0 * width, Partition::Column),
            element_wise("shared expert activation", 3.0 * width, 5.0 * width, 2.0, Partition::Column),
            product("shared expert down", width, h, Partition::Row),
            element_wise("adding shared experts", 3.0 * h, 2.0 * h, 1.0, Partition::Rows),
        ]);
    }
    operators.push(all_reduce(shape));
    operators.push(residual("MLP residual", shape));
    operators
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::shapes_for_tests::with_experts;
    use crate::workload::{active_parameters, model_flop_per_row, transformer};

    #[test]
    fn work_follows_the_experts_of_a_token_and_memory_all_of_them() {
        let workload = transformer("x", &with_experts(), 1);
        let work: f64 = workload.body[1]
            .operators
            .iter()
            .map(|o| match *o {
                Operator::ExpertProduct { inputs, outputs, per_token, .. } => inputs * outputs * per_token,
                _ => 0.0,
            })
            .sum();
        let one = 3.0 * 2048.0 * 1408.0;
        assert_eq!((work, workload.body[1].expert_parameters), (6.0 * one, 64.0 * one));
    }

    #[test]
    fn flop_of_a_step_is_six_times_the_active_parameters_and_not_all() {
        let shape = with_experts();
        let workload = transformer("x", &shape, 1);
        let table = f64::from(shape.vocab) * f64::from(shape.hidden);
        let ratio = model_flop_per_row(&workload).get() / 6.0 / (active_parameters(&shape) as f64 - table);
        assert!((0.99..1.01).contains(&ratio), "{ratio}");
        assert!(workload.active_parameters < 0.2 * workload.parameters);
    }
}
