//! One prediction in-process: memory and step time of one plan. The target is 20 us.

#![expect(missing_docs, reason = "the macro of criterion makes a function without documentation")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gpu_advisor::catalog::Catalog;
use gpu_advisor::profile::Profiles;
use gpu_advisor::simulator::{memory, step_time};
use gpu_advisor::validation::{prepare, shipped_runs};

/// A published run of 175 billion parameters on 1024 GPUs, and one of a convolutional network on eight.
const RUNS: [(&str, &str); 2] =
    [("transformer of 175B, tp 8 pp 16", "mega-033"), ("ResNet-50, dp 8", "VT00015")];

fn predict(c: &mut Criterion) {
    let catalog = Catalog::embedded().expect("the shipped catalog");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles");
    let runs = shipped_runs().expect("the shipped runs");
    let mut group = c.benchmark_group("predict");
    for (name, id) in RUNS {
        let run = runs.iter().find(|r| r.id == id).expect("the row");
        let prepared = prepare(run, &catalog, &profiles).expect("the row can be expressed");
        let scenario = prepared.scenario(prepared.stack);
        let plan = prepared.plans[0];
        group.bench_function(name, |b| {
            b.iter(|| {
                let (scenario, plan) = (black_box(&scenario), black_box(&plan));
                (memory(scenario, plan).peak(), step_time(scenario, plan).total())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, predict);
criterion_main!(benches);
