//! The numbers behind the terms of a step, for people who want to check them by hand.
//!
//! Counts follow the operator list on the stage that decides; rates are what the term's time makes of them, so that
//! count over rate is the time that the step shows.

use super::communication::Group;
use super::{Scenario, StepEstimate, TermKind};
use crate::plan::{Plan, Recompute, Sharding, StageLayers};
use crate::units::{Bytes, BytesPerSecond, FlopCount, FlopRate, Seconds};
use crate::workload::{Base, Block, Operator, Partition};

/// Symbols of one term's formula with this job's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figures {
    /// Products, forward and both gradients, of all micro-batches.
    Products {
        /// Products of one forward pass on one GPU.
        products: f64,
        /// Passes: forward and both gradients, or without the weight gradient where the weights are frozen.
        passes: f64,
        /// Micro-batches.
        micro_batches: u32,
        /// Arithmetic of a step on one GPU.
        work: FlopCount,
        /// Work over the term's time.
        rate: FlopRate,
        /// What a very large product sustains in isolation.
        sustained: FlopRate,
        /// Share of that the software reaches.
        efficiency: f64,
    },
    /// Bytes moved at the sustained memory bandwidth.
    Traffic {
        /// Bytes of a step on one GPU.
        bytes: Bytes,
        /// Sustained bandwidth.
        rate: BytesPerSecond,
    },
    /// A group that communicates.
    Group {
        /// GPUs.
        ranks: u32,
        /// Nodes they lie on.
        nodes: u32,
        /// Exposed time of one micro-batch.
        each: Seconds,
        /// Micro-batches.
        micro_batches: u32,
    },
    /// Fill and drain of a pipeline.
    Pipeline {
        /// Stages p.
        stages: u32,
        /// Virtual stages v.
        virtual_stages: u32,
        /// Micro-batches m.
        micro_batches: u32,
        /// (p - 1) / (v m), what equal stages would idle relative to their work.
        ideal: f64,
    },
    /// A part of the forward pass done again.
    Again {
        /// What is computed again.
        level: Recompute,
        /// Micro-batches.
        micro_batches: u32,
    },
}

/// Where the numbers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources<'a> {
    /// Of the GPU's profile.
    pub hardware: &'a str,
    /// Of the software's coefficients.
    pub software: &'a str,
    /// Of the links inside a node.
    pub link: &'a str,
    /// Of the network class.
    pub network: &'a str,
}

/// What is behind the terms of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation<'a> {
    figures: Vec<(TermKind, Figures)>,
    /// Where the numbers come from.
    pub sources: Sources<'a>,
}

impl Explanation<'_> {
    /// The figures of a term; `None` where its words say everything.
    pub fn figures(&self, kind: TermKind) -> Option<&Figures> {
        self.figures.iter().find(|(k, _)| *k == kind).map(|(_, figures)| figures)
    }
}

/// Explains a step.
pub fn explain<'a>(scenario: &Scenario<'a>, plan: &Plan, step: &StepEstimate) -> Explanation<'a> {
    let figures =
        TermKind::ALL.into_iter().filter_map(|kind| Some((kind, figures(scenario, plan, step, kind)?)));
    Explanation { figures: figures.collect(), sources: sources(scenario) }
}

fn sources<'a>(scenario: &Scenario<'a>) -> Sources<'a> {
    Sources {
        hardware: &scenario.machine.hardware.source,
        software: &scenario.stack.source,
        link: &scenario.machine.link.source,
        network: &scenario.machine.network.source,
    }
}

/// Products of a block's forward pass on one GPU, and their FLOP for so many rows.
fn products(block: &Block, plan: &Plan, rows: f64) -> (f64, f64) {
    let tensor = f64::from(plan.tensor_parallel);
    let (mut count, mut flop) = (0.0, 0.0);
    for operator in &block.operators {
        if let Operator::MatrixProduct { inputs, outputs, partition, .. } = *operator {
            let share = if matches!(partition, Partition::Column | Partition::Row) { tensor } else { 1.0 };
            count += 1.0;
            flop += 2.0 * rows * block.row_share * inputs * outputs / share;
        }
    }
    (count, flop)
}

/// Forward, input gradient and, where the weights are trained, weight gradient.
fn passes(base: Base) -> f64 {
    if base == Base::Trained { 3.0 } else { 2.0 }
}

fn product_figures(scenario: &Scenario<'_>, plan: &Plan, time: Seconds) -> Option<Figures> {
    let workload = scenario.workload;
    let rows = f64::from(plan.micro_batch) * f64::from(workload.rows_per_sample);
    let layers = StageLayers::of(plan, workload.layers());
    let fullest = layers.first_heavy_middle().unwrap_or(0);
    let (mut count, mut flop) = products(&workload.head, plan, rows);
    for block in &workload.body {
        let (own, work) = products(block, plan, rows);
        let repeat = layers.share(f64::from(block.repeat), fullest);
        count += own * repeat;
        flop += work * repeat;
    }
    let passes = passes(workload.base);
    let work = FlopCount::new(flop * passes * f64::from(plan.gradient_accumulation_steps));
    let profile = scenario.machine.hardware.matmul(plan.precision)?;
    Some(Figures::Products {
        products: count,
        passes,
        micro_batches: plan.gradient_accumulation_steps,
        work,
        rate: work / time,
        sustained: profile.peak,
        efficiency: (work / time) / profile.peak,
    })
}

fn figures(scenario: &Scenario<'_>, plan: &Plan, step: &StepEstimate, kind: TermKind) -> Option<Figures> {
    let time = step.time(kind);
    if time.get() <= 0.0 {
        return None;
    }
    let machine = &scenario.machine;
    let micro_batches = plan.gradient_accumulation_steps;
    let per_node = machine.gpus_per_node;
    let group = |group: Group, times: u32| Figures::Group {
        ranks: group.size(),
        nodes: group.nodes,
        each: time / f64::from(times),
        micro_batches: times,
    };
    let data = Group::place(plan.replicas(), plan.tensor_parallel, per_node);
    match kind {
        TermKind::MatrixProducts => product_figures(scenario, plan, time),
        TermKind::ElementWise | TermKind::Optimizer => {
            let rate = machine.hardware.dram;
            Some(Figures::Traffic { bytes: rate * time, rate })
        }
        TermKind::TensorParallel => {
            Some(group(Group::place(plan.tensor_parallel, 1, per_node), micro_batches))
        }
        TermKind::ContextParallel => {
            Some(group(Group::place(plan.context_parallel, plan.tensor_parallel, per_node), micro_batches))
        }
        TermKind::ExpertParallel => {
            Some(group(Group::place(plan.expert_parallel, plan.tensor_parallel, per_node), micro_batches))
        }
        TermKind::WeightGather | TermKind::TableExchange => Some(group(data, micro_batches)),
        TermKind::GradientReduction => {
            Some(group(data, if plan.sharding == Sharding::Zero3 { micro_batches } else { 1 }))
        }
        TermKind::Bubble => Some(Figures::Pipeline {
            stages: plan.pipeline_parallel,
            virtual_stages: plan.virtual_stages,
            micro_batches,
            ideal: f64::from(plan.pipeline_parallel - 1) / f64::from(plan.virtual_stages * micro_batches),
        }),
        TermKind::Recompute => Some(Figures::Again { level: plan.recompute, micro_batches }),
        TermKind::Convolutions
        | TermKind::Attention
        | TermKind::Launch
        | TermKind::PipelineTransfer
        | TermKind::HostUpdate
        | TermKind::Input
        | TermKind::Fixed => None,
    }
}
