//! Sets, machines and models by the names that people write, and what fits what.

use gpu_advisor::catalog::{Catalog, ModelSpec, NameKind};

use crate::program::{fails, json, stdout, succeeds, words};

const ON_EIGHT: &str = "--gpu a100-sxm-80gb --gpus 8 --as-of 2026-11-30";

#[test]
fn a_language_model_refuses_pictures_and_lists_the_texts_that_fit() {
    for length in ["--epochs 1", "--steps 100", "--tokens 1B"] {
        for (model, set) in [("bert-large-uncased", "imagenet-1k"), ("llama3.1-8b", "kits19-mlperf")] {
            let line = format!("simulate --model {model} {length} --dataset {set} {ON_EIGHT}");
            let said = fails(2, &words(&line));
            assert!(
                said.contains(&format!("{set} holds ")) && said.contains("trains on sequences"),
                "{said}"
            );
            assert!(said.contains("wikipedia-mlperf-bert") && !said.contains("coco-2017"), "{said}");
        }
    }
    // Sound is what encoders and encoder-decoders of speech train on, and no text for a decoder.
    let speech =
        |model: &str| format!("simulate --model {model} --epochs 1 --dataset librispeech-960 {ON_EIGHT}");
    succeeds(&words(&speech("whisper-small")));
    assert!(fails(2, &words(&speech("llama3.1-8b"))).contains("holds audio"));
}

#[test]
fn a_network_over_pictures_refuses_texts_and_records_and_lists_pictures() {
    for (model, fits, not) in [
        ("resnet-50", "openimages-full", "c4-en"),
        ("nnunet-3d", "brats-2021", "imagenet-1k,"),
        ("vit-b16", "imagenet-1k", "pile"),
    ] {
        for set in ["c4-en", "criteo-1tb"] {
            let said =
                fails(2, &words(&format!("simulate --model {model} --epochs 1 --dataset {set} {ON_EIGHT}")));
            assert!(said.contains(fits) && !said.split("fit:").nth(1).unwrap().contains(not), "{said}");
        }
    }
    let records =
        fails(2, &words(&format!("simulate --model dlrm --epochs 1 --dataset imagenet-1k {ON_EIGHT}")));
    assert!(records.contains("criteo-1tb"), "{records}");
    // Slices of volumes are pictures.
    succeeds(&words(&format!("simulate --model nnunet-2d --epochs 1 --dataset kits19-mlperf {ON_EIGHT}")));
}

#[test]
fn a_set_whose_labels_are_of_another_task_is_refused_with_those_that_fit() {
    for (model, set, fits, not) in [
        ("yolov8s", "imagenet-1k", "coco-2017", "isbi-em-2012"),
        ("mask-rcnn-r50-fpn", "ljspeech", "coco-2017", "ljspeech,"),
        ("efficientdet-d0", "imagenet-1k", "openimages-mlperf", "brats"),
        ("resnet-50", "coco-2017", "imagenet-1k", "coco"),
        ("efficientnet-b0", "cityscapes", "imagenet-1k", "coco"),
        ("segformer-b0", "imagenet-1k", "cityscapes", "kinetics"),
        ("nnunet-3d", "cosmoflow-mlps", "brats-2021", "cosmoflow"),
        ("tacotron2", "librispeech-960", "ljspeech", "kinetics"),
    ] {
        let line = format!("simulate --model {model} --epochs 1 --dataset {set} {ON_EIGHT}");
        let said = fails(2, &words(&line));
        let (why, sets) = said.split_once("datasets that fit: ").expect("the sets");
        assert!(why.contains("is trained for") || why.contains("trains on"), "{said}");
        assert!(sets.contains(fits) && !sets.contains(not), "{said}");
    }
    let chinese = fails(
        2,
        &words(&format!("simulate --model yolov8s --epochs 1 --dataset imagenet-1k {ON_EIGHT} --lang zh")),
    );
    assert!(
        chinese
            .contains("imagenet-1k 是用于 图像分类 的数据集，而 yolov8s 的任务是 目标检测；适用的数据集："),
        "{chinese}"
    );
    // What learns from pictures without labels takes any; a set for several tasks serves each.
    for (model, set) in
        [("mae-vit-b", "coco-2017"), ("dit-xl-2", "imagenet-1k"), ("segformer-b0", "coco-2017")]
    {
        succeeds(&words(&format!("simulate --model {model} --epochs 1 --dataset {set} {ON_EIGHT}")));
    }
}

