//! The plan search against every plan evaluated one by one, on drawn small spaces.

use std::cell::Cell;
use std::sync::OnceLock;

use gpu_advisor::advisor::{
    Found, PartCache, PlanConstraints, PlanCounts, plan_space, search_plans, search_space,
};
use gpu_advisor::catalog::{Catalog, Experts, GpuSpec, Precision, TransformerSpec};
use gpu_advisor::plan::{Plan, PlanSpace, Recompute, Sharding};
use gpu_advisor::profile::{Method, Profiles, StackProfile};
use gpu_advisor::simulator::memory::TIGHT_FROM;
use gpu_advisor::simulator::{InputRate, Machine, Scenario, memory, step_time};
use gpu_advisor::units::{Bytes, BytesPerSecond};
use gpu_advisor::workload::{Workload, standard_decoder, transformer};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::program::{advise, stdout};

struct World {
    catalog: Catalog,
    profiles: Profiles,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let catalog = Catalog::embedded().expect("the shipped catalog");
        let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
        World { catalog, profiles }
    })
}

/// A job on a small cluster, with what the user fixed.
#[derive(Debug, Clone)]
struct Case {
    gpu: GpuSpec,
    gpu_name: &'static str,
    gpus_per_node: u32,
    nodes: u32,
    workload: Workload,
    stack: StackProfile,
    batch: u32,
    fixed: PlanConstraints,
    flash: bool,
    storage: Option<f64>,
}

impl Case {
    fn scenario(&self) -> Scenario<'_> {
        let w = world();
        let id = w.catalog.find_gpu(self.gpu_name).expect("a GPU of the catalog");
        let network = w.profiles.defaults.reference_network(&self.gpu);
        let machine = Machine {
            gpu: &self.gpu,
            hardware: w.profiles.gpu(id),
            link: w.profiles.link(&self.gpu.default_node_link).expect("its link"),
            network: w.profiles.network(&network.class).expect("its network"),
            link_rate: self.gpu.link_per_direction.expect("a linked GPU"),
            host: w.profiles.defaults.host(&self.gpu),
            gpus_per_node: self.gpus_per_node,
            nodes: self.nodes,
            network_bandwidth: network.bandwidth,
            network_known: true,
        };
        let input = self.storage.map(|rate| InputRate {
            storage: Some((Bytes::new(1e6), BytesPerSecond::new(rate))),
            preparation: None,
            host_unknown: false,
        });
        let optimizer = w.catalog.find_optimizer("adamw").expect("the usual optimizer");
        Scenario { workload: &self.workload, optimizer, machine, stack: &self.stack, input }
    }

    fn space(&self) -> PlanSpace {
        plan_space(&self.scenario(), f64::from(self.batch), Precision::Fp16, self.flash, &self.fixed)
    }

    fn search(&self, exhaustive: bool) -> Found {
        let fixed = PlanConstraints { exhaustive, ..self.fixed };
        search_plans(&self.scenario(), f64::from(self.batch), Precision::Fp16, self.flash, &fixed)
    }
}

fn network() -> impl Strategy<Value = Workload> {
    let shape = (1..13_u32, 0..3_u32, 1..5_u32, prop::sample::select(vec![64_u32, 96, 2048]));
    (shape, any::<bool>(), any::<bool>()).prop_map(|((layers, heads, width, rows), tied, experts)| {
        let (base, _) = standard_decoder(3e8).expect("a usual size");
        let heads = 2 << heads;
        let hidden = 128 * width * heads;
        let mut shape = TransformerSpec {
            layers,
            hidden,
            heads,
            kv_heads: heads,
            head_dim: 128 * width,
            ffn: 4 * hidden,
            tied_embeddings: tied,
            ..base
        };
        if experts {
            let dense_layers = layers / 4;
            shape.experts = Some(Experts { routed: 4, per_token: 2, shared: 0, ffn: hidden, dense_layers });
        }
        transformer("drawn", &shape, rows)
    })
}

