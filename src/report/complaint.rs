//! What is wrong, in the reader's language.
//!
//! Messages are raised as English text, far below the reports; [`complaint`] says them by the phrases they are made of: lines into
//! clauses at `; `, a clause by its phrase or behind its place (`--flag: `, `file:3: key: `). What no phrase knows stays as it is.

use super::phrases::{assumption, description, fault, plan, refusal};
use super::recorded::{phrase_of, places};
use super::{Language, Phrase};

/// Lines of messages in a language.
///
/// ```
/// use gpu_advisor::report::{Language, complaint::complaint};
/// let text = "error: --gpu: unknown GPU \"b100x\"; near: b200\n";
/// assert_eq!(complaint(text, Language::Chinese), "错误：--gpu: 未知 GPU \"b100x\"；相近的有：b200\n");
/// assert_eq!(complaint(text, Language::English), text);
/// ```
pub fn complaint(text: &str, language: Language) -> String {
    if language == Language::English {
        return text.to_owned();
    }
    text.split_inclusive('\n').map(|line| whole_line(line, language)).collect()
}

fn whole_line(line: &str, language: Language) -> String {
    let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
    let words = body.trim_start();
    let indent = &body[..body.len() - words.len()];
    for frame in [fault::ERROR, fault::WARNING, fault::REMARK, fault::NOTE, refusal::TIP, refusal::USAGE] {
        if let Some((frame, parts)) = phrase_of([frame], words) {
            return format!("{indent}{}{end}", frame.fill(language, &[&message(parts[0], language)]));
        }
    }
    format!("{indent}{}{end}", message(words, language))
}

/// A message: its clauses, each said by itself.
fn message(text: &str, language: Language) -> String {
    let clauses: Vec<String> = clauses(text).into_iter().map(|part| clause(part, language)).collect();
    let mut said = String::new();
    for (i, part) in clauses.iter().enumerate() {
        if i > 0 {
            said.push_str(if part.is_ascii() && said.is_ascii() { "; " } else { "；" });
        }
        said.push_str(part);
    }
    said
}

/// A text cut at each `; ` that is in no quotation.
fn clauses(text: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for at in outside_quotes(text, "; ") {
        parts.push(&text[start..at]);
        start = at + 2;
    }
    parts.push(&text[start..]);
    parts
}

/// Where a separator stands outside of quotations, not in a line of `"` or of backquotes.
fn outside_quotes(text: &str, separator: &str) -> Vec<usize> {
    let (mut quoted, mut escaped, mut found) = (None, false, Vec::new());
    for (at, letter) in text.char_indices() {
        match (quoted, letter) {
            (None, '"' | '`') => quoted = Some(letter),
            (Some(mark), _) if letter == mark && !escaped => quoted = None,
            (None, _) if text[at..].starts_with(separator) => found.push(at),
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    found
}

fn clause(text: &str, language: Language) -> String {
    if let Some((phrase, parts)) = known(text) {
        let parts: Vec<String> = parts.into_iter().map(|part| clause(part, language)).collect();
        return phrase.fill(language, &parts.iter().map(String::as_str).collect::<Vec<_>>());
    }
    // A place, and what is wrong there.
    let cut = outside_quotes(text, ": ").into_iter().find_map(|at| {
        let said = clause(&text[at + 2..], language);
        (said != text[at + 2..]).then(|| format!("{}: {said}", &text[..at]))
    });
    cut.unwrap_or_else(|| text.to_owned())
}

/// Of the phrases that a text may be, the one that says most of it.
fn known(text: &str) -> Option<(Phrase, Vec<&str>)> {
    // A place at the head would swallow `--flag: `, which is a place of its own.
    let is_headed = outside_quotes(text, ": ").first().is_some_and(|&at| !text[..at].contains(' '));
    let all = [fault::ALL, refusal::ALL, description::ALL, plan::ALL, assumption::ALL]
        .into_iter()
        .flatten()
        .map(|(_, phrase)| *phrase);
    let open = all.filter(|phrase| !is_headed || !phrase.en.starts_with("{}"));
    let fitting = open.filter_map(|phrase| Some((phrase, places(phrase.en, text)?)));
    fitting.max_by_key(|(phrase, _)| phrase.en.replace("{}", "").len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zh(text: &str) -> String {
        complaint(text, Language::Chinese)
    }

    #[test]
    fn what_is_quoted_is_never_cut_or_said_otherwise() {
        assert_eq!(
            zh("error: --model: unknown model \"a; near: b\""),
            "错误：--model: 未知模型 \"a; near: b\""
        );
        assert_eq!(
            zh("error: --gpu: unknown GPU \"a\\\"; is missing\""),
            "错误：--gpu: 未知 GPU \"a\\\"; is missing\""
        );
    }

    #[test]
    fn a_finding_keeps_its_file_line_and_key() {
        let text = "  job.toml:2: tokenz: is no key of a job, did you mean \"tokens\"?; accepted are model, params\n";
        assert_eq!(
            zh(text),
            "  job.toml:2: tokenz: 不是任务文件的键，是否指 \"tokens\"？；可用的有：model, params\n"
        );
    }

    #[test]
    fn descriptions_and_changes_are_said_whole() {
        assert_eq!(
            zh("  c.json: hidden_size: \"x\" is not a whole number from 1 to 9\n"),
            "  c.json: hidden_size: \"x\" 不是 1 至 9 的整数\n"
        );
        assert_eq!(
            zh("error: --set: gpus: 12 are no whole nodes of 8"),
            "错误：--set: gpus: 12 不是每节点 8 张的整数倍"
        );
        assert_eq!(
            zh("error: --layout: is known of networks over samples only; leave it out"),
            "错误：--layout: 仅用于按样本训练的网络；请去掉"
        );
        assert_eq!(
            zh("  n.onnx: is no network in the ONNX format: it has no operators"),
            "  n.onnx: 不是 ONNX 格式的网络：其中没有算子"
        );
    }

    #[test]
    fn what_no_phrase_knows_stays_as_it_is() {
        assert_eq!(zh("error: something else; and another"), "错误：something else; and another");
        assert_eq!(zh(""), "");
    }
}
