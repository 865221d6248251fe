//! Networks over samples: published throughputs, input-bound answers, whole jobs.

use std::process::Command;

use gpu_advisor::catalog::{Catalog, ModelSpec};
use gpu_advisor::profile::{AxisOrder, LayerRate, Profiles, RateKey, Way};
use gpu_advisor::workload::convolutional;

use crate::program::json;

/// `simulate` as JSON.
fn simulated(arguments: &[&str]) -> serde_json::Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_gpu-advisor"))
        .arg("simulate")
        .args(arguments)
        .args(["--format", "json"])
        .env("XDG_CONFIG_HOME", folder.path())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(answer: &serde_json::Value, key: &str) -> f64 {
    answer[key].as_f64().unwrap_or_else(|| panic!("{key} in {answer}"))
}

const EIGHT: [&str; 16] = [
    "--model",
    "resnet50",
    "--dataset",
    "imagenet-1k",
    "--epochs",
    "90",
    "--gpu",
    "a100-sxm-80gb",
    "--gpus",
    "8",
    "--global-batch",
    "2048",
    "--framework",
    "pytorch-ddp",
    "--precision",
    "fp16",
];

/// Published: 16,621 images/s on eight A100, of about 110 kB each: 1.83 GB/s.
#[test]
fn slow_storage_turns_an_image_classifier_on_eight_gpus_input_bound() {
    let fed = simulated(&[&EIGHT[..], &["--storage", "4GB/s", "--vcpus", "256"]].concat());
    let rate = number(&fed, "samples_per_s");
    assert!((rate / 16_621.0 - 1.0).abs() < 0.25, "{rate}");
    assert_ne!(fed["binding"], "input_bound");
    let starved = simulated(&[&EIGHT[..], &["--storage", "350MB/s", "--vcpus", "256"]].concat());
    assert_eq!(starved["binding"], "input_bound");
    // 350 MB/s over 114,660 B are 3,053 images/s.
    let starved = number(&starved, "samples_per_s");
    assert!((starved / 3053.0 - 1.0).abs() < 0.01, "{starved}");
}

/// 326 images/s per vCPU: 16 of them prepare 5,212.
#[test]
fn few_vcpus_starve_eight_gpus_too() {
    let answer = simulated(&[&EIGHT[..], &["--storage", "4GB/s", "--vcpus", "16"]].concat());
    assert_eq!(answer["binding"], "input_bound");
    let rate = number(&answer, "samples_per_s");
    assert!((rate / 5212.0 - 1.0).abs() < 0.01, "{rate}");
}

#[test]
fn every_network_of_the_zoo_builds_and_aliases_find_it() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let mut networks = 0;
    for model in &catalog.models {
        let ModelSpec::Convolutional { id, aliases, recipe, .. } = model else { continue };
        convolutional(id, recipe).unwrap_or_else(|error| panic!("{id}: {error}"));
        for alias in aliases {
            assert_eq!(catalog.find_model(alias).map(ModelSpec::id), Some(id.as_str()), "{alias}");
        }
        networks += 1;
    }
    assert!(networks >= 50, "{networks}");
}

#[test]
fn factors_of_layers_multiply_and_stay_within_bounds() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the profiles are valid");
    let key = RateKey {
        stack: "pytorch-ddp",
        recipe: "",
        compiler: "",
        capability: None,
        order: AxisOrder::ByPrecision,
        joins_norms: false,
        synthetic: false,
    };
    let own = profiles.layers.rates(&key).get(LayerRate::ElementwiseTraffic);
    let common = profiles.layers.common.get(LayerRate::ElementwiseTraffic);
    assert!(own > common, "{own} {common}");
    for rate in LayerRate::ALL {
        let (low, high) = rate.bounds();
        assert!((low..=high).contains(&profiles.layers.rates(&key).get(rate)), "{}", rate.key());
    }
}

/// The nearest relative serves a stack without runs, at the lowest grade and with a wide interval.
#[test]
fn a_stack_without_runs_is_served_by_its_relative_at_grade_d() {
    let catalog = Catalog::embedded().expect("the embedded catalog is valid");
    let profiles = Profiles::embedded(&catalog.gpus).expect("the profiles are valid");
    let gpu = catalog.gpu(catalog.find_gpu("v100-sxm2-16gb").expect("a GPU"));
    let alone = profiles.stacks.iter().find(|s| s.relative_of.is_some()).expect("such a stack");
    let layered = profiles.layered(alone, gpu, Some(Way::default())).expect("coefficients");
    let relative = profiles.stack(alone.relative_of.as_deref().unwrap_or_default()).expect("its relative");
    let other = profiles.layered(relative, gpu, Some(Way::default())).expect("coefficients");
    assert_eq!(layered.convolution_efficiency_fp32, other.convolution_efficiency_fp32);
    assert!(layered.residual >= 0.5 && layered.grade.letter() == "D");
    assert!(profiles.layered(alone, gpu, None).is_none());
}

