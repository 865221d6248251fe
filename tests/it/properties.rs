//! What must hold for every job, plan and cluster, on drawn ones.

use std::sync::OnceLock;

use gpu_advisor::advisor::{
    Candidate, Facts, Objective, PlanConstraints, Recommendation, Request, best_plan, front, rank, recommend,
};
use gpu_advisor::catalog::{Catalog, Precision, Purchase};
use gpu_advisor::cost::{BillingTable, CostOutcome, JobTimes, PlaceFilter, PriceRules, job_cost};
use gpu_advisor::plan::{Plan, Recompute, Sharding};
use gpu_advisor::profile::{HardwareProfile, Profiles};
use gpu_advisor::simulator::communication::{Group, collective};
use gpu_advisor::simulator::{Machine, MemoryItem, Scenario, TermKind, memory, step_time};
use gpu_advisor::units::{Bytes, Seconds};
use gpu_advisor::workload::job::Method;
use gpu_advisor::workload::{
    CollectiveKind, Job, JobLength, Workload, model_flop_per_row, standard_decoder, transformer,
};
use proptest::prelude::*;

struct World {
    catalog: Catalog,
    profiles: Profiles,
    /// Decoders of 0.3 to 30 billion parameters at 1024 tokens.
    workloads: Vec<Workload>,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let catalog = Catalog::embedded().expect("the shipped catalog");
        let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
        let build = |parameters: f64| {
            let (shape, name) = standard_decoder(parameters).expect("a usual size");
            transformer(&name, &shape, 1024)
        };
        let workloads = [3e8, 1.3e9, 7e9, 30e9].map(build).into();
        World { catalog, profiles, workloads }
    })
}

const GPUS: [&str; 3] = ["v100-sxm2-32gb", "a100-sxm-80gb", "h100-sxm"];

fn machine(gpu: usize, nodes: u32) -> Machine<'static> {
    let w = world();
    let id = w.catalog.find_gpu(GPUS[gpu]).expect("a GPU of the catalog");
    let gpu = w.catalog.gpu(id);
    let network = w.profiles.defaults.reference_network(gpu);
    Machine {
        gpu,
        hardware: w.profiles.gpu(id),
        link: w.profiles.link(&gpu.default_node_link).expect("its link"),
        network: w.profiles.network(&network.class).expect("its network"),
        link_rate: gpu.link_per_direction.expect("a linked GPU"),
        host: w.profiles.defaults.host(gpu),
        gpus_per_node: 8,
        nodes,
        network_bandwidth: network.bandwidth,
        network_known: true,
    }
}

fn scenario(gpu: usize, nodes: u32, size: usize) -> Scenario<'static> {
    let w = world();
    Scenario {
        workload: &w.workloads[size],
        optimizer: world().catalog.find_optimizer("adamw").expect("the usual optimizer"),
        machine: machine(gpu, nodes),
        stack: w.profiles.stack("megatron-deepspeed").expect("a shipped stack"),
        input: None,
    }
}

/// A job on a cluster with a plan that is valid there.
fn drawn() -> impl Strategy<Value = (Scenario<'static>, Plan)> {
    let sharding =
        prop::sample::select(vec![Sharding::None, Sharding::Zero1, Sharding::Zero2, Sharding::Zero3]);
    let recompute = prop::sample::select(vec![Recompute::None, Recompute::Selective, Recompute::Full]);
    let cluster = (0..3_usize, 0..4_usize, 0..4_u32);
    let degrees = (0..4_u32, 0..3_u32, 0..3_u32, 1..9_u32);
    (cluster, degrees, sharding, recompute, any::<bool>())
        .prop_map(|((gpu, size, nodes), (tp, pp, mb, m), sharding, recompute, flash)| {
            let nodes = 1 << nodes;
            let scenario = scenario(gpu, nodes, size);
            let (tensor_parallel, pipeline_parallel) = (1 << tp, 1 << pp);
            let plan = Plan {
                tensor_parallel,
                pipeline_parallel,
                context_parallel: 1,
                expert_parallel: 1,
                optimizer_offload: false,
                virtual_stages: 1,
                data_parallel: nodes * 8 / (tensor_parallel * pipeline_parallel).min(nodes * 8),
                sharding,
                sequence_parallel: false,
                recompute,
                micro_batch: 1 << mb,
                gradient_accumulation_steps: m,
                flash_attention: flash && gpu > 0,
                precision: Precision::Fp16,
            };
            (scenario, plan)
        })
        .prop_filter("a valid plan", |(s, plan)| {
            let heads = s.workload.attention.map_or(0, |a| a.heads);
            plan.check(s.workload.layers(), heads, s.machine.gpus(), false).is_ok()
        })
}

