//! One optimizer step: micro-batches through the stages, collectives, update.
//!
//! `T = m x t_max + (sum of the other stages' t) / v + exposed reduction + optimizer + input + fixed`, where t is the
//! time of one micro-batch on a stage, forward, backward and recomputation, its tensor-parallel collectives and
//! transfers included. Source: 1F1B and interleaved schedules, Narayanan et al. 2021.

use super::Scenario;
use super::communication::{Group, collective, point_to_point};
use super::evidence::grades;
use super::exchange::{
    context_ring, exchange_passes, expert_exchange, host_update, hybrid_reduction, shard_group,
};
use super::memory::BytesPerParameter;
use super::parameters::StageParameters;
use super::roofline::{BlockTime, block_time};
use super::term::{Bound, Term, TermKind};
use crate::plan::{Plan, Recompute, Sharding, StageLayers};
use crate::profile::Grade;
use crate::units::{Bytes, Seconds};
use crate::workload::{Base, Block, CollectiveKind, Operator};

/// Step time by named terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepEstimate {
    times: [Seconds; TermKind::COUNT],
    grades: [Grade; TermKind::COUNT],
}

impl StepEstimate {
    /// Sum of the terms.
    pub fn total(&self) -> Seconds {
        self.times.iter().copied().sum()
    }

    /// All terms times a factor; with their evidence, where the factor was measured.
    #[must_use]
    pub fn scaled(&self, factor: f64, grade: Option<Grade>) -> Self {
        Self {
            times: self.times.map(|t| t * factor),
            grades: grade.map_or(self.grades, |g| [g; TermKind::COUNT]),
        }
    }

    /// One term.
    pub const fn time(&self, kind: TermKind) -> Seconds {
        self.times[kind as usize]
    }

    /// Terms that are not zero, in report order.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        TermKind::ALL
            .into_iter()
            .map(|kind| Term { kind, time: self.times[kind as usize], grade: self.grades[kind as usize] })
            .filter(|t| t.time.get() > 0.0)
    }

    /// The resource with the largest share of the step.
    pub fn binding(&self) -> Bound {
        let mut shares = [0.0; Bound::COUNT];
        for kind in TermKind::ALL {
            shares[kind.bound() as usize] += self.time(kind).get();
        }
        let mut best = Bound::Compute;
        for bound in Bound::ALL {
            if shares[bound as usize] > shares[best as usize] {
                best = bound;
            }
        }
        best
    }

    /// Share of the step that a resource takes.
    pub fn share(&self, bound: Bound) -> f64 {
        let time: Seconds =
            TermKind::ALL.into_iter().filter(|k| k.bound() == bound).map(|k| self.time(k)).sum();
        time / self.total()
    }

    /// The worst grade among terms that hold a tenth or more of the step.
    pub fn grade(&self) -> Grade {
        let total = self.total().get();
        self.terms().filter(|t| t.time.get() >= 0.1 * total).map(|t| t.grade).max().unwrap_or(Grade::D)
    }
}

/// Time of one micro-batch on one stage, by the terms it has.
#[derive(Debug, Clone, Copy, Default)]
struct StageTime {
    products: Seconds,
    convolutions: Seconds,
    attention: Seconds,
    element_wise: Seconds,
    recompute: Seconds,
    launch: Seconds,
    tensor_parallel: Seconds,
    experts: Seconds,
    context: Seconds,
    backward: Seconds,
    backward_kernels: f64,
    kernels: f64,
}

impl StageTime {
    fn total(&self) -> Seconds {
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
            + self.context
    }

