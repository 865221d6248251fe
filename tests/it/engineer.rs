//! What an engineer meets who follows the first page with a job of their own.

use serde_json::Value;

use crate::program::{advise, fails, json, stderr, stdout, succeeds, words};

const JOB: &str = "--params 7B --tokens 100B --as-of 2026-11-30";

fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path);
    found.and_then(Value::as_f64).unwrap_or_else(|| panic!("no number {path} in {value:#}"))
}

#[test]
fn arguments_that_checkpoint_whole_layers_alone_get_a_plan_without_selective_recomputation() {
    let line = "simulate --model llama3-8b --tokens 100B --gpu v100-sxm2-32gb --gpus 64 --recompute selective \
                --sharding zero3 --micro-batch 1 --emit fsdp";
    let output = advise(&words(line));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("not the attention alone") && said.contains("this one has recompute"), "{said}");
    let plan: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let whole = plan.pointer("/fsdp_config/activation_checkpointing").is_some();
    assert_eq!(whole, said.contains("recompute full"), "{said}");
}

#[test]
fn what_has_no_price_wins_below_the_break_even_price_and_within_the_budget() {
    let line = format!("recommend {JOB} --gpu a100,v100 --deadline 10d --budget 15000USD --top 20");
    let (_, answer) = json(&line);
    let unpriced = answer["candidates"].as_array().expect("a list").iter().filter(|c| c["block"] == "B");
    let mut seen = 0;
    for row in unpriced {
        let Some(price) = row.pointer("/break_even_price_per_node_hour/amount").and_then(Value::as_str)
        else {
            continue;
        };
        let nodes = number(row, "/nodes");
        let hours = number(row, "/total_time_s/p50") / 3600.0;
        let cost = price.parse::<f64>().expect("a number") * nodes * hours;
        assert!(cost <= 15_000.0 * 1.001, "{row:#} costs {cost}");
        seen += 1;
    }
    assert!(seen > 0, "{answer:#}");
}

#[test]
fn an_assumed_batch_divides_over_any_number_of_nodes_and_a_stated_one_stays() {
    let on = |more: &str| format!("simulate {JOB} --cluster aws/p4d.24xlarge@us-east-1:9 {more}");
    let (code, answer) = json(&on(""));
    // 1024 over 72 GPUs are 14.2 each: 16 make 1152.
    assert_eq!((code, number(&answer, "/job/global_batch_samples")), (0, 1152.0));
    let said = succeeds(&words(&on("")));
    assert!(said.contains("1152* sequences") || said.contains("1,152* sequences"), "{said}");
    assert!(said.contains("the nearest to the usual 1024 that divides well over 72 GPUs"), "{said}");
    let (code, answer) = json(&on("--global-batch 1024"));
    assert_eq!((code, number(&answer, "/job/global_batch_samples")), (4, 1024.0));
    let (code, answer) = json("simulate --model llama2-7b --tokens 1T --gpu a100-sxm-80gb --gpus 1024");
    assert_eq!((code, number(&answer, "/job/global_batch_samples")), (0, 1024.0));
    let (_, answer) =
        json(&format!("whatif {JOB} --cluster aws/p4d.24xlarge@us-east-1:8 --sweep nodes=1..12+1"));
    assert!(!answer.to_string().contains("no_valid_plan"), "{answer:#}");
    let compared = format!(
        "compare {JOB} --cluster aws/p4d.24xlarge@us-east-1:8 --cluster aws/p4d.24xlarge@us-east-1:9"
    );
    assert_eq!(json(&compared).0, 0);
    assert!(succeeds(&words(&compared)).contains("the nearest to the usual 1024"));
}

#[test]
fn the_fewest_nodes_for_a_deadline_are_counted_with_a_batch_that_divides() {
    let line = format!(
        "simulate {JOB} --cluster aws/p3.16xlarge@ap-southeast-1:16 --solve deadline-nodes --deadline 30d"
    );
    let (code, answer) = json(&line);
    let found = number(&answer, "/solved/value");
    assert!(code == 0 && found <= 9.0, "{found} nodes");
    assert!(number(&answer, "/total_time_s/p50") <= 30.0 * 86_400.0);
}

