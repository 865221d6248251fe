//! The rules of ARCHITECTURE.md, each checked on the text of the repository.

use std::collections::BTreeSet;

use crate::source_text::{
    Source, files, identifier_words, import_table, is_word, occurrences, root, runs, sources,
};

/// Fails with every finding, one a line.
fn none(rule: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{rule}:\n  {}", findings.join("\n  "));
}

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

#[test]
fn the_import_table_points_one_way() {
    let (order, table) = import_table(&architecture());
    assert!(order.len() >= 9, "the table lists {order:?}");
    for (place, module) in order.iter().enumerate() {
        for import in &table[module] {
            assert!(order[..place].contains(import), "{module} may import {import}, which is not above it");
        }
    }
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let (order, table) = import_table(&architecture());
    let for_tests = ["units", "catalog"];
    let mut findings = Vec::new();
    let all = sources("src");
    for source in &all {
        let Some(module) = source.module() else { continue };
        let Some(allowed) = table.get(module) else {
            findings.push(format!("{}: the table has no row for {module}", source.path));
            continue;
        };
        for (at, import) in source.segments_after("crate") {
            let in_test = source.is_test(at) && for_tests.contains(&import.as_str());
            if import != module && !allowed.contains(&import) && !in_test {
                findings.push(format!("{}: {module} imports {import}", source.at(at)));
            }
        }
        for (at, _) in source.segments_after("gpu_advisor") {
            findings.push(format!("{}: the crate by its own name hides an import", source.at(at)));
        }
        findings.extend(too_many_supers(source));
    }
    none("forbidden imports (the table is in ARCHITECTURE.md)", &findings);
    assert!(order.iter().filter(|m| all.iter().any(|s| s.module() == Some(m.as_str()))).count() >= 9);
}

/// `super::` chains that leave the top-level module, where only `crate::` paths can be checked.
fn too_many_supers(source: &Source) -> Vec<String> {
    let path = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
    let depth = path.split('/').count() - 1;
    let chain = "super::".repeat(depth);
    let outside_tests = |&at: &usize| !source.is_test(at);
    let found = occurrences(&source.code, &chain).into_iter().filter(outside_tests);
    found.map(|at| format!("{}: `super` leaves the module; write `crate::`", source.at(at))).collect()
}

#[test]
fn conversion_factors_live_in_units() {
    let factors = [1e9, 1e12, 1024.0, 3600.0, 1_073_741_824.0, 86_400.0];
    let mut findings = Vec::new();
    for source in sources("src").iter().filter(|s| s.module() != Some("units")) {
        for (at, literal) in runs(&source.code, |b| is_word(b) || b == b'.') {
            let is_factor = number(literal).is_some_and(|n| factors.contains(&n));
            if is_factor && !source.is_test(at) {
                findings.push(format!("{}: {literal}", source.at(at)));
            }
        }
    }
    none("conversion factors outside src/units", &findings);
}

/// The value of a number literal.
fn number(literal: &str) -> Option<f64> {
    let plain = literal.replace('_', "");
    let suffixes = ["f64", "f32", "u64", "u32", "u16", "i64", "i32", "usize", "u128", "i128"];
    let value = suffixes.iter().find_map(|s| plain.strip_suffix(s)).unwrap_or(&plain);
    value.parse().ok()
}

#[test]
fn number_literals_are_read_in_every_spelling() {
    for spelling in ["1e9", "1_000_000_000", "1000000000.0", "1_000_000_000u64", "1.0e9f64", "1e9_f64"] {
        assert_eq!(number(spelling), Some(1e9), "{spelling}");
    }
    assert_eq!(number("x1024"), None);
}

/// Ids and families that are also words of English, mathematics or this field.
const ORDINARY_WORDS: [&str; 12] = [
    "opt",
    "phi",
    "yi",
    "bloom",
    "lambda",
    "oracle",
    "common",
    "detection",
    "speech",
    "speech-recognition",
    "speech-synthesis",
    "video",
];

