//! The job as given: flags over the keys of a job file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::args::WorkloadArgs;
use super::error::{CliError, unreadable};
use super::problems::{Given, Origin, Problems};
use crate::catalog::{Catalog, Finding, NameKind};

/// Keys of a job file: the flags with `_` for `-`.
pub const KEYS: [&str; 25] = [
    "model",
    "params",
    "preset",
    "tokens",
    "samples",
    "epochs",
    "dataset",
    "steps",
    "steps_per_epoch",
    "folds",
    "sequence_length",
    "target_share",
    "global_batch",
    "precision",
    "method",
    "lora_rank",
    "lora_alpha",
    "lora_targets",
    "optimizer",
    "framework",
    "recipe",
    "compiler",
    "layout",
    "storage",
    "vcpus",
];

/// Keys of which one excludes the others; a flag of a group replaces the whole group of the file.
const GROUPS: [&[&str]; 2] = [&["model", "params"], &["tokens", "samples", "epochs", "steps"]];

/// Larger files are refused.
const MAX_BYTES: u64 = 1 << 20;

/// Every input that was given, by key.
#[derive(Debug, Clone, Default)]
pub struct GivenJob {
    values: BTreeMap<&'static str, Given>,
    unread: BTreeSet<&'static str>,
}

impl GivenJob {
    /// The value under a key of [`KEYS`].
    pub fn get(&self, key: &str) -> Option<&Given> {
        self.values.get(key)
    }

    /// True when a file that cannot be read as it stands may have meant to give this key: that it is missing would mislead.
    pub fn is_unread(&self, key: &str) -> bool {
        self.unread.contains(key)
    }
}

/// Joins flags and job file.
///
/// # Errors
/// When the file cannot be read. What is wrong inside it goes to `problems`.
pub fn given_job(
    args: &WorkloadArgs,
    catalog: &Catalog,
    problems: &mut Problems,
) -> Result<GivenJob, CliError> {
    let read = match &args.job {
        Some(path) => match problems.absorb(read_text(path))? {
            Some(text) => parse(&path.display().to_string(), &text, problems),
            None => Read { values: BTreeMap::new(), unread: KEYS.into() },
        },
        None => Read::default(),
    };
    let Read { mut values, unread } = read;
    let flags = flags(args);
    for group in GROUPS {
        if flags.iter().any(|(key, ..)| group.contains(key)) {
            values.retain(|key, _| !group.contains(key));
        }
    }
    for (key, name, text) in flags {
        values.insert(key, Given { text: text.to_owned(), origin: Origin::Flag(name) });
    }
    under(&mut values, catalog, problems);
    Ok(GivenJob { values, unread })
}

/// Puts the values of a preset under those that were given.
fn under(values: &mut BTreeMap<&'static str, Given>, catalog: &Catalog, problems: &mut Problems) {
    let Some(given) = values.get("preset") else { return };
    let Some(preset) = catalog.find_preset(given.text.trim()) else {
        let near = catalog.near_names(NameKind::Preset, &given.text);
        let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
        let message = format!("unknown preset {:?}{near}; `catalog list presets` lists all", given.text);
        problems.value(given, message);
        return;
    };
    let taken = |key: &str| {
        let group = GROUPS.iter().find(|group| group.contains(&key));
        group.map_or(values.contains_key(key), |group| group.iter().any(|k| values.contains_key(k)))
    };
    let free: Vec<&(&'static str, String)> = preset.job.iter().filter(|(key, _)| !taken(key)).collect();
    for (key, text) in free {
        let origin = Origin::Preset(preset.id.clone());
        values.insert(key, Given { text: text.clone(), origin });
    }
}

/// The flags that were given: key of a job file, name of the flag, text.
pub fn flags(args: &WorkloadArgs) -> Vec<(&'static str, &'static str, &str)> {
    let all = [
        ("model", "model", &args.model),
        ("params", "params", &args.params),
        ("preset", "preset", &args.preset),
        ("tokens", "tokens", &args.tokens),
        ("samples", "samples", &args.samples),
        ("epochs", "epochs", &args.epochs),
        ("dataset", "dataset", &args.dataset),
        ("steps", "steps", &args.steps),
        ("steps_per_epoch", "steps-per-epoch", &args.steps_per_epoch),
        ("folds", "folds", &args.folds),
        ("sequence_length", "sequence-length", &args.sequence_length),
        ("target_share", "target-share", &args.target_share),
        ("global_batch", "global-batch", &args.global_batch),
        ("precision", "precision", &args.precision),
        ("method", "method", &args.method),
        ("lora_rank", "lora-rank", &args.lora_rank),
        ("lora_alpha", "lora-alpha", &args.lora_alpha),
        ("lora_targets", "lora-targets", &args.lora_targets),
        ("optimizer", "optimizer", &args.optimizer),
        ("framework", "framework", &args.framework),
        ("recipe", "recipe", &args.recipe),
        ("compiler", "compiler", &args.compiler),
        ("layout", "layout", &args.layout),
        ("storage", "storage", &args.storage),
        ("vcpus", "vcpus", &args.vcpus),
    ];
    all.into_iter().filter_map(|(key, name, value)| Some((key, name, value.as_deref()?))).collect()
}

/// Reads a small text file.
///
/// # Errors
/// When it does not exist, is a folder, is too large, is not text, or cannot be read.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    read_text_up_to(path, MAX_BYTES)
}