#[test]
fn stated_interruptions_reach_the_calendar_and_the_risk_alike() {
    let on = |more: &str| format!("simulate {JOB} --gpu a100-sxm-80gb --gpus 64 {more}");
    let (_, answer) = json(&on("--interruptions-every 6h --restart 1h --checkpoint-every 30min"));
    let expected = number(&answer, "/risk/expected_time_s");
    assert!((number(&answer, "/calendar_time_s/p50") / expected - 1.0).abs() < 1e-6, "{answer:#}");
    // A few days with one interruption in 6 h.
    let met = number(&answer, "/whole_job/interruptions");
    assert!((met - expected / 21_600.0).abs() < 1e-6 && met > 10.0, "{met}");
    let endless = advise(&words(&on("--interruptions-every 1s")));
    assert_eq!(endless.status.code(), Some(4));
    assert!(stdout(&endless).contains("interrupted faster than it gets on"), "{}", stdout(&endless));
}

#[test]
fn interruptible_nodes_have_one_interval_between_checkpoints_in_the_whole_answer() {
    let line = "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge@us-east-1:2 --purchase spot --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 0);
    let [top, below] =
        ["/whole_job/checkpoint_interval_s", "/risk/checkpoint_interval_s"].map(|path| number(&answer, path));
    assert!((top / below - 1.0).abs() < 1e-9, "{top} {below}");
}

#[test]
fn software_that_nobody_named_gives_way_where_it_has_no_plan() {
    let line = "recommend --model deepseek-v3 --tokens 14.8T --gpu h100 --max-gpus 4096 --deadline 365d --as-of 2026-11-30";
    let (code, answer) = json(line);
    assert_eq!(code, 0);
    let assumed = answer["assumptions"].as_array().expect("a list").iter();
    let framework = assumed.filter(|a| a["name"] == "framework").collect::<Vec<_>>();
    assert!(framework.len() == 1 && framework[0].to_string().contains("no plan that fits"), "{framework:?}");
    // What is stated stays.
    assert_eq!(json(&format!("{line} --framework pytorch-fsdp")).0, 4);
}

#[test]
fn the_reason_that_keeps_out_most_is_told_first() {
    let output = advise(&words(&format!("recommend {JOB} --gpu a100 --deadline 1h")));
    assert_eq!(output.status.code(), Some(4));
    let said = stdout(&output);
    let line = |start: &str| {
        said.lines().find(|l| l.starts_with(start)).unwrap_or_else(|| panic!("no {start} in {said}"))
    };
    assert!(line("Hint").contains("takes") && !line("Hint").contains("GiB"), "{said}");
    assert!(line("a100").contains("too long"), "{said}");
}

#[test]
fn an_uneven_pipeline_is_searched_with_virtual_stages() {
    let line = |more: &str| {
        format!(
            "simulate --model llama3.1-405b --tokens 15T --gpu h100-sxm --gpus 16384 --framework nemo \
             --global-batch 2048 --sequence-length 8192 {more}"
        )
    };
    let step = |more: &str| number(&json(&line(more)).1, "/step_time_s");
    let fixed = step("--tensor-parallel 8 --pipeline-parallel 16 --virtual-stages 7");
    assert!(step("") <= fixed * (1.0 + 1e-9), "{fixed}");
}

#[test]
fn a_recommender_has_the_batch_of_one_and_no_advice_for_images() {
    let line = "simulate --model dlrm --samples 4B --gpu a100-sxm-80gb --gpus";
    let output = advise(&words(&format!("{line} 1")));
    assert_eq!(output.status.code(), Some(4));
    let said = stdout(&output);
    for wanted in ["records per step", "65,536*", "although the GPUs divide them"] {
        assert!(said.contains(wanted), "{wanted} is missing in {said}");
    }
    assert!(!said.contains("patch"), "{said}");
    // Eight GPUs divide the tables.
    assert_eq!(advise(&words(&format!("{line} 8"))).status.code(), Some(0));
}

#[test]
fn a_degree_that_does_not_divide_the_gpus_and_a_length_below_one_are_named() {
    let line =
        format!("simulate {JOB} --gpu a100-sxm-80gb --gpus 64 --framework megatron --tensor-parallel 3");
    // Lines break where the screen ends.
    let said = words(&stdout(&advise(&words(&line)))).join(" ");
    assert!(said.contains("GPUs 64 is not divisible by tensor x pipeline x context parallel 3"), "{said}");
    let odd = fails(2, &words("simulate --params 7B --tokens 1e-9 --gpu a100-sxm-80gb --gpus 8"));
    assert!(odd.contains("at least 1 is accepted"), "{odd}");
}

