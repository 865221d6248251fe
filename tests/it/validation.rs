//! The shipped measured runs become the questions they stand for.

use gpu_advisor::catalog::{Catalog, Precision};
use gpu_advisor::plan::{Recompute, Sharding};
use gpu_advisor::profile::Profiles;
use gpu_advisor::validation::{
    FitOptions, Prepared, Quality, Run, SkipReason, fit, log_time_ratio, predict, prepare, shipped_runs,
};
use gpu_advisor::workload::WorkloadKind;

struct Shipped {
    catalog: Catalog,
    profiles: Profiles,
    runs: Vec<Run>,
}

fn shipped() -> Shipped {
    let catalog = Catalog::embedded().expect("the shipped catalog is valid");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles are valid");
    let runs = shipped_runs().expect("the shipped runs are valid");
    Shipped { catalog, profiles, runs }
}

impl Shipped {
    fn run(&self, id: &str) -> &Run {
        self.runs.iter().find(|r| r.id == id).expect("the row exists")
    }

    fn prepared<'s>(&'s self, run: &'s Run) -> Prepared<'s> {
        prepare(run, &self.catalog, &self.profiles).expect("the row can be expressed")
    }
}

#[test]
fn every_row_of_the_files_is_read() {
    let runs = shipped().runs;
    let of = |file: &str| runs.iter().filter(|r| r.file == file).count();
    assert_eq!([of("transformer.csv"), of("transformer_grid.csv"), of("vision.csv")], [709, 900, 4192]);
}

#[test]
fn nearly_all_strong_transformer_rows_can_be_expressed() {
    let s = shipped();
    let strong =
        s.runs.iter().filter(|r| r.quality == Quality::Strong && r.file.starts_with("transformer")).count();
    let expressed = s
        .runs
        .iter()
        .filter(|r| r.quality == Quality::Strong && r.file.starts_with("transformer"))
        .filter(|r| prepare(r, &s.catalog, &s.profiles).is_ok())
        .count();
    assert_eq!((strong, expressed), (1512, 1509));
}

#[test]
fn a_stated_plan_is_taken_as_it_is() {
    let s = shipped();
    // 175 billion parameters on 1024 GPUs: tensor 8 x pipeline 16 x data 8, batch 1536 in micro-batches of 1.
    let p = s.prepared(s.run("mega-033"));
    let [plan] = p.plans[..] else { panic!("one plan") };
    assert_eq!((plan.tensor_parallel, plan.pipeline_parallel, plan.data_parallel), (8, 16, 8));
    assert_eq!((plan.micro_batch, plan.gradient_accumulation_steps, plan.global_batch()), (1, 192, 1536));
    assert_eq!((plan.recompute, plan.sharding), (Recompute::Full, Sharding::None));
    assert_eq!((p.machine.nodes, p.machine.gpus_per_node), (128, 8));
    assert!((p.workload.parameters / 174.6e9 - 1.0).abs() < 0.01);
}

#[test]
fn a_missing_recomputation_is_searched_and_said() {
    let s = shipped();
    let p = s.prepared(s.run("bridge-009"));
    assert!(p.plans.iter().any(|plan| plan.recompute != Recompute::Full), "{:?}", p.plans);
    assert!(p.assumed.iter().any(|a| a.value == "the fastest that fits"), "{:?}", p.assumed);
    assert_eq!(p.plans[0].precision, Precision::Fp8);
}

#[test]
fn vocabulary_tells_an_encoder_from_a_decoder_of_the_same_width() {
    let s = shipped();
    let encoder = s.prepared(s.run("dlperf-110"));
    assert_eq!((encoder.workload.kind, encoder.optimizer.id.as_str()), (WorkloadKind::Encoder, "lamb"));
    let same_width = s
        .runs
        .iter()
        .find(|r| r.hidden == Some(768) && r.layers == Some(12) && r.vocab == Some(51_200))
        .expect("a decoder of that width");
    let decoder = s.prepared(same_width);
    assert_eq!((decoder.workload.kind, decoder.optimizer.id.as_str()), (WorkloadKind::Decoder, "adamw"));
}

#[test]
fn fine_tuning_an_encoder_has_no_language_model_head() {
    let s = shipped();
    let row = s.run("VT00079");
    let p = s.prepared(row);
    assert_eq!(p.workload.rows_per_sample, 384);
    assert!(p.assumed.iter().any(|a| a.name == "head"), "{:?}", p.assumed);
}

#[test]
fn rows_that_cannot_be_expressed_say_why() {
    let s = shipped();
    let reason = |run: &Run| prepare(run, &s.catalog, &s.profiles).unwrap_err().reason;
    assert_eq!(reason(s.run("ds-009")), SkipReason::Compound);
    let mut unknown = s.run("mega-033").clone();
    unknown.gpu = "no-such-gpu".to_owned();
    assert_eq!(reason(&unknown), SkipReason::UnknownGpu);
}

#[test]
fn a_rate_and_a_time_of_the_same_run_are_equally_wrong_in_time() {
    let s = shipped();
    let time = s.run("mega-033").clone();
    let mut rate = time.clone();
    rate.metric = gpu_advisor::validation::Metric::SamplesPerS;
    rate.value = 1536.0 / time.value;
    let (a, b) = (s.prepared(&time), s.prepared(&rate));
    let (x, y) = (predict(&a, a.stack, 0.1).unwrap(), predict(&b, b.stack, 0.1).unwrap());
    assert!((x.log_time_ratio - y.log_time_ratio).abs() < 1e-12);
    assert!((x.error(&time) + 1.0) * (y.error(&rate) + 1.0) - 1.0 < 1e-12);
    assert!(x.low < x.value && x.value < x.high && y.low < y.value && y.value < y.high);
}

#[test]
fn a_fit_recovers_the_coefficients_that_made_the_runs() {
    let s = shipped();
    let mut truth = s.profiles.stack("megatron-deepspeed").expect("a shipped stack").clone();
    truth.matmul_efficiency = 0.85;
    truth.elementwise_traffic = 1.1;
    // As expected before any evidence: 60 rows do not outweigh the belief in it.
    truth.launch = gpu_advisor::units::Seconds::new(10e-6);
    let grid: Vec<Run> = s
        .runs
        .iter()
        .filter(|r| r.file == "transformer_grid.csv")
        .step_by(15)
        .map(|run| {
            let p = s.prepared(run);
            Run { value: run.value * log_time_ratio(&p, &truth).expect("a plan").exp(), ..run.clone() }
        })
        .collect();
    let prepared: Vec<Prepared<'_>> = grid.iter().map(|run| s.prepared(run)).collect();
    let rows: Vec<&Prepared<'_>> = prepared.iter().collect();
    let found = fit(&rows, &FitOptions::default());
    let stack = found.stack(&truth);
    let worst = rows.iter().filter_map(|r| log_time_ratio(r, &stack)).fold(0.0, |w: f64, e| w.max(e.abs()));
    assert!(worst < 0.02, "{worst}");
    assert!((stack.matmul_efficiency / 0.85 - 1.0).abs() < 0.08, "{}", stack.matmul_efficiency);
}