/// Reads a text file of at most `most` bytes.
///
/// # Errors
/// As [`read_text`].
pub fn read_text_up_to(path: &Path, most: u64) -> Result<String, CliError> {
    let text = String::from_utf8(read_bytes(path, most)?).map_err(|_| {
        let wrong =
            std::io::Error::new(std::io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
        unreadable(path, wrong)
    })?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// When it does not exist, is a folder, is too large, or cannot be read.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let metadata = std::fs::metadata(path).map_err(|e| unreadable(path, e))?;
    if metadata.is_dir() {
        return Err(unreadable(path, std::io::ErrorKind::IsADirectory.into()));
    }
    // A device has no length and no end: the reader stops by itself.
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| unreadable(path, e))?;
    let read = if metadata.len() > most { Ok(0) } else { file.take(most + 1).read_to_end(&mut bytes) };
    if metadata.len() > most || bytes.len() as u64 > most {
        let message = format!("is larger than {} MiB; is it the right file?", most >> 20);
        let file = path.display().to_string();
        return Err(CliError::invalid(vec![Finding { file, line: None, key: String::new(), message }]));
    }
    read.map_err(|e| unreadable(path, e))?;
    Ok(bytes)
}

/// What was read of a job file.
#[derive(Debug, Default)]
struct Read {
    values: BTreeMap<&'static str, Given>,
    /// Keys that the file may have meant to give: all of a broken one.
    unread: BTreeSet<&'static str>,
}

fn parse(file: &str, text: &str, problems: &mut Problems) -> Read {
    let line_at = |offset: usize| text.as_bytes().iter().take(offset).filter(|&&b| b == b'\n').count() + 1;
    let mut find = |line: Option<usize>, key: &str, message: String| {
        problems.finding(Finding { file: file.to_owned(), line, key: key.to_owned(), message });
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    let broken = !errors.is_empty();
    for error in errors {
        let line = error.span().map(|span| line_at(span.start));
        find(line, "", format!("is not TOML: {}", error.message().trim()));
    }
    let mut values = BTreeMap::new();
    let mut unread: BTreeSet<&'static str> = if broken { KEYS.into() } else { BTreeSet::new() };
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let line = line_at(key.span().start);
        let Some(known) = KEYS.into_iter().find(|k| *k == name) else {
            let near = near_clause(name, KEYS);
            unread.extend(KEYS.into_iter().filter(|k| !near_clause(name, [*k]).is_empty()));
            let message = if matches!(value.get_ref(), DeValue::Table(_)) {
                unread.extend(KEYS);
                format!("is no key of a job; its keys stand at the top of the file, without [{name}]")
            } else {
                format!("is no key of a job{near}; accepted are {}", KEYS.join(", "))
            };
            find(Some(line), name, message);
            continue;
        };
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            other => {
                unread.insert(known);
                find(
                    Some(line),
                    name,
                    format!("is of type {}; expected text in quotes or a number", other.type_str()),
                );
                continue;
            }
        };
        values
            .insert(known, Given { text, origin: Origin::File { file: file.to_owned(), line, key: known } });
    }
    if values.is_empty() && !broken && table.get_ref().is_empty() {
        find(None, "", format!("is empty; a job has keys such as {}", KEYS[..5].join(", ")));
    }
    Read { values, unread }
}

