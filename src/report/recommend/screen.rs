//! The recommendation on one screen: the answer first, in 24 lines of 120 columns, whatever there is to say.
//!
//! Sentences are lists of parts in the order of their worth; what does not fit is left out whole from the end. Where
//! that is not enough, blocks A and B give up rows. The whole answer is [`document`](super::document).

use unicode_width::UnicodeWidthStr as _;

use super::{RecommendView, answer, commands, front, porting, quota, reasons, tables};
use crate::report::phrases::{flip, front as otherwise, quota as quota_words, recommend as say, section};
use crate::report::price_doubts;
use crate::report::text::{render, wrap};
use crate::report::{Block, Document, Table};

/// Lines of a screen.
pub const LINES: usize = 24;

/// What one way to fill the screen allows itself.
struct Room {
    /// Rows of block A beside those of groups asked for.
    priced: usize,
    /// Rows of block B beside those of groups asked for; those of block A are added where it has none.
    unpriced: usize,
    /// Block A says what its GPUs cannot do.
    notes: bool,
    /// Lines of a sentence that matters.
    long: usize,
    /// Lines of the others.
    short: usize,
    /// Says what the runners-up lack.
    lacks: bool,
    /// Commands.
    commands: usize,
}

/// From generous to narrow; the first that fits holds.
const ROOMS: [Room; 11] = [
    Room { priced: 3, unpriced: 3, notes: true, long: 2, short: 2, lacks: true, commands: 2 },
    Room { priced: 3, unpriced: 2, notes: true, long: 2, short: 2, lacks: true, commands: 2 },
    Room { priced: 3, unpriced: 2, notes: true, long: 2, short: 1, lacks: true, commands: 2 },
    Room { priced: 3, unpriced: 2, notes: true, long: 2, short: 1, lacks: false, commands: 1 },
    Room { priced: 2, unpriced: 2, notes: true, long: 2, short: 1, lacks: false, commands: 1 },
    Room { priced: 2, unpriced: 1, notes: true, long: 2, short: 1, lacks: false, commands: 1 },
    Room { priced: 1, unpriced: 1, notes: true, long: 1, short: 1, lacks: false, commands: 1 },
    Room { priced: 2, unpriced: 2, notes: false, long: 2, short: 1, lacks: false, commands: 1 },
    Room { priced: 2, unpriced: 1, notes: false, long: 1, short: 1, lacks: false, commands: 1 },
    Room { priced: 1, unpriced: 1, notes: false, long: 1, short: 1, lacks: false, commands: 1 },
    Room { priced: 1, unpriced: 1, notes: false, long: 1, short: 1, lacks: false, commands: 0 },
];

/// A label with parts that may be left out from the end, and the lines they may take.
struct Sentence {
    label: String,
    parts: Vec<String>,
    separator: &'static str,
    lines: usize,
}

/// The recommendation on one screen of so many columns.
pub fn screen(view: &RecommendView<'_>, width: usize) -> Document {
    let tries = ROOMS.iter().map(|room| filled(view, room, width));
    let mut narrowest = Document::default();
    for document in tries {
        if height(&document, width) <= LINES {
            return document;
        }
        narrowest = document;
    }
    narrowest
}

/// Lines on a terminal that wraps what is too long.
fn height(document: &Document, width: usize) -> usize {
    render(document, width).lines().map(|line| line.width().div_ceil(width).max(1)).sum()
}

