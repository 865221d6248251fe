//! What single coefficients do to a step, on shipped runs whose sizes can be followed by hand.

use gpu_advisor::catalog::{Catalog, Precision};
use gpu_advisor::profile::{ArchitectureRates, Profiles, StackProfile};
use gpu_advisor::simulator::{StepEstimate, TermKind, step_time};
use gpu_advisor::validation::{Run, fastest, prepare, shipped_runs};

struct Shipped {
    catalog: Catalog,
    profiles: Profiles,
    runs: Vec<Run>,
}

impl Shipped {
    fn load() -> Self {
        let catalog = Catalog::embedded().expect("the shipped catalog is valid");
        let profiles = Profiles::embedded(&catalog.gpus).expect("the shipped profiles are valid");
        let runs = shipped_runs().expect("the shipped runs are valid");
        Self { catalog, profiles, runs }
    }

    /// The step of a row with its stack as it is and after a change, under one plan.
    fn steps(&self, id: &str, change: impl Fn(&mut StackProfile)) -> (StepEstimate, StepEstimate) {
        let run = self.runs.iter().find(|r| r.id == id).expect("the row exists");
        let row = prepare(run, &self.catalog, &self.profiles).expect("the row can be expressed");
        let (plan, before) = fastest(&row, row.stack).expect("a plan");
        let mut stack = row.stack.clone();
        change(&mut stack);
        (before, step_time(&row.scenario(&stack), &plan))
    }
}

#[test]
fn an_architecture_twice_as_slow_takes_nearly_twice_the_time_for_large_products() {
    let halve = |stack: &mut StackProfile| {
        let rates = stack.rates("Ampere").clone();
        stack.architectures =
            vec![ArchitectureRates { name: "Ampere".to_owned(), matmul: rates.matmul / 2.0, ..rates }];
    };
    let (before, after) = Shipped::load().steps("mega-033", halve);
    let ratio = after.time(TermKind::MatrixProducts) / before.time(TermKind::MatrixProducts);
    assert!((1.9..2.0001).contains(&ratio), "{ratio}");
    assert_eq!(after.time(TermKind::Optimizer), before.time(TermKind::Optimizer));
}

#[test]
fn an_architecture_without_evidence_has_no_deviation() {
    let s = Shipped::load();
    let stack = &s.profiles.stacks[0];
    let rates = stack.rates("no such architecture");
    assert_eq!((rates.matmul, rates.attention_forward, rates.attention_backward), (1.0, 1.0, 1.0));
}

#[test]
fn what_runs_in_eight_bits_show_of_an_architecture_does_not_make_its_sixteen_bit_products_faster_than_alone()
{
    let s = Shipped::load();
    let mut stack = s.profiles.stacks[0].clone();
    let named = |name: &str, matmul: f64| ArchitectureRates {
        name: name.to_owned(),
        matmul,
        ..ArchitectureRates::neutral()
    };
    stack.architectures = vec![named("old", 0.81), named("new", 1.2)];
    assert_eq!(stack.matmul_factor("new", Precision::Fp8, false), 1.2);
    assert_eq!(stack.matmul_factor("new", Precision::Bf16, true), 1.2);
    assert_eq!(stack.matmul_factor("old", Precision::Bf16, false), 0.81);
    // The mean of 0.81 and 1: its square root.
    for name in ["new", "unseen"] {
        assert!((stack.matmul_factor(name, Precision::Bf16, false) - 0.9).abs() < 1e-12, "{name}");
    }
}

#[test]
fn a_second_of_skew_costs_a_second_for_each_doubling_of_nodes() {
    let later = |stack: &mut StackProfile| {
        stack.node_skew += gpu_advisor::units::Seconds::new(1.0);
    };
    // 1024 GPUs are 128 nodes: seven doublings of one.
    let (before, after) = Shipped::load().steps("mega-033", later);
    assert!(((after.total() - before.total()).get() - 7.0).abs() < 1e-9);
}