/// Room for rounding, relative.
const ROUNDING: f64 = 1e-9;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn terms_add_up_to_the_step_and_items_to_the_peak((s, plan) in drawn()) {
        let step = step_time(&s, &plan);
        let sum: f64 = step.terms().map(|t| t.time.get()).sum();
        prop_assert!((sum / step.total().get() - 1.0).abs() < ROUNDING);
        prop_assert!(step.terms().all(|t| t.time.is_finite() && t.time.get() >= 0.0));
        let held = memory(&s, &plan);
        let sum: f64 = held.items().map(|(_, bytes)| bytes.get()).sum();
        prop_assert!((sum / held.peak().get() - 1.0).abs() < ROUNDING);
    }

    #[test]
    fn more_bandwidth_is_never_slower((s, plan) in drawn(), factor in 1.0..4.0_f64) {
        let slow = step_time(&s, &plan).total().get();
        let faster = HardwareProfile { dram: s.machine.hardware.dram * factor, ..s.machine.hardware.clone() };
        let machines = [
            Machine { hardware: &faster, ..s.machine },
            Machine { link_rate: s.machine.link_rate * factor, ..s.machine },
            Machine { network_bandwidth: s.machine.network_bandwidth * factor, ..s.machine },
        ];
        for machine in machines {
            let fast = step_time(&Scenario { machine, ..s }, &plan).total().get();
            prop_assert!(fast <= slow * (1.0 + ROUNDING), "{fast} > {slow}");
        }
    }

    #[test]
    fn zero2_keeps_two_bytes_of_every_parameter_on_every_gpu((s, plan) in drawn()) {
        let plan = Plan { sharding: Sharding::Zero2, pipeline_parallel: 1, ..plan };
        let held = memory(&s, &plan);
        let states = held.items().filter(|(item, _)| {
            matches!(item, MemoryItem::Weights | MemoryItem::Gradients | MemoryItem::OptimizerStates)
        });
        let bytes: f64 = states.map(|(_, bytes)| bytes.get()).sum();
        let parameters = s.workload.parameters / f64::from(plan.tensor_parallel);
        prop_assert!(bytes >= 2.0 * parameters * (1.0 - ROUNDING), "{bytes} for {parameters} parameters");
    }

    #[test]
    fn model_flop_utilization_is_at_most_one((s, plan) in drawn()) {
        let rows = plan.global_batch() as f64 * f64::from(s.workload.rows_per_sample);
        let peak = s.machine.gpu.peak(plan.precision).expect("a stated peak") * f64::from(s.machine.gpus());
        let used = (model_flop_per_row(s.workload) * rows / peak) / step_time(&s, &plan).total();
        prop_assert!(used > 0.0 && used <= 1.0, "{used}");
    }

    #[test]
    fn a_group_inside_a_node_is_never_slower_than_across_nodes(
        gpu in 0..3_usize, log_bytes in 3.0..10.0_f64, size in prop::sample::select(vec![2_u32, 4, 8]),
    ) {
        let s = scenario(gpu, 8, 1);
        let bytes = Bytes::new(10f64.powf(log_bytes));
        for kind in [CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter] {
            let inside = collective(&s, kind, Group::place(size, 1, 8), bytes);
            let across = collective(&s, kind, Group::place(size, 8, 8), bytes);
            prop_assert!(inside <= across, "{kind:?} of {} bytes: {inside:?} > {across:?}", bytes.get());
        }
    }

    #[test]
    fn more_gpus_at_a_fixed_batch_never_compute_more_each((s, plan) in drawn()) {
        let nodes = s.machine.nodes;
        let wide = Scenario { machine: Machine { nodes: nodes * 2, ..s.machine }, ..s };
        let compute = |s: &Scenario<'_>, plan: &Plan| -> f64 {
            let kinds = [TermKind::MatrixProducts, TermKind::Attention, TermKind::ElementWise, TermKind::Recompute];
            kinds.into_iter().map(|k| step_time(s, plan).time(k).get()).sum()
        };
        let twice = Plan { gradient_accumulation_steps: plan.gradient_accumulation_steps * 2, ..plan };
        let spread = Plan { data_parallel: plan.data_parallel * 2, ..plan };
        prop_assert_eq!(twice.global_batch(), spread.global_batch());
        prop_assert!(compute(&wide, &spread) <= compute(&s, &twice) * (1.0 + ROUNDING));
        let smaller = Plan { micro_batch: plan.micro_batch * 2, ..plan };
        prop_assert!(compute(&wide, &spread) <= compute(&s, &smaller) * (1.0 + ROUNDING));
    }

    #[test]
    fn a_chosen_plan_leaves_a_twelfth_of_the_memory_free(
        gpu in 0..3_usize, nodes in 0..3_u32, size in 0..4_usize, batch in 4..10_u32,
    ) {
        let s = scenario(gpu, 1 << nodes, size);
        let found = best_plan(&s, f64::from(1 << batch), Precision::Fp16, gpu > 0, &PlanConstraints::default());
        if let Ok(chosen) = found {
            prop_assert!(chosen.memory.share() <= 0.92, "{}", chosen.memory.share());
            prop_assert_eq!(chosen.memory, memory(&s, &chosen.plan));
            prop_assert_eq!(chosen.step, step_time(&s, &chosen.plan));
        }
    }

    #[test]
    fn an_unknown_price_is_never_a_cost(nodes in 1..100_u32, hours in 0.0..1e4_f64) {
        let billing = BillingTable::embedded();
        let rules = PriceRules::list_prices(jiff::civil::date(2026, 11, 28));
        let time = Seconds::from_hours(hours);
        let times = JobTimes { jobs: 1, p10: time, p50: time, p90: time };
        let rule = billing.rule("aws");
        let outcome = job_cost(None, nodes, times, &rule, &rules.fx, rules.currency);
        prop_assert!(matches!(outcome, CostOutcome::NoPrice));
    }
}

