//! What answers say beside their figures: prices of nothing in question, porting, idle GPUs, what an interval is of.

use crate::program::{advise, fails, json, stderr, stdout, succeeds, with, words};

const P4D: &str = "--cluster aws/p4d.24xlarge@us-east-1:2";
const SEVEN: &str = "--params 7B --tokens 1B --as-of 2026-11-30";

#[test]
fn a_price_of_nothing_in_question_is_named_and_one_that_is_used_is_not() {
    let unused = "aws/p3dn.24xlarge=20USD/h";
    let used = "aws/p4d.24xlarge=20USD/h";
    let elsewhere = "aws/p4d.24xlarge@us-west-2=20USD/h";
    let both = format!("{P4D} --cluster gcp/a2-highgpu-8g:2");
    for line in [
        format!("simulate {SEVEN} {P4D}"),
        format!("compare {SEVEN} {both}"),
        format!("recommend {SEVEN} --gpu a100 --region aws:us-east-1 --max-gpus 16"),
        format!("quote {SEVEN} {P4D} --customer Example --budgetary --format json"),
    ] {
        let said = |price: &str| stderr(&advise(&with(&[&words(&line), &["--price", price]])));
        for price in [unused, elsewhere] {
            let (text, offer) = (said(price), price.replace("USD", " USD"));
            assert!(text.contains(&format!("{offer} is the price of nothing in question")), "{line}: {text}");
        }
        assert!(!said(used).contains("nothing in question"), "{line}");
    }
    let chinese = stderr(&advise(&words(&format!("simulate {SEVEN} {P4D} --price {unused} --lang zh"))));
    assert!(chinese.contains("aws/p3dn.24xlarge=20 USD/h 不属于本次问题中的任何报价"), "{chinese}");
}

#[test]
fn a_price_that_is_given_twice_is_refused_and_an_hourly_beside_a_monthly_one_is_not() {
    let line = format!("simulate {SEVEN} {P4D} --price aws/p4d.24xlarge=20USD/h --price aws/p4d.24xlarge");
    let said = fails(2, &words(&format!("{line}=21USD/h")));
    assert!(said.contains("aws/p4d.24xlarge=20 USD/h is priced a second time, 21 USD/h; keep one"), "{said}");
    succeeds(&words(&format!("{line}=12000USD/month")));
    let chinese = fails(2, &words(&format!("{line}=21USD/h --lang zh")));
    assert!(chinese.contains("的价格又给出了一次") && chinese.contains("请只保留一个"), "{chinese}");
}

#[test]
fn an_accelerator_of_a_vendor_without_a_run_of_the_software_warns_of_porting() {
    let ascend = "--gpu ascend-910a --as-of 2026-11-30";
    let port = "no run of PyTorch FSDP on accelerators of Huawei is known";
    let page = succeeds(&words(&format!("recommend --params 1B --tokens 1B {ascend}")));
    assert!(page.contains("Port") && page.contains(port), "{page}");
    let chinese =
        succeeds(&words(&format!("recommend --params 1B --tokens 1B {ascend} --lang zh --details")));
    assert!(chinese.contains("未见 PyTorch FSDP 在 Huawei 加速器上的运行记录"), "{chinese}");
    let cluster = "--cluster huawei-cloud/modelarts.kat1.xlarge.public:1";
    let (_, answer) = json(&format!("simulate --params 1B --tokens 1B {cluster} --as-of 2026-11-30"));
    assert!(answer["warnings"].as_array().expect("warnings").contains(&"porting".into()), "{answer}");
    let price = "--price huawei-cloud/modelarts.kat1.xlarge.public=2USD/h --customer Example --budgetary";
    let quote =
        succeeds(&words(&format!("quote --params 1B --tokens 1B {cluster} {price} --as-of 2026-11-30")));
    assert!(quote.contains("No run of PyTorch FSDP on accelerators of Huawei is known"), "{quote}");
    // Where runs are known, nothing is said.
    let known = succeeds(&words(&format!("recommend {SEVEN} --gpu a100 --details")));
    assert!(!known.contains("accelerators of"), "{known}");
}

