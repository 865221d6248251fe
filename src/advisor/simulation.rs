//! One job on one cluster: plan, time, memory, cost, and what to be careful with.

use super::interval::sigma;
use super::machine::machine;
use super::plan_search::{PlanConstraints, Planned, best_plan, nearest_plan};
use super::precision::{flash_attention_default, resolve_precision};
use super::recommend::Facts;
use super::rejection::RejectionReason;
use super::warning::{Warning, warnings};
use crate::catalog::Precision;
use crate::cost::{CostOutcome, JobTimes, Offer, PriceRules, job_cost};
use crate::plan::{Cluster, Plan};
use crate::profile::{Grade, StackProfile};
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{InputRate, JobTime, Machine, MemoryEstimate, Scenario, job_time, step_time};
use crate::units::{Bytes, BytesPerSecond, FlopCount, Seconds};
use crate::workload::job::Assumption;
use crate::workload::{Job, model_flop_per_row, six_nd};

/// What is asked about each cluster.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The job.
    pub job: &'a Job,
    /// Plan parts that the user fixed.
    pub constraints: &'a PlanConstraints,
    /// Bandwidth of the storage, when input matters.
    pub storage: Option<BytesPerSecond>,
    /// Prices, currency and day.
    pub prices: &'a PriceRules,
}

/// Arithmetic of one optimizer step, counted twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Utilization {
    /// Model FLOP of a step, operator by operator.
    pub exact: FlopCount,
    /// The usual 6 N D.
    pub six_nd: FlopCount,
    /// Exact model FLOP over what the GPUs could do at their dense peak in the time; `None` without a stated peak.
    pub model_flop_utilization: Option<f64>,
    /// The same with 6 N D.
    pub six_nd_utilization: Option<f64>,
}

/// What a job that runs does.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Plan, step, memory.
    pub planned: Planned,
    /// Whole-job time with its interval.
    pub time: JobTime,
    /// Standard deviation of ln(time).
    pub sigma: f64,
    /// P50 GPU-hours.
    pub gpu_hours: f64,
    /// Samples per second.
    pub samples_per_s: f64,
    /// Rows (tokens) per second.
    pub rows_per_s: f64,
    /// Arithmetic.
    pub utilization: Utilization,
    /// Cost, where the cluster is an instance type.
    pub cost: Option<CostOutcome>,
    /// Worst evidence among the terms that matter.
    pub grade: Grade,
    /// Bytes per parameter before sharding.
    pub recipe: BytesPerParameter,
}

/// Why a job does not run, as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// The reason.
    pub reason: RejectionReason,
    /// The plan that comes nearest and its memory, when memory is the reason.
    pub nearest: Option<(Plan, MemoryEstimate, BytesPerParameter)>,
}

/// One job on one cluster.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The cluster.
    pub cluster: Cluster,
    /// Name of the GPU for people.
    pub gpu_name: String,
    /// Id of the GPU.
    pub gpu_id: String,
    /// Where it is bought, for instance types.
    pub offer: Option<Offer>,
    /// What comes of it.
    pub outcome: Result<Box<Estimate>, Box<Blocked>>,
    /// What was assumed beyond the job.
    pub assumed: Vec<Assumption>,
    /// What to be careful with.
    pub warnings: Vec<Warning>,
}

impl Simulation {
    /// The estimate, when the job runs.
    pub fn estimate(&self) -> Option<&Estimate> {
        self.outcome.as_ref().ok().map(AsRef::as_ref)
    }
}

