//! A recommendation over the whole catalog, cold: facts are parsed, every offer and node count searched. The target is
//! 0.3 s on two cores.

#![expect(missing_docs, reason = "the macro of criterion makes a function without documentation")]

use criterion::{Criterion, criterion_group, criterion_main};
use gpu_advisor::advisor::{Facts, Objective, PlanConstraints, Request, recommend};
use gpu_advisor::catalog::{Catalog, Purchase};
use gpu_advisor::cost::{BillingTable, PlaceFilter, PriceRules};
use gpu_advisor::profile::Profiles;
use gpu_advisor::workload::job::Method;
use gpu_advisor::workload::{Job, JobLength, standard_decoder, transformer};

const TOKENS: f64 = 300e9;
const SEQUENCE: u32 = 2048;

fn job(catalog: &Catalog, profiles: &Profiles, parameters: f64) -> Job {
    let (shape, name) = standard_decoder(parameters).expect("a size that exists");
    Job {
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
        bytes_per_sample: None,
        assumed: Vec::new(),
    }
}

/// Everything that a command does, from the embedded texts on.
fn cold(parameters: f64) -> usize {
    let catalog = Catalog::embedded().expect("the shipped catalog");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
    let billing = BillingTable::embedded();
    let request = Request {
        job: job(&catalog, &profiles, parameters),
        gpus: Vec::new(),
        places: PlaceFilter::default(),
        purchases: vec![Purchase::OnDemand],
        prices: PriceRules::list_prices(jiff::civil::date(2026, 11, 28)),
        deadline: None,
        budget: None,
        max_gpus: 512,
        constraints: PlanConstraints::default(),
        anchor: None,
        storage: None,
        objective: Objective::Cost,
        risk: None,
    };
    let facts = Facts { catalog: &catalog, profiles: &profiles, billing: &billing };
    let answer = recommend(facts, &request, &[]);
    assert!(!answer.ranked.is_empty());
    answer.considered
}

fn recommendations(c: &mut Criterion) {
    let mut group = c.benchmark_group("recommend, cold");
    group.sample_size(10);
    for (name, parameters) in [("7B", 7e9), ("70B", 70e9)] {
        group.bench_function(name, |b| b.iter(|| cold(parameters)));
    }
    group.finish();
}

criterion_group!(benches, recommendations);
criterion_main!(benches);