    fn add(&mut self, scenario: &Scenario<'_>, plan: &Plan, time: &BlockTime, count: f64, layer: bool) {
        let both = |pair: [Seconds; 2]| (pair[0] + pair[1]) * count;
        self.products += both(time.products);
        self.convolutions += both(time.convolutions);
        self.attention += both(time.attention);
        self.element_wise += both(time.element_wise);
        self.backward += time.direction(1) * count;
        self.backward_kernels += time.kernels[1] * count;
        self.kernels += (time.kernels[0] + time.kernels[1]) * count;
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
        self.experts += expert_exchange(scenario, plan, time, exchange_passes(full)) * count;
        self.context += context_ring(scenario, plan, time) * count;
        if plan.tensor_parallel > 1 && time.collectives > 0.0 {
            let group = Group::place(plan.tensor_parallel, 1, scenario.machine.gpus_per_node);
            let element = plan.precision.element_bytes();
            let bytes = Bytes::new(time.reduced_elements / time.collectives * element);
            let one = collective(scenario, CollectiveKind::AllReduce, group, bytes);
            self.tensor_parallel += one * (time.collectives * passes * count);
        }
    }

    /// Adds what the host's launch rate costs beyond the device time; a smooth maximum of both.
    fn close(&mut self, scenario: &Scenario<'_>) {
        let joined = |device: Seconds, kernels: f64| {
            let host = scenario.stack.launch * kernels;
            let ratio = if device.get() > 0.0 { host / device } else { 0.0 };
            device * (1.0 + ratio.powi(LAUNCH_NORM)).powf(1.0 / f64::from(LAUNCH_NORM))
        };
        let device = self.device();
        self.launch = joined(device, self.kernels) - device;
        // A reduction hides behind a backward pass that waits for the host as well.
        self.backward = joined(self.backward, self.backward_kernels);
    }
}

/// Sharpness of the maximum of host and device time: they overlap but for short gaps.
const LAUNCH_NORM: i32 = 4;

/// The times of the stages: the ends, and the middle ones, of which `heavies` hold one layer more.
struct StageTimes {
    first: StageTime,
    middle: StageTime,
    heavy: StageTime,
    heavies: u32,
    last: StageTime,
}

fn stages(scenario: &Scenario<'_>, plan: &Plan) -> StageTimes {
    let workload = scenario.workload;
    let rows = plan.rows(workload.rows_per_sample);
    let layers = StageLayers::of(plan, workload.layers());
    let body = |stage: u32| {
        let mut body = StageTime::default();
        for block in &workload.body {
            let time = block_time(scenario, plan, block, rows);
            body.add(scenario, plan, &time, layers.share(f64::from(block.repeat), stage), true);
        }
        body
    };
    let mut middle = body(plan.pipeline_parallel - 1);
    let mut heavy = if layers.is_even() { middle } else { body(layers.first_heavy_middle().unwrap_or(0)) };
    let input = block_time(scenario, plan, &workload.input, rows);
    let head = block_time(scenario, plan, &workload.head, rows);
    let mut first = if layers.on(0) > layers.on(plan.pipeline_parallel - 1) { heavy } else { middle };
    first.add(scenario, plan, &input, 1.0, false);
    let mut last = middle;
    if plan.pipeline_parallel == 1 {
        first.add(scenario, plan, &head, 1.0, false);
        last = first;
    } else {
        last.add(scenario, plan, &head, 1.0, false);
    }
    for time in [&mut first, &mut middle, &mut heavy, &mut last] {
        time.close(scenario);
    }
    StageTimes { first, middle, heavy, heavies: layers.heavy_middles(), last }
}

/// Transfers of one micro-batch at one stage boundary, forward and backward, all virtual stages.
fn transfer(scenario: &Scenario<'_>, plan: &Plan) -> Seconds {
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
    one * (2.0 * f64::from(plan.virtual_stages))
}