/// Ids, groups and families of the catalog and the software stacks, in lower case.
fn product_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let folders = [("catalog", ["provider", "family", "id", "group"].as_slice()), ("calibration", &["gpu"])];
    for (folder, keys) in folders {
        for path in files(&root().join(folder), &|p| p.extension().is_some_and(|e| e == "toml")) {
            let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.parent().is_some_and(|p| p.ends_with("software")) {
                names.insert(file.clone());
            }
            if ["sources", "regions", "datasets", "networks"].contains(&file.as_str()) {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a catalog file");
            for line in text.lines() {
                let Some((key, value)) = line.split_once('=') else { continue };
                let instance_family =
                    key.trim() == "family" && path.parent().is_some_and(|p| p.ends_with("instances"));
                if keys.contains(&key.trim()) && !instance_family {
                    names.extend(value.split('"').nth(1).map(str::to_lowercase));
                }
            }
        }
    }
    names.retain(|n| !n.is_empty() && !ORDINARY_WORDS.contains(&n.as_str()));
    names
}

/// Where the name occurs as a word of its own: in an identifier, or in a string.
fn mentions(source: &Source, text: &[u8], name: &str) -> Vec<usize> {
    let bounded = |at: &usize| {
        let before = at.checked_sub(1).map(|i| text[i]);
        let after = text.get(at + name.len()).copied();
        let joins = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
        !joins(before) && !joins(after) && !source.is_test(*at)
    };
    occurrences(text, name).into_iter().filter(bounded).collect()
}

#[test]
fn products_are_data_and_not_code() {
    let names = product_names();
    assert!(["a100", "v100", "aws", "caffe"].iter().all(|n| names.contains(*n)), "names were not found");
    let mut findings = Vec::new();
    for source in sources("src") {
        // Keywords of an outside file format, and examples in help texts.
        let keywords = source.path.starts_with("src/workload/huggingface");
        let help = source.path.starts_with("src/cli/args");
        let seen = if help { &source.code } else { &source.text };
        let lower = seen.to_ascii_lowercase();
        for name in names.iter().filter(|_| !keywords) {
            let found = mentions(&source, &lower, name);
            findings.extend(found.iter().map(|&at| format!("{}: {name}", source.at(at))));
        }
        for (at, identifier) in source.identifiers() {
            let humps = identifier_words(identifier).into_iter().find(|w| names.contains(w));
            if let Some(name) = humps.filter(|n| !identifier.split('_').any(|w| w.eq_ignore_ascii_case(n))) {
                findings.push(format!("{}: {name} in {identifier}", source.at(at)));
            }
        }
    }
    none("product names in src", &findings);
}

#[test]
fn files_and_functions_stay_short() {
    let mut findings = Vec::new();
    for source in sources("src") {
        let most = if source.path == "src/main.rs" { 39 } else { 400 };
        if source.line_count > most {
            findings.push(format!("{}: {} lines, at most {most}", source.path, source.line_count));
        }
        for (at, name, lines) in source.functions() {
            if lines > 75 {
                findings.push(format!("{}: fn {name} has {lines} lines, at most 75", source.at(at)));
            }
        }
    }
    none("too long", &findings);
}

#[test]
fn a_count_and_a_rate_share_no_name() {
    let mut findings = Vec::new();
    for source in sources("src") {
        for (at, identifier) in source.identifiers() {
            if identifier_words(identifier).iter().any(|w| w == "flops") {
                findings.push(format!("{}: {identifier}", source.at(at)));
            }
        }
    }
    none("write FlopCount or FlopRate", &findings);
}

#[test]
fn nothing_is_left_undone_or_skipped() {
    let mut findings = Vec::new();
    for source in ["src", "tests"].into_iter().flat_map(sources) {
        for pattern in ["#[ignore", "todo!", "unimplemented!", "dbg!"] {
            let found = occurrences(&source.code, pattern);
            findings.extend(found.into_iter().map(|at| format!("{}: {pattern}", source.at(at))));
        }
    }
    none("unfinished or skipped", &findings);
}