fn filled(view: &RecommendView<'_>, room: &Room, width: usize) -> Document {
    let lang = view.language;
    let one =
        |label: String, text: String, lines| Sentence { label, parts: vec![text], separator: "", lines };
    let several = |label: String, parts, lines| Sentence { label, parts, separator: "; ", lines };
    let mut first = vec![
        one(section::JOB.owned(lang), answer::job(view), 2),
        Sentence {
            label: section::LIMITS.owned(lang),
            parts: answer::limit_parts(view),
            separator: " · ",
            lines: 1,
        },
        several(section::ANSWER.owned(lang), answer::answer(view), 2),
    ];
    first
        .extend(price_doubts::fields(view.doubts, lang).into_iter().map(|(label, text)| one(label, text, 2)));
    first.extend(quota::increase(view).map(|text| one(quota_words::QUOTA.owned(lang), text, 2)));
    first.extend(answer::why(view).map(|parts| several(section::WHY.owned(lang), parts, room.long)));
    first.extend(porting::warning(view).map(|text| one(say::PORTING.owned(lang), text, 2)));
    first.extend(answer::trust(view).map(|p| several(section::TRUST.owned(lang), p.to_vec(), room.short)));
    first.extend(answer::hint(view).map(|parts| several(say::HINT.owned(lang), parts, 2)));
    first.extend(answer::absent_groups(view).into_iter().map(|(group, text)| one(group, text, 1)));
    let mut blocks = vec![Block::Fields(fitted(&first, width))];
    let dense = |table: Table, noted: bool| {
        let notes = if noted { table.notes.clone() } else { Vec::new() };
        Block::Table(Table { notes, dense: true, ..table })
    };
    // What a GPU cannot do matters to those who asked for it.
    let noted = room.notes && !view.recommendation.groups.is_empty();
    blocks.extend(tables::priced(view, room.priced.min(view.top)).map(|table| dense(table, noted)));
    let freed = if view.recommendation.ranked.is_empty() { room.priced } else { 0 };
    blocks.extend(tables::unpriced(view, room.unpriced + freed, true).map(|table| dense(table, true)));
    let last = [
        several(section::BLOCK_C_SHORT.owned(lang), tables::rejected_in_short(view), room.long),
        several(otherwise::OTHERWISE.owned(lang), front::sentence(view), 1),
        several(say::FLIPS.owned(lang), reasons::flips(view), room.short),
        several(flip::LACKS.owned(lang), if room.lacks { reasons::lacks(view) } else { Vec::new() }, 1),
        Sentence {
            label: say::ASK.owned(lang),
            parts: answer::questions(view),
            separator: " ",
            lines: room.short,
        },
    ];
    blocks.push(Block::Fields(fitted(&last, width)));
    let next: Vec<String> = commands::next_commands(view).into_iter().take(room.commands).collect();
    if !next.is_empty() {
        blocks.push(Block::code(next));
    }
    blocks.push(Block::paragraph(note(view)));
    Document::new(blocks)
}

/// What must be said with every answer, in one line.
fn note(view: &RecommendView<'_>) -> String {
    let lang = view.language;
    let (oldest, undated) = answer::stale_prices(view);
    let said = if answer::is_interrupted(view) { say::SCREEN_NOTE_INTERRUPTED } else { say::SCREEN_NOTE };
    let mut parts = vec![said.owned(lang)];
    parts.extend(oldest.map(|day| say::SCREEN_OLDEST.fill(lang, &[&day.to_string()])));
    parts.extend(undated.then(|| say::SCREEN_UNDATED.owned(lang)));
    parts.push(say::SCREEN_MORE.owned(lang));
    parts.join("; ")
}

/// The sentences with as many of their parts as their lines hold; empty ones are left out.
fn fitted(sentences: &[Sentence], width: usize) -> Vec<(String, String)> {
    let label = sentences.iter().map(|s| s.label.width()).max().unwrap_or(0).min(width / 3);
    let room = width.saturating_sub(label + 2);
    sentences
        .iter()
        .filter(|s| s.parts.iter().any(|part| !part.is_empty()))
        .map(|s| (s.label.clone(), leading(&s.parts, s.separator, room, s.lines)))
        .collect()
}

/// The leading parts that fit into so many lines; the first in any case.
fn leading(parts: &[String], separator: &str, width: usize, lines: usize) -> String {
    let fits = |n: &usize| wrap(&parts[..*n].join(separator), width).len() <= lines;
    let kept = (1..=parts.len()).rev().find(fits).unwrap_or(1);
    parts[..kept].join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_fit_are_left_out_whole_from_the_end() {
        let parts = ["one two".to_owned(), "three".to_owned(), "four".to_owned()];
        assert_eq!(leading(&parts, "; ", 14, 1), "one two; three");
        assert_eq!(leading(&parts, "; ", 13, 1), "one two");
        assert_eq!(leading(&parts, "; ", 14, 2), "one two; three; four");
        assert_eq!(leading(&parts, "; ", 3, 1), "one two");
    }
}
