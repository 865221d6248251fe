//! `simulate --emit`: plans in the words of other tools, chosen among those that the tool can express.

use crate::program::{advise, fails, stderr, stdout, words};

const JOB: &str = "simulate --model llama2-7b --tokens 1B --cluster a100-sxm-80gb:64";

/// What is printed and what is remarked.
fn emitted(more: &str) -> (String, String) {
    let output = advise(&words(&format!("{JOB} {more}")));
    assert_eq!(output.status.code(), Some(0), "{more}: {}", stderr(&output));
    (stdout(&output), stderr(&output))
}

#[test]
fn a_tool_gets_a_plan_that_it_can_express_by_software_that_plans_like_it() {
    let (flags, said) = emitted("--emit megatron");
    assert!(
        flags.contains("--use-distributed-optimizer") && said.contains("written for Megatron"),
        "{flags}"
    );
    // A vocabulary of 32000 is a multiple of 128 already.
    assert!(!flags.contains("--make-vocab-size") && !said.contains("padded"), "{flags}\n{said}");
    let (text, _) = emitted("--emit deepspeed");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["train_batch_size"], 512);
    // The fastest plan by the usual software is one that it has words for.
    let (text, said) = emitted("--emit fsdp");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(json["fsdp"].as_str().is_some_and(|f| f.ends_with("auto_wrap")), "{text}");
    assert!(!said.contains("not the fastest plan"), "{said}");
    let (_, said) = emitted("--emit fsdp --framework deepspeed");
    assert!(said.contains("not the fastest plan") && said.contains("longer"), "{said}");
}

#[test]
fn adapters_are_said_to_be_set_elsewhere() {
    let (text, said) = emitted("--emit fsdp --method qlora");
    assert!(
        text.contains("per_device_train_batch_size") && said.contains("where the model is made"),
        "{said}"
    );
}

#[test]
fn a_fixed_plan_is_written_as_it_is_or_refused_with_the_reason() {
    let (text, said) = emitted("--emit fsdp --sharding zero3 --recompute full");
    assert!(text.contains("full_shard") && text.contains("activation_checkpointing"), "{text}");
    assert!(!said.contains("not the fastest"), "{said}");
    let refused = fails(2, &words(&format!("{JOB} --emit fsdp --sharding zero2")));
    assert!(refused.contains("zero2 cannot be expressed; zero3, shard-grad-op, hsdp can"), "{refused}");
    let unknown = fails(2, &words(&format!("{JOB} --emit tensorrt")));
    assert!(unknown.contains("accepted are deepspeed, fsdp, megatron"), "{unknown}");
}

#[test]
fn a_job_that_does_not_run_has_no_plan_and_the_answer_says_why() {
    let line = "simulate --model llama2-70b --tokens 1B --cluster v100-sxm2-16gb:8 --emit deepspeed";
    let output = advise(&words(line));
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("no plan to write"), "{}", stderr(&output));
    assert!(stdout(&output).contains("does not fit"), "{}", stdout(&output));
}

#[test]
fn a_named_software_is_its_later_version_where_only_that_splits_the_sequence() {
    let plan = "--framework megatron --context-parallel 2";
    let (flags, said) = emitted(&format!("--emit megatron {plan}"));
    assert!(flags.contains("--context-parallel-size 2"), "{flags}");
    assert!(said.contains("CUDA_DEVICE_MAX_CONNECTIONS=1"), "{said}");
    let told = stdout(&advise(&words(&format!("{JOB} {plan}"))));
    assert!(told.contains("lacks what the plan asks for"), "{told}");
    // Sharded weights come with later versions as well; optimizer states in host memory are in none that was fitted.
    let refused = stdout(&advise(&words(&format!("{JOB} --framework megatron --optimizer-offload"))));
    assert!(refused.contains("has no optimizer_offload"), "{refused}");
}