/// Half of the cases leave everything open.
fn constraints() -> impl Strategy<Value = PlanConstraints> {
    let some = |values: Vec<u32>| prop::option::weighted(0.2, prop::sample::select(values));
    let level = prop::option::weighted(0.2, prop::sample::select(vec![Sharding::Zero1, Sharding::Zero3]));
    let recompute =
        prop::option::weighted(0.2, prop::sample::select(vec![Recompute::Selective, Recompute::Full]));
    let degrees = (some(vec![1, 2, 3]), some(vec![1, 2, 4]), some(vec![1, 2]), some(vec![1, 2, 4]));
    (any::<bool>(), degrees, level, recompute, prop::option::weighted(0.2, any::<bool>()), any::<bool>())
        .prop_map(
            |(
                open,
                (tensor, pipeline, interleaved, micro_batch),
                sharding,
                recompute,
                split,
                whole_space,
            )| {
                let free = PlanConstraints { whole_space, ..PlanConstraints::default() };
                if open {
                    return free;
                }
                PlanConstraints {
                    tensor_parallel: tensor,
                    pipeline_parallel: pipeline,
                    virtual_stages: interleaved,
                    micro_batch,
                    sharding,
                    recompute,
                    sequence_parallel: split,
                    ..free
                }
            },
        )
}

fn cases() -> impl Strategy<Value = Case> {
    let cluster = (0..3_usize, prop::sample::select(vec![1_u32, 2, 4]), 1..4_u32, 0.0..1.0_f64);
    let job = (network(), prop::sample::select(vec![6_u32, 8, 12, 16]), any::<bool>());
    let software = prop::collection::vec(any::<bool>(), Method::ALL.len());
    let storage = prop::option::weighted(0.1, 1e6..1e9_f64);
    (cluster, job, software, constraints(), storage).prop_map(
        |((gpu, gpus_per_node, nodes, memory), (workload, batch, flash), has, fixed, storage)| {
            let w = world();
            let gpu_name = ["v100-sxm2-32gb", "a100-sxm-80gb", "h100-sxm"][gpu];
            let mut gpu = w.catalog.gpu(w.catalog.find_gpu(gpu_name).expect("a GPU of the catalog")).clone();
            // From an eighth of the states to 64 times all of them, so that some plans fit and others do not.
            let states = 16.0 * workload.parameters / f64::from(gpus_per_node * nodes);
            let overhead = w.profiles.stack("nemo").expect("a shipped stack").memory_overhead.get();
            gpu.memory_usable = Bytes::new(overhead + states * 8.0_f64.powf(3.0 * memory - 1.0));
            let mut stack = w.profiles.stack("nemo").expect("a shipped stack").clone();
            stack.supports =
                Method::ALL.into_iter().zip(has).filter(|(_, has)| *has).map(|(m, _)| m).collect();
            Case { gpu, gpu_name, gpus_per_node, nodes, workload, stack, batch, fixed, flash, storage }
        },
    )
}

/// Draws cases until `wanted` of them were checked.
fn check(wanted: u32, seen: impl Fn(&Case) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases: wanted, failure_persistence: None, ..ProptestConfig::default() };
    let outcome = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&cases(), |case| seen(&case));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Everything that passes the rules of a plan, from all values of every axis.
fn valid(case: &Case) -> Vec<Plan> {
    let (space, s) = (case.space(), case.scenario());
    let heads = s.workload.attention.map_or(0, |a| a.heads);
    let uneven = s.stack.supports(Method::UnevenPipeline);
    let mut plans = Vec::new();
    for degrees in space.degrees() {
        let base = space.plan(&degrees);
        let schedules = space.virtual_stages[degrees.pipeline].clone();
        for (&micro_batch, virtual_stages) in
            space.micro_batch.iter().flat_map(|b| schedules.iter().map(move |v| (b, *v)))
        {
            let per_rank = u64::from(case.batch / base.data_parallel);
            if !per_rank.is_multiple_of(u64::from(micro_batch)) {
                continue;
            }
            let gradient_accumulation_steps = per_rank as u32 / micro_batch;
            for &sequence_parallel in space.sequence_parallel(base.tensor_parallel) {
                for (&recompute, &sharding) in
                    space.recompute.iter().flat_map(|r| space.sharding.iter().map(move |l| (r, l)))
                {
                    for &optimizer_offload in &space.offload {
                        let plan = Plan {
                            micro_batch,
                            virtual_stages,
                            gradient_accumulation_steps,
                            sequence_parallel,
                            recompute,
                            sharding,
                            optimizer_offload,
                            ..base
                        };
                        let shared = sharding == Sharding::None
                            || case.fixed.sharding.is_some()
                            || plan.replicas() > 1;
                        let rules = plan.check(s.workload.layers(), heads, s.machine.gpus(), uneven).is_ok()
                            && plan.check_shape(s.workload.rows_per_sample, s.workload.experts).is_ok();
                        if shared && rules {
                            plans.push(plan);
                        }
                    }
                }
            }
        }
    }
    plans
}

