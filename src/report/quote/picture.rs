//! The plots of a quote: the chosen cluster among those that were considered, and what each way to buy costs.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::super::phrases::quote as say;
use super::super::plot::{BarsPlot, CostTimePlot, CostTimePoint, Interval, NamedBar, PlotModel};
use super::super::{Block, Language};
use super::statements::{evidence, quantile};
use super::{amount, words};
use crate::cost::quote::{Basis, Prediction, Quote, Verdict};

fn float(value: Decimal) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// Where the numbers come from.
fn footer(prediction: &Prediction, quote: &Quote, language: Language) -> String {
    format!("{} · {} · {}", quote.number, quote.issued, evidence(&prediction.grade).text(language))
}

/// A cluster without its region, where all are in one anyway or differ without it.
fn short<'a>(name: &'a str, all: &[&'a str]) -> String {
    let cut = |name: &str| match (name.find('@'), name.rfind(':')) {
        (Some(at), Some(colon)) if at < colon => format!("{}{}", &name[..at], &name[colon..]),
        _ => name.to_owned(),
    };
    let own = cut(name);
    if all.iter().filter(|other| cut(other) == own).count() > 1 { name.to_owned() } else { own }
}

/// Cost against time; `None` unless there are at least two clusters with both.
pub(super) fn alternatives(quote: &Quote, language: Language) -> Option<Block> {
    let prediction = quote.prediction.as_ref()?;
    let compute = prediction.compute.as_ref()?;
    let time = &prediction.total_time_s;
    let at = quantile(quote);
    let others = quote.alternatives.iter().map(|a| a.name.as_str());
    let own = prediction.schedule.is_none().then_some(prediction.cluster.as_str());
    let names: Vec<&str> = own.into_iter().chain(others).collect();
    let mut points = vec![CostTimePoint {
        label: match &prediction.schedule {
            Some(_) => say::SCHEDULE.owned(language),
            None => short(&prediction.cluster, &names),
        },
        group: 0,
        // The point stands at the quantile that is compared.
        time_s: Interval::new(time.p10, time.at(at), time.p90),
        cost: Interval::new(float(compute.p10), float(compute.at(at)), float(compute.p90)),
        pareto: false,
        winner: true,
        knee: false,
    }];
    for other in &quote.alternatives {
        if let (Some(time), Some(cost)) = (other.time_s, other.compute) {
            points.push(CostTimePoint {
                label: short(&other.name, &names),
                group: 1,
                time_s: Interval::exact(time),
                cost: Interval::exact(float(cost)),
                pareto: false,
                winner: false,
                knee: false,
            });
        }
    }
    if points.len() < 2 {
        return None;
    }
    let model = PlotModel::CostTime(CostTimePlot {
        title: say::ALTERNATIVES_AT.fill(language, &[if at == Basis::P90 { "P90" } else { "P50" }]),
        ringed: Some(say::QUOTED.owned(language)),
        currency: quote.currency.to_string(),
        points,
        groups: vec![say::QUOTE.owned(language), say::ALTERNATIVE.owned(language)],
        deadline_s: None,
        budget: None,
        footer: footer(prediction, quote, language),
    });
    Some(Block::picture(model, language))
}

/// What each way to buy costs; `None` where there is only one.
pub(in crate::report) fn ways(quote: &Quote, language: Language) -> Option<Block> {
    if quote.ways_to_buy.len() < 2 {
        return None;
    }
    let bars = quote.ways_to_buy.iter().map(|way| NamedBar {
        label: words::way(way, language),
        group: match way.verdict {
            None => 0,
            Some(Verdict::Better) => 1,
            Some(Verdict::Commits | Verdict::Interruptible) => 2,
            Some(_) => 3,
        },
        value: float(way.paid),
        text: format!("{} {}", amount(way.paid), quote.currency),
    });
    let groups = [say::QUOTED_WAY, say::CHEAPER_WAY, say::WITH_A_CATCH, say::DEARER];
    let model = PlotModel::Bars(BarsPlot {
        title: say::WAYS_TO_BUY.owned(language),
        x_label: format!("{} ({})", say::TO_PAY.text(language), quote.currency),
        time: false,
        bars: bars.collect(),
        groups: groups.map(|g| g.owned(language)).to_vec(),
        footer: quote.issued.to_string(),
    });
    Some(Block::picture(model, language))
}
