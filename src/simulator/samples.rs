//! What a step of a network over samples has beside its operators: the host time of its samples, waiting for the
//! slowest replica, launches that overlap badly.

use super::{Scenario, memory::BytesPerParameter};
use crate::catalog::Precision;
use crate::plan::{Plan, Sharding};
use crate::profile::{KernelKind, LayerRate};
use crate::units::{Bytes, Seconds};
use crate::workload::{Grid, Operator, WorkloadKind};

/// Sharpness of the maximum of host and device time: they overlap but for short gaps.
const LAUNCH_NORM: i32 = 4;
/// The same where results are waited for within the step: losses, counts of boxes, lengths.
const LAUNCH_NORM_OF_SAMPLES: i32 = 2;
/// Bytes of an element in 32 bits.
const FULL_BYTES: f64 = 4.0;
/// Bytes of a gradient under automatic mixed precision, which keeps weights and gradients in FP32.
const GRADIENT_BYTES: f64 = 4.0;

/// Time of a copy from memory that is not pinned over one from pinned memory: one thread copies at some 3 GB/s what the link takes at 12
/// or more. An assumption.
const UNPINNED_COPIES: f64 = 4.0;
/// Multiprocessors where the maker's number is not in the catalog: those of the first parts with an 80 GB memory, fewer than newer parts have, so that what
/// is not known makes no GPU faster.
const UNSTATED_MULTIPROCESSORS: u32 = 108;

impl Scenario<'_> {
    fn over_samples(&self) -> bool {
        self.workload.kind == WorkloadKind::Convolutional
    }

    /// Host and input time of one sample that nothing hides, by its elements; only networks over samples have it.
    pub(super) fn host_per_sample(&self) -> Seconds {
        if !self.over_samples() || self.stack.layers.synthetic {
            return Seconds::ZERO;
        }
        let elements = self.workload.input.input_elements;
        Seconds::new(elements * self.stack.layers.get(LayerRate::Sample))
    }

    /// Time that the multiprocessors need for one element of an element-wise kernel, whatever the bandwidth: so many loads are in
    /// flight at once, and each takes the latency of memory. 16-bit elements ask for half the bytes in that time, so that
    /// they fill less of a fast memory.
    pub(super) fn element_time(&self) -> Seconds {
        if !self.over_samples() {
            return Seconds::ZERO;
        }
        Seconds::new(1.0 / (self.stack.layers.get(LayerRate::ElementRate) * self.multiprocessors()))
    }

    /// Time of bytes between host and GPU: from pinned memory, and from other memory, which the driver copies piece by piece first.
    pub(super) fn copies(&self, [pinned, other]: [f64; 2]) -> Seconds {
        Bytes::new(pinned + other * UNPINNED_COPIES) / self.machine.hardware.host_to_device
    }

    /// Multiprocessors of the GPU.
    pub(super) fn multiprocessors(&self) -> f64 {
        f64::from(self.machine.gpu.multiprocessors.unwrap_or(UNSTATED_MULTIPROCESSORS))
    }

    /// Bytes of an element of an element-wise operator where the others have `element`.
    pub(super) fn width(&self, operator: &Operator, element: f64) -> f64 {
        let wide = self.over_samples() && self.stack.wide_norms && operator.belongs_to_composed_norm();
        if wide { element.max(FULL_BYTES) } else { element }
    }

    /// Passes and kernels of an element-wise operator relative to one fused kernel.
    pub(super) fn composed(&self, operator: &Operator) -> f64 {
        let composed = self.over_samples() && operator.is_composed_norm();
        if composed { self.stack.layers.get(LayerRate::NormPasses) } else { 1.0 }
    }

    /// True where batch norms take the activation and the sum behind them along: libraries have such kernels for 16 bits with
    /// channels last.
    pub(super) fn joins_norms(&self, precision: Precision) -> bool {
        let layers = &self.stack.layers;
        let narrow = matches!(precision, Precision::Fp16 | Precision::Bf16);
        narrow && layers.joins_norms && self.over_samples() && !layers.order.turns(precision)
    }

    /// Passes over the maps of a convolution that turn their axes for the matrix units.
    pub(super) fn turning(&self, precision: Precision, over: Grid) -> f64 {
        let layers = &self.stack.layers;
        let lines = over == Grid::Line && !self.workload.samples.is_picture();
        let order = if lines { layers.order.of_lines() } else { layers.order };
        let turned = self.machine.gpu.uses_matrix_units(precision) && order.turns(precision);
        if turned { layers.get(LayerRate::Turning) } else { 0.0 }
    }

    /// What replicas wait for each other in a step that takes `alone` without it, in proportion to the doublings of their
    /// number: a share of the step (GPUs of one node differ by temperature, and more so where samples differ in size) and
    /// a time that every step takes to meet.
    pub(super) fn waiting(&self, plan: &Plan, alone: Seconds) -> Seconds {
        if !self.over_samples() {
            return Seconds::ZERO;
        }
        let layers = &self.stack.layers;
        let uneven = if self.workload.sizes_vary { layers.get(LayerRate::Varying) } else { 1.0 };
        let each = alone * (layers.get(LayerRate::Straggler) * uneven)
            + Seconds::new(layers.get(LayerRate::Meeting));
        each * f64::from(plan.replicas()).log2()
    }

    /// Host time of so many launches, by replicas that share the cores of a node.
    pub(super) fn launches(&self, plan: &Plan, kernels: f64) -> Seconds {
        let mixed = self.over_samples() && plan.precision.is_mixed();
        let layers = &self.stack.layers;
        let slower = if mixed { layers.get(LayerRate::MixedLaunch) } else { 1.0 };
        let together = f64::from(plan.replicas().min(self.machine.gpus_per_node).max(1));
        let shared =
            if self.over_samples() { layers.get(LayerRate::SharedHost) * together.log2() } else { 0.0 };
        self.stack.launch * (kernels * slower * (1.0 + shared))
    }

    /// Device time joined with host time: a smooth maximum of both.
    pub(super) fn with_launches(&self, device: Seconds, host: Seconds) -> Seconds {
        let norm = if self.over_samples() { LAUNCH_NORM_OF_SAMPLES } else { LAUNCH_NORM };
        let ratio = if device.get() > 0.0 { host / device } else { 0.0 };
        device * (1.0 + ratio.powi(norm)).powf(1.0 / f64::from(norm))
    }

    /// Bytes of a gradient as replicas reduce it: automatic mixed precision of a framework keeps weights and gradients in
    /// FP32; kernels written by hand for transformers, and optimizers that shard their states, train on 16-bit weights.
    pub(super) fn reduced_bytes(&self, plan: &Plan, recipe: &BytesPerParameter) -> f64 {
        let whole = self.stack.kernels == KernelKind::Framework && plan.sharding == Sharding::None;
        let automatic = self.over_samples() || whole;
        if automatic { GRADIENT_BYTES } else { recipe.gradients }
    }
}
