//! Time of the operators of one block for one micro-batch on one GPU.
//!
//! Each operator takes `T = (C^p + M^p)^(1/p) + t0` where C is its arithmetic at the sustained rate of its shape, M
//! its traffic at the sustained bandwidth and t0 the kernel floor (METHODOLOGY, "One operator"). The backward pass of
//! a matrix product is two products of other shapes: dgrad (m x k x n) and wgrad (n x k x m).

use super::Scenario;
use crate::catalog::Precision;
use crate::plan::Plan;
use crate::profile::Grade;
use crate::units::{Bytes, FlopCount, Seconds};
use crate::workload::{Block, Operator, Partition, seen_keys};

/// Device time of one occurrence of a block, forward and backward, and the kernels it launches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BlockTime {
    /// Matrix products: forward, backward.
    pub products: [Seconds; 2],
    /// Convolutions: forward, backward.
    pub convolutions: [Seconds; 2],
    /// Attention: forward, backward.
    pub attention: [Seconds; 2],
    /// Element-wise, embedding and loss: forward, backward.
    pub element_wise: [Seconds; 2],
    /// Elements that the tensor-parallel group reduces in the forward pass.
    pub reduced_elements: f64,
    /// Collectives of the tensor-parallel group in the forward pass.
    pub collectives: f64,
    /// Elements that the expert-parallel group exchanges in the forward pass.
    pub exchanged_elements: f64,
    /// Exchanges of the expert-parallel group in the forward pass.
    pub exchanges: f64,
    /// Elements of keys and values that the context-parallel group passes on in the forward pass.
    pub passed_elements: f64,
    /// Results that the host waits for.
    pub waits: f64,
    /// Elements of rows of tables that are updated row by row, in the forward pass: copied tables, split ones.
    pub table_elements: [f64; 2],
    /// Kernels launched: forward, backward.
    pub kernels: [f64; 2],
}

impl BlockTime {
    /// Device time of one direction: 0 forward, 1 backward.
    pub fn direction(&self, d: usize) -> Seconds {
        self.products[d] + self.convolutions[d] + self.attention[d] + self.element_wise[d]
    }
}

/// Bytes per element to turn an operand into FP8: 16 bits read, 8 written as it is and 8 transposed, since the products
/// of the backward pass contract over another side.
const FP8_CAST_BYTES: f64 = 4.0;
/// The widest load of a thread: rows of operands that are no multiple of it go through the matrix units more slowly.
const LOAD_BYTES: f64 = 16.0;
/// Launches that the host time of one collective of a tensor-parallel group is worth: enqueued on a stream of its own, with an
/// event recorded and waited for on either side. The count was chosen on single-node runs of split models.
const COLLECTIVE_LAUNCHES: f64 = 3.0;
/// Kernels of one materialised attention: scores, scale and mask, softmax, dropout, values.
const UNFUSED_ATTENTION_KERNELS: f64 = 5.0;
/// Backward passes over materialised scores against forward ones: dropout and softmax read a gradient and their kept
/// output and write a gradient, 2.5 and 3 accesses against 2.5 and 2.
const BACKWARD_SCORE_PASSES: f64 = 1.2;
/// Backward matrix products of fused attention are five against two forward.
const FUSED_BACKWARD_WORK: f64 = 2.5;

/// The keys that the rows of an attention meet.
#[derive(Clone, Copy)]
struct Keys {
    all: f64,
    causal: bool,
    window: Option<f64>,
}

/// Sizes of one micro-batch on one GPU.
pub(super) struct Frame<'s, 'a> {
    pub(super) scenario: &'s Scenario<'a>,
    pub(super) plan: &'s Plan,
    /// Rows (tokens or samples) of the micro-batch.
    pub(super) rows: f64,
    /// Rows of one sample (the sequence), for attention.
    sequence: f64,
    tensor: f64,
    /// Precision of the operators.
    pub(super) precision: Precision,
    pub(super) element: f64,
    /// Efficiency of matrix products, with the architecture's factor.
    pub(super) products: f64,
    /// Share of the matrix-product peak that fused attention reaches: forward, backward.
    fused: [f64; 2],
}

/// Times one occurrence of `block` for `rows` rows.
pub fn block_time(scenario: &Scenario<'_>, plan: &Plan, block: &Block, rows: f64) -> BlockTime {
    let stack = scenario.stack;
    let rates = stack.rates(&scenario.machine.gpu.architecture);
    let written_for = scenario.machine.hardware.fused_attention;
    let frame = Frame {
        scenario,
        plan,
        rows: rows * block.row_share,
        sequence: f64::from(scenario.workload.rows_per_sample),
        tensor: f64::from(plan.tensor_parallel),
        precision: plan.precision,
        element: plan.precision.element_bytes(),
        products: product_efficiency(scenario, plan.precision),
        fused: [
            stack.attention_forward * rates.attention_forward * written_for,
            stack.attention_backward * rates.attention_backward * written_for,
        ],
    };
    let mut total = BlockTime::default();
    for operator in &block.operators {
        frame.add(operator, &mut total);
    }
    let floor = scenario.machine.hardware.launch;
    for d in 0..2 {
        total.element_wise[d] += floor * total.kernels[d];
    }
    total
}

