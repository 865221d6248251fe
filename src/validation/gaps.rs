//! The plan of a measured run, and what may stand in its gaps.
//!
//! What is stated is taken. Absent sharding is none, absent sequence parallelism is none, absent degrees are 1, the
//! data-parallel degree follows from the GPUs. An absent micro-batch or recomputation is whichever is fastest among
//! those that fit: [`Candidates`] lists them, the prediction takes the fastest.

use super::run::{BatchUnit, Run};
use super::scenario::keeps_weights;
use super::skip::{Skip, SkipReason};
use crate::catalog::{GpuSpec, Precision};
use crate::plan::{Plan, PlanError, Recompute, Sharding};
use crate::profile::{Method, StackProfile};
use crate::simulator::{Scenario, Verdict, memory, usually_fused_attention};
use crate::workload::Workload;
use crate::workload::job::Assumption;

/// Largest micro-batch tried.
const LARGEST_POWER: u32 = 10;

/// Plans that agree with a row, and what was assumed in them.
#[derive(Debug)]
pub(super) struct Candidates {
    pub plans: Vec<Plan>,
    pub assumed: Vec<Assumption>,
    /// Whether anything is left open.
    pub open: bool,
}

struct Filler<'r> {
    run: &'r Run,
    assumed: Vec<Assumption>,
}

impl Filler<'_> {
    fn assume(&mut self, name: &str, value: impl std::fmt::Display, reason: &str) {
        let value = format!("{value}");
        self.assumed.push(Assumption { name: name.to_owned(), value, reason: reason.to_owned() });
    }

    fn or<T: std::fmt::Display + Copy>(
        &mut self,
        name: &str,
        stated: Option<T>,
        filler: T,
        reason: &str,
    ) -> T {
        stated.unwrap_or_else(|| {
            self.assume(name, filler, reason);
            filler
        })
    }
}

/// Lists the plans of a run on `gpus` GPUs.
pub(super) fn candidates(
    run: &Run,
    workload: &Workload,
    gpu: &GpuSpec,
    stack: &StackProfile,
    gpus: u32,
    precision: Precision,
) -> Result<Candidates, Skip> {
    let mut fill = Filler { run, assumed: Vec::new() };
    let base = base(&mut fill, workload, gpu, stack, gpus, precision)?;
    let batches = batches(&mut fill, workload, base.data_parallel)?;
    let recomputations: Vec<Recompute> = match run.recompute {
        Some(stated) => vec![stated],
        None if workload.attention.is_none() => vec![Recompute::None],
        None if base.flash_attention => vec![Recompute::None, Recompute::Full],
        None => vec![Recompute::None, Recompute::Selective, Recompute::Full],
    };
    let mut plans = Vec::with_capacity(batches.len() * recomputations.len());
    for &(micro_batch, gradient_accumulation_steps) in &batches {
        for &recompute in &recomputations {
            plans.push(Plan { recompute, micro_batch, gradient_accumulation_steps, ..base });
        }
    }
    check(&mut fill, workload, (gpus, stack.supports(Method::UnevenPipeline)), &plans)?;
    Ok(Candidates { open: plans.len() > 1, plans, assumed: fill.assumed })
}

fn base(
    fill: &mut Filler<'_>,
    workload: &Workload,
    gpu: &GpuSpec,
    stack: &StackProfile,
    gpus: u32,
    precision: Precision,
) -> Result<Plan, Skip> {
    let run = fill.run;
    let transformer = workload.attention.is_some();
    let tensor_parallel = run.tensor_parallel.unwrap_or(1);
    let pipeline_parallel = run.pipeline_parallel.unwrap_or(1);
    let context_parallel = run.context_parallel.unwrap_or(1);
    let model = tensor_parallel.saturating_mul(pipeline_parallel).saturating_mul(context_parallel);
    if transformer && (run.tensor_parallel.is_none() || run.pipeline_parallel.is_none()) && model < gpus {
        fill.assume("tensor and pipeline parallel", model, "not stated");
    }
    if model > gpus || !gpus.is_multiple_of(model) {
        let detail = format!("tensor {tensor_parallel} x pipeline {pipeline_parallel} on {gpus} GPUs");
        return Err(Skip::new(SkipReason::Plan, detail));
    }
    let data_parallel = run.data_parallel.unwrap_or(gpus / model);
    let sharding = match run.sharding.unwrap_or(Sharding::None) {
        Sharding::Zero2 if keeps_weights(stack) => {
            let reason = "its second stage shards weights as well and keeps them together between the passes";
            fill.assume("sharding", Sharding::ShardGradOp.name(), reason);
            Sharding::ShardGradOp
        }
        stated => stated,
    };
    if run.sharding.is_none() && data_parallel > 1 {
        fill.assume("sharding", sharding.name(), "not stated");
    }
    if run.sequence_parallel.is_none() && tensor_parallel > 1 {
        fill.assume("sequence parallel", "no", "not stated");
    }
    if run.virtual_stages.is_none() && pipeline_parallel > 1 {
        fill.assume("virtual stages", 1, "not stated");
    }
    let flash_attention = match run.flash_attention {
        Some(stated) => stated && transformer,
        None if !transformer => false,
        None => {
            let usual = usually_fused_attention(workload, gpu, stack);
            fill.assume(
                "flash attention",
                if usual { "on" } else { "off" },
                "not stated: usual for stack, GPU and network",
            );
            usual
        }
    };
    Ok(Plan {
        tensor_parallel,
        pipeline_parallel,
        virtual_stages: run.virtual_stages.unwrap_or(1),
        data_parallel,
        context_parallel,
        expert_parallel: run.expert_parallel.unwrap_or(1),
        sharding: if run.hybrid_sharding { Sharding::Hsdp } else { sharding },
        sequence_parallel: run.sequence_parallel.unwrap_or(false),
        optimizer_offload: run.optimizer_offload == Some(true),
        ..Plan::single(precision, flash_attention)
    })
}