/// Three layers, no word about family or source: 3 x 3 x 1 x 8 weights and two of a norm for each of 8 channels.
#[test]
fn a_network_of_ones_own_needs_its_layers_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("own.toml");
    let network = "[[convolutional]]\nid = \"own\"\nchannels = 1\ninput = [16, 16]\nlayers = [\n  { layer = \
                   \"convolution\", out = 8, kernel = 3 },\n  { layer = \"global-average-pool\" },\n  { layer = \"linear\", \
                   out = 2 },\n]\n";
    std::fs::write(&file, network).expect("a file");
    let path = file.to_str().expect("a path");
    let arguments = ["--model", path, "--steps", "10", "--gpu", "v100-sxm2-16gb", "--gpus", "1"];
    let answer = simulated(&arguments);
    assert_eq!(number(&answer["job"], "parameters"), 72.0 + 16.0 + 18.0);
    // What is wrong is told with the line of the file as the user sees it.
    std::fs::write(&file, network.replace("\"linear\"", "\"wombat\"")).expect("a file");
    let error = crate::program::fails(3, &[&["simulate"], &arguments[..]].concat());
    assert!(error.contains("own.toml:8: layers[2].layer: is \"wombat\""), "{error}");
}

/// Code that nobody tuned is slower than a published reference, and a hand-optimised one faster; a compiler fuses.
#[test]
fn how_well_a_training_is_tuned_decides_its_rate() {
    let rate = |more: &[&str]| {
        let job = ["--model", "resnet-50", "--steps", "100", "--gpu", "v100-sxm2-32gb", "--gpus", "1"];
        number(&simulated(&[&job, more].concat()), "samples_per_s")
    };
    let [hand, reference, typical] =
        ["hand-optimised", "tuned-reference", "typical-user"].map(|r| rate(&["--recipe", r]));
    assert!(hand > reference && reference > typical, "{hand}, {reference}, {typical}");
    assert_eq!(rate(&[]), reference);
    let tensorflow = ["--framework", "tensorflow"];
    assert!(rate(&[&tensorflow[..], &["--compiler", "xla"]].concat()) > rate(&tensorflow));
    let base = ["simulate", "--steps", "10", "--gpu", "v100-sxm2-32gb", "--gpus", "1"];
    let unknown =
        crate::program::fails(2, &[&base[..], &["--model", "resnet-50", "--recipe", "typical"]].concat());
    assert!(unknown.contains("hand-optimised, tuned-reference, typical-user"), "{unknown}");
    let other =
        crate::program::fails(2, &[&base[..], &["--params", "1B", "--recipe", "typical-user"]].concat());
    assert!(other.contains("networks over samples"), "{other}");
}

#[test]
fn offers_of_one_machine_with_other_vcpus_wait_for_their_own_input() {
    let (code, answer) = json(
        "recommend --model nnunet-2d --dataset msd-task01-braintumour --epochs 1 --gpu a10g --provider aws --max-gpus 1 --deadline 1000d",
    );
    assert_eq!(code, 0);
    let step = |name: &str| {
        let all = answer["candidates"].as_array().expect("candidates");
        let found = all.iter().find(|c| c["cluster"] == name).expect("the instance type");
        assert_eq!(found["binding"], "input_bound");
        found["step_time_s"].as_f64().expect("a time")
    };
    // Four vCPUs against eight on the same GPU and network.
    assert!((step("aws/g5.xlarge:1") / step("aws/g5.2xlarge:1") - 2.0).abs() < 0.01);
}

#[test]
fn stated_vcpus_take_the_place_of_those_of_an_instance_type_and_are_said() {
    let job = "--model nnunet-2d --dataset msd-task01-braintumour --epochs 1";
    let named = |vcpus: &str| {
        let (code, answer) = json(&format!("simulate {job} --cluster aws/g5.xlarge:1 {vcpus}"));
        assert_eq!((code, answer["binding"].as_str()), (0, Some("input_bound")));
        answer
    };
    // Half of the four vCPUs that it has prepare half as many samples.
    let (own, half) = (named(""), named("--vcpus 2"));
    assert!((number(&half, "step_time_s") / number(&own, "step_time_s") - 2.0).abs() < 1e-6);
    let said = |answer: &serde_json::Value| {
        let all = answer["assumptions"].as_array().expect("assumptions").clone();
        all.into_iter().find(|a| a["name"] == "vcpus").map(|a| a["reason"].as_str().expect("why").to_owned())
    };
    assert_eq!(said(&own), None);
    assert_eq!(said(&half).as_deref(), Some("as stated, in place of the 4 of the instance type"));
    let limits = "--gpu a10g --provider aws --max-gpus 1 --deadline 1000d --vcpus 2";
    let (code, answer) = json(&format!("recommend {job} {limits}"));
    let all = answer["candidates"].as_array().expect("candidates");
    let found = all.iter().find(|c| c["cluster"] == "aws/g5.xlarge:1").expect("the instance type");
    let apart = number(found, "step_time_s") / number(&half, "step_time_s");
    assert!(code == 0 && (apart - 1.0).abs() < 1e-6 && said(&answer).is_some(), "{apart}");
}