/// Efficiency of matrix products, with the architecture's factor.
fn product_efficiency(scenario: &Scenario<'_>, precision: Precision) -> f64 {
    let matmul = scenario.machine.hardware.matmul(precision);
    let measured = matmul.is_some_and(|m| m.grade != Grade::D);
    let stack = scenario.stack;
    stack.matmul_efficiency * stack.matmul_factor(&scenario.machine.gpu.architecture, precision, measured)
}

impl Frame<'_, '_> {
    /// The frame of operators that stay in 32 bits where the plan mixes precisions: matrix units take them as TF32, if they can.
    fn in_full_precision(&self) -> Self {
        if !self.precision.is_mixed() {
            return Self { ..*self };
        }
        let units = self.scenario.machine.hardware.matmul(Precision::Tf32).is_some();
        let precision = if units { Precision::Tf32 } else { Precision::Fp32 };
        let products = product_efficiency(self.scenario, precision);
        Self { precision, element: precision.element_bytes(), products, ..*self }
    }

    pub(super) fn share(&self, partition: Partition) -> f64 {
        match partition {
            Partition::Column | Partition::Row => self.tensor,
            Partition::Rows if self.plan.sequence_parallel => self.tensor,
            Partition::Rows | Partition::Replicated => 1.0,
        }
    }

    pub(super) fn traffic(&self, bytes: f64) -> Seconds {
        Bytes::new(bytes) / self.scenario.machine.hardware.dram
    }

    /// What is left of an operator that the stack joins to the batch norm before it.
    fn joined(&self, operator: &Operator) -> f64 {
        let joined = self.scenario.joins_norms(self.precision);
        operator.joined_to_norm().filter(|_| joined).unwrap_or(1.0)
    }

    /// Element-wise kernels over `elements` of `bytes` each: memory, and the loads that multiprocessors have in flight.
    pub(super) fn passed(&self, elements: f64, bytes: f64) -> Seconds {
        self.traffic(elements * bytes) + self.scenario.element_time() * elements
    }

    pub(super) fn product(&self, m: f64, n: f64, k: f64) -> Seconds {
        let efficiency = match self.precision {
            Precision::Fp8 => self.products * self.scenario.stack.fp8_efficiency,
            _ => self.products,
        };
        self.scenario.machine.hardware.matrix_product(self.precision, m, n, k, efficiency)
    }

    /// How much longer products take whose weight has a side that is no multiple of 16 bytes: the widest loads of the
    /// matrix units do not fit its rows. Who divides a vocabulary over tensor-parallel GPUs pads it.
    pub(super) fn unaligned(&self, outputs: f64, inputs: f64) -> f64 {
        let units = matches!(self.precision, Precision::Fp16 | Precision::Bf16 | Precision::Fp8);
        let whole = |side: f64| (side * self.element) % LOAD_BYTES == 0.0;
        if !units || self.tensor > 1.0 || (whole(outputs) && whole(inputs)) {
            return 1.0;
        }
        1.0 / self.scenario.stack.unaligned_efficiency
    }

    /// Adds an element-wise operator; one that a batch norm takes along has no kernel of its own.
    fn add_element_wise(&self, operator: &Operator, total: &mut BlockTime) {
        let Operator::ElementWise { elements, backward_elements, element_bytes, kernels, partition, .. } =
            *operator
        else {
            return;
        };
        let stack = self.scenario.stack;
        let (composed, left) = (self.scenario.composed(operator), self.joined(operator));
        let scale = self.rows / self.share(partition) * composed * left * stack.elementwise_traffic;
        let bytes = element_bytes.unwrap_or_else(|| self.scenario.width(operator, self.element));
        total.element_wise[0] += self.passed(elements * scale, bytes);
        total.element_wise[1] += self.passed(backward_elements * scale, bytes);
        if left >= 1.0 {
            let launched = kernels * composed * stack.kernels_per_operator;
            total.kernels.iter_mut().for_each(|own| *own += launched);
        }
    }

    /// Adds the forward pass of an operator alone.
    fn add_forward(&self, operator: &Operator, total: &mut BlockTime) {
        let mut both = BlockTime::default();
        self.add(operator, &mut both);
        total.products[0] += both.products[0];
        total.convolutions[0] += both.convolutions[0];
        total.attention[0] += both.attention[0];
        total.element_wise[0] += both.element_wise[0];
        total.kernels[0] += both.kernels[0];
        total.waits += both.waits;
    }

