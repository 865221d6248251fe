//! What each runner-up lacks, found by taking it apart: its cost over the winner's is its price per GPU-hour over the
//! winner's, times its GPU-hours over the winner's; how much of the latter is the network or the memory is tried by simulating
//! it with twice of each.

use rayon::prelude::*;

use super::candidate::{Candidate, Objective, Request};
use super::kind::first_of_kinds;
use super::plan_search::best_plan;
use super::precision::resolve_precision;
use super::question::Question;
use super::rank::interval_cost;
use super::recommend::Facts;
use super::simulation::scenario;
use super::support::way;
use crate::catalog::GpuSpec;
use crate::simulator::{Machine, Scenario, usually_fused_attention};

/// What a runner-up lacks most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// A lower price per GPU-hour.
    Price,
    /// A faster GPU.
    Speed,
    /// A wider network.
    Network,
    /// More memory per GPU.
    Memory,
    /// More GPUs, where time decides.
    Size,
}

/// How a runner-up falls short of the winner; ratios are its own over the winner's.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortfall {
    /// The runner-up.
    pub cluster: String,
    /// Ratio of the P50 costs.
    pub cost: f64,
    /// Ratio of the P50 times.
    pub time: f64,
    /// Ratio of the prices per GPU-hour.
    pub price: f64,
    /// Ratio of the GPU-hours.
    pub gpu_hours: f64,
    /// Its step time over that with twice the network bandwidth.
    pub network: f64,
    /// Its step time over that with twice the memory per GPU.
    pub memory: f64,
    /// What it lacks most; `None` where it falls short of nothing that was tried.
    pub lacks: Option<Lack>,
}

/// Below this share a cause is not worth a word.
const NOTICEABLE: f64 = 0.02;

/// Runners-up that are looked at.
const RUNNERS_UP: usize = 4;

/// What the first of each kind beside the winner's lacks against it.
pub(super) fn lacking(facts: Facts<'_>, request: &Request, ranked: &[Candidate]) -> Vec<Shortfall> {
    let Some(winner) = ranked.first() else { return Vec::new() };
    let runners = first_of_kinds(ranked, request, RUNNERS_UP + 1);
    let runners: Vec<&Candidate> = runners.into_iter().skip(1).map(|(_, c)| c).collect();
    runners.par_iter().filter_map(|c| shortfall(facts, request, winner, c)).collect()
}

fn shortfall(
    facts: Facts<'_>,
    request: &Request,
    winner: &Candidate,
    candidate: &Candidate,
) -> Option<Shortfall> {
    let (own, best) = (interval_cost(candidate)?.p50, interval_cost(winner)?.p50);
    let cost = own / best;
    let gpu_hours = candidate.gpu_hours / winner.gpu_hours;
    let time = candidate.paid.p50 / winner.paid.p50;
    let (network, memory) = doubled(facts, request, candidate)?;
    let price = cost / gpu_hours;
    let size = f64::from(winner.cluster.gpus()) / f64::from(candidate.cluster.gpus());
    // What twice the network and the memory leave is the GPU itself.
    let speed = gpu_hours / (network * memory);
    let causes = match request.objective {
        Objective::Time => {
            [(Lack::Size, size), (Lack::Speed, speed), (Lack::Network, network), (Lack::Memory, memory)]
        }
        _ => [(Lack::Price, price), (Lack::Speed, speed), (Lack::Network, network), (Lack::Memory, memory)],
    };
    let most = causes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let lacks = (most.1 > 1.0 + NOTICEABLE).then_some(most.0);
    Some(Shortfall {
        cluster: candidate.cluster.label.clone(),
        cost,
        time,
        price,
        gpu_hours,
        network,
        memory,
        lacks,
    })
}

/// Step time over that with twice the network, and over that with twice the memory.
fn doubled(facts: Facts<'_>, request: &Request, candidate: &Candidate) -> Option<(f64, f64)> {
    let question = Question::from(request);
    let job = &request.job;
    let gpu = facts.catalog.gpu(candidate.cluster.gpu);
    let stack = facts.profiles.stack(&job.stack)?;
    let layered = facts.profiles.layered(stack, gpu, way(job));
    let stack = layered.as_ref().unwrap_or(stack);
    let (precision, _) = resolve_precision(job, gpu, stack).ok()?;
    let scenario = scenario(facts, &question, &candidate.cluster, stack);
    let batch = candidate.planned.plan.global_batch() as f64;
    let flash = usually_fused_attention(scenario.workload, gpu, stack);
    let step = |machine: Machine<'_>| {
        let changed = Scenario { machine, ..scenario };
        best_plan(&changed, batch, precision, flash, &request.constraints)
            .ok()
            .map(|planned| planned.step.total().get())
    };
    let now = step(scenario.machine)?;
    let wide = Machine { network_bandwidth: scenario.machine.network_bandwidth * 2.0, ..scenario.machine };
    let large = GpuSpec { memory_usable: gpu.memory_usable * 2.0, ..gpu.clone() };
    let roomy = Machine { gpu: &large, ..scenario.machine };
    Some((now / step(wide)?, now / step(roomy)?))
}
