//! The risk of the first rows of a recommendation.

use super::RecommendView;
use super::cells::{amount, purchase, time};
use crate::advisor::risk::Risk;
use crate::advisor::{Candidate, Objective};
use crate::profile::Grade;
use crate::report::phrases::{column, risk as say, verdict};
use crate::report::view_risk::{self, priced};
use crate::report::{Block, Cell, Column, Row, Table};
use crate::simulator::Checkpoints;
use crate::units::text;

/// The rows shown of block A with their risk; `None` where none was asked for.
pub fn table(view: &RecommendView<'_>) -> Option<Block> {
    let lang = view.language;
    let answer = view.recommendation;
    let first = answer.risks.first()?;
    let currency = view.request.prices.currency.to_string();
    let mut columns = vec![
        Column::left(column::CLUSTER.text(lang), "cluster"),
        Column::left(say::BOUGHT.text(lang), "purchase"),
        Column::right(say::TIME_COLUMN.text(lang), "risk_time_s"),
        Column::right(say::COST_COLUMN.fill(lang, &[&currency]), "risk_cost"),
        Column::right(say::INTERRUPTIONS.text(lang), "interruptions"),
        Column::right(say::CHECKPOINT_COLUMN.text(lang), "checkpoint_interval_s"),
    ];
    if let Some(limit) = first.deadline {
        let name = say::WITHIN.fill(lang, &[&text::duration(limit, 3)]);
        columns.push(Column::right(name, "deadline_probability"));
    }
    let rows = answer.ranked.iter().zip(&answer.risks).take(view.top).map(|(c, risk)| row(view, c, risk));
    let (count, seed) = first.draws;
    let mut notes = vec![say::HOW.fill(lang, &[&text::grouped(&count.to_string()), &seed.to_string()])];
    if view.request.objective == Objective::CostAtP90 {
        notes.push(say::RANKED_BY_IT.owned(lang));
    }
    Some(Table::new(columns, rows.collect::<Vec<_>>()).titled(say::RISK.text(lang)).noted(notes).into())
}

fn row(view: &RecommendView<'_>, candidate: &Candidate, risk: &Risk) -> Row {
    let lang = view.language;
    let ends = |p50: f64, p90: f64, show: &dyn Fn(f64) -> String| {
        let shown = [p50, p90].map(|v| if v.is_finite() { show(v) } else { say::NEVER.owned(lang) });
        Cell::number(format!("{} ({})", shown[0], shown[1]), p50)
    };
    let times = risk.outcomes.time;
    let bought = candidate
        .offer
        .as_ref()
        .map_or_else(Cell::absent, |o| Cell::id(purchase(o.purchase).text(lang), o.purchase.name()));
    let cost = priced(risk).map_or_else(
        || Cell::text(verdict::NO_PRICE.text(lang)),
        |c| ends(c.p50.as_f64(), c.p90.as_f64(), &|v| amount(v, Grade::C)),
    );
    let checkpoints = match risk.interruptions.checkpoints {
        Checkpoints::Never => Cell::absent(),
        _ => Cell::number(text::duration(risk.interval, 2), risk.interval.get()),
    };
    let mut cells = vec![
        Cell::text(candidate.cluster.label.clone()),
        bought,
        ends(times.p50, times.p90, &|v| time(v, Grade::D)),
        cost,
        interruptions(risk),
        checkpoints,
    ];
    cells.extend(risk.outcomes.on_time.map(|share| Cell::number(text::percent(share), share)));
    Row::new(cells)
}

/// How often it is expected to be interrupted.
fn interruptions(risk: &Risk) -> Cell {
    let count = risk.expected_interruptions();
    Cell::number(view_risk::interruptions(risk.expected, count), count)
}

/// How likely the first row meets the deadline, in words.
pub(super) fn chance(view: &RecommendView<'_>) -> Option<String> {
    let first = view.recommendation.risks.first()?;
    Some(say::CHANCE.fill(view.language, &[&text::percent(first.outcomes.on_time?)]))
}