#[test]
fn every_set_says_what_its_samples_are_and_some_model_takes_it() {
    let catalog = Catalog::embedded().unwrap();
    for set in &catalog.datasets {
        assert!(!set.samples.is_empty(), "{}", set.id);
    }
    // No name of one set is another's.
    let mut names: Vec<&str> =
        catalog.datasets.iter().flat_map(gpu_advisor::catalog::Dataset::names).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn sets_and_models_are_found_by_the_short_names_of_their_users() {
    let catalog = Catalog::embedded().unwrap();
    let set = |name: &str| catalog.find_dataset(name).map(|d| d.id.as_str());
    assert_eq!(set("coco"), Some("coco-2017"));
    assert_eq!(set("KITTI"), Some("kitti-3d"));
    assert_eq!(set("MS COCO"), Some("coco-2017"));
    assert_eq!(set("imagenet"), Some("imagenet-1k"));
    assert_eq!(set("wmt16 en-de"), Some("wmt16-en-de"));
    assert_eq!(set("nothing"), None);
    let model = |name: &str| catalog.find_model(name).map(ModelSpec::id);
    assert_eq!((model("nnunetv2"), model("nnU-Net v2")), (Some("nnunet-3d"), Some("nnunet-3d")));
}

#[test]
fn near_names_of_a_family_begin_with_what_is_asked_for_most() {
    let catalog = Catalog::embedded().unwrap();
    let near = catalog.near_names(NameKind::Model, "llama");
    assert!(near.len() == 5 && near.iter().all(|name| name.starts_with("llama")), "{near:?}");
    assert!(
        near.contains(&"llama3.1-8b") && near.contains(&"llama3.1-70b") && !near.contains(&"llama-33b"),
        "{near:?}"
    );
    assert_eq!(catalog.near_names(NameKind::Model, "deepseek")[0], "deepseek-v3");
    // A misspelt size is nearer than what is asked for most.
    assert_eq!(catalog.near_names(NameKind::Model, "llama2-77b")[0], "llama2-7b");
    assert_eq!(catalog.near_names(NameKind::Dataset, "coco-2018")[0], "coco-2017");
}

#[test]
fn an_instance_type_is_shown_without_its_provider_unless_several_sell_it() {
    let bare = succeeds(&words("catalog show p4d.24xlarge"));
    assert_eq!(bare, succeeds(&words("catalog show aws/p4d.24xlarge")));
    assert_eq!(bare, succeeds(&words("catalog show P4D.24xlarge")));
    let several = fails(2, &words("catalog show p2s.16xlarge.8"));
    assert!(
        several.contains("huawei-cloud/p2s.16xlarge.8, ") && several.contains("add the provider"),
        "{several}"
    );
}

#[test]
fn a_price_is_that_of_one_node_and_a_count_in_it_is_refused() {
    let line = |cluster: &str| {
        format!(
            "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge:2 --price {cluster}=10USD/h --as-of 2026-11-30"
        )
    };
    let cost = |cluster: &str| json(&line(cluster)).1["cost"]["p50"]["amount"].clone();
    assert_eq!(cost("aws/p4d.24xlarge"), cost("aws/p4d.24xlarge:1"));
    for counted in ["aws/p4d.24xlarge:2", "aws/p4d.24xlarge@us-east-1*2"] {
        let said = fails(2, &words(&line(counted)));
        assert!(said.contains("the price is that of one node") && said.contains("counts several"), "{said}");
    }
    let help = stdout(&crate::program::advise(&["simulate", "--help"]));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("price of one node, whatever the cluster's number of nodes"), "{help}");
}

