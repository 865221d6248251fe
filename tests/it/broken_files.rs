//! Files that people write with mistakes in them: every mistake at once, each with its line and key, and nothing that only follows.

use std::fs;
use std::path::Path;

use crate::program::{advise_in, stderr, words};

/// Writes a file, runs a line in its folder, and gives what was found wrong: exit code 3, no answer, nothing else left in the folder.
fn found(name: &str, content: &[u8], line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).unwrap();
    fs::write(&file, content).unwrap();
    let before = fs::read_dir(folder.path()).unwrap().count();
    let output = advise_in(folder.path(), &words(line));
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{line} {name}: {error}");
    assert!(output.stdout.is_empty() && !error.contains("panicked"), "{line} {name}: {error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before, "{line} {name} left a file");
    error
}

/// Each text stands in the message.
fn says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "{part:?} in {error}");
    }
}

const JOB: &str = "recommend --gpu a100 --job job.toml";
const OWN: &str = "recommend --params 7B --tokens 1B --gpu a100";

#[test]
fn a_job_file_tells_all_its_mistakes_with_lines_and_keys() {
    let text = "model = \"llama3-8b\"\nparams = \"7B\"\ntokens = \"1B\"\nprecision = \"bf61\"\noptimizer = \"adamv\"\n\
                storage = \"2\"\nvcpus = \"many\"\nglobal_batch = \"\"\n";
    let error = found("job.toml", text.as_bytes(), JOB);
    let places = ["2: params", "4: precision", "5: optimizer", "6: storage", "7: vcpus", "8: global_batch"];
    says(&error, &places.map(|place| format!("job.toml:{place}: ")).each_ref().map(String::as_str));
    assert!(error.contains("6 problems"), "{error}");
}

#[test]
fn what_a_job_file_cannot_say_is_not_said_to_be_missing() {
    for (text, part) in [
        ("params = 7B\n", "job.toml:1: is not TOML"),
        (
            "[job]\nparams = \"7B\"\ntokens = \"1B\"\n",
            "job.toml:1: job: is no key of a job; its keys stand at the top",
        ),
        ("params = \"7B\"\nparams = \"8B\"\n", "job.toml:2: is not TOML: duplicate key"),
        ("{\"params\": \"7B\"}", "job.toml:1: is not TOML"),
        ("params = \"7B\"\ntokens = true\n", "job.toml:2: tokens: is of type boolean"),
        (
            "params = \"7B\"\ntokesn = \"1B\"\n",
            "job.toml:2: tokesn: is no key of a job, did you mean \"tokens\"?",
        ),
        ("params = \"7B\"\ntokens = 2026-11-30\n", "is of type datetime"),
    ] {
        let error = found("job.toml", text.as_bytes(), JOB);
        says(&error, &[part]);
        assert!(!error.contains("no model:") && !error.contains("no length:"), "{text:?}: {error}");
    }
    let binary = found("job.toml", &[0xff, 0xfe, 0x00, 0x31], JOB);
    assert!(binary.contains("is not UTF-8 text") && !binary.contains("no model:"), "{binary}");
    // What is truly missing is still said, beside a key that nobody knows.
    let lacking = found("job.toml", b"params = \"7B\"\ncolour = \"red\"\n", JOB);
    says(&lacking, &["job.toml:2: colour: is no key of a job", "no length: add"]);
}

#[test]
fn a_quota_tells_columns_and_cells_that_do_not_go_together() {
    let line = format!("{OWN} --quota quota.csv");
    for (text, parts) in [
        (
            "provider,family,nodes\naws,p4d,two\nawz,p4d,3\n",
            &["quota.csv:2: nodes: ", "quota.csv:3: provider: "][..],
        ),
        ("provider,family,nodes\naws,p4d,2,3,4\n", &["quota.csv:2: cells: 5 cells under 3 columns"]),
        (
            "provider,family,nodes,nodes\naws,p4d,2,3\n",
            &["quota.csv:1: header: \"nodes\" is the name of two columns"],
        ),
        ("\"unclosed\n", &["unknown column"]),
        ("", &["no rows; the first names the columns"]),
    ] {
        says(&found("quota.csv", text.as_bytes(), &line), parts);
    }
    let toml = "[[quota]]\nprovider = \"aws\"\nfamily = \"p4d\"\nnodes = -1\nexpected = \"x\"\n[[quota]]\n";
    let error = found("quota.toml", toml.as_bytes(), &format!("{OWN} --quota quota.toml"));
    says(
        &error,
        &[
            "quota.toml:4: quota[0].nodes",
            "quota.toml:5: quota[0].expected",
            "quota.toml:6: quota[1].provider",
        ],
    );
}

