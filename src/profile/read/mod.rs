//! From text to checked profiles: every finding of every file, with its line.

mod defaults;
mod document;
mod hardware;
mod layers;
mod links;
mod reader;
mod stack;

pub(super) use defaults::defaults;
pub(super) use document::Document;
pub(super) use hardware::hardware;
pub(super) use layers::{LayerKernels, layers};
pub(super) use links::networks;
pub(super) use reader::Reader;
pub(super) use stack::stacks;

/// `, did you mean ...?` for the nearest of the accepted names, or nothing when none is near.
fn near<'a>(name: &str, accepted: impl IntoIterator<Item = &'a str>) -> String {
    accepted
        .into_iter()
        .map(|a| (strsim::damerau_levenshtein(name, a), a))
        .filter(|&(distance, a)| distance <= 1 + a.len() / 4)
        .min()
        .map_or_else(String::new, |(_, a)| format!(", did you mean {a:?}?"))
}
