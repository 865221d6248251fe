//! Every phrase of the reports, both languages side by side.
//!
//! A phrase with places (`{}`) is filled by [`Phrase::fill`]. Machine keys and JSON are never localised.

use super::Phrase;

/// Declares phrases as constants and lists them all in `ALL`, so that a test sees each of them.
macro_rules! phrases {
    ($($name:ident: $en:literal, $zh:literal;)+) => {
        use $crate::report::Phrase;
        $(
            #[doc = concat!("`", $en, "`")]
            pub const $name: Phrase = Phrase::new($en, $zh);
        )+
        /// All phrases of this module, by name.
        pub const ALL: &[(&str, Phrase)] = &[$((stringify!($name), $name)),+];
    };
}

pub mod ask;
pub mod assumption;
pub mod calibration;
pub mod column;
pub mod cure;
pub mod description;
pub mod elastic;
pub mod explain;
pub mod fault;
pub mod flip;
pub mod front;
pub mod migration;
pub mod mixed;
pub mod plan;
pub mod plot;
pub mod quota;
pub mod quote;
pub mod recommend;
pub mod refusal;
pub mod risk;
pub mod section;
pub mod simulation;
pub mod term;
pub mod validation;
pub mod verdict;
pub mod whatif;

/// The phrases of each module.
const MODULES: [&[(&str, Phrase)]; 26] = [
    ask::ALL,
    assumption::ALL,
    calibration::ALL,
    column::ALL,
    cure::ALL,
    description::ALL,
    elastic::ALL,
    explain::ALL,
    fault::ALL,
    flip::ALL,
    front::ALL,
    migration::ALL,
    mixed::ALL,
    plan::ALL,
    plot::ALL,
    quota::ALL,
    quote::ALL,
    recommend::ALL,
    refusal::ALL,
    risk::ALL,
    section::ALL,
    simulation::ALL,
    term::ALL,
    validation::ALL,
    verdict::ALL,
    whatif::ALL,
];

/// Every phrase there is, with its name.
pub fn all() -> impl Iterator<Item = (&'static str, Phrase)> {
    MODULES.into_iter().flatten().copied()
}

/// Every phrase that a picture may show; the embedded font has their characters.
pub fn drawn() -> impl Iterator<Item = (&'static str, Phrase)> {
    [
        ask::ALL,
        assumption::ALL,
        column::ALL,
        plot::ALL,
        quote::ALL,
        recommend::ALL,
        section::ALL,
        term::ALL,
        verdict::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::report::Language;

    #[test]
    fn every_phrase_has_a_text_in_each_language_without_stray_spaces() {
        for (name, phrase) in all() {
            for language in Language::ALL {
                let text = phrase.text(language);
                assert!(!text.is_empty() && text.trim() == text, "{name}: {text:?}");
            }
        }
    }

    #[test]
    fn both_languages_of_a_phrase_have_the_same_places() {
        for (name, phrase) in all() {
            let places = |text: &str| text.matches('{').count();
            assert_eq!(places(phrase.en), places(phrase.zh), "{name}");
        }
    }

    #[test]
    fn english_has_no_chinese_punctuation_and_no_two_phrases_of_a_module_are_the_same() {
        for module in MODULES {
            let mut seen = BTreeSet::new();
            for (name, phrase) in module {
                assert!(!phrase.en.chars().any(|c| ('\u{3000}'..='\u{9fff}').contains(&c)), "{name}");
                assert!(seen.insert((phrase.en, phrase.zh)), "{name} repeats another phrase");
            }
        }
    }
}
