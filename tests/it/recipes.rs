//! What of a model is trained, where its states lie, and whether it fits: verdicts that the field agrees on.

use gpu_advisor::catalog::{Catalog, ModelSpec, Precision, TransformerSpec};
use gpu_advisor::plan::{Plan, Recompute, Sharding};
use gpu_advisor::profile::Profiles;
use gpu_advisor::simulator::{Machine, MemoryItem, Scenario, StageParameters, Verdict, memory, step_time};
use gpu_advisor::units::BytesPerSecond;
use gpu_advisor::validation::{parse_runs, prepare};
use gpu_advisor::workload::{Adapters, Workload, standard_decoder, transformer, with_adapters};
use serde_json::Value;

use crate::program::{advise, stdout, with, words};

/// The answer of `simulate` as JSON, whatever its verdict.
fn simulated(arguments: &[&str]) -> Value {
    let all = with(&[&["simulate", "--format", "json", "--quiet"], arguments]);
    let output = advise(&all);
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|e| panic!("{arguments:?}: {e}"))
}

fn verdict(arguments: &[&str]) -> String {
    simulated(arguments)["memory"]["verdict"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn seven_billion_on_eight_cards_of_32_gb_need_weights_sharded_too() {
    // S1: 107.8, 37.1 and 28.6 GB of states without, with ZeRO-1 and with ZeRO-2; 13.5 to 15.2 GB with ZeRO-3.
    let job =
        ["--steps", "10", "--model", "llama-7b", "--framework", "deepspeed", "--sequence-length", "2048"];
    let cluster = ["--gpu", "v100-sxm2-32gb", "--gpus", "8", "--global-batch", "64", "--micro-batch", "1"];
    let of = |sharding: &str| {
        simulated(&with(&[&job, &cluster, &["--sharding", sharding, "--recompute", "full"]]))
    };
    for (sharding, fits) in [("none", false), ("zero1", false), ("zero2", false), ("zero3", true)] {
        let answer = of(sharding);
        assert_eq!(answer["feasible"], Value::Bool(fits), "{sharding}: {}", answer["memory"]);
    }
    let states = |sharding: &str| -> f64 {
        let answer = of(sharding);
        let items = answer["memory"]["items"].as_array().cloned().unwrap_or_default();
        let wanted = ["weights", "gradients", "optimizer_states"];
        items
            .iter()
            .filter(|i| wanted.contains(&i["name"].as_str().unwrap_or_default()))
            .filter_map(|i| i["bytes"].as_f64())
            .sum::<f64>()
            / 1e9
    };
    for (sharding, gigabytes) in [("none", 107.8), ("zero1", 37.1), ("zero2", 28.6), ("zero3", 13.5)] {
        let found = states(sharding);
        assert!((found - gigabytes).abs() < 0.1, "{sharding}: {found}");
    }
    let warnings = of("zero3")["warnings"].clone();
    for warning in ["loss_scaling", "no_flash_attention"] {
        assert!(warnings.as_array().is_some_and(|w| w.contains(&warning.into())), "{warnings}");
    }
}

#[test]
fn the_largest_published_job_takes_34_days_and_833_thousand_gpu_hours() {
    // S2: 8 x 300e9 x 175e9 / (1024 x 140e12) are 2.93e6 s, 33.9 days, 833 k GPU-hours, 34 % of the peak by 6 N D.
    let cluster = "aws/p4de.24xlarge";
    let nodes = format!("{cluster}:128");
    let price = format!("{cluster}=16USD/h");
    let plan =
        "--tensor-parallel 8 --pipeline-parallel 8 --global-batch 1536 --recompute full --precision fp16";
    let line = format!("--model gpt3-175b --tokens 300B {plan} --framework megatron --as-of 2026-11-30");
    let arguments: Vec<&str> = line.split(' ').chain(["--cluster", &nodes, "--price", &price]).collect();
    let answer = simulated(&arguments);
    let near = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 0.15, "{found} for {wanted}");
    near(answer["total_time_s"]["p50"].as_f64().expect("a time") / 86_400.0, 33.9);
    near(answer["gpu_hours"].as_f64().expect("hours"), 833e3);
    near(answer["flop_per_step"]["six_nd_utilization"].as_f64().expect("a share"), 0.34);
    // Eight GPUs at 16 USD a node: 2 USD for each GPU-hour.
    let cost = answer["cost"]["p50"]["amount"].as_str().expect("an amount").parse::<f64>().expect("a number");
    near(cost, 2.0 * 833e3);
}

#[test]
fn thirteen_billion_need_four_cards_of_80_gb() {
    // S11: 13.0e9 x 16 B are 208 GB of states.
    let job =
        ["--steps", "10", "--model", "llama-13b", "--framework", "pytorch-fsdp", "--sequence-length", "2048"];
    let on = |gpus: &str| {
        let cluster =
            ["--gpu", "a100-sxm-80gb", "--gpus", gpus, "--gpus-per-node", gpus, "--global-batch", "64"];
        simulated(&with(&[&job, &cluster]))["feasible"].clone()
    };
    assert_eq!([on("1"), on("2"), on("4")], [false, false, true].map(Value::Bool));
}

#[test]
fn seventy_billion_fit_eight_cards_with_adapters_and_one_card_with_four_bits() {
    // S12: 1.10 TB of states in full, 138 GB frozen in 16 bit, 36 GB in 4 bit.
    let model =
        ["--steps", "10", "--model", "llama2-70b", "--sequence-length", "2048", "--gpu", "a100-sxm-80gb"];
    let on = |more: &[&str]| simulated(&with(&[&model, &["--global-batch", "16"], more]));
    for framework in ["nemo", "pytorch-fsdp", "deepspeed"] {
        let full = on(&["--gpus", "8", "--framework", framework]);
        assert_eq!(full["feasible"], Value::Bool(false), "{framework}");
    }
    let lora = on(&["--gpus", "8", "--method", "lora"]);
    assert_eq!(lora["feasible"], Value::Bool(true));
    assert_eq!(lora["plan"]["sharding"], "zero3");
    let qlora = on(&["--gpus", "1", "--gpus-per-node", "1", "--method", "qlora"]);
    assert_eq!(qlora["feasible"], Value::Bool(true));
    let weights = qlora["memory"]["items"][0]["bytes"].as_f64().unwrap_or_default() / 1e9;
    assert!((35.0..38.0).contains(&weights), "{weights}");
    // In 16 bit throughout, 552 GB of 640: the edge.
    let narrow = ["--framework", "pytorch-fsdp", "--optimizer", "adamw-bf16", "--gpus", "8"];
    assert_ne!(verdict(&with(&[&model, &["--global-batch", "16"], &narrow])), "fits");
}

#[test]
fn what_a_gpu_lacks_is_refused_with_what_comes_nearest() {
    let job = ["--params", "7B", "--steps", "10", "--gpus", "8", "--framework", "deepspeed"];
    let refused = |gpu: &str, more: &[&str], word: &str| {
        let output = advise(&with(&[&["simulate"], &job, &["--gpu", gpu], more]));
        assert_eq!(output.status.code(), Some(4), "{gpu} {more:?}");
        let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(word), "{text}");
    };
    refused("v100-sxm2-32gb", &["--precision", "bf16"], "it can do fp32, fp16; fp16 comes nearest");
    refused("v100-sxm2-32gb", &["--precision", "fp8"], "fp16 comes nearest");
    refused("a100-sxm-80gb", &["--precision", "fp8"], "bf16 comes nearest");
    refused("t4", &["--flash-attention", "on"], "no training kernel");
    let shown = stdout(&advise(&["catalog", "show", "v100-sxm2-32gb"]));
    for row in ["bfloat16 matrix units", "FlashAttention-3 training", "Multi-Instance GPU"] {
        let line = shown.lines().find(|l| l.contains(row)).expect("a row");
        assert!(line.contains(" no "), "{line}");
    }
}