#[test]
fn a_seller_file_and_a_price_book_tell_every_record() {
    let seller = format!("{OWN} --seller seller.toml");
    let error = found("seller.toml", b"sells = [\"aws\", \"awz/x\", 3, \"\"]\nfoo = 1\n", &seller);
    says(&error, &["1: sells[1]: ", "1: sells[2]: must be text", "1: sells[3]: ", "2: foo: unknown key"]);
    for text in ["sells = \"aws\"\n", "sells = []\n", "[[sells]]\n", "= =\n"] {
        says(&found("seller.toml", text.as_bytes(), &seller), &["seller.toml:1: "]);
    }
    let book = format!("{OWN} --price-book book.toml");
    let text = "[[price]]\ninstance = \"aws/p4d.24xlarge\"\nprice_per_hour = \"12\"\n[[price]]\ninstance = \"aws/x\"\n\
                purchase = \"foo\"\nprice_per_hour = \"1 USD/h\"\nas_of = \"yesterday\"\n";
    let error = found("book.toml", text.as_bytes(), &book);
    says(
        &error,
        &["3: price[0].price_per_hour", "5: price[1].instance", "6: price[1].purchase", "8: price[1].as_of"],
    );
    says(&found("book.toml", b"[[price]\n", &book), &["book.toml:1: TOML: "]);
    says(
        &found(
            "book.csv",
            b"instance,price\naws/p4d.24xlarge,abc\n",
            &format!("{OWN} --price-book book.csv"),
        ),
        &["book.csv:2: price: "],
    );
    says(&found("book.xlsx", b"PK no workbook", &format!("{OWN} --price-book book.xlsx")), &["book.xlsx: "]);
}

#[test]
fn a_profile_and_measured_runs_tell_what_they_are_not() {
    let profile = "simulate --params 7B --tokens 1B --gpu a100-sxm-80gb --gpus 8 --profile own.toml";
    let error = found("own.toml", b"gpu = \"a100-sxm-80gb\"\nfoo = 1\n", profile);
    says(&error, &["own.toml:2: foo: is no key here; accepted: ", "own.toml:1: dram: is missing"]);
    let runs = "validate --runs runs.csv";
    for text in ["", "id,gpu\n1,a100\n", "id\n\"\n"] {
        let error = found("runs.csv", text.as_bytes(), runs);
        says(
            &error,
            &["1 problem found", "is no header of measured runs; its columns are id, family, source"],
        );
    }
    let shipped = include_str!("../../calibration/runs/transformer.csv");
    let broken: Vec<String> = shipped
        .lines()
        .take(4)
        .enumerate()
        .map(|(i, l)| if i == 2 { format!("{l},more") } else { l.to_owned() })
        .collect();
    let error = found("runs.csv", broken.join("\n").as_bytes(), runs);
    says(&error, &["runs.csv:3: ", " cells under "]);
}

#[test]
fn a_catalog_folder_and_files_of_models_tell_their_keys() {
    let catalog = "catalog check --catalog own";
    let error = found("own/gpus.toml", b"[[gpu]]\nid = \"x\"\nname = 3\nmemroy = \"80 GB\"\n", catalog);
    says(
        &error,
        &[
            "gpus.toml:3: gpu[0].name: ",
            "gpus.toml:4: gpu[0].memroy: is not a known key; did you mean \"memory\"?",
        ],
    );
    says(&found("own/price.toml", b"x", catalog), &["is not a catalog file"]);
    let model = |file: &str| format!("simulate --model ./{file} --tokens 1B --gpu a100-sxm-80gb --gpus 8");
    let shape = br#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 1e9, "num_attention_heads": "32"}"#;
    says(
        &found("config.json", shape, &model("config.json")),
        &[
            "num_hidden_layers: 1000000000.0 is not",
            "num_attention_heads: \"32\" is not",
            "vocab_size: missing",
        ],
    );
    for text in ["", "[", "{}", "{\"model_type\": 3}"] {
        says(&found("config.json", text.as_bytes(), &model("config.json")), &["./config.json: "]);
    }
    for content in [&b""[..], b"hi", b"\x0a\x00"] {
        says(&found("net.onnx", content, &model("net.onnx")), &["is no network in the ONNX format"]);
    }
    for text in ["[[convolutional]]\nid = \"x\"\n", "input = 3\n", ""] {
        says(&found("net.toml", text.as_bytes(), &model("net.toml")), &["./net.toml"]);
    }
}