#[test]
fn a_host_that_must_prepare_samples_and_is_unknown_makes_a_weak_number_that_ranks_after_the_known() {
    let job = "--preset nnunet-3d-default --as-of 2026-11-30";
    let (_, unknown) = json(&format!("simulate {job} --gpu a100-sxm-80gb --gpus 1"));
    let (_, known) = json(&format!("simulate {job} --gpu a100-sxm-80gb --gpus 1 --vcpus 12"));
    assert_eq!(unknown["grade"], "D");
    // What the host adds is in the one and not in the other, whose interval is the wider.
    assert!(number(&known, "/step_time_s") > number(&unknown, "/step_time_s"));
    let width = |answer: &Value| number(answer, "/total_time_s/p90") / number(answer, "/total_time_s/p50");
    assert!(width(&unknown) > width(&known));
    let (_, found) = json(&format!("recommend {job} --gpu a100,v100 --provider huawei-cloud"));
    let rows = found["candidates"].as_array().expect("rows");
    // The only A100 of that provider has a host of which nothing is stated: its hours without the host are the fewest.
    let a100 =
        rows.iter().position(|row| row["gpu"].as_str().is_some_and(|g| g.starts_with("a100"))).expect("one");
    assert_eq!(rows[0]["binding"], "input_bound");
    assert!(a100 > 0 && number(&rows[a100], "/gpu_hours") < number(&rows[0], "/gpu_hours"), "{rows:#?}");
}

#[test]
fn a_configuration_is_named_after_its_file_or_after_the_folder_of_a_hub() {
    let config = "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 11008, \"vocab_size\": 32000, \
                  \"num_hidden_layers\": 32, \"num_attention_heads\": 32, \"max_position_embeddings\": 4096}";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("my-llama")).expect("a folder");
    for (file, asked, name) in [
        ("seven.json", "seven.json", "seven"),
        ("my-llama/config.json", "my-llama/config.json", "my-llama"),
        ("my-llama/config.json", "my-llama", "my-llama"),
    ] {
        std::fs::write(folder.path().join(file), config).expect("a file");
        let path = folder.path().join(asked);
        let path = path.to_str().expect("a path");
        let line = ["simulate", "--model", path, "--steps", "10", "--gpu", "a100-sxm-80gb", "--gpus", "8"];
        assert!(succeeds(&line).contains(&format!("{name} (6.74B parameters)")), "{file}");
    }
}

#[test]
fn a_model_is_found_by_its_name_on_a_hub_and_an_unknown_one_says_what_to_give() {
    for name in ["meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1 8B", "llama3.1-8b"] {
        let line = ["simulate", "--model", name, "--tokens", "1B", "--gpu", "a100-sxm-80gb", "--gpus", "8"];
        assert!(succeeds(&line).contains("llama3.1-8b (8.03B parameters)"), "{name}");
    }
    assert!(succeeds(&["catalog", "show", "meta-llama/Llama-3.1-8B"]).contains("llama3.1"));
    let line = [
        "simulate",
        "--model",
        "nobody/llama3.1-9b",
        "--tokens",
        "1B",
        "--gpu",
        "v100-sxm2-32gb",
        "--gpus",
        "8",
    ];
    let told = fails(2, &line);
    assert!(told.contains("no file here has this name") && told.contains("near: llama3.1-8b"), "{told}");
    assert!(told.contains("config.json"), "{told}");
}

#[test]
fn equal_clusters_are_told_as_equal_in_whole_sentences() {
    let job = "--model bert-large-uncased --steps 100k --as-of 2026-11-30";
    let line = format!(
        "compare {job} --cluster aws/p4d.24xlarge@us-east-1:1 --cluster aws/p4d.24xlarge@us-west-2:1"
    );
    let text = succeeds(&words(&line));
    assert!(text.contains("the same machines"), "{text}");
    assert!(text.contains("no part of the step differs by 2 % of it or more"), "{text}");
    assert!(!text.contains("adds\n") && !text.contains("0.693"), "{text}");
    let (_, answer) = json(&line);
    assert_eq!(number(&answer, "/ratios/1/speed_up/p90"), 1.0);
}

/// The commands that an answer suggests, as typed.
fn suggested(question: &str) -> Vec<String> {
    let text = succeeds(&words(&format!("{question} --details")));
    let lines: Vec<String> = text.lines().map(str::trim).map(str::to_owned).collect();
    lines.into_iter().filter(|line| line.starts_with("gpu-advisor ")).collect()
}

/// Runs a command line as a shell does.
fn typed(line: &str) -> Value {
    let program = env!("CARGO_BIN_EXE_gpu-advisor");
    let line = line.replacen("gpu-advisor", &format!("'{program}'"), 1) + " --format json";
    let output = std::process::Command::new("sh").args(["-c", &line]).output().expect("a shell");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{line}: {e}: {}", stderr(&output)))
}

