//! Line breaking by display width, for words and for Chinese.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters that may not begin a line.
const NOT_FIRST: &str = "，。、；：！？）》」』】”’％";

/// Characters that may not end a line.
const NOT_LAST: &str = "（《「『【“‘";

/// Breaks a text into lines of at most `width` columns: at spaces, between wide characters, and inside a word
/// only when it is longer than a line. Line feeds in the text are kept; an empty text is one empty line.
///
/// ```
/// use gpu_advisor::report::text::wrap;
/// assert_eq!(wrap("8 nodes of 8 GPUs", 10), ["8 nodes of", "8 GPUs"]);
/// assert_eq!(wrap("单步时间，显存", 8), ["单步时", "间，显存"]);
/// ```
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0;
        for piece in pieces(paragraph) {
            let piece_width = piece.trim_end().width();
            if used > 0 && used + piece_width > width {
                lines.push(line.trim_end().to_owned());
                line.clear();
                used = 0;
            }
            if piece_width > width {
                (line, used) = break_word(&piece, width, &mut lines);
            } else {
                used += piece.width();
                line.push_str(&piece);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Where a name may be broken, after the character: people copy names, and see so where a part ends.
const NAME_PARTS: [char; 7] = ['/', '@', ':', ',', '_', '-', '.'];

/// The parts of a name, of which none is broken where there is room for it.
fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    name.split_inclusive(NAME_PARTS)
}

/// Widths of the longest word of a text and of the longest part of a name in it; wide characters are words by themselves.
pub(super) fn longest(text: &str) -> (usize, usize) {
    let pieces = pieces(text);
    let words = pieces.iter().map(|piece| piece.trim_end());
    let parts = words.clone().flat_map(name_parts).map(UnicodeWidthStr::width).max().unwrap_or(0);
    (words.map(UnicodeWidthStr::width).max().unwrap_or(0), parts)
}

/// Splits a word that is longer than a line, between the parts of a name where they fit; returns the rest, which begins the next
/// line.
fn break_word(word: &str, width: usize, lines: &mut Vec<String>) -> (String, usize) {
    let mut line = String::new();
    let mut used = 0;
    for part in name_parts(word) {
        if used > 0 && used + part.trim_end().width() > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        (line, used) = break_part(part, width, (line, used), lines);
    }
    (line, used)
}

/// Appends a part to a line, and breaks it where it is longer than a line.
fn break_part(
    part: &str,
    width: usize,
    (mut line, mut used): (String, usize),
    lines: &mut Vec<String>,
) -> (String, usize) {
    for c in part.chars() {
        let w = c.width().unwrap_or(0);
        if used + w > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        line.push(c);
        used += w;
    }
    (line, used)
}

fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

/// The pieces between which a line may break, each with the spaces that follow it.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let boundary = if c == ' ' {
            false
        } else if last == ' ' {
            true
        } else {
            (is_wide(c) || is_wide(last)) && !NOT_FIRST.contains(c) && !NOT_LAST.contains(last)
        };
        match pieces.last_mut() {
            Some(piece) if !boundary => piece.push(c),
            _ => pieces.push(c.to_string()),
        }
        last = c;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_long_words_are_cut() {
        assert_eq!(wrap("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrap("abcdefg hi", 3), ["abc", "def", "g", "hi"]);
        assert_eq!(wrap("", 10), [""]);
        // A name between its parts.
        assert_eq!(wrap("cloud/8A100.176V:2", 14), ["cloud/8A100.", "176V:2"]);
        assert_eq!(longest("cloud/8A100.176V:2 now"), (18, 6));
        assert_eq!(wrap("a\nb", 10), ["a", "b"]);
    }

    #[test]
    fn chinese_breaks_between_characters_but_never_before_a_comma() {
        assert_eq!(wrap("显存不足", 4), ["显存", "不足"]);
        assert_eq!(wrap("显存，不足", 4), ["显", "存，", "不足"]);
        assert_eq!(wrap("单步时间（秒）", 10), ["单步时间", "（秒）"]);
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        let text = "推荐 8 个节点 with 64 GPUs，单步时间 9.8 s，总费用 123,456 USD";
        for width in 4..60 {
            assert!(wrap(text, width).iter().all(|line| line.width() <= width), "{width}");
        }
    }
}