/// `(micro-batch, gradient accumulation)` that agree with what is stated.
fn batches(fill: &mut Filler<'_>, workload: &Workload, data_parallel: u32) -> Result<Vec<(u32, u32)>, Skip> {
    let run = fill.run;
    let fail = |detail: String| Skip::new(SkipReason::Batch, detail);
    let samples = |count: Option<u64>| match (count, run.batch_unit) {
        (Some(tokens), BatchUnit::Tokens) if workload.rows_per_sample == 1 => {
            // Samples of the zoo's mean length; packed batches hold whole ones only on average.
            Ok(Some(((tokens as f64 / workload.tokens_per_sample).round() as u64).max(1)))
        }
        (Some(tokens), BatchUnit::Tokens) => {
            let rows = u64::from(workload.rows_per_sample.max(1));
            if tokens.is_multiple_of(rows) {
                Ok(Some(tokens / rows))
            } else {
                Err(fail(format!("{tokens} tokens are no whole sequences of {rows}")))
            }
        }
        (count, _) => Ok(count),
    };
    let (global, micro) = (samples(run.global_batch)?, samples(run.micro_batch)?);
    let narrow = |n: u64| u32::try_from(n).map_err(|_| fail(format!("{n} is too large")));
    let Some(global) = global else {
        let accumulation = fill.or("gradient accumulation", run.gradient_accumulation, 1, "not stated");
        return match micro {
            Some(micro) => Ok(vec![(narrow(micro)?, accumulation)]),
            None => Ok((0..=LARGEST_POWER).map(|power| (1 << power, accumulation)).collect()),
        };
    };
    let ranks = u64::from(data_parallel);
    let packed = run.batch_unit == BatchUnit::Tokens && workload.rows_per_sample == 1;
    let global = if packed { global.div_ceil(ranks) * ranks } else { global };
    if packed && run.gradient_accumulation.is_none_or(|steps| steps == 1) {
        return Ok(vec![(narrow(global / ranks)?, 1)]);
    }
    if !global.is_multiple_of(ranks) {
        return Err(fail(format!("global batch {global} over {data_parallel} data-parallel ranks")));
    }
    let per_rank = global / u64::from(data_parallel);
    let micro = micro.or_else(|| {
        let accumulation = u64::from(run.gradient_accumulation?);
        per_rank.is_multiple_of(accumulation).then(|| per_rank / accumulation)
    });
    match micro {
        Some(micro) if per_rank.is_multiple_of(micro) => {
            Ok(vec![(narrow(micro)?, narrow(per_rank / micro)?)])
        }
        Some(micro) => Err(fail(format!("{per_rank} samples per rank in micro-batches of {micro}"))),
        None => {
            let powers = (0..=LARGEST_POWER).map(|power| 1_u64 << power);
            let mut sizes: Vec<u64> = powers.filter(|&size| per_rank.is_multiple_of(size)).collect();
            if !sizes.contains(&per_rank) {
                sizes.push(per_rank);
            }
            sizes.into_iter().map(|size| Ok((narrow(size)?, narrow(per_rank / size)?))).collect()
        }
    }
}

/// A plan that ran is taken even if the software is not known to split so; degrees that do not multiply out are an
/// error of the row.
fn check(
    fill: &mut Filler<'_>,
    workload: &Workload,
    (gpus, uneven): (u32, bool),
    plans: &[Plan],
) -> Result<(), Skip> {
    let heads = workload.attention.map_or(0, |a| a.heads);
    let Some(Err(errors)) = plans.first().map(|p| p.check(workload.layers(), heads, gpus, uneven)) else {
        return Ok(());
    };
    for error in errors {
        match error {
            PlanError::Divisibility { .. } => {
                fill.assume("division", "as near as whole layers allow", &error.to_string());
            }
            _ => return Err(Skip::new(SkipReason::Plan, error.to_string())),
        }
    }
    Ok(())
}

/// Keeps the plans that fit (tightly too: the run happened), or else the one that needs least; says so.
pub(super) fn keep_fitting(candidates: &mut Candidates, scenario: &Scenario<'_>) {
    if !candidates.open {
        return;
    }
    let fitting: Vec<Plan> = candidates
        .plans
        .iter()
        .copied()
        .filter(|plan| memory(scenario, plan).verdict() != Verdict::No)
        .collect();
    let assume = |value: &str, reason: &str| Assumption {
        name: "micro-batch and recomputation".to_owned(),
        value: value.to_owned(),
        reason: reason.to_owned(),
    };
    if fitting.is_empty() {
        let share = |plan: &Plan| memory(scenario, plan).share();
        let least = candidates.plans.iter().copied().min_by(|a, b| share(a).total_cmp(&share(b)));
        candidates.plans = least.into_iter().collect();
        candidates.assumed.push(assume("the least memory", "not stated, and nothing fits by this count"));
    } else {
        candidates.plans = fitting;
        candidates.assumed.push(assume("the fastest that fits", "not stated"));
    }
}