#[test]
fn a_ratio_over_a_host_that_nobody_describes_says_so_where_it_stands() {
    let line = "compare --model resnet-50 --dataset imagenet-1k --epochs 90 --cluster aws/p3dn.24xlarge:1 \
                --cluster azure/Standard_ND96asr_A100_v4:1 --as-of 2026-11-30";
    let page = |more: &str| {
        let text = succeeds(&words(&format!("{line} {more}")));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let unknown = page("");
    let (body, rest) = unknown.split_once("Side by side").unwrap();
    assert!(
        body.contains("azure/Standard_ND96asr_A100_v4:1 never waits for samples: nobody states its vCPUs"),
        "{body}"
    );
    assert!(rest.contains("? supposes that samples are there"), "{rest}");
    assert!(page("--lang zh").contains("其 vCPU 数未知"));
    let stated = page("--vcpus 96");
    assert!(!stated.contains("nobody states its vCPUs") && !stated.contains("? supposes"), "{stated}");
}

#[test]
fn a_deadline_that_is_a_day_counts_from_the_start_in_simulate_too() {
    let line = "simulate --params 7B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:2 --as-of 2026-11-30";
    let limit =
        |more: &str| json(&format!("{line} {more}")).1["risk"]["deadline_s"].as_f64().unwrap() / 86_400.0;
    assert_eq!(limit("--deadline 2026-12-05"), 5.0);
    assert_eq!(limit("--deadline 2026-12-05 --start 2026-12-01"), 4.0);
    assert_eq!(limit("--deadline 2026-12-05 --start 2026-12-01T08:00"), 4.0);
    for alone in ["--start 2026-12-01", "--start 2026-12-01 --deadline 5d"] {
        let said = fails(2, &words(&format!("{line} {alone}")));
        assert!(said.contains("belongs to --schedule, or to a --deadline that is a day"), "{said}");
    }
    assert!(fails(2, &words(&format!("{line} --deadline 2026-12-05 --start soon"))).contains("is not a day"));
}

#[test]
fn whatif_refuses_limits_that_it_would_pass_over() {
    let line = "whatif --params 7B --tokens 10B --set price=-10% --as-of 2026-11-30";
    let named =
        fails(2, &words(&format!("{line} --cluster aws/p4d.24xlarge:2 --start 2026-12-01 --budget 100USD")));
    assert!(
        named.contains("--start: limits a search") && named.contains("--budget: limits a search"),
        "{named}"
    );
    let alone = fails(2, &words(&format!("{line} --gpu a100 --start 2026-12-01")));
    assert!(alone.contains("add --deadline DAY"), "{alone}");
}

#[test]
fn a_start_in_the_past_and_a_rate_of_the_future_are_remarked() {
    let remarks = |line: &str| {
        let output = crate::program::advise(&words(line));
        assert_eq!(output.status.code(), Some(0), "{line}");
        crate::program::stderr(&output)
    };
    let line = "recommend --params 1B --tokens 1B --gpu a100 --max-gpus 8 --as-of 2026-11-30";
    let past = remarks(&format!("{line} --start 2020-01-01 --deadline 30d"));
    assert!(past.contains("2020-01-01, is before 2026-11-30"), "{past}");
    assert!(!remarks(&format!("{line} --start 2026-11-30 --deadline 30d")).contains("is before"));
    let ahead = remarks(&format!("{line} --currency SGD --fx SGD=1.29@2027-01-01"));
    assert!(ahead.contains("exchange rate of SGD is dated 2027-01-01, after 2026-11-30"), "{ahead}");
    assert!(!remarks(&format!("{line} --currency SGD --fx SGD=1.29@2026-11-28")).contains("is dated"));
    let zh = remarks(&format!("{line} --currency SGD --fx SGD=1.29@2027-01-01 --lang zh"));
    assert!(zh.contains("属于预测值"), "{zh}");
}
