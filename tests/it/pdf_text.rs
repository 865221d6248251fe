//! The text of a PDF as a reader copies it: every shown string, taken back from glyphs by the file's own table.

use std::collections::BTreeMap;

/// Bodies of all streams of a file, with the dictionary before each.
fn streams(file: &[u8]) -> Vec<(String, &[u8])> {
    let find = |from: usize, what: &[u8]| {
        file[from..].windows(what.len()).position(|w| w == what).map(|at| from + at)
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(begin) = find(at, b"stream\n") {
        let end = find(begin, b"endstream").expect("the end of a stream");
        let head = file[..begin].windows(4).rposition(|w| w == b" obj").expect("an object");
        let dictionary = String::from_utf8_lossy(&file[head..begin]).into_owned();
        assert!(!dictionary.contains("/Filter"), "this test reads plain streams alone: {dictionary}");
        found.push((dictionary, &file[begin + 7..end]));
        at = end + 9;
    }
    found
}

/// Strings of a content stream, `(literal)` or `<hex>`, as bytes.
fn strings(content: &[u8]) -> Vec<Vec<u8>> {
    let (mut out, mut i) = (Vec::new(), 0);
    while i < content.len() {
        let mut bytes = Vec::new();
        match content[i] {
            b'(' => {
                let mut depth = 1;
                while depth > 0 {
                    i += 1;
                    match content[i] {
                        b'\\' => {
                            i += 1;
                            let octal =
                                content[i..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                            if octal > 0 {
                                let digits = std::str::from_utf8(&content[i..i + octal]).expect("digits");
                                bytes.push(u8::from_str_radix(digits, 8).expect("a byte"));
                                i += octal - 1;
                            } else {
                                let named = [(b'n', 10), (b'r', 13), (b't', 9), (b'b', 8), (b'f', 12)];
                                let found = named.iter().find(|(name, _)| *name == content[i]);
                                bytes.push(found.map_or(content[i], |(_, byte)| *byte));
                            }
                            continue;
                        }
                        b'(' => depth += 1,
                        b')' => depth -= 1,
                        _ => {}
                    }
                    if depth > 0 {
                        bytes.push(content[i]);
                    }
                }
                out.push(bytes);
            }
            b'<' => {
                let digits: Vec<u8> = content[i + 1..].iter().copied().take_while(|b| *b != b'>').collect();
                i += digits.len();
                let text = String::from_utf8(digits).expect("hexadecimal");
                let pair = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
                out.push((0..text.len() / 2).map(|k| pair(2 * k)).collect());
            }
            _ => {}
        }
        i += 1;
    }
    out
}

/// All text of a PDF of this program, a line for each string that is shown.
pub fn text(file: &[u8]) -> String {
    let streams = streams(file);
    let map =
        streams.iter().find(|(_, body)| body.windows(11).any(|w| w == b"beginbfchar")).expect("a table");
    let table: BTreeMap<Vec<u8>, String> = String::from_utf8_lossy(map.1)
        .lines()
        .filter_map(|line| line.trim().strip_prefix('<')?.strip_suffix('>')?.split_once("> <"))
        .map(|(glyph, shown)| {
            let unit = |text: &str| u16::from_str_radix(text, 16).expect("hexadecimal");
            let units: Vec<u16> = (0..shown.len() / 4).map(|k| unit(&shown[4 * k..4 * k + 4])).collect();
            (unit(glyph).to_be_bytes().to_vec(), String::from_utf16(&units).expect("characters"))
        })
        .collect();
    let mut out = String::new();
    for (_, body) in streams.iter().filter(|(_, body)| body.windows(3).any(|w| w == b"Tj\n" || w == b" Tj")) {
        for shown in strings(body) {
            out.extend(shown.chunks(2).map(|glyph| table.get(glyph).map_or("\u{fffd}", String::as_str)));
            out.push('\n');
        }
    }
    assert!(!out.contains('\u{fffd}'), "a glyph without a character: {out}");
    out
}
