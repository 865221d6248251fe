//! Time of one micro-batch on the stages of a pipeline.
//!
//! [`BlockPass`] is what one block of the network takes for one micro-batch, whatever the pipeline and the
//! recomputation; [`StageTimes`] makes the first, the middle and the last stages of them. A plan search evaluates the
//! operators once for every micro-batch and tensor-parallel degree, and the stages from that.

use super::Scenario;
use super::communication::{Group, collective, point_to_point};
use super::exchange::{context_ring, exchange_passes, expert_exchange, table_exchange};
use super::network_part::{head_part, input_part};
use super::roofline::{BlockTime, block_time};
use crate::catalog::Precision;
use crate::plan::{Plan, Recompute, StageLayers};
use crate::units::{Bytes, Seconds};
use crate::workload::{Block, CollectiveKind, Workload};

/// One occurrence of a block for one micro-batch on the GPUs that share it: what tensor and expert parallel degrees,
/// sequence parallelism, rows, attention kernel and precision decide.
#[derive(Debug, Clone, Copy)]
pub struct BlockPass {
    /// Device time.
    time: BlockTime,
    /// One collective of the tensor-parallel group.
    reduce: Seconds,
    /// Share of the products that collectives of the tensor-parallel group hide behind.
    beside: f64,
    /// One exchange of the expert-parallel group.
    exchange: Seconds,
}

impl BlockPass {
    /// Evaluates every operator of a block for `rows` rows.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, block: &Block, rows: f64) -> Self {
        let time = block_time(scenario, plan, block, rows);
        let mut reduce = Seconds::ZERO;
        if plan.tensor_parallel > 1 && time.collectives > 0.0 {
            let group = Group::place(plan.tensor_parallel, 1, scenario.machine.gpus_per_node);
            let element = plan.precision.element_bytes();
            let bytes = Bytes::new(time.reduced_elements / time.collectives * element);
            reduce = collective(scenario, CollectiveKind::AllReduce, group, bytes);
        }
        // Rows cut along the sequence are exchanged piece by piece beside the products that need them.
        let beside = if plan.sequence_parallel { beside_products(scenario) } else { 0.0 };
        Self { time, reduce, beside, exchange: expert_exchange(scenario, plan, &time) }
    }

    /// Forward and backward, with the collectives of both where nothing more of them can hide.
    fn both_ways(&self) -> Seconds {
        let passes = exchange_passes(false);
        self.time.direction(0)
            + self.time.direction(1)
            + self.reduce * (self.time.collectives * passes * (1.0 - self.beside))
            + self.exchange * (self.time.exchanges * passes)
    }
}

/// Device time of one micro-batch through the whole network, forward and backward, on the GPUs that share it: what no
/// plan undercuts. `pass` gives the time of a [part](super::network_part).
pub fn whole_pass(workload: &Workload, pass: impl Fn(usize) -> BlockPass) -> Seconds {
    let body = workload.body.iter().map(|b| f64::from(b.repeat));
    let once = |(number, count): (usize, f64)| pass(number).both_ways() * count;
    body.chain([1.0, 1.0]).enumerate().map(once).sum()
}

/// Time of one micro-batch on one stage, by the terms it has.
#[derive(Debug, Clone, Copy, Default)]
pub struct StageTime {
    pub(super) products: Seconds,
    pub(super) convolutions: Seconds,
    pub(super) attention: Seconds,
    pub(super) element_wise: Seconds,
    pub(super) recompute: Seconds,
    pub(super) launch: Seconds,
    pub(super) tensor_parallel: Seconds,
    pub(super) experts: Seconds,
    pub(super) tables: Seconds,
    pub(super) context: Seconds,
    pub(super) backward: Seconds,
    backward_kernels: f64,
    kernels: f64,
    waits: f64,
}

impl StageTime {
    /// Device time and what the host's launch rate adds.
    pub fn total(&self) -> Seconds {
        self.device() + self.launch
    }

    fn device(&self) -> Seconds {
        self.products
            + self.convolutions
            + self.attention
            + self.element_wise
            + self.recompute
            + self.tensor_parallel
            + self.experts
            + self.tables
            + self.context
    }

    /// Adds `count` occurrences of a block. Host and device are joined block by block: while the host has many small
    /// kernels of layers to launch, the device waits, and while the device computes the few long ones of a head, the
    /// host does.
    fn add(&mut self, scenario: &Scenario<'_>, plan: &Plan, pass: &BlockPass, count: f64, layer: bool) {
        let mut block = Self::default();
        block.add_device(scenario, plan, pass, count, layer);
        block.close(scenario, plan);
        self.products += block.products;
        self.convolutions += block.convolutions;
        self.attention += block.attention;
        self.element_wise += block.element_wise;
        self.recompute += block.recompute;
        self.launch += block.launch;
        self.tensor_parallel += block.tensor_parallel;
        self.experts += block.experts;
        self.tables += block.tables;
        self.context += block.context;
        self.backward += block.backward;
    }

