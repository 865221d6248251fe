//! What the program calls things: samples by what they are, records by their names, values in the reader's language.

use unicode_width::UnicodeWidthStr as _;

use crate::program::{fails, json, stdout, succeeds, with, words};

const DAY: &str = "--as-of 2026-11-30";

fn assumed(model: &str, name: &str) -> (String, String) {
    let (code, answer) =
        json(&format!("simulate --model {model} --steps 1000 --gpu a100-sxm-80gb --gpus 8 {DAY}"));
    assert_eq!(code, 0, "{model}");
    let all = answer["assumptions"].as_array().unwrap();
    let one = all.iter().find(|a| a["name"] == name).unwrap_or_else(|| panic!("{model}: {all:?}"));
    (one["value"].as_str().unwrap().to_owned(), one["reason"].as_str().unwrap().to_owned())
}

#[test]
fn the_usual_optimizer_and_the_words_follow_what_the_description_says_of_samples() {
    for (model, optimizer) in [
        ("resnet-50", "sgd-momentum"),
        ("nnunet-3d", "sgd-momentum"),
        ("gnmt-v2", "adamw"),
        ("ncf", "adamw"),
        ("swin-tiny", "adamw"),
    ] {
        let (value, reason) = assumed(model, "optimizer");
        assert_eq!(value, optimizer, "{model}");
        assert!(!reason.contains("convolutional"), "{model}: {reason}");
        assert!(!assumed(model, "framework").1.contains("convolutional"), "{model}");
    }
    for (model, why) in [
        ("resnet-50", "images have no tokens"),
        ("nnunet-3d", "volumes have no tokens"),
        ("gnmt-v2", "counted in whole samples"),
        ("ncf", "records have no tokens"),
    ] {
        let line = format!("simulate --model {model} --tokens 1B --gpu a100-sxm-80gb --gpus 8");
        let said = fails(2, &words(&line));
        assert!(said.contains(why), "{model}: {said}");
    }
    assert_eq!(assumed("gnmt-v2", "global_batch").1, "samples per step, a usual size");
}

#[test]
fn a_target_share_is_stated_for_encoder_decoders_alone() {
    let step = |more: &str| {
        let line = format!("simulate --model t5-large --steps 100 --gpu a100-sxm-80gb --gpus 8 {more} {DAY}");
        let (code, answer) = json(&line);
        assert_eq!(code, 0, "{more}");
        (answer["flop_per_step"]["exact"].as_f64().unwrap(), answer)
    };
    let (usual, short, long) = (step("").0, step("--target-share 0.1").0, step("--target-share 1").0);
    // 114 target tokens for 512 of the source are 0.22.
    assert!(short < usual && usual < long, "{short} {usual} {long}");
    assert!(step("--target-share 1").1.to_string().contains("100 % of the encoder's tokens, as stated"));
    let decoder =
        fails(2, &words("simulate --model gpt2 --steps 1 --gpu a100-sxm-80gb --gpus 8 --target-share 0.5"));
    assert!(decoder.contains("encoder-decoders"), "{decoder}");
    for share in ["40", "1e-12"] {
        let line = format!("simulate --model t5-large --steps 1 --gpu t4 --gpus 8 --target-share {share}");
        assert!(fails(2, &words(&line)).contains("0.001 to 4 are accepted"), "{share}");
    }
    let zh = "simulate --model t5-large --steps 1 --gpu t4 --gpus 8 --target-share 0.5 --lang zh";
    assert!(succeeds(&words(zh)).contains("解码器 token 数为编码器的 50 %，按给定值"));
}

#[test]
fn a_gpu_by_the_name_on_its_box_is_shown_as_its_record() {
    let shown = crate::program::advise(&["catalog", "show", "RTX 4090"]);
    assert_eq!(stdout(&shown), succeeds(&words("catalog show rtx-4090")));
}

#[test]
fn a_model_has_one_size_in_the_list_and_in_a_job() {
    let (_, list) = json("catalog list models");
    let rows = list["tables"][0].as_array().expect("rows");
    for name in ["bert-large-uncased", "t5-large", "gpt2", "resnet-50"] {
        let (_, job) =
            json(&format!("simulate --model {name} --steps 10 --gpu a100-sxm-80gb --gpus 8 {DAY}"));
        let counted = job["job"]["parameters"].as_f64().unwrap();
        let row =
            rows.iter().find(|r| r["model"] == name).unwrap_or_else(|| panic!("{name}: {:?}", rows.first()));
        assert_eq!(row["parameters"].as_f64().unwrap(), counted, "{name}");
    }
}

#[test]
fn presets_and_questions_are_in_the_readers_language_and_tables_keep_the_width() {
    assert!(succeeds(&words("catalog list presets --lang zh")).contains("默认训练计划"));
    let ask = "recommend --params 7B --tokens 20B --gpu a100-sxm-40gb --region aws:us-east-1 --ask --lang zh --as-of 2026-11-30";
    let page = succeeds(&words(ask));
    assert!(!page.contains("on_demand") && !page.contains("费用 - 倍"), "{page}");
    for line in [
        "catalog list prices --gpu v100",
        "catalog list instances --provider huawei-cloud",
        "catalog list gpus",
    ] {
        for language in ["en", "zh"] {
            let text = stdout(&crate::program::advise(&with(&[&words(line), &["--lang", language]])));
            assert!(text.lines().all(|l| l.width() <= 120), "{line} {language}");
        }
    }
}

#[test]
fn adapters_of_a_network_that_has_none_are_refused() {
    let said =
        fails(2, &words("simulate --model yolov8m --method lora --steps 10 --gpu a100-sxm-80gb --gpus 8"));
    assert!(said.contains("adapters are reckoned for transformers alone"), "{said}");
}
