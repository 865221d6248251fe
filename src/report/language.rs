//! The languages of a report, and phrases that exist in all of them.

use std::fmt;
use std::str::FromStr;

/// The language of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// `en`
    #[default]
    English,
    /// `zh`, simplified Chinese.
    Chinese,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Its code on the command line and in HTML.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }
}

/// A text that is no language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a language: use \"en\" or \"zh\"")]
pub struct ParseLanguageError(pub String);

impl FromStr for Language {
    type Err = ParseLanguageError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|language| language.code() == text)
            .ok_or_else(|| ParseLanguageError(text.to_owned()))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// One phrase in every language, side by side, so that none can be missing.
///
/// `{}` marks a place that [`Phrase::fill`] fills, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phrase {
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

impl Phrase {
    /// A phrase from its two texts.
    pub const fn new(en: &'static str, zh: &'static str) -> Self {
        Self { en, zh }
    }

    /// The text in one language.
    pub const fn text(self, language: Language) -> &'static str {
        match language {
            Language::English => self.en,
            Language::Chinese => self.zh,
        }
    }

    /// The text in one language as an owned string.
    pub fn owned(self, language: Language) -> String {
        self.text(language).to_owned()
    }

    /// The text with its `{}` replaced, in order. `{1}`, `{2}` ... name an argument where the languages differ
    /// in word order; a place without an argument stays empty.
    ///
    /// ```
    /// use gpu_advisor::report::{Language, Phrase};
    /// let phrase = Phrase::new("{1} of {2} nodes", "{2} 个节点中的 {1} 个");
    /// assert_eq!(phrase.fill(Language::English, &["3", "8"]), "3 of 8 nodes");
    /// assert_eq!(phrase.fill(Language::Chinese, &["3", "8"]), "8 个节点中的 3 个");
    /// ```
    pub fn fill(self, language: Language, arguments: &[&str]) -> String {
        let mut out = String::new();
        let mut rest = self.text(language);
        let mut next = 0;
        while let Some(open) = rest.find('{') {
            let (before, place) = rest.split_at(open);
            out.push_str(before);
            let Some(close) = place.find('}') else {
                rest = place;
                break;
            };
            let index = place[1..close].parse::<usize>().map_or(next, |number| number.saturating_sub(1));
            next = index + 1;
            out.push_str(arguments.get(index).copied().unwrap_or_default());
            rest = &place[close + 1..];
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_read_from_its_code_alone() {
        assert_eq!("zh".parse(), Ok(Language::Chinese));
        assert_eq!("en".parse(), Ok(Language::English));
        assert!("fr".parse::<Language>().unwrap_err().to_string().contains("\"en\" or \"zh\""));
    }

    #[test]
    fn places_are_filled_in_order_or_by_number() {
        let phrase = Phrase::new("{} by {}", "{2}，{1}");
        assert_eq!(phrase.fill(Language::English, &["a", "b"]), "a by b");
        assert_eq!(phrase.fill(Language::Chinese, &["a", "b"]), "b，a");
        assert_eq!(phrase.fill(Language::English, &["a"]), "a by ");
        assert_eq!(Phrase::new("odd {", "").fill(Language::English, &["a"]), "odd {");
    }
}