    fn add_device(
        &mut self,
        scenario: &Scenario<'_>,
        plan: &Plan,
        pass: &BlockPass,
        count: f64,
        layer: bool,
    ) {
        let time = &pass.time;
        let both = |pair: [Seconds; 2]| (pair[0] + pair[1]) * count;
        self.products += both(time.products);
        self.convolutions += both(time.convolutions);
        self.attention += both(time.attention);
        self.element_wise += both(time.element_wise);
        self.backward += time.direction(1) * count;
        self.backward_kernels += time.kernels[1] * count;
        self.kernels += (time.kernels[0] + time.kernels[1]) * count;
        self.waits += time.waits * count;
        let mut passes = 2.0;
        if layer {
            match plan.recompute {
                Recompute::None => {}
                Recompute::Selective if plan.flash_attention => {}
                Recompute::Selective => self.recompute += time.attention[0] * count,
                Recompute::Full => {
                    self.recompute += time.direction(0) * (count * scenario.stack.recompute_share);
                    self.kernels += time.kernels[0] * count;
                    passes += 1.0;
                }
            }
        }
        let full = layer && plan.recompute == Recompute::Full;
        self.experts += pass.exchange * (time.exchanges * exchange_passes(full)) * count;
        self.tables += table_exchange(scenario, plan, time) * count;
        self.context += context_ring(scenario, plan, time) * count;
        let reduce = pass.reduce * (time.collectives * passes * count);
        self.tensor_parallel += reduce - reduce.min(self.products) * pass.beside;
    }

    /// Adds what the host's launch rate costs beyond the device time; a smooth maximum of both.
    fn close(&mut self, scenario: &Scenario<'_>, plan: &Plan) {
        let joined =
            |device: Seconds, kernels: f64| scenario.with_launches(device, scenario.launches(plan, kernels));
        let device = self.device();
        // While the host waits for a result, it launches nothing, and the device runs dry behind it.
        let waiting = scenario.launches(plan, self.waits * LAUNCHES_PER_WAIT);
        self.launch = joined(device, self.kernels) - device + waiting;
        // A reduction hides behind a backward pass that waits for the host as well.
        self.backward = joined(self.backward, self.backward_kernels);
    }
}

/// Launches that the host time of one result waited for is worth: the copy, and the way back to the next kernel.
const LAUNCHES_PER_WAIT: f64 = 2.0;

/// Share of the exchanges of a split model that go on beside its products. Software does so since the generation of GPUs
/// that brought FP8; runs on older ones, all before it, show none.
fn beside_products(scenario: &Scenario<'_>) -> f64 {
    match scenario.machine.gpu.peak(Precision::Fp8) {
        Some(_) => scenario.stack.overlap_model_parallel,
        None => 0.0,
    }
}

/// The times of the stages: the ends, and the middle ones, of which `heavies` hold one layer more.
#[derive(Debug, Clone, Copy)]
pub struct StageTimes {
    pub(super) first: StageTime,
    pub(super) middle: StageTime,
    pub(super) heavy: StageTime,
    pub(super) heavies: u32,
    pub(super) last: StageTime,
}

impl StageTimes {
    /// The stages under a pipeline degree and a recomputation; virtual stages, sharding and offload do not matter.
    /// `pass` gives the time of a [part](super::network_part) of the network.
    pub fn of(scenario: &Scenario<'_>, plan: &Plan, pass: impl Fn(usize) -> BlockPass) -> Self {
        let workload = scenario.workload;
        let layers = StageLayers::of(plan, workload.layers());
        let body = |stage: u32| {
            let mut body = StageTime::default();
            for (part, block) in workload.body.iter().enumerate() {
                let count = layers.share(f64::from(block.repeat), stage);
                body.add(scenario, plan, &pass(part), count, true);
            }
            body
        };
        let middle = body(plan.pipeline_parallel - 1);
        let heavy = if layers.is_even() { middle } else { body(layers.first_heavy_middle().unwrap_or(0)) };
        let (input, head) = (pass(input_part(workload)), pass(head_part(workload)));
        let mut first = if layers.on(0) > layers.on(plan.pipeline_parallel - 1) { heavy } else { middle };
        first.add(scenario, plan, &input, 1.0, false);
        let mut last = middle;
        if plan.pipeline_parallel == 1 {
            first.add(scenario, plan, &head, 1.0, false);
            last = first;
        } else {
            last.add(scenario, plan, &head, 1.0, false);
        }
        Self { first, middle, heavy, heavies: layers.heavy_middles(), last }
    }
}

/// Transfers of one micro-batch at one stage boundary, forward and backward, all virtual stages.
pub fn transfer(scenario: &Scenario<'_>, plan: &Plan) -> Seconds {
    if plan.pipeline_parallel == 1 {
        return Seconds::ZERO;
    }
    let machine = &scenario.machine;
    let width = scenario.workload.body.first().map_or(0.0, |b| b.input_elements);
    let rows = plan.rows(scenario.workload.rows_per_sample);
    let tensor = f64::from(plan.tensor_parallel);
    let bytes = Bytes::new(rows * width * plan.precision.element_bytes() / tensor);
    let stage_gpus = f64::from(plan.tensor_parallel) * f64::from(plan.replicas());
    let per_node = f64::from(machine.gpus_per_node);
    let crossing = if machine.nodes == 1 { 0.0 } else { (stage_gpus / per_node).min(1.0) };
    let inside = point_to_point(scenario, false, 1.0, bytes);
    let across = point_to_point(scenario, true, per_node.min(stage_gpus), bytes);
    let one = inside * (1.0 - crossing) + across * crossing;
    // Interleaved stages have another chunk to compute while one is on its way.
    let hidden = if plan.virtual_stages > 1 { beside_products(scenario) } else { 0.0 };
    one * (2.0 * f64::from(plan.virtual_stages) * (1.0 - hidden))
}
