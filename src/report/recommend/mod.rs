//! The first screen of a recommendation: job, limits, answer, why, trust, blocks A, B and C, flips, questions,
//! next commands. The order is the order in which a tired reader needs it.

mod answer;
mod cells;
mod plots;
mod tables;
mod wire;

pub use plots::plot;
pub use wire::json;

use super::phrases::{recommend as say, section};
use super::{Block, Document, Language};
use crate::advisor::{Recommendation, Request};
use crate::catalog::Catalog;
use crate::profile::{Profiles, StackProfile};

/// Everything the views of a recommendation read.
#[derive(Debug, Clone, Copy)]
pub struct RecommendView<'a> {
    /// The answer.
    pub recommendation: &'a Recommendation,
    /// The question.
    pub request: &'a Request,
    /// Names.
    pub catalog: &'a Catalog,
    /// Software names and network classes.
    pub profiles: &'a Profiles,
    /// Rows of block A to show.
    pub top: usize,
    /// The command that was run, for the next ones.
    pub command: &'a str,
    /// Language of the text.
    pub language: Language,
}

impl RecommendView<'_> {
    fn stack(&self) -> Option<&StackProfile> {
        self.profiles.stack(&self.request.job.stack)
    }
}

/// Rows of block B on the first screen.
const UNPRICED_ROWS: usize = 4;

/// The recommendation as a document.
pub fn document(view: &RecommendView<'_>) -> Document {
    let lang = view.language;
    let mut blocks = vec![Block::fields([
        (section::JOB.text(lang).to_owned(), answer::job(view)),
        (section::LIMITS.text(lang).to_owned(), answer::limits(view)),
        (section::ANSWER.text(lang).to_owned(), answer::answer(view)),
        (section::WHY.text(lang).to_owned(), answer::why(view)),
        (section::TRUST.text(lang).to_owned(), answer::trust(view)),
    ])];
    blocks.extend(answer::groups(view).map(Block::list));
    blocks.extend(tables::priced(view).map(Block::Table));
    blocks.extend(tables::unpriced(view, UNPRICED_ROWS.max(view.top)).map(Block::Table));
    blocks.extend(tables::rejected(view));
    let flips = answer::flips(view);
    if !flips.is_empty() {
        blocks.push(Block::heading(3, section::FLIPS.text(lang)));
        blocks.push(Block::list(flips));
    }
    let questions = answer::questions(view);
    if !questions.is_empty() {
        blocks.push(Block::heading(3, section::OPEN_QUESTIONS.text(lang)));
        blocks.push(Block::list(questions));
    }
    let commands = answer::next_commands(view);
    if !commands.is_empty() {
        blocks.push(Block::heading(3, section::NEXT_COMMANDS.text(lang)));
        blocks.push(Block::code(commands));
    }
    if let Some(assumed) = answer::assumed(view) {
        blocks.push(Block::paragraph(assumed));
    }
    let dated = say::PRICES_DATED.fill(lang, &[&view.request.prices.as_of.to_string()]);
    blocks.push(Block::paragraph(format!(
        "{} {}",
        say::COSTS_EXCLUDE
            .fill(lang, &[if answer::has_old_price(view) { dated.as_str() } else { "" }])
            .trim(),
        say::TIMES_EXCLUDE.text(lang)
    )));
    Document::new(blocks)
}
