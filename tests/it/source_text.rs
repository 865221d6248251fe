//! Rust source as the architecture tests see it: without comments, with or without the contents of strings, and
//! with the lines that exist for tests only marked. A lexer of a hundred lines, not a parser.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One file of `src/`.
pub struct Source {
    /// Path from the repository root, with `/`.
    pub path: String,
    /// Lines of the file.
    pub line_count: usize,
    /// Comments blanked, strings kept. Offsets and lines are those of the file.
    pub text: Vec<u8>,
    /// Comments and the contents of strings blanked.
    pub code: Vec<u8>,
    /// Offset of the first byte of every line.
    line_starts: Vec<usize>,
    /// By line from 0: compiled for tests only.
    test_lines: Vec<bool>,
}

/// The repository root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below `folder` whose name passes, sorted.
pub fn files(folder: &Path, keep: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.expect("a directory entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // In a linked worktree `.git` is a file.
            if name == ".git" || name == "target" {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if keep(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every Rust file below a folder of the repository.
pub fn sources(folder: &str) -> Vec<Source> {
    let paths = files(&root().join(folder), &|p| p.extension().is_some_and(|e| e == "rs"));
    let mut sources: Vec<Source> = paths.iter().map(|p| Source::read(p)).collect();
    let test_files: Vec<String> = sources.iter().flat_map(Source::test_modules).collect();
    for source in &mut sources {
        let folder = |file: &str| format!("{}/", file.trim_end_matches(".rs"));
        if test_files.iter().any(|f| source.path == *f || source.path.starts_with(&folder(f))) {
            source.test_lines.fill(true);
        }
    }
    sources
}

impl Source {
    fn read(path: &Path) -> Self {
        let original = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let relative =
            path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        Self::new(&relative, &original)
    }

    /// Lexes a file.
    pub fn new(path: &str, original: &[u8]) -> Self {
        let (text, code) = blanked(original);
        let newlines = original.iter().enumerate().filter(|&(_, &b)| b == b'\n').map(|(i, _)| i + 1);
        let line_starts: Vec<usize> = std::iter::once(0).chain(newlines).collect();
        let line_count = line_starts.len() - 1;
        let test_lines = vec![false; line_starts.len()];
        let mut source = Self { path: path.to_owned(), line_count, text, code, line_starts, test_lines };
        source.mark_test_items();
        source
    }

    /// Line from 1 of an offset.
    pub fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// `path:line`.
    pub fn at(&self, offset: usize) -> String {
        format!("{}:{}", self.path, self.line(offset))
    }

    /// The offset is in code that is compiled for tests only.
    pub fn is_test(&self, offset: usize) -> bool {
        self.test_lines[self.line(offset) - 1]
    }

    /// The module directly below the crate root; `None` for `lib.rs` and `main.rs`.
    pub fn module(&self) -> Option<&str> {
        let rest = self.path.strip_prefix("src/")?;
        rest.split_once('/').map(|(module, _)| module)
    }

    /// Words of identifiers and keywords in the code, with their offsets.
    pub fn identifiers(&self) -> Vec<(usize, &str)> {
        runs(&self.code, is_word)
            .into_iter()
            .filter(|(_, w)| !w.starts_with(|c: char| c.is_ascii_digit()))
            .collect()
    }

    fn mark_test_items(&mut self) {
        for start in occurrences(&self.code, "#[cfg(test)]") {
            let Some(end) = item_end(&self.code, start) else { continue };
            let (first, last) = (self.line(start) - 1, self.line(end) - 1);
            self.test_lines[first..=last].fill(true);
        }
    }

    /// Files of `#[cfg(test)] mod name;`.
    fn test_modules(&self) -> Vec<String> {
        let mut modules = Vec::new();
        for start in occurrences(&self.code, "#[cfg(test)]") {
            let Some(end) = item_end(&self.code, start) else { continue };
            let item = String::from_utf8_lossy(&self.text[start..end]).into_owned();
            if self.code[end - 1] != b';' {
                continue;
            }
            let Some(name) = item.split_whitespace().last().map(|w| w.trim_end_matches(';')) else {
                continue;
            };
            let (folder, file) = self.path.rsplit_once('/').expect("a path below src");
            if let Some((_, quoted)) = item.split_once("#[path") {
                modules.push(format!("{folder}/{}", quoted.split('"').nth(1).unwrap_or_default()));
            } else if matches!(file, "mod.rs" | "lib.rs" | "main.rs") {
                modules.push(format!("{folder}/{name}.rs"));
            } else {
                modules.push(format!("{folder}/{}/{name}.rs", file.trim_end_matches(".rs")));
            }
        }
        modules
    }

    /// First path segments after `prefix::`, grouped ones included: `std` of `use std::{fs, io::Read}` gives both.
    pub fn segments_after(&self, prefix: &str) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let pattern = format!("{prefix}::");
        for start in occurrences(&self.code, &pattern) {
            if start > 0 && (is_word(self.code[start - 1]) || self.code[start - 1] == b':') {
                continue;
            }
            let rest = &self.code[start + pattern.len()..];
            if rest.first() != Some(&b'{') {
                let word: Vec<u8> = rest.iter().copied().take_while(|&b| is_word(b)).collect();
                found.push((start, String::from_utf8_lossy(&word).into_owned()));
                continue;
            }
            let (mut depth, mut expected) = (0, false);
            for (i, &byte) in rest.iter().enumerate() {
                match byte {
                    b'{' => (depth, expected) = (depth + 1, depth == 0),
                    b'}' => depth -= 1,
                    b',' => expected = depth == 1,
                    b if is_word(b) && expected => {
                        let word: Vec<u8> = rest[i..].iter().copied().take_while(|&b| is_word(b)).collect();
                        found.push((start + i, String::from_utf8_lossy(&word).into_owned()));
                        expected = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        found
    }

    /// Functions with a body: name, offset, lines from signature to closing brace.
    pub fn functions(&self) -> Vec<(usize, String, usize)> {
        let words = self.identifiers();
        let mut found = Vec::new();
        for pair in words.windows(2) {
            let ((start, keyword), (name_at, name)) = (pair[0], pair[1]);
            let adjacent = self.code[start + keyword.len()..name_at].iter().all(u8::is_ascii_whitespace);
            if keyword != "fn" || !adjacent {
                continue;
            }
            let Some(end) = item_end(&self.code, start) else { continue };
            found.push((start, name.to_owned(), self.line(end - 1) - self.line(start) + 1));
        }
        found
    }
}

/// Letters, digits, underscore and every byte of a longer character.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Maximal runs of bytes that pass.
pub fn runs(bytes: &[u8], keep: fn(u8) -> bool) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for i in 0..=bytes.len() {
        match (bytes.get(i).is_some_and(|&b| keep(b)), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                found.push((from, std::str::from_utf8(&bytes[from..i]).expect("UTF-8 source")));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Offsets of a string.
pub fn occurrences(bytes: &[u8], pattern: &str) -> Vec<usize> {
    let text = std::str::from_utf8(bytes).expect("UTF-8 source");
    text.match_indices(pattern).map(|(at, _)| at).collect()
}

/// Words of identifiers, split at underscores and humps: `A100Spec_x` is `a100`, `spec`, `x`.
pub fn identifier_words(identifier: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = '_';
    for c in identifier.chars() {
        let hump = c.is_uppercase() && (previous.is_lowercase() || previous.is_ascii_digit());
        if c != '_' {
            match words.last_mut() {
                Some(word) if previous != '_' && !hump => word.extend(c.to_lowercase()),
                _ => words.push(c.to_lowercase().collect()),
            }
        }
        previous = c;
    }
    words
}

/// Offset just after the item that begins at `start`: its closing brace, or the semicolon of one without a body.
fn item_end(code: &[u8], start: usize) -> Option<usize> {
    let (mut brackets, mut braces) = (0, 0);
    for (i, &byte) in code.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets -= 1,
            b'{' if brackets == 0 => braces += 1,
            b'}' if brackets == 0 => {
                braces -= 1;
                if braces == 0 {
                    return Some(i + 1);
                }
            }
            b';' if brackets == 0 && braces == 0 => return Some(i + 1),
            _ => {}
        }
    }
    None
}

/// The file without comments, and without comments and the contents of strings; newlines stay.
fn blanked(original: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut text, mut code) = (original.to_vec(), original.to_vec());
    let blank = |bytes: &mut Vec<u8>, from: usize, to: usize| {
        for byte in &mut bytes[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut i = 0;
    while i < original.len() {
        let rest = &original[i..];
        let end = if rest.starts_with(b"//") {
            let end = i + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            blank(&mut text, i, end);
            blank(&mut code, i, end);
            end
        } else if rest.starts_with(b"/*") {
            let end = i + block_comment(rest);
            blank(&mut text, i, end);
            blank(&mut code, i, end);
            end
        } else if let Some((inner, length)) = string(rest, i > 0 && is_word(original[i - 1])) {
            blank(&mut code, i + inner.start, i + inner.end);
            i + length
        } else {
            i + 1
        };
        i = end;
    }
    (text, code)
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < rest.len() {
        if rest[i..].starts_with(b"/*") {
            (depth, i) = (depth + 1, i + 2);
        } else if rest[i..].starts_with(b"*/") {
            (depth, i) = (depth - 1, i + 2);
        } else {
            i += 1;
        }
        if depth == 0 {
            return i;
        }
    }
    rest.len()
}

/// Contents and length of a string or character literal that begins here.
fn string(rest: &[u8], after_word: bool) -> Option<(std::ops::Range<usize>, usize)> {
    if rest[0] == b'r' && !after_word {
        let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
        if rest.get(1 + hashes) == Some(&b'"') {
            let close: Vec<u8> = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
            let from = 2 + hashes;
            let length = rest[from..].windows(close.len()).position(|w| w == close)?;
            return Some((from..from + length, from + length + close.len()));
        }
    }
    let quote = rest[0];
    let (second, escaped) = (rest.get(1)?, rest.get(1) == Some(&b'\\'));
    // A quote that is not closed after one character is a lifetime.
    let character = match second {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    };
    if quote != b'"' && !(quote == b'\'' && (escaped || rest.get(1 + character) == Some(&b'\''))) {
        return None;
    }
    let mut i = 1;
    while i < rest.len() && rest[i] != quote {
        i += if rest[i] == b'\\' { 2 } else { 1 };
    }
    Some((1..i.min(rest.len()), (i + 1).min(rest.len())))
}

/// The table of ARCHITECTURE.md: by module, in order of appearance, what it may import.
pub fn import_table(document: &str) -> (Vec<String>, BTreeMap<String, BTreeSet<String>>) {
    let mut order: Vec<String> = Vec::new();
    let mut table = BTreeMap::new();
    let rows = document.lines().skip_while(|l| !l.starts_with("| module |")).skip(2);
    for row in rows.take_while(|l| l.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [module, _, imports] = cells[..] else { panic!("three columns, not {row:?}") };
        let module = module.trim_matches('`').to_owned();
        let imports = match imports {
            "nothing" => BTreeSet::new(),
            "all" => order.iter().cloned().collect(),
            list => list.split(',').map(|m| m.trim().to_owned()).collect(),
        };
        table.insert(module.clone(), imports);
        order.push(module);
    }
    (order, table)
}
