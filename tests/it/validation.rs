//! The shipped measured runs become the questions they stand for.

use gpu_advisor::catalog::{Catalog, ModelSpec, Precision};
use gpu_advisor::plan::{Recompute, Sharding};
use gpu_advisor::profile::Profiles;
use gpu_advisor::validation::{
    Comparison, FitOptions, LeftOut, Prepared, Quality, Run, SkipReason, fit, fit_stacks, log_time_ratio,
    predict, prepare, shipped_runs,
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
fn a_row_of_plain_width_takes_no_gated_network_of_the_same_sizes() {
    let s = shipped();
    // 16 layers of 2048 with an MLP of 8192, no parameter count: two networks of the zoo are so, one of them gated.
    let shaped = |m: &&ModelSpec| matches!(m, ModelSpec::Transformer { shape, .. } if (shape.layers, shape.hidden, shape.ffn) == (16, 2048, 8192));
    assert!(s.catalog.models.iter().filter(shaped).count() > 1);
    let p = s.prepared(s.run("vtrain-s-007"));
    assert!((p.workload.parameters / 1.01e9 - 1.0).abs() < 0.01, "{}", p.workload.parameters);
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
fn the_second_stage_of_software_that_shards_weights_in_it_keeps_them_together_and_that_is_said() {
    let s = shipped();
    let [gathers, shards] = ["foundry-013", "foundry-001"].map(|id| s.prepared(s.run(id)));
    assert_eq!(
        (gathers.run.sharding, gathers.plans[0].sharding),
        (Some(Sharding::Zero2), Sharding::ShardGradOp)
    );
    let said =
        |p: &Prepared<'_>| p.assumed.iter().any(|a| a.name == "sharding" && a.value == "shard-grad-op");
    assert!(said(&gathers) && !said(&shards));
    assert_eq!(shards.plans[0].sharding, Sharding::Zero3);
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

#[test]
fn a_fit_of_stacks_passes_networks_over_samples_by_and_reports_them_as_loaded() {
    let s = shipped();
    let layered =
        s.runs.iter().find(|r| r.model == "resnet50" && r.quality == Quality::Strong).expect("a row");
    let runs: Vec<Run> = ["dlperf-037", "mega-033"].map(|id| s.run(id).clone()).into();
    let runs: Vec<Run> = runs.into_iter().chain([layered.clone()]).collect();
    let comparison =
        Comparison { catalog: &s.catalog, profiles: &s.profiles, left_out: Some(LeftOut::Model) };
    let found = fit_stacks(&runs, &comparison, &|_, _| {});
    assert_eq!((found.rows, found.report.rows.len()), (2, 3));
    let p = s.prepared(layered);
    let loaded = predict(&p, p.profile(), 0.1).expect("a prediction").error(layered);
    let reported = found.report.rows[2].error.expect("an error");
    assert!((reported - loaded).abs() < 1e-9, "{reported} {loaded}");
}

/// Ranks of values, ascending; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |v: f64| values.iter().filter(|&&x| x < v).count() as f64;
    let equal = |v: f64| values.iter().filter(|&&x| x == v).count() as f64;
    values.iter().map(|&v| below(v) + (equal(v) - 1.0) / 2.0).collect()
}

/// Rank correlation after Spearman: the correlation of the ranks.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

#[test]
fn ranks_in_reverse_correlate_to_minus_one() {
    assert!((rank_correlation(&[1.0, 2.0, 3.0], &[9.0, 4.0, 1.0]) + 1.0).abs() < 1e-12);
    // One swap of neighbours in four: 1 - 6 x 2 / (4 x 15).
    assert!((rank_correlation(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]) - 0.8).abs() < 1e-12);
}

/// Measured and predicted step times of one job under its published splits, all or those of one tensor-parallel degree.
fn splits(s: &Shipped, parameters: f64, gpus: u32, tensor: Option<u32>) -> (Vec<f64>, Vec<f64>) {
    let of_the_job = |r: &&Run| {
        r.quality == Quality::Strong
            && r.family == "vTrain"
            && r.file == "transformer.csv"
            && r.gpus == Some(gpus)
            && (tensor.is_none() || r.tensor_parallel == tensor)
            && r.parameters.is_some_and(|p| (p / 1e9 / parameters - 1.0).abs() < 0.01)
    };
    let rows = s.runs.iter().filter(of_the_job);
    rows.map(|run| {
        let prepared = s.prepared(run);
        let log = log_time_ratio(&prepared, prepared.stack).expect("a plan");
        (run.value, run.value * log.exp())
    })
    .unzip()
}

/// Rank correlation of predicted and measured times, and measured time of the plan predicted fastest over the best,
/// less one.
fn choice(measured: &[f64], predicted: &[f64]) -> (f64, f64) {
    let chosen = predicted.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).expect("a row").0;
    let best = measured.iter().copied().fold(f64::INFINITY, f64::min);
    (rank_correlation(measured, predicted), measured[chosen] / best - 1.0)
}

#[test]
fn the_split_predicted_fastest_is_within_5_percent_of_the_fastest_measured_one() {
    // S10: 47 splits of 39.1 billion parameters on 512 GPUs take 13.9 to 27.8 s, 21 of 175 billion 53.9 to 66.6 s.
    let s = shipped();
    for (parameters, gpus, count, least) in
        [(39.1, 512, 47, 0.6), (175.0, 512, 21, 0.85), (3.6, 64, 26, 0.93)]
    {
        let (measured, predicted) = splits(&s, parameters, gpus, None);
        let (order, regret) = choice(&measured, &predicted);
        assert_eq!(measured.len(), count);
        assert!(regret <= 0.05, "{parameters}: {regret}");
        // 0.9 is wanted and reached by the last only. In the first, rows with a tensor-parallel degree of 2 and 4 are
        // up to 1.6 times slower than the same split of the other two models would have it (`LIMITS.md`).
        assert!(order >= least, "{parameters}: {order}");
    }
    let (measured, predicted) = splits(&s, 39.1, 512, Some(8));
    let (order, _) = choice(&measured, &predicted);
    assert!(measured.len() == 26 && order >= 0.9, "{order}");
}