#[test]
fn the_commands_that_an_answer_suggests_give_the_same_answer() {
    let questions = [
        "recommend --params 7B --tokens 100B --gpu a100,v100 --as-of 2026-11-30",
        "recommend --params 7B --tokens 20B --gpu a100 --framework megatron --context-parallel 2 --as-of 2026-11-30",
        "recommend --params 13B --tokens 5B --gpu a100 --tensor-parallel 4 --recompute full --micro-batch 1 --sequence-parallel \
         --framework megatron --currency CNY --fx CNY=7.1@2026-11-20 --as-of 2026-11-30",
        "recommend --model bert-large-uncased --steps 100k --gpu v100 --purchase spot --as-of 2026-11-30",
        "recommend --params 7B --tokens 10B --gpu a100 --price lambda/gpu_8x_a100_80gb_sxm4=9USD/h --sharding zero3 --framework pytorch \
         --as-of 2026-11-30",
    ];
    for question in questions {
        let (code, answer) = json(question);
        assert_eq!(code, 0, "{question}");
        let commands = suggested(question);
        assert!(!commands.is_empty(), "{question}");
        let winner = &answer["candidates"][0];
        for command in commands {
            let again = typed(&command);
            let same = if command.contains(" compare ") { &again["clusters"][0] } else { &again };
            for key in ["/step_time_s", "/total_time_s/p50", "/total_time_s/p90"] {
                let (asked, then) = (number(winner, key), number(same, key));
                assert!((asked / then - 1.0).abs() < 1e-9, "{command}: {key} {asked} {then}");
            }
            let cost = |value: &Value| value.pointer("/cost/p50").cloned();
            assert_eq!(cost(winner), cost(same), "{command}");
            assert_eq!(winner["plan"], same["plan"], "{command}");
        }
    }
}

#[test]
fn names_as_people_write_them_are_understood_or_refused_with_what_to_write() {
    for line in [
        "simulate --params 7B --tokens 1B --cluster p4d.24xlarge@ohio:1 --framework pytorch",
        "simulate --params 7B --tokens 1B --gpu NVIDIA-A100-SXM4-80GB --gpus 8 --framework megatron-lm",
        "recommend --params 1B --tokens 1B --gpu 'A100_80GB' --framework torch",
    ] {
        assert_eq!(advise(&words(&line.replace('\'', ""))).status.code(), Some(0), "{line}");
    }
    let framework =
        fails(2, &words("simulate --params 7B --tokens 1B --gpu t4 --gpus 8 --framework deepspeed-zero3"));
    assert!(framework.contains("write --framework deepspeed --sharding zero3"), "{framework}");
    let several = fails(2, &words("simulate --params 7B --tokens 1B --gpu A100-80GB --gpus 8"));
    assert!(several.contains("a100-sxm-80gb, a100-pcie-80gb"), "{several}");
    let region = fails(2, &words("simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge@us-east-9:1"));
    assert!(region.contains("us-east-2 (Ohio, US)"), "{region}");
    let provider = fails(2, &words("simulate --params 7B --tokens 1B --cluster aliyun/ecs:1"));
    assert!(provider.contains("unknown provider \"aliyun\"") && provider.contains("alibaba"), "{provider}");
}

#[test]
fn fused_attention_in_32_bits_says_what_is_reckoned() {
    let line = "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge@us-east-1:4 --precision fp32 --flash-attention on";
    let (_, answer) = json(line);
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("fused_attention_without_kernel"), "{warnings}");
    assert!(succeeds(&words(line)).contains("FlashAttention has kernels for 16 bits and less"));
}

#[test]
fn one_answer_has_one_figure_of_what_is_too_much_and_a_price_its_currency() {
    let text =
        stdout(&advise(&words("simulate --params 70B --tokens 10B --cluster aws/p4d.24xlarge@us-east-1:1")));
    let row = text.lines().find(|l| l.trim_start().starts_with("too much")).expect("a row");
    let figure = row.split_whitespace().nth(2).expect("a number");
    assert!(text.replace('\n', " ").contains(&format!("{figure} GiB too much")), "{text}");
    let price = succeeds(&words(
        "simulate --params 7B --tokens 10B --cluster huawei-cloud/p2s.16xlarge.8:4 --solve winning-price \
         --currency CNY --fx CNY=7.1@2026-11-20 --as-of 2026-11-30",
    ));
    assert!(price.lines().any(|l| l.starts_with("Price of a node-hour") && l.ends_with(" CNY")), "{price}");
}