/// Exposed collectives of the data-parallel group in one step: `(weight gathers, gradient reduction)`.
fn data_parallel(
    scenario: &Scenario<'_>,
    plan: &Plan,
    stage: u32,
    compute: &StageTime,
) -> (Seconds, Seconds) {
    if plan.replicas() == 1 {
        return (Seconds::ZERO, Seconds::ZERO);
    }
    let stack = scenario.stack;
    let recipe = BytesPerParameter::of(scenario, plan);
    let held = StageParameters::of(scenario, plan, stage);
    let group = Group::place(plan.replicas(), plan.tensor_parallel, scenario.machine.gpus_per_node);
    let m = f64::from(plan.gradient_accumulation_steps);
    if plan.sharding.gathers_weights() {
        let group = shard_group(scenario, plan);
        // Layers are gathered and reduced one by one; the buffer of a collective is a layer.
        let layers = f64::from(scenario.workload.layers().max(1));
        let layer = Bytes::new(held.weight_bytes / layers);
        let assemble = layer / stack.gather_rate;
        let gather = (collective(scenario, CollectiveKind::AllGather, group, layer) + assemble) * layers;
        let layer = Bytes::new(held.trained * recipe.gradients / layers);
        let assemble = layer / stack.gather_rate;
        let scatter = (collective(scenario, CollectiveKind::ReduceScatter, group, layer) + assemble) * layers;
        // Once for the forward pass, and again for the backward one where weights are dropped in between.
        let gathers = if plan.sharding == Sharding::ShardGradOp { 1.0 } else { 2.0 };
        let all = gather * gathers + scatter;
        if all.get() <= 0.0 {
            return (Seconds::ZERO, Seconds::ZERO);
        }
        let hidden = all.min(compute.total()) * stack.overlap_sharding;
        let exposed = (all - hidden) / all;
        let across = hybrid_reduction(scenario, plan, &held, compute.backward);
        return (gather * (gathers * m * exposed), scatter * (m * exposed) + across);
    }
    let bytes = Bytes::new(held.trained * recipe.gradients);
    let reduce = collective(scenario, CollectiveKind::AllReduce, group, bytes);
    let hidden = reduce.min(compute.backward) * stack.overlap_data_parallel;
    (Seconds::ZERO, reduce - hidden)
}

/// The tied table's gradient, reduced between the first and the last stage.
fn tied_reduction(scenario: &Scenario<'_>, plan: &Plan) -> Seconds {
    let workload = scenario.workload;
    if plan.pipeline_parallel == 1 || !workload.tied_embeddings || workload.base != Base::Trained {
        return Seconds::ZERO;
    }
    let recipe = BytesPerParameter::of(scenario, plan);
    let bytes =
        Bytes::new(workload.input.divided_parameters / f64::from(plan.tensor_parallel) * recipe.gradients);
    let across = scenario.machine.nodes > 1;
    point_to_point(scenario, across, f64::from(scenario.machine.gpus_per_node), bytes)
}

/// Bytes read and written per parameter by a fused update: gradient, master and moments read; master, moments and
/// the 16-bit weight written.
fn optimizer_bytes(scenario: &Scenario<'_>, plan: &Plan) -> f64 {
    let moments = scenario.optimizer.state_bytes;
    let weight_copy = if plan.precision.is_mixed() && scenario.optimizer.master_weights { 2.0 } else { 0.0 };
    (4.0 + 4.0 + moments) + (4.0 + moments) + weight_copy + scenario.optimizer.extra_traffic
}

/// Parameters that one GPU updates.
fn updated_parameters(scenario: &Scenario<'_>, plan: &Plan, stage: u32) -> f64 {
    let held = StageParameters::of(scenario, plan, stage);
    match plan.sharding {
        Sharding::None => held.trained,
        _ => held.trained_whole / f64::from(plan.shards(scenario.machine.gpus_per_node)),
    }
}

/// Parameter tensors that go with one weighted operator: its weight, a bias, and a share of the norms beside it.
const TENSORS_PER_PRODUCT: f64 = 3.0;

/// Launches of the update: tensors on this stage times kernels per tensor. ZeRO shards flat buffers, which need few.
fn optimizer_launch(scenario: &Scenario<'_>, plan: &Plan, stage: u32) -> Seconds {
    if plan.sharding != Sharding::None {
        return Seconds::ZERO;
    }
    let workload = scenario.workload;
    let weighted = |b: &Block| {
        let products = |o: &&Operator| {
            matches!(
                o,
                Operator::MatrixProduct { .. } | Operator::Convolution { .. } | Operator::Embedding { .. }
            )
        };
        b.operators.iter().filter(products).count() as f64
    };
    let body: f64 = workload.body.iter().map(|b| weighted(b) * f64::from(b.repeat)).sum();
    let ends = weighted(&workload.input) + weighted(&workload.head);
    let body = StageLayers::of(plan, workload.layers()).share(body, stage);
    let tensors = TENSORS_PER_PRODUCT * (body + ends);
    scenario.stack.launch * (tensors * scenario.stack.optimizer_kernels)
}