#[test]
fn the_search_finds_what_evaluating_every_valid_plan_by_itself_finds() {
    check(40, |case| {
        let s = case.scenario();
        let plans = valid(case);
        let all_fixed = case.fixed.micro_batch.is_some()
            && case.fixed.sharding.is_some()
            && case.fixed.recompute.is_some();
        let accepted = if all_fixed { 1.0 } else { TIGHT_FROM };
        let fitting: Vec<&Plan> = plans.iter().filter(|p| memory(&s, p).share() <= accepted).collect();
        let fastest = fitting.iter().map(|p| step_time(&s, p).work().get()).fold(f64::INFINITY, f64::min);
        let least = plans.iter().map(|p| memory(&s, p).share()).fold(f64::INFINITY, f64::min);
        let found = case.search(true);
        let (evaluated, timed) = (plans.len() as u64, fitting.len() as u64);
        prop_assert_eq!(found.counts, PlanCounts { memory_evaluated: evaluated, timed, pruned: 0 });
        if let Ok(planned) = found.best {
            prop_assert_eq!(planned.step.work().get(), fastest, "{:?}", planned.plan);
        } else {
            prop_assert!(fitting.is_empty());
            let nearest = found.nearest.map_or(f64::INFINITY, |(_, memory)| memory.share());
            prop_assert_eq!(nearest, least);
        }
        Ok(())
    });
}

#[test]
fn the_optimum_with_bounds_is_the_exhaustive_optimum_on_two_hundred_small_spaces() {
    let [fit, missed, pruned] = [(); 3].map(|()| Cell::new(0));
    check(200, |case| {
        let (bounded, all) = (case.search(false), case.search(true));
        prop_assert_eq!(&bounded.best, &all.best);
        prop_assert_eq!(&bounded.nearest, &all.nearest);
        prop_assert_eq!(all.counts.pruned, 0);
        prop_assert_eq!(bounded.counts.plans(), all.counts.plans());
        let more = |count: &Cell<u32>, when: bool| count.set(count.get() + u32::from(when));
        more(&fit, all.best.is_ok());
        more(&missed, all.nearest.is_some());
        more(&pruned, bounded.counts.pruned > bounded.counts.memory_evaluated);
        Ok(())
    });
    // The drawn spaces are worth something: jobs that fit, jobs that do not, and bounds that leave out half and more.
    assert!(fit.get() > 50 && missed.get() > 10 && pruned.get() > 50, "{fit:?} {missed:?} {pruned:?}");
}

#[test]
fn searches_do_not_depend_on_the_number_of_threads_nor_on_searches_before() {
    let on = |threads: usize, search: &(dyn Fn() -> Found + Sync)| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(search)
    };
    check(12, |case| {
        let one = on(1, &|| case.search(true));
        for threads in [2, 7] {
            prop_assert_eq!(&on(threads, &|| case.search(true)), &one);
        }
        let mut cache = PartCache::default();
        let larger = Case { nodes: case.nodes * 2, ..case.clone() };
        for of in [&larger, case] {
            let again = search_space(&mut cache, &of.scenario(), &of.space(), &of.fixed);
            prop_assert_eq!(again, of.search(false));
        }
        Ok(())
    });
}

#[test]
fn an_infeasible_question_exits_with_four_and_its_reasons_add_up_to_all_candidates() {
    // 175 billion parameters are 2.8 TB of states: no eight GPUs of the catalog hold them.
    let line =
        "recommend --model gpt3-175b --tokens 1B --max-gpus 8 --as-of 2026-11-30 --format json --quiet";
    let counts = |more: &str| {
        let output = advise(&[line, more].join(" ").split_whitespace().collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(4));
        let answer: Value = serde_json::from_str(&stdout(&output)).expect("an answer");
        assert_eq!(answer["candidates"], Value::Array(Vec::new()));
        let rejections = answer["rejections"].as_array().expect("counted reasons").clone();
        let rejected: u64 = rejections.iter().filter_map(|r| r["count"].as_u64()).sum();
        assert_eq!(answer["considered"].as_u64(), Some(rejected));
        assert_eq!(answer["feasible"], Value::from(0));
        (rejections, answer["plans"].clone())
    };
    let (rejections, bounded) = counts("");
    let (same, all) = counts("--exhaustive");
    assert_eq!(rejections, same);
    assert_eq!(bounded["space"], all["space"]);
    assert_eq!((&all["memory_evaluated"], &all["pruned"]), (&all["space"], &Value::from(0)));
}