fn recommendation() -> Recommendation {
    let w = world();
    let billing = BillingTable::embedded();
    let groups: Vec<_> =
        ["a100", "v100"].map(|name| (name.to_owned(), w.catalog.expand_gpu(name))).into_iter().collect();
    let request = Request {
        job: Job {
            workload: w.workloads[1].clone(),
            length: JobLength::Tokens(10e9),
            global_batch: 512.0,
            precision: None,
            method: Method::Full,
            optimizer: world().catalog.find_optimizer("adamw").expect("the usual optimizer").clone(),
            stack: w.profiles.defaults.stack.decoder.clone(),
            evaluation_samples: None,
            preparation_per_sample: None,
            folds: 1,
            recipe: None,
            compiler: None,
            layout: None,
            bytes_per_sample: None,
            assumed: Vec::new(),
        },
        gpus: groups.iter().flat_map(|(_, gpus)| gpus.clone()).collect(),
        places: PlaceFilter::default(),
        purchases: vec![Purchase::OnDemand],
        prices: PriceRules::list_prices(jiff::civil::date(2026, 11, 28)),
        deadline: None,
        budget: None,
        quota: None,
        max_gpus: 64,
        constraints: PlanConstraints::default(),
        anchor: None,
        storage: None,
        vcpus: None,
        objective: Objective::Cost,
        risk: None,
    };
    recommend(Facts { catalog: &w.catalog, profiles: &w.profiles, billing: &billing }, &request, &groups)
}

fn point(candidate: &Candidate) -> (f64, f64) {
    // On demand what is paid is the training alone. Five digits: prices that differ by less were read another way.
    let Some(CostOutcome::Priced(cost)) = &candidate.cost else {
        return (candidate.time.total.p50, f64::INFINITY);
    };
    (candidate.time.total.p50, format!("{:.4e}", cost.p50.as_f64()).parse().expect("a number"))
}

#[test]
fn digits_in_which_prices_of_regions_differ_by_how_they_were_read_take_no_candidate_off_the_front() {
    let answer = recommendation();
    let first = answer.priced.iter().find(|c| c.pareto).expect("a front").clone();
    let mut twin = first.clone();
    let Some(CostOutcome::Priced(cost)) = &mut twin.cost else { panic!("a priced candidate") };
    // A cent in a million.
    cost.p50.amount *= "1.0000001".parse::<rust_decimal::Decimal>().unwrap();
    let mut both = [first, twin];
    rank::mark_pareto(&mut both);
    assert_eq!(both.each_ref().map(|c| c.pareto), [true, true]);
    assert_eq!(front::non_dominated(&both.each_ref().map(front::point)), [true, true]);
}

#[test]
fn the_pareto_front_is_not_dominated_whatever_the_order_and_no_price_is_zero() {
    let answer = recommendation();
    assert!(answer.priced.len() > 50, "{} candidates", answer.priced.len());
    assert!(answer.priced.iter().all(|c| point(c).1 > 0.0 && c.planned.memory.share() <= 0.92));
    assert!(!answer.unpriced.is_empty(), "the catalog has offers without a price");
    let free = |c: &&Candidate| rank::interval_cost(c).is_some_and(|cost| cost.p50 <= 0.0);
    assert_eq!(answer.unpriced.iter().filter(free).count(), 0);

    let front = |candidates: &[Candidate]| {
        let mut front: Vec<(f64, f64)> = candidates.iter().filter(|c| c.pareto).map(point).collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        front
    };
    let mut candidates = answer.priced.clone();
    rank::mark_pareto(&mut candidates);
    let first = front(&candidates);
    assert!(!first.is_empty());
    for (time, cost) in &first {
        let beaten =
            candidates.iter().map(point).any(|(t, c)| t <= *time && c <= *cost && (t, c) != (*time, *cost));
        assert!(!beaten, "{time} s at {cost} is dominated");
    }
    for shift in [1, candidates.len() / 2, candidates.len() - 1] {
        candidates.rotate_left(shift);
        for candidate in &mut candidates {
            candidate.pareto = false;
        }
        rank::mark_pareto(&mut candidates);
        assert_eq!(front(&candidates), first);
    }
}
