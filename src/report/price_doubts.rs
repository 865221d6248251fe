//! What is doubtful about the prices of the command line, said on every page that used them.

use super::phrases::quote as say;
use super::wire::Origin;
use super::{Block, Language};
use crate::cost::{DoubtedPrice, PriceDoubt, doubted_prices};

/// One doubtful price in words, with what to write where it looks like the price of something else.
pub fn price_doubt(doubted: &DoubtedPrice, language: Language) -> String {
    let phrase = match doubted.doubt {
        PriceDoubt::PerGpu => say::PER_GPU_PRICE,
        PriceDoubt::Multiplied => say::MULTIPLIED_PRICE,
        PriceDoubt::NotMonthly => say::NOT_MONTHLY_PRICE,
        PriceDoubt::Far => say::FAR_PRICE,
        PriceDoubt::Unchecked => say::UNCHECKED_PRICE,
    };
    let places = [doubted.stated.as_str(), doubted.likely.as_deref().unwrap_or_default()];
    phrase.fill(language, &places[..=usize::from(doubted.likely.is_some())])
}

/// Their names in JSON, among the warnings.
pub fn names(doubts: &[DoubtedPrice]) -> Vec<&'static str> {
    doubts.iter().map(|d| d.doubt.name()).collect()
}

/// The names for a whole answer.
pub(super) fn of(origin: Origin<'_>) -> Vec<&'static str> {
    names(&doubted_prices(origin.prices, origin.catalog))
}

/// Each of them with its label.
pub fn fields(doubts: &[DoubtedPrice], language: Language) -> Vec<(String, String)> {
    doubts.iter().map(|d| (say::PRICES_TO_CHECK.owned(language), price_doubt(d, language))).collect()
}

/// All of them as one block; none where nothing is doubtful.
pub fn block(doubts: &[DoubtedPrice], language: Language) -> Option<Block> {
    (!doubts.is_empty()).then(|| Block::Fields(fields(doubts, language)))
}
