//! Assumed inputs with what they move, and the questions to the customer that are worth most.

use serde::Serialize;

use super::phrases::{ask, assumption, column, recommend as say, section};
use super::recommend::cells::purchase;
use super::{Block, Cell, Column, Document, Language, Phrase, Row, Table, price_doubts};
use crate::advisor::{Outcome, Ratios};
use crate::catalog::Purchase;
use crate::cost::DoubtedPrice;
use crate::units::text;
use crate::workload::Job;

/// Most questions.
const QUESTIONS: usize = 3;

/// A change of time or cost below this share is none worth a question.
const NOTICEABLE: f64 = 0.01;

/// What it counts when nothing passes any more, in powers of e.
const NOTHING_PASSES: f64 = 3.0;

/// What another value of one assumed input does.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The input.
    pub name: &'static str,
    /// How likely the true value is another, by judgement.
    pub chance: f64,
    /// What was taken.
    pub taken: String,
    /// What was tried instead.
    pub other: String,
    /// Time and cost over those of the answer; `None` when nothing passes then.
    pub ratios: Option<Ratios>,
    /// The cluster that wins then; empty when nothing passes.
    pub cluster: String,
    /// Another cluster wins.
    pub moved: bool,
}

impl Effect {
    /// How much there is to learn from asking: how likely the answer is another value, times what that moves. That is the
    /// change of time or cost in powers of e, whichever is larger, and one more when the choice changes; as much as a factor of
    /// twenty when nothing passes any more.
    pub fn weight(&self) -> f64 {
        let Some(r) = self.ratios else { return self.chance * (NOTHING_PASSES + 1.0) };
        let size = r.time.ln().abs().max(r.cost.map_or(0.0, |c| c.ln().abs()));
        self.chance * if self.moved { size + 1.0 } else { size }
    }

    /// True when asking may change what is bought, when, or for how much.
    fn matters(&self) -> bool {
        self.ratios.is_none_or(|r| {
            self.moved
                || (r.time - 1.0).abs() > NOTICEABLE
                || r.cost.is_some_and(|c| (c - 1.0).abs() > NOTICEABLE)
        })
    }
}

/// Everything the view reads.
#[derive(Debug, Clone, Copy)]
pub struct AskView<'a> {
    /// The job.
    pub job: &'a Job,
    /// The answer.
    pub base: &'a Outcome,
    /// One effect per input, the largest first.
    pub effects: &'a [Effect],
    /// Prices of the command line that are doubtful.
    pub doubts: &'a [DoubtedPrice],
    /// Language of the text.
    pub language: Language,
}

/// The question about an input, for the customer.
fn question(name: &str) -> Phrase {
    match name {
        "deadline" => say::ASK_DEADLINE,
        "place" => say::ASK_PLACE,
        "sequence_length" => say::ASK_SEQUENCE,
        "purchase" => say::ASK_PURCHASE,
        "global_batch" => say::ASK_BATCH,
        "precision" => say::ASK_PRECISION,
        "framework" => say::ASK_FRAMEWORK,
        "optimizer" => ask::OPTIMIZER,
        _ => ask::MAX_GPUS,
    }
}

/// The input in a few words.
pub(super) fn input(name: &str, lang: Language) -> String {
    assumption::said(name, lang).replace('_', " ")
}

/// A value of an input in the reader's language: ways to buy, and whatever was assumed.
fn said(value: &str, lang: Language) -> String {
    if value == "*" {
        return ask::ANY.owned(lang);
    }
    let way = |word: &str| {
        let named = Purchase::ALL.into_iter().find(|p| p.name() == word)?;
        Some(purchase(named).text(lang))
    };
    let ways: Option<Vec<&str>> = value.split(", ").map(way).collect();
    ways.map_or_else(|| assumption::said(value, lang), |ways| ways.join(", "))
}

