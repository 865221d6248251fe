//! The documents point at things that exist.

use crate::program::{program, stderr, words};
use crate::source_text::{files, root};

/// Documents of the repository, with their text.
fn documents() -> Vec<(String, String)> {
    let found = files(root(), &|p| p.extension().is_some_and(|e| e == "md"));
    let relative =
        |p: &std::path::Path| p.strip_prefix(root()).expect("below the root").display().to_string();
    found.iter().map(|p| (relative(p), std::fs::read_to_string(p).expect("UTF-8"))).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut seen = 0;
    for (document, text) in documents() {
        let folder = root().join(&document).parent().expect("a folder").to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !path.contains("://") {
                seen += 1;
                assert!(folder.join(path).exists(), "{document} links to {target}");
            }
        }
    }
    assert!(seen >= 8, "{seen} links were found");
}

#[test]
fn tests_and_files_named_by_the_architecture_exist() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let tests = std::fs::read_to_string(root().join("tests/it/architecture.rs")).expect("the tests");
    let mut seen = 0;
    for word in text.split('`').skip(1).step_by(2) {
        let is_file =
            word.contains('/') && word.rsplit('.').next().is_some_and(|e| ["rs", "md"].contains(&e));
        if is_file {
            let below = ["", "src"].iter().any(|folder| root().join(folder).join(word).exists());
            assert!(below, "{word} does not exist");
            seen += 1;
        } else if word.matches('_').count() >= 3 && word.chars().all(|c| c.is_lowercase() || c == '_') {
            assert!(tests.contains(&format!("fn {word}()")), "there is no test {word}");
            seen += 1;
        }
    }
    assert!(seen >= 15, "{seen} names were found");
}

#[test]
fn the_readme_names_the_gate_that_continuous_integration_runs() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).expect("a file of the repository");
    assert!(read("README.md").contains("\nbash tests/gate.sh\n"));
    assert!(read(".ci/run").contains("bash tests/gate.sh"));
}

#[test]
fn commands_of_the_first_page_work_as_typed() {
    let page = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let commands: Vec<&str> = page
        .lines()
        .filter_map(|l| l.strip_prefix("gpu-advisor ").or_else(|| l.strip_prefix("cargo run --release -- ")))
        .collect();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let output = program(folder.path()).args(words(command)).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{command}\n{}", stderr(&output));
        assert!(output.stdout.len() > 500, "{command}");
    }
}