#[test]
fn only_the_command_line_prints() {
    let mut findings = Vec::new();
    for source in sources("src").iter().filter(|s| s.module() != Some("cli")) {
        for pattern in ["print!", "println!", "eprint!", "eprintln!", "stdout(", "stderr("] {
            let whole = |&at: &usize| at == 0 || !is_word(source.code[at - 1]);
            let found = occurrences(&source.code, pattern).into_iter().filter(whole);
            findings.extend(found.map(|at| format!("{}: {pattern}", source.at(at))));
        }
    }
    none("printing outside src/cli", &findings);
}

#[test]
fn arithmetic_does_no_io_and_reads_no_clock() {
    let pure = ["units", "numeric", "workload", "plan", "simulator", "cost", "advisor", "report"];
    let outside = ["fs", "time", "env", "net", "process"];
    let clocks = ["SystemTime", "Instant", "Zoned", "Timestamp", "RandomState", "HashMap", "HashSet"];
    let mut findings = Vec::new();
    for source in sources("src").iter().filter(|s| s.module().is_some_and(|m| pure.contains(&m))) {
        for (at, segment) in source.segments_after("std") {
            if outside.contains(&segment.as_str()) && !source.is_test(at) {
                findings.push(format!("{}: std::{segment}", source.at(at)));
            }
        }
        for (at, identifier) in source.identifiers() {
            if clocks.contains(&identifier) && !source.is_test(at) {
                findings.push(format!("{}: {identifier}", source.at(at)));
            }
        }
    }
    none("I/O, clocks or unordered collections where results must repeat", &findings);
}

#[test]
fn no_file_names_a_folder_of_one_machine() {
    let roots = ["home", "root", "work", "Users", "workspace"].map(|folder| format!("/{folder}/"));
    let mut findings = Vec::new();
    for path in files(root(), &|_| true) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (line, content) in (1..).zip(text.lines()) {
            for folder in &roots {
                let absolute = |&at: &usize| {
                    let before = at.checked_sub(1).map_or(b' ', |i| content.as_bytes()[i]);
                    !is_word(before) && !b".~-}/".contains(&before)
                };
                if occurrences(content.as_bytes(), folder).iter().any(absolute) {
                    findings.push(format!("{}:{line}: {folder}", path.display()));
                }
            }
        }
    }
    none("paths that exist on one machine only", &findings);
}

#[test]
fn dependencies_come_from_the_public_registry() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock");
    let origins: BTreeSet<&str> = lock.lines().filter_map(|l| l.strip_prefix("source = ")).collect();
    let public = "\"registry+https://github.com/rust-lang/crates.io-index\"";
    assert_eq!(origins.into_iter().collect::<Vec<_>>(), [public]);
}

#[test]
fn the_lexer_tells_code_from_strings_comments_and_tests() {
    let text = concat!(
        "use crate::{units::{Bytes, Seconds}, catalog};\n",
        "fn f<'a>(x: &'a str) -> [u8; 2] { g(\"println! \\\" {\", '{', r#\"a\"b\"#) } // todo!\n",
        "/* nested /* */ dbg! */ struct A100Spec;\n",
        "#[cfg(test)]\nmod tests {\n use crate::report;\n}\n",
    );
    let source = Source::new("src/plan/x.rs", text.as_bytes());
    let imports: Vec<String> = source.segments_after("crate").into_iter().map(|(_, m)| m).collect();
    assert_eq!(imports, ["units", "catalog", "report"]);
    assert!(["println!", "todo!", "dbg!"].iter().all(|p| occurrences(&source.code, p).is_empty()));
    assert_eq!(source.functions(), [(47, "f".to_owned(), 1)]);
    let at = |word: &str| occurrences(&source.code, word)[0];
    assert!(source.is_test(at("report")) && !source.is_test(at("A100Spec")));
    assert_eq!((source.line(at("A100Spec")), source.module()), (3, Some("plan")));
    assert_eq!(identifier_words("A100Spec_for_x"), ["a100", "spec", "for", "x"]);
}
