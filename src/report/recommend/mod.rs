//! The first screen of a recommendation: job, limits, answer, why, trust, blocks A, B and C, flips, questions,
//! next commands. The order is the order in which a tired reader needs it.

mod answer;
pub(super) mod cells;
mod commands;
mod done;
mod front;
pub use cells::plan as plan_text;
mod plots;
mod porting;
mod quota;
mod reasons;
mod risks;
mod screen;
mod tables;
mod wire;

pub use plots::plot;
pub use risks::table as risks;
pub use screen::screen;
pub use wire::json;

use super::phrases::{quota as quota_words, recommend as say, section};
use super::price_doubts;
use super::{Block, Document, Language};
use crate::advisor::{Recommendation, Request};
use crate::catalog::Catalog;
use crate::cost::DoubtedPrice;
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
    /// When the job would start.
    pub start: Option<jiff::civil::Date>,
    /// Prices of the command line that are doubtful.
    pub doubts: &'a [DoubtedPrice],
    /// Language of the text.
    pub language: Language,
}

impl RecommendView<'_> {
    fn stack(&self) -> Option<&StackProfile> {
        self.profiles.stack(&self.request.job.stack)
    }
}

/// The recommendation as a document, whole.
pub fn document(view: &RecommendView<'_>) -> Document {
    let lang = view.language;
    let mut first = vec![
        (section::JOB.owned(lang), answer::job(view)),
        (section::LIMITS.owned(lang), answer::limits(view)),
        (section::ANSWER.owned(lang), answer::answer(view).join("; ")),
    ];
    first.extend(price_doubts::fields(view.doubts, lang));
    first.extend(quota::increase(view).map(|text| (quota_words::QUOTA.owned(lang), text)));
    first.extend(answer::why(view).map(|parts| (section::WHY.owned(lang), parts.join("; "))));
    first.extend(answer::trust(view).map(|parts| (section::TRUST.owned(lang), parts.join("; "))));
    first.extend(porting::warning(view).map(|text| (say::PORTING.owned(lang), text)));
    first.extend(answer::hint(view).map(|parts| (say::HINT.owned(lang), parts.join("; "))));
    first.extend(answer::absent_groups(view));
    let mut blocks = vec![Block::Fields(first)];
    blocks.extend(tables::priced(view, view.top).map(Block::Table));
    blocks.extend(tables::unpriced(view, tables::usual_unpriced(view), false).map(Block::Table));
    blocks.extend(reasons::table(view).map(Block::Table));
    blocks.extend(front::table(view).map(Block::Table));
    blocks.extend(risks::table(view));
    let sentences = [
        (section::BLOCK_C_SHORT.owned(lang), tables::rejected(view).join("; ")),
        (say::FLIPS.owned(lang), reasons::flips(view).join("; ")),
        (say::ASK.owned(lang), answer::questions(view).join(" ")),
    ];
    blocks.push(Block::Fields(sentences.into_iter().filter(|(_, text)| !text.is_empty()).collect()));
    let commands = commands::next_commands(view);
    if !commands.is_empty() {
        blocks.push(Block::heading(3, section::NEXT_COMMANDS.text(lang)));
        blocks.push(Block::code(commands));
    }
    if let Some(assumed) = answer::assumed(view) {
        blocks.push(Block::paragraph(assumed));
    }
    let age = answer::price_age(view).unwrap_or_default();
    let times = if answer::is_interrupted(view) { say::TIMES_INTERRUPTED } else { say::TIMES_EXCLUDE };
    blocks.push(Block::paragraph(format!(
        "{} {} {}",
        say::COSTS_EXCLUDE.fill(lang, &[&age]).trim(),
        times.text(lang),
        say::MARKS.text(lang)
    )));
    Document::new(blocks)
}
