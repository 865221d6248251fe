//! The picture of what each assumed input moves: a tornado.

use super::Language;
use super::phrases::{ask as say, plot as words};
use super::picture_simulate::footer;
use super::plot::{PlotModel, SensitivityBar, SensitivityPlot};
use super::view_ask::{Effect, input};
use super::wire::Origin;
use crate::advisor::Outcome;
use crate::workload::Job;

/// A bar shorter than this share of the base says nothing.
const NOTICEABLE: f64 = 0.01;

/// The result, cost where there is a price and time elsewhere, at every tried value of every assumed input. Values with which
/// nothing passes have no result.
pub fn picture(
    job: &Job,
    base: &Outcome,
    effects: &[Effect],
    origin: Origin<'_>,
    lang: Language,
) -> PlotModel {
    let figures = base.figures();
    let cost = figures.and_then(|f| f.cost).map(|c| c.p50);
    let base = cost.or_else(|| figures.map(|f| f.time.p50)).unwrap_or(f64::NAN);
    let mut bars: Vec<SensitivityBar> = Vec::new();
    for effect in effects {
        let Some(ratios) = effect.ratios else { continue };
        let Some(ratio) = (if cost.is_some() { ratios.cost } else { Some(ratios.time) }) else { continue };
        let label = input(effect.name, lang);
        let at = bars.iter().position(|b| b.label == label).unwrap_or_else(|| {
            let end = (base, String::new());
            bars.push(SensitivityBar { label, low: end.clone(), high: end });
            bars.len() - 1
        });
        let (bar, value) = (&mut bars[at], base * ratio);
        if value < bar.low.0 {
            bar.low = (value, effect.other.clone());
        }
        if value > bar.high.0 {
            bar.high = (value, effect.other.clone());
        }
    }
    bars.retain(|b| b.high.0 / b.low.0 > 1.0 + NOTICEABLE);
    let currency = origin.prices.currency.to_string();
    let x_label = match cost {
        Some(_) => words::COST_IN.fill(lang, &[&currency]),
        None => words::TRAINING_TIME.owned(lang),
    };
    PlotModel::Sensitivity(SensitivityPlot {
        title: say::PICTURE.fill(lang, &[&job.workload.name]),
        x_label,
        time: cost.is_none(),
        base,
        bars,
        footer: footer(origin),
    })
}