struct Bench {
    catalog: Catalog,
    profiles: Profiles,
}

impl Bench {
    fn new() -> Self {
        let catalog = Catalog::embedded().expect("the embedded catalog is valid");
        let profiles = Profiles::embedded(&catalog.gpus).expect("the embedded profiles are valid");
        Self { catalog, profiles }
    }

    fn scenario<'a>(&'a self, workload: &'a Workload, optimizer: &str, nodes: u32) -> Scenario<'a> {
        let id = self.catalog.find_gpu("a100-sxm-80gb").expect("known");
        let gpu = self.catalog.gpu(id);
        Scenario {
            workload,
            optimizer: self.catalog.find_optimizer(optimizer).expect("known"),
            machine: Machine {
                gpu,
                hardware: self.profiles.gpu(id),
                link: self.profiles.link(&gpu.default_node_link).expect("known"),
                network: self.profiles.network("infiniband").expect("known"),
                link_rate: gpu.link_per_direction.expect("stated"),
                gpus_per_node: 8,
                nodes,
                network_bandwidth: BytesPerSecond::from_gigabit(1600.0),
                network_known: true,
                host: self.profiles.defaults.host(gpu),
            },
            stack: self.profiles.stack("pytorch-fsdp").expect("known"),
            input: None,
        }
    }
}

