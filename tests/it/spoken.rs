//! Under `--lang zh` what is wrong is said in Chinese: the sentences that people meet most, frame and all.

use std::fs;

use crate::program::{advise, advise_in, stderr, words};

/// Words of English in a row, outside of what is quoted and of lists of names; two may stand in a name, three are a sentence.
fn english(line: &str) -> Option<String> {
    let mut plain = String::new();
    let (mut quoted, mut escaped) = (None, false);
    for letter in line.chars() {
        match (quoted, letter) {
            (None, '"' | '`' | '\'') => quoted = Some(letter),
            (Some(mark), _) if letter == mark && !escaped => quoted = None,
            (None, _) => plain.push(letter),
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    let is_word = |w: &str| w.len() > 1 && w.chars().all(|c| c.is_ascii_lowercase());
    let words: Vec<&str> = plain.split(' ').collect();
    words.windows(3).find(|three| three.iter().all(|w| is_word(w))).map(|three| three.join(" "))
}

fn is_chinese(line: &str) -> bool {
    line.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

fn said(error: &str, command: &str) {
    assert!(!error.is_empty(), "{command} said nothing");
    for line in error.lines().filter(|line| !line.trim().is_empty()) {
        assert!(is_chinese(line) || line.starts_with("  "), "{command}: {line}");
        assert_eq!(english(line), None, "{command}: {line}");
    }
}

const WRONG: [&str; 45] = [
    "recommend --model lama3-8b --tokens 1B",
    "recommend --params 7B --tokens 1B --gpu b100x",
    "simulate --params 7B --tokens 1B --gpu a100 --gpus 8",
    "simulate --params 7B --tokens 1B --cluster a100:8",
    "recommend --params 7B --tokens 1B --deadline 30",
    "recommend --params 7B --tokens 1B --budget 100",
    "recommend --params 7B --tokens 1B --budget 0USD",
    "recommend --params 7B --tokens 1B --framework torchx",
    "recommend --params 7B --tokens 1B --provider awss",
    "recommend --params 7B --tokens 1B --country XX",
    "recommend --params 7B --tokens 1B --region ap-southeast-3",
    "recommend --params 7B --tokens 1B --sharding zero9",
    "recommend --params 7B --tokens 1B --threads 0",
    "recommend --params 7B --tokens 1B --no-such-flag",
    "recommend --params 7B --tokens",
    "recommend --params 7B --tokens 1B --samples 3",
    "recommend --params 7 --tokens x --sequence-length 0.5 --global-batch -1 --precision bf61 --optimizer adamv",
    "recommend --params 7B --method prefix --storage 2",
    "recommend --model resnet-50 --epochs 3 --steps-per-epoch 10",
    "recommend --model resnet-50 --epochs 3",
    "recommend --model resnet-50 --tokens 3",
    "recommend --job missing.toml",
    "recommend --params 7B --tokens 1B --price-book missing.toml --seller missing.toml --quota missing.csv",
    "simulate --model missing/config.json --tokens 1B --cluster aws/p3.2xlarge:1",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarg:2",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge@nowhere:2",
    "simulate --params 7B --tokens 1B --cluster p4d.24xlarge --plot x.pdf",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge",
    "simulate --params 7B --tokens 1B --gpu a100-sxm-80gb --gpus 12 --network 100tcp --fx SGD=1.29 --currency dollars",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge:2 --as-of yesterday --price aws/p4d.24xlarge=5",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge:2 --measured step=9.8s",
    "quote --params 7B --tokens 1B --cluster aws/p4d.24xlarge:2",
    "catalog show nothing",
    "whatif --params 7B --tokens 1B --cluster aws/p4d.24xlarge:2",
    "compare --params 7B --tokens 1B --cluster aws/p4d.24xlarge:2",
    "simulate --model bert-large-uncased --tokens 1B --gpu v100-sxm2-32gb --gpus 16 --layout channels-first",
    "simulate --model resnet-50 --dataset coco --epochs 1 --gpu v100-sxm2-32gb --gpus 8",
    "simulate --model resnet-50 --dataset c4-en --epochs 1 --gpu v100-sxm2-32gb --gpus 8 --layout channels-frist",
    "whatif --params 7B --tokens 1B --cluster aws/p4d.24xlarge:1 --set gpus=12,sharding=full,deadline=3d",
    "whatif --params 7B --tokens 1B --cluster aws/p4d.24xlarge:1 --set price=abc",
    "whatif --params 7B --tokens 1B --cluster aws/p4d.24xlarge:1 --sweep nodes=1",
    "whatif --params 7B --tokens 1B --set nodes=2,price=-10%",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge:1 --report r.md --energy nod=1kW",
    "simulate --params 7B --tokens 1B --cluster aws/p4d.24xlarge:1 --price aws/p4d.24xlarge=1USD/h --price aws/p4d.24xlarge=2USD/h",
    "simulat",
];

#[test]
fn wrong_usage_is_explained_in_chinese_with_the_same_exit_code() {
    for command in WRONG {
        let chinese = advise(&[&words(command)[..], &["--lang", "zh"]].concat());
        let english = advise(&words(command));
        assert_eq!(chinese.status.code(), english.status.code(), "{command}");
        assert!(chinese.stdout.is_empty(), "{command}");
        if command != "simulat" {
            said(&stderr(&chinese), command);
        }
    }
    let one = stderr(&advise(&words("recommend --params 7B --tokens 1B --gpu b100x --lang zh")));
    assert!(one.starts_with("错误：--gpu: 未知 GPU \"b100x\"；相近的有：b200, b300；"), "{one}");
}

#[test]
fn a_command_for_machines_is_refused_in_english() {
    let line = "recommend --params 7B --tokens 1B --gpu b100x --format json";
    let (plain, chinese) = (advise(&words(line)), advise(&words(&format!("{line} --lang zh"))));
    assert_eq!(stderr(&plain), stderr(&chinese));
    assert!(stderr(&chinese).starts_with("error: "));
}

#[test]
fn findings_keep_their_file_line_and_key_in_chinese() {
    let folder = tempfile::tempdir().unwrap();
    let job = "params = \"7B\"\ntokenz = \"1B\"\nglobal_batch = \"x\"\nsequence_length = [1]\nsteps = = 3\n";
    fs::write(folder.path().join("job.toml"), job).unwrap();
    let output = advise_in(folder.path(), &words("recommend --job job.toml --lang zh"));
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{error}");
    said(&error, "job.toml");
    for place in ["job.toml:2: tokenz: ", "job.toml:3: global_batch: ", "job.toml:4: sequence_length: "] {
        assert!(error.contains(place), "{place}: {error}");
    }
}

#[test]
fn descriptions_of_networks_that_are_refused_are_refused_in_chinese() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let body = r#""num_hidden_layers": 32, "intermediate_size": 11008, "vocab_size": 32000"#;
    for (name, text) in [
        ("text.json", format!(r#"{{"model_type": "llama", "hidden_size": "x", {body}}}"#)),
        (
            "heads.json",
            format!(r#"{{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 30, {body}}}"#),
        ),
        ("list.json", "[1]".to_owned()),
        ("kind.json", format!(r#"{{"hidden_size": 4096, {body}}}"#)),
        ("empty.onnx", String::new()),
    ] {
        write(name, &text);
        let line = format!("simulate --model {name} --tokens 1B --gpu a100-sxm-80gb --gpus 8 --lang zh");
        let output = advise_in(folder.path(), &words(&line));
        assert_eq!(output.status.code(), Some(3), "{name}");
        said(&stderr(&output), name);
    }
}

#[test]
fn what_is_infeasible_is_answered_in_chinese() {
    for line in [
        "recommend --params 70B --tokens 10T --gpu v100 --max-gpus 8",
        "recommend --params 7B --tokens 1B --gpu v100 --precision bf16",
        "simulate --params 7B --tokens 1B --cluster aws/p3.2xlarge:1 --precision bf16",
        "simulate --params 7B --tokens 1B --gpu a100-sxm-40gb --gpus 8 --tensor-parallel 3",
        "simulate --params 7B --tokens 1B --gpu a100-sxm-40gb --gpus 8 --micro-batch 3 --global-batch 16",
        "simulate --params 7B --tokens 1B --gpu a100-sxm-40gb --gpus 8 --expert-parallel 4 --framework megatron",
        "simulate --params 7B --tokens 1B --gpu a100-sxm-40gb --gpus 8 --tensor-parallel 8 --framework pytorch-ddp",
    ] {
        let output = advise(&words(&format!("{line} --lang zh --as-of 2026-11-30")));
        assert_eq!(output.status.code(), Some(4), "{line}");
        let answer = crate::program::stdout(&output);
        for line in answer.lines().filter(|line| line.len() > 3) {
            assert_eq!(english(line), None, "{line}");
        }
    }
}