#[test]
fn half_of_the_recomputation_takes_half_of_its_time() {
    let (before, after) = Shipped::load().steps("mega-033", |stack| stack.recompute_share /= 2.0);
    let ratio = after.time(TermKind::Recompute) / before.time(TermKind::Recompute);
    assert!((ratio - 0.5).abs() < 1e-9, "{ratio}");
}

#[test]
fn one_more_kernel_per_tensor_costs_153_launches_in_a_network_of_51_weighted_operators() {
    let launch = |stack: &mut StackProfile| {
        stack.launch = gpu_advisor::units::Seconds::new(1e-3);
        stack.optimizer_kernels = 1.0;
    };
    let more = |stack: &mut StackProfile| {
        launch(stack);
        stack.optimizer_kernels = 2.0;
    };
    let s = Shipped::load();
    // 12 layers of four products, an embedding, two products of the head; three tensors each; 1 ms a launch.
    let ((_, one), (_, two)) = (s.steps("dlperf-037", launch), s.steps("dlperf-037", more));
    let added = two.time(TermKind::Launch) - one.time(TermKind::Launch);
    assert!((added.get() - 0.153).abs() < 1e-9, "{added:?}");
}

#[test]
fn collectives_of_a_split_model_cost_the_host_three_launches_each() {
    let s = Shipped::load();
    let run = s.runs.iter().find(|r| r.id == "vtrain-s-053").expect("the row exists");
    let row = prepare(run, &s.catalog, &s.profiles).expect("the row can be expressed");
    let mut stack = row.stack.clone();
    stack.launch = gpu_advisor::units::Seconds::new(1.0);
    let scenario = row.scenario(&stack);
    let split = row.plans[0];
    let whole = gpu_advisor::plan::Plan { tensor_parallel: 1, ..split };
    let [split, whole] = [split, whole].map(|plan| step_time(&scenario, &plan).time(TermKind::Launch));
    // 24 layers of two collectives and that of the embedding, forward and backward, those of the layers once more for the
    // full recomputation: (2 x 49 + 48) x 3 launches of a second in each of 8 micro-batches.
    assert!(((split - whole).get() - 3504.0).abs() < 1.0, "{split:?} {whole:?}");
}

#[test]
fn slower_assembly_of_gathers_never_makes_a_step_faster() {
    let (before, after) =
        Shipped::load().steps("mega-021", |stack| stack.gather_rate = stack.gather_rate * 0.5);
    assert!(after.time(TermKind::WeightGather) > before.time(TermKind::WeightGather));
    assert!(after.total() > before.total());
}

#[test]
fn every_gpu_and_architecture_of_a_fit_is_in_the_catalog() {
    let s = Shipped::load();
    let text_of = |path: &std::path::Path| std::fs::read_to_string(path).expect("a readable file");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("calibration/software");
    let names = |table: &toml::Table, key: &str, name: Option<&str>| -> Vec<String> {
        let list = table.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let of = |v: &toml::Value| name.map_or(Some(v.clone()), |n| v.get(n).cloned());
        list.iter().filter_map(of).filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    for entry in std::fs::read_dir(folder).expect("the folder of stacks") {
        let path = entry.expect("an entry").path();
        let table: toml::Table = text_of(&path).parse().expect("TOML");
        for gpu in names(&table, "fitted_gpus", None) {
            assert!(s.catalog.find_gpu(&gpu).is_some(), "{}: {gpu}", path.display());
        }
        for key in ["architecture", "residual_by_architecture"] {
            for name in names(&table, key, Some("name")) {
                assert!(s.catalog.gpus.iter().any(|g| g.architecture == name), "{}: {name}", path.display());
            }
        }
    }
}

#[test]
fn a_size_outside_the_fit_is_a_factor_away_from_its_nearer_end() {
    let s = Shipped::load();
    let stack = StackProfile { fitted_parameters: Some((1e9, 1e10)), ..s.profiles.stacks[0].clone() };
    let beyond = [1e8, 5e9, 4e10].map(|parameters| stack.beyond_fitted_size(parameters));
    assert_eq!(beyond, [10.0, 1.0, 4.0]);
}