/// Simulates a job on a cluster. `assumed` is what was assumed in making the cluster.
///
/// # Panics
/// When the profiles lack the job's software stack, which the reader of the job rules out.
pub fn simulate(
    facts: Facts<'_>,
    question: &Question<'_>,
    cluster: Cluster,
    offer: Option<Offer>,
    assumed: Vec<Assumption>,
) -> Simulation {
    let job = question.job;
    let gpu = facts.catalog.gpu(cluster.gpu);
    let stack = facts.profiles.stack(&job.stack).expect("the reader of the job checked the stack");
    let scenario = scenario(facts, question, &cluster, stack);
    let mut simulation = Simulation {
        gpu_name: gpu.name.clone(),
        gpu_id: gpu.id.clone(),
        offer,
        outcome: Err(Box::new(Blocked { reason: RejectionReason::Gone, nearest: None })),
        assumed,
        warnings: Vec::new(),
        cluster,
    };
    let (precision, why) = match resolve_precision(job, gpu, stack) {
        Ok(choice) => choice,
        Err(reason) => {
            simulation.outcome = Err(Box::new(Blocked { reason, nearest: None }));
            return simulation;
        }
    };
    if let Some(why) = why {
        simulation.assume("precision", precision.name().to_owned(), why);
    }
    let flash = flash_attention_default(gpu, stack);
    let plan = match best_plan(&scenario, job.global_batch, precision, flash, question.constraints) {
        Ok(planned) => {
            let estimate = estimate(facts, question, &scenario, &simulation, planned);
            simulation.outcome = Ok(Box::new(estimate));
            planned.plan
        }
        Err(reason) => {
            let nearest = matches!(reason, RejectionReason::Memory { .. })
                .then(|| nearest_plan(&scenario, job.global_batch, precision, flash, question.constraints))
                .flatten()
                .map(|(plan, memory)| (plan, memory, BytesPerParameter::of(&scenario, &plan)));
            let plan = nearest.map_or_else(|| no_plan(precision, flash), |(plan, ..)| plan);
            simulation.outcome = Err(Box::new(Blocked { reason, nearest }));
            plan
        }
    };
    let chosen = chosen(question.constraints, &plan);
    if simulation.outcome.is_ok() && !chosen.is_empty() {
        simulation.assume("plan", chosen, "chosen for the shortest step that fits");
    }
    simulation.warnings = warnings(&scenario, &plan, &simulation, question.prices.as_of);
    simulation
}

impl Simulation {
    fn assume(&mut self, name: &str, value: String, reason: &str) {
        self.assumed.push(Assumption { name: name.to_owned(), value, reason: reason.to_owned() });
    }
}

fn scenario<'a>(
    facts: Facts<'a>,
    question: &Question<'a>,
    cluster: &Cluster,
    stack: &'a StackProfile,
) -> Scenario<'a> {
    let input = match (question.job.bytes_per_sample, question.storage) {
        (Some(bytes), Some(storage)) => Some(InputRate { bytes_per_sample: Bytes::new(bytes), storage }),
        _ => None,
    };
    Scenario {
        workload: &question.job.workload,
        optimizer: question.job.optimizer,
        machine: machine(cluster, facts.catalog, facts.profiles),
        stack,
        input,
    }
}

fn estimate(
    facts: Facts<'_>,
    question: &Question<'_>,
    scenario: &Scenario<'_>,
    simulation: &Simulation,
    planned: Planned,
) -> Estimate {
    let (job, cluster) = (question.job, &simulation.cluster);
    let batch = planned.plan.global_batch() as f64;
    let rows = f64::from(job.workload.rows_per_sample);
    let spread = sigma(scenario, &planned, facts.profiles);
    let assured = cluster.network.assured;
    let slow = (cluster.nodes > 1 && assured < cluster.network.maximum).then(|| {
        let machine = Machine { network_bandwidth: assured, ..scenario.machine };
        step_time(&Scenario { machine, ..*scenario }, &planned.plan).total()
    });
    let step = planned.step.total();
    let time = job_time(job.length.steps(batch, rows), step, slow, spread);
    let times = JobTimes {
        p10: Seconds::new(time.total.p10),
        p50: Seconds::new(time.total.p50),
        p90: Seconds::new(time.total.p90),
    };
    let prices = question.prices;
    let cost = simulation.offer.as_ref().map(|offer| {
        let rule = facts.billing.rule(&offer.place.provider);
        let price = offer.price.as_ref().map(|s| &s.price);
        job_cost(price, cluster.nodes, times, &rule, &prices.fx, prices.currency)
    });
    Estimate {
        planned,
        time,
        sigma: spread,
        gpu_hours: times.p50.hours() * f64::from(cluster.gpus()),
        samples_per_s: batch / step.get(),
        rows_per_s: batch * rows / step.get(),
        utilization: utilization(scenario, &planned, batch * rows),
        cost,
        grade: planned.step.grade(),
        recipe: BytesPerParameter::of(scenario, &planned.plan),
    }
}

