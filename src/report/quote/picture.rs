//! The plot of a quote: the chosen cluster among those that were considered.

use rust_decimal::prelude::ToPrimitive as _;

use super::super::Language;
use super::super::phrases::quote as say;
use super::super::plot::{CostTimePlot, CostTimePoint, Interval, PlotError, PlotModel, PlotSize, render_svg};
use super::statements::evidence;
use crate::cost::quote::Quote;

/// Cost against time as SVG text; `None` unless there are at least two clusters with both.
///
/// # Errors
/// When the plot cannot be drawn.
pub fn picture(quote: &Quote, language: Language) -> Result<Option<String>, PlotError> {
    let Some(prediction) = &quote.prediction else { return Ok(None) };
    let Some(compute) = &prediction.compute else { return Ok(None) };
    let float = |value: rust_decimal::Decimal| value.to_f64().unwrap_or(f64::NAN);
    let time = &prediction.total_time_s;
    let mut points = vec![CostTimePoint {
        label: prediction.cluster.clone(),
        group: 0,
        time_s: Interval::new(time.p10, time.p50, time.p90),
        cost: Interval::new(float(compute.p10), float(compute.p50), float(compute.p90)),
        pareto: false,
        winner: true,
    }];
    for other in &quote.alternatives {
        if let (Some(time), Some(cost)) = (other.time_s, other.compute) {
            points.push(CostTimePoint {
                label: other.name.clone(),
                group: 1,
                time_s: Interval::exact(time),
                cost: Interval::exact(float(cost)),
                pareto: false,
                winner: false,
            });
        }
    }
    if points.len() < 2 {
        return Ok(None);
    }
    let model = PlotModel::CostTime(CostTimePlot {
        title: say::ALTERNATIVES.owned(language),
        currency: quote.currency.to_string(),
        points,
        groups: vec![say::QUOTE.owned(language), say::ALTERNATIVE.owned(language)],
        deadline_s: None,
        budget: None,
        footer: format!("{} · {}", quote.issued, evidence(&prediction.grade).text(language)),
    });
    render_svg(&model, language, PlotSize::usual(&model)).map(Some)
}