/// Most names that are offered.
const MOST_NEAR: usize = 3;

/// `, did you mean "x"?`, or nothing when no accepted name is near: those that hold the name whole, else the one with the fewest
/// wrong letters, else those that the name abbreviates.
pub fn near_clause<'a>(name: &str, accepted: impl IntoIterator<Item = &'a str>) -> String {
    let wanted = name.trim().to_lowercase();
    let known: Vec<&str> = accepted.into_iter().collect();
    let that = |fits: &dyn Fn(&str) -> bool| -> Vec<&str> {
        known.iter().copied().filter(|k| fits(&k.to_lowercase())).take(MOST_NEAR).collect()
    };
    let holding = that(&|k| {
        k.split(['-', '_']).any(|part| part == wanted) || (wanted.len() > 2 && k.contains(&wanted))
    });
    let closest = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(&wanted, &k.to_lowercase()), *k))
        .filter(|&(distance, k)| distance <= 1 + k.len() / 3 && distance < wanted.chars().count().max(2))
        .min();
    let near = match (holding.is_empty(), closest) {
        (false, _) => holding,
        (true, Some((_, closest))) => vec![closest],
        (true, None) => that(&|k| abbreviates(&wanted, k)),
    };
    let quoted: Vec<String> = near.iter().map(|n| format!("{n:?}")).collect();
    if quoted.is_empty() { String::new() } else { format!(", did you mean {}?", quoted.join(" or ")) }
}

/// Two letters or more that begin as the name begins and follow each other in it.
fn abbreviates(short: &str, name: &str) -> bool {
    let mut rest = name.chars();
    short.chars().count() > 1
        && short.chars().next() == name.chars().next()
        && short.chars().all(|letter| rest.any(|other| other == letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (BTreeMap<&'static str, Given>, Problems) {
        let mut problems = Problems::default();
        let values = parse("job.toml", text, &mut problems).values;
        (values, problems)
    }

    #[test]
    fn short_words_find_the_names_that_hold_or_begin_like_them() {
        let names = ["tensor-parallel", "tensor-board", "flow-one", "lamb"];
        assert_eq!(near_clause("tensor", names), ", did you mean \"tensor-parallel\" or \"tensor-board\"?");
        assert_eq!(near_clause("one", names), ", did you mean \"flow-one\"?");
        assert_eq!(near_clause("lam", names), ", did you mean \"lamb\"?");
        assert_eq!(near_clause("tp", names), ", did you mean \"tensor-parallel\"?");
        assert_eq!(near_clause("zq", names), "");
    }

    #[test]
    fn text_and_numbers_are_read_with_their_lines() {
        let (values, problems) = parsed("params = \"7B\"\nglobal_batch = 512\n");
        problems.check().unwrap();
        assert_eq!(values["global_batch"].text, "512");
        assert!(matches!(values["global_batch"].origin, Origin::File { line: 2, .. }));
    }

    #[test]
    fn every_unknown_key_is_found_with_its_line_and_the_nearest_name() {
        let (_, problems) = parsed("parms = \"7B\"\ntokens = 5\nsequence-length = 3\nsteps = [1]\n");
        let CliError::Invalid { findings, .. } = problems.check().unwrap_err() else { panic!("not invalid") };
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(texts[0].starts_with("job.toml:1: parms: ") && texts[0].contains("did you mean \"params\""));
        assert!(texts[1].contains("did you mean \"sequence_length\""), "{}", texts[1]);
        assert!(texts[2].starts_with("job.toml:4: steps: is of type array"), "{}", texts[2]);
    }

    #[test]
    fn an_empty_file_and_garbage_are_findings() {
        assert_eq!(parsed("# nothing\n").1.check().unwrap_err().status() as u8, 3);
        assert_eq!(parsed("= = 7\n[").1.check().unwrap_err().status() as u8, 3);
    }
}