/// An epoch of ResNet-50 on one GPU whose host keeps up.
fn one_gpu_epoch(gpu: &str, batch: &str, precision: &str, more: &[&str]) -> serde_json::Value {
    let common = ["--model", "resnet50", "--dataset", "imagenet-1k", "--epochs", "1", "--gpus", "1"];
    let host = ["--storage", "4GB/s", "--vcpus", "64"];
    let own = ["--gpu", gpu, "--global-batch", batch, "--precision", precision];
    simulated(&[&common[..], &host, &own, more].concat())
}

#[test]
fn channels_first_slows_matrix_units_and_nothing_else() {
    let step = |gpu: &str, precision: &str, order: &str| {
        number(&one_gpu_epoch(gpu, "64", precision, &["--layout", order]), "step_time_s")
    };
    let slower = |gpu: &str, precision: &str| {
        step(gpu, precision, "channels-first") / step(gpu, precision, "channels-last")
    };
    assert_eq!(slower("v100-sxm2-16gb", "fp32"), 1.0);
    assert!(slower("v100-sxm2-16gb", "fp16") > 1.1);
    assert!(slower("a100-sxm-40gb", "tf32") > 1.05);
}

/// Time of the element-wise term of an epoch.
fn element_wise(answer: &serde_json::Value) -> f64 {
    let terms = answer["terms"].as_array().expect("terms");
    number(terms.iter().find(|t| t["name"] == "element_wise").expect("the term"), "time_s")
}

/// A unit moves its map 13 times (norm 8, rectifier 5), joined 8; the end of a block 19 times with the sum's 6, joined 10.
#[test]
fn joined_norms_spare_the_passes_behind_them_with_channels_last() {
    let passes = |precision: &str, order: &str| {
        let more = ["--framework", "mxnet", "--layout", order];
        element_wise(&one_gpu_epoch("a100-sxm-40gb", "64", precision, &more))
    };
    let spared = |precision: &str| passes(precision, "channels-first") / passes(precision, "channels-last");
    assert!((1.5..1.9).contains(&spared("fp16")), "{}", spared("fp16"));
    assert_eq!(spared("tf32"), 1.0);
}

/// Half the bytes take more than half the time where the loads in flight, and not the memory, set the pace.
#[test]
fn sixteen_bits_do_not_halve_what_memory_bounds() {
    let passes = |precision: &str| element_wise(&one_gpu_epoch("h100-sxm", "256", precision, &[]));
    let ratio = passes("tf32") / passes("fp16");
    assert!((1.2..1.8).contains(&ratio), "{ratio}");
}

#[test]
fn software_of_which_the_fit_saw_no_network_is_no_evidence() {
    let grade = |stack: &str| {
        let answer = one_gpu_epoch("a100-sxm-40gb", "64", "fp16", &["--framework", stack]);
        let terms = answer["terms"].as_array().expect("terms").clone();
        let own = terms.iter().find(|t| t["name"] == "convolutions").expect("the term")["grade"].clone();
        let time = &answer["total_time_s"];
        (own.as_str().expect("a grade").to_owned(), number(time, "p90") / number(time, "p50"))
    };
    let (seen, unseen) = (grade("mxnet"), grade("megatron"));
    assert!(seen.0 < unseen.0, "{seen:?} {unseen:?}");
    assert!(seen.1 < unseen.1, "{seen:?} {unseen:?}");
}

#[test]
fn epochs_of_a_network_with_a_published_schedule_recall_it() {
    let job = |more: &[&str]| {
        let common = ["--model", "nnunet-3d", "--dataset", "kits19", "--epochs", "1000", "--gpus", "1"];
        let answer =
            simulated(&[&common[..], &["--gpu", "v100-sxm2-32gb", "--global-batch", "2"], more].concat());
        let assumed = answer["assumptions"].as_array().expect("assumptions").clone();
        assumed.iter().any(|a| a["name"] == "epochs" && a["reason"].to_string().contains("nnunet-3d-default"))
    };
    assert!(job(&[]));
    assert!(!job(&["--steps-per-epoch", "250"]));
}
