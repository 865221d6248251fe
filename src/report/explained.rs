//! Figures and sources of `simulate --explain` in words.

use super::Language;
use super::phrases::explain as say;
use crate::simulator::explain::{Figures, Sources};
use crate::units::{Seconds, text};

/// The symbols of a term's formula, filled in.
pub(super) fn sentence(figures: &Figures, lang: Language) -> String {
    match *figures {
        Figures::Products { products, passes, micro_batches, work, rate, sustained, efficiency } => {
            say::FIGURES_PRODUCTS.fill(
                lang,
                &[
                    &text::significant(products, 4),
                    &text::significant(passes, 2),
                    &micro_batches.to_string(),
                    &format!("{:.3e}", work.get()),
                    &text::flop_rate(rate),
                    &text::percent(efficiency),
                    &text::flop_rate(sustained),
                ],
            )
        }
        Figures::Traffic { bytes, rate } => {
            say::FIGURES_TRAFFIC.fill(lang, &[&text::memory(bytes), &text::bandwidth(rate)])
        }
        Figures::Group { ranks, nodes, each, micro_batches } => {
            let each: Seconds = each;
            say::FIGURES_GROUP.fill(
                lang,
                &[
                    &ranks.to_string(),
                    &nodes.to_string(),
                    &micro_batches.to_string(),
                    &text::duration(each, 3),
                ],
            )
        }
        Figures::Pipeline { stages, virtual_stages, micro_batches, ideal } => say::FIGURES_PIPELINE.fill(
            lang,
            &[
                &stages.to_string(),
                &virtual_stages.to_string(),
                &micro_batches.to_string(),
                &text::percent(ideal),
            ],
        ),
        Figures::Again { level, micro_batches } => {
            say::FIGURES_AGAIN.fill(lang, &[level.name(), &micro_batches.to_string()])
        }
    }
}

/// Where the numbers come from, a line each; of the network only where there is one.
pub(super) fn sources(sources: &Sources<'_>, nodes: u32, lang: Language) -> Vec<String> {
    let mut lines = vec![
        say::SOURCE_HARDWARE.fill(lang, &[sources.hardware]),
        say::SOURCE_SOFTWARE.fill(lang, &[sources.software]),
        say::SOURCE_LINK.fill(lang, &[sources.link]),
    ];
    if nodes > 1 {
        lines.push(say::SOURCE_NETWORK.fill(lang, &[sources.network]));
    }
    lines
}
