//! English texts that were recorded, or raised as errors, and the phrases that they are.

use super::Phrase;

/// What stands in the places of a pattern; `None` when the text is another one.
pub(super) fn places<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = pattern.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut found = Vec::new();
    let pieces: Vec<&str> = pieces.collect();
    for (i, piece) in pieces.iter().enumerate() {
        let end = if i + 1 == pieces.len() { rest.strip_suffix(piece)?.len() } else { rest.find(piece)? };
        found.push(&rest[..end]);
        rest = &rest[end + piece.len()..];
    }
    let is_whole = rest.is_empty() && found.iter().all(|part| !part.is_empty());
    is_whole.then_some(found)
}

/// The first phrase that a text is, with what stands in its places.
pub(super) fn phrase_of(
    phrases: impl IntoIterator<Item = Phrase>,
    text: &str,
) -> Option<(Phrase, Vec<&str>)> {
    phrases.into_iter().find_map(|phrase| Some((phrase, places(phrase.en, text)?)))
}