const SHARDINGS: [Sharding; 6] = [
    Sharding::None,
    Sharding::Zero1,
    Sharding::Zero2,
    Sharding::ShardGradOp,
    Sharding::Zero3,
    Sharding::Hsdp,
];

fn plan(sharding: Sharding, recompute: Recompute, nodes: u32) -> Plan {
    Plan { data_parallel: 8 * nodes, sharding, recompute, ..Plan::single(Precision::Bf16, true) }
}

#[test]
fn full_training_needs_no_less_than_adapters_and_those_no_less_than_four_bits() {
    let bench = Bench::new();
    let mut compared = 0;
    for model in &bench.catalog.models {
        let ModelSpec::Transformer { id, shape, .. } = model else { continue };
        if shape.patch.is_some() {
            continue;
        }
        let full = transformer(id, shape, 1024);
        let lora = with_adapters(&full, Adapters::DEFAULT, false);
        let qlora = with_adapters(&full, Adapters::DEFAULT, true);
        for (sharding, nodes) in SHARDINGS.into_iter().flat_map(|s| [(s, 1), (s, 4)]) {
            for recompute in [Recompute::None, Recompute::Full] {
                let plan = plan(sharding, recompute, nodes);
                let [a, b, c] = [&full, &lora, &qlora]
                    .map(|w| memory(&bench.scenario(w, "adamw", nodes), &plan).peak().get());
                assert!(a >= b && b >= c, "{id} {sharding:?} {recompute:?}: {a:e} {b:e} {c:e}");
                compared += 1;
            }
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn adapters_skip_the_weight_gradients_of_frozen_products() {
    let bench = Bench::new();
    let (shape, _) = standard_decoder(7e9).expect("a size");
    let full = transformer("7B", &shape, 2048);
    let lora = with_adapters(&full, Adapters { rank: 1, ..Adapters::DEFAULT }, false);
    let plan = Plan { micro_batch: 8, ..plan(Sharding::Zero3, Recompute::None, 1) };
    let products = |w: &Workload| {
        let step = step_time(&bench.scenario(w, "adamw", 1), &plan);
        step.time(gpu_advisor::simulator::TermKind::MatrixProducts).get()
    };
    let share = products(&lora) / products(&full);
    assert!((0.64..0.75).contains(&share), "{share}");
}

#[test]
fn sharding_keeps_no_more_than_the_levels_below_it() {
    let bench = Bench::new();
    let (shape, _) = standard_decoder(7e9).expect("a size");
    let workload = transformer("7B", &shape, 2048);
    let scenario = bench.scenario(&workload, "adamw", 4);
    let states = |sharding| {
        let items = [MemoryItem::Weights, MemoryItem::Gradients, MemoryItem::OptimizerStates];
        let estimate = memory(&scenario, &plan(sharding, Recompute::Full, 4));
        items.iter().map(|&i| estimate.item(i).get()).sum::<f64>() / workload.parameters
    };
    // 2 + 14/32, 16/32, and 16/8 where a node shards for itself.
    assert!((states(Sharding::ShardGradOp) - (2.0 + 14.0 / 32.0)).abs() < 1e-9);
    assert!((states(Sharding::Zero3) - 0.5).abs() < 1e-9);
    assert!((states(Sharding::Hsdp) - 2.0).abs() < 1e-9);
    assert!(states(Sharding::Zero2) >= 2.0);
}

#[test]
fn optimizers_differ_by_the_bytes_they_keep() {
    let bench = Bench::new();
    let (shape, _) = standard_decoder(7e9).expect("a size");
    let workload = transformer("7B", &shape, 2048);
    let per_parameter = |optimizer| {
        let estimate =
            memory(&bench.scenario(&workload, optimizer, 1), &plan(Sharding::None, Recompute::Full, 1));
        let items = [MemoryItem::Weights, MemoryItem::Gradients, MemoryItem::OptimizerStates];
        items.iter().map(|&i| estimate.item(i).get()).sum::<f64>() / workload.parameters
    };
    for (optimizer, bytes) in
        [("adamw", 16.0), ("adamw-8bit", 10.0), ("adamw-bf16", 8.0), ("sgd-momentum", 12.0), ("lion", 12.0)]
    {
        assert!((per_parameter(optimizer) - bytes).abs() < 0.01, "{optimizer}");
    }
}

#[test]
fn states_in_host_memory_leave_the_gpu_and_cost_time() {
    let bench = Bench::new();
    let (shape, _) = standard_decoder(13e9).expect("a size");
    let workload = transformer("13B", &shape, 2048);
    let scenario = bench.scenario(&workload, "adamw", 1);
    let on = plan(Sharding::Zero3, Recompute::Full, 1);
    let off = Plan { optimizer_offload: true, ..on };
    assert_eq!(memory(&scenario, &off).item(MemoryItem::OptimizerStates).get(), 0.0);
    assert!(step_time(&scenario, &off).total() > step_time(&scenario, &on).total());
}

#[test]
fn a_shared_sequence_divides_activations_and_a_group_of_experts_divides_weights() {
    let bench = Bench::new();
    let Some(ModelSpec::Transformer { shape, .. }) = bench.catalog.find_model("mixtral-8x7b") else {
        panic!("not in the zoo")
    };
    let workload = transformer("experts", shape, 8192);
    let scenario = bench.scenario(&workload, "adamw", 1);
    let whole = plan(Sharding::Zero1, Recompute::None, 1);
    let spread = Plan { expert_parallel: 8, ..whole };
    let weights = |p: &Plan| memory(&scenario, p).item(MemoryItem::Weights).get() / 2.0;
    // 45.1e9 of the 46.7e9 parameters are experts: 32 layers of 8 times 3 x 4096 x 14336.
    let experts = 32.0 * 8.0 * 3.0 * 4096.0 * 14_336.0;
    assert!((weights(&whole) - workload.parameters).abs() < 1.0);
    assert!((weights(&spread) - (workload.parameters - experts * 7.0 / 8.0)).abs() < 1.0);
    // States are sharded over all eight either way.
    let states = |p: &Plan| memory(&scenario, p).item(MemoryItem::OptimizerStates).get();
    assert!((states(&whole) / states(&spread) - 1.0).abs() < 1e-9);
    let exchange = step_time(&scenario, &spread).time(gpu_advisor::simulator::TermKind::ExpertParallel);
    assert!(exchange.get() > 0.0);

    let shared = Plan { data_parallel: 4, context_parallel: 2, ..whole };
    let kept = |p: &Plan| memory(&scenario, p).item(MemoryItem::Activations).get();
    assert!((kept(&shared) / kept(&whole) - 0.5).abs() < 1e-9);
}

#[test]
fn stages_with_one_layer_more_hold_all_parameters_and_set_the_time() {
    let bench = Bench::new();
    let shape = |layers| TransformerSpec { layers, ..standard_decoder(7e9).expect("a size").0 };
    let plan = Plan {
        pipeline_parallel: 4,
        data_parallel: 2,
        gradient_accumulation_steps: 16,
        ..plan(Sharding::None, Recompute::Full, 1)
    };
    let of = |layers| {
        let workload = transformer("deeper", &shape(layers), 2048);
        let scenario = bench.scenario(&workload, "adamw", 1);
        let held = (0..4).map(|stage| StageParameters::of(&scenario, &plan, stage).trained).sum::<f64>();
        assert!((held / workload.parameters - 1.0).abs() < 1e-12, "{layers}: {held:e}");
        (step_time(&scenario, &plan).total().get(), memory(&scenario, &plan).peak().get())
    };
    // 8 layers on each of four stages; 8, 8, 9 and 8; 8, 9, 9 and 8; 9 on each.
    let (times, bytes): (Vec<f64>, Vec<f64>) = [32, 33, 34, 36].map(of).into_iter().unzip();
    assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
    // One stage of nine layers delays all 16 micro-batches; a second one only fills the bubble.
    assert!(times[2] - times[1] < (times[1] - times[0]) / 2.0, "{times:?}");
    assert!(bytes.windows(2).all(|w| w[0] <= w[1]), "{bytes:?}");
}

#[test]
fn an_uneven_pipeline_runs_where_the_software_can_and_is_refused_elsewhere() {
    let base = "--model deepseek-v3 --steps 10 --gpu h800-sxm --gpus 2048 --global-batch 15360 --sequence-length 4096";
    let plan =
        "--pipeline-parallel 16 --expert-parallel 64 --tensor-parallel 1 --sharding zero1 --micro-batch 1";
    let line = format!("{base} {plan} --framework nemo");
    let answer = simulated(&line.split(' ').collect::<Vec<_>>());
    // 61 layers over 16 stages: 13 of four, three of three.
    assert_eq!(answer["plan"]["pipeline_parallel"], 16);
    let line = "simulate --model gpt3-175b --steps 10 --gpu a100-sxm-80gb --gpus 640 --tensor-parallel 8 \
                --pipeline-parallel 10 --global-batch 1536 --recompute full --framework megatron --emit megatron";
    let flags = stdout(&advise(&words(line)));
    let layout = "Et*9|t*9|t*9|t*10|t*10|t*10|t*10|t*10|t*10|t*9L";
    assert!(flags.contains(&format!("--pipeline-model-parallel-layout \"{layout}\"")), "{flags}");
    let output = advise(&words(&line.replace("megatron --emit megatron", "oneflow")));
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("96 is not divisible"), "{}", stdout(&output));
}

#[test]
fn every_published_plan_of_one_benchmark_is_judged_possible() {
    let bench = Bench::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/calibration/runs/transformer.csv");
    let text = std::fs::read_to_string(path).expect("the measured runs");
    let runs = parse_runs("transformer.csv", &text).expect("valid runs");
    let mut judged = 0;
    let mut refused = Vec::new();
    for run in runs.iter().filter(|r| r.family == "mosaicml/llm-foundry") {
        let Ok(prepared) = prepare(run, &bench.catalog, &bench.profiles) else { continue };
        let scenario = prepared.scenario(prepared.stack);
        let best = prepared
            .plans
            .iter()
            .map(|p| memory(&scenario, p))
            .min_by(|a, b| a.share().total_cmp(&b.share()));
        let Some(best) = best else { continue };
        judged += 1;
        if best.verdict() == Verdict::No {
            refused.push(format!("{} {} {}: {:.2}", run.id, run.model, run.gpu, best.share()));
        }
    }
    assert!(judged > 200, "only {judged}");
    assert!(refused.is_empty(), "{} of {judged}:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn a_thousand_samples_in_steps_of_256_are_four_steps_an_epoch() {
    let answer = simulated(&[
        "--model",
        "gpt2",
        "--samples",
        "1000",
        "--epochs",
        "3",
        "--global-batch",
        "256",
        "--micro-batch",
        "4",
        "--gpu",
        "a100-sxm-80gb",
        "--gpus",
        "8",
    ]);
    assert_eq!(answer["steps"], 12.0);
    assert_eq!(answer["plan"]["gradient_accumulation_steps"], 8);
}
