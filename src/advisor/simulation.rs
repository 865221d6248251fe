//! One job on one cluster: plan, time, memory, cost, and what to be careful with.

use super::anchor::{Anchored, apply, slower_step};
use super::batch::{adapted, search_batches};
use super::calendar::checkpoint;
use super::input::{InputNeed, input_need, input_rate};
use super::machine::machine;
use super::plan_chosen::chosen;
use super::plan_counts::PlanCounts;
use super::plan_search::{PlanConstraints, Planned, search_plans};
use super::precision::{no_kernel, resolve_precision};
use super::question::Question;
use super::recommend::Facts;
use super::rejection::RejectionReason;
use super::risk::Exposed;
use super::support::{unsupported, way};
use super::utilization::{Utilization, utilization};
use super::warning::{Warning, warnings};
use super::whole_job::whole_job;
use crate::catalog::Purchase;
use crate::cost::{CostOutcome, JobTimes, Offer, SpotTable, job_cost};
use crate::plan::{Cluster, Plan};
use crate::profile::{Grade, StackProfile};
use crate::simulator::memory::BytesPerParameter;
use crate::simulator::{
    Interval, JobTime, Machine, MemoryEstimate, Scenario, WholeJob, usually_fused_attention,
};
use crate::units::Seconds;
use crate::workload::WorkloadKind;
use crate::workload::job::Assumption;

/// What a job that runs does.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Plan, step, memory.
    pub planned: Planned,
    /// Training time with its interval: steps times step time.
    pub time: JobTime,
    /// Calendar time of the median, part by part.
    pub whole: WholeJob,
    /// Calendar time with its interval, in seconds.
    pub calendar: Interval,
    /// The time that is paid, in seconds: the calendar time where nodes may be taken away or interruptions are stated, else that of
    /// the steps.
    pub paid: Interval,
    /// Standard deviation of ln(time).
    pub sigma: f64,
    /// Part of its square that is this GPU's own and does not cancel in the ratio to another.
    pub own_variance: f64,
    /// P50 GPU-hours of all jobs that are paid.
    pub gpu_hours: f64,
    /// Jobs alike and independent of each other; times are of one, GPU-hours and cost of all.
    pub jobs: u32,
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
    /// What keeps the GPUs busy, where the cost of a sample's input is known.
    pub input_need: Option<InputNeed>,
}

/// Why a job does not run, as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    /// The reason.
    pub reason: RejectionReason,
    /// The plan that comes nearest and its memory, when memory is the reason.
    pub nearest: Option<(Plan, MemoryEstimate, BytesPerParameter)>,
    /// Single changes that would let it run, as tried; empty until they are looked for.
    pub cures: Vec<super::Cure>,
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
    /// The user's own measurement as it changed the times.
    pub anchored: Option<Anchored>,
    /// Plans that were looked at.
    pub plans: PlanCounts,
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
    let layered = facts.profiles.layered(stack, gpu, way(job));
    let stack = layered.as_ref().unwrap_or(stack);
    let scenario = scenario(facts, question, &cluster, stack);
    let mut simulation = Simulation {
        gpu_name: gpu.name.clone(),
        gpu_id: gpu.id.clone(),
        offer,
        outcome: Err(Box::new(Blocked { reason: RejectionReason::Gone, nearest: None, cures: Vec::new() })),
        assumed,
        warnings: Vec::new(),
        anchored: None,
        plans: PlanCounts::default(),
        cluster,
    };
    let unsupported = unsupported(question.constraints, job.method, stack);
    let choice = match unsupported.or_else(|| no_kernel(question.constraints.flash_attention, gpu)) {
        Some(reason) => Err(reason),
        None => resolve_precision(job, gpu, stack),
    };
    let (precision, why) = match choice {
        Ok(choice) => choice,
        Err(reason) => {
            simulation.outcome = Err(Box::new(Blocked { reason, nearest: None, cures: Vec::new() }));
            return simulation;
        }
    };
    let given = PlanConstraints { precision_given: job.precision.is_some(), ..*question.constraints };
    if let Some(why) = why.filter(|_| !given.whole_space) {
        simulation.assume("precision", precision.name().to_owned(), why);
    }
    let flash = usually_fused_attention(scenario.workload, gpu, stack);
    let gpus = simulation.cluster.gpus();
    let found =
        search_batches(job, &given, gpus, |batch| search_plans(&scenario, batch, precision, flash, &given));
    simulation.plans = found.counts;
    let plan = match found.best {
        Ok(mut planned) => {
            let mut spread = planned.uncertainty(&scenario, &facts.profiles.defaults);
            if let Some(anchor) = question.anchor {
                let here = (simulation.cluster.label.as_str(), &scenario);
                let (anchored, own) = apply(anchor, here, &mut planned, spread, &facts.profiles.defaults);
                simulation.anchored = Some(anchored);
                spread = own;
            }
            let estimate = estimate(facts, question, &scenario, &simulation, &planned, spread);
            simulation.outcome = ended(estimate);
            planned.plan
        }
        Err(reason) => {
            let recipe = |(plan, memory)| (plan, memory, BytesPerParameter::of(&scenario, &plan));
            let nearest = found.nearest.map(recipe);
            let plan = nearest.map_or_else(|| Plan::single(precision, flash), |(plan, ..)| plan);
            simulation.outcome = Err(Box::new(Blocked { reason, nearest, cures: Vec::new() }));
            plan
        }
    };
    let runs = simulation.outcome.is_ok();
    simulation.assumed.extend(adapted(job, plan.global_batch(), gpus).filter(|_| runs));
    let chosen = chosen(&given, &plan, job.workload.kind == WorkloadKind::Convolutional);
    if runs && !chosen.is_empty() {
        simulation.assume("plan", chosen, "chosen for the shortest step that fits");
    }
    simulation.warnings = warnings(&scenario, &plan, &simulation, (question, facts));
    simulation
}