    fn add(&self, operator: &Operator, total: &mut BlockTime) {
        let per_operator = self.scenario.stack.kernels_per_operator;
        match *operator {
            Operator::MatrixProduct { inputs, outputs, partition, .. } => {
                let (n, k) = match partition {
                    Partition::Column => (outputs / self.tensor, inputs),
                    Partition::Row => (outputs, inputs / self.tensor),
                    Partition::Rows | Partition::Replicated => (outputs, inputs),
                };
                let odd = self.unaligned(outputs, inputs);
                total.products[0] += self.product(self.rows, n, k) * odd;
                total.products[1] += self.product(self.rows, k, n) * odd;
                if self.trained() {
                    total.products[1] += self.product(n, k, self.rows) * odd;
                    total.kernels[1] += per_operator;
                }
                self.add_unpacking(n * k, total);
                total.kernels[0] += per_operator;
                total.kernels[1] += per_operator;
                if self.precision == Precision::Fp8 {
                    let cast = FP8_CAST_BYTES * self.scenario.stack.elementwise_traffic;
                    total.element_wise[0] += self.traffic((self.rows * k + n * k) * cast);
                    total.element_wise[1] += self.traffic(self.rows * n * cast);
                }
            }
            Operator::Attention { heads, kv_heads, head_dim, causal, window, key_share } => {
                let keys = Keys { all: self.sequence * key_share, causal, window };
                self.add_attention(heads / self.tensor, head_dim, keys, total);
                total.passed_elements += self.rows * 2.0 * kv_heads / self.tensor * head_dim;
            }
            Operator::ExpertProduct { .. } => self.add_experts(operator, total),
            Operator::ExpertExchange { elements } => {
                total.exchanged_elements += self.rows * elements;
                total.exchanges += 1.0;
            }
            Operator::Adapter { inputs, outputs, rank, .. } => self.add_adapter(inputs, outputs, rank, total),
            Operator::Convolution { .. } => self.add_convolution(operator, total),
            Operator::ForwardOnly(ref inner) => self.add_forward(inner, total),
            Operator::FullPrecision(ref inner) => self.in_full_precision().add(inner, total),
            Operator::ElementWise { .. } => self.add_element_wise(operator, total),
            Operator::Embedding { .. } => self.add_lookup(operator, total),
            Operator::SampleProduct { .. } => self.add_sample_product(operator, total),
            Operator::SmallKernels { .. } => self.add_small_kernels(operator, total),
            Operator::Recurrent { .. } => self.add_recurrent(operator, total),
            Operator::TensorCollective { elements, .. } => {
                total.reduced_elements += self.rows * elements;
                total.collectives += 1.0;
                if self.tensor > 1.0 {
                    total.kernels[0] += COLLECTIVE_LAUNCHES;
                    total.kernels[1] += COLLECTIVE_LAUNCHES;
                }
            }
        }
    }

    /// Fused: arithmetic only, at the fitted share of the matrix-product peak. Materialised: two batched products
    /// over the full square and passes over the score matrix.
    fn add_attention(&self, heads: f64, head_dim: f64, keys: Keys, total: &mut BlockTime) {
        let stack = self.scenario.stack;
        let hardware = self.scenario.machine.hardware;
        // FP8 recipes keep attention in 16 bit.
        let precision = match self.precision {
            Precision::Fp8 => Precision::Bf16,
            other => other,
        };
        if self.plan.flash_attention {
            let Some(profile) = hardware.matmul(precision) else { return };
            let seen = seen_keys(keys.all, keys.causal, keys.window);
            let work = FlopCount::new(4.0 * self.rows * seen * head_dim * heads);
            let time = |work, share: f64| hardware.arithmetic(profile, work, 1.0 / share, 1.0);
            total.attention[0] += time(work, self.fused[0]);
            total.attention[1] += time(work * FUSED_BACKWARD_WORK, self.fused[1]);
            total.kernels[0] += stack.kernels_per_operator;
            total.kernels[1] += 2.0 * stack.kernels_per_operator;
            return;
        }
        let scores = self.rows * keys.all * heads;
        let product = |n: f64, k: f64| {
            let one = hardware.matrix_product(precision, self.rows, n, k, self.products);
            one * heads
        };
        let forward = product(keys.all, head_dim) + product(head_dim, keys.all);
        let passes = self.traffic(scores * stack.score_passes * precision.element_bytes());
        total.attention[0] += forward + passes;
        total.attention[1] += forward * 2.0 + passes * BACKWARD_SCORE_PASSES;
        total.kernels[0] += UNFUSED_ATTENTION_KERNELS * stack.kernels_per_operator;
        total.kernels[1] += 2.0 * UNFUSED_ATTENTION_KERNELS * stack.kernels_per_operator;
    }
}
