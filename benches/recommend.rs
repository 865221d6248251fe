//! `recommend` as a user runs it, cold: the program is started, reads its facts, searches the whole catalog with all purchase
//! options on up to 1,024 GPUs and prints its answer. The target is 0.25 s on two cores.
//!
//! Then the same search in this process with 1, 4 and 16 copies of every instance type, each copy another machine (its
//! network is a little faster), so that none shares its searches with another: time may grow no faster than linearly.

#![expect(clippy::print_stdout, reason = "a program of its own that reports what it measured")]

use std::process::{Command, Stdio};
use std::time::Instant;

use gpu_advisor::advisor::{Facts, Objective, PlanConstraints, Request, recommend};
use gpu_advisor::catalog::{Catalog, InstanceId, Purchase};
use gpu_advisor::cost::{BillingTable, PlaceFilter, PriceRules};
use gpu_advisor::profile::Profiles;
use gpu_advisor::units::BytesPerSecond;
use gpu_advisor::workload::job::Method;
use gpu_advisor::workload::{Job, JobLength, standard_decoder, transformer};

const MOST_GPUS: u32 = 1024;
const TOKENS: f64 = 300e9;
const SEQUENCE: u32 = 2048;
const THREADS: usize = 2;
const PURCHASES: [(Purchase, &str); 5] = [
    (Purchase::OnDemand, "on-demand"),
    (Purchase::Spot, "spot"),
    (Purchase::Reserved1y, "reserved-1y"),
    (Purchase::Reserved3y, "reserved-3y"),
    (Purchase::Monthly, "monthly"),
];
/// Runs of each measurement, of which the middle one counts.
const RUNS: usize = 9;

/// The middle one of the seconds, the least and the most.
fn seconds(run: impl Fn()) -> [f64; 3] {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    let mut all: Vec<f64> = (0..RUNS).map(once).collect();
    all.sort_by(f64::total_cmp);
    [all[RUNS / 2], all[0], all[RUNS - 1]]
}

/// The program, from its start to its end.
fn cold(model: &str, stack: Option<&str>) {
    let (most, threads) = (MOST_GPUS.to_string(), THREADS.to_string());
    let mut arguments = vec!["recommend", "--model", model, "--tokens", "300B", "--global-batch", "1024"];
    arguments.extend(["--max-gpus", &most, "--threads", &threads, "--quiet"]);
    arguments.extend(PURCHASES.iter().flat_map(|(_, name)| ["--purchase", name]));
    arguments.extend(stack.into_iter().flat_map(|s| ["--framework", s]));
    let [middle, least, longest] = seconds(|| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"));
        program.args(&arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let status = program.status().expect("the program starts");
        assert!(status.success(), "{arguments:?}: {status}");
    });
    let stack = stack.unwrap_or("usual software");
    println!("cold, {model}, {stack}: {middle:.3} s ({least:.3} to {longest:.3})");
}

fn request(catalog: &Catalog, profiles: &Profiles) -> Request {
    let (shape, name) = standard_decoder(7e9).expect("a size that exists");
    let job = Job {
        workload: transformer(&name, &shape, SEQUENCE),
        length: JobLength::Tokens(TOKENS),
        global_batch: 1024.0,
        precision: None,
        method: Method::Full,
        optimizer: catalog.find_optimizer("adamw").expect("the usual optimizer").clone(),
        stack: profiles.defaults.stack.decoder.clone(),
        evaluation_samples: None,
        preparation_per_sample: None,
        folds: 1,
        recipe: None,
        compiler: None,
        layout: None,
        bytes_per_sample: None,
        assumed: Vec::new(),
    };
    let purchases = PURCHASES.map(|(purchase, _)| purchase).to_vec();
    let list = PriceRules::list_prices(jiff::civil::date(2026, 11, 28));
    Request {
        job,
        gpus: Vec::new(),
        places: PlaceFilter::default(),
        prices: PriceRules { purchases: purchases.clone(), ..list },
        purchases,
        deadline: None,
        budget: None,
        quota: None,
        max_gpus: MOST_GPUS,
        constraints: PlanConstraints::default(),
        anchor: None,
        storage: None,
        vcpus: None,
        objective: Objective::Cost,
        risk: None,
    }
}

/// A catalog with so many of every instance type.
fn copied(shipped: &Catalog, copies: u32) -> Catalog {
    let mut catalog = shipped.clone();
    for copy in 1..copies {
        let base = catalog.instances.len() as u32;
        for instance in &shipped.instances {
            let mut instance = instance.clone();
            instance.name = format!("{}-{copy}", instance.name);
            let faster = |rate: BytesPerSecond| rate * (1.0 + f64::from(copy) / 100.0);
            instance.network.maximum = instance.network.maximum.map(faster);
            catalog.instances.push(instance);
        }
        for price in &shipped.prices {
            let mut price = price.clone();
            price.instance = InstanceId(base + price.instance.0);
            catalog.prices.push(price);
        }
    }
    catalog
}

fn main() {
    for model in ["llama-7b", "llama2-70b", "gpt3-175b"] {
        for stack in [None, Some("nemo"), Some("megatron-deepspeed")] {
            cold(model, stack);
        }
    }
    let catalog = Catalog::embedded().expect("the shipped catalog");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
    let billing = BillingTable::embedded();
    let request = request(&catalog, &profiles);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads");
    for copies in [1, 4, 16] {
        let catalog = copied(&catalog, copies);
        let facts = Facts { catalog: &catalog, profiles: &profiles, billing: &billing };
        let considered = recommend(facts, &request, &[]).considered;
        let [middle, ..] = seconds(|| {
            let answer = pool.install(|| recommend(facts, &request, &[]));
            assert!(!answer.ranked.is_empty());
        });
        let each = middle / f64::from(copies);
        println!("catalog x {copies}: {considered} candidates in {middle:.3} s, {each:.4} s for each copy");
    }
}