/// Time of one optimizer step. Assumes that the plan has been checked and its memory accepted.
///
/// The stage that decides takes longest with its reduction and update: the first, the last or one with a layer more.
pub fn step_time(scenario: &Scenario<'_>, plan: &Plan) -> StepEstimate {
    let all = stages(scenario, plan);
    let transfer = transfer(scenario, plan);
    let sum = |times: &[Seconds; TermKind::COUNT]| times.iter().copied().sum::<Seconds>();
    let mut times = on_stage(scenario, plan, &all, 0, transfer);
    let heavy = StageLayers::of(plan, scenario.workload.layers()).first_heavy_middle();
    let last = (plan.pipeline_parallel > 1).then_some(plan.pipeline_parallel - 1);
    for stage in last.into_iter().chain(heavy) {
        let other = on_stage(scenario, plan, &all, stage, transfer);
        if sum(&other) > sum(&times) {
            times = other;
        }
    }
    if let Some(input) = scenario.input {
        let needed = input.time(plan.global_batch() as f64);
        times[TermKind::Input as usize] = (needed - sum(&times)).max(Seconds::ZERO);
    }
    StepEstimate { times, grades: grades(scenario, plan) }
}

/// The terms of a step as the GPUs of one stage see it, without input.
fn on_stage(
    scenario: &Scenario<'_>,
    plan: &Plan,
    all: &StageTimes,
    stage: u32,
    transfer: Seconds,
) -> [Seconds; TermKind::COUNT] {
    let p = plan.pipeline_parallel;
    let own = match stage {
        0 => all.first,
        last if last + 1 == p => all.last,
        _ => all.heavy,
    };
    let m = f64::from(plan.gradient_accumulation_steps);
    let mut times = [Seconds::ZERO; TermKind::COUNT];
    let mut set = |kind: TermKind, time: Seconds| times[kind as usize] = time;

    set(TermKind::MatrixProducts, own.products * m);
    set(TermKind::Convolutions, own.convolutions * m);
    set(TermKind::Attention, own.attention * m);
    set(TermKind::ElementWise, own.element_wise * m);
    set(TermKind::Recompute, own.recompute * m);
    set(TermKind::Launch, own.launch * m + optimizer_launch(scenario, plan, stage));
    set(TermKind::TensorParallel, own.tensor_parallel * m);
    set(TermKind::ExpertParallel, own.experts * m);
    set(TermKind::ContextParallel, own.context * m);
    set(TermKind::PipelineTransfer, transfer * m);
    if p > 1 {
        let middles = p - 2 - all.heavies;
        let others = all.first.total()
            + all.last.total()
            + all.middle.total() * f64::from(middles)
            + all.heavy.total() * f64::from(all.heavies)
            - own.total()
            + transfer * f64::from(p - 1);
        set(TermKind::Bubble, others / f64::from(plan.virtual_stages));
    }
    let (gather, reduction) = data_parallel(scenario, plan, stage, &own);
    set(TermKind::WeightGather, gather);
    set(TermKind::GradientReduction, reduction + tied_reduction(scenario, plan));
    let parameters = updated_parameters(scenario, plan, stage);
    let traffic = Bytes::new(parameters * optimizer_bytes(scenario, plan) * scenario.stack.optimizer_traffic);
    let on_gpu = traffic / scenario.machine.hardware.dram;
    let update = if plan.optimizer_offload { host_update(scenario, plan, parameters) } else { on_gpu };
    set(if plan.optimizer_offload { TermKind::HostUpdate } else { TermKind::Optimizer }, update);
    let doublings = f64::from(scenario.machine.nodes).log2();
    let samples = f64::from(plan.micro_batch) * m;
    let fixed = scenario.stack.fixed_step + scenario.host_per_sample() * samples;
    set(TermKind::Fixed, fixed + scenario.stack.node_skew * doublings);
    times
}