#[test]
fn folds_that_cannot_share_a_node_are_said_to_leave_gpus_idle() {
    let output = advise(&words("simulate --preset nnunet-3d-default --cluster aws/p3.16xlarge:1"));
    let page = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    // Five folds on eight GPUs.
    assert!(page.contains("5 jobs may run side by side, one on a GPU (5 at a time)"), "{page}");
    assert!(page.contains("3 of 8 GPUs stand idle") && page.contains("nodes are paid whole"), "{page}");
    let one = stdout(&advise(&words("simulate --preset nnunet-3d-default --cluster aws/p3.2xlarge:1")));
    assert!(!one.contains("side by side, one on a GPU"), "{one}");
}

#[test]
fn the_job_line_has_what_was_asked_and_what_each_cluster_takes() {
    let job = "--model resnet-50 --dataset imagenet-1k --epochs 1 --as-of 2026-11-30";
    let line = |more: &str| {
        let page = stdout(&advise(&words(&format!("{job} {more}").replace("--model", "compare --model"))));
        page.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let two = line("--cluster aws/p3.16xlarge:3 --cluster aws/p4d.24xlarge:1");
    assert!(two.contains("· 288 / 256* samples per step · fp16 / bf16* ·"), "{two}");
    let asked = line("--precision tf32 --cluster aws/p3.16xlarge:1 --cluster aws/p3.16xlarge:2");
    assert!(asked.contains("· tf32 ·") && !asked.contains("mixed 16-bit"), "{asked}");
}

#[test]
fn a_sequence_longer_than_the_model_was_built_for_is_said_with_its_longest() {
    let said = |more: &str| {
        let line = format!("simulate {more} --steps 10 --gpu a100-sxm-80gb --gpus 8");
        let (_, answer) = json(&line);
        let all = answer["assumptions"].as_array().expect("assumptions").clone();
        all.into_iter().find(|a| a["name"] == "longest_sequence").map(|a| a["value"].clone())
    };
    assert_eq!(said("--model llama2-7b --sequence-length 16384"), Some("4096".into()));
    assert_eq!(said("--model llama2-7b --sequence-length 4096"), None);
    assert_eq!(said("--params 7B --sequence-length 16384"), None);
}

#[test]
fn what_is_missing_of_the_input_is_asked_for_and_nothing_that_was_given() {
    let job = "simulate --model resnet-50 --epochs 1 --gpu a100-sxm-80gb --gpus 8";
    let none = succeeds(&words(&format!("{job} --samples 1M")));
    assert!(none.contains("not reckoned with: give --dataset, --storage, --vcpus"), "{none}");
    let host = succeeds(&words(&format!("{job} --dataset imagenet-1k --storage 4GB/s")));
    assert!(host.contains("not reckoned with: give --vcpus") && !host.contains("give --dataset"), "{host}");
}

#[test]
fn the_two_cost_intervals_of_a_spot_answer_say_what_each_is_of() {
    let line = format!("simulate {SEVEN} {P4D} --purchase spot --deadline 3d");
    let page = succeeds(&words(&line)).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("the interval is of the predicted time, at this price"), "{page}");
    assert!(page.contains("cost with them, at prices as drawn"), "{page}");
    let steady = succeeds(&words(&format!("simulate {SEVEN} {P4D}")));
    assert!(!steady.contains("the interval is of the predicted time"), "{steady}");
}

#[test]
fn times_and_costs_of_several_kinds_of_nodes_are_of_the_same() {
    let one = "--cluster aws/p4d.24xlarge@us-east-1:1";
    let line =
        format!("simulate {SEVEN} {one} --cluster aws/p3dn.24xlarge@us-east-1:1 --interruptions-every 3h");
    let page = succeeds(&words(&line));
    assert!(page.contains("Times and costs are of the training alone"), "{page}");
    let row = page.lines().find(|l| l.starts_with("aws/p4d.24xlarge:1")).expect("a row");
    let cost: f64 = row.split_whitespace().last().expect("a cost").parse().expect("a number");
    let (_, alone) = json(&format!("simulate {SEVEN} {one}"));
    let own: f64 = alone["cost"]["p50"]["amount"].as_str().expect("an amount").parse().expect("a number");
    assert!((cost / own - 1.0).abs() < 0.01, "{cost} against {own} in {row}");
}
