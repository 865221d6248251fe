//! The language that messages on standard error are in: known before the command line is understood, since it may be wrong.

use std::ffi::OsString;
use std::sync::OnceLock;

use crate::report::Language;

static SPOKEN: OnceLock<Language> = OnceLock::new();

/// Takes the language from the arguments as they stand.
pub fn listen(arguments: &[OsString]) {
    // A second call in one process keeps the first language.
    let _ = SPOKEN.set(asked(arguments));
}

/// The language of messages; English until it is known.
pub fn language() -> Language {
    SPOKEN.get().copied().unwrap_or_default()
}

/// As `CommonArgs::language`: that of `--lang`, and English where the answer is for machines.
fn asked(arguments: &[OsString]) -> Language {
    let value = |flag: &str| {
        let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
        let place =
            words.iter().rposition(|w| w == flag || w.split_once('=').is_some_and(|(f, _)| f == flag))?;
        words[place]
            .split_once('=')
            .map(|(_, v)| v.to_owned())
            .or_else(|| Some(words.get(place + 1)?.to_string()))
    };
    match value("--format").as_deref() {
        Some("json" | "csv") => Language::English,
        _ => value("--lang").and_then(|code| code.parse().ok()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Language {
        asked(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_language_counts_and_machines_read_english() {
        assert_eq!(of("simulate --lang zh"), Language::Chinese);
        assert_eq!(of("simulate --lang=zh --frmat json"), Language::Chinese);
        assert_eq!(of("simulate --lang zh --lang en"), Language::English);
        assert_eq!(of("simulate --lang zh --format json"), Language::English);
        assert_eq!(of("simulate --lang"), Language::English);
        assert_eq!(of("simulate --lang fr"), Language::English);
    }
}
