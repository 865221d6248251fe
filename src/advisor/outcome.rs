//! The figures of an answer that a change moves, whatever kind of question gave it.

use super::candidate::Candidate;
use super::rank::interval_cost;
use super::recommend::Recommendation;
use super::simulation::Simulation;
use crate::plan::Plan;
use crate::profile::Grade;
use crate::simulator::{Bound, Interval};
use crate::units::{Bytes, Seconds};

/// What a job does on the cluster that was named or chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Nodes.
    pub nodes: u32,
    /// GPUs.
    pub gpus: u32,
    /// The plan.
    pub plan: Plan,
    /// Time of one step.
    pub step: Seconds,
    /// Time of the job that is paid, in seconds.
    pub time: Interval,
    /// Cost in the currency asked for, where there is a price.
    pub cost: Option<Interval>,
    /// P50 GPU-hours.
    pub gpu_hours: f64,
    /// Memory of the fullest GPU.
    pub memory: Bytes,
    /// What is usable of it.
    pub usable: Bytes,
    /// What binds the step, and its share of it.
    pub binding: (Bound, f64),
    /// Worst evidence among the terms that matter.
    pub grade: Grade,
}

/// An answer in short: a cluster and its figures, or the reason why there are none.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The cluster; empty when nothing passes.
    pub cluster: String,
    /// The figures, or the name of the reason.
    pub figures: Result<Box<Figures>, &'static str>,
}

impl Outcome {
    /// Of one cluster that was named.
    pub fn of_simulation(simulation: &Simulation) -> Self {
        let figures = simulation.outcome.as_ref().map_err(|blocked| blocked.reason.name()).map(|e| {
            let planned = &e.planned;
            let cost = e.cost.as_ref().and_then(|c| c.comparable()).map(|c| Interval {
                p10: c.p10.as_f64(),
                p50: c.p50.as_f64(),
                p90: c.p90.as_f64(),
            });
            Box::new(Figures {
                nodes: simulation.cluster.nodes,
                gpus: simulation.cluster.gpus(),
                plan: planned.plan,
                step: planned.step.total(),
                time: e.paid,
                cost,
                gpu_hours: e.gpu_hours,
                memory: planned.memory.peak(),
                usable: planned.memory.usable,
                binding: (planned.step.binding(), planned.step.share(planned.step.binding())),
                grade: e.grade,
            })
        });
        Self { cluster: simulation.cluster.label.clone(), figures }
    }

    /// Of the candidate that wins; of the first without a price where nothing else is left.
    pub fn of_recommendation(answer: &Recommendation) -> Self {
        let Some(best) = answer.ranked.first().or_else(|| answer.unpriced.first()) else {
            let reason = answer.rejections.first().map_or("no_offer", |group| group.reason);
            return Self { cluster: String::new(), figures: Err(reason) };
        };
        Self::of_candidate(best)
    }

    /// Of one candidate.
    pub fn of_candidate(best: &Candidate) -> Self {
        let planned = &best.planned;
        let figures = Figures {
            nodes: best.cluster.nodes,
            gpus: best.cluster.gpus(),
            plan: planned.plan,
            step: planned.step.total(),
            time: best.paid,
            cost: interval_cost(best),
            gpu_hours: best.gpu_hours,
            memory: planned.memory.peak(),
            usable: planned.memory.usable,
            binding: (planned.step.binding(), planned.step.share(planned.step.binding())),
            grade: best.grade,
        };
        Self { cluster: best.cluster.label.clone(), figures: Ok(Box::new(figures)) }
    }

    /// The figures, when there are any.
    pub fn figures(&self) -> Option<&Figures> {
        self.figures.as_ref().ok().map(AsRef::as_ref)
    }
}

/// How an outcome relates to an earlier one: after over before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// Of the step time.
    pub step: f64,
    /// Of the P50 time.
    pub time: f64,
    /// Of the P50 cost, where both have one.
    pub cost: Option<f64>,
    /// Of the GPU-hours.
    pub gpu_hours: f64,
    /// Of the memory.
    pub memory: f64,
}

/// The ratios of two outcomes that both have figures.
pub fn ratios(before: &Outcome, after: &Outcome) -> Option<Ratios> {
    let (a, b) = (before.figures()?, after.figures()?);
    Some(Ratios {
        step: b.step / a.step,
        time: b.time.p50 / a.time.p50,
        cost: a.cost.zip(b.cost).map(|(a, b)| b.p50 / a.p50),
        gpu_hours: b.gpu_hours / a.gpu_hours,
        memory: b.memory / a.memory,
    })
}