/// What an answer to the question may do.
fn consequence(effect: &Effect, lang: Language) -> String {
    let Some(r) = effect.ratios else { return ask::NOTHING_PASSES.fill(lang, &[&effect.other]) };
    let times = |value: f64| text::significant(value, 3);
    let other = said(&effect.other, lang);
    let Some(cost) = r.cost.map(times) else {
        let phrase = if effect.moved { ask::MOVES_UNPRICED } else { ask::STAYS_UNPRICED };
        return phrase.fill(lang, &[&other, &times(r.time), &effect.cluster]);
    };
    let phrase = if effect.moved { ask::MOVES } else { ask::STAYS };
    phrase.fill(lang, &[&other, &times(r.time), &cost, &effect.cluster])
}

/// The answer as a document.
pub fn document(view: &AskView<'_>) -> Document {
    let lang = view.language;
    let questions: Vec<String> = view
        .effects
        .iter()
        .filter(|e| e.matters())
        .take(QUESTIONS)
        .map(|e| format!("{} ({})", question(e.name).text(lang), consequence(e, lang)))
        .collect();
    let mut blocks = vec![Block::heading(1, section::OPEN_QUESTIONS.text(lang))];
    blocks.push(if questions.is_empty() {
        Block::paragraph(ask::NONE.text(lang))
    } else {
        Block::list(questions)
    });
    let columns = vec![
        Column::left(ask::INPUT.text(lang), "name"),
        Column::left(ask::TAKEN.text(lang), "taken"),
        Column::left(ask::INSTEAD.text(lang), "other"),
        Column::right(ask::TIME.text(lang), "time_ratio"),
        Column::right(ask::COST.text(lang), "cost_ratio"),
        Column::left(column::CLUSTER.text(lang), "cluster"),
    ];
    let ratio =
        |value: Option<f64>| value.map_or_else(Cell::absent, |v| Cell::number(text::significant(v, 3), v));
    let rows = view.effects.iter().map(|e| {
        Row::new([
            Cell::id(input(e.name, lang), e.name),
            Cell::id(said(&e.taken, lang), e.taken.clone()),
            Cell::id(said(&e.other, lang), e.other.clone()),
            ratio(e.ratios.map(|r| r.time)),
            ratio(e.ratios.and_then(|r| r.cost)),
            if e.moved { Cell::text(&e.cluster) } else { Cell::id("=", e.cluster.clone()) },
        ])
    });
    blocks.push(Table::new(columns, rows).titled(ask::TITLE.fill(lang, &[&view.base.cluster])).into());
    Document::new(blocks)
}

#[derive(Serialize)]
struct Wire<'a> {
    schema_version: u32,
    cluster: &'a str,
    effects: Vec<EffectWire<'a>>,
    questions: Vec<&'static str>,
    warnings: Vec<&'static str>,
}

#[derive(Serialize)]
struct EffectWire<'a> {
    name: &'a str,
    chance: f64,
    taken: &'a str,
    other: &'a str,
    time_ratio: Option<f64>,
    cost_ratio: Option<f64>,
    cluster: &'a str,
    choice_changes: bool,
}

/// The effects as JSON text; `questions` are the names of the inputs to ask about, best first.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn json(view: &AskView<'_>) -> Result<String, serde_json::Error> {
    super::wire::text(&Wire {
        schema_version: super::wire::SCHEMA_VERSION,
        cluster: &view.base.cluster,
        effects: view
            .effects
            .iter()
            .map(|e| EffectWire {
                name: e.name,
                chance: e.chance,
                taken: &e.taken,
                other: &e.other,
                time_ratio: e.ratios.map(|r| r.time),
                cost_ratio: e.ratios.and_then(|r| r.cost),
                cluster: &e.cluster,
                choice_changes: e.moved,
            })
            .collect(),
        questions: view.effects.iter().filter(|e| e.matters()).take(QUESTIONS).map(|e| e.name).collect(),
        warnings: price_doubts::names(view.doubts),
    })
}