fn utilization(scenario: &Scenario<'_>, planned: &Planned, rows: f64) -> Utilization {
    let exact = model_flop_per_row(scenario.workload) * rows;
    let estimate = six_nd(scenario.workload) * rows;
    let peak = scenario.machine.gpu.peak(planned.plan.precision);
    let ratio = |flop: FlopCount| {
        let possible = peak? * f64::from(scenario.machine.gpus()) * planned.step.total().get();
        Some(flop.get() / possible.get())
    };
    Utilization {
        exact,
        six_nd: estimate,
        model_flop_utilization: ratio(exact),
        six_nd_utilization: ratio(estimate),
    }
}

/// The parts of a plan that the user did not fix, in words.
fn chosen(constraints: &PlanConstraints, plan: &Plan) -> String {
    let on = |on: bool| if on { "on" } else { "off" }.to_owned();
    let c = constraints;
    let parts = [
        (c.tensor_parallel.is_some(), "tensor parallel", plan.tensor_parallel.to_string()),
        (c.pipeline_parallel.is_some(), "pipeline parallel", plan.pipeline_parallel.to_string()),
        (
            c.virtual_stages.is_some() || plan.pipeline_parallel == 1,
            "virtual stages",
            plan.virtual_stages.to_string(),
        ),
        (c.sharding.is_some(), "sharding", plan.sharding.name().to_owned()),
        (
            c.sequence_parallel.is_some() || plan.tensor_parallel == 1,
            "sequence parallel",
            on(plan.sequence_parallel),
        ),
        (c.recompute.is_some(), "recompute", plan.recompute.name().to_owned()),
        (c.micro_batch.is_some(), "micro batch", plan.micro_batch.to_string()),
        (c.flash_attention.is_some(), "FlashAttention", on(plan.flash_attention)),
    ];
    let free = parts.into_iter().filter(|(fixed, ..)| !fixed);
    free.map(|(_, name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

/// Stands for the plan where there is none, for warnings that need only precision and attention.
fn no_plan(precision: Precision, flash_attention: bool) -> Plan {
    Plan {
        tensor_parallel: 1,
        pipeline_parallel: 1,
        virtual_stages: 1,
        data_parallel: 1,
        sharding: crate::plan::Sharding::None,
        sequence_parallel: false,
        recompute: crate::plan::Recompute::None,
        micro_batch: 1,
        gradient_accumulation_steps: 1,
        flash_attention,
        precision,
    }
}

/// How much faster `other` is than `first`, with its interval.
///
/// Both predictions share the model, its coefficients and most assumptions, so that part of their errors cancels in
/// the ratio: its variance is taken as half of the sum, `(s1^2 + s2^2) / 2`.
pub fn speed_up(first: &Estimate, other: &Estimate) -> crate::simulator::Interval {
    let ratio = first.time.total.p50 / other.time.total.p50;
    let sigma = f64::midpoint(first.sigma.powi(2), other.sigma.powi(2)).sqrt();
    crate::simulator::Interval::log_normal(ratio, sigma)
}

/// Price of a node of `other` over that of `first` below which `other` is the cheaper: what it saves in node-hours.
pub fn break_even_price_ratio(first: &Simulation, other: &Simulation) -> Option<f64> {
    let node_hours = |s: &Simulation| Some(s.estimate()?.time.total.p50 * f64::from(s.cluster.nodes));
    Some(node_hours(first)? / node_hours(other)?)
}