/// A job that is paid with its interruptions and never ends has neither time nor cost.
fn ended(estimate: Estimate) -> Result<Box<Estimate>, Box<Blocked>> {
    let interrupted = estimate.paid != estimate.time.total;
    let endless = RejectionReason::of_endless(Seconds::new(estimate.paid.p50)).filter(|_| interrupted);
    let blocked = |reason| Err(Box::new(Blocked { reason, nearest: None, cures: Vec::new() }));
    endless.map_or_else(|| Ok(Box::new(estimate)), blocked)
}

impl Simulation {
    fn assume(&mut self, name: &str, value: String, reason: &str) {
        self.assumed.push(Assumption { name: name.to_owned(), value, reason: reason.to_owned() });
    }
}

/// The question to the simulator that a job on a cluster is.
pub fn scenario<'a>(
    facts: Facts<'a>,
    question: &Question<'a>,
    cluster: &Cluster,
    stack: &'a StackProfile,
) -> Scenario<'a> {
    let input = input_rate(question.job, question.storage, cluster);
    Scenario {
        workload: &question.job.workload,
        optimizer: &question.job.optimizer,
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
    planned: &Planned,
    spread: f64,
) -> Estimate {
    let (job, cluster) = (question.job, &simulation.cluster);
    let batch = planned.plan.global_batch() as f64;
    let rows = f64::from(job.workload.rows_per_sample);
    let assured = cluster.network.assured;
    let slow = (cluster.nodes > 1 && assured < cluster.network.maximum).then(|| {
        let machine = Machine { network_bandwidth: assured, ..scenario.machine };
        slower_step(&Scenario { machine, ..*scenario }, &planned.plan, simulation.anchored.as_ref())
    });
    let step = planned.step.total();
    let time = whole_job(facts, cluster.gpu, job, batch, step, slow, spread);
    let exposed = Exposed {
        cluster,
        offer: simulation.offer.as_ref(),
        training: time.total,
        checkpoint: checkpoint(scenario, planned),
        jobs: job.folds,
    };
    let spot = simulation.offer.as_ref().is_some_and(|o| o.purchase == Purchase::Spot);
    let none = SpotTable::default();
    let table = if spot { SpotTable::embedded() } else { &none };
    let (calendar, paid) = exposed.times(facts, table, &question.terms);
    let times = JobTimes::of(job.folds, paid);
    let prices = question.prices;
    let cost = simulation.offer.as_ref().map(|offer| {
        let rule = facts.billing.rule(&offer.place.provider);
        let price = offer.price.as_ref().map(|s| &s.price);
        job_cost(price, cluster.nodes, times, &rule, &prices.fx, prices.currency)
    });
    Estimate {
        whole: exposed.calendar(facts, table, &question.terms).of(Seconds::new(time.total.p50)),
        calendar,
        paid,
        planned: *planned,
        time,
        sigma: spread,
        own_variance: facts.profiles.defaults.transfer.own(spread).min(spread * spread),
        gpu_hours: times.p50.hours() * f64::from(cluster.gpus()) * f64::from(job.folds),
        jobs: job.folds,
        samples_per_s: batch / step.get(),
        rows_per_s: batch * rows / step.get(),
        utilization: utilization(scenario, planned, batch * rows),
        cost,
        grade: planned.step.grade(),
        recipe: BytesPerParameter::of(scenario, &planned.plan),
        input_need: input_need(job, planned, batch, cluster.nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advisor::ratio::{break_even_price_ratio, speed_up};
    use crate::advisor::risk::RiskTerms;
    use crate::catalog::Catalog;
    use crate::cost::{BillingTable, PriceRules};
    use crate::plan::Network;
    use crate::profile::embedded_facts;
    use crate::units::BytesPerSecond;
    use crate::workload::{Job, JobLength, standard_decoder, transformer};

    fn job() -> Job {
        let (shape, _) = standard_decoder(7e9).unwrap();
        Job {
            workload: transformer("seven", &shape, 2048),
            length: JobLength::Steps(100.0),
            global_batch: 512.0,
            precision: None,
            method: crate::workload::Method::Full,
            optimizer: Catalog::embedded().unwrap().find_optimizer("adamw").unwrap().clone(),
            stack: "megatron".to_owned(),
            evaluation_samples: None,
            bytes_per_sample: None,
            preparation_per_sample: None,
            folds: 1,
            recipe: None,
            compiler: None,
            layout: None,
            assumed: Vec::new(),
        }
    }

    fn simulated(gpu: &str, nodes: u32, network: Network) -> Simulation {
        let (catalog, profiles) = embedded_facts();
        let billing = BillingTable::embedded();
        let facts = Facts { catalog: &catalog, profiles: &profiles, billing: &billing };
        let id = catalog.find_gpu(gpu).unwrap();
        let cluster = Cluster {
            label: gpu.to_owned(),
            gpu: id,
            gpus_per_node: 8,
            nodes,
            node_link: catalog.gpu(id).default_node_link.clone(),
            node_link_assumed: true,
            network,
            instance: None,
            place: None,
            vcpus: None,
        };
        let prices = PriceRules::list_prices("2026-11-30".parse().unwrap());
        let (job, constraints) = (job(), PlanConstraints::default());
        let (terms, constraints) = (RiskTerms::default(), &constraints);
        let question =
            Question { job: &job, constraints, anchor: None, storage: None, prices: &prices, terms };
        simulate(facts, &question, cluster, None, Vec::new())
    }

    fn infiniband(maximum: f64, assured: f64) -> Network {
        let gigabit = BytesPerSecond::from_gigabit;
        Network {
            class: "infiniband".to_owned(),
            maximum: gigabit(maximum),
            assured: gigabit(assured),
            known: true,
        }
    }

    #[test]
    fn the_job_takes_steps_times_step_time_and_gpu_hours_follow() {
        let simulation = simulated("a100-sxm-80gb", 8, infiniband(1600.0, 1600.0));
        let estimate = simulation.estimate().unwrap();
        let total = estimate.planned.step.total().get() * 100.0;
        assert!((estimate.time.total.p50 / total - 1.0).abs() < 1e-12);
        assert!((estimate.gpu_hours / (Seconds::new(total).hours() * 64.0) - 1.0).abs() < 1e-12);
        let utilization = estimate.utilization.model_flop_utilization.unwrap();
        assert!((0.05..1.0).contains(&utilization), "{utilization}");
    }

    #[test]
    fn an_assured_network_below_the_highest_moves_only_the_slow_end_and_is_said() {
        let even = simulated("v100-sxm2-32gb", 8, infiniband(100.0, 100.0));
        let uneven = simulated("v100-sxm2-32gb", 8, infiniband(100.0, 5.0));
        let (even_time, uneven_time) = (even.estimate().unwrap().time, uneven.estimate().unwrap().time);
        assert_eq!(even_time.total.p50, uneven_time.total.p50);
        assert!(uneven_time.total.p90 > even_time.total.p90);
        assert!(uneven.warnings.iter().any(|w| matches!(w, Warning::NetworkAssured { .. })));
    }

    #[test]
    fn a_ratio_is_surer_than_the_less_sure_of_its_times() {
        let fast = simulated("a100-sxm-80gb", 8, infiniband(1600.0, 1600.0));
        let slow = simulated("v100-sxm2-32gb", 16, infiniband(100.0, 100.0));
        let (a, b) = (fast.estimate().unwrap(), slow.estimate().unwrap());
        let ratio = speed_up(a, b);
        assert!((ratio.p50 - a.time.total.p50 / b.time.total.p50).abs() < 1e-12);
        // ln(P90 / P50) is 1.2816 sigma.
        assert!((ratio.p90 / ratio.p50).ln() <= 1.2816 * a.sigma.max(b.sigma) + 1e-9);
        // It is of the times that are paid: interrupted for as long as it trains, it is half as fast.
        let interrupted = Estimate { paid: b.paid.scaled(2.0), ..b.clone() };
        assert!((speed_up(a, &interrupted).p50 - ratio.p50 / 2.0).abs() < 1e-12);
        // Twice the nodes: the price of a node may be half of the speed-up.
        let price = break_even_price_ratio(&fast, &slow).unwrap();
        assert!((price - ratio.p50 * 8.0 / 16.0).abs() < 1e-12);
    }

    #[test]
    fn a_job_that_does_not_fit_keeps_the_nearest_plan_and_its_memory() {
        let simulation = simulated("t4", 1, infiniband(100.0, 100.0));
        let blocked = simulation.outcome.unwrap_err();
        let RejectionReason::Memory { needed, .. } = blocked.reason else { panic!("{:?}", blocked.reason) };
        let (_, memory, _) = blocked.nearest.unwrap();
        assert_eq!(memory.peak(), needed);
    }
}
