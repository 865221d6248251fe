//! The whole space of parallel plans of a model of 175 billion parameters on 1,024 GPUs: plans evaluated per second and
//! core, the time of a complete search on two cores with its memory, and the time of a search with bounds.
//!
//! A plan counts when its memory was evaluated; how many were also timed is printed beside it. Targets: 1,000,000 plans
//! per second and core; all of them in 15 s on two cores within 200 MB; 0.5 s with bounds and the same optimum.

#![expect(clippy::print_stdout, reason = "a program of its own that reports what it measured")]

use std::time::Instant;

use gpu_advisor::advisor::{Found, PlanConstraints, search_plans};
use gpu_advisor::catalog::{Catalog, ModelSpec, Precision};
use gpu_advisor::profile::{Method, Profiles, StackProfile};
use gpu_advisor::simulator::{Machine, Scenario};
use gpu_advisor::workload::{Workload, transformer};

const GPU: &str = "a100-sxm-80gb";
/// A stack with all of tensor, pipeline, sequence, context and expert parallelism.
const STACK: &str = "nemo";
const NODES: u32 = 128;
const BATCH: f64 = 3072.0;
const SEQUENCE: u32 = 2048;

fn workload(catalog: &Catalog) -> Workload {
    let shape = catalog.models.iter().find_map(|m| match m {
        ModelSpec::Transformer { id, shape, .. } if id == "gpt3-175b" => Some(shape),
        _ => None,
    });
    transformer("gpt3-175b", shape.expect("a model of the catalog"), SEQUENCE)
}

fn scenario<'a>(
    catalog: &'a Catalog,
    profiles: &'a Profiles,
    workload: &'a Workload,
    stack: &'a StackProfile,
) -> Scenario<'a> {
    let id = catalog.find_gpu(GPU).expect("a GPU of the catalog");
    let gpu = catalog.gpu(id);
    let network = profiles.defaults.reference_network(gpu);
    let machine = Machine {
        gpu,
        hardware: profiles.gpu(id),
        link: profiles.link(&gpu.default_node_link).expect("its link"),
        network: profiles.network(&network.class).expect("its network"),
        link_rate: gpu.link_per_direction.expect("a linked GPU"),
        host: profiles.defaults.host(gpu),
        gpus_per_node: 8,
        nodes: NODES,
        network_bandwidth: network.bandwidth,
        network_known: true,
    };
    let optimizer = catalog.find_optimizer("adamw").expect("the usual optimizer");
    Scenario { workload, optimizer, machine, stack, input: None }
}

/// Runs on so many threads; the answer and the seconds it took.
fn timed(threads: usize, search: &(dyn Fn() -> Found + Sync)) -> (Found, f64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let start = Instant::now();
        let found = search();
        (found, start.elapsed().as_secs_f64())
    })
}

/// Most memory that this process ever held, where the system says so.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |l| l.trim().to_owned())
}

fn report(name: &str, scenario: &Scenario<'_>, open: PlanConstraints) {
    let search = |exhaustive| {
        move || {
            let constraints = PlanConstraints { exhaustive, ..open };
            search_plans(scenario, BATCH, Precision::Bf16, true, &constraints)
        }
    };
    println!("{name}");
    let (all, one_core) = timed(1, &search(true));
    let counts = all.counts;
    println!(
        "  {} plans: memory of {} evaluated, {} of them timed",
        counts.plans(),
        counts.memory_evaluated,
        counts.timed
    );
    println!("  one core: {one_core:.3} s, {:.0} plans/s", counts.memory_evaluated as f64 / one_core);
    let (again, two_cores) = timed(2, &search(true));
    println!("  two cores: {two_cores:.3} s, most memory held so far {}", peak_memory());
    let (bounded, seconds) = timed(1, &search(false));
    let counts = bounded.counts;
    println!(
        "  with bounds, one core: {seconds:.4} s, memory of {} evaluated, {} timed, {} left out",
        counts.memory_evaluated, counts.timed, counts.pruned
    );
    assert_eq!(all, again, "the answer depends on the number of threads");
    assert_eq!(all.best, bounded.best, "the bounds lost the optimum");
    assert_eq!(all.counts.plans(), counts.plans(), "the bounds lost count");
    if let Ok(best) = bounded.best {
        println!("  optimum: {:.3} s a step with {:?}", best.step.total().get(), best.plan);
    }
}

fn main() {
    let catalog = Catalog::embedded().expect("the shipped catalog");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
    let workload = workload(&catalog);
    let usual = profiles.stack(STACK).expect("a shipped stack");
    report(
        "As recommend searches it with this stack",
        &scenario(&catalog, &profiles, &workload, usual),
        PlanConstraints::default(),
    );
    let every = StackProfile { supports: Method::ALL.to_vec(), ..usual.clone() };
    let open = PlanConstraints { whole_space: true, ..PlanConstraints::default() };
    report("Every method, precision and offload", &scenario(&catalog, &profiles, &workload, &every), open);
}
